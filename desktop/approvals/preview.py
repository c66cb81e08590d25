"""What a write would change, before and after: positions as a table, cash with fees, what to check."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop.approvals.header import wrapped
from desktop.context import Ui
from desktop.theme import font
from desktop.widgets import icon_label, label
from runtime.core.approvals import PortfolioPreview, PositionState

COLUMNS: Final = ("stock", "shares", "cost", "stop", "value", "weight")
ROW_HEIGHT: Final = 38
MAX_ROWS: Final = 6  # more scroll
PADDING: Final = 12
ARROW: Final = " → "
BOTH: Final = Qt.ItemDataRole.UserRole  # (before, after) of a changed cell
RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PreviewView(QWidget):
    """The preview of a portfolio write.

    Args:
        ui: shared parts.
        preview: what would change.
    """

    def __init__(self, ui: Ui, preview: PortfolioPreview) -> None:
        super().__init__()
        self.setObjectName("approvalPreview")
        self.setAccessibleName(ui.texts("desktop.preview"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        if preview.positions:
            column.addWidget(_table(ui, preview))
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(_cash(ui, preview), 1)
        if preview.notices:
            row.addWidget(_notices(ui, preview), 1)
        column.addLayout(row)


def _table(ui: Ui, preview: PortfolioPreview) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "outlined")
    table = QTableWidget(len(preview.positions), len(COLUMNS))
    table.setHorizontalHeaderLabels([ui.texts(f"cli.column_{name}") for name in COLUMNS])
    table.setShowGrid(False)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
    table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    for row, change in enumerate(preview.positions):
        before, after = change.before, change.after
        table.setItem(row, 0, _item(f"{change.name}  {change.symbol}", bold=True))
        cells = [
            (_shares(before), _shares(after)),
            (_money(before and before.cost, 3), _money(after and after.cost, 3)),
            (_money(before and before.stop_loss), _money(after and after.stop_loss)),
            (_money(before and before.value), _money(after and after.value)),
            (_weight(before), _weight(after)),
        ]
        for column, (old, new) in enumerate(cells, 1):
            table.setItem(row, column, _change(old, new))
    first = QTableWidgetItem(ui.texts("cli.column_stock"))
    first.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.setHorizontalHeaderItem(0, first)
    table.setItemDelegate(_Changes(ui, table))
    table.setFixedHeight(ROW_HEIGHT * min(len(preview.positions), MAX_ROWS) + 34)
    inside = QVBoxLayout(frame)
    inside.setContentsMargins(1, 1, 1, 1)
    inside.setSpacing(0)
    inside.addWidget(table)
    count = label(ui.texts("desktop.preview_rows", count=len(preview.positions)), "small", tone="3")
    count.setContentsMargins(12, 6, 12, 6)
    inside.addWidget(count)
    return frame


class _Changes(QStyledItemDelegate):
    """Paints a changed cell: tinted, the old value quiet, the new one bold."""

    def __init__(self, ui: Ui, parent: QWidget) -> None:
        super().__init__(parent)
        self._ui = ui

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """A cell; one that did not change is painted as usual."""
        moved = index.data(BOTH)
        if moved is None:
            super().paint(painter, option, index)
            return
        theme, old, new = self._ui.theme, f"{moved[0]}{ARROW}", str(moved[1])
        painter.save()
        painter.fillRect(option.rect, theme.color("accent.tint"))
        painter.setPen(theme.color("line"))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        inside = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        painter.setFont(font("ui", bold=True))
        painter.setPen(theme.color("text.1"))
        painter.drawText(inside, RIGHT, new)
        inside.setRight(inside.right() - painter.fontMetrics().horizontalAdvance(new))
        painter.setFont(font("ui"))
        painter.setPen(theme.color("text.3"))
        painter.drawText(inside, RIGHT, old)
        painter.restore()


def _item(text: str, *, bold: bool = False) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setFont(font("ui", bold=bold))
    return item


def _change(old: str, new: str) -> QTableWidgetItem:
    """A figure; where it changes, what it was and what it becomes."""
    if old == new:
        item = _item(new)
    else:
        item = _item(f"{old}{ARROW}{new}", bold=True)
        item.setData(BOTH, (old, new))
    item.setTextAlignment(RIGHT)
    return item


def _cash(ui: Ui, preview: PortfolioPreview) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "outlined")
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 10, 12, 10)
    column.setSpacing(4)
    column.addWidget(label(ui.texts("desktop.cash"), "small", tone="3"))
    column.addLayout(_cash_row(ui, preview))
    if preview.fees is not None:
        fees = preview.fees
        text = ui.texts(
            "cli.preview_fees",
            total=fees.total,
            commission=fees.commission,
            stamp=fees.stamp_duty,
            transfer=fees.transfer_fee,
        )
        column.addWidget(wrapped(text, tone="3"))
    if preview.price_as_of is not None:
        prices = ui.texts("cli.preview_prices", as_of=preview.price_as_of, source=preview.price_source)
        column.addWidget(wrapped(prices, tone="3"))
    column.addStretch(1)
    return frame


def _cash_row(ui: Ui, preview: PortfolioPreview) -> QHBoxLayout:
    """Cash before and after, and the difference."""
    before, after = preview.cash_before, preview.cash_after
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(label(ui.texts("approvals.cash"), tone="2"))
    row.addStretch(1)
    if before is not None and after is not None and before != after:
        row.addWidget(label(f"{before:,.2f} →", tone="3"))
        row.addWidget(label(f"{after:,.2f}", bold=True))
        row.addSpacing(12)
        row.addWidget(label(f"{'+' if after > before else '−'}{abs(after - before):,.2f}", tone="2"))
    else:
        known = after if after is not None else before
        row.addWidget(label(ui.texts("cli.unknown") if known is None else f"{known:,.2f}", bold=True))
    return row


def _notices(ui: Ui, preview: PortfolioPreview) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "outlined")
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 10, 12, 10)
    column.setSpacing(6)
    column.addWidget(label(ui.texts("desktop.to_check"), "small", tone="3"))
    for notice in preview.notices:
        row = QHBoxLayout()
        row.setSpacing(8)
        quiet = notice.severity == "info"
        name = "info" if quiet else "triangle-alert"
        row.addWidget(icon_label(name, ui.theme, "text.3" if quiet else "warn", 14), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(wrapped(notice.text), 1)
        column.addLayout(row)
    column.addStretch(1)
    return frame


def _shares(state: PositionState | None) -> str:
    return "0" if state is None else f"{state.shares:,}"


def _money(value: PositionState | Decimal | None, places: int = 2) -> str:
    return "—" if not isinstance(value, Decimal) else f"{value:,.{places}f}"


def _weight(state: PositionState | None) -> str:
    return "—" if state is None or state.weight is None else f"{state.weight * 100:.2f}%"

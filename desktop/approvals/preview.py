"""What a write would change, before and after: positions as a table, cash with fees, what to check."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QPainter
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

from desktop.context import Ui
from desktop.theme import font
from desktop.widgets import icon_label, label
from runtime.core.approvals import PortfolioPreview, PositionState

COLUMNS: Final = ("stock", "shares", "cost", "stop", "value", "weight")
ROW_HEIGHT: Final = 38
MAX_ROWS: Final = 6  # more scroll


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
        cells = [
            (f"{change.name}  {change.symbol}", False),
            _cell(_shares(before), _shares(after)),
            _cell(_money(before and before.cost, 3), _money(after and after.cost, 3)),
            _cell(_money(before and before.stop_loss), _money(after and after.stop_loss)),
            _cell(_money(before and before.value), _money(after and after.value)),
            _cell(_weight(before), _weight(after)),
        ]
        for column, (text, changed) in enumerate(cells):
            table.setItem(row, column, _item(ui, text, column, changed=changed))
    first = QTableWidgetItem(ui.texts("cli.column_stock"))
    first.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.setHorizontalHeaderItem(0, first)
    table.setItemDelegate(_Tinted(table))
    table.setFixedHeight(ROW_HEIGHT * min(len(preview.positions), MAX_ROWS) + 34)
    inside = QVBoxLayout(frame)
    inside.setContentsMargins(1, 1, 1, 1)
    inside.setSpacing(0)
    inside.addWidget(table)
    count = label(ui.texts("desktop.preview_rows", count=len(preview.positions)), "small", tone="3")
    count.setContentsMargins(12, 6, 12, 6)
    inside.addWidget(count)
    return frame


class _Tinted(QStyledItemDelegate):
    """Paints the background of changed cells: a style sheet on items hides their own."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Background first, then the cell."""
        brush = index.data(Qt.ItemDataRole.BackgroundRole)
        if isinstance(brush, QBrush):
            painter.fillRect(option.rect, brush)
        super().paint(painter, option, index)


def _item(ui: Ui, text: str, column: int, *, changed: bool) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    right = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    item.setTextAlignment(right | Qt.AlignmentFlag.AlignVCenter)
    item.setFont(font("ui", bold=changed or column == 0))
    if changed:
        item.setBackground(QBrush(ui.theme.color("accent.tint")))
    return item


def _cash(ui: Ui, preview: PortfolioPreview) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "outlined")
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 10, 12, 10)
    column.setSpacing(4)
    column.addWidget(label(ui.texts("desktop.cash"), "small", tone="3"))
    unknown = ui.texts("cli.unknown")
    before = unknown if preview.cash_before is None else f"{preview.cash_before:,.2f}"
    after = unknown if preview.cash_after is None else f"{preview.cash_after:,.2f}"
    moved = before if before == after else f"{before}  →  {after}"
    column.addWidget(label(moved, bold=True))
    if preview.fees is not None:
        fees = preview.fees
        text = ui.texts(
            "cli.preview_fees",
            total=fees.total,
            commission=fees.commission,
            stamp=fees.stamp_duty,
            transfer=fees.transfer_fee,
        )
        column.addWidget(label(text, "small", tone="3", wrap=True))
    if preview.price_as_of is not None:
        prices = ui.texts("cli.preview_prices", as_of=preview.price_as_of, source=preview.price_source)
        column.addWidget(label(prices, "small", tone="3", wrap=True))
    column.addStretch(1)
    return frame


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
        row.addWidget(label(notice.text, "small", wrap=True), 1)
        column.addLayout(row)
    column.addStretch(1)
    return frame


def _cell(before: str, after: str) -> tuple[str, bool]:
    return (after, False) if before == after else (f"{before} → {after}", True)


def _shares(state: PositionState | None) -> str:
    return "0" if state is None else f"{state.shares:,}"


def _money(value: PositionState | Decimal | None, places: int = 2) -> str:
    return "—" if not isinstance(value, Decimal) else f"{value:,.{places}f}"


def _weight(state: PositionState | None) -> str:
    return "—" if state is None or state.weight is None else f"{state.weight * 100:.2f}%"

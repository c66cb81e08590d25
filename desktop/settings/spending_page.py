"""Usage and spending: the limit of a day, what today has cost so far, and the last seven days by model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop.context import Ui
from desktop.figures import counted, money, summed
from desktop.settings.fields import NumberLine
from desktop.settings.keep import keep
from desktop.settings.work import Work
from desktop.viewmodels.spending import ModelSpending, by_model, unpriced_on
from desktop.widgets import button, label
from runtime.providers.factory import capabilities_of
from runtime.providers.model_config import OFFLINE_ID
from runtime.workspace import Workspace

DAYS: Final = 7
COLUMNS: Final = ("model", "calls", "fresh", "cache_read", "cache_write", "output", "cost")
ROW_HEIGHT: Final = 30
HEADER_HEIGHT: Final = 32
MOST_ROWS: Final = 8  # more scroll
LIMIT_WIDTH: Final = 160
RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What the page shows."""

    limit: float
    today: float
    today_unpriced: int
    models: list[ModelSpending]


class SpendingPage(QWidget):
    """What the models cost.

    Args:
        ui: shared parts.
        workspace: the services.
    """

    spoke = Signal(QWidget)

    def __init__(self, ui: Ui, workspace: Workspace) -> None:
        super().__init__()
        self._ui = ui
        self._workspace = workspace
        texts = ui.texts
        self._work = Work(ui, "spendingMessage")
        self._limit = NumberLine("spendingLimit", texts("settings.daily_limit"), texts("settings.no_limit"))
        self._limit.setFixedWidth(LIMIT_WIDTH)
        self._save = button(texts("settings.save"), name="spendingSave")
        self._save.clicked.connect(lambda: self._work.start(self._saved))
        self._limit.returnPressed.connect(self._save.click)
        self._today = label("", "stat")
        self._today.setObjectName("spentToday")
        self._today_note = self._note("spentTodayNote")
        self._table = self._make_table()
        self._table_note = self._note("usageNote")
        self._work.busy_changed.connect(lambda busy: self._save.setEnabled(not busy))
        self._work.spoke.connect(self.spoke)
        self._lay_out()

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._work.busy

    def showEvent(self, event: QShowEvent) -> None:
        """The page opens: read what was spent."""
        super().showEvent(event)
        self._work.start(self._loaded)

    async def aclose(self) -> None:
        """End what runs."""
        await self._work.aclose()

    def _lay_out(self) -> None:
        texts = self._ui.texts
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(label(texts("settings.spending"), "action"))
        layout.addWidget(label(texts("settings.spending_line"), "small", tone="3", wrap=True))
        layout.addSpacing(6)
        layout.addWidget(label(texts("settings.daily_limit"), tone="2"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._limit)
        row.addWidget(self._save)
        row.addStretch(1)
        layout.addLayout(row)
        layout.addWidget(self._work)
        layout.addSpacing(6)
        layout.addWidget(label(texts("settings.today"), tone="2"))
        layout.addWidget(self._today)
        layout.addWidget(self._today_note)
        layout.addSpacing(6)
        layout.addWidget(label(texts("settings.last_days", days=DAYS), tone="2"))
        self._frame = QFrame()
        self._frame.setProperty("role", "outlined")
        inside = QVBoxLayout(self._frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._table)
        layout.addWidget(self._frame)
        layout.addWidget(self._table_note)
        layout.addStretch(1)

    def _note(self, name: str) -> QLabel:
        made = label("", "small", tone="3", wrap=True)
        made.setObjectName(name)
        return made

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setObjectName("usageTable")
        table.setAccessibleName(self._ui.texts("settings.last_days", days=DAYS))
        for column, name in enumerate(COLUMNS):
            head = QTableWidgetItem(self._ui.texts(f"settings.column_{name}"))
            head.setTextAlignment(RIGHT if column else LEFT)
            table.setHorizontalHeaderItem(column, head)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = table.horizontalHeader()
        header.setFixedHeight(HEADER_HEIGHT)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        return table

    async def _loaded(self) -> None:
        self._show(await self._read())

    async def _saved(self) -> None:
        """Keep the limit; what cannot be read stays where it was typed."""
        limit = self._limit.amount() or 0.0
        await keep(self._workspace.base.live, "daily_spending_limit", limit)
        self._limit.setModified(False)
        self._show(await self._read())
        said = "settings.limit_kept" if limit else "settings.limit_none"
        self._work.say(self._ui.texts(said, limit=f"{limit:g}"))

    async def _read(self) -> _Read:
        workspace, usage = self._workspace, self._workspace.stores.usage
        settings = await asyncio.to_thread(workspace.base.live.now)
        models = await asyncio.to_thread(workspace.models.models)
        free = {config.id for config in models if config.id == OFFLINE_ID or capabilities_of(config).free}
        rows = await usage.summary(DAYS)
        return _Read(
            limit=settings.daily_spending_limit,
            today=await usage.spent_today(),
            today_unpriced=unpriced_on(workspace.base.clock.now().date(), rows, free),
            models=by_model(rows, free),
        )

    def _show(self, read: _Read) -> None:
        texts = self._ui.texts
        if not self._limit.isModified():
            self._limit.setText(f"{read.limit:.12g}" if read.limit else "")
        of_limit = texts("settings.of_limit", limit=f"{read.limit:,g}") if read.limit else ""
        self._today.setText(f"{money(read.today)}{of_limit}")
        self._say_unpriced(self._today_note, read.today_unpriced)
        self._say_unpriced(self._table_note, sum(item.unpriced for item in read.models))
        if not read.models:
            self._table_note.setText(texts("cli.usage_empty", days=DAYS))
            self._table_note.show()
        self._frame.setVisible(bool(read.models))
        self._fill(read.models)

    def _say_unpriced(self, note: QLabel, calls: int) -> None:
        note.setText(self._ui.texts("settings.unpriced", count=calls) if calls else "")
        note.setVisible(bool(calls))

    def _fill(self, models: list[ModelSpending]) -> None:
        self._table.setRowCount(len(models))
        for row, item in enumerate(models):
            usage, estimated = item.usage, item.usage.estimated
            name = self._ui.texts("desktop.offline_name") if item.model == OFFLINE_ID else item.model
            tokens = (usage.input, usage.cache_read, usage.cache_write, usage.output)
            cells = (
                (name, name),
                (f"{item.calls:,}", ""),
                *((summed(number, estimated=estimated), counted(number)) for number in tokens),
                (money(usage.cost, estimated=estimated), ""),
            )
            for column, (text, whole) in enumerate(cells):
                cell = QTableWidgetItem(text)
                cell.setTextAlignment(RIGHT if column else LEFT)
                cell.setToolTip(whole)
                self._table.setItem(row, column, cell)
        self._table.setFixedHeight(HEADER_HEIGHT + ROW_HEIGHT * min(len(models), MOST_ROWS) + 2)

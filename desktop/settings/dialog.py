"""The settings: pages for models and keys, for what they cost, for the way to them, and for the look."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.context import Ui
from desktop.icons import icon
from desktop.settings.appearance_page import AppearancePage
from desktop.settings.models_page import ModelsPage
from desktop.settings.network_page import NetworkPage
from desktop.settings.spending_page import SpendingPage
from desktop.theme import Theme
from desktop.widgets import button, hairline
from runtime.workspace import Workspace

SIZE: Final = 860, 640
NAV_WIDTH: Final = 184
NAV_ROW: Final = 32
SETTLE_MS: Final = 50  # until the layout of new words stands
AROUND: Final = 12  # px left above and below


class SettingsDialog(QDialog):
    """Pages beside their names.

    Args:
        ui: shared parts.
        workspace: the services.
        parent: the window.
    """

    models_changed = Signal()

    def __init__(self, ui: Ui, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(ui.texts("desktop.settings"))
        self.resize(min(SIZE[0], parent.width() - 40), min(SIZE[1], parent.height() - 40))
        self._ui = ui
        self.models = ModelsPage(ui, workspace)
        self.models.changed.connect(self.models_changed)
        self.spending = SpendingPage(ui, workspace)
        self.network = NetworkPage(ui, workspace)
        self.appearance = AppearancePage(ui, workspace.base.settings_file)
        self._nav = QListWidget()
        self._nav.setObjectName("settingsNav")
        self._nav.setAccessibleName(ui.texts("desktop.settings"))
        self._nav.setFixedWidth(NAV_WIDTH)
        self._pages = QStackedWidget()
        self._icons: list[str] = []
        for key, icon_name, page in (
            ("desktop.models", "cpu", self.models),
            ("settings.spending", "gauge", self.spending),
            ("settings.network", "globe", self.network),
        ):
            page.spoke.connect(partial(_reveal, self._add_page(key, icon_name, page)))
        self._add_page("desktop.appearance", "palette", self.appearance)
        self._nav.currentRowChanged.connect(self._pages.setCurrentIndex)
        self._nav.setCurrentRow(0)
        self._lay_out()
        ui.themes.changed.connect(self._tint)
        self._tint(ui.theme)

    async def aclose(self) -> None:
        """End what the pages do."""
        for page in (self.models, self.spending, self.network, self.appearance):
            await page.aclose()

    def _add_page(self, key: str, icon_name: str, page: QWidget) -> QScrollArea:
        """A page that scrolls where the dialog is small."""
        item = QListWidgetItem(self._ui.texts(key))
        item.setSizeHint(QSize(0, NAV_ROW))
        self._nav.addItem(item)
        self._icons.append(icon_name)
        page.setProperty("role", "canvas")
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(page)
        self._pages.addWidget(scroll)
        return scroll

    def _lay_out(self) -> None:
        close = button(self._ui.texts("desktop.close"), name="settingsClose")
        close.clicked.connect(self.close)
        body = QHBoxLayout()
        body.setSpacing(12)
        body.addWidget(self._nav)
        body.addWidget(hairline(vertical=True))
        body.addWidget(self._pages, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(body, 1)
        column.addWidget(hairline())
        column.addLayout(foot)

    def _tint(self, theme: Theme) -> None:
        for row, name in enumerate(self._icons):
            self._nav.item(row).setIcon(icon(name, theme.color("text.2")))


def _reveal(page: QScrollArea, part: QWidget) -> None:
    """Scroll to a part of a page once it has its place."""
    QTimer.singleShot(SETTLE_MS, part, lambda: page.ensureWidgetVisible(part, 0, AROUND))

"""The settings: a page for models and keys, a page for the look."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QStackedWidget, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.settings.appearance_page import AppearancePage
from desktop.settings.models_page import ModelsPage
from desktop.widgets import button, hairline
from runtime.workspace import Workspace

SIZE = 860, 640
NAV_WIDTH = 184


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
        self.models = ModelsPage(ui, workspace)
        self.models.changed.connect(self.models_changed)
        pages = QStackedWidget()
        nav = QListWidget()
        nav.setObjectName("settingsNav")
        nav.setAccessibleName(ui.texts("desktop.settings"))
        nav.setFixedWidth(NAV_WIDTH)
        for key, page in (("desktop.models", self.models), ("desktop.appearance", AppearancePage(ui))):
            nav.addItem(ui.texts(key))
            pages.addWidget(page)
        nav.currentRowChanged.connect(pages.setCurrentIndex)
        nav.setCurrentRow(0)
        close = button(ui.texts("desktop.close"), name="settingsClose")
        close.clicked.connect(self.close)
        body = QHBoxLayout()
        body.setSpacing(16)
        body.addWidget(nav)
        body.addWidget(hairline(vertical=True))
        body.addWidget(pages, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(body, 1)
        column.addLayout(foot)

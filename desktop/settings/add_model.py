"""The form that adds a model: service, API, name, key. What is typed as a key is shown as dots and leaves the form once it is kept."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QLineEdit, QMenu

from desktop.context import Ui
from desktop.icons import icon
from desktop.settings.fields import KindChoice, text_line
from desktop.theme import Theme
from desktop.widgets import Elided, button, label
from runtime.providers.model_config import ModelConfig
from runtime.providers.presets import SERVICES, preset_of

FIRST: Final = "deepseek"
LONGEST_ID: Final = 64


class AddModelForm(QFrame):
    """Service, API, model and key.

    Args:
        ui: shared parts.
    """

    submitted = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "outlined")
        self._ui = ui
        texts = ui.texts
        self._service = text_line("modelService", texts("desktop.service"))
        self._address = Elided("", "small", tone="3")
        self._kind = KindChoice(ui, "modelKind")
        self._menu = QMenu(self)
        self._menu.setObjectName("serviceMenu")
        for name in SERVICES:
            self._menu.addAction(name).triggered.connect(lambda _=False, chosen=name: self._service.setText(chosen))
        self._open = QAction(texts("settings.services"), self)
        self._open.triggered.connect(self._open_menu)
        self._service.addAction(self._open, QLineEdit.ActionPosition.TrailingPosition)
        self._service.textChanged.connect(self._follow)
        self._service.setText(FIRST)
        self._model = text_line("modelName", texts("desktop.model_name"), texts("settings.model_hint"))
        self._key = text_line("modelKey", texts("desktop.key"), texts("desktop.key_hint"))
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self.add = button(texts("desktop.add_and_test"), "primary", name="modelAdd")
        self.add.clicked.connect(self.submitted)
        for line in (self._service, self._model, self._key):
            line.returnPressed.connect(self.add.click)
        self._lay_out()
        ui.themes.changed.connect(self._tint)
        self._tint(ui.theme)

    def begin(self, service: str) -> None:
        """Start with a service; the model's name is next."""
        self._service.setText(service)
        self._model.setFocus()

    def config(self) -> ModelConfig:
        """What was typed; its name for the person is the model's own."""
        model = self._model.text().strip()
        return ModelConfig(
            id=model.replace(" ", "-")[:LONGEST_ID],
            provider=self._kind.kind,
            model=model,
            base_url=self._service.text().strip(),
        )

    def key(self) -> str:
        """The key as typed."""
        return self._key.text()

    def forget_key(self) -> None:
        """The key is kept elsewhere now."""
        self._key.clear()

    def set_busy(self, *, busy: bool) -> None:
        """While a connection is tried nothing else is added."""
        self.add.setEnabled(not busy)
        self.add.setText(self._ui.texts("settings.testing" if busy else "desktop.add_and_test"))

    def _lay_out(self) -> None:
        texts = self._ui.texts
        form = QFormLayout(self)
        form.setContentsMargins(16, 14, 16, 14)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(label(texts("desktop.service"), tone="2"), self._service)
        form.addRow("", self._address)
        form.addRow(label(texts("settings.kind"), tone="2"), self._kind)
        form.addRow(label(texts("desktop.model_name"), tone="2"), self._model)
        form.addRow(label(texts("desktop.key"), tone="2"), self._key)
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addStretch(1)
        form.addRow("", row)

    def _follow(self, text: str) -> None:
        """The address behind a service's name, and the API spoken there."""
        known = preset_of(text)
        self._address.set_whole(self._ui.texts("settings.address_hint") if known is None else known.base_url)
        self._kind.follow(text)

    def _open_menu(self) -> None:
        self._menu.popup(self._service.mapToGlobal(QPoint(0, self._service.height() + 4)))

    def _tint(self, theme: Theme) -> None:
        self._open.setIcon(icon("chevron-down", theme.color("text.2")))

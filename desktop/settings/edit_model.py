"""The form that changes a model: address and API, key, limits, prices, abilities. What stays empty is unknown or found out by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.context import Ui
from desktop.settings.fields import KindChoice, NumberLine, SwitchChoice, text_line
from desktop.widgets import button, label
from runtime.providers.model_config import ModelConfig
from runtime.providers.windows import Prices, infer_context_window

PRICES: Final = ("input", "output", "cache_read", "cache_write")
PAIRS: Final = (("context_window", "max_output"), PRICES[:2], PRICES[2:])  # fields that stand beside each other


class EditModelForm(QFrame):
    """Everything that can be said about one model.

    Args:
        ui: shared parts.
    """

    submitted = Signal()
    left = Signal()

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        self.setProperty("role", "outlined")
        self._ui = ui
        texts = ui.texts
        self._config: ModelConfig | None = None
        self._model = text_line("editModel", texts("desktop.model_name"))
        self._address = text_line("editAddress", texts("settings.address"))
        self._kind = KindChoice(ui, "editKind")
        self._address.textEdited.connect(self._kind.follow)
        self._key = text_line("editKey", texts("desktop.key"), texts("settings.key_unchanged"))
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._numbers = {name: self._number(name) for pair in PAIRS for name in pair}
        self._numbers["max_output"].setPlaceholderText(texts("settings.max_output_hint"))
        self._model.textChanged.connect(self._infer)
        self._reasoning = SwitchChoice(ui, "editReasoning", texts("settings.reasoning"))
        self._tools = SwitchChoice(ui, "editTools", texts("settings.tools"))
        self._save = button(texts("settings.save"), "primary", name="editSave")
        self._save.clicked.connect(self.submitted)
        self._cancel = button(texts("settings.cancel"), name="editCancel")
        self._cancel.clicked.connect(self.left)
        for line in (self._model, self._address, self._key, *self._numbers.values()):
            line.returnPressed.connect(self._save.click)
        self._lay_out()

    def begin(self, config: ModelConfig) -> None:
        """Show a model as it is."""
        self._config = config
        self._model.setText(config.model)
        self._address.setText(config.base_url)
        if config.provider != "offline":
            self._kind.show_kind(config.provider, config.base_url)
        self._key.clear()
        for name in PAIRS[0]:
            value = getattr(config, name)
            self._numbers[name].setText("" if value is None else str(value))
        for name in PRICES:
            price = None if config.prices is None else getattr(config.prices, name)
            self._numbers[name].setText("" if price is None else f"{price:.12g}")
        self._reasoning.show_switch(config.reasoning)
        self._tools.show_switch(config.tools)
        self._model.setFocus()

    def config(self) -> ModelConfig:
        """The model as the form says.

        Raises:
            UserError: a number cannot be read; its line is framed.
        """
        if self._config is None:
            raise ValueError("no model is being changed")
        return replace(
            self._config,
            provider=self._kind.kind,
            model=self._model.text().strip(),
            base_url=self._address.text().strip(),
            context_window=self._numbers["context_window"].whole(),
            max_output=self._numbers["max_output"].whole(),
            prices=self._prices(),
            reasoning=self._reasoning.switch,
            tools=self._tools.switch,
        )

    def key(self) -> str:
        """A new key as typed; empty = it stays as it is."""
        return self._key.text()

    def set_busy(self, *, busy: bool) -> None:
        """While something is being done nothing is saved."""
        self._save.setEnabled(not busy)
        self._cancel.setEnabled(not busy)

    def _prices(self) -> Prices | None:
        """Input and output belong together; a cache price alone says nothing."""
        found = {name: self._numbers[name].amount() for name in PRICES}
        if not any(price is not None for price in found.values()):
            return None
        for name in PRICES[:2]:
            if found[name] is None:
                raise self._numbers[name].refuse("settings.price_missing")
        return Prices(
            input=found["input"] or 0.0,
            output=found["output"] or 0.0,
            cache_read=found["cache_read"],
            cache_write=found["cache_write"],
        )

    def _number(self, name: str) -> NumberLine:
        return NumberLine(f"edit-{name}", self._ui.texts(f"settings.field_{name}"), self._ui.texts("settings.unknown"))

    def _infer(self, model: str) -> None:
        tokens = f"{infer_context_window(model):,}"
        self._numbers["context_window"].setPlaceholderText(self._ui.texts("settings.window_hint", tokens=tokens))

    def _lay_out(self) -> None:
        texts = self._ui.texts
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        wide: tuple[tuple[str, QWidget], ...] = (
            ("desktop.model_name", self._model),
            ("settings.address", self._address),
            ("settings.kind", self._kind),
            ("desktop.key", self._key),
            ("settings.reasoning", self._reasoning),
            ("settings.tools", self._tools),
        )
        for row, (key, field) in enumerate(wide):
            grid.addWidget(label(texts(key), tone="2"), row, 0)
            grid.addWidget(field, row, 1, 1, 3)
        for row, pair in enumerate(PAIRS, start=len(wide)):
            for place, name in enumerate(pair):
                grid.addWidget(label(texts(f"settings.field_{name}"), tone="2"), row, 2 * place)
                grid.addWidget(self._numbers[name], row, 2 * place + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self._save)
        buttons.addWidget(self._cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        column.addLayout(grid)
        column.addWidget(label(texts("settings.prices_line"), "small", tone="3", wrap=True))
        column.addLayout(buttons)

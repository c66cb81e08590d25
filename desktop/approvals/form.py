"""The form for a changed write, made from the arguments of the tool: one field each, or all as JSON; judged by the tool's own model."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.context import Ui
from desktop.theme import code_font
from desktop.widgets import button, label
from runtime.core.json import JsonObject, JsonValue, dumps, loads
from runtime.errors import UserError

NOTHING: Final = "null"


class ArgumentForm(QFrame):
    """The arguments of a call, to be changed.

    Args:
        ui: shared parts.
        args: the arguments as they are.
    """

    changed = Signal()

    def __init__(self, ui: Ui, args: JsonObject) -> None:
        super().__init__()
        self.setObjectName("approvalForm")
        self._ui = ui
        self._fields = _Fields(ui, args)
        self._raw = QPlainTextEdit(_pretty(args))
        self._raw.setObjectName("approvalJson")
        self._raw.setAccessibleName(ui.texts("approvals.raw"))
        self._raw.setFont(code_font())
        self._raw.setTabChangesFocus(True)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._fields)
        self._pages.addWidget(self._raw)
        self._fields.changed.connect(self.changed)
        self._raw.textChanged.connect(self._raw_changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(self._switch())
        column.addWidget(self._pages)

    def values(self) -> JsonObject:
        """The arguments as typed.

        Raises:
            UserError: what was typed is no JSON object.
        """
        if self._pages.currentWidget() is self._fields:
            return self._fields.values()
        try:
            values = loads(self._raw.toPlainText())
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise UserError("approvals.no_json")
        return values

    def mark(self, *, invalid: bool) -> None:
        """Mark the changed fields as wrong, or as right again."""
        self._fields.mark(invalid=invalid)

    def focus(self) -> None:
        """Begin to type in the first figure."""
        self._fields.focus()

    def _switch(self) -> QHBoxLayout:
        """Fields or JSON; what was typed in one is carried over to the other where it can be."""
        row = QHBoxLayout()
        row.setSpacing(4)
        group = QButtonGroup(self)
        for place, name in enumerate(("fields", "raw")):
            choice = button(self._ui.texts(f"approvals.{name}"), "chip", name=f"approvalAs-{name}")
            choice.setCheckable(True)
            choice.setChecked(place == 0)
            choice.clicked.connect(lambda _=False, wanted=place: self._show_page(wanted))
            group.addButton(choice)
            row.addWidget(choice)
        row.addStretch(1)
        return row

    def _show_page(self, place: int) -> None:
        if place == self._pages.currentIndex():
            return
        try:
            values = self.values()
        except UserError:
            values = None  # no JSON: the fields keep what they had
        if values is not None and place == 1:
            self._raw.blockSignals(True)
            self._raw.setPlainText(_pretty(values))
            self._raw.blockSignals(False)
        elif values is not None:
            self._fields.fill(values)
        self._pages.setCurrentIndex(place)
        self.changed.emit()

    def _raw_changed(self) -> None:
        if self._pages.currentWidget() is self._raw:
            self.changed.emit()


class _Fields(QWidget):
    """A field for each argument, with its old value under it once it is another."""

    changed = Signal()

    def __init__(self, ui: Ui, args: JsonObject) -> None:
        super().__init__()
        self._ui = ui
        self._before = args
        self._fields: dict[str, QLineEdit] = {}
        layout = QFormLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.setHorizontalSpacing(12)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, value in args.items():
            key = f"desktop.field_{name}"
            caption = label(ui.texts(key) if ui.texts.knows(key) else name, tone="2")
            caption.setMinimumWidth(56)
            layout.addRow(caption, self._field(name, value, caption.text()))

    def values(self) -> JsonObject:
        """The arguments as typed; a field that was emptied is left out."""
        return {
            name: _parsed(field.text().strip(), self._before[name])
            for name, field in self._fields.items()
            if field.text().strip()
        }

    def fill(self, values: JsonObject) -> None:
        """Show other values; arguments that the call did not have stay with the JSON."""
        for name, field in self._fields.items():
            field.setText(_shown(values[name]) if name in values else "")

    def mark(self, *, invalid: bool) -> None:
        """Mark the changed fields as wrong, or as right again."""
        for name, field in self._fields.items():
            wrong = invalid and field.text().strip() != _shown(self._before[name])
            field.setProperty("invalid", "true" if wrong else "false")
            field.style().unpolish(field)
            field.style().polish(field)

    def focus(self) -> None:
        """Begin with the first figure, which is what is changed most."""
        figures = [name for name, value in self._before.items() if isinstance(value, int | float)]
        name = figures[0] if figures else next(iter(self._fields), "")
        if name:
            self._fields[name].setFocus()
            self._fields[name].selectAll()

    def _field(self, name: str, value: JsonValue, caption: str) -> QWidget:
        before = _shown(value)
        field = QLineEdit(before)
        field.setObjectName(f"approvalField-{name}")
        field.setAccessibleName(caption)
        was = label(self._ui.texts("desktop.was", value=before), "small", tone="3")
        was.hide()
        field.textChanged.connect(lambda text: was.setVisible(text.strip() != before))
        field.textEdited.connect(lambda _text: self.changed.emit())
        self._fields[name] = field
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(field)
        column.addWidget(was)
        return holder


def _pretty(args: JsonObject) -> str:
    """One argument a line."""
    lines = ",\n".join(f"  {dumps(name)}: {dumps(value)}" for name, value in args.items())
    return f"{{\n{lines}\n}}"


def _shown(value: JsonValue) -> str:
    if value is None:
        return NOTHING
    return value if isinstance(value, str) else dumps(value)


def _parsed(text: str, before: JsonValue) -> JsonValue:
    """What was typed, in the kind of the old value."""
    if text.lower() == NOTHING:
        return None
    if isinstance(before, str) or before is None:
        return text
    try:
        return loads(text)
    except ValueError:
        return text

"""The form for a changed write, made from the arguments of the tool: one field each, judged by the tool's own model."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from desktop.context import Ui
from desktop.widgets import label
from runtime.core.json import JsonObject, JsonValue, dumps, loads

NOTHING = "null"


class ArgumentForm(QWidget):
    """Fields for the arguments of a call.

    Args:
        ui: shared parts.
        args: the arguments as they are.
    """

    changed = Signal()

    def __init__(self, ui: Ui, args: JsonObject) -> None:
        super().__init__()
        self.setObjectName("approvalForm")
        self._before = args
        self._fields: dict[str, QLineEdit] = {}
        layout = QFormLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for name, value in args.items():
            field = QLineEdit(_shown(value))
            field.setObjectName(f"approvalField-{name}")
            key = f"desktop.field_{name}"
            caption = ui.texts(key) if ui.texts.knows(key) else name
            field.setAccessibleName(caption)
            field.setToolTip(ui.texts("desktop.was", value=_shown(value)))
            field.textEdited.connect(lambda _text: self.changed.emit())
            self._fields[name] = field
            layout.addRow(label(caption, tone="2"), field)

    def values(self) -> JsonObject:
        """The arguments as typed; a field that was emptied is left out."""
        return {
            name: _parsed(field.text().strip(), self._before[name])
            for name, field in self._fields.items()
            if field.text().strip()
        }

    def mark(self, *, invalid: bool) -> None:
        """Mark the changed fields as wrong, or as right again."""
        for name, field in self._fields.items():
            wrong = invalid and field.text().strip() != _shown(self._before[name])
            field.setProperty("invalid", "true" if wrong else "false")
            field.style().unpolish(field)
            field.style().polish(field)


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

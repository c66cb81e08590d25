"""The errors of the program: one base, and one subclass for each party that has to act.

An error carries the key of its text in `resources/i18n/*/` and the fields for it; the surface that shows it renders it in the user's
language (`Texts.error`). `str(error)` is for logs only.
"""

from __future__ import annotations

from runtime.core.json import JsonObject


class WyckoffError(Exception):
    """Base of all errors that this program raises on purpose.

    Args:
        key: key of the message, `area.name`, for example `market.no_bars`.
        **fields: values for the placeholders of the message.
    """

    def __init__(self, key: str, **fields: object) -> None:
        self.key = key
        self.fields = fields
        super().__init__(key, fields)

    def __str__(self) -> str:
        details = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.key}({details})"


class UserError(WyckoffError):
    """The person has to act: wrong input, missing configuration, an impossible order."""


class ModelFacingError(WyckoffError):
    """The model has to act: a tool call that cannot be done as asked.

    Args:
        key: key of the message.
        code: short machine name that the model sees, for example `invalid_arguments`.
        retriable: whether the same call may succeed later in this turn.
        details: facts for the model beside the words, for example what a refused write would have changed.
        **fields: values for the placeholders of the message.
    """

    def __init__(
        self, key: str, *, code: str, retriable: bool = False, details: JsonObject | None = None, **fields: object
    ) -> None:
        super().__init__(key, **fields)
        self.details = details
        self.code = code
        self.retriable = retriable


class TransientError(WyckoffError):
    """Trying again may help: a time-out, a busy file, a changed version."""


class StorageError(WyckoffError):
    """The database could not be read or written just now: busy for too long, or the disk is full or gone."""


class InternalError(WyckoffError):
    """A bug or a damaged installation: nobody but the developers can act."""

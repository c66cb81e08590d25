"""The models that can answer a message, offered where it is answered again. Desk keeps them up to date; a menu is made when it opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu, QWidget


class ModelMenu(QObject):
    """Offers the configured models."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[tuple[str, str], ...] = ()

    @property
    def several(self) -> bool:
        """Whether there is another model at all."""
        return len(self._models) > 1

    def set_models(self, models: Sequence[tuple[str, str]]) -> None:
        """Offer these as (id, label)."""
        self._models = tuple(models)
        self.changed.emit()

    def open(self, below: QWidget, chosen: Callable[[str], object]) -> None:
        """Offer the models below a button; the id of the one that is taken goes to `chosen`."""
        menu = QMenu(below)
        menu.setObjectName("otherModelMenu")
        menu.setAccessibleName(below.accessibleName())
        for model_id, name in self._models:
            menu.addAction(name).triggered.connect(lambda _=False, taken=model_id: chosen(taken))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(below.mapToGlobal(QPoint(0, below.height() + 4)))

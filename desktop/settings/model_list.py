"""The models of a workspace as a list: name, what each is for, and in a second line where it is, how much it holds and what it costs."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem

from desktop.context import Ui
from desktop.figures import compact
from desktop.theme import font
from runtime.providers.catalogue import ModelCatalogue
from runtime.providers.model_config import OFFLINE_ID, ModelConfig
from runtime.providers.windows import infer_context_window
from runtime.texts import Texts

ROW_HEIGHT: Final = 52
MOST_ROWS: Final = 4  # more scroll
PADDING: Final = 12
TAG_HEIGHT: Final = 20
TAG_GAP: Final = 8
ID: Final = Qt.ItemDataRole.UserRole
NAME: Final = Qt.ItemDataRole.UserRole + 1
TAGS: Final = Qt.ItemDataRole.UserRole + 2
DETAIL: Final = Qt.ItemDataRole.UserRole + 3


class ModelList(QListWidget):
    """One row per model.

    Args:
        ui: shared parts.
        models: what is shown.
    """

    def __init__(self, ui: Ui, models: ModelCatalogue) -> None:
        super().__init__()
        self.setObjectName("modelList")
        self.setAccessibleName(ui.texts("desktop.models"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Rows(ui, self))
        self._texts = ui.texts
        self._models = models
        self.default_id = OFFLINE_ID
        self.fallback_ids: tuple[str, ...] = ()
        ui.themes.changed.connect(lambda _theme: self.viewport().update())

    @property
    def chosen(self) -> str:
        """The model of the current row."""
        item = self.currentItem()
        return str(item.data(ID)) if self.currentRow() >= 0 else OFFLINE_ID

    def refresh(self) -> None:
        """Show the models as they are; the chosen one stays chosen."""
        self.default_id, self.fallback_ids = self._models.default_id(), self._models.fallback_ids()
        chosen = self.chosen if self.count() else self.default_id
        self.clear()
        for config in self._models.models():
            item = self._item(config)
            self.addItem(item)
            if config.id == chosen:
                self.setCurrentItem(item)
        if self.currentRow() < 0:
            self.setCurrentRow(0)
        self.setFixedHeight(ROW_HEIGHT * min(self.count(), MOST_ROWS) + 2)

    def choose(self, model_id: str) -> None:
        """Go to a model's row."""
        for row in range(self.count()):
            if self.item(row).data(ID) == model_id:
                self.setCurrentRow(row)

    def _item(self, config: ModelConfig) -> QListWidgetItem:
        texts = self._texts
        name = texts("desktop.offline_name") if config.id == OFFLINE_ID else config.id
        detail = detail_of(config, texts)
        tags = [texts("settings.default_tag")] if config.id == self.default_id else []
        if config.id in self.fallback_ids:
            tags.append(texts("settings.fallback_tag", number=self.fallback_ids.index(config.id) + 1))
        marks = "".join(texts("settings.in_brackets", text=tag) for tag in tags)
        item = QListWidgetItem(f"{name}{marks}   {detail}")  # what a screen reader says
        item.setToolTip(f"{name}\n{detail}")
        for role, value in ((ID, config.id), (NAME, name), (TAGS, tags), (DETAIL, detail)):
            item.setData(role, value)
        item.setSizeHint(QSize(0, ROW_HEIGHT))
        return item


def detail_of(config: ModelConfig, texts: Texts) -> str:
    """A model's second line; what is not known is left out, what was inferred says so."""
    if config.id == OFFLINE_ID:
        return texts("settings.built_in")
    window = compact(config.context_window or infer_context_window(config.model))
    known = "settings.row_window" if config.context_window else "settings.row_window_inferred"
    parts = [*([config.model] if config.model != config.id else []), config.base_url, texts(known, window=window)]
    if config.prices is not None:
        prices = config.prices
        parts.append(texts("settings.row_prices", input=f"{prices.input:g}", output=f"{prices.output:g}"))
        if prices.cache_read is not None:
            parts.append(texts("settings.row_cache_price", price=f"{prices.cache_read:g}"))
    return " · ".join(parts)


class _Rows(QStyledItemDelegate):
    """Paints a row: the name and its tags, the details below; what is too long is cut, and whole in the tooltip."""

    def __init__(self, ui: Ui, parent: QListWidget) -> None:
        super().__init__(parent)
        self._ui = ui

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw background, name, tags, details."""
        style = QStyleOptionViewItem(option)
        self.initStyleOption(style, index)
        rect = QRect(style.rect)
        style.text = ""
        widget = style.widget
        widget.style().drawControl(widget.style().ControlElement.CE_ItemViewItem, style, painter, widget)
        inside = rect.adjusted(PADDING, 6, -PADDING, -6)
        upper = QRect(inside.left(), inside.top(), inside.width(), inside.height() // 2)
        lower = QRect(inside.left(), upper.bottom() + 1, inside.width(), inside.height() - upper.height())
        tags = list(index.data(TAGS) or [])
        tag_font = font("small")
        room = sum(QFontMetrics(tag_font).horizontalAdvance(tag) + 12 + TAG_GAP for tag in tags)
        at = self._words(painter, upper, str(index.data(NAME)), "text.1", bold=True, room=room)
        for tag in tags:
            at = self._tag(painter, QRect(at + TAG_GAP, upper.top(), 0, upper.height()), tag)
        self._words(painter, lower, str(index.data(DETAIL)), "text.3")

    def _words(
        self, painter: QPainter, rect: QRect, text: str, token: str, *, bold: bool = False, room: int = 0
    ) -> int:
        """Draw one line cut to its width less `room`; returns where it ends."""
        used = font("ui" if bold else "small", bold=bold)
        metrics = QFontMetrics(used)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, rect.width() - room)
        painter.setFont(used)
        painter.setPen(self._ui.theme.color(token))
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        return rect.left() + metrics.horizontalAdvance(shown)

    def _tag(self, painter: QPainter, place: QRect, text: str) -> int:
        """Draw a tag; returns where it ends."""
        theme, used = self._ui.theme, font("small")
        default = text == self._ui.texts("settings.default_tag")
        top = place.top() + (place.height() - TAG_HEIGHT) // 2
        box = QRect(place.left(), top, QFontMetrics(used).horizontalAdvance(text) + 12, TAG_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent.tint" if default else "bg.hover"))
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(used)
        painter.setPen(theme.color("accent" if default else "text.2"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        return box.right() + 1

"""An answer while it streams: finished blocks are rendered once and stay; only the open tail is drawn again.

When the text is complete the stack is exchanged for one view with the whole, so that selection and lists are as they should be.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.chat.markdown import BlockSplitter, MarkdownRenderer
from desktop.chat.text_view import TextView
from desktop.theme import Theme


class AnswerText(QWidget):
    """Markdown that may still grow.

    Args:
        theme: the look.
        renderer: markdown to HTML.
    """

    link_clicked = Signal(QUrl)

    def __init__(self, theme: Theme, renderer: MarkdownRenderer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._renderer = renderer
        self._splitter = BlockSplitter()
        self._text = ""
        self._tail: TextView | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    def grow(self, piece: str) -> None:
        """More text; costs as much as the open tail."""
        self._text += piece
        for block in self._splitter.feed(piece):
            self._show(block)
            self._tail = None
        if self._splitter.tail.strip():
            self._show(self._splitter.tail)

    def finish(self, text: str) -> None:
        """The whole text, rendered once."""
        self._text = text
        self._clear()
        view = self._new_view()
        view.show_html(self._renderer.html(text))

    def restyle(self, theme: Theme, renderer: MarkdownRenderer) -> None:
        """Take on another look."""
        self._theme, self._renderer = theme, renderer
        self.finish(self._text)

    def _show(self, block: str) -> None:
        if self._tail is None:
            self._tail = self._new_view()
        self._tail.show_html(self._renderer.html(block))

    def _new_view(self) -> TextView:
        view = TextView(self._theme, self)
        view.link_clicked.connect(self.link_clicked)
        self._layout.addWidget(view)
        return view

    def _clear(self) -> None:
        self._tail = None
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

"""An answer while it streams: finished blocks are rendered once and stay; only the open tail is drawn again.

When the text is complete the stack is exchanged for the blocks of the whole: text between tables and code is one view, so that it can be
selected as one; a table and a piece of code each have their frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from desktop.chat.markdown import Block, BlockSplitter, MarkdownRenderer
from desktop.chat.text_view import TextView
from desktop.context import Ui
from desktop.widgets import icon_button

GAP = 8  # between blocks; before a table or code a little more comes from the paragraph above


class AnswerText(QWidget):
    """Markdown that may still grow.

    Args:
        ui: shared parts.
        renderer: markdown to HTML.
    """

    link_clicked = Signal(QUrl)

    def __init__(self, ui: Ui, renderer: MarkdownRenderer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ui = ui
        self._renderer = renderer
        self._splitter = BlockSplitter()
        self._tail: TextView | None = None
        self._shown: list[tuple[Block, QWidget]] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    def grow(self, piece: str) -> None:
        """More text; costs as much as the open tail."""
        done = self._splitter.feed(piece)
        if done:
            self._drop(self._tail)
            self._tail = None
        for text in done:
            for block in self._renderer.blocks(text):
                self._append(block)
        tail = self._splitter.tail
        if tail.strip():
            if self._tail is None:
                self._tail = self._view(self)
                self._layout.addWidget(self._tail)
            self._tail.show_tail(self._renderer.html(tail))

    def finish(self, text: str) -> None:
        """The whole text: what stands already stays, text that was shown piece by piece becomes one view."""
        self._drop(self._tail)
        self._tail = None
        whole = self._renderer.blocks(text)
        shown, self._shown = self._shown, []
        position = 0
        for index, block in enumerate(whole):
            count = _covered(block, [item for item, _ in shown[position:]])
            if count == 0:  # the whole reads differently from its pieces, or nothing was shown: draw the rest
                for _, widget in shown[position:]:
                    self._drop(widget)
                for rest in whole[index:]:
                    self._append(rest)
                return
            widgets = [widget for _, widget in shown[position : position + count]]
            position += count
            self._shown.append((block, widgets[0] if count == 1 else self._merged(block, widgets)))
        for _, widget in shown[position:]:
            self._drop(widget)

    def _merged(self, block: Block, widgets: list[QWidget]) -> QWidget:
        """One view in the place of several."""
        place = self._layout.indexOf(widgets[0])
        view = self._view(self, block)
        self._layout.insertWidget(place, view)
        for widget in widgets:
            self._drop(widget)
        return view

    def _append(self, block: Block) -> None:
        widget = self._view(self, block) if block.kind == "text" else self._framed(block)
        self._layout.addWidget(widget)
        self._shown.append((block, widget))

    def _framed(self, block: Block) -> QWidget:
        """A table or code in its own frame; code can be copied."""
        holder = QWidget(self)
        around = QVBoxLayout(holder)
        around.setContentsMargins(0, 4, 0, GAP + 4)
        frame = QFrame(holder)
        frame.setProperty("role", "card" if block.kind == "code" else "outlined")
        inside = QGridLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._view(frame, block), 0, 0)
        if block.kind == "code":
            inside.setContentsMargins(12, 10, 8, 10)
            name = self._ui.texts("desktop.copy_code")
            copy = icon_button("copy", name, self._ui.theme, lambda: QGuiApplication.clipboard().setText(block.source))
            copy.setObjectName("copyCode")
            inside.addWidget(copy, 0, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        around.addWidget(frame)
        return holder

    def _view(self, parent: QWidget, block: Block | None = None) -> TextView:
        view = TextView(self._ui.theme, parent)
        view.link_clicked.connect(self.link_clicked)
        if block is not None:
            view.show_html(block.html)
        return view

    def _drop(self, widget: QWidget | None) -> None:
        if widget is not None:
            self._layout.removeWidget(widget)
            widget.hide()
            widget.deleteLater()


def _covered(block: Block, shown: Sequence[Block]) -> int:
    """How many of the shown blocks, from the first on, make up a block of the whole; 0 when they do not."""
    html = ""
    for count, piece in enumerate(shown, start=1):
        if piece.kind != block.kind:
            return 0
        html += piece.html
        if html == block.html:
            return count
        if not block.html.startswith(html):
            return 0
    return 0

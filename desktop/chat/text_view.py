"""Rich text of known content: as tall as its text, selectable, and unable to fetch anything."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QMimeData, QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QBrush,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from desktop.theme import CODE_FAMILIES, Theme, font

LINE_HEIGHT: Final = 24
INDENT: Final = 20  # of a list or a quotation, px
CARET: Final = "▍"
SAFE_SCHEMES: Final = ("http", "https")


class TextView(QTextBrowser):
    """One block or one whole answer.

    Args:
        theme: the look.
        parent: the widget it sits in.
    """

    link_clicked = Signal(QUrl)  # http and https only; whoever opens it asks first

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.anchorClicked.connect(self._clicked)
        self.setFont(font("body"))

    def show_html(self, html: str) -> None:
        """Show other content."""
        self.document().setDefaultStyleSheet(_style(self._theme))
        self.setHtml(html.strip())  # a line end behind the last block would be a blank in the copy
        self._shape()

    def show_tail(self, html: str) -> None:
        """Show the open end of an answer, with a caret behind its last character."""
        self.show_html(html)
        caret = QTextCharFormat()
        caret.setForeground(self._theme.color("accent"))
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(CARET, caret)

    def loadResource(self, _type: int, _url: QUrl | str) -> None:
        """Nothing: no picture or file named in an answer is ever loaded."""
        return

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy plain text: what is pasted elsewhere brings no colours along."""
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The transcript scrolls, not the text."""
        event.ignore()

    def _clicked(self, url: QUrl) -> None:
        if url.scheme() in SAFE_SCHEMES:
            self.link_clicked.emit(url)

    def _fit(self, size: QSizeF) -> None:
        height = int(size.height()) + 2
        if height != self.maximumHeight():
            self.setFixedHeight(height)

    def _shape(self) -> None:
        """Line height, and tables with hairlines only."""
        line = QTextBlockFormat()
        line.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        block = self.document().begin()
        while block.isValid():
            if not block.blockFormat().nonBreakableLines():  # lines of code touch, so that their ground is one
                QTextCursor(block).mergeBlockFormat(line)
            block = block.next()
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                self._shape_table(frame)

    def _shape_table(self, table: QTextTable) -> None:
        layout = table.format()
        layout.setBorder(0)
        layout.setCellSpacing(0)
        layout.setCellPadding(0)
        layout.setTopMargin(0)
        layout.setBottomMargin(0)
        layout.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table.setFormat(layout)
        hairline = QBrush(self._theme.color("line"))
        for row in range(table.rows()):
            for column in range(table.columns()):
                cell = table.cellAt(row, column)
                shape = cell.format().toTableCellFormat()
                shape.setBottomBorder(0 if row == table.rows() - 1 else 1)
                shape.setBottomBorderBrush(hairline)
                shape.setBottomBorderStyle(layout.BorderStyle.BorderStyle_Solid)
                shape.setLeftPadding(12)
                shape.setRightPadding(12)
                shape.setTopPadding(3)
                shape.setBottomPadding(3)
                cell.setFormat(shape)


def _style(theme: Theme) -> str:
    """The style sheet of answers."""
    code = ",".join(f"'{family}'" for family in CODE_FAMILIES)
    rules = (
        "p{margin-top:0;margin-bottom:8px}",
        "ul,ol{margin-top:0;margin-bottom:8px;-qt-list-indent:1} li{margin-bottom:2px}",
        "h1,h2,h3,h4{font-size:15px;font-weight:600;margin:10px 0 6px 0}",
        f"pre{{font-family:{code};font-size:13px;margin:0}}",
        f"code{{background:@bg.raised;font-family:{code};font-size:13px}}",
        "a{color:@accent;text-decoration:none} blockquote{color:@text.2;margin:0 0 8px 16px} strong{font-weight:600}",
        "th{color:@text.3;font-weight:400;font-size:12px;text-align:left}",
    )
    return theme.css(" ".join(rules))

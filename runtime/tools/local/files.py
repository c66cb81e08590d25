"""`read_file`: a text or a table of the person's, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

from pydantic import Field

from runtime.clock import SHANGHAI
from runtime.core.json import JsonObject
from runtime.errors import ModelFacingError
from runtime.redact import Redactor
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Meta, ToolArgs, ToolContext, ToolDefinition, ToolOutcome
from runtime.tools.local.paths import readable_path

LARGEST: Final = 50_000_000  # bytes, seed 000's successor
PAGE: Final = 10_000  # characters of one answer
_ENCODINGS: Final = ("utf-8-sig", "gb18030")  # exports of Chinese brokers come in either


class ReadFileArgs(ToolArgs):
    """Arguments of `read_file`."""

    path: str = Field(min_length=1, max_length=1_000, description="文件路径；相对路径从工作文件夹算起")
    offset: int = Field(default=0, ge=0, description="从第几个字符读起，接着读时用上次返回的 next_offset")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTools:
    """The tool with what it needs.

    Attributes:
        folders: what may be read; the first one is where relative paths begin.
        redactor: takes keys out of what is read.
        texts: for people and the model.
    """

    folders: Sequence[Path]
    redactor: Redactor
    texts: Texts

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definition."""
        return (
            ToolDefinition(
                name="read_file",
                args=ReadFileArgs,
                run=self.read,
                concurrency_safe=True,
                timeout_s=10.0,
                summary_args=("path",),
                permissions=("files:read",),
                paged=True,
                asset_kinds=(),
            ),
        )

    async def read(self, _context: ToolContext, args: ReadFileArgs) -> ToolOutcome:
        """One page of a file.

        Raises:
            ModelFacingError: the path may not be read, or the file is too large or no text.
        """
        path = await asyncio.to_thread(readable_path, args.path, self.folders, self.folders[0])
        text, changed = await asyncio.to_thread(self._content, path)
        page = text[args.offset : args.offset + PAGE]
        following = args.offset + len(page)
        data: JsonObject = {
            "path": str(path),
            "characters": len(text),
            "content": page,
            "next_offset": following if following < len(text) else None,
            "untrusted": self.texts("tools.untrusted"),
        }
        summary = self.texts("tools.file_read", name=path.name, count=len(page))
        meta = Meta(source=str(path), as_of=changed, partial=following < len(text))
        return ToolOutcome(data=data, summary=summary, meta=meta)

    def _content(self, path: Path) -> tuple[str, date]:
        status = path.stat()
        if status.st_size > LARGEST:
            raise ModelFacingError(
                "tools.file_large", code="file_too_large", name=path.name, limit=LARGEST // 1_000_000
            )
        raw = path.read_bytes()
        changed = datetime.fromtimestamp(status.st_mtime, SHANGHAI).date()
        if b"\0" in raw[:8192]:
            raise ModelFacingError("tools.file_binary", code="file_binary", name=path.name)
        for encoding in _ENCODINGS:
            try:
                return self.redactor.text(raw.decode(encoding)), changed
            except UnicodeDecodeError:
                continue
        raise ModelFacingError("tools.file_binary", code="file_binary", name=path.name)

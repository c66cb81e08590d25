"""The tool that looks back: messages of all conversations, what compaction took out of sight, and results that were too long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeVar, cast

from pydantic import Field

from runtime.core.finding import terms_of
from runtime.core.json import JsonObject, JsonValue
from runtime.core.messages import Message, ToolMessage, text_of
from runtime.errors import ModelFacingError
from runtime.memory.archive import ArchiveMeta, ContextArchive
from runtime.storage.message_search import MessageSearch
from runtime.texts import Texts
from runtime.tools.definition import AnyTool, Meta, ToolArgs, ToolContext, ToolDefinition, ToolOutcome, meta_of
from runtime.tools.offload import ResultStore

SOURCES: Final = ("conversations", "archive")
PAGE_CHARACTERS: Final = 6_000  # of restored text; a result stays below what is off-loaded
_PIECE: Final = 2_000  # characters of a message that are given at once
T = TypeVar("T")


class HistoryArgs(ToolArgs):
    """Arguments of `query_history`."""

    source: str = Field(
        default="conversations",
        json_schema_extra={"enum": list(SOURCES)},
        description="conversations：所有对话里的消息和工具结果；archive：被压缩移出上下文的原文",
    )
    query: str = Field(default="", max_length=500, description="要找的词、股票代码或文件名，空格分隔")
    archive_ref: str = Field(default="", description="归档引用（archive://…），给出它就按页取回原文")
    result_ref: str = Field(
        default="", description="长结果的引用（result://…）：按页读原文；再给 query 就只取回含有这些词的条目"
    )
    page: int = Field(default=1, ge=1, description="第几页，从 1 开始")
    limit: int = Field(default=10, ge=1, le=30, description="每页最多几条")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryTools:
    """The tool with what it needs."""

    messages: MessageSearch
    archive: ContextArchive
    results: ResultStore
    texts: Texts

    def definitions(self) -> tuple[AnyTool, ...]:
        """The definition."""
        return (
            ToolDefinition(
                name="query_history",
                args=HistoryArgs,
                run=self.query,
                concurrency_safe=True,
                timeout_s=10.0,
                summary_args=("query", "archive_ref", "result_ref"),
                permissions=("history:read",),
                paged=True,
            ),
        )

    async def query(self, context: ToolContext, args: HistoryArgs) -> ToolOutcome:
        """Search one source, restore an archive, or read on in a long result."""
        if args.result_ref:
            return await self._read_on(args)
        if args.source not in SOURCES:
            known = ", ".join(SOURCES)
            raise ModelFacingError("tools.history_source", code="not_supported", source=args.source, known=known)
        if args.archive_ref:
            return await self._restored(args)
        if args.source == "archive":
            return await self._archives(args)
        return await self._conversations(context, args)

    async def _conversations(self, context: ToolContext, args: HistoryArgs) -> ToolOutcome:
        terms = terms_of(args.query)
        if not terms:
            raise ModelFacingError("tools.history_no_query", code="invalid_arguments", retriable=True)
        hits = await self.messages.find(terms, without_turn=context.turn_id)
        rows: list[JsonValue] = [
            {
                "conversation_id": hit.conversation_id,
                "title": hit.title,
                "role": hit.role,
                "time": f"{hit.at:%Y-%m-%d %H:%M}",
                "excerpt": hit.passage,
            }
            for hit in _page(hits, args)
        ]
        return self._outcome(args, rows, len(hits), [hit.at.date() for hit in hits])

    async def _archives(self, args: HistoryArgs) -> ToolOutcome:
        found = await asyncio.to_thread(self.archive.search, args.query)
        rows: list[JsonValue] = [_archive_json(hit.meta) | {"excerpt": hit.passage} for hit in _page(found.hits, args)]
        days = [hit.meta.created_at.date() for hit in found.hits]
        return self._outcome(args, rows, len(found.hits), days, damaged=found.damaged)

    def _outcome(
        self, args: HistoryArgs, rows: list[JsonValue], total: int, days: list[date], damaged: tuple[str, ...] = ()
    ) -> ToolOutcome:
        data: JsonObject = {"query": args.query, "matches": rows, "page": args.page, "total": total}
        if damaged:
            data["damaged"] = list(damaged)
        source = self.texts(f"tools.history_{args.source}")
        summary = self.texts("tools.history_found", source=source, query=args.query, count=total)
        meta = Meta(source=args.source, as_of=max(days, default=None), partial=bool(damaged))
        return ToolOutcome(data=data, summary=summary, meta=meta)

    async def _restored(self, args: HistoryArgs) -> ToolOutcome:
        restored = await asyncio.to_thread(self.archive.restore, args.archive_ref)
        pages = list(_pages(restored.messages))
        chosen = pages[args.page - 1] if args.page <= len(pages) else []
        data = _archive_json(restored.meta) | {
            "messages": cast("list[JsonValue]", chosen),
            "page": args.page,
            "pages": len(pages),
            "damaged_lines": restored.damaged,
        }
        summary = self.texts("tools.history_restored", count=restored.meta.count, page=args.page, pages=len(pages))
        meta = Meta(source="archive", as_of=restored.meta.created_at.date(), partial=restored.damaged > 0)
        return ToolOutcome(data=data, summary=summary, meta=meta)

    async def _read_on(self, args: HistoryArgs) -> ToolOutcome:
        page = await asyncio.to_thread(self.results.page, args.result_ref, args.page, args.query)
        data: JsonObject = {"result_ref": args.result_ref, "page": args.page, "pages": page.pages}
        data |= {"matches": list(page.entries)} if args.query.strip() else {"content": page.content}
        summary = self.texts("tools.history_read_on", page=args.page, pages=page.pages)
        return ToolOutcome(data=data, summary=summary, meta=meta_of(page.meta))


def _page(found: Sequence[T], args: HistoryArgs) -> Sequence[T]:
    return found[(args.page - 1) * args.limit : args.page * args.limit]


def _archive_json(meta: ArchiveMeta) -> JsonObject:
    return {
        "archive_ref": meta.reference,
        "time": f"{meta.created_at:%Y-%m-%d %H:%M}",
        "message_count": meta.count,
        "summary": meta.summary,
        "stocks": list(meta.stocks),
        "files": list(meta.files),
        "previous": meta.previous,
    }


def _pages(messages: Iterable[Message]) -> Iterator[list[JsonObject]]:
    """The messages in pages of limited length; a long message goes on in several pieces."""
    page, room = list[JsonObject](), PAGE_CHARACTERS
    for piece, length in _pieces(messages):
        if length > room and page:
            yield page
            page, room = [], PAGE_CHARACTERS
        page.append(piece)
        room -= length
    if page:
        yield page


def _pieces(messages: Iterable[Message]) -> Iterator[tuple[JsonObject, int]]:
    for index, message in enumerate(messages):
        text = text_of(message)
        for start in range(0, max(1, len(text)), _PIECE):
            piece: JsonObject = {"index": index, "role": message.role, "text": text[start : start + _PIECE]}
            if isinstance(message, ToolMessage):
                piece["tool"] = message.name
            yield piece, min(_PIECE, len(text) - start)

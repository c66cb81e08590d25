"""Results that are too long for a model: kept as files, previewed by what decisions are made on, read back by reference.

Always: the preview is JSON with the envelope's own fields and says what it leaves out; a file is written as a whole, readable by its owner
only, without secrets; a reference can name nothing outside the folder. A disk that does not take the file costs the saving, never a result.
"""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from typing import Final

from runtime.core.decisive import Measure, decisive
from runtime.core.finding import share_found, terms_of
from runtime.core.json import JsonObject, JsonValue, dumps, loads_object, table_of
from runtime.errors import UserError
from runtime.paths import Home
from runtime.private_files import folder_name, write_private
from runtime.redact import Redactor
from runtime.texts import Texts
from runtime.tools.definition import AnyTool

OFFLOAD_OVER: Final = 8_000  # characters of an envelope, seed 000
PREVIEW: Final = Measure(length=2_000, text=300, items=8, depth=4)  # seed 000's successor: 2,000 characters
PAGE: Final = 6_000  # characters of a result that are given back at once
_REFERENCE: Final = re.compile(r"result://([A-Za-z0-9_-]{1,64})/([a-z0-9_]{1,64}_[0-9a-f]{12})")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offloaded:
    """A result that was kept as a file.

    Attributes:
        reference: what the model reads the rest back by.
        preview: the envelope that the model reads instead.
    """

    reference: str
    preview: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """A piece of a kept result: its text, or the entries that hold the words of a query."""

    content: str
    entries: tuple[JsonValue, ...]
    pages: int
    meta: JsonObject


class ResultStore:
    """Keeps long results and gives them back.

    Args:
        home: where they live.
        redactor: removes secrets.
        texts: says how the rest is read.
    """

    def __init__(self, home: Home, redactor: Redactor, texts: Texts) -> None:
        self._root = home.tool_results
        self._redactor = redactor
        self._texts = texts

    @staticmethod
    def too_long(tool: AnyTool, envelope: JsonObject) -> bool:
        """Whether a model should read a preview instead."""
        return not tool.paged and len(dumps(envelope)) > OFFLOAD_OVER

    def keep(self, tool: AnyTool, envelope: JsonObject, conversation_id: str) -> Offloaded | None:
        """Keep an envelope as a file; None = the disk does not take it."""
        body = dumps(self._redactor.object(envelope))
        name = f"{tool.name}_{hashlib.sha256(body.encode()).hexdigest()[:12]}"
        folder = folder_name(conversation_id)
        try:
            target = self._root / folder
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(target / f"{name}.json", body)
        except OSError:
            logger.exception("a long result could not be kept")
            return None
        reference = f"result://{folder}/{name}"
        return Offloaded(reference=reference, preview=self._preview(tool, envelope, reference, len(body)))

    def page(self, reference: str, number: int, query: str = "") -> ResultPage:
        """A piece of a kept result.

        Args:
            reference: from a preview.
            number: the page, from 1.
            query: only entries of its lists that hold all of these words; empty = the text as it is.

        Raises:
            UserError: the reference is none, or there is no such result.
        """
        named = _REFERENCE.fullmatch(reference.strip())
        path = None if named is None else self._root / named[1] / f"{named[2]}.json"
        if path is None or not path.is_file() or not path.resolve().is_relative_to(self._root.resolve()):
            raise UserError("storage.no_result", reference=reference)
        try:
            envelope = loads_object(path.read_bytes())
        except (OSError, ValueError):
            raise UserError("storage.no_result", reference=reference) from None
        meta, data = table_of(envelope.get("meta")), envelope.get("data")
        terms = terms_of(query)
        if terms:
            return _chosen(data, terms, number, meta)
        text = dumps(data)
        pages = max(1, -(-len(text) // PAGE))
        return ResultPage(content=text[(number - 1) * PAGE : number * PAGE], entries=(), pages=pages, meta=meta)

    def _preview(self, tool: AnyTool, envelope: JsonObject, reference: str, length: int) -> JsonObject:
        data = table_of(envelope.get("data"))
        kept = decisive(data, PREVIEW, tool.decisive)
        note = self._texts("tools.offloaded", count=length, reference=reference)
        return envelope | {"data": kept, "result_ref": reference, "omitted": _omitted(data, kept), "note": note}


def _omitted(whole: JsonObject, kept: JsonObject) -> JsonObject:
    """What a preview leaves out: fields as a whole, and how many entries of its lists."""
    omitted: JsonObject = {}
    for name, value in whole.items():
        left = kept.get(name)
        if isinstance(value, list):
            missing = len(value) - (len(left) if isinstance(left, list) else 0)
            if missing:
                omitted[name] = missing
        elif name not in kept and value not in (None, "", {}):
            omitted[name] = True
    return omitted


def _chosen(data: JsonValue, terms: tuple[str, ...], number: int, meta: JsonObject) -> ResultPage:
    """The entries of all lists that hold every word, as many as a page takes."""
    pages: list[list[JsonValue]] = [[]]
    room = PAGE
    for entry in _entries(data):
        text = dumps(entry) if isinstance(entry, dict | list) else str(entry)
        if share_found(text, terms) < 1:
            continue
        if len(text) > room and pages[-1]:
            pages.append([])
            room = PAGE
        pages[-1].append(entry if len(text) <= PAGE else f"{text[:PAGE]}…")
        room -= len(text)
    chosen = pages[number - 1] if number <= len(pages) else []
    return ResultPage(content="", entries=tuple(chosen), pages=len(pages), meta=meta)


def _entries(value: JsonValue) -> list[JsonValue]:
    """Every entry of every list, the lists of the outer levels whole."""
    match value:
        case dict():
            return [entry for item in value.values() for entry in _entries(item)]
        case list():
            return list(value)
        case _:
            return []

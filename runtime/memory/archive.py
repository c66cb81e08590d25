"""The archive of messages that compaction took out of a model's sight: written once, found by words, read back by reference.

An archive is two files in `context_archive/<conversation>/`: the messages as JSON Lines, and what is known about them as JSON. The second
is written last; without it there is no archive. Always: only the person can read the files, secrets are removed before they are written, a
reference can name nothing outside the folder, and a damaged file is reported and hides no other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from runtime.clock import Clock
from runtime.core.codec import message_from_json, to_json
from runtime.core.compaction import CompactionRecord
from runtime.core.finding import ENOUGH, excerpt, share_found, terms_of
from runtime.core.json import JsonObject, JsonValue, dumps, loads_object
from runtime.core.messages import Message, text_of
from runtime.errors import StorageError, UserError
from runtime.paths import Home
from runtime.private_files import folder_name, write_private
from runtime.redact import Redactor

_REFERENCE: Final = re.compile(r"archive://([A-Za-z0-9_-]{1,64})/(ctx_[0-9]{14}_[0-9a-f]{12})")
_HASH_DIGITS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveMeta:
    """What is known about an archive; `previous` is the reference of the one before it in the conversation."""

    reference: str
    created_at: datetime
    count: int
    summary: str = ""
    stocks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    previous: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveHit:
    """An archive that a query found, with the passage that fits best."""

    meta: ArchiveMeta
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found, the best first, and which files could not be read."""

    hits: tuple[ArchiveHit, ...]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The messages of an archive; `damaged` counts lines that could not be read."""

    meta: ArchiveMeta
    messages: tuple[Message, ...]
    damaged: int = 0


class ContextArchive:
    """Writes and reads archives.

    Args:
        home: where they live.
        clock: dates them.
        redactor: removes secrets.
    """

    def __init__(self, home: Home, clock: Clock, redactor: Redactor) -> None:
        self._root = home.context_archive
        self._clock = clock
        self._redactor = redactor

    def write(self, conversation_id: str, messages: Sequence[Message], record: CompactionRecord) -> str:
        """Keep messages; returns the reference.

        Args:
            conversation_id: where they come from.
            messages: the oldest first.
            record: what stands in for them; its last archive becomes `previous`.

        Raises:
            StorageError: the disk does not take it.
        """
        now, folder = self._clock.now(), folder_name(conversation_id)
        rows = [dumps({"index": at, "message": self._clean(message)}) for at, message in enumerate(messages)]
        body = "".join(f"{row}\n" for row in rows)
        digest = hashlib.sha256(body.encode("utf-8")).hexdigest()[:_HASH_DIGITS]
        name = f"ctx_{now:%Y%m%d%H%M%S}_{digest}"
        reference = f"archive://{folder}/{name}"
        about: JsonObject = {
            "archive_ref": reference,
            "conversation_id": conversation_id,
            "created_at": now.isoformat(),
            "message_count": len(rows),
            "summary": record.summary,
            "constraints": list(record.constraints),
            "stocks": list(record.stocks),
            "files": list(record.files),
            "previous": record.archives[-1] if record.archives else None,
        }
        target = self._root / folder
        try:
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(target / f"{name}.jsonl", body)
            write_private(target / f"{name}.json", dumps(self._redactor.object(about)))
        except OSError as problem:
            raise StorageError("storage.failed", path=str(target), detail=problem.strerror or "") from problem
        return reference

    def search(self, query: str, conversation_id: str | None = None) -> Found:
        """Archives that hold at least half of the words of a query, the best and newest first; an empty query lists all.

        Args:
            query: words, codes, names of files.
            conversation_id: only those of one conversation.
        """
        terms, damaged = terms_of(query), list[str]()
        ranked: list[tuple[float, datetime, ArchiveHit]] = []
        for path in self._files(conversation_id):
            try:
                meta = _meta(path)
                passages = [_about(meta), *(text_of(message) for message in self._messages(path)[0])]
            except (OSError, ValueError):
                damaged.append(f"{path.parent.name}/{path.name}")
                continue
            worth, best = max(((share_found(text, terms), -at) for at, text in enumerate(passages)), default=(0.0, 0))
            if terms and worth < ENOUGH:
                worth = share_found("\n".join(passages), terms)
            if not terms or worth >= ENOUGH:
                ranked.append((worth, meta.created_at, ArchiveHit(meta=meta, passage=excerpt(passages[-best], terms))))
        ranked.sort(key=lambda item: item[:2], reverse=True)
        return Found(hits=tuple(hit for _, _, hit in ranked), damaged=tuple(damaged))

    def restore(self, reference: str) -> Restored:
        """The messages of an archive.

        Raises:
            UserError: the reference is none, there is no such archive, or it cannot be read.
        """
        named = _REFERENCE.fullmatch(reference.strip())
        if named is None:
            raise UserError("storage.bad_archive_ref", reference=reference)
        path = self._root / named[1] / f"{named[2]}.json"
        if not path.is_file() or not path.resolve().is_relative_to(self._root.resolve()):
            raise UserError("storage.no_archive", reference=reference)
        try:
            messages, broken = self._messages(path)
            return Restored(meta=_meta(path), messages=tuple(messages), damaged=broken)
        except (OSError, ValueError):
            raise UserError("storage.damaged_archive", reference=reference) from None

    def _files(self, conversation_id: str | None) -> Iterator[Path]:
        """The descriptions of all archives, the newest first."""
        folder = "*" if conversation_id is None else folder_name(conversation_id)
        yield from sorted(self._root.glob(f"{folder}/ctx_*.json"), key=lambda path: path.name, reverse=True)

    def _messages(self, path: Path) -> tuple[list[Message], int]:
        """The messages beside a description, and how many lines cannot be read.

        Raises:
            OSError: they are gone.
        """
        messages, broken = list[Message](), 0
        for line in path.with_suffix(".jsonl").read_bytes().splitlines():
            try:
                body = loads_object(line)["message"]
                messages.append(message_from_json(body if isinstance(body, dict) else {}))
            except (KeyError, ValueError):
                broken += 1
        return messages, broken

    def _clean(self, message: Message) -> JsonObject:
        """The message without secrets; results are JSON inside of JSON."""
        body = to_json(message)
        content = body.get("content")
        if isinstance(content, str):
            with suppress(ValueError):  # plain text is looked at with the rest
                body["content"] = dumps(self._redactor.object(loads_object(content)))
        return self._redactor.object(body)


def _meta(path: Path) -> ArchiveMeta:
    """What a description says.

    Raises:
        OSError: it cannot be read.
        ValueError: it is none.
    """
    about = loads_object(path.read_bytes())
    previous = about.get("previous")
    created_at = datetime.fromisoformat(str(about.get("created_at")))
    if created_at.tzinfo is None:
        raise ValueError("a time without its zone")
    return ArchiveMeta(
        reference=f"archive://{path.parent.name}/{path.stem}",
        created_at=created_at,
        count=int(str(about.get("message_count"))),
        summary=str(about.get("summary") or ""),
        stocks=_words(about.get("stocks")),
        files=_words(about.get("files")),
        previous=None if previous is None else str(previous),
    )


def _words(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _about(meta: ArchiveMeta) -> str:
    return "\n".join((meta.summary, *meta.stocks, *meta.files))

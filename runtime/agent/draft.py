"""The assistant message that is being streamed: parts grow, and what is there is stored at least every second.

Always: once text exists, a crash loses no more than the checkpoint interval of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from runtime.agent.turn import TurnState
from runtime.core.messages import AssistantMessage, AssistantPart, MessageStatus, TextPart, ThinkingPart, ToolCall
from runtime.core.tasks import to_the_end
from runtime.providers.base import TextChunk, ThinkingChunk, ToolCallChunk
from runtime.storage.conversations import ConversationStore


class Draft:
    """One assistant message in the making.

    Args:
        turn: the turn it belongs to; its head moves to the message once that is stored.
        store: where it is stored.
        model: name of the model.
    """

    def __init__(self, turn: TurnState, store: ConversationStore, model: str) -> None:
        self._turn = turn
        self._store = store
        self._model = model
        self._parts: list[AssistantPart] = []
        self._stored_id: str | None = None
        self._dirty = False
        self._void = False
        self._kept: tuple[AssistantPart, ...] = ()
        self._stop = asyncio.Event()

    @property
    def message(self) -> AssistantMessage:
        """What there is so far."""
        return AssistantMessage(parts=tuple(self._parts), model=self._model)

    @property
    def visible(self) -> bool:
        """Whether anything but reasoning has come of the answer that is coming."""
        return not self._void and any(not isinstance(part, ThinkingPart) for part in self._parts)

    def reopen(self) -> None:
        """Let the message grow on; what there is now survives whatever fails after that."""
        self._kept = tuple(self._parts)
        self._stop = asyncio.Event()

    def fail(self) -> None:
        """The call broke off: what is there stays until another answer begins to come."""
        self.without_calls()
        self._void = True

    def begin(self, model: str) -> bool:
        """An answer begins to come; what a failed call left is dropped. Returns whether there was anything to drop.

        Args:
            model: who answers.
        """
        self._model = model
        had, self._void = self._void and len(self._parts) > 0, False
        if had:
            self._parts = [*self._kept]
        return had

    def add(self, chunk: TextChunk | ThinkingChunk | ToolCallChunk) -> None:
        """Take in a chunk; text and reasoning join the open part of their kind until a signature closes it."""
        self._dirty = True
        last = self._parts[-1] if self._parts else None
        match chunk:
            case TextChunk():
                if isinstance(last, TextPart) and last.signature is None and chunk.signature is None:
                    self._parts[-1] = replace(last, text=last.text + chunk.text)
                else:
                    self._parts.append(TextPart(text=chunk.text, signature=chunk.signature))
            case ThinkingChunk():
                if isinstance(last, ThinkingPart) and _is_open(last) and chunk.redacted is None:
                    self._parts[-1] = replace(last, text=last.text + chunk.text, signature=chunk.signature)
                else:
                    self._parts.append(
                        ThinkingPart(
                            text=chunk.text, signature=chunk.signature, redacted=chunk.redacted, provider=self._model
                        )
                    )
            case ToolCallChunk():
                self._parts.append(
                    ToolCall(
                        id=chunk.id,
                        name=chunk.name,
                        args=chunk.args,
                        parse_error=chunk.parse_error,
                        signature=chunk.signature,
                    )
                )

    def without_calls(self) -> None:
        """Drop calls that must not be run."""
        self._parts = [part for part in self._parts if not isinstance(part, ToolCall)]
        self._dirty = True

    @asynccontextmanager
    async def checkpointed(self, interval_s: float) -> AsyncIterator[None]:
        """Store the draft every `interval_s` seconds while the block runs."""
        task = asyncio.create_task(self._keep_storing(interval_s), name=f"checkpoint-{self._turn.turn_id}")
        try:
            yield
        finally:
            self._stop.set()
            await to_the_end(task)

    async def store(self, status: MessageStatus) -> None:
        """Store the message as it is; an empty one is not stored."""
        message = self.message
        if not message.parts:
            return
        self._dirty = False
        if self._stored_id is None:
            turn = self._turn
            stored = await self._store.append(turn.conversation_id, turn.head_id, turn.turn_id, message, status)
            self._stored_id = turn.head_id = stored.id
        else:
            await self._store.rewrite(self._stored_id, message, status)

    async def _keep_storing(self, interval_s: float) -> None:
        while not self._stop.is_set():
            try:
                async with asyncio.timeout(interval_s):
                    await self._stop.wait()
            except TimeoutError:
                if self._dirty:
                    await self.store("streaming")


def _is_open(part: ThinkingPart) -> bool:
    """Whether more reasoning may join a part: neither a signature nor the vendor's own form has closed it."""
    return part.signature is None and part.redacted is None

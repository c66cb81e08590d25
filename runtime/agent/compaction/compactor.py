"""Keeps the messages of a turn inside the window of the model that is asked.

Always: stored messages stay as they are, and the messages of the turn change only as a whole, after everything that can fail. When no
summary can be made, nothing changes and it is said; only when the request could not be answered at all, the oldest rounds are left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from runtime.agent.compaction.anchors import MOST_ARCHIVES, anchored
from runtime.agent.compaction.budget import ContextBudget, TokenMeter
from runtime.agent.compaction.rebuild import STAND_INS, last_covered, smaller, stand_ins
from runtime.agent.compaction.summary import NoSummaryError, Summariser
from runtime.agent.compaction.tail import tail_start
from runtime.agent.one_shot import room_of_result
from runtime.agent.turn import TurnState
from runtime.core.compaction import CompactionRecord
from runtime.core.events import Compaction, ContextOverflow, Guard
from runtime.core.messages import Message, ToolMessage, Usage
from runtime.core.symbols import Resolution
from runtime.errors import StorageError, WyckoffError
from runtime.memory.archive import ContextArchive
from runtime.providers.base import LLMProvider, ModelRequest, ProviderError, ToolSchema
from runtime.providers.offline.analyst import NAME as OFFLINE
from runtime.storage.compactions import CompactionStore
from runtime.storage.conversations import ConversationStore
from runtime.texts import Texts

logger = logging.getLogger(__name__)

MemoryHook: TypeAlias = Callable[[tuple[Message, ...]], Awaitable[None]]

MEMORY_TIMEOUT_S: Final = 30.0
RECORD_SHARE: Final = 4  # the record takes at most a quarter of the limit
CERTAINLY: Final = 1.5  # so far above the window no error of an estimate is to blame: the request must fail
WORTH_SHARE: Final = 8  # freeing less than an eighth of the limit is not worth a compaction


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionServices:
    """What compaction needs.

    Attributes:
        summariser: asks for the summary.
        archive: keeps the messages that go out of sight.
        compactions: where records are stored.
        conversations: where the messages are stored.
        resolve: finds the stocks that a text names.
        texts: for people and the model.
        system: the system prompt, which takes its part of the window.
        tools: the tools, which do so too.
        memory: is shown what goes out of sight, before it does; raises WyckoffError where it fails.
    """

    summariser: Summariser
    archive: ContextArchive
    compactions: CompactionStore
    conversations: ConversationStore
    resolve: Callable[[str], Resolution]
    texts: Texts
    system: str
    tools: tuple[ToolSchema, ...]
    memory: MemoryHook | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """Old and recent messages; `keeps` is what of the old ones must not get lost."""

    head: tuple[Message, ...]
    tail: tuple[Message, ...]
    keeps: CompactionRecord


class Compactor:
    """Watches over the messages of one turn.

    Args:
        services: what it needs.
        meter: measures the conversation; outlives the turn.
    """

    def __init__(self, services: CompactionServices, meter: TokenMeter) -> None:
        self._services = services
        self.meter = meter
        self._failed: set[str] = set()  # models that gave no summary in this turn
        self._known: dict[tuple[int, str], tuple[Message, float]] = {}  # messages that were measured, by identity

    async def fit(self, turn: TurnState, provider: LLMProvider) -> None:
        """Make the messages of a turn fit a model, where they do not.

        The offline analyst is passed over: it reads the messages of the turn only, and sends them nowhere.

        Raises:
            ProviderError: the newest round alone is larger than the window.
        """
        if provider.name == OFFLINE and provider.capabilities.free:
            return
        budget = self._budget(provider)
        if (
            await asyncio.to_thread(self._tokens, turn, provider) <= budget.limit
        ):  # a long talk takes its time to measure
            return
        if not await self._compacted(turn, provider, budget) and self._tokens(turn, provider) > budget.hard_limit:
            await self._dropped(turn, provider, budget)
        if self._tokens(turn, provider) > (budget.window - budget.fixed) * CERTAINLY:
            raise ProviderError("context_length", variant="before_sending", model=provider.name)

    async def after_refusal(self, turn: TurnState, provider: LLMProvider) -> bool:
        """Make a request smaller that a server found too long; returns whether it is.

        Args:
            turn: its messages were sent.
            provider: who refused them.
        """
        budget, before = self._budget(provider), self._tokens(turn, provider)
        self.meter.refused(provider.name, (before + budget.fixed) / self.meter.factor(provider.name), budget.window)
        less = replace(budget, window=min(budget.window, int(before) + budget.fixed))
        return await self._compacted(turn, provider, less) or await self._dropped(turn, provider, less)

    def learn(self, provider: LLMProvider, request: ModelRequest, before: Usage, after: Usage) -> None:
        """Compare what a request was estimated at with what the server counted.

        Args:
            provider: who answered.
            request: what was sent.
            before: usage of the turn up to the request.
            after: usage with it.
        """
        if not after.estimated:
            fresh = after.input - before.input
            cached = after.cache_read - before.cache_read + after.cache_write - before.cache_write
            self.meter.learn(provider.name, self.meter.request(request, provider.name), fresh + cached)

    def _budget(self, provider: LLMProvider) -> ContextBudget:
        tools = self._services.tools if provider.capabilities.tools else ()
        fixed = self.meter.fixed(self._services.system, tools, provider.name)
        return ContextBudget(window=provider.capabilities.window, fixed=fixed)

    def _tokens(self, turn: TurnState, provider: LLMProvider) -> float:
        return sum(self._sizes(turn.messages, provider))

    def _sizes(self, messages: Sequence[Message], provider: LLMProvider) -> list[float]:
        """Tokens of each message as the model gets it: one without tools is given shortened results."""
        name, factor = provider.name, self.meter.factor(provider.name)
        for message in messages:
            if (id(message), name) not in self._known:  # the message is kept, so that its identity is not given away
                self._known[id(message), name] = (message, self.meter.estimate(message, name))
        sizes = [self._known[id(message), name][1] * factor for message in messages]
        if provider.capabilities.tools:
            return sizes
        most = float(room_of_result(messages, provider.capabilities.window))
        results = (isinstance(message, ToolMessage) for message in messages)
        return [min(size, most) if result else size for size, result in zip(sizes, results, strict=True)]

    async def _compacted(self, turn: TurnState, provider: LLMProvider, budget: ContextBudget) -> bool:
        """Put a summary in the place of the old messages; False leaves them as they are."""
        if provider.name in self._failed:
            return False
        split = await asyncio.to_thread(self._split, turn, provider, budget)
        if split is None:
            return False
        await self._remember(turn, split.head)
        try:
            ask = self._services.summariser.summary
            summary = await ask(turn, provider, split.head, turn.compacted, budget.limit)
        except NoSummaryError as problem:
            self._failed.add(provider.name)
            reason = self._services.texts(problem.reason, model=provider.name)
            self._tell(turn, "compaction", "agent.compaction_failed", reason=reason)
            return False
        archived = await self._archived(turn, split, replace(split.keeps, summary=summary))
        record, told = self._told(archived, provider, budget)
        before, after = len(turn.messages), len(told) + len(split.tail)
        await self._store(turn, record, split.tail, before=before, after=after)
        turn.compacted, turn.messages[:] = record, [*told, *split.tail]
        reference = record.archives[-1] if record.archives != split.keeps.archives else None
        turn.emit(Compaction(before=before, after=after, archive_ref=reference))
        return True

    async def _dropped(self, turn: TurnState, provider: LLMProvider, budget: ContextBudget) -> bool:
        """Leave the oldest rounds out of this turn; what must not get lost stays in sight. The next turn tries to sum them up again."""
        split = await asyncio.to_thread(self._split, turn, provider, budget)
        if split is None:
            return False
        record = await self._archived(turn, split, split.keeps)
        turn.compacted, told = self._told(record, provider, budget)
        turn.messages[:] = [*told, *split.tail]
        turn.emit(ContextOverflow(dropped=len(split.head)))
        return True

    def _split(self, turn: TurnState, provider: LLMProvider, budget: ContextBudget) -> _Split | None:
        """Old and recent messages; None where there is nothing old that is worth it."""
        messages = turn.messages[STAND_INS if turn.compacted else 0 :]
        sizes = self._sizes(messages, provider)
        start = tail_start(messages, sizes, keep=budget.recent, limit=budget.limit // 2)
        most_freed = sum(sizes[:start])
        if most_freed * WORTH_SHARE < budget.limit:
            return None
        head, tail = tuple(messages[:start]), tuple(messages[start:])
        keeps = anchored(turn.compacted, head, self._services.resolve, tail)
        told = sum(self.meter.sizes(stand_ins(keeps, self._services.texts), provider.name))
        if (most_freed - told) * WORTH_SHARE < budget.limit:
            return None
        return _Split(head=head, tail=tail, keeps=keeps)

    async def _remember(self, turn: TurnState, head: tuple[Message, ...]) -> None:
        """Show the memory what goes out of sight; that it failed is said and stops nothing."""
        hook = self._services.memory
        if hook is None:
            return
        try:
            async with asyncio.timeout(turn.deadline.cut(MEMORY_TIMEOUT_S)):
                await hook(head)
        except (WyckoffError, TimeoutError) as problem:
            logger.warning("memory did not take what is compacted: %r", problem)
            self._tell(turn, "memory", "agent.memory_failed")

    async def _archived(self, turn: TurnState, split: _Split, record: CompactionRecord) -> CompactionRecord:
        """The record with the reference of the archive; without it where the disk did not take one, which is said."""
        write = self._services.archive.write
        try:
            reference = await asyncio.to_thread(write, turn.conversation_id, split.head, record)
        except StorageError as problem:
            logger.warning("the archive could not be written: %s", problem)
            self._tell(turn, "archive", "agent.archive_failed")
            return record
        return replace(record, archives=(*record.archives, reference)[-MOST_ARCHIVES:])

    def _told(
        self, record: CompactionRecord, provider: LLMProvider, budget: ContextBudget
    ) -> tuple[CompactionRecord, list[Message]]:
        """The record, made smaller where it would take too much, and the messages that tell it."""
        texts, room = self._services.texts, budget.limit // RECORD_SHARE
        told = stand_ins(record, texts)
        while sum(self.meter.sizes(told, provider.name)) > room and (less := smaller(record)) is not None:
            record, told = less, stand_ins(less, texts)
        return record, told

    async def _store(
        self, turn: TurnState, record: CompactionRecord, tail: Sequence[Message], *, before: int, after: int
    ) -> None:
        """Store the record, so that the next turn begins with it."""
        services, conversation_id = self._services, turn.conversation_id
        message_id = last_covered(await services.conversations.path(conversation_id), tail)
        if message_id is None:
            logger.warning("the compaction of %s has no place in the stored conversation", conversation_id)
        else:
            await services.compactions.add(conversation_id, message_id, record, before=before, after=after)

    def _tell(self, turn: TurnState, name: str, key: str, **fields: object) -> None:
        turn.emit(Guard(name=name, action="failed", detail=self._services.texts(key, **fields)))

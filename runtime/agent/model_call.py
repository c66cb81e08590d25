"""One answer of the models of a turn: asked, asked again, or given by the next model in line."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from runtime.agent.compaction.compactor import Compactor
from runtime.agent.draft import Draft
from runtime.agent.history import repaired
from runtime.agent.model_line import ModelLine
from runtime.agent.model_stream import StreamReader
from runtime.agent.one_shot import in_words
from runtime.agent.retry import next_step, wait_s
from runtime.agent.spending import SpendingLimit
from runtime.agent.turn import TurnState
from runtime.clock import Clock
from runtime.core.events import CallInfo, Fallback, ModelStart, Retry, ToolCalls
from runtime.core.messages import AssistantMessage, MessageStatus, Usage, UserMessage
from runtime.core.tasks import to_the_end
from runtime.providers.base import FinishReason, ModelRequest, ProviderError, ToolSchema
from runtime.settings import Settings
from runtime.storage.conversations import ConversationStore
from runtime.storage.usage import UsageStore
from runtime.texts import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model answered, and why it stopped."""

    message: AssistantMessage
    reason: FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class CallServices:
    """What a model call needs besides the model.

    Attributes:
        system: the system prompt.
        schemas: the tools that a model may call.
        conversations: where the answer is stored while it streams.
        usage: where tokens are counted.
        settings: time-outs, retries.
        spending_limit: what may be spent in a day; 0 = no limit.
        clock: measures reasoning.
        texts: for people.
        aborted: content of a missing tool result.
    """

    system: str
    schemas: tuple[ToolSchema, ...]
    conversations: ConversationStore
    usage: UsageStore
    settings: Settings
    spending_limit: float
    clock: Clock
    texts: Texts
    aborted: str


class ModelCaller:
    """Calls the models of one turn, tries again what may pass by itself, and lets the next model take over.

    Always: an answer that broke off stays visible until another one begins to come; then a `stream_reset` takes it away, so that two
    answers are never glued together. What a failed try cost is counted.

    Args:
        models: the models of the turn.
        services: what else is needed.
        compactor: keeps the messages inside the window of the model.
    """

    def __init__(self, models: ModelLine, services: CallServices, compactor: Compactor) -> None:
        self.models = models
        self._compactor = compactor
        self._services = services
        self._draft: Draft | None = None
        self._spending = SpendingLimit(services.usage, services.spending_limit)

    async def call(self, turn: TurnState, *, nudge: str | None = None, tools: bool = True) -> Reply:
        """Ask once; the message is stored and joins the turn.

        Args:
            turn: the turn.
            nudge: a last instruction that is sent but not kept.
            tools: whether the model may call tools.

        Raises:
            ProviderError: nobody answered; `turn.partial_text` holds what was visible, and it is stored.
        """
        turn.partial_text = ""
        return await self._asked(turn, Draft(turn, self._services.conversations, self.models.name), nudge, tools=tools)

    async def go_on(self, turn: TurnState, nudge: str) -> Reply:
        """Let the model go on where its last answer was cut off: the same message grows.

        Raises:
            ProviderError: nobody answered; the first part stays.
        """
        draft = self._draft
        if draft is None:
            raise ValueError("there is no answer to go on with")
        draft.reopen()
        reply = await self._asked(turn, draft, nudge, tools=True)
        del turn.messages[-2]  # the part that was cut; the whole message stands behind it
        return reply

    async def take_back(self) -> None:
        """The last answer does not count: it stays in the record only."""
        if self._draft is not None:
            await self._draft.store("withdrawn")

    async def _asked(self, turn: TurnState, draft: Draft, nudge: str | None, *, tools: bool) -> Reply:
        """Ask for a draft's answer; it is stored and joins the turn."""
        self._draft = draft
        try:
            async with draft.checkpointed(self._services.settings.checkpoint_s):
                reason = await self._answered(turn, draft, nudge, tools=tools)
            if not tools:
                draft.without_calls()
            await to_the_end(draft.store("complete"))  # a stop meanwhile takes the calls out again
        except asyncio.CancelledError:
            await self._keep_broken(draft, "stopped")
            raise
        except ProviderError:
            await self._keep_broken(draft, "failed" if not draft.message.text.strip() else "stopped")
            raise
        message = draft.message
        if message.parts:
            turn.messages.append(message)
        if message.calls:
            calls = tuple(CallInfo(id=call.id, name=call.name, args=call.args) for call in message.calls)
            turn.emit(ToolCalls(calls=calls, text=message.text))
        return Reply(message=message, reason=reason)

    async def _answered(self, turn: TurnState, draft: Draft, nudge: str | None, *, tools: bool) -> FinishReason:
        """Why the model stopped that gave an answer.

        Raises:
            ProviderError: none did.
        """
        services, tries, refused = self._services, 0, False
        reader = StreamReader(turn, services.usage, services.settings, services.clock)
        while True:
            asked = self.models.active
            if warning := await self._spending.check(asked):
                turn.warn(services.texts(warning, model=asked.name))
            await self._compactor.fit(turn, asked)
            turn.emit(ModelStart(model=asked.name))
            request, before = self._request(turn, nudge, tools=tools), turn.usage
            try:
                reason = await reader.read(asked, request, draft)
            except ProviderError as error:
                draft.fail()
                if error.category == "context_length" and not refused:
                    refused = True
                    if await self._compactor.after_refusal(turn, asked):
                        continue
                tries += 1
                if not await self._goes_on(turn, error, tries, request, before):
                    raise
            else:
                self._compactor.learn(asked, request, before, turn.usage)
                return reason
            tries = tries if self.models.active is asked else 0

    async def _goes_on(
        self, turn: TurnState, error: ProviderError, tries: int, request: ModelRequest, before: Usage
    ) -> bool:
        """Wait, or let the next model take over; False = nothing is left to try."""
        settings, name = self._services.settings, self.models.name
        step = next_step(error, tries, settings, others=self.models.has_next)
        wait = wait_s(error, tries, settings)
        if step == "again" and wait < turn.deadline.remaining:
            words = self._words(turn, "agent.retry_detail", error, before, seconds=f"{wait:g}", attempt=tries)
            turn.emit(Retry(reason=error.category, attempt=tries, detail=words))
            await asyncio.sleep(wait)
            return True
        if step != "next" or not turn.deadline.remaining:
            return False
        following = await self.models.advance(self._compactor.meter.request(request, name))
        if following is None:
            return False
        words = self._words(turn, "agent.fallback_detail", error, before, model=name, next=following.name)
        turn.emit(Fallback(from_model=name, to_model=following.name, reason=error.category, detail=words))
        return True

    def _words(self, turn: TurnState, key: str, error: ProviderError, before: Usage, **fields: object) -> str:
        """What happened, and what the failed try cost as far as the server counted it."""
        texts, after = self._services.texts, turn.usage
        why = texts(f"agent.because_{error.category}")
        said = texts(key, **({"model": self.models.name, "reason": why} | fields))
        tokens = after.tokens - before.tokens
        if not tokens:
            return said
        cost = None if after.cost is None else after.cost - (before.cost or 0.0)
        price = "" if cost is None else texts("agent.spent_cost", cost=f"{cost:.4f}")
        return said + texts("agent.spent_tokens", tokens=f"{tokens:,}", cost=price)

    def _request(self, turn: TurnState, nudge: str | None, *, tools: bool) -> ModelRequest:
        services, able = self._services, self.models.capabilities
        messages = repaired(turn.messages, services.aborted)
        if not able.tools:
            messages = in_words(messages, services.texts, able.window)
        if nudge is not None:
            messages = (*messages, UserMessage(text=nudge))
        return ModelRequest(
            system=services.system,
            messages=messages,
            tools=services.schemas if tools and able.tools else (),
            resolution=turn.resolution,
            max_output_tokens=able.max_output,
            idle_timeout_s=services.settings.stream_idle_timeout_s,
            reasoning_idle_timeout_s=services.settings.reasoning_idle_timeout_s,
            connect_timeout_s=services.settings.connect_timeout_s,
        )

    async def _keep_broken(self, draft: Draft, status: MessageStatus) -> None:
        """Store what a broken-off call left; its calls are never run."""
        draft.without_calls()
        await to_the_end(draft.store(status))

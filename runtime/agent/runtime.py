"""The agent runtime: a person's text in, one stream of events out.

Always: the text is stored before anything runs; the stream ends with exactly one of `done`, `cancelled`, `failed`; a turn that was stopped
keeps what it had. This is the border at which an unforeseen error becomes the end of a turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace

from runtime.agent.compaction.budget import TokenMeter
from runtime.agent.compaction.compactor import CompactionServices, Compactor, MemoryHook
from runtime.agent.compaction.summary import Summariser
from runtime.agent.guards.answer import AnswerGuards
from runtime.agent.guards.expectation import expectation_of
from runtime.agent.guards.grounding import grounded, sources_of
from runtime.agent.loop import AgentLoop
from runtime.agent.model_call import CallServices, ModelCaller
from runtime.agent.model_line import ModelLine
from runtime.agent.opening import open_turn
from runtime.agent.prompts import prompt, with_skills
from runtime.agent.scratchpad import Scratchpad
from runtime.agent.sink import EventSink
from runtime.agent.turn import Answer, Surface, TurnRequest, TurnState
from runtime.approvals.broker import ApprovalBroker, DecisionContext
from runtime.approvals.consent import ConsentBook
from runtime.clock import Clock
from runtime.core.deadline import Deadline
from runtime.core.events import (
    Cancelled,
    Done,
    Failed,
    FailureCategory,
    QuestionAnswered,
    QuestionAsked,
    RuntimeEvent,
    TurnStart,
)
from runtime.core.ids import new_id
from runtime.core.json import JsonObject, dumps, loads, whole_characters
from runtime.core.messages import Message, ToolMessage, UserMessage
from runtime.core.symbols import Instrument, Resolution
from runtime.errors import InternalError, StorageError, UserError, WyckoffError
from runtime.memory.archive import ContextArchive
from runtime.paths import Home
from runtime.providers.base import LLMProvider, ProviderError
from runtime.redact import Redactor
from runtime.settings import Settings
from runtime.skills.library import SkillLibrary
from runtime.storage.compactions import CompactionStore
from runtime.storage.conversations import ConversationStore
from runtime.storage.turn_lock import turn_lock
from runtime.storage.usage import UsageStore
from runtime.texts import Texts
from runtime.tools.executor import ToolExecutor
from runtime.tools.offload import ResultStore
from runtime.tools.registry import ToolRegistry
from runtime.tools.scope import scope_of
from runtime.tools.writes import WriteRunner

logger = logging.getLogger(__name__)

FOLLOW_UP_MESSAGES = 4  # how many earlier messages of the person a question without a stock may refer to


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeServices:
    """What the runtime is handed by the workspace."""

    home: Home
    clock: Clock
    settings: Settings
    texts: Texts
    redactor: Redactor
    conversations: ConversationStore
    compactions: CompactionStore
    archive: ContextArchive
    long_results: ResultStore
    usage: UsageStore
    registry: ToolRegistry
    broker: ApprovalBroker
    provider: Callable[[str | None], Awaitable[LLMProvider]]
    fallbacks: Callable[[], tuple[str, ...]]
    spending_limit: Callable[[], float]
    skills: SkillLibrary
    resolve: Callable[[str], Resolution]
    memory: MemoryHook | None = None  # sees what a compaction takes out of sight


class AgentRuntime:
    """Runs turns.

    Args:
        services: everything it needs.
    """

    def __init__(self, services: RuntimeServices) -> None:
        self._services = services
        self._running: dict[str, asyncio.Task[None]] = {}
        self._turns: dict[str, TurnState] = {}
        self._meters: dict[str, TokenMeter] = {}

    async def run(self, request: TurnRequest, surface: Surface | None = None) -> AsyncIterator[RuntimeEvent]:
        """Run one turn and yield its events; leaving the iteration early cancels the turn."""
        services = self._services
        request = replace(request, text=whole_characters(request.text))
        scratchpad = Scratchpad(services.home, request.turn_id, services.clock.now(), services.redactor)
        sink = EventSink(request.turn_id, services.clock, scratchpad)
        task = asyncio.create_task(self._drive(request, surface or Surface(), sink), name=f"turn-{request.turn_id}")
        # A stop that comes before the first step of the task never enters `_drive`.
        task.add_done_callback(lambda _: sink.end(Cancelled(text="")))
        self._running[request.turn_id] = task
        try:
            async for event in sink.events():
                yield event
        finally:
            task.cancel()
            await asyncio.wait({task})
            self._running.pop(request.turn_id, None)
            self._turns.pop(request.turn_id, None)
            scratchpad.close()

    def cancel(self, turn_id: str) -> bool:
        """Stop a running turn; its stream ends with `cancelled`. Returns whether there was one."""
        task = self._running.get(turn_id)
        return task is not None and task.cancel()

    def steer(self, turn_id: str, text: str) -> bool:
        """Let a text enter a running turn before its next model call. Returns whether there was such a turn."""
        turn = self._turns.get(turn_id)
        if turn is None:
            return False
        turn.steering.append(text)
        return True

    async def _drive(self, request: TurnRequest, surface: Surface, sink: EventSink) -> None:
        """One turn from its text to its terminal event."""
        services = self._services
        started = services.clock.monotonic()
        turn: TurnState | None = None
        try:
            _require_text(request)
            conversation_id = request.conversation_id or new_id()
            with turn_lock(services.home, conversation_id):
                conversation = await services.conversations.open(conversation_id, request.text)
                turn, consents = await self._begin(request, conversation.id, conversation.pending_question, sink)
                first = await services.provider(request.model_id)
                models = ModelLine(first, services.fallbacks(), services.provider)
                try:
                    answer = await self._loop(surface, turn, consents, models)
                finally:
                    self._turns.pop(request.turn_id, None)  # from here on no model call would see a steering text
                    await models.aclose()
            elapsed = services.clock.monotonic() - started
            sink.end(_done(turn, answer, elapsed))
        except asyncio.CancelledError:
            sink.end(Cancelled(text=turn.partial_text if turn else ""))
        except WyckoffError as error:
            logger.warning("turn %s failed: %s", request.turn_id, error)
            text = turn.partial_text if turn else ""
            sink.end(Failed(category=_category(error), message=services.texts.error(error), text=text))
        except Exception:  # the border of a turn: a bug ends it in words, and is in the log
            logger.exception("turn %s broke", request.turn_id)
            text = turn.partial_text if turn else ""
            sink.end(Failed(category="internal", message=services.texts("errors.internal"), text=text))
        finally:
            if not sink.ended:  # whatever happened in the lines above
                sink.end(Failed(category="internal", message=services.texts("errors.internal")))

    async def _begin(
        self, request: TurnRequest, conversation_id: str, pending_question: str | None, sink: EventSink
    ) -> tuple[TurnState, ConsentBook]:
        """Store the person's text and set the turn up."""
        services = self._services
        opening = await open_turn(
            request,
            conversation_id,
            services.conversations,
            services.compactions,
            services.texts,
            services.clock.now(),
            services.skills,
        )
        consents = ConsentBook()
        if pending_question is not None:
            if request.answer_to is None and request.edit_of is None:  # else it is said elsewhere in the tree
                consents.record(pending_question, request.text)
            await services.conversations.set_pending_question(conversation_id, None)
        text = opening.message.text
        resolution, before = self._resolution(text, opening.history), self._spoken_of(opening.history)
        turn = TurnState(
            turn_id=request.turn_id,
            conversation_id=conversation_id,
            deadline=Deadline(services.clock, services.settings.turn_timeout_s),
            send=sink.emit,
            messages=[*opening.history, opening.message],
            head_id=opening.head_id,
            compacted=opening.compacted,
            text=text,
            resolution=resolution,
            scope=scope_of(text, resolution, before),
        )
        self._turns[request.turn_id] = turn
        sink.emit(TurnStart(text=text, conversation_id=conversation_id, symbols=turn.resolution.instruments))
        return turn, consents

    def _resolution(self, text: str, history: list[Message]) -> Resolution:
        """What the text names; a follow-up without a stock of its own is about the last ones that were named."""
        found = self._services.resolve(text)
        if found != Resolution():
            return found
        before = self._spoken_of(history)
        return Resolution(instruments=before, inherited=True) if before else Resolution()

    def _spoken_of(self, history: list[Message]) -> tuple[Instrument, ...]:
        """The stocks that the conversation was about last."""
        said = [message.text for message in history if isinstance(message, UserMessage)]
        for earlier in reversed(said[-FOLLOW_UP_MESSAGES:]):
            found = self._services.resolve(earlier)
            if found.instruments:
                return found.instruments
        return ()

    async def _loop(self, surface: Surface, turn: TurnState, consents: ConsentBook, models: ModelLine) -> Answer:
        """Put the loop of this turn together and run it."""
        services = self._services
        language = services.texts.language
        calling = await self._call_services()
        loop = AgentLoop(
            model=ModelCaller(models, calling, self._compactor(turn, calling)),
            executor=self._executor(surface, turn, consents),
            conversations=services.conversations,
            settings=services.settings,
            texts=services.texts,
            guards=AnswerGuards(
                expectation_of(turn.text, turn.messages[:-1], turn.resolution),
                services.texts,
                can_record=services.registry.get("record_verdict") is not None,
            ),
            final_prompt=prompt("final_answer", language),
        )
        return await loop.run(turn)

    async def _call_services(self) -> CallServices:
        services = self._services
        skills = await asyncio.to_thread(services.skills.load)
        aborted: JsonObject = {"ok": False, "error": {"code": "aborted", "message": services.texts("tools.aborted")}}
        return CallServices(
            system=with_skills(prompt("system", services.texts.language), skills.skills, services.texts),
            schemas=services.registry.schemas(services.texts),
            conversations=services.conversations,
            usage=services.usage,
            settings=services.settings,
            spending_limit=services.spending_limit(),
            clock=services.clock,
            texts=services.texts,
            aborted=dumps(aborted),
        )

    def _compactor(self, turn: TurnState, calling: CallServices) -> Compactor:
        """What keeps the turn inside the window of its model; what it learns of a conversation's tokens it keeps."""
        services = self._services
        needed = CompactionServices(
            summariser=Summariser(prompt=prompt("compaction", services.texts.language), usage=services.usage),
            archive=services.archive,
            compactions=services.compactions,
            conversations=services.conversations,
            resolve=services.resolve,
            texts=services.texts,
            system=calling.system,
            tools=calling.schemas,
            memory=services.memory,
        )
        return Compactor(needed, self._meters.setdefault(turn.conversation_id, TokenMeter()))

    def _executor(self, surface: Surface, turn: TurnState, consents: ConsentBook) -> ToolExecutor:
        """What runs the tools of this turn, and decides its writes."""
        services = self._services
        decisions = DecisionContext(
            conversation_id=turn.conversation_id,
            turn_id=turn.turn_id,
            policy=surface.policy,
            approver=surface.approver,
            consents=consents,
        )
        return ToolExecutor(
            registry=services.registry,
            writes=WriteRunner(
                broker=services.broker, context=decisions, deadline=turn.deadline, emit=turn.emit, texts=services.texts
            ),
            deadline=turn.deadline,
            emit=turn.emit,
            ask=_questioner(turn, surface, consents),
            texts=services.texts,
            clock=services.clock,
            concurrency=services.settings.max_concurrent_tools,
            conversation_id=turn.conversation_id,
            turn_id=turn.turn_id,
            resolution=turn.resolution,
            scope=turn.scope,
            resolve=services.resolve,
            long_results=services.long_results,
        )


def _questioner(
    turn: TurnState, surface: Surface, consents: ConsentBook
) -> Callable[[str, tuple[str, ...]], Awaitable[str | None]]:
    """How the tools of a turn ask the person; what the person types may be a consent."""

    async def ask(question: str, options: tuple[str, ...]) -> str | None:
        turn.emit(QuestionAsked(question=question, options=options))
        answer: str | None = None
        if surface.asker is not None:
            with turn.deadline.paused():
                answer = await surface.asker.ask(question, options)
        if answer is None:
            turn.deferred_question = question
        else:
            consents.record(question, answer)
        turn.emit(QuestionAnswered(answer=answer))
        return answer

    return ask


def _require_text(request: TurnRequest) -> None:
    """Refuse an empty message before it leaves an empty conversation behind."""
    if request.answer_to is None and not request.text.strip():
        raise UserError("agent.empty_text")


def _grounding(turn: TurnState, answer: Answer) -> JsonObject | None:
    """Where the figures of the answer come from; None when nothing was looked up and no stock is meant."""
    if not turn.results and not turn.resolution.instruments:
        return None
    # A record of what was compacted has no text of the person; its figures are not theirs.
    people = [message for message in turn.messages if isinstance(message, UserMessage) and message.text]
    earlier = [loads(message.content) for message in turn.messages if isinstance(message, ToolMessage)]
    now = [result.envelope() for result in turn.results]
    said = [message.text + message.context for message in people]
    return grounded(answer.text, sources_of([*earlier, *now], said)).to_json()


def _done(turn: TurnState, answer: Answer, elapsed: float) -> Done:
    return Done(
        text=answer.text,
        streamed=answer.streamed,
        usage=turn.usage,
        elapsed=round(elapsed, 3),
        rounds=turn.rounds,
        partial=answer.partial,
        warnings=(*turn.warnings, *answer.warnings),
        grounding=_grounding(turn, answer),
    )


def _category(error: WyckoffError) -> FailureCategory:
    match error:
        case ProviderError():
            return "provider"
        case StorageError():
            return "storage"
        case InternalError():
            return "internal"
        case _:
            return "user"

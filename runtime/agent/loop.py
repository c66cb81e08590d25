"""The agent loop: model → tools → observation → model … until the model answers without a call.

A turn never ends empty. When rounds or time run out the model is asked once more, without tools; when that fails too, what was found is
listed plainly.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.agent.guards.answer import RECOMMENDS, AnswerGuards, Objection
from runtime.agent.history import text_message
from runtime.agent.model_call import ModelCaller, Reply
from runtime.agent.one_shot import needed_calls
from runtime.agent.turn import Answer, TurnState
from runtime.core.events import CallInfo, Continuation, Guard, Retry, Steered, StreamReset, TextDelta, ToolCalls
from runtime.core.messages import AssistantMessage, Message, ToolCall, UserMessage
from runtime.core.tasks import to_the_end
from runtime.providers.base import ProviderError
from runtime.settings import Settings
from runtime.storage.conversations import ConversationStore
from runtime.texts import Texts
from runtime.tools.executor import ToolExecutor
from runtime.tools.results import CallResult

MOST_CONTINUATIONS = 2  # of an answer that was cut for its length, design 2
MOST_DOOM_LOOPS = 2  # the second one leads to the answer without tools, design 2


class AgentLoop:
    """Runs one turn to its answer.

    Args:
        model: calls the model.
        executor: runs tools.
        conversations: stores results.
        settings: limits.
        texts: for people and the model.
        guards: what looks at an answer before it counts.
        final_prompt: what the model is told when it must answer without tools.
    """

    def __init__(
        self,
        *,
        model: ModelCaller,
        executor: ToolExecutor,
        conversations: ConversationStore,
        settings: Settings,
        texts: Texts,
        guards: AnswerGuards,
        final_prompt: str,
    ) -> None:
        self._model = model
        self._executor = executor
        self._conversations = conversations
        self._settings = settings
        self._texts = texts
        self._guards = guards
        self._final_prompt = final_prompt

    async def run(self, turn: TurnState) -> Answer:
        """The answer of the turn.

        Raises:
            ProviderError: the model failed and there is nothing at all to show.
        """
        try:
            return await self._rounds(turn)
        except ProviderError as problem:
            return await self._without_model(turn, problem)
        finally:
            while turn.steering:  # too late for this turn, but said: the next one sees it
                await self._take_steering(turn)

    async def _rounds(self, turn: TurnState) -> Answer:
        empty = 0
        while turn.rounds < self._settings.max_tool_rounds and self._time_left(turn):
            await self._take_steering(turn)
            if not self._model.models.capabilities.tools:
                await self._fetch(turn)
            try:
                reply = await self._continued(turn, await self._model.call(turn))
            except ProviderError:
                if turn.fetched or self._model.models.capabilities.tools:
                    raise
                continue  # the model turned out to know no tools: what it needs is fetched
            if reply.message.calls:
                await self._execute(turn, reply.message.calls)
                turn.rounds += 1
                if turn.deferred_question is not None:
                    return await self._waiting(turn, turn.deferred_question)
                if turn.doom.triggers >= MOST_DOOM_LOOPS:
                    return await self._without_tools(turn)
            elif turn.steering:
                continue  # the person went on while the answer came: answer that too
            elif reply.message.text.strip():
                objection = self._guards.objection(turn, reply.message.text)
                if objection is None or not self._time_left(turn):
                    return await self._corrected(turn, self._finished(reply))
                await self._nudge(turn, objection)
            elif empty:
                break
            else:
                empty += 1
                turn.emit(Retry(reason="empty_reply", attempt=empty))
        return await self._without_tools(turn)

    async def _fetch(self, turn: TurnState) -> None:
        """Fetch, once a turn, what a model needs that cannot call tools, and say so."""
        if turn.fetched:
            return
        turn.fetched = True
        name = self._model.models.name
        calls = needed_calls(turn.text, turn.resolution, self._executor.names)
        detail = self._texts("agent.one_shot" if calls else "agent.one_shot_nothing", model=name)
        turn.emit(Guard(name="one_shot", action="fetched", detail=detail))
        if calls:
            message = AssistantMessage(parts=calls)
            await self._store(turn, message)
            turn.emit(
                ToolCalls(calls=tuple(CallInfo(id=call.id, name=call.name, args=call.args) for call in calls), text="")
            )
            await self._execute(turn, calls)

    async def _store(self, turn: TurnState, message: Message) -> None:
        """Let a message enter the turn and the conversation."""
        turn.messages.append(message)
        stored = await self._conversations.append(turn.conversation_id, turn.head_id, turn.turn_id, message)
        turn.head_id = stored.id

    async def _corrected(self, turn: TurnState, answer: Answer) -> Answer:
        """An answer that says otherwise than the capped verdict gets a line that corrects it."""
        outcomes = (result.outcome for result in reversed(turn.results) if result.outcome is not None)
        capped = next((outcome for outcome in outcomes if outcome.verdict is not None), None)
        if capped is None or capped.verdict is None or capped.capped_from is None or not RECOMMENDS.search(answer.text):
            return answer
        line = self._texts(
            "agent.correction",
            name=capped.verdict.name,
            action=self._texts(f"tools.action_{capped.verdict.action.value}"),
            rules="；".join(capped.cap_rules),
        )
        await self._say(turn, line)
        turn.emit(TextDelta(text=f"\n\n{line}"))
        return replace(answer, text=f"{answer.text}\n\n{line}")

    async def _continued(self, turn: TurnState, reply: Reply) -> Reply:
        """Let the model go on where the length limit cut its answer; the parts become one message."""
        for attempt in range(1, MOST_CONTINUATIONS + 1):
            cut = reply.reason == "length" and not reply.message.calls and reply.message.text.strip()
            if not cut or not self._time_left(turn):
                break
            turn.emit(Continuation(attempt=attempt, reason="output-length"))
            reply = await self._model.go_on(turn, self._texts("agent.go_on"))
        return reply

    async def _nudge(self, turn: TurnState, objection: Objection) -> None:
        """The answer does not count: it is taken back, and the model is told what is missing, until the turn ends."""
        turn.emit(Guard(name=objection.guard, action="nudged", detail=objection.detail))
        turn.emit(StreamReset())
        await self._model.take_back()
        turn.messages.append(UserMessage(text=objection.nudge))

    async def _take_steering(self, turn: TurnState) -> None:
        """Let what the person said meanwhile enter the conversation."""
        if turn.steering:
            await to_the_end(self._enter(turn))

    async def _enter(self, turn: TurnState) -> None:
        texts, turn.steering = tuple(turn.steering), []
        for text in texts:
            await self._store(turn, UserMessage(text=text))
        turn.emit(Steered(texts=texts))

    def _time_left(self, turn: TurnState) -> bool:
        return turn.deadline.remaining > self._settings.final_reserve_s

    def _finished(self, reply: Reply) -> Answer:
        if reply.reason in ("stop", "tool_calls"):
            return Answer(text=reply.message.text)
        return Answer(text=reply.message.text, partial=True, warnings=(self._texts(f"agent.stopped_{reply.reason}"),))

    async def _execute(self, turn: TurnState, calls: tuple[ToolCall, ...]) -> None:
        """Run the calls; whatever happens, each gets exactly one result message, in call order."""
        results: dict[str, CallResult] = {}
        admitted = turn.doom.admitted(calls)
        if len(admitted) < len(calls):
            turn.emit(Guard(name="doom_loop", action="stopped", detail=self._texts("agent.doom_loop")))
            for call in calls[len(admitted) :]:
                results[call.id] = self._executor.refused(call, "doom_loop", "tools.doom_loop")
        try:
            await self._executor.run(admitted, results)
        finally:
            ordered = [results.get(call.id) or self._executor.aborted(call) for call in calls]
            await to_the_end(self._record(turn, ordered))

    async def _record(self, turn: TurnState, results: list[CallResult]) -> None:
        turn.results += results
        for result in results:
            await self._store(turn, result.message())

    async def _waiting(self, turn: TurnState, question: str) -> Answer:
        """End the turn with a question that the next message answers."""
        await self._say(turn, question)
        await self._conversations.set_pending_question(turn.conversation_id, question)
        return Answer(text=question, streamed=False)

    async def _without_tools(self, turn: TurnState) -> Answer:
        """Ask once more, without tools, for an answer from what is there."""
        await self._take_steering(turn)
        why = self._texts(self._why_without_tools(turn))
        reply = await self._model.call(turn, nudge=self._final_prompt, tools=False)
        if reply.message.text.strip():
            return Answer(text=reply.message.text, partial=True, warnings=(why,))
        text = self._evidence(turn) or self._texts("agent.empty_answer")
        await self._say(turn, text)
        return Answer(text=text, streamed=False, partial=True, warnings=(why,))

    def _why_without_tools(self, turn: TurnState) -> str:
        if turn.doom.triggers >= MOST_DOOM_LOOPS:
            return "agent.in_circles"
        return "agent.out_of_rounds" if self._time_left(turn) else "agent.out_of_time"

    async def _without_model(self, turn: TurnState, problem: ProviderError) -> Answer:
        """The model failed: keep what is there; nothing at all is a failure of the turn."""
        evidence = self._evidence(turn)
        if not evidence and not turn.partial_text.strip():
            raise problem
        why = self._texts("agent.model_failed", reason=self._texts.error(problem))
        added = "\n\n".join(part for part in (why, evidence) if part)
        await self._say(turn, added)
        if not turn.partial_text.strip():
            return Answer(text=added, streamed=False, partial=True)
        turn.emit(TextDelta(text=f"\n\n{added}"))  # behind what the person has seen already
        return Answer(text=f"{turn.partial_text}\n\n{added}", partial=True)

    def _evidence(self, turn: TurnState) -> str:
        """What the tools found, as a plain list; empty when they found nothing."""
        lines = [f"- {result.outcome.summary}" for result in turn.results if result.outcome is not None]
        return "\n".join([self._texts("agent.evidence"), *lines]) if lines else ""

    async def _say(self, turn: TurnState, text: str) -> None:
        """Store a text of the runtime as an assistant message."""
        await self._store(turn, text_message(text, self._model.models.name))

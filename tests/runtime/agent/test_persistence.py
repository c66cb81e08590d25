"""What is on disk at each moment of a turn: the question first, half answers on the way, everything after a crash."""

from __future__ import annotations

from runtime.agent.runtime import AgentRuntime
from runtime.agent.turn import TurnRequest
from runtime.core.events import Done, Failed, TextDelta
from runtime.core.messages import AssistantMessage, Message, TextPart, UserMessage
from runtime.paths import Home
from runtime.providers.base import Chunk, ModelRequest, ProviderError, TextChunk
from runtime.storage.conversations import ConversationStore, StoredMessage
from runtime.workspace import Workspace
from tests.support.desks import done, open_desk, run_turn, runtime_with_tools
from tests.support.scripted import Hang, ScriptedProvider, call, calls, say
from tests.support.tools import Probe
from tests.support.turns import live_turn, terminal


class Looking(ScriptedProvider):
    """A scripted model that notes what the database holds when it is asked."""

    def __init__(self, store: ConversationStore) -> None:
        super().__init__(say("好"))
        self._store = store
        self.found: tuple[StoredMessage, ...] = ()

    async def stream(self, request: ModelRequest):  # type: ignore[no-untyped-def]  # noqa: ANN201
        self.found = await self._store.path("c1")
        async for chunk in super().stream(request):
            item: Chunk = chunk
            yield item


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [message.text for message in messages if isinstance(message, UserMessage | AssistantMessage)]


async def ask(runtime: AgentRuntime, text: str, conversation: str = "c1") -> Done:
    return done([event async for event in runtime.run(TurnRequest(text=text, conversation_id=conversation))])


async def test_the_question_is_stored_before_the_model_is_asked(home: Home) -> None:
    async with open_desk(home) as desk:
        provider = Looking(desk.stores.conversations)
        await ask(runtime_with_tools(desk, provider), "问题")
    assert [item.message for item in provider.found] == [provider.requests[0].messages[0]]
    assert provider.found[0].status == "complete"


async def test_a_half_answer_is_on_disk_while_it_streams(home: Home) -> None:
    hang = Hang()
    provider = ScriptedProvider((TextChunk(text="说到一半"), hang))
    async with open_desk(home) as desk:
        async with live_turn(runtime_with_tools(desk, provider, checkpoint_s=0.001)) as turn:
            await hang.reached.wait()
            stored = await self_stored(desk, "streaming")
            turn.stop()
            await turn.end()
        after = await desk.stores.conversations.path("c1")
    assert isinstance(stored.message, AssistantMessage)
    assert stored.message.text == "说到一半"
    assert (after[-1].id, after[-1].status) == (stored.id, "stopped")


async def self_stored(desk: Workspace, status: str) -> StoredMessage:
    """The last stored message once it has a status; each look is a round trip to the database."""
    while True:
        stored = (await desk.stores.conversations.path("c1"))[-1]
        if stored.status == status:
            return stored


async def test_what_a_crash_left_is_stopped_at_the_next_turn_and_the_model_sees_it(home: Home) -> None:
    async with open_desk(home) as desk:
        store = desk.stores.conversations
        await store.open("c1", "问")
        asked = await store.append("c1", None, "t0", UserMessage(text="问"))
        half = AssistantMessage(parts=(TextPart(text="崩溃前的一半"),), model="m")
        await store.append("c1", asked.id, "t0", half, "streaming")
    provider = ScriptedProvider(say("接着说"))
    async with open_desk(home, provider) as desk:
        done(await run_turn(desk, "继续"))
        stored = await desk.stores.conversations.path("c1")
    assert [item.status for item in stored] == ["complete", "stopped", "complete", "complete"]
    assert texts(provider.requests[0].messages) == ["问", "崩溃前的一半", "继续"]


async def test_one_conversation_runs_one_turn_and_others_run_beside_it(home: Home) -> None:
    hang = Hang()
    provider = ScriptedProvider((TextChunk(text="长"), hang), say("另一个"))
    async with open_desk(home, provider) as desk:
        async with live_turn(desk.runtime, "一") as first:
            await first.until(TextDelta)
            busy = terminal(await run_turn(desk, "二", conversation="c1"))
            other = terminal(await run_turn(desk, "三", conversation="c2"))
            first.stop()
            await first.end()
        stored = await desk.stores.conversations.path("c1")
    assert isinstance(busy, Failed)
    assert busy.category == "user"
    assert "另一个窗口" in busy.message
    assert other.text == "另一个"
    assert texts(tuple(item.message for item in stored)) == ["一", "长"]


async def test_a_conversation_is_free_again_after_its_turn(home: Home) -> None:
    async with open_desk(home, ScriptedProvider(say("一"), say("二"))) as desk:
        assert done(await run_turn(desk, "a")).text == "一"
        assert done(await run_turn(desk, "b")).text == "二"


async def test_the_history_is_found_after_reopening(home: Home) -> None:
    first = ScriptedProvider(calls(call("echo", {"text": "a"})), say("答一"))
    async with open_desk(home) as desk:
        await ask(runtime_with_tools(desk, first, Probe().definition()), "问一")
    second = ScriptedProvider(say("答二"))
    async with open_desk(home) as desk:
        await ask(runtime_with_tools(desk, second, Probe().definition()), "问二")
    assert [message.role for message in second.requests[0].messages] == [
        "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert second.requests[0].messages[:2] == first.requests[1].messages[:2]


async def test_a_failed_answer_never_enters_the_models_history(home: Home) -> None:
    broken = (ProviderError("server", retryable=True, model="m", detail="d"),)
    provider = ScriptedProvider(broken, say("好"))
    async with open_desk(home, provider) as desk:
        assert isinstance(terminal(await run_turn(desk, "一")), Failed)
        store = desk.stores.conversations
        path = await store.path("c1")
        await store.append("c1", path[-1].id, "t", AssistantMessage(parts=(TextPart(text="坏"),)), "failed")
        done(await run_turn(desk, "二"))
    assert texts(provider.requests[1].messages) == ["一", "二"]


async def test_an_earlier_round_stays_byte_for_byte_in_later_requests(home: Home) -> None:
    provider = ScriptedProvider(calls(call("echo", {"text": "a"})), calls(call("echo", {"text": "b"})), say("好"))
    async with open_desk(home) as desk:
        await ask(runtime_with_tools(desk, provider, Probe().definition()), "问")
    one, two, three = (request.messages for request in provider.requests)
    assert two[: len(one)] == one
    assert three[: len(two)] == two
    assert len({request.system for request in provider.requests}) == 1


async def test_an_empty_question_leaves_no_conversation_behind(home: Home) -> None:
    async with open_desk(home, ScriptedProvider()) as desk:
        assert isinstance(terminal(await run_turn(desk, " \n ")), Failed)
        assert await desk.stores.conversations.count() == 0


async def test_a_text_with_half_a_character_is_answered_like_any_other(home: Home) -> None:
    provider = ScriptedProvider(say("好"))
    async with open_desk(home, provider) as desk:
        end = done(await run_turn(desk, "云溪股份\udce4 怎么样"))
        stored = await desk.stores.conversations.path("c1")
    assert end.text == "好"
    assert isinstance(stored[0].message, UserMessage)
    assert stored[0].message.text.startswith("云溪股份")


async def test_a_database_that_cannot_be_written_fails_the_turn_and_says_what_to_do(home: Home) -> None:
    async with open_desk(home, ScriptedProvider(say("好"))) as desk:
        await desk.stores.database.read(lambda connection: connection.exec_driver_sql("PRAGMA query_only=ON"))
        async with live_turn(desk.runtime) as turn:
            end = await turn.end()
    assert isinstance(end, Failed)
    assert end.category == "storage"
    assert "磁盘空间" in end.message


async def test_a_row_that_cannot_be_read_is_left_out_and_the_conversation_goes_on(home: Home) -> None:
    provider = ScriptedProvider(say("一"), say("二"))
    async with open_desk(home, provider) as desk:
        await ask(desk.runtime, "甲")
        await desk.stores.database.run(
            lambda connection: connection.exec_driver_sql(
                "UPDATE message SET body = '{\"role\":' WHERE role = 'assistant'"
            )
        )
        await ask(desk.runtime, "乙")
        stored = await desk.stores.conversations.path("c1")
    assert texts(provider.requests[1].messages) == ["甲", "乙"]
    assert texts(tuple(item.message for item in stored)) == ["甲", "乙", "二"]

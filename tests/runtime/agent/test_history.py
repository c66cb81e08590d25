"""The repair of a history: every call with exactly one result right behind it, no result without its call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.agent.history import repaired
from runtime.core.messages import AssistantMessage, AssistantPart, Message, TextPart, ToolCall, ToolMessage, UserMessage

ABORTED = '{"ok":false}'
IDS = ("call_0", "call_1", "call_2")  # few, so that they come again in other rounds

_calls = st.lists(st.sampled_from(IDS), max_size=3, unique=True)


def answer(text: str, *ids: str) -> AssistantMessage:
    parts: list[AssistantPart] = [TextPart(text=text)] if text else []
    parts += [ToolCall(id=call_id, name="t", args={}) for call_id in ids]
    return AssistantMessage(parts=tuple(parts))


def result(call_id: str, content: str = "r") -> ToolMessage:
    return ToolMessage(call_id=call_id, name="t", content=content, ok=True)


_message: st.SearchStrategy[Message] = st.one_of(
    st.builds(UserMessage, text=st.just("u")),
    st.builds(lambda text, ids: answer(text, *ids), st.sampled_from(["", "a", "  "]), _calls),
    st.builds(result, st.sampled_from(IDS), st.sampled_from(["x", "y", "z"])),
)


@given(st.lists(_message, max_size=14))
def test_every_call_has_one_result_behind_it_and_no_result_stands_alone(messages: list[Message]) -> None:
    fixed = repaired(messages, ABORTED)
    at = 0
    while at < len(fixed):
        message = fixed[at]
        at += 1
        assert not isinstance(message, ToolMessage)
        if isinstance(message, AssistantMessage):
            assert message.calls or message.text.strip()
            for call in message.calls:
                following = fixed[at]
                assert isinstance(following, ToolMessage)
                assert following.call_id == call.id
                at += 1


@given(st.lists(_message, max_size=14))
def test_a_repaired_history_needs_no_repair(messages: list[Message]) -> None:
    once = repaired(messages, ABORTED)
    assert repaired(once, ABORTED) == once


@given(st.lists(_message, max_size=14))
def test_what_the_person_said_is_never_dropped(messages: list[Message]) -> None:
    said = [message for message in messages if isinstance(message, UserMessage)]
    assert [message for message in repaired(messages, ABORTED) if isinstance(message, UserMessage)] == said


def test_ids_that_come_again_in_the_next_round_keep_their_own_results() -> None:
    messages: list[Message] = [
        answer("", "call_0"), result("call_0", "first"), answer("", "call_0"), result("call_0", "second"),
    ]  # fmt: skip
    contents = [message.content for message in repaired(messages, ABORTED) if isinstance(message, ToolMessage)]
    assert contents == ["first", "second"]


def test_a_result_of_an_earlier_round_does_not_answer_a_later_call() -> None:
    messages: list[Message] = [answer("", "call_0"), result("call_0", "first"), answer("", "call_0")]
    contents = [message.content for message in repaired(messages, ABORTED) if isinstance(message, ToolMessage)]
    assert contents == ["first", ABORTED]

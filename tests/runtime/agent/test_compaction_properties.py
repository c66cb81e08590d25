"""What holds of every split of every history: nothing lost, nothing torn, nothing too large."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.agent.compaction.shrink import SHRUNK_LENGTH, shrunk
from runtime.agent.compaction.tail import TAIL_KEEP, tail_start
from runtime.core.json import JsonValue, dumps, loads
from runtime.core.messages import Message, ToolMessage
from tests.support.long_talks import answered, orphans, result, said


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Turns of a question, rounds of calls with all their results, and an answer; some stop half-way."""
    messages: list[Message] = []
    for turn in range(draw(st.integers(1, 8))):
        messages.append(said(f"问 {turn}"))
        for round_ in range(draw(st.integers(0, 3))):
            ids = [f"c{at}" for at in range(draw(st.integers(1, 4)))]  # the same ids in every round, as some servers do
            messages.append(answered("", *((key, "t") for key in ids)))
            messages += [result(key, f"{turn}.{round_}") for key in ids]
        if draw(st.booleans()):
            messages.append(answered(f"答 {turn}"))
    return messages


@given(histories(), st.data())
def test_head_and_tail_are_everything_and_no_call_is_torn_from_its_results(
    messages: list[Message], data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.floats(0, 9_000), min_size=len(messages), max_size=len(messages)))
    limit = data.draw(st.floats(1, 40_000))
    keep = data.draw(st.floats(0, limit))
    start = tail_start(messages, sizes, keep=keep, limit=limit)
    head, tail = messages[:start], messages[start:]
    assert [*head, *tail] == messages
    assert tail
    assert orphans(head) == orphans(tail) == []
    if sum(sizes[start:]) > limit + 1e-6:  # only a last round that is too large by itself
        assert all(isinstance(message, ToolMessage) for message in tail[1:])
    elif sum(sizes[-TAIL_KEEP:]) <= keep and not isinstance(messages[max(0, len(messages) - TAIL_KEEP)], ToolMessage):
        assert len(tail) >= min(TAIL_KEEP, len(messages))


_json: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=200),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(
            st.sampled_from(["ok", "data", "meta", "name", "levels", "bars", "x"]) | st.text(max_size=9),
            inner,
            max_size=6,
        )
    ),
    max_leaves=60,
)


@given(_json, st.integers(60, SHRUNK_LENGTH))
def test_a_shrunk_result_is_short_and_whole(value: JsonValue, length: int) -> None:
    message = result("a", dumps(value))
    short = shrunk(message, length)
    if message.content == short:
        return
    assert len(short) <= length + 1
    if isinstance(value, dict | list):
        loads(short)

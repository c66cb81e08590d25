"""A recorded stream that stalls is given up after the idle time-out, also when the server sends keep-alives all the while."""

from __future__ import annotations

import anthropic  # noqa: F401 - loaded before the time-out runs, which is shorter here than loading takes
import google.genai  # noqa: F401
import openai  # noqa: F401
import pytest

from runtime.agent.turn import TurnRequest
from runtime.core.events import Done, Fallback, StreamReset
from runtime.paths import Home
from tests.support.apis import APIS, Api
from tests.support.desks import open_desk, runtime_with_models
from tests.support.replay import needs_recordings, replay
from tests.support.scripted import ScriptedProvider, say
from tests.support.turns import of, terminal

pytestmark = needs_recordings

STREAMS = {
    "openai": ("openai_text", 1500),
    "anthropic": ("anthropic_text_opus46", 1500),
    "gemini": ("gemini_recitation_no_content", 2000),
}


@pytest.mark.parametrize("keepalive", [None, 0.02], ids=["silence", "keep-alives"])
@pytest.mark.parametrize("api", APIS, ids=[api.kind for api in APIS])
async def test_the_next_model_takes_over_from_a_stream_that_stalls(
    home: Home, api: Api, keepalive: float | None
) -> None:
    name, size = STREAMS[api.kind]
    async with replay(name, stall_after=size, at_event=True, keepalive=keepalive, stall_s=5.0) as server:
        stalled, other = api.provider(server.url), ScriptedProvider(say("由我来"), name="other")
        async with open_desk(home, stalled) as desk:
            runtime = runtime_with_models(desk, stalled, other, stream_idle_timeout_s=1.0)
            events = [event async for event in runtime.run(TurnRequest(text="问", conversation_id="c1"))]
    done = terminal(events)
    assert isinstance(done, Done)
    assert done.text == "由我来"
    [fallback] = of(events, Fallback)
    assert fallback.reason == "timeout"
    assert len(of(events, StreamReset)) == 1

"""What our layer costs on top of each SDK: CPU time per streamed chunk, in one run. Design: at most 0.2 ms."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from runtime.core.json import JsonObject
from tests.support.answers import a_request, answer_of
from tests.support.apis import ANTHROPIC, GEMINI, OPENAI, candidate, events, message_end, message_start, responses
from tests.support.streams import delta, model_server, sse

pytestmark = pytest.mark.benchmark

CHUNKS: Final = 4_000
WORD: Final = "云溪股份缩量回踩 "

_DELTAS: list[JsonObject] = [
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORD}} for _ in range(CHUNKS)
]
_START: JsonObject = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
STREAMS: Final = {
    "openai": sse(*(delta(content=WORD) for _ in range(CHUNKS)), delta("stop")),
    "anthropic": events(message_start(), _START, *_DELTAS, {"type": "content_block_stop", "index": 0}, *message_end()),
    "gemini": responses(*(candidate({"text": WORD}) for _ in range(CHUNKS)), candidate({"text": ""}, finish="STOP")),
}


async def openai_alone(url: str) -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="k", base_url=url, max_retries=0)
    async for _ in await client.chat.completions.create(model="m", messages=[], stream=True):
        pass
    await client.close()


async def anthropic_alone(url: str) -> None:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(api_key="k", base_url=url.removesuffix("/v1"), max_retries=0)
    async for _ in await client.messages.create(model="m", messages=[], max_tokens=1, stream=True):
        pass
    await client.close()


async def gemini_alone(url: str) -> None:
    import httpx2
    from google.genai import Client
    from google.genai.types import HttpOptions

    http = httpx2.AsyncClient()
    options = HttpOptions(base_url=url.removesuffix("/v1"), api_version="v1beta", httpx_async_client=http)
    client = Client(vertexai=False, api_key="k", http_options=options)
    async for _ in await client.aio.models.generate_content_stream(model="m", contents="q"):
        pass
    await client.aio.aclose()
    await http.aclose()


async def spent(work: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds of the fastest of three runs."""
    best = float("inf")
    for _ in range(3):
        before = time.process_time()
        await work()
        best = min(best, time.process_time() - before)
    return best


@pytest.mark.parametrize(
    ("api", "alone"),
    [(OPENAI, openai_alone), (ANTHROPIC, anthropic_alone), (GEMINI, gemini_alone)],
    ids=["openai", "anthropic", "gemini"],
)
async def test_cpu_per_chunk_over_the_sdk(api: object, alone: Callable[[str], Awaitable[None]]) -> None:
    chosen = next(one for one in (OPENAI, ANTHROPIC, GEMINI) if one is api)
    async with model_server(STREAMS[chosen.kind]) as server:
        answer = await answer_of(chosen.provider(server.url), a_request())
        assert answer.text == WORD * CHUNKS
        sdk = await spent(lambda: alone(server.url))
        ours = await spent(lambda: answer_of(chosen.provider(server.url), a_request()))
    over = (ours - sdk) / CHUNKS * 1e3
    print(
        f"\n{chosen.kind}: SDK {sdk / CHUNKS * 1e3:.3f} ms, with our layer {ours / CHUNKS * 1e3:.3f} ms, over {over:.3f} ms a chunk"
    )


def test_importing_the_runtime_loads_no_sdk() -> None:
    probe = (
        "import sys, time; began = time.process_time(); import runtime.workspace, runtime.agent.runtime, runtime.providers.catalogue; "
        "print(time.process_time() - began, [name for name in ('openai', 'anthropic', 'google.genai', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    print(f"\nimport of the runtime: {done.stdout.strip()} (CPU seconds, SDKs loaded)")

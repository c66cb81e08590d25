"""`wyckoff model …`: APIs, fallback, prices, limits, usage and servers on this machine, each in a process of its own."""

from __future__ import annotations

import asyncio

from runtime.core.json import JsonObject, JsonValue, loads_object
from tests.support.apis import ANTHROPIC
from tests.support.local_servers import listing, served
from tests.support.streams import Reply, delta, model_server, sse
from tests.support.terminal import Terminal, events_of

BUSY = Reply(body=b'{"error":{"message":"Too many requests"}}', status=429, content_type="application/json")
COUNTS: JsonObject = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
USAGE: JsonObject = {"choices": [], "usage": COUNTS}
ANSWER = sse(delta(content="好"), delta(finish="stop"), USAGE)


async def data_of(terminal: Terminal, *args: str, **variables: str) -> JsonValue:
    ended = await asyncio.to_thread(terminal.run, *args, "--json", **variables)
    assert ended.code == 0, ended.out + ended.err
    return loads_object(ended.out)["data"]


async def add(terminal: Terminal, name: str, url: str, *more: str) -> None:
    await data_of(terminal, "model", "add", name, "--base-url", url, "--model", "m1", *more)


async def test_a_busy_model_hands_over_to_the_next_and_says_so(terminal: Terminal) -> None:
    async with model_server(BUSY) as busy, model_server(ANTHROPIC.answer) as other:
        await add(terminal, "first", busy.url)
        await add(terminal, "second", other.url, "--provider", "anthropic")
        assert await data_of(terminal, "model", "fallback", "second") == {"fallbacks": ["second"]}
        ended = await asyncio.to_thread(terminal.run, "ask", "你好", "--json")
        told = await asyncio.to_thread(terminal.run, "ask", "你好")
    assert ended.code == 0, ended.err
    events = events_of(ended.out)
    [fallback] = [event for event in events if event["kind"] == "fallback"]
    assert (fallback["from_model"], fallback["to_model"], fallback["reason"]) == ("first", "second", "rate_limit")
    assert events[-1]["text"] == "好"
    assert "改由 second 回答" in told.err
    assert await data_of(terminal, "model", "fallback", "--none") == {"fallbacks": []}


async def test_prices_limits_and_usage(terminal: Terminal) -> None:
    async with model_server(ANSWER) as server:
        await add(terminal, "mine", server.url)
        prices = (
            "--input-per-1m",
            "10",
            "--output-per-1m",
            "20",
            "--cache-read-per-1m",
            "1",
            "--cache-write-per-1m",
            "12.5",
        )
        priced = await data_of(terminal, "model", "cost", "mine", *prices, "--max-output", "800")
        assert isinstance(priced, dict)
        assert (priced["cache_read_per_1m"], priced["cache_write_per_1m"], priced["max_output"]) == (1.0, 12.5, 800)
        assert (await asyncio.to_thread(terminal.run, "ask", "你好")).code == 0
        assert server.bodies[0]["max_tokens"] == 800
        rows = await data_of(terminal, "model", "usage")
        assert isinstance(rows, list)
        row = rows[0]
        assert isinstance(row, dict)
        assert (row["model"], row["purpose"], row["input"], row["cache_read"], row["output"]) == (
            "mine",
            "chat",
            600,
            400,
            100,
        )
        cost = (600 * 10 + 400 * 1 + 100 * 20) / 1e6
        assert row["cost"] == cost
        by_turn = await data_of(terminal, "model", "usage", "--turns")
        assert isinstance(by_turn, list)
        assert isinstance(by_turn[0], dict)
        assert by_turn[0]["turn_id"]
        assert await data_of(terminal, "model", "limit") == {"limit": None, "spent_today": cost}
        assert await data_of(terminal, "model", "limit", "0.001") == {"limit": 0.001, "spent_today": cost}
        stopped = await asyncio.to_thread(terminal.run, "ask", "你好")
    assert stopped.code == 1
    assert "已到上限" in stopped.err
    assert len(server.bodies) == 1


async def test_a_service_is_named_by_itself_and_speaks_its_own_api(terminal: Terminal) -> None:
    for name, kind in (("anthropic", "anthropic"), ("claude", "anthropic"), ("gemini", "gemini"), ("doubao", "openai")):
        added = await data_of(terminal, "model", "add", f"my-{name}", "--provider", name, "--model", "m1")
        assert isinstance(added, dict)
        assert added["provider"] == kind
        assert str(added["base_url"]).startswith("https://")


async def test_servers_on_this_machine_are_found_and_added_once(terminal: Terminal) -> None:
    shown: dict[str, JsonObject] = {
        "qwen3:8b": {"capabilities": ["completion", "tools"], "model_info": {"q.context_length": 40960}}
    }
    async with served(listing({"/api/tags": {"models": [{"model": "qwen3:8b"}]}}, shown)) as url:
        where = {"WYCKOFF_OLLAMA_URL": url, "WYCKOFF_LMSTUDIO_URL": "http://127.0.0.1:9"}
        found = await data_of(terminal, "model", "discover", **where)
        assert isinstance(found, list)
        assert [server["running"] for server in found if isinstance(server, dict)] == [True, False]
        for expected in (["qwen3:8b"], []):
            ended = await asyncio.to_thread(terminal.run, "model", "discover", "--add", "--json", **where)
            assert loads_object(ended.out)["meta"] == {"added": expected}
    models = await data_of(terminal, "model", "list")
    assert isinstance(models, list)
    assert [model["default"] for model in models if isinstance(model, dict)] == [True, False]


async def test_a_limit_that_makes_no_sense_is_refused(terminal: Terminal) -> None:
    ended = await asyncio.to_thread(terminal.run, "model", "limit", "nan")
    assert ended.code != 0

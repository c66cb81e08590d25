"""Model servers on loopback as a person runs them: Ollama and LM Studio with their own lists, and the API that both speak."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from runtime.core.json import JsonObject

LISTED_AT = "2026-06-30T10:00:00+08:00"


@asynccontextmanager
async def served(app: web.Application) -> AsyncIterator[str]:
    """An application on a free port of loopback; its address without a path."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def speaking_openai(*, accepted: str | None = None) -> web.Application:
    """A model that says a word; with `accepted`, to nobody with another key."""

    async def answer(request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "")
        if accepted is not None and given != f"Bearer {accepted}":
            told = {"error": {"message": f"Incorrect API key provided: {given[7:]}", "code": "invalid_api_key"}}
            return web.json_response(told, status=401)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"pong"}}]}\n\n')
        await response.write(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
        return response

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


def ollama(*names: str, window: int = 40_960, gate: asyncio.Event | None = None) -> web.Application:
    """Ollama with these models; with `gate` it lists them once that is set."""

    async def tags(_request: web.Request) -> web.Response:
        if gate is not None:
            await gate.wait()
        models = [{"name": name, "model": name, "modified_at": LISTED_AT, "size": 5_200_000_000} for name in names]
        return web.json_response({"models": models})

    async def show(_request: web.Request) -> web.Response:
        about: JsonObject = {
            "capabilities": ["completion", "tools", "thinking"],
            "details": {"family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M"},
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": window},
        }
        return web.json_response(about)

    app = speaking_openai()
    app.router.add_get("/api/tags", tags)
    app.router.add_post("/api/show", show)
    return app


def lmstudio(*names: str, window: int = 32_768) -> web.Application:
    """LM Studio with these models, and one that only embeds."""

    async def models(_request: web.Request) -> web.Response:
        listed = [
            {"id": name, "object": "model", "type": "llm", "max_context_length": window, "state": "loaded"}
            for name in names
        ]
        embedding = {"id": "text-embedding-nomic", "object": "model", "type": "embeddings", "state": "not-loaded"}
        return web.json_response({"object": "list", "data": [*listed, embedding]})

    app = speaking_openai()
    app.router.add_get("/api/v0/models", models)
    return app


def listing(answers: Mapping[str, JsonObject], shown: Mapping[str, JsonObject] | None = None) -> web.Application:
    """A server with lists of a test's own by path, and what `/api/show` tells of each model."""

    async def listed(request: web.Request) -> web.Response:
        return web.json_response(answers[request.path])

    async def show(request: web.Request) -> web.Response:
        return web.json_response((shown or {})[str((await request.json())["model"])])

    app = web.Application()
    for path in answers:
        app.router.add_get(path, listed)
    app.router.add_post("/api/show", show)
    return app

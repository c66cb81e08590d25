"""Ollama and LM Studio on this machine: found with what they say of their models, and not missed when they are not there."""

from __future__ import annotations

import socket

import pytest

from runtime.core.json import JsonObject
from runtime.providers.discovery import LocalServer, discover
from tests.support.local_servers import listing, served

TAGS: JsonObject = {
    "models": [
        {"name": "qwen3:8b", "model": "qwen3:8b", "details": {"family": "qwen3"}},
        {"name": "gemma2:2b", "model": "gemma2:2b"},
        {"name": "nomic-embed-text:latest", "model": "nomic-embed-text:latest"},
    ]
}
SHOWN: dict[str, JsonObject] = {
    "qwen3:8b": {"capabilities": ["completion", "tools", "thinking"], "model_info": {"qwen3.context_length": 40960}},
    "gemma2:2b": {"capabilities": ["completion"], "model_info": {"gemma2.context_length": 8192}},
    "nomic-embed-text:latest": {"capabilities": ["embedding"]},
}
LM_MODELS: JsonObject = {
    "data": [
        {"id": "qwen2.5-7b-instruct", "type": "llm", "max_context_length": 32768, "capabilities": ["tool_use"]},
        {"id": "text-embedding-bge", "type": "embeddings"},
    ]
}


def free_url() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"


def the(server: str, found: tuple[LocalServer, ...]) -> LocalServer:
    return next(one for one in found if one.server == server)


async def test_ollama_tells_windows_and_abilities() -> None:
    async with served(listing({"/api/tags": TAGS}, SHOWN)) as url:
        ollama = the("ollama", await discover(ollama_url=url, lmstudio_url=free_url()))
    assert ollama.running
    assert ollama.base_url == f"{url}/v1"
    assert [(one.config.model, one.config.context_window, one.config.tools) for one in ollama.models] == [
        ("qwen3:8b", 40960, True),
        ("gemma2:2b", 8192, False),
    ]
    assert ollama.models[0].config.reasoning is True
    assert ollama.models[0].config.base_url == f"{url}/v1"


async def test_lm_studio_leaves_embeddings_out() -> None:
    async with served(listing({"/api/v0/models": LM_MODELS})) as url:
        studio = the("lmstudio", await discover(ollama_url=free_url(), lmstudio_url=url))
    [model] = studio.models
    assert (model.config.model, model.config.context_window, model.config.tools) == ("qwen2.5-7b-instruct", 32768, True)


async def test_an_older_lm_studio_is_found_by_its_compatible_list() -> None:
    async with served(listing({"/v1/models": {"data": [{"id": "phi"}]}})) as url:
        studio = the("lmstudio", await discover(ollama_url=free_url(), lmstudio_url=url))
    [model] = studio.models
    assert (model.config.model, model.config.context_window, model.config.tools) == ("phi", None, None)


async def test_nobody_there_is_said_and_is_no_error() -> None:
    found = await discover(ollama_url=free_url(), lmstudio_url=free_url())
    assert [one.running for one in found] == [False, False]


@pytest.mark.parametrize("url", ["http://models.example:11434", "https://8.8.8.8"])
async def test_only_this_machine_is_asked(url: str) -> None:
    found = await discover(ollama_url=url, lmstudio_url=url)
    assert [one.running for one in found] == [False, False]


async def test_something_else_on_the_port_is_no_model_server() -> None:
    async with served(listing({"/api/tags": {"hello": "world"}})) as url:
        ollama = the("ollama", await discover(ollama_url=url, lmstudio_url=url))
    assert ollama.models == ()


async def test_the_proxy_of_the_system_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with served(listing({"/api/tags": TAGS}, SHOWN)) as url:
        ollama = the("ollama", await discover(ollama_url=url, lmstudio_url=free_url()))
    assert ollama.running

"""Model servers on this machine: Ollama and LM Studio, and the models that they have.

Only the addresses of the settings are asked, only on this machine, never through a proxy, and only when the person asks for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from runtime.core.json import JsonObject, JsonValue, loads, table_of, words_of
from runtime.providers.model_config import ModelConfig
from runtime.providers.wire.endpoint import is_loopback

if TYPE_CHECKING:
    import httpx2

Server: TypeAlias = Literal["ollama", "lmstudio"]

_TIMEOUT_S: Final = 2.0
_MOST_MODELS: Final = 50
_EMBEDDINGS: Final = ("embed", "bge-", "rerank")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A model that a server on this machine has.

    Attributes:
        server: which program serves it.
        config: how it can be added; window, reasoning and tools as the server says.
    """

    server: Server
    config: ModelConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server that was looked for; `running` tells whether it answered."""

    server: Server
    base_url: str
    running: bool
    models: tuple[LocalModel, ...] = ()


async def discover(*, ollama_url: str, lmstudio_url: str) -> tuple[LocalServer, ...]:
    """Look for both servers.

    Args:
        ollama_url: address of Ollama without a path.
        lmstudio_url: address of LM Studio without a path.
    """
    return tuple(
        await asyncio.gather(
            _look("ollama", ollama_url.rstrip("/")),
            _look("lmstudio", lmstudio_url.rstrip("/")),
        )
    )


async def _look(server: Server, url: str) -> LocalServer:
    nothing = LocalServer(server=server, base_url=f"{url}/v1", running=False)
    if not is_loopback(url):
        return nothing
    made = await asyncio.to_thread(_client, url)  # as for every SDK: importing and building take long
    import httpx2

    try:
        async with asyncio.timeout(2 * _TIMEOUT_S), made as client:
            models = await (_ollama(client, url) if server == "ollama" else _lmstudio(client, url))
    except (httpx2.HTTPError, TimeoutError, ValueError):
        return nothing
    return LocalServer(server=server, base_url=f"{url}/v1", running=True, models=models)


def _client(url: str) -> httpx2.AsyncClient:
    import httpx2

    return httpx2.AsyncClient(base_url=url, timeout=_TIMEOUT_S, trust_env=False)


async def _ollama(client: httpx2.AsyncClient, url: str) -> tuple[LocalModel, ...]:
    listed = _items(await _get(client, "/api/tags"), "models")[:_MOST_MODELS]
    names = [name for item in listed if (name := words_of(item, "model") or words_of(item, "name"))]
    shown = await asyncio.gather(*(_shown(client, name) for name in names))
    return tuple(
        _model("ollama", url, name, window=_ollama_window(about), abilities=about.get("capabilities"))
        for name, about in zip(names, shown, strict=True)
        if not _is_embedding(name, about.get("capabilities"))
    )


async def _shown(client: httpx2.AsyncClient, name: str) -> JsonObject:
    """What Ollama tells about a model; older versions tell less."""
    import httpx2

    try:
        response = await client.post("/api/show", json={"model": name})
        return table_of(loads(response.content)) if response.status_code == 200 else {}
    except (httpx2.HTTPError, ValueError):
        return {}


def _ollama_window(about: JsonObject) -> int | None:
    """The context length that the model was trained with; a smaller one of the server's own settings is not told."""
    for name, value in table_of(about.get("model_info")).items():
        if name.endswith(".context_length") and isinstance(value, int) and value > 0:
            return value
    return None


async def _lmstudio(client: httpx2.AsyncClient, url: str) -> tuple[LocalModel, ...]:
    """LM Studio's own list says more than the one that is compatible with OpenAI's."""
    import httpx2

    try:
        listed = _items(await _get(client, "/api/v0/models"), "data")
    except (httpx2.HTTPError, ValueError):
        listed = _items(await _get(client, "/v1/models"), "data")
    found: list[LocalModel] = []
    for item in listed[:_MOST_MODELS]:
        name, window = words_of(item, "id"), item.get("loaded_context_length") or item.get("max_context_length")
        if name and words_of(item, "type") != "embeddings" and not _is_embedding(name, None):
            tokens = window if isinstance(window, int) and window > 0 else None
            found.append(_model("lmstudio", url, name, window=tokens, abilities=item.get("capabilities")))
    return tuple(found)


async def _get(client: httpx2.AsyncClient, path: str) -> JsonObject:
    response = await client.get(path)
    response.raise_for_status()
    return table_of(loads(response.content))


def _model(server: Server, url: str, name: str, *, window: int | None, abilities: JsonValue) -> LocalModel:
    known = [str(ability) for ability in abilities] if isinstance(abilities, list) else None
    return LocalModel(
        server=server,
        config=ModelConfig(
            id=name.replace(" ", "-")[:64],
            model=name,
            base_url=f"{url}/v1",
            context_window=window,
            reasoning=True if known is not None and "thinking" in known else None,
            tools=None if known is None else any(ability in ("tools", "tool_use") for ability in known),
        ),
    )


def _is_embedding(name: str, abilities: JsonValue) -> bool:
    if isinstance(abilities, list) and abilities:
        return "completion" not in abilities and "embedding" in abilities
    return any(part in name.lower() for part in _EMBEDDINGS)


def _items(answer: JsonObject, name: str) -> list[JsonObject]:
    value = answer.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

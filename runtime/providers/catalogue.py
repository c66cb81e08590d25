"""The models that a person has configured, and the providers made from them.

The models stand in `desk.toml` as `[[models]]` and `default_model`; their keys never do. The offline analyst is always there and is what
answers while nothing else is configured.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, cast

from runtime.core.messages import UserMessage
from runtime.errors import UserError
from runtime.providers.base import (
    Chunk,
    LLMProvider,
    ModelRequest,
    ProviderError,
    TextChunk,
    ThinkingChunk,
)
from runtime.providers.factory import ProviderFactory, load_sdk
from runtime.providers.model_config import (
    OFFLINE,
    OFFLINE_ID,
    ModelConfig,
    checked,
)
from runtime.providers.model_file import ModelFile
from runtime.secrets import Kept, SecretStore
from runtime.settings import SettingsFile

_PROBE_TIMEOUT_S: Final = 60.0
_PROBE_CHARACTERS: Final = 80  # of the answer to "ping"


class ModelCatalogue:
    """Reads and changes the configured models, and makes providers of them.

    Args:
        settings_file: `desk.toml`.
        secrets: where keys are.
        factory: makes providers.
    """

    def __init__(self, *, settings_file: SettingsFile, secrets: SecretStore, factory: ProviderFactory) -> None:
        self._file = ModelFile(settings_file)
        self._secrets = secrets
        self._factory = factory

    def models(self) -> tuple[ModelConfig, ...]:
        """All models that can be used, the built-in one first.

        Raises:
            UserError: `desk.toml` is no TOML.
        """
        return (OFFLINE, *self._file.read()[0])

    def problems(self) -> tuple[UserError, ...]:
        """What is wrong with entries of `desk.toml`; they are left out of `models`."""
        return self._file.read()[1]

    def get(self, model_id: str) -> ModelConfig:
        """A model by its id.

        Raises:
            UserError: there is none.
        """
        known = self.models()
        for config in known:
            if config.id == model_id:
                return config
        raise UserError("providers.unknown_model", id=model_id, known=", ".join(config.id for config in known))

    def default_id(self) -> str:
        """The model that answers when none is named: the chosen one, else the first configured, else the analyst."""
        ids = [config.id for config in self.models()]
        chosen = self._file.default()
        if chosen in ids:
            return chosen
        return ids[1] if len(ids) > 1 else OFFLINE_ID

    async def add(self, config: ModelConfig, key: str = "") -> Kept | None:
        """Add a model; returns where its key is kept, None without a key.

        Raises:
            UserError: the configuration cannot be used, or the id is taken.
        """
        config = checked(config)
        await asyncio.to_thread(self._file.add, config)
        return await self.set_key(config.id, key) if key.strip() else None

    async def replace(self, config: ModelConfig) -> None:
        """Change a model; comments and unknown entries of its table stay.

        Raises:
            UserError: the configuration cannot be used, or there is no such model.
        """
        config = checked(config)
        self.get(config.id)
        await asyncio.to_thread(self._file.replace, config)

    async def set_key(self, model_id: str, key: str) -> Kept:
        """Keep a model's key.

        Raises:
            UserError: there is no such model, or it is the built-in one.
        """
        if self.get(model_id).provider == "offline":
            raise UserError("providers.reserved_id", id=model_id)
        return await self._secrets.set(model_id, key.strip())

    async def remove(self, model_id: str) -> None:
        """Remove a model and its key.

        Raises:
            UserError: there is no such model, or it is the built-in one.
        """
        if model_id == OFFLINE_ID:
            raise UserError("providers.reserved_id", id=model_id)
        self.get(model_id)
        await asyncio.to_thread(self._file.remove, model_id)
        await self._secrets.delete(model_id)

    async def set_default(self, model_id: str) -> None:
        """Choose the model that answers when none is named.

        Raises:
            UserError: there is no such model.
        """
        self.get(model_id)
        await asyncio.to_thread(self._file.set_default, model_id)

    def fallback_ids(self) -> tuple[str, ...]:
        """The models that take over when the asked one cannot answer, in order; only those that exist."""
        known = {config.id for config in self.models()}
        return tuple(name for name in self._file.fallbacks() if name in known)

    async def preload(self) -> None:
        """Load the SDK of the default model in a thread, so that the first question need not wait for it.

        Raises:
            UserError: `desk.toml` is no TOML.
        """
        await asyncio.to_thread(load_sdk, self.get(self.default_id()).provider)

    async def set_fallbacks(self, model_ids: tuple[str, ...]) -> None:
        """Choose which models take over, in order; none = no other model is asked.

        Raises:
            UserError: there is no such model.
        """
        chosen = tuple(dict.fromkeys(model_ids))
        for model_id in chosen:
            self.get(model_id)
        await asyncio.to_thread(self._file.set_fallbacks, chosen)

    async def provider(self, model_id: str | None = None) -> LLMProvider:
        """The provider of a model, the default one without an id; who asks for it closes it.

        Raises:
            UserError: there is no such model.
            ProviderError: it has no key.
        """
        return await self._factory.make(self.get(model_id or self.default_id()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a model answered to a first word."""

    latency_s: float
    words: str


async def test_model(provider: LLMProvider) -> Probe:
    """Ask a model one word: how long until it says something, and what.

    Raises:
        ProviderError: it does not answer.
    """
    request = ModelRequest(system="", messages=(UserMessage(text="ping"),))
    started = time.monotonic()
    latency: float | None = None
    words = ""
    try:
        async with asyncio.timeout(_PROBE_TIMEOUT_S), aclosing(cast("_Stream", provider.stream(request))) as chunks:
            async for chunk in chunks:
                if latency is None and isinstance(chunk, TextChunk | ThinkingChunk):
                    latency = time.monotonic() - started
                if isinstance(chunk, TextChunk):
                    words += chunk.text
                if len(words) >= _PROBE_CHARACTERS:
                    break
    except TimeoutError:
        raise ProviderError("timeout", retryable=True, model=provider.name, seconds=round(_PROBE_TIMEOUT_S)) from None
    taken = time.monotonic() - started
    return Probe(latency_s=taken if latency is None else latency, words=words[:_PROBE_CHARACTERS].strip())


class _Stream(AsyncIterator[Chunk]):
    """What `aclosing` needs: providers stream from async generators."""

    async def aclose(self) -> None: ...

"""From a configured model to a provider with its key."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from runtime.providers.anthropic_messages import AnthropicProvider
from runtime.providers.base import Capabilities, LLMProvider, ProviderError
from runtime.providers.gemini import GeminiProvider
from runtime.providers.model_config import ModelConfig, ProviderKind
from runtime.providers.openai_compatible import OpenAIProvider
from runtime.providers.windows import infer_context_window, infer_reasoning
from runtime.providers.wire.account import Account
from runtime.providers.wire.client import SYSTEM_PROXY
from runtime.providers.wire.endpoint import Endpoint, is_loopback
from runtime.providers.wire.steps import AdaptationMemory
from runtime.secrets import VENDOR_KEYS, SecretStore

_SDKS: Final = {"openai": "openai", "anthropic": "anthropic", "gemini": "google.genai"}


def load_sdk(kind: ProviderKind) -> None:
    """Import the SDK behind an API: seconds of work, for a thread."""
    if kind != "offline":
        importlib.import_module(_SDKS[kind])


class ProviderFactory:
    """Makes providers; what endpoints refused is remembered for all of them.

    Args:
        secrets: where keys are.
        offline: makes the built-in analyst.
        proxy: tells `system`, `none`, or the proxy's address.
    """

    def __init__(
        self, secrets: SecretStore, offline: Callable[[], LLMProvider], proxy: Callable[[], str] = lambda: SYSTEM_PROXY
    ) -> None:
        self._secrets = secrets
        self._offline = offline
        self._memory = AdaptationMemory()
        self._proxy = proxy

    async def make(self, config: ModelConfig) -> LLMProvider:
        """The provider of a model; who asks for it closes it.

        Raises:
            ProviderError: it has no key.
        """
        if config.provider == "offline":
            return self._offline()
        account = Account(
            name=config.id,
            endpoint=Endpoint(base_url=config.base_url, model=config.model),
            key=await self._key(config),
            prices=config.prices,
            memory=self._memory,
            proxy=self._proxy(),
        )
        match config.provider:
            case "anthropic":
                return AnthropicProvider(account, capabilities_of(config))
            case "gemini":
                return GeminiProvider(account, capabilities_of(config))
            case "openai":
                return OpenAIProvider(account, capabilities_of(config))

    async def _key(self, config: ModelConfig) -> str:
        """The key: the named variable, the keyring, the vendor's own variable; servers on this machine need none."""
        named = self._secrets.from_environment(config.key_env) if config.key_env else None
        key = named or await self._secrets.get(config.id) or self._vendor_key(config.base_url)
        if key:
            return key
        if is_loopback(config.base_url):
            return ""
        endpoint = Endpoint(base_url=config.base_url, model=config.model)
        host = urlsplit(config.base_url).hostname
        vendor = next((variable for variable, owner in VENDOR_KEYS.items() if owner == host), None)
        variable = config.key_env or vendor
        raise ProviderError(
            "auth",
            variant="missing" if variable else "missing_unnamed",
            model=config.id,
            host=endpoint.host,
            variable=variable or "",
        )

    def _vendor_key(self, base_url: str) -> str | None:
        return self._secrets.vendor_key(base_url) if base_url.startswith("https://") else None


def capabilities_of(config: ModelConfig) -> Capabilities:
    """What a model can do: what the person says first, else what its name tells."""
    free = is_loopback(config.base_url) and config.prices is None  # a gateway on this machine may cost money elsewhere
    return Capabilities(
        tools=config.tools is not False,
        reasoning=infer_reasoning(config.model) if config.reasoning is None else config.reasoning,
        cache=True,
        window=config.context_window or infer_context_window(config.model),
        max_output=config.max_output,
        free=free,
        priced=free or config.prices is not None,
    )

"""Facts about endpoints: known addresses, and what a host or a model wants to be sent."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

# Addresses as the vendors document them; the SDK appends `/chat/completions`.
PRESETS: Final = {
    "openai": "https://api.openai.com/v1",
    "deepseek": "https://api.deepseek.com",
    "qwen": "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "dashscope": "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "kimi": "https://api.moonshot.cn/v1",
    "moonshot": "https://api.moonshot.cn/v1",
    "glm": "https://open.bigmodel.cn/api/paas/v4",
    "zhipu": "https://open.bigmodel.cn/api/paas/v4",
    "mistral": "https://api.mistral.ai/v1",
    "groq": "https://api.groq.com/openai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
}

_REASONING_BACK_HOSTS: Final = ("deepseek.com", "moonshot.cn", "moonshot.ai", "kimi.com")
_REASONING_BACK_MODELS: Final = re.compile(r"^(deepseek|kimi|moonshot)", re.IGNORECASE)
_STRICT_HOSTS: Final = ("openai.com", "azure.com", "mistral.ai", "groq.com")  # refuse unknown message fields
_MAX_CALL_ID: Final = 40  # OpenAI's limit
_MISTRAL_CALL_ID: Final = re.compile(r"[a-zA-Z0-9]{9}")


def is_loopback(base_url: str) -> bool:
    """Whether the address is on this machine: no key is needed and no proxy is used."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model behind one address."""

    base_url: str
    model: str

    @property
    def host(self) -> str:
        """Host and port, as shown to the person."""
        parts = urlsplit(self.base_url)
        return parts.netloc.rpartition("@")[2] or self.base_url

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return is_loopback(self.base_url)

    @property
    def wants_reasoning_back(self) -> bool:
        """Whether assistant messages must carry `reasoning_content` (DeepSeek V4, Kimi K2: 400 without it)."""
        if self._on(_REASONING_BACK_HOSTS):
            return True
        return bool(_REASONING_BACK_MODELS.match(self.model)) and not self._on(_STRICT_HOSTS)

    @property
    def empty_content(self) -> str | None:
        """The content of an assistant message that only calls tools: null, but "" where that was recorded to work."""
        return "" if self._on(("deepseek.com",)) else None

    def call_id(self, call_id: str) -> str:
        """The id of a call in the form that the endpoint takes; the same id always gives the same form."""
        if self._on(("mistral.ai",)):
            return call_id if _MISTRAL_CALL_ID.fullmatch(call_id) else _digest(call_id)[:9]
        return call_id if len(call_id) <= _MAX_CALL_ID else f"call_{_digest(call_id)[:24]}"

    def _on(self, hosts: tuple[str, ...]) -> bool:
        host = urlsplit(self.base_url).hostname or ""
        return any(host == name or host.endswith(f".{name}") for name in hosts)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

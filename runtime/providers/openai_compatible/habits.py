"""What a host or a model wants to be sent, beyond the API that all of them share."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from runtime.providers.wire.endpoint import Endpoint

_REASONING_BACK_HOSTS: Final = ("deepseek.com", "moonshot.cn", "moonshot.ai", "kimi.com", "bigmodel.cn", "z.ai")
_REASONING_BACK_MODELS: Final = re.compile(r"^(.*/)?(deepseek|kimi|moonshot|glm)", re.IGNORECASE)
_KIMI: Final = re.compile(r"kimi|moonshot", re.IGNORECASE)
_STRICT_HOSTS: Final = (
    "openai.com",
    "azure.com",
    "mistral.ai",
    "groq.com",
    "openrouter.ai",
)  # refuse unknown message fields
_MAX_CALL_ID: Final = 40  # OpenAI's limit
_MISTRAL_CALL_ID: Final = re.compile(r"[a-zA-Z0-9]{9}")


def wants_reasoning_back(endpoint: Endpoint) -> bool:
    """Whether assistant messages must carry `reasoning_content` (DeepSeek V4, Kimi K2: 400 without it)."""
    if endpoint.on(*_REASONING_BACK_HOSTS):
        return True
    return bool(_REASONING_BACK_MODELS.match(endpoint.model)) and not endpoint.on(*_STRICT_HOSTS)


def empty_content(endpoint: Endpoint) -> str | None:
    """The content of an assistant message that only calls tools: null, but what was recorded to work where it is known."""
    if _KIMI.search(endpoint.model):
        return " "
    return "" if endpoint.on("deepseek.com", "openrouter.ai") else None


def takes_signed_reasoning(endpoint: Endpoint) -> bool:
    """Whether the gateway hands signed reasoning back to the vendor behind it."""
    return endpoint.on("openrouter.ai")


def wire_call_id(endpoint: Endpoint, call_id: str) -> str:
    """The id of a call in the form that the endpoint takes; the same id always gives the same form."""
    if endpoint.on("mistral.ai"):
        return call_id if _MISTRAL_CALL_ID.fullmatch(call_id) else _digest(call_id)[:9]
    return call_id if len(call_id) <= _MAX_CALL_ID else f"call_{_digest(call_id)[:24]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

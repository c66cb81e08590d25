"""Known services: a name that a person can type instead of an address, and which API it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

WireKind: TypeAlias = Literal["openai", "anthropic", "gemini"]

KINDS: Final[tuple[WireKind, ...]] = ("openai", "anthropic", "gemini")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A known service.

    Attributes:
        base_url: its address as the vendor documents it.
        kind: which API it speaks there.
    """

    base_url: str
    kind: WireKind = "openai"


SERVICES: Final = {
    "openai": Preset(base_url="https://api.openai.com/v1"),
    "anthropic": Preset(base_url="https://api.anthropic.com", kind="anthropic"),
    "gemini": Preset(base_url="https://generativelanguage.googleapis.com", kind="gemini"),
    "deepseek": Preset(base_url="https://api.deepseek.com"),
    "qwen": Preset(base_url="https://dashscope.aliyuncs.com/compatible-mode/v1"),
    "kimi": Preset(base_url="https://api.moonshot.cn/v1"),
    "glm": Preset(base_url="https://open.bigmodel.cn/api/paas/v4"),
    "minimax": Preset(base_url="https://api.minimaxi.com/v1"),
    "doubao": Preset(base_url="https://ark.cn-beijing.volces.com/api/v3"),
    "siliconflow": Preset(base_url="https://api.siliconflow.cn/v1"),
    "openrouter": Preset(base_url="https://openrouter.ai/api/v1"),
    "groq": Preset(base_url="https://api.groq.com/openai/v1"),
    "mistral": Preset(base_url="https://api.mistral.ai/v1"),
    "ollama": Preset(base_url="http://127.0.0.1:11434/v1"),
    "lmstudio": Preset(base_url="http://127.0.0.1:1234/v1"),
}
_OTHER_NAMES: Final = {
    "claude": "anthropic",
    "google": "gemini",
    "dashscope": "qwen",
    "moonshot": "kimi",
    "zhipu": "glm",
    "volcengine": "doubao",
}


def preset_of(text: str) -> Preset | None:
    """The service of a name, in any case."""
    name = text.strip().lower()
    return SERVICES.get(_OTHER_NAMES.get(name, name))


def kind_of(text: str) -> WireKind:
    """Which API an address or a service's name speaks, as far as its host tells: OpenAI's is what most speak."""
    preset = preset_of(text)
    if preset is not None:
        return preset.kind
    parts = urlsplit(text.strip())
    host = parts.hostname or ""
    for service in SERVICES.values():
        if service.kind != "openai" and host == urlsplit(service.base_url).hostname:
            return service.kind
    return "anthropic" if parts.path.rstrip("/").endswith("/anthropic") else "openai"

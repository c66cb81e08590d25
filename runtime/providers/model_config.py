"""A configured model: what `desk.toml` says about it, checked and in one form. Never a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from runtime.errors import UserError
from runtime.providers.presets import KINDS, SERVICES, WireKind, preset_of
from runtime.providers.windows import Prices
from runtime.providers.wire.errors import quoted

ProviderKind: TypeAlias = WireKind | Literal["offline"]

OFFLINE_ID: Final = "offline"
_ID: Final = re.compile(r"[\w.\-:/@]{1,64}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SUFFIXES: Final = (
    "/chat/completions",
    "/completions",
    "/responses",
    "/v1/messages",
    "/messages",
    "/models",
)  # what people copy along
_OPTIONAL: Final = ("key_env", "context_window", "reasoning", "tools", "max_output")
_PRICES: Final = tuple(f"{item.name}_per_1m" for item in fields(Prices))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """A model that can be chosen.

    Attributes:
        id: the person's name for it.
        provider: which API it speaks; `offline` is the built-in analyst.
        model: the vendor's name of the model.
        base_url: address including its version; a preset's name is accepted and replaced by its address.
        key_env: environment variable that holds the key; None = the keyring, or the vendor's own variable.
        context_window: tokens; None = by name.
        reasoning: whether it reasons; None = by name.
        tools: whether it can call tools; None = yes, until the server says no.
        max_output: longest answer in tokens; None = what the model does by itself.
        prices: what tokens cost; None = unknown.
    """

    id: str
    provider: ProviderKind = "openai"
    model: str = ""
    base_url: str = ""
    key_env: str | None = None
    context_window: int | None = None
    reasoning: bool | None = None
    tools: bool | None = None
    max_output: int | None = None
    prices: Prices | None = None


OFFLINE: Final = ModelConfig(id=OFFLINE_ID, provider="offline", model=OFFLINE_ID)


def checked(config: ModelConfig) -> ModelConfig:
    """The configuration in its one form.

    Raises:
        UserError: something in it cannot be used.
    """
    name = config.id.strip()
    if name == OFFLINE_ID:
        raise UserError("providers.reserved_id", id=name)
    if not _ID.fullmatch(name):
        raise UserError("providers.bad_id", id=name)
    if config.provider not in KINDS:
        raise UserError("providers.unknown_provider", id=name, provider=config.provider, known=", ".join(KINDS))
    if not config.model.strip():
        raise UserError("providers.missing_model", id=name)
    if config.key_env is not None and not _VARIABLE.fullmatch(config.key_env):
        raise UserError("providers.bad_key_env", id=name)
    for number in ("context_window", "max_output"):
        value = getattr(config, number)
        if value is not None and value <= 0:
            raise UserError("providers.bad_number", id=name, name=number)
    if config.prices is not None:
        for item in fields(Prices):
            price = getattr(config.prices, item.name)
            if price is not None and not 0 <= price < float("inf"):
                raise UserError("providers.bad_number", id=name, name=f"{item.name}_per_1m")
    return replace(config, id=name, model=config.model.strip(), base_url=checked_url(config.base_url))


def checked_url(text: str) -> str:
    """An address in its one form: without a trailing slash, without the path that the SDK appends.

    Raises:
        UserError: it is no http address, or it carries a password or a query, where a key could hide.
    """
    preset = preset_of(text)
    url = (preset.base_url if preset is not None else text.strip()).rstrip("/")
    for suffix in _SUFFIXES:
        url = url.removesuffix(suffix)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UserError("providers.bad_url", url="", presets=_preset_names()) from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError("providers.secret_in_url", host=parts.hostname or "")
    if not usable or re.search(r"\s", url):
        raise UserError("providers.bad_url", url=quoted(url, ""), presets=_preset_names())
    return url


def config_from_table(table: Mapping[str, object]) -> ModelConfig:
    """A model from its table in `desk.toml`.

    Raises:
        UserError: a value has the wrong type or cannot be used.
    """
    name = _text(table, "id", "?")
    provider = _text(table, "provider", name) or "openai"
    kind = next((known for known in KINDS if known == provider), None)
    if kind is None:
        raise UserError("providers.unknown_provider", id=name, provider=provider, known=", ".join(KINDS))
    return checked(
        ModelConfig(
            id=name,
            provider=kind,
            model=_text(table, "model", name),
            base_url=_text(table, "base_url", name),
            key_env=_text(table, "key_env", name) or None,
            context_window=_whole(table, "context_window", name),
            reasoning=_switch(table, "reasoning"),
            tools=_switch(table, "tools"),
            max_output=_whole(table, "max_output", name),
            prices=_prices(table, name),
        )
    )


def config_table(config: ModelConfig) -> dict[str, str | int | float | bool]:
    """What `desk.toml` keeps of a model, in its order; what is not set is left out."""
    table: dict[str, str | int | float | bool] = {
        "id": config.id,
        "provider": config.provider,
        "model": config.model,
        "base_url": config.base_url,
    }
    optional = {name: getattr(config, name) for name in _OPTIONAL}
    table |= {name: value for name, value in optional.items() if value is not None}
    for item in fields(Prices) if config.prices is not None else ():
        price = getattr(config.prices, item.name)
        if price is not None:
            table[f"{item.name}_per_1m"] = float(price)
    return table


OWN_NAMES: Final = frozenset(
    ("id", "provider", "model", "base_url", *_OPTIONAL, *_PRICES)
)  # keys of a table that this program writes; others are left alone


def _text(table: Mapping[str, object], name: str, model_id: str) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise UserError("providers.bad_text", id=model_id, name=name)
    return str(value)


def _whole(table: Mapping[str, object], name: str, model_id: str) -> int | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise UserError("providers.bad_number", id=model_id, name=name)
    return int(value)


def _switch(table: Mapping[str, object], name: str) -> bool | None:
    value = table.get(name)
    return bool(value) if isinstance(value, bool) else None


def _prices(table: Mapping[str, object], model_id: str) -> Prices | None:
    found: dict[str, float] = {}
    for name in _PRICES:
        value = table.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError("providers.bad_number", id=model_id, name=name)
        found[name.removesuffix("_per_1m")] = float(value)
    if not found:
        return None
    return Prices(
        input=found.get("input", 0.0),
        output=found.get("output", 0.0),
        cache_read=found.get("cache_read"),
        cache_write=found.get("cache_write"),
    )


def _preset_names() -> str:
    return ", ".join(SERVICES)

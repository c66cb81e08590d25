"""What is known about an instrument, and what the text of a person resolved to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

AssetKind: TypeAlias = Literal["stock", "index", "fund"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """An instrument by its exchange-qualified id (`600519.SH`, `000001.SZ`, `920748.BJ`, `600001.SIM` in the sample market)."""

    symbol: str
    name: str
    kind: AssetKind = "stock"

    @property
    def code(self) -> str:
        """The code without the exchange."""
        return self.symbol.partition(".")[0]

    @property
    def exchange(self) -> str:
        """`SH`, `SZ`, `BJ` or `SIM`."""
        return self.symbol.partition(".")[2]

    @property
    def is_sample(self) -> bool:
        """Whether it belongs to the bundled sample market."""
        return self.exchange == "SIM"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguity:
    """A piece of the text that several instruments answer to."""

    text: str
    candidates: tuple[Instrument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The instruments that a text names, in the order of their appearance, and what could not be decided.

    `inherited`: the text names none itself; these are the ones that the conversation was about before.
    """

    instruments: tuple[Instrument, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    unknown: tuple[str, ...] = ()
    inherited: bool = False

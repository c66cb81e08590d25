"""One definition for each tool: what the model sees, what the person sees, what may happen, and the code behind it.

Provider schemas, approval forms and the tool table of the README are generated from these definitions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ConfigDict

from runtime.core.approvals import ActionPreview
from runtime.core.json import JsonObject
from runtime.core.symbols import Instrument, Resolution
from runtime.core.verdicts import Verdict
from runtime.providers.base import ToolSchema
from runtime.texts import Texts

SideEffect: TypeAlias = Literal["database", "portfolio", "files", "network", "processes"]


class ToolArgs(BaseModel):
    """Base of all tool arguments: unknown ones are refused, texts are trimmed."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Where the figures of a result come from.

    Attributes:
        source: name of the source; empty where a result has no figures of a market.
        as_of: day of the newest figure; None = no figures, or unknown.
        adjust: adjustment of prices; None = not applicable.
        unit: unit of amounts and volumes.
        stale: older than the last trading day that should be there.
        partial: something is missing; the data says what.
    """

    source: str = ""
    as_of: date | None = None
    adjust: str | None = None
    unit: str | None = None
    stale: bool = False
    partial: bool = False

    def to_json(self) -> JsonObject:
        """The `meta` of the envelope."""
        return {
            "source": self.source,
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "adjust": self.adjust,
            "unit": self.unit,
            "stale": self.stale,
            "partial": self.partial,
        }


def meta_of(stored: JsonObject) -> Meta:
    """The meta of an envelope that was kept as JSON; what cannot be read is unknown."""
    source, adjust, unit, as_of = (stored.get(name) for name in ("source", "adjust", "unit", "as_of"))
    try:
        day = date.fromisoformat(as_of) if isinstance(as_of, str) else None
    except ValueError:
        day = None
    return Meta(
        source=source if isinstance(source, str) else "",
        as_of=day,
        adjust=adjust if isinstance(adjust, str) else None,
        unit=unit if isinstance(unit, str) else None,
        stale=stored.get("stale") is True,
        partial=stored.get("partial") is True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """A successful result: data for the model, one line for the person, and a verdict when one was recorded."""

    data: JsonObject
    summary: str
    meta: Meta = field(default_factory=Meta)
    verdict: Verdict | None = None
    capped_from: str | None = None
    cap_rules: tuple[str, ...] = ()


# How a tool asks the person (question, options); None = the answer comes with the next message.
Questioner: TypeAlias = Callable[[str, tuple[str, ...]], Awaitable[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a tool may know about the turn it runs in."""

    conversation_id: str
    turn_id: str
    call_id: str
    resolution: Resolution
    ask: Questioner
    report: Callable[[str, str, float | None], None]  # stage, detail, fraction 0..1 or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A write that is ready: what it would change, and the code that does exactly that.

    Attributes:
        preview: what the person decides on.
        commit: applies it as a whole or not at all; raises TransientError when the world has moved since.
        destructive: it sells, removes, clears or deletes, or takes a stop away.
        pattern: what a standing rule for this kind of action matches.
        pattern_text: the same in words.
    """

    preview: ActionPreview
    commit: Callable[[], Awaitable[ToolOutcome]]
    destructive: bool
    pattern: JsonObject
    pattern_text: str


A = TypeVar("A", bound=ToolArgs)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition(Generic[A]):
    """A tool. Exactly one of `run` (reads) and `prepare` (writes, after approval) is set.

    Attributes:
        name: what the model calls.
        args: pydantic model of the arguments.
        run: the code of a reading tool.
        prepare: the code of a writing tool, up to the point where it would change something.
        concurrency_safe: may run beside others.
        side_effects: what it may change.
        timeout_s: longest run; None = as long as the turn has (asking tools).
        scope: `stock` = its `symbol` argument is held to the stocks of the turn.
        summary_args: arguments that name the call in one line.
        permissions: what it reads, for listings.
        asset_kinds: kinds of instrument that it knows.
        paged: its results are pages, or must be read whole: a long one stays as it is.
        decisive: fields of its data that a preview of a long result keeps before all others.
    """

    name: str
    args: type[A]
    run: Callable[[ToolContext, A], Awaitable[ToolOutcome]] | None = None
    prepare: Callable[[ToolContext, A], Awaitable[Prepared]] | None = None
    concurrency_safe: bool = False
    side_effects: tuple[SideEffect, ...] = ()
    timeout_s: float | None = 60.0
    scope: Literal["none", "stock"] = "none"
    summary_args: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    asset_kinds: tuple[str, ...] = ("stock", "index", "fund")
    background: bool = False
    paged: bool = False
    decisive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.run is None) == (self.prepare is None):
            raise ValueError(f"{self.name}: exactly one of run and prepare")

    @property
    def requires_approval(self) -> bool:
        """Whether a person, or a rule of theirs, has to agree."""
        return self.prepare is not None

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing."""
        return not self.side_effects

    def display_name(self, texts: Texts) -> str:
        """The name for the person."""
        return texts(f"tools.{self.name}_name")

    def description(self, texts: Texts) -> str:
        """What it does, for the model and for listings."""
        return texts(f"tools.{self.name}_description")

    def schema(self, texts: Texts) -> ToolSchema:
        """The tool as a provider sees it."""
        parameters = cast("JsonObject", self.args.model_json_schema())
        parameters.pop("title", None)
        parameters.pop("description", None)
        return ToolSchema(name=self.name, description=self.description(texts), parameters=parameters)

    def args_summary(self, args: JsonObject) -> str:
        """The arguments that name the call, in one line."""
        return " · ".join(str(args[name]) for name in self.summary_args if args.get(name) not in (None, "", []))


# The registry and the executor hold tools of any argument model; the model itself guards the arguments.
AnyTool: TypeAlias = ToolDefinition[Any]


def instrument_json(instrument: Instrument) -> JsonObject:
    """An instrument in results."""
    return {
        "symbol": instrument.symbol,
        "name": instrument.name,
        "kind": instrument.kind,
        "sample": instrument.is_sample,
    }

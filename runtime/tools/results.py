"""The envelope in which every result reaches the model: `{ok, data, error, meta}`. Failed, empty and unsupported are different things."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.core.json import JsonObject, dumps, json_safe
from runtime.core.messages import ToolCall, ToolMessage
from runtime.tools.definition import Meta, ToolOutcome
from runtime.tools.offload import Offloaded


@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """Why a call did not succeed, for the model: a code, words that name the fix, whether trying again makes sense, and facts."""

    code: str
    message: str
    retriable: bool = False
    details: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """How one call ended. Exactly one of `outcome` and `error` is set.

    Attributes:
        call: what was asked.
        outcome: the result.
        error: why there is none.
        approval: how a write was approved; None for reads.
        elapsed_ms: from the start of the call, waiting for the person included.
        cached: answered from what this turn remembers.
        offloaded: where it was too long for the model: what the model reads instead.
    """

    call: ToolCall
    outcome: ToolOutcome | None = None
    error: CallError | None = None
    approval: JsonObject | None = None
    elapsed_ms: int = 0
    cached: bool = False
    offloaded: Offloaded | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a result."""
        return self.error is None

    def envelope(self) -> JsonObject:
        """The result as a JSON object, whole."""
        data = self.outcome.data if self.outcome is not None else None
        meta = self.outcome.meta if self.outcome is not None else Meta()
        problem: JsonObject | None = None
        if self.error is not None:
            problem = {"code": self.error.code, "message": self.error.message, "retriable": self.error.retriable}
            if self.error.details is not None:
                problem["details"] = self.error.details
        envelope: JsonObject = {"ok": self.ok, "data": json_safe(data), "error": problem, "meta": meta.to_json()}
        if self.approval is not None:
            envelope["approval"] = self.approval
        return envelope

    def message(self) -> ToolMessage:
        """The message that answers the call."""
        read = self.envelope() if self.offloaded is None else self.offloaded.preview
        return ToolMessage(call_id=self.call.id, name=self.call.name, content=dumps(read), ok=self.ok)

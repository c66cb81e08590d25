"""Tokens of a model call: added to the turn, told, and stored."""

from __future__ import annotations

from runtime.agent.turn import TurnState
from runtime.core.events import UsageReport
from runtime.core.messages import Usage
from runtime.storage.usage import UsageStore


async def count_usage(turn: TurnState, store: UsageStore, model: str, usage: Usage, purpose: str = "chat") -> None:
    """Count one call.

    Args:
        turn: the turn that it belongs to.
        store: where usage is kept.
        model: who answered.
        usage: what the server reported.
        purpose: what the call was for: `chat`, `compaction`.
    """
    turn.usage += usage
    turn.emit(
        UsageReport(
            input=usage.input,
            output=usage.output,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            cost=usage.cost,
            estimated=usage.estimated,
        )
    )
    await store.add(
        conversation_id=turn.conversation_id, turn_id=turn.turn_id, model=model, purpose=purpose, usage=usage
    )

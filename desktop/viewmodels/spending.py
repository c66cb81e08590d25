"""What was spent, as the page shows it: sums by model, and how many calls have no price. Values only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from runtime.core.messages import Usage
from runtime.storage.usage import UsageRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpending:
    """The sums of one model; `unpriced` calls cost something that is not known."""

    model: str
    calls: int
    usage: Usage
    unpriced: int


def by_model(rows: Iterable[UsageRow], free: Collection[str]) -> list[ModelSpending]:
    """Days and purposes added up, the model with the most tokens first.

    Args:
        rows: sums by day, model and purpose.
        free: models that cost nothing, because they run on this machine.
    """
    sums: dict[str, ModelSpending] = {}
    for row in rows:
        known = sums.get(row.model) or ModelSpending(model=row.model, calls=0, usage=Usage(), unpriced=0)
        sums[row.model] = ModelSpending(
            model=row.model,
            calls=known.calls + row.calls,
            usage=known.usage + (Usage(cost=0.0) if row.model in free else Usage()) + row.usage,
            unpriced=known.unpriced + (0 if row.model in free else row.unpriced),
        )
    return sorted(sums.values(), key=lambda item: -item.usage.tokens)


def unpriced_on(day: date, rows: Iterable[UsageRow], free: Collection[str]) -> int:
    """How many calls of a day have no known cost."""
    return sum(row.unpriced for row in rows if row.day == day and row.model not in free)

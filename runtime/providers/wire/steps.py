"""What an endpoint refused once is not sent again: the memory of steps down, by endpoint and model.

A refusal that names an optional part of the request leads to one step. Wrong keys, empty balances and limits are no reason to step down.
"""

from __future__ import annotations

from runtime.providers.wire.endpoint import Endpoint
from runtime.providers.wire.problems import Refusal

STATUSES = (400, 422)  # of refusals that may be about a part of the request


class AdaptationMemory:
    """The steps taken so far; shared between providers so that it outlives them."""

    def __init__(self) -> None:
        self._steps: dict[Endpoint, frozenset[str]] = {}

    def of(self, endpoint: Endpoint) -> frozenset[str]:
        """What to leave out or add for an endpoint."""
        return self._steps.get(endpoint, frozenset())

    def learn(self, endpoint: Endpoint, step: str) -> None:
        """Remember a step."""
        self._steps[endpoint] = self.of(endpoint) | {step}


def about_the_request(refusal: Refusal) -> bool:
    """Whether a refusal may be about a part of the request."""
    return refusal.status in STATUSES

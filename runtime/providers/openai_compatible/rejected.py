"""A tool call that the server itself refused to pass on (Groq's `tool_use_failed`): the model gets it back and may try again."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from runtime.core.messages import UserMessage
from runtime.providers.base import ModelRequest
from runtime.providers.wire.problems import Problem, Refusal
from runtime.texts import Texts

_CALL_LIMIT: Final = 2_000  # characters of the rejected call; enough to recognise it
_REASON_LIMIT: Final = 1_000  # characters of the server's words


def asked_again(request: ModelRequest, problem: Problem) -> ModelRequest | None:
    """The request that tells the model what was wrong with its call; None = the problem is no rejected call."""
    match problem:
        case Refusal(rejected=call) if call:
            text = Texts("en")(
                "providers.rejected_call", reason=problem.message[:_REASON_LIMIT], call=call[:_CALL_LIMIT]
            )
            return replace(request, messages=(*request.messages, UserMessage(text=text)))
        case _:
            return None

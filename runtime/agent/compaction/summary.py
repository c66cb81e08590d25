"""Old messages summed up by a model, without tools, in limited time. What is no usable summary is none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, cast

from runtime.agent.compaction.serialise import serialised
from runtime.agent.counting import count_usage
from runtime.agent.model_stream import ChunkStream
from runtime.agent.turn import TurnState
from runtime.core.compaction import CompactionRecord
from runtime.core.messages import Message, Usage, UserMessage
from runtime.core.tasks import to_the_end
from runtime.providers.base import (
    FinishChunk,
    LLMProvider,
    ModelRequest,
    ProviderError,
    TextChunk,
    UsageChunk,
)
from runtime.storage.usage import UsageStore

SUMMARY_TIMEOUT_S: Final = 30.0  # design 2
SUMMARY_LENGTH: Final = 500  # characters, seed 000
SUMMARY_LEAST: Final = 20  # characters, seed 000: less is no summary
MOST_INPUT: Final = 60_000  # tokens: more takes longer to read than there is time
_OUTPUT_TOKENS: Final = 1_024
_REASONING_TOKENS: Final = 4_096  # reasoning counts as output
_ENDS: Final = "。！？；.!?;\n"


class NoSummaryError(Exception):
    """There is no usable summary; `reason` is the key of the text that says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Summariser:
    """Asks for summaries.

    Attributes:
        prompt: what is to be kept, and how.
        usage: where the tokens are counted.
    """

    prompt: str
    usage: UsageStore

    async def summary(
        self,
        turn: TurnState,
        provider: LLMProvider,
        head: Sequence[Message],
        before: CompactionRecord | None,
        room: int,
    ) -> str:
        """The summary of old messages, at most `SUMMARY_LENGTH` characters.

        Args:
            turn: where the call is counted.
            provider: the model.
            head: the messages.
            before: what stands in for those that were compacted before.
            room: tokens that the messages may take.

        Raises:
            NoSummaryError: it is too short, took too long, or the model failed.
        """
        usage: list[Usage] = []
        request = self._request(provider, head, before, room)
        try:
            async with asyncio.timeout(turn.deadline.cut(SUMMARY_TIMEOUT_S)):
                text = await _answer(provider, request, usage)
        except TimeoutError:
            raise NoSummaryError("agent.compaction_slow") from None
        except ProviderError:
            raise NoSummaryError("agent.compaction_model_failed") from None
        finally:
            if usage:
                await to_the_end(count_usage(turn, self.usage, provider.name, usage[-1], "compaction"))
        if len(text) < SUMMARY_LEAST:
            raise NoSummaryError("agent.compaction_too_short")
        return _cut(text)

    def _request(
        self, provider: LLMProvider, head: Sequence[Message], before: CompactionRecord | None, room: int
    ) -> ModelRequest:
        earlier = f"<earlier_summary>\n{before.summary}\n</earlier_summary>\n\n" if before and before.summary else ""
        text = serialised(head, min(room, MOST_INPUT), provider.name)
        able = provider.capabilities
        return ModelRequest(
            system=self.prompt,
            messages=(UserMessage(text=f"{earlier}<messages>\n{text}\n</messages>"),),
            max_output_tokens=min(able.max_output or _REASONING_TOKENS, _most_output(reasoning=able.reasoning)),
            idle_timeout_s=SUMMARY_TIMEOUT_S,
            reasoning_idle_timeout_s=SUMMARY_TIMEOUT_S,
        )


async def _answer(provider: LLMProvider, request: ModelRequest, usage: list[Usage]) -> str:
    """The visible text of an answer; one that was cut off by its length limit is kept as far as it goes.

    Raises:
        ProviderError: there is no whole answer.
    """
    text, finished = "", False
    async with aclosing(cast("ChunkStream", provider.stream(request))) as chunks:
        async for chunk in chunks:
            match chunk:
                case TextChunk():
                    text += chunk.text
                case UsageChunk():
                    usage.append(chunk.usage)
                case FinishChunk(reason=reason):
                    finished = reason in ("stop", "length")
                case _:
                    pass
    if not finished:
        raise ProviderError("incomplete", model=provider.name)
    return text.strip()


def _most_output(*, reasoning: bool) -> int:
    return _REASONING_TOKENS if reasoning else _OUTPUT_TOKENS


def _cut(text: str) -> str:
    """The text up to the last sentence that fits."""
    if len(text) <= SUMMARY_LENGTH:
        return text
    piece = text[:SUMMARY_LENGTH]
    end = max(piece.rfind(sign) for sign in _ENDS)
    return piece[: end + 1] if end > SUMMARY_LENGTH // 2 else piece

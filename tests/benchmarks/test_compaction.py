"""What compaction costs besides the model: estimates, splitting and keeping of 1,000 messages. Design: at most 50 ms of CPU."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from runtime.agent.compaction.anchors import anchored
from runtime.agent.compaction.budget import ContextBudget, TokenMeter
from runtime.agent.compaction.serialise import serialised
from runtime.agent.compaction.tail import tail_start
from runtime.core.messages import Message
from runtime.market.symbols import InstrumentDirectory
from runtime.providers.tokens import estimate_tokens
from tests.runtime.providers.test_tokens import TOKENIZERS, counted
from tests.support.long_talks import answered, result, said

pytestmark = pytest.mark.benchmark

QUESTION = "云溪股份现在处在什么位置？止损必须设在 12.30，仓位不要超过三成，记在 notes/plan.md。"
ANSWER = "区间中部缩量，等待放量确认；上沿 13.80，下沿 11.90，跌破下沿说明看错了。" * 3


def conversation(count: int) -> list[Message]:
    """Questions, calls, results of about 900 characters, answers."""
    bars = [{"date": f"2026-06-{day:02d}", "close": 10.5, "volume": 12_345_678} for day in range(1, 15)]
    content = json.dumps({"ok": True, "data": {"symbol": "608101.SIM", "bars": bars}}, ensure_ascii=False)
    talk: list[Message] = []
    for at in range(count // 4):
        talk += [
            said(f"{at}：{QUESTION}"),
            answered("先读图", ("a", "analyze_stock")),
            result("a", content),
            answered(f"{at}：{ANSWER}"),
        ]
    return talk


def cpu_ms(work: Callable[[], object], times: int = 5) -> float:
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best * 1000


@pytest.mark.parametrize("count", [1_000, 2_000, 4_000])
def test_bookkeeping(count: int) -> None:
    messages, meter, directory = conversation(count), TokenMeter(), InstrumentDirectory()
    budget = ContextBudget(window=64_000, fixed=8_000)

    def check() -> list[float]:
        return meter.sizes(messages, "deepseek-chat")

    def compact() -> None:
        start = tail_start(messages, check(), keep=budget.recent, limit=budget.limit // 2)
        anchored(None, messages[:start], directory.resolve, messages[start:])

    characters = sum(len(str(message)) for message in messages)
    print(f"\n{count} messages, about {characters:,} characters: a check before a call {cpu_ms(check):.1f} ms")
    print(f"  check, split, what must be kept: {cpu_ms(compact):.1f} ms")
    print(f"  text for the summary: {cpu_ms(lambda: serialised(messages, 60_000, 'deepseek-chat')):.1f} ms")


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_estimates_against_the_tokenizer(tokenizer: str) -> None:
    model = TOKENIZERS[tokenizer]
    ratios = sorted(estimate_tokens(text, model) / tokens[tokenizer] for text, tokens in counted())
    if not ratios:
        pytest.skip("no counts here")
    quantiles = [ratios[round(share * (len(ratios) - 1))] for share in (0, 0.1, 0.5, 0.9, 1)]
    mean = sum(abs(ratio - 1) for ratio in ratios) / len(ratios)
    told = " ".join(f"{value:.2f}" for value in quantiles)
    print(f"\n{tokenizer}: estimate/truth min, 10 %, median, 90 %, max: {told}, mean error {mean:.1%}")

"""Windows, reasoning and cost of models by name."""

from __future__ import annotations

import json
from typing import cast

import pytest

from runtime.core.messages import Usage
from runtime.providers.windows import Prices, cost_of, infer_context_window, infer_reasoning
from tests.support.replay import SHARED

CASES = SHARED / "cases" / "runtime.json"


def observed() -> list[tuple[str, int]]:
    """What the reference program infers, read in place; empty where the cases are absent."""
    if not CASES.is_file():
        return []
    cases = cast("list[dict[str, object]]", json.loads(CASES.read_text("utf-8")))
    wanted = [case for case in cases if case["area"] == "model.context_window" and case["spec"] in ("both", "current")]
    return [(cast("dict[str, str]", case["input"])["model"], cast("int", case["expected"])) for case in wanted]


@pytest.mark.skipif(not CASES.is_file(), reason=f"no cases at {CASES}")
def test_windows_follow_the_observed_ones() -> None:
    cases = observed()
    assert cases
    assert {model: infer_context_window(model) for model, _ in cases} == dict(cases)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("anthropic/claude-opus-4", 200_000),
        ("GPT-4o", 128_000),
        ("gemini-2.0-pro", 1_000_000),
        ("DeepSeek-V3", 64_000),
        ("a-model-nobody-knows", 64_000),
    ],
)
def test_window_by_name(model: str, window: int) -> None:
    assert infer_context_window(model) == window


@pytest.mark.parametrize(
    ("model", "reasons"),
    [("deepseek-reasoner", True), ("openai/o3", True), ("qwen3-32b", True), ("gpt-4o", False), ("llama-3", False)],
)
def test_reasoning_by_name(model: str, *, reasons: bool) -> None:
    assert infer_reasoning(model) == reasons


def test_cached_tokens_cost_as_much_as_fresh_ones_unless_a_price_is_known() -> None:
    usage = Usage(input=1_000_000, output=500_000, cache_read=1_000_000, cache_write=1_000_000)
    assert cost_of(usage, Prices(input=2, output=8)) == pytest.approx(2 + 4 + 2 + 2)
    assert cost_of(usage, Prices(input=2, output=8, cache_read=0.2, cache_write=2.5)) == pytest.approx(
        2 + 4 + 0.2 + 2.5
    )

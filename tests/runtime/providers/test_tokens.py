"""Estimates of tokens against real tokenizers, and what must hold of any estimate."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.providers.tokens import estimate_tokens, family_of
from tests.support.replay import SHARED

_FILE: Final = SHARED / "cases" / "tokens.json"
needs_counts = pytest.mark.skipif(not _FILE.is_file(), reason=f"no counts at {_FILE}")

TOKENIZERS: Final = {
    "o200k": "gpt-4o",
    "claude(old)": "claude-sonnet-4",
    "gemini": "gemini-2.5-pro",
    "deepseek": "deepseek-chat",
    "qwen3": "qwen3-max",
}
LOWEST, HIGHEST = 0.8, 1.25  # of the truth, for a single text
WHOLE: Final = 0.05  # for all texts together
MEAN: Final = 0.09  # mean absolute error of single texts
SHORT: Final = 20  # tokens below which a ratio says nothing


@cache
def counted() -> list[tuple[str, dict[str, int]]]:
    found = json.loads(_FILE.read_text("utf-8")) if _FILE.is_file() else {}
    return [(item["text"], cast("dict[str, int]", item["tokens"])) for item in found.values()]


@needs_counts
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_estimates_keep_close_to_the_tokenizer(tokenizer: str) -> None:
    model = TOKENIZERS[tokenizer]
    pairs = [(estimate_tokens(text, model), tokens[tokenizer]) for text, tokens in counted()]
    ratios = [ours / truth for ours, truth in pairs if truth >= SHORT]
    assert min(ratios) >= LOWEST
    assert max(ratios) <= HIGHEST
    assert sum(abs(ratio - 1) for ratio in ratios) / len(ratios) <= MEAN
    assert abs(sum(ours for ours, _ in pairs) / sum(truth for _, truth in pairs) - 1) <= WHOLE


@needs_counts
def test_a_model_that_nobody_knows_is_rarely_measured_too_low() -> None:
    ratios = sorted(estimate_tokens(text, "a-new-model") / max(tokens.values()) for text, tokens in counted())
    assert ratios[0] >= 0.7
    assert ratios[len(ratios) // 5] >= 0.9


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5-mini", "openai"),
        ("openai/o4-mini", "openai"),
        ("anthropic/claude-opus-4", "claude"),
        ("Gemini-2.5-Flash", "gemini"),
        ("deepseek-ai/DeepSeek-V3", "deepseek"),
        ("Qwen3-235B", "qwen"),
        ("deepseek-r1-distill-qwen-32b", "deepseek"),
        ("llama3.1:8b", "other"),
        ("", "other"),
    ],
)
def test_families_are_read_from_names(model: str, family: str) -> None:
    assert family_of(model) == family


def test_a_digit_is_a_token_of_its_own_where_it_is_one() -> None:
    assert estimate_tokens("600519", "qwen3-max") == 6
    assert estimate_tokens("600519", "gemini-2.5-pro") == 6
    assert estimate_tokens("600519", "gpt-4o") == 2


@pytest.mark.parametrize("model", [*TOKENIZERS.values(), "other"])
def test_nothing_takes_nothing(model: str) -> None:
    assert estimate_tokens("", model) == 0


@given(st.text(), st.text(), st.sampled_from([*TOKENIZERS.values(), ""]))
def test_more_text_never_takes_fewer_tokens(one: str, other: str, model: str) -> None:
    # A blank between them: letters that meet may become one long run.
    both = estimate_tokens(f"{one} {other}", model)
    assert both >= max(estimate_tokens(one, model), estimate_tokens(other, model))
    assert both <= estimate_tokens(one, model) + estimate_tokens(other, model) + 2


def test_half_characters_do_no_harm() -> None:
    assert estimate_tokens("\ud83d", "gpt-4o") >= 1


@pytest.mark.parametrize("text", ["a", "1", "a1", "中", "a ", "1,", "a1b2-"])
def test_no_text_takes_more_than_linear_time(text: str) -> None:
    started = time.process_time()
    estimate_tokens(text * 200_000, "gpt-4o")
    assert time.process_time() - started < 2.0

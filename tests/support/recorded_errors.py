"""What every recorded error must come to, whichever API it belongs to."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.core.json import JsonObject
from runtime.texts import LANGUAGES, Texts
from tests.support.answers import KEY, Answer


def assert_recorded_error(answer: Answer, expected: JsonObject, categories: Mapping[str, str]) -> None:
    """The error has its category, says what the server said in both languages, and never the key.

    Args:
        answer: what came of the recording.
        expected: what the recording expects.
        categories: the recordings' word for a category, where ours is another.
    """
    assert answer.chunks == []
    error = answer.error
    assert error is not None
    recorded = str(expected["error_class"])
    assert error.category == categories.get(recorded, recorded)
    assert error.retryable == expected["retryable"]
    assert error.retry_after_s == expected.get("retry_after_s")
    for language in LANGUAGES:
        text = Texts(language).error(error)
        assert str(error.fields["detail"]) in text
        assert KEY not in text

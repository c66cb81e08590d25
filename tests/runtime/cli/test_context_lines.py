"""What a terminal says when the context of the model was made smaller."""

from __future__ import annotations

import pytest

from runtime.cli.render import TextRenderer
from runtime.core.events import Compaction, ContextOverflow
from runtime.texts import LANGUAGES, Texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_compaction_and_an_overflow_are_one_line_each(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    renderer = TextRenderer(Texts(language))
    renderer.show(Compaction(before=40, after=9, archive_ref=None))
    renderer.show(ContextOverflow(dropped=17))
    shown = capsys.readouterr()
    assert shown.out == ""
    first, second = shown.err.splitlines()
    assert "40" in first
    assert "9" in first
    assert "17" in second

"""All texts that a person or the model reads, by key and language.

The texts are TOML files in `resources/i18n/<language>/<area>.toml`; key `area.name`. Chinese comes first and is complete; a key that
another language lacks falls back to it. Placeholders are those of `str.format`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from runtime.errors import InternalError, WyckoffError
from runtime.paths import resource

DEFAULT_LANGUAGE: Final = "zh_CN"
LANGUAGES: Final = ("zh_CN", "en")


class Texts:
    """The catalogue of one language.

    Args:
        language: `zh_CN` or `en`; anything else means Chinese.
        folder: the `i18n` folder, for tests.
    """

    def __init__(self, language: str = DEFAULT_LANGUAGE, folder: Path | None = None) -> None:
        self.language = language if language in LANGUAGES else DEFAULT_LANGUAGE
        self._folder = folder or resource("i18n")
        self._areas: dict[tuple[str, str], dict[str, str]] = {}

    def __call__(self, key: str, **fields: object) -> str:
        """The text of a key with its placeholders filled.

        Raises:
            InternalError: no language knows the key, or a placeholder has no value.
        """
        template = self._template(key)
        if template is None:
            raise InternalError("errors.missing_text", text=key)
        try:
            return template.format(**fields)
        except (KeyError, IndexError) as problem:
            raise InternalError("errors.missing_text", text=f"{key} {problem}") from problem

    def knows(self, key: str) -> bool:
        """Whether the key has a text."""
        return self._template(key) is not None

    def error(self, error: WyckoffError) -> str:
        """What went wrong and what to do, for the person. Never fails: a failure must always be told."""
        template = self._template(error.key)
        if template is None:
            return self("errors.internal")
        return template.format_map(_Known(error.fields))

    def _template(self, key: str) -> str | None:
        area, _, name = key.partition(".")
        return self._area(self.language, area).get(name) or self._area(DEFAULT_LANGUAGE, area).get(name)

    def _area(self, language: str, area: str) -> dict[str, str]:
        """The texts of one file, read once; empty when the language has no such file."""
        if (language, area) not in self._areas:
            file = self._folder / language / f"{area}.toml"
            self._areas[language, area] = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        return self._areas[language, area]


class _Known(dict[str, object]):
    """The fields of an error; one that was forgotten shows as a dash."""

    def __missing__(self, _key: str) -> str:
        return "—"

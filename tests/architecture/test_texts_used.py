"""Every text that the code names is there, and every text that is there is named somewhere."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.paths import resource

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for folder in ("runtime", "desktop") for path in sorted((ROOT / folder).rglob("*.py"))]
KEYS = {
    f"{path.stem}.{name}"
    for path in resource("i18n", "zh_CN").glob("*.toml")
    for name in tomllib.loads(path.read_text("utf-8"))
}
AREAS = {key.partition(".")[0] for key in KEYS}
KEY = re.compile(r"^[a-z_]+\.[a-z0-9_]+$")
NAMED_BY_CALLS = {"UserError", "ModelFacingError", "TransientError", "InternalError"}


def named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Literal keys that are handed to the texts or to an error."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first, function = node.args[0], node.func
        name = (
            function.id
            if isinstance(function, ast.Name)
            else function.attr
            if isinstance(function, ast.Attribute)
            else ""
        )
        if not (name in NAMED_BY_CALLS or name.lstrip("_") == "texts"):
            continue
        for choice in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
            if isinstance(choice, ast.Constant) and isinstance(choice.value, str):
                yield node.lineno, choice.value


def words(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Every literal that could be a key, and the beginnings of f-strings."""
    pieces = {id(piece) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for piece in node.values}
    for node in ast.walk(tree):
        if id(node) in pieces:
            continue
        if isinstance(node, ast.JoinedStr):
            start = node.values[0] if node.values else None
            if isinstance(start, ast.Constant):
                yield str(start.value), True
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, False


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_text_that_is_named_exists(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    missing = [(line, key) for line, key in named(tree) if KEY.match(key) and key not in KEYS]
    missing += [
        (0, word) for word, open_end in words(tree) if not open_end and _looks_like_a_key(word) and word not in KEYS
    ]
    assert missing == []


def _looks_like_a_key(word: str) -> bool:
    """A literal of a known area, such as the keys that tables of checks hold; file names and modules are none."""
    area, _, name = word.partition(".")
    files = ("toml", "csv", "npz", "db", "md", "py", "log", "lock", "json", "sim")
    return bool(KEY.match(word)) and area in AREAS and name not in files


def test_no_text_is_left_over() -> None:
    exact: set[str] = set()
    begun: set[str] = set()
    for path in SOURCES:
        for word, open_end in words(ast.parse(path.read_text("utf-8"))):
            (begun if open_end else exact).add(word)
    prefixes = tuple(word for word in begun if "." in word and word.partition(".")[0] in AREAS)
    # The names of tools, categories of provider errors and boards of a person's reading are put together from values.
    unused = {key for key in KEYS if key not in exact and not key.startswith(prefixes)}
    assert not {key for key in unused if key.partition(".")[2] not in exact}, sorted(unused)

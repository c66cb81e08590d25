"""The shape of the program: who imports whom, how long things are, where errors may be caught as a whole."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("runtime", "desktop")
LONGEST_MODULE = 400  # lines, design/8-style 1
LONGEST_FUNCTION = 42  # lines without the docstring: design/8-style 1 says about 40
CATCH_ALL = {
    "runtime/tools/executor.py",
    "runtime/agent/runtime.py",
    "runtime/background/manager.py",
    "desktop/desk.py",
}
SDKS = ("openai", "anthropic", "google.genai")


def modules(*packages: str) -> Iterator[tuple[str, ast.Module, str]]:
    for path in sorted(path for package in packages or PACKAGES for path in (ROOT / package).rglob("*.py")):
        text = path.read_text("utf-8")
        yield path.relative_to(ROOT).as_posix(), ast.parse(text), text


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def own_length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the signature to the end, without the docstring."""
    first = node.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


def test_the_import_contracts_are_kept() -> None:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_module_is_two_modules() -> None:
    lengths = {name: len(text.splitlines()) for name, _, text in modules()}
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{name}:{node.name}": own_length(node)
        for name, tree, _ in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and own_length(node) > LONGEST_FUNCTION
        and "migrations/versions" not in name
    }
    assert not long, long


def test_everything_is_caught_at_the_borders_only() -> None:
    catching = {
        name
        for name, tree, _ in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    }
    assert catching <= CATCH_ALL, catching - CATCH_ALL


def test_whoever_catches_everything_logs_it() -> None:
    for name, tree, _ in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name) and node.type.id == "Exception":
                calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
                logged = [
                    call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "exception"
                ]
                assert logged, f"{name}:{node.lineno}"


def test_the_runtime_knows_no_qt() -> None:
    for name, tree, _ in modules("runtime"):
        roots = {module.partition(".")[0] for module in imported(tree)}
        assert not roots & {"PySide6", "qasync", "pyqtgraph", "desktop"}, name


def test_view_models_know_no_widgets() -> None:
    for name, tree, _ in modules("desktop"):
        if name.startswith("desktop/viewmodels/"):
            assert "PySide6.QtWidgets" not in set(imported(tree)), name


@pytest.mark.parametrize("module", ["runtime.workspace", "runtime.cli.main"])
def test_opening_the_program_imports_no_sdk_and_no_window(module: str) -> None:
    heavy = (*SDKS, "alembic", "keyring", "PySide6", "pyarrow")
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_nothing_is_left_lying_about() -> None:
    for name, tree, text in modules():
        printed = [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("print", "breakpoint")
        ]
        assert not printed or name.startswith("runtime/cli/"), f"{name}: {printed}"
        assert not [word for word in ("TODO", "FIXME", "XXX") if word in text], name


def test_every_module_and_public_class_says_what_it_is() -> None:
    silent = [name for name, tree, text in modules() if text.strip() and ast.get_docstring(tree) is None]
    silent += [
        f"{name}:{node.name}"
        for name, tree, _ in modules()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name[0] != "_" and ast.get_docstring(node) is None
    ]
    assert silent == []

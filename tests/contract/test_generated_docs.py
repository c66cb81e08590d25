"""What is generated from the code is committed as the code makes it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_generated_pages_match_the_code() -> None:
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "packaging" / "build_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stale = [path.name for path, text in module.generated().items() if path.read_text("utf-8") != text]
    assert not stale, f"run packaging/build_docs.py: {stale}"

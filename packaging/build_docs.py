"""Write what is generated from the code: `docs/events.md`, `docs/events.schema.json`, and the tool table in `README.md`.

    .venv/bin/python packaging/build_docs.py

A test fails when they differ from the code.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, get_args

if TYPE_CHECKING:
    from runtime.tools.definition import AnyTool

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
COMMON = ("seq", "ts", "turn_id", "round", "call_id", "agent")
TABLE_START, TABLE_END = "<!-- tools: generated -->", "<!-- /tools -->"


def main() -> None:
    """Write every generated file."""
    for path, text in generated().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def generated() -> Mapping[Path, str]:
    """Each generated file with the text that it should have."""
    readme = ROOT / "README.md"
    return {
        ROOT / "docs" / "events.md": events_page(),
        ROOT / "docs" / "events.schema.json": schema(),
        readme: with_table(readme.read_text("utf-8"), tool_table()),
    }


def schema() -> str:
    """The JSON Schema of the event stream."""
    from runtime.core.codec import event_schema

    return json.dumps(event_schema(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def events_page() -> str:
    """A page on the event stream for programs that read it."""
    from runtime.core import events

    lines = [
        "# The event stream",
        "",
        "`wyckoff ask --json` prints one JSON object a line, flushed per event. A turn ends with exactly one of `done`, `cancelled`,",
        "`failed`, and it is the last line. Ignore kinds and fields that you do not know. Schema: `events.schema.json`.",
        "",
        "Every event has `kind`, `seq` (from 0, no gaps), `ts`, `turn_id`; `round`, `call_id` and `agent` where they apply.",
        "",
        "| kind | fields | meaning |",
        "|---|---|---|",
    ]
    for event in get_args(events.RuntimeEvent):
        kind = next(item.default for item in fields(event) if item.name == "kind")
        names = ", ".join(f"`{item.name}`" for item in fields(event) if item.name not in (*COMMON, "kind"))
        meaning = " ".join((event.__doc__ or "").split("\n\n")[0].split())
        lines.append(f"| `{kind}` | {names} | {meaning} |")
    return "\n".join(lines) + "\n"


def tool_table() -> str:
    """The tools in Chinese, as the model and the person see them."""
    from runtime.paths import Home
    from runtime.workspace import open_workspace

    with tempfile.TemporaryDirectory() as folder:
        workspace = open_workspace(Home(root=Path(folder)), {})
        try:
            texts = workspace.texts
            rows = [
                f"| `{tool.name}` | {tool.display_name(texts)} | {nature(tool)} | {tool.description(texts)} |"
                for tool in workspace.registry.all()
            ]
        finally:
            workspace.close()
    return "\n".join(["| 工具 | 名称 | 性质 | 作用 |", "|---|---|---|---|", *rows])


def nature(tool: AnyTool) -> str:
    """Whether a tool reads, notes something down, or writes with approval."""
    if tool.requires_approval:
        return "写，需批准"
    return "读" if tool.read_only else "记录"


def with_table(text: str, table: str) -> str:
    """The README with the table between its marks."""
    before, _, rest = text.partition(TABLE_START)
    _, _, after = rest.partition(TABLE_END)
    return f"{before}{TABLE_START}\n{table}\n{TABLE_END}{after}"


if __name__ == "__main__":
    main()

"""`wyckoff scratchpad show`: what happened in a turn, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import print_json, workspace
from runtime.core.json import dumps
from runtime.errors import UserError

if TYPE_CHECKING:
    from runtime.agent.scratchpad import Trace
    from runtime.core.json import JsonObject
    from runtime.workspace import Workspace

DETAILS = {
    "turn_start": "text",
    "thinking": "text",
    "tool_start": "args",
    "tool_result": "summary",
    "tool_error": "message",
    "question_asked": "question",
    "question_answered": "answer",
    "model_start": "model",
    "done": "text",
    "cancelled": "text",
    "failed": "message",
}


def app() -> typer.Typer:
    """The sub-commands."""
    commands = typer.Typer(no_args_is_help=True)
    commands.command("show")(show)
    commands.command("list")(list_turns)
    return commands


def show(
    context: typer.Context,
    turn: Annotated[str, typer.Argument()] = "last",
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The steps of a turn."""
    with workspace(context.obj, json=json) as opened:
        from runtime.agent.scratchpad import read_trace

        for event in read_trace(_find(opened, turn).path):
            if json:
                print_json(event)
            else:
                typer.echo(_line(event))


def list_turns(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1)] = 20,
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The recorded turns, the newest first."""
    with workspace(context.obj, json=json) as opened:
        from itertools import islice

        from runtime.agent.scratchpad import traces

        for trace in islice(traces(opened.base.home), limit):
            if json:
                print_json({"turn_id": trace.turn_id, "conversation_id": trace.conversation_id, "text": trace.text})
            else:
                typer.echo(f"{trace.path.name[:15]}  {trace.turn_id[:12]}  {trace.text}")


def _find(opened: Workspace, turn: str) -> Trace:
    from runtime.agent.scratchpad import traces

    for trace in traces(opened.base.home):
        if turn == "last" or trace.turn_id.startswith(turn) or trace.conversation_id == turn:
            return trace
    raise UserError("cli.no_trace", turn=turn)


def _line(event: JsonObject) -> str:
    kind = str(event["kind"])
    when = str(event.get("ts") or "")[11:19]
    detail = event.get(DETAILS.get(kind, ""), "")
    if not isinstance(detail, str):
        detail = dumps(detail)
    name = event.get("name") or ""
    return f"{event['seq']:>4}  {when}  {kind:<18} {name} {detail}".rstrip()

"""`wyckoff ask` and `wyckoff chat`: one question, or a conversation, on the same runtime as the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.start import USAGE, CliContext, first_texts, workspace

APPROVE = ("ask", "never", "always")


if TYPE_CHECKING:
    from runtime.workspace import Workspace


def ask(
    context: typer.Context,
    text: Annotated[str, typer.Argument()],
    json: Annotated[bool, typer.Option("--json")] = False,
    model: Annotated[str | None, typer.Option("--model")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation")] = None,
    approve: Annotated[str, typer.Option("--approve")] = "ask",
) -> None:
    """Ask one question."""
    if approve not in APPROVE or not text.strip():
        typer.echo(first_texts()("cli.ask_usage", choices=" | ".join(APPROVE)), err=True)
        raise typer.Exit(USAGE)
    with workspace(context.obj, json=json) as opened:
        from runtime.cli.session import TerminalSession

        with TerminalSession(opened, json=json, approve=approve) as session:
            code = session.turn(text, conversation_id=conversation, model_id=model)
    raise typer.Exit(code)


def chat(
    context: typer.Context,
    model: Annotated[str | None, typer.Option("--model")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation")] = None,
) -> None:
    """Talk in the terminal."""
    run_chat(context.obj, model_id=model, conversation_id=conversation)


def run_chat(context: CliContext, *, model_id: str | None, conversation_id: str | None) -> None:
    """A plain prompt: one conversation until `/exit` or the end of input; `/new` starts another."""
    with workspace(context) as opened:
        from runtime.cli.session import TerminalSession
        from runtime.core.ids import new_id

        typer.echo(opened.texts("cli.chat_welcome"))
        current = conversation_id or new_id()
        with TerminalSession(opened, json=False, approve="ask") as session:
            while (line := session.prompt()) is not None:
                match line.strip():
                    case "":
                        continue
                    case "/exit" | "/quit":
                        break
                    case "/new":
                        current = new_id()
                        typer.echo(opened.texts("cli.chat_new"))
                    case "/help":
                        typer.echo(_help(opened))
                    case text:
                        session.turn(text, conversation_id=current, model_id=model_id)


def _help(opened: Workspace) -> str:
    """The commands of the prompt, the skills, and skill files that could not be used."""
    texts, loaded = opened.texts, opened.skills.load()
    skills = [f"  /{skill.name}  {skill.description}" for skill in loaded.skills]
    problems = [texts.error(problem) for problem in loaded.problems]
    return "\n".join(
        [texts("cli.chat_help"), *skills, texts("cli.chat_help_own", folder=opened.skills.folder), *problems]
    )

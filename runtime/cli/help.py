"""Help texts of commands and options, by language: key `help.<command path>` and `help.<command path>__<option>`.

An option that means the same everywhere has one text, `help.option_<name>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperArgument, TyperOption

from runtime.texts import Texts

if TYPE_CHECKING:
    from typer._click.core import Command


def localise(command: Command, texts: Texts, path: str = "wyckoff") -> Command:
    """Set the help of a command tree in place and return it."""
    command.help = texts(f"help.{path}")
    for parameter in command.params:
        if isinstance(parameter, TyperOption | TyperArgument):
            _localise_parameter(parameter, texts, path)
    for name, child in getattr(command, "commands", {}).items():
        localise(child, texts, f"{path}_{name}".replace("-", "_"))
    return command


def _localise_parameter(parameter: TyperOption | TyperArgument, texts: Texts, path: str) -> None:
    for key in (f"help.{path}__{parameter.name}", f"help.option_{parameter.name}"):
        if texts.knows(key):
            parameter.help = texts(key)
            return
    texts(f"help.option_{parameter.name}")  # says which text is missing

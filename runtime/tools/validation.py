"""Arguments of a call, checked and coerced by the tool's own model."""

from __future__ import annotations

from pydantic import ValidationError

from runtime.core.json import JsonObject
from runtime.errors import ModelFacingError
from runtime.tools.definition import AnyTool, ToolArgs


def validated(tool: AnyTool, args: JsonObject) -> ToolArgs:
    """The arguments as the tool's model.

    Raises:
        ModelFacingError: unknown, missing or wrong arguments; the message names each and what is allowed.
    """
    try:
        result: ToolArgs = tool.args.model_validate(args)
    except ValidationError as problem:
        details = "; ".join(_describe(error["loc"], error["msg"]) for error in problem.errors(include_url=False))
        allowed = ", ".join(tool.args.model_fields)
        raise ModelFacingError(
            "tools.invalid_arguments", code="invalid_arguments", retriable=True, detail=details, allowed=allowed
        ) from None
    return result


def _describe(location: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(part) for part in location)
    return f"{where}: {message}" if where else message.removeprefix("Value error, ")

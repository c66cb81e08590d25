"""Run one reading tool outside a conversation, for commands that show what the agent would see."""

from __future__ import annotations

from runtime.core.ids import new_id
from runtime.core.json import JsonObject
from runtime.core.messages import ToolCall
from runtime.core.symbols import Resolution
from runtime.errors import InternalError
from runtime.tools.definition import ToolContext
from runtime.tools.results import CallResult
from runtime.tools.validation import validated
from runtime.workspace import Workspace


async def call_tool(opened: Workspace, name: str, args: JsonObject) -> JsonObject:
    """The envelope of a reading tool.

    Raises:
        WyckoffError: what the tool itself raises.
    """
    tool = opened.registry.get(name)
    if tool is None or tool.run is None:
        raise InternalError("errors.missing_text", text=name)

    async def nobody(_question: str, _options: tuple[str, ...]) -> str | None:
        return None

    call = ToolCall(id=new_id(), name=name, args=args)
    context = ToolContext(
        conversation_id="",
        turn_id=call.id,
        call_id=call.id,
        resolution=Resolution(),
        ask=nobody,
        report=lambda _stage, _detail, _progress: None,
    )
    outcome = await tool.run(context, validated(tool, args))
    return CallResult(call=call, outcome=outcome).envelope()

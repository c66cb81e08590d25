"""Approvals and questions in a terminal. Nothing is the default: an empty line asks again, the end of input is no answer."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from runtime.approvals.broker import Edit
from runtime.cli.lines import StdinLines
from runtime.cli.preview import show_preview
from runtime.core.approvals import ApprovalDecision, ApprovalRequest, RuleScope
from runtime.core.json import JsonObject, JsonValue, loads
from runtime.errors import WyckoffError
from runtime.texts import Texts


class TerminalApprover:
    """Shows a request and reads the decision.

    Args:
        lines: standard input.
        texts: in the person's language.
    """

    def __init__(self, lines: StdinLines, texts: Texts) -> None:
        self._lines = lines
        self._texts = texts
        self._console = Console(stderr=True, highlight=False)

    async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        """Ask until there is a decision; a changed request is shown again before it is decided."""
        changed: JsonObject | None = None
        while True:
            self._show(request)
            always = request.always_offered and changed is None
            answer = await self._ask("cli.approve_prompt" if always else "cli.approve_prompt_once")
            match None if answer is None else answer.strip().lower():
                case None:
                    return ApprovalDecision(request_id=request.id, choice="unanswered", decided_by="nobody")
                case "y" | "允许" | "可以":
                    if changed is not None:
                        return ApprovalDecision(request_id=request.id, choice="modify", args=changed)
                    return ApprovalDecision(request_id=request.id, choice="allow", args=request.args)
                case "a" | "f" as letter if always:
                    scope: RuleScope = "conversation" if letter == "a" else "forever"
                    return ApprovalDecision(request_id=request.id, choice="always", args=request.args, scope=scope)
                case "e" | "修改":
                    request, changed = await self._edited(request, changed, edit)
                case "n" | "拒绝":
                    reason = await self._ask("cli.approve_reason")
                    return ApprovalDecision(request_id=request.id, choice="deny", reason=(reason or "").strip())
                case _:
                    self._console.print(self._texts("cli.approve_again"), style="yellow")

    async def _edited(
        self, request: ApprovalRequest, changed: JsonObject | None, edit: Edit
    ) -> tuple[ApprovalRequest, JsonObject | None]:
        """Ask for each argument; what does not hold leaves the request as it was, with the reason."""
        args: JsonObject = dict(request.args)
        for name, value in request.args.items():
            line = await self._ask("cli.approve_field", name=name, value=_shown(value))
            if line is None:
                return request, changed
            if line.strip():
                args[name] = _parsed(line.strip(), value)
        if args == request.args:
            return request, changed
        try:
            return await edit(args), args
        except WyckoffError as error:
            self._console.print(escape(self._texts.error(error)), style="red")
            return request, changed

    def _show(self, request: ApprovalRequest) -> None:
        self._console.rule(escape(request.display_name), style="yellow")
        if request.preview is not None:
            show_preview(self._console, request.preview, self._texts)
        risk = self._texts(f"approvals.risk_{request.risk}")
        self._console.print(escape(self._texts("cli.approve_risk", risk=risk, reason=request.risk_reason)))
        key = "cli.approve_always" if request.always_offered else "cli.approve_no_always"
        self._console.print(escape(self._texts(key, text=request.always_text)), style="dim")

    async def _ask(self, key: str, **fields: object) -> str | None:
        self._console.print(escape(self._texts(key, **fields)), end=" ")
        return await self._lines.read()


class StdinAsker:
    """Asks on standard error, reads a line from standard input; None when that is closed.

    Args:
        lines: standard input.
        texts: in the person's language.
        prompt: whether a person is there to see the question.
    """

    def __init__(self, lines: StdinLines, texts: Texts, *, prompt: bool) -> None:
        self._lines = lines
        self._texts = texts
        self._prompt = prompt
        self._console = Console(stderr=True, highlight=False)

    async def ask(self, question: str, options: tuple[str, ...]) -> str | None:
        """Ask; a number chooses an option."""
        if self._prompt:
            self._console.print(escape(self._texts("cli.question", question=question)), style="bold")
            for number, option in enumerate(options, start=1):
                self._console.print(escape(f"  {number}. {option}"))
            self._console.print("›", end=" ")
        line = await self._lines.read()
        if line is None:
            return None
        answer = line.strip()
        if answer.isdigit() and 1 <= int(answer) <= len(options):
            return options[int(answer) - 1]
        return answer


def _shown(value: JsonValue) -> str:
    return "" if value is None else str(value)


def _parsed(text: str, old: JsonValue) -> JsonValue:
    """What was typed, in the kind of the old value; the tool's own model judges it."""
    if text.lower() == "null":
        return None
    if isinstance(old, str) or old is None:
        return text
    try:
        return loads(text)
    except ValueError:
        return text

"""A whole workspace in a temporary home, driven by a script or by the offline analyst."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from runtime.agent.runtime import AgentRuntime, RuntimeServices
from runtime.agent.turn import Surface, TurnRequest
from runtime.approvals.broker import ApprovalBroker, Approver, Edit
from runtime.clock import SHANGHAI, FixedClock
from runtime.core.approvals import ApprovalDecision, ApprovalRequest, Choice, RuleScope
from runtime.core.events import Cancelled, Done, Failed, RuntimeEvent
from runtime.core.json import JsonObject
from runtime.paths import Home
from runtime.providers.base import LLMProvider
from runtime.redact import Redactor
from runtime.secrets import SecretStore
from runtime.texts import Texts
from runtime.tools.definition import AnyTool
from runtime.tools.registry import ToolRegistry
from runtime.workspace import Overrides, Workspace, open_workspace
from tests.support.keyrings import MemoryKeyring

NOW = datetime(2026, 7, 1, 20, 0, tzinfo=SHANGHAI)  # the evening after the sample market's last day
SAMPLE_STOCK = "608101.SIM"
SAMPLE_NAME = "云溪股份"


@asynccontextmanager
async def open_desk(
    home: Home, provider: LLMProvider | None = None, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Workspace]:
    """An open workspace at a fixed time, closed at the end."""
    variables = {"WYCKOFF_OFFLINE_PAUSE_S": "0.000001", "WYCKOFF_MODEL_RETRIES": "0", **(environment or {})}
    secrets = SecretStore(variables, Redactor(), MemoryKeyring())
    overrides = Overrides(clock=FixedClock(NOW), provider=provider, secrets=secrets)
    workspace = open_workspace(home, variables, overrides)
    try:
        yield workspace
    finally:
        await workspace.aclose()


async def run_turn(
    workspace: Workspace, text: str, *, conversation: str = "c1", surface: Surface | None = None
) -> list[RuntimeEvent]:
    """All events of one turn."""
    request = TurnRequest(text=text, conversation_id=conversation)
    return [event async for event in workspace.runtime.run(request, surface)]


def done(events: list[RuntimeEvent]) -> Done:
    """The terminal event, which must be `done`, the last and the only one."""
    terminals = [event for event in events if isinstance(event, Done | Cancelled | Failed)]
    assert len(terminals) == 1
    assert events[-1] is terminals[0]
    assert isinstance(terminals[0], Done), terminals[0]
    return terminals[0]


@dataclass(slots=True)
class ScriptedApprover(Approver):
    """A person who decides as written down; records what was asked."""

    choice: Choice
    args: JsonObject | None = None
    scope: RuleScope | None = None
    reason: str = ""
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def decide(self, request: ApprovalRequest, edit: Edit) -> ApprovalDecision:
        self.asked.append(request)
        if self.choice == "modify" and self.args is not None:
            self.asked.append(await edit(self.args))
        return ApprovalDecision(
            request_id=request.id, choice=self.choice, args=self.args, scope=self.scope, reason=self.reason
        )


@dataclass(slots=True)
class ScriptedAsker:
    """A person who answers questions as written down; None = not now."""

    answers: list[str | None]
    asked: list[str] = field(default_factory=list)

    async def ask(self, question: str, options: tuple[str, ...]) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0)


def runtime_with_tools(
    workspace: Workspace, provider: LLMProvider, *tools: AnyTool, **settings: object
) -> AgentRuntime:
    """A runtime on the workspace's storage with tools and settings of the test's own; it retries nothing unless told."""
    return _runtime(workspace, (provider,), tools, settings)


def runtime_with_models(workspace: Workspace, *models: LLMProvider, **settings: object) -> AgentRuntime:
    """A runtime whose first model is asked, and whose others take over in their order."""
    return _runtime(workspace, models, (), settings)


def _runtime(
    workspace: Workspace, models: tuple[LLMProvider, ...], tools: tuple[AnyTool, ...], settings: Mapping[str, object]
) -> AgentRuntime:
    named = {model.name: model for model in models[1:]}

    async def chosen(model_id: str | None) -> LLMProvider:
        return models[0] if model_id is None else named[model_id]

    return AgentRuntime(
        RuntimeServices(
            home=workspace.base.home,
            clock=workspace.base.clock,
            settings=replace(workspace.base.settings, **({"model_retries": 0} | {**settings})),  # type: ignore[arg-type]
            texts=TestTexts(),
            redactor=workspace.base.redactor,
            conversations=workspace.stores.conversations,
            compactions=workspace.stores.compactions,
            archive=workspace.stores.archive,
            long_results=workspace.stores.long_results,
            usage=workspace.stores.usage,
            registry=ToolRegistry(tools),
            broker=ApprovalBroker(workspace.stores.approvals),
            provider=chosen,
            fallbacks=lambda: tuple(named),
            skills=workspace.skills,
            spending_limit=lambda: float(str(settings.get("daily_spending_limit", 0.0))),
            resolve=workspace.market.directory.resolve,
        )
    )


class TestTexts(Texts):
    """The Chinese texts; names of a test's own tools are their keys."""

    __test__ = False

    def __call__(self, key: str, **fields: object) -> str:
        return super().__call__(key, **fields) if self.knows(key) else key

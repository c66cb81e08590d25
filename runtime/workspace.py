"""The one place that builds the services of a home and hands them to each other.

Surfaces (terminal, window, tests) open a workspace and use its parts; nothing else constructs a service.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import cast

from runtime.agent.runtime import AgentRuntime, RuntimeServices
from runtime.approvals.broker import ApprovalBroker
from runtime.background.manager import Again, TaskManager
from runtime.clock import Clock, clock_from_environment
from runtime.core.symbols import Instrument
from runtime.errors import UserError
from runtime.market.calendar import TradingCalendar
from runtime.market.rules.fees import load_fee_schedule
from runtime.market.rules.limits import LimitSchedule, load_limit_schedule
from runtime.market.sample import SampleMarket
from runtime.market.service import MarketData, MarketMode
from runtime.market.store import BarStore
from runtime.market.symbols import InstrumentDirectory
from runtime.memory.archive import ContextArchive
from runtime.paths import Home
from runtime.portfolio.service import PortfolioService
from runtime.providers.base import LLMProvider
from runtime.providers.catalogue import ModelCatalogue
from runtime.providers.factory import ProviderFactory
from runtime.providers.offline.analyst import OfflineAnalyst
from runtime.providers.wire.wire_tools import check_tools
from runtime.redact import Redactor
from runtime.secrets import SecretStore
from runtime.settings import LiveSettings, Settings, SettingsFile, load_settings
from runtime.skills.library import SkillLibrary
from runtime.storage.approval_records import ApprovalRecords
from runtime.storage.background_tasks import BackgroundTaskStore
from runtime.storage.compactions import CompactionStore
from runtime.storage.conversations import ConversationStore
from runtime.storage.engine import Database
from runtime.storage.message_search import MessageSearch
from runtime.storage.migrate import open_database
from runtime.storage.usage import UsageStore
from runtime.storage.verdicts import VerdictStore
from runtime.texts import Texts
from runtime.tools.conversation import ConversationTools
from runtime.tools.definition import AnyTool
from runtime.tools.history import HistoryTools
from runtime.tools.local.files import FileTools
from runtime.tools.local.web import WebTools
from runtime.tools.market import MarketTools
from runtime.tools.offload import ResultStore
from runtime.tools.portfolio import PortfolioTools
from runtime.tools.registry import ToolRegistry
from runtime.tools.skills import SkillTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What everything else stands on."""

    home: Home
    environment: Mapping[str, str]
    clock: Clock
    settings_file: SettingsFile
    settings: Settings
    live: LiveSettings
    setting_problems: tuple[UserError, ...]
    texts: Texts
    redactor: Redactor
    secrets: SecretStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is kept on disk."""

    database: Database
    market_database: Database
    conversations: ConversationStore
    compactions: CompactionStore
    archive: ContextArchive
    long_results: ResultStore
    usage: UsageStore
    background: BackgroundTaskStore
    approvals: ApprovalRecords
    verdicts: VerdictStore
    bars: BarStore


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketParts:
    """Instruments, days, rules and prices."""

    directory: InstrumentDirectory
    sample: SampleMarket
    calendar: TradingCalendar
    limits: LimitSchedule
    data: MarketData


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The services of one home. Close it when done."""

    base: Base
    stores: Stores
    market: MarketParts
    portfolio: PortfolioService
    models: ModelCatalogue
    registry: ToolRegistry
    skills: SkillLibrary
    tasks: TaskManager
    runtime: AgentRuntime

    @property
    def texts(self) -> Texts:
        """The texts in the person's language."""
        return self.base.texts

    async def aclose(self) -> None:
        """Interrupt background tasks, then close."""
        await self.tasks.aclose()
        self.close()

    def close(self) -> None:
        """Finish what was handed to the databases and close them."""
        self.stores.database.close()
        self.stores.market_database.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What a caller may put in place of the usual parts: a clock, a keyring, and a model that answers every turn."""

    clock: Clock | None = None
    secrets: SecretStore | None = None
    provider: LLMProvider | None = None


def open_workspace(
    home: Home, environment: Mapping[str, str] | None = None, overrides: Overrides | None = None
) -> Workspace:
    """Build the services of a home, creating and migrating its database.

    Args:
        home: the folder.
        environment: the process environment; None = the real one.
        overrides: parts to use instead, for tests and embedding programs.

    Raises:
        UserError: settings or database cannot be used; the text says what to do.
    """
    chosen = overrides or Overrides()
    base = _base(home, os.environ if environment is None else environment, chosen)
    stores = _stores(base)
    market = _market(base, stores)
    portfolio = _portfolio(base, stores, market)
    models = _models(base)
    kinds: dict[str, Again] = {}
    tasks = TaskManager(stores.background, base.home, base.clock, base.texts, kinds.get)
    registry, skills = _tools(base, _definitions(base, stores, market, portfolio))

    return Workspace(
        base=base,
        stores=stores,
        market=market,
        portfolio=portfolio,
        models=models,
        registry=registry,
        skills=skills,
        tasks=tasks,
        runtime=AgentRuntime(_services(base, stores, market, models, registry, skills, chosen.provider)),
    )


def _services(
    base: Base,
    stores: Stores,
    market: MarketParts,
    models: ModelCatalogue,
    registry: ToolRegistry,
    skills: SkillLibrary,
    override: LLMProvider | None,
) -> RuntimeServices:
    """What the runtime is handed."""

    async def provider(model_id: str | None) -> LLMProvider:
        return override or await models.provider(model_id)

    return RuntimeServices(
        home=base.home,
        clock=base.clock,
        settings=base.settings,
        texts=base.texts,
        redactor=base.redactor,
        conversations=stores.conversations,
        compactions=stores.compactions,
        archive=stores.archive,
        long_results=stores.long_results,
        usage=stores.usage,
        registry=registry,
        broker=ApprovalBroker(stores.approvals),
        provider=provider,
        fallbacks=models.fallback_ids,
        spending_limit=lambda: base.live.now().daily_spending_limit,
        resolve=market.directory.resolve,
        skills=skills,
    )


def _base(home: Home, environment: Mapping[str, str], chosen: Overrides) -> Base:
    settings_file = SettingsFile(home)
    loaded = load_settings(settings_file, environment)
    redactor = Redactor()
    return Base(
        home=home,
        environment=environment,
        clock=chosen.clock or clock_from_environment(environment),
        settings_file=settings_file,
        settings=loaded.settings,
        live=LiveSettings(settings_file, environment),
        setting_problems=loaded.problems,
        texts=Texts(loaded.settings.language),
        redactor=redactor,
        secrets=chosen.secrets or SecretStore(environment, redactor),
    )


def _stores(base: Base) -> Stores:
    database = open_database(base.home)
    market_database = Database(base.home.market_database)
    return Stores(
        database=database,
        market_database=market_database,
        conversations=ConversationStore(database, base.clock),
        compactions=CompactionStore(database, base.clock),
        archive=ContextArchive(base.home, base.clock, base.redactor),
        long_results=ResultStore(base.home, base.redactor, base.texts),
        usage=UsageStore(database, base.clock),
        background=BackgroundTaskStore(database, base.clock),
        approvals=ApprovalRecords(database, base.clock),
        verdicts=VerdictStore(database, base.clock),
        bars=BarStore(market_database),
    )


def _models(base: Base) -> ModelCatalogue:
    factory = ProviderFactory(
        base.secrets,
        offline=lambda: OfflineAnalyst(base.texts, pause_s=base.settings.offline_pause_s),
        proxy=lambda: base.live.now().proxy,
    )
    return ModelCatalogue(settings_file=base.settings_file, secrets=base.secrets, factory=factory)


def _market(base: Base, stores: Stores) -> MarketParts:
    sample = SampleMarket()
    calendar = TradingCalendar()
    directory = InstrumentDirectory(sample.instruments())
    # What the person imported and no table knows is known by its code.
    for symbol in stores.market_database.reading(stores.bars.stored_symbols):
        directory.add(Instrument(symbol=symbol, name=symbol))
    data = MarketData(
        store=stores.bars,
        sample=sample,
        directory=directory,
        calendar=calendar,
        clock=base.clock,
        mode=cast("MarketMode", base.settings.market),
        local_source=base.texts("market.local_source"),
    )
    return MarketParts(directory=directory, sample=sample, calendar=calendar, limits=load_limit_schedule(), data=data)


def _portfolio(base: Base, stores: Stores, market: MarketParts) -> PortfolioService:
    settings = base.settings
    rate, minimum = Decimal(settings.commission_rate), Decimal(settings.commission_min)
    return PortfolioService(
        database=stores.database,
        prices=market.data,
        instruments=market.directory,
        texts=base.texts,
        clock=base.clock,
        fees=load_fee_schedule().with_commission(rate=rate, minimum=minimum),
        limits=market.limits,
    )


def _readable_folders(base: Base) -> tuple[Path, ...]:
    """The work folder first, then what the person opened."""
    named = (part.strip() for part in base.settings.readable_folders.split(","))
    return (base.home.files, *(Path(part).expanduser() for part in named if part))


def _tools(base: Base, definitions: tuple[AnyTool, ...]) -> tuple[ToolRegistry, SkillLibrary]:
    """The registry, whose schemas every API can take, and the skills that its tools make possible."""
    known = frozenset(tool.name for tool in definitions)
    skills = SkillLibrary(base.home, base.texts.language, known.__contains__)
    registry = ToolRegistry((*definitions, *SkillTools(library=skills, texts=base.texts).definitions()))
    check_tools(registry.schemas(base.texts))
    return registry, skills


def _definitions(base: Base, stores: Stores, market: MarketParts, portfolio: PortfolioService) -> tuple[AnyTool, ...]:
    directory, limits, texts = market.directory, market.limits, base.texts
    looking = MarketTools(market=market.data, directory=directory, limits=limits, texts=texts)
    holding = PortfolioTools(
        portfolio=portfolio, market=market.data, directory=directory, limits=limits, clock=base.clock, texts=texts
    )
    talking = ConversationTools(
        verdicts=stores.verdicts,
        market=market.data,
        portfolio=portfolio,
        directory=directory,
        limits=limits,
        texts=texts,
    )
    reading = FileTools(folders=_readable_folders(base), redactor=base.redactor, texts=texts)
    browsing = WebTools(clock=base.clock, texts=texts)
    remembering = HistoryTools(
        messages=MessageSearch(stores.database), archive=stores.archive, results=stores.long_results, texts=texts
    )
    tools = (looking, holding, talking, reading, browsing, remembering)
    return tuple(tool for group in tools for tool in group.definitions())

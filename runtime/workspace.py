"""The one place that builds the services of a home and hands them to each other.

Surfaces (terminal, window, tests) open a workspace and use its parts; nothing else constructs a service.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from runtime.agent.runtime import AgentRuntime, RuntimeServices
from runtime.approvals.broker import ApprovalBroker
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
from runtime.paths import Home
from runtime.portfolio.service import PortfolioService
from runtime.providers.base import LLMProvider
from runtime.providers.catalogue import ModelCatalogue
from runtime.providers.offline.analyst import OfflineAnalyst
from runtime.redact import Redactor
from runtime.secrets import SecretStore
from runtime.settings import Settings, SettingsFile, load_settings
from runtime.storage.approval_records import ApprovalRecords
from runtime.storage.conversations import ConversationStore
from runtime.storage.engine import Database
from runtime.storage.migrate import open_database
from runtime.storage.usage import UsageStore
from runtime.storage.verdicts import VerdictStore
from runtime.texts import Texts
from runtime.tools.conversation import ConversationTools
from runtime.tools.market import MarketTools
from runtime.tools.portfolio import PortfolioTools
from runtime.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The services of one home. Close it when done."""

    home: Home
    environment: Mapping[str, str]
    clock: Clock
    settings: Settings
    setting_problems: tuple[UserError, ...]
    texts: Texts
    redactor: Redactor
    secrets: SecretStore
    database: Database
    market_database: Database
    conversations: ConversationStore
    usage: UsageStore
    approvals: ApprovalRecords
    verdicts: VerdictStore
    directory: InstrumentDirectory
    sample: SampleMarket
    calendar: TradingCalendar
    limits: LimitSchedule
    bars: BarStore
    market: MarketData
    portfolio: PortfolioService
    models: ModelCatalogue
    registry: ToolRegistry
    runtime: AgentRuntime

    async def aclose(self) -> None:
        """Close connections to models, then the databases."""
        await self.models.aclose()
        self.database.close()
        self.market_database.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What a caller may put in place of the usual parts: a clock, and a model that answers every turn."""

    clock: Clock | None = None
    provider: LLMProvider | None = None
    secrets: SecretStore | None = None


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
    variables = os.environ if environment is None else environment
    chosen = overrides or Overrides()
    settings_file = SettingsFile(home)
    loaded = load_settings(settings_file, variables)
    settings = loaded.settings
    texts = Texts(settings.language)
    redactor = Redactor()
    secrets = chosen.secrets or SecretStore(variables, redactor)
    clock = chosen.clock or clock_from_environment(variables)
    database = open_database(home)
    market_database = Database(home.market_database)
    bars = BarStore(market_database)
    sample = SampleMarket()
    calendar = TradingCalendar()
    limits = load_limit_schedule()
    directory = _directory(sample, market_database, bars)
    market = MarketData(
        store=bars,
        sample=sample,
        directory=directory,
        calendar=calendar,
        clock=clock,
        mode=cast("MarketMode", settings.market),
        local_source=texts("market.local_source"),
    )
    portfolio = PortfolioService(
        database=database,
        prices=market,
        instruments=directory,
        texts=texts,
        clock=clock,
        fees=load_fee_schedule().with_commission(
            rate=Decimal(settings.commission_rate), minimum=Decimal(settings.commission_min)
        ),
        limits=limits,
    )
    models = ModelCatalogue(
        settings_file, secrets, offline=lambda: OfflineAnalyst(texts, pause_s=settings.offline_pause_s)
    )
    conversations = ConversationStore(database, clock)
    usage = UsageStore(database, clock)
    approvals = ApprovalRecords(database, clock)
    verdicts = VerdictStore(database, clock)
    registry = ToolRegistry(
        (
            *MarketTools(market=market, directory=directory, limits=limits, texts=texts).definitions(),
            *PortfolioTools(
                portfolio=portfolio, market=market, directory=directory, limits=limits, clock=clock, texts=texts
            ).definitions(),
            *ConversationTools(verdicts=verdicts, market=market, directory=directory, texts=texts).definitions(),
        )
    )

    async def provider(model_id: str | None) -> LLMProvider:
        return chosen.provider or await models.provider(model_id)

    runtime = AgentRuntime(
        RuntimeServices(
            home=home,
            clock=clock,
            settings=settings,
            texts=texts,
            redactor=redactor,
            conversations=conversations,
            usage=usage,
            registry=registry,
            broker=ApprovalBroker(approvals),
            provider=provider,
            resolve=directory.resolve,
        )
    )
    return Workspace(
        home=home,
        environment=variables,
        clock=clock,
        settings=settings,
        setting_problems=loaded.problems,
        texts=texts,
        redactor=redactor,
        secrets=secrets,
        database=database,
        market_database=market_database,
        conversations=conversations,
        usage=usage,
        approvals=approvals,
        verdicts=verdicts,
        directory=directory,
        sample=sample,
        calendar=calendar,
        limits=limits,
        bars=bars,
        market=market,
        portfolio=portfolio,
        models=models,
        registry=registry,
        runtime=runtime,
    )


def _directory(sample: SampleMarket, market_database: Database, bars: BarStore) -> InstrumentDirectory:
    """The shipped table, the sample market, and what the person imported that neither knows (its name is its code)."""
    directory = InstrumentDirectory(sample.instruments())
    for symbol in market_database.transaction(bars.stored_symbols):
        directory.add(Instrument(symbol=symbol, name=symbol))
    return directory

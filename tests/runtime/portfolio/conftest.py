"""A portfolio on a real database, with a fixed day and prices that a test sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.paths import Home
from runtime.storage.engine import Database
from runtime.storage.migrate import open_database
from tests.support.portfolios import TODAY, Desk, build_service
from tests.support.prices import FixedPrices, a_quote


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(Home(root=tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def desk(database: Database) -> Desk:
    prices = FixedPrices(
        a_quote("608001.SIM", "12.34", previous="12.00", as_of=TODAY),
        a_quote("308001.SIM", "20.00", previous="19.50", as_of=TODAY),
        a_quote("688901.SIM", "50.00", previous="49.00", as_of=TODAY),
        a_quote("608009.SIM", "2.00", previous="2.00", as_of=TODAY),
        a_quote("510300.SH", "4.000", previous="3.990", as_of=TODAY),
    )
    return Desk(service=build_service(database, prices, TODAY), prices=prices, database=database)

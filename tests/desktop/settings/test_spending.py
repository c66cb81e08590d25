"""Usage and spending: the limit of a day is kept, unknown costs are said, and figures are those of the store."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit, QTableWidget

from runtime.core.messages import Usage
from runtime.paths import Home
from tests.desktop.conftest import Run
from tests.support.settings_dialogs import Open, Opened, a_model

LONG = "deepseek-ai/DeepSeek-V3.2-Exp-with-a-very-long-name"


async def use(settings: Opened, model: str, usage: Usage) -> None:
    """One call of a model."""
    stores = settings.workspace.stores
    await stores.conversations.open("c", "花费")
    await stores.usage.add(conversation_id="c", turn_id="t", model=model, purpose="chat", usage=usage)


async def open_page(settings: Opened) -> None:
    settings.go_to("spending")
    await settings.idle()


def table(settings: Opened) -> dict[str, list[str]]:
    """The cells by model."""
    shown = settings.of(QTableWidget, "usageTable")
    lines = [[_cell(shown, row, column) for column in range(shown.columnCount())] for row in range(shown.rowCount())]
    return {line[0]: line[1:] for line in lines}


def _cell(shown: QTableWidget, row: int, column: int) -> str:
    item = shown.item(row, column)
    assert item is not None
    return item.text()


def test_the_last_days_are_summed_by_model_and_unknown_is_no_zero(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await settings.configure(a_model("home", "http://127.0.0.1:11434/v1"))
            await use(settings, "priced", Usage(input=1200, output=300, cache_read=5000, cache_write=40, cost=0.5))
            await use(settings, "priced", Usage(input=10, output=20, cost=0.25, estimated=True))
            await use(settings, LONG, Usage(input=7, output=8))
            await use(settings, "home", Usage(input=1, output=2))
            await open_page(settings)
            assert table(settings) == {
                "priced": ["2", "≈1,210", "≈5,000", "≈40", "≈320", "≈0.750"],
                LONG: ["1", "7", "0", "0", "8", "—"],
                "home": ["1", "1", "0", "0", "2", "0.000"],
            }
            assert settings.text("spentToday") == "0.750"
            assert "有 1 次调用没有价格" in settings.text("spentTodayNote")
            assert "有 1 次调用没有价格" in settings.text("usageNote")

    on_loop(scenario())


def test_a_model_that_got_its_price_later_says_what_is_missing(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await use(settings, "m", Usage(input=7, output=8))
            await use(settings, "m", Usage(input=7, output=8, cost=1.0))
            await open_page(settings)
            assert table(settings)["m"] == ["2", "14", "0", "0", "16", "1.000"]
            assert "有 1 次调用没有价格" in settings.text("usageNote")

    on_loop(scenario())


def test_without_any_call_it_says_so(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await open_page(settings)
            assert "最近 7 天没有用过" in settings.text("usageNote")
            assert not settings.of(QTableWidget, "usageTable").isVisible()
            assert not settings.of(QTableWidget, "usageTable").rowCount()

    on_loop(scenario())


def test_the_limit_is_kept_and_taken_away(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await open_page(settings)
            settings.fill("spendingLimit", "12.5")
            await settings.press("spendingSave")
            assert settings.workspace.base.live.now().daily_spending_limit == 12.5
            assert "12.5" in settings.text("spendingMessage")
            assert settings.text("spentToday") == "0.000 / 12.5"
            settings.fill("spendingLimit", "")
            await settings.press("spendingSave")
            assert settings.workspace.base.live.now().daily_spending_limit == 0
            assert "不设每日上限" in settings.text("spendingMessage")

    on_loop(scenario())


@pytest.mark.parametrize("text", ["-5", "很多", "inf", "nan", "1.2.3"])
def test_a_limit_that_is_no_amount_stays_in_its_field(on_loop: Run, opened: Open, home: Home, text: str) -> None:
    async def scenario() -> None:
        async with opened() as settings:
            await open_page(settings)
            line = settings.fill("spendingLimit", text)
            await settings.press("spendingSave")
            assert "“每日上限”" in settings.text("spendingMessage")
            assert line.property("invalid") == "true"
            assert settings.of(QLineEdit, "spendingLimit").text() == text
            assert not home.settings_file.exists()

    on_loop(scenario())


def test_a_limit_of_the_environment_is_named(on_loop: Run, opened: Open) -> None:
    async def scenario() -> None:
        async with opened(WYCKOFF_DAILY_SPENDING_LIMIT="3") as settings:
            await open_page(settings)
            assert settings.of(QLineEdit, "spendingLimit").text() == "3"
            settings.fill("spendingLimit", "9")
            await settings.press("spendingSave")
            assert "WYCKOFF_DAILY_SPENDING_LIMIT" in settings.text("spendingMessage")

    on_loop(scenario())

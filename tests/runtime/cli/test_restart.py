"""What one process wrote, every later one finds."""

from __future__ import annotations

from tests.support.terminal import Terminal, the_one_terminal


def test_conversation_portfolio_bars_and_models_are_found_again(desk: Terminal) -> None:
    (desk.folder / "bars.csv").write_text(
        "symbol,date,open,high,low,close,volume,adj\n600519,2026-06-30,10,11,9,10.5,1000,qfq\n", "utf-8"
    )
    written = desk.together(
        ("ask", "云溪股份现在适合买吗？", "--conversation", "talk", "--model", "offline"),
        ("market", "import", "bars.csv"),
        ("model", "add", "local", "--base-url", "ollama", "--model", "m1"),
    )
    assert [ended.code for ended in written] == [0, 0, 0]
    talk, portfolio, market, models = desk.together(
        ("ask", "那止损放哪里？", "--conversation", "talk", "--model", "offline", "--json"),
        ("portfolio", "show", "--json"),
        ("market", "status", "--json"),
        ("model", "list", "--json"),
    )
    assert "止损 5.83 元" in str(the_one_terminal(talk.events)["text"])
    assert portfolio.data["position_count"] == 1
    assert (market.data["bars"], market.data["newest"]) == (1, "2026-06-30")
    listed = models.json["data"]
    assert isinstance(listed, list)
    assert [row["id"] for row in listed if isinstance(row, dict)] == ["offline", "local"]

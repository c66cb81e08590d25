"""`wyckoff model …` and turns with a model of a server on this machine that misbehaves. The key is nowhere to be found afterwards."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tests.support.streams import Reply, delta, model_server, sse
from tests.support.terminal import Ended, Terminal, the_one_terminal

KEY = "plainsecret-4711-never-shown"  # in no shape that keys usually have
VARIABLE = "MY_DESK_KEY"
REFUSAL = Reply(
    status=401,
    content_type="application/json",
    body=f'{{"error":{{"message":"Incorrect API key provided: {KEY}","code":"invalid_api_key"}}}}'.encode(),
)
PAGE = Reply(content_type="text/html", body=b"<!doctype html><html><body>Please log in</body></html>")
ANSWER = sse(delta(role="assistant", content="po"), delta(content="ng"), delta(finish="stop"))


async def command(terminal: Terminal, *args: str, stdin: str | None = None) -> Ended:
    """A command beside the server of this test; the key stands in the environment."""
    return await asyncio.to_thread(terminal.run, *args, stdin=stdin, **{VARIABLE: KEY})


async def add(terminal: Terminal, url: str) -> Ended:
    args = ("--base-url", url, "--model", "m1", "--key-env", VARIABLE)
    return await command(terminal, "model", "add", "mine", *args, "--json")


def closed_port() -> str:
    """An address on this machine that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}/v1"


def assert_key_is_nowhere(terminal: Terminal, *ended: Ended) -> None:
    assert all(KEY not in one.out + one.err for one in ended)
    assert KEY.encode() not in terminal.everything_written()


@pytest.mark.parametrize(
    ("reply", "advice"),
    [(REFUSAL, "请检查密钥"), (PAGE, "网址多半填错了")],
    ids=["key refused", "a page instead of an answer"],
)
async def test_a_server_that_gives_no_answer_is_explained_without_the_key(
    terminal: Terminal, reply: Reply, advice: str
) -> None:
    async with model_server(reply) as server:
        added = await add(terminal, server.url)
        asked, tested = await asyncio.gather(
            command(terminal, "ask", "你好", "--json"), command(terminal, "model", "test", "mine")
        )
    assert f"Bearer {KEY}" in server.heads[0]
    assert (added.code, asked.code, tested.code) == (0, 1, 1)
    last = the_one_terminal(asked.events)
    assert (last["kind"], last["category"]) == ("failed", "provider")
    assert advice in str(last["message"])
    assert advice in tested.err
    assert_key_is_nowhere(terminal, added, asked, tested)


async def test_a_refused_connection_on_this_machine_says_to_start_the_server(terminal: Terminal) -> None:
    await add(terminal, closed_port())
    asked, tested = await asyncio.gather(command(terminal, "ask", "你好"), command(terminal, "model", "test", "--json"))
    assert (asked.code, tested.code) == (1, 1)
    assert "请先启动 Ollama 或 LM Studio" in asked.err
    assert "请先启动 Ollama 或 LM Studio" in tested.message


async def test_a_model_that_answers_is_the_one_asked_in_every_later_process(terminal: Terminal) -> None:
    async with model_server(ANSWER) as server:
        await add(terminal, server.url)
        tested, asked = await asyncio.gather(
            command(terminal, "model", "test", "--json"), command(terminal, "ask", "你好")
        )
        used = await command(terminal, "model", "usage", "--json")
    assert (tested.data["id"], tested.data["words"]) == ("mine", "pong")
    assert (asked.code, asked.out) == (0, "pong\n")
    rows = used.json["data"]
    assert isinstance(rows, list)
    assert [row["model"] for row in rows if isinstance(row, dict)] == ["mine"]
    assert_key_is_nowhere(terminal, tested, asked, used)


def test_without_a_keyring_a_model_is_kept_without_its_key_and_the_variable_is_named(terminal: Terminal) -> None:
    args = ("--base-url", "https://models.example.com/v1", "--model", "m1", "--key-stdin")
    ended = terminal.run("model", "add", "far", *args, stdin=f"{KEY}\n")
    assert ended.code == 0
    assert "密钥没有保存" in ended.out
    assert "FAR_API_KEY" in ended.out
    listed = terminal.run("model", "list", "--json").json["data"]
    assert isinstance(listed, list)
    assert [(row["id"], row["default"]) for row in listed if isinstance(row, dict)] == [
        ("offline", False),
        ("far", True),
    ]
    assert_key_is_nowhere(terminal, ended)


def test_the_named_variable_is_the_one_that_the_model_reads(terminal: Terminal) -> None:
    args = ("--base-url", "https://models.example.com/v1", "--model", "m1", "--key-env", VARIABLE)
    terminal.run("model", "add", "far", *args)
    ended = terminal.run("ask", "你好")
    assert ended.code == 1
    assert f"设置环境变量 {VARIABLE}" in ended.err


def test_default_cost_and_remove_change_what_is_kept(terminal: Terminal) -> None:
    terminal.home.mkdir()
    tables = (f'[[models]]\nid = "{name}"\nmodel = "m"\nbase_url = "{closed_port()}"\n' for name in ("one", "two"))
    (terminal.home / "desk.toml").write_text("# mine\n" + "".join(tables), "utf-8")
    assert terminal.run("model", "default", "two").code == 0
    cost = terminal.run("model", "cost", "two", "--input-per-1m", "2", "--output-per-1m", "8", "--json")
    assert (cost.data["default"], cost.data["input_per_1m"], cost.data["output_per_1m"]) == (True, 2.0, 8.0)
    assert terminal.run("model", "remove", "two").code == 0
    kept = (terminal.home / "desk.toml").read_text("utf-8")
    assert "# mine" in kept
    assert '"one"' in kept
    assert "two" not in kept


WRONG = (
    (("add", "x", "--base-url", f"https://user:{KEY}@models.example.com/v1", "--model", "m"), 1, "密钥不能写进网址"),
    (("add", "x", "--base-url", "models", "--model", "m"), 1, "https://"),
    (("add", "x"), 2, "--model"),
    (("remove", "offline"), 1, "内置"),
)


def test_wrong_use_is_explained(terminal: Terminal) -> None:
    answers = terminal.together(*(("model", *args) for args, _, _ in WRONG))
    for ended, (_, code, reason) in zip(answers, WRONG, strict=True):
        assert (ended.code, ended.out) == (code, "")
        assert reason in ended.err
    assert_key_is_nowhere(terminal, *answers)


async def test_doctor_tests_every_configured_model_when_asked(terminal: Terminal) -> None:
    async with model_server(ANSWER) as server:
        await add(terminal, server.url)
        args = ("--base-url", closed_port(), "--model", "m2")
        await command(terminal, "model", "add", "gone", *args)
        checked = await command(terminal, "doctor", "--providers", "--json")
        quiet = await command(terminal, "doctor", "--json")
    found = [item for item in checked.json["data"] if isinstance(item, dict) and item["name"] == "model"]  # type: ignore[union-attr]
    assert [item["state"] for item in found] == ["ok", "bad"]
    assert "请先启动 Ollama 或 LM Studio" in str(found[1]["detail"])
    assert checked.code == 1
    assert "doctor_model" not in quiet.out
    assert len(server.bodies) == 1
    assert_key_is_nowhere(terminal, checked)

"""Keys in a real keyring of the operating system: kept, found by another process, forgotten, and nowhere else."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.secret_service import secret_service
from tests.support.streams import delta, model_server, sse
from tests.support.terminal import Terminal

KEY = "plainsecret-4711-in-the-keyring"
ANSWER = sse(delta(content="pong"), delta(finish="stop"))


async def test_a_key_lives_in_the_keyring_and_nowhere_else(terminal: Terminal, tmp_path: Path) -> None:
    with secret_service(tmp_path / "person") as keyring:

        async def command(*args: str, stdin: str | None = None) -> str:
            ended = await asyncio.to_thread(terminal.run, *args, stdin=stdin, **keyring)
            assert KEY not in ended.out + ended.err
            assert ended.code == 0, ended.err
            return ended.out

        async with model_server(ANSWER) as server:
            added = await command(
                "model", "add", "mine", "--base-url", server.url, "--model", "m1", "--key-stdin", "--json", stdin=KEY
            )
            assert '"key":"keyring"' in added
            await command("model", "test", "mine")
            await command("ask", "你好", "--model", "mine")
            assert "SecretService" in await command("doctor")
            await command("model", "remove", "mine")
            await command("model", "add", "mine", "--base-url", server.url, "--model", "m1")
            await command("model", "test", "mine")
        sent = [f"Bearer {KEY}" in head for head in server.heads]
        assert sent == [True, True, False]  # a model of the same name does not find the key of the removed one
    assert KEY.encode() not in terminal.everything_written()

"""A small server on loopback that answers model requests with what a test wrote, byte for byte, and sees when its client goes away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from runtime.core.json import JsonObject, JsonValue, dumps, loads_object
from runtime.providers.base import Chunk


class ChunkStream(AsyncIterator[Chunk]):
    """What `aclosing` needs: providers stream from async generators."""

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One response.

    Attributes:
        body: sent after the head.
        status: HTTP status.
        content_type: of the body.
        headers: more header lines.
        then: what happens after the body: `end` ends it properly, `stall` keeps the connection open, `abort` resets it.
    """

    body: bytes
    status: int = 200
    content_type: str = "text/event-stream"
    headers: tuple[tuple[str, str], ...] = ()
    then: Literal["end", "stall", "abort"] = "end"


def sse(*items: JsonValue, done: bool = True) -> bytes:
    """The bytes of a stream of these objects."""
    lines = [f"data: {dumps(item) if isinstance(item, dict) else item}\n\n" for item in items]
    return "".join([*lines, *(["data: [DONE]\n\n"] if done else [])]).encode()


def delta(finish: str | None = None, **fields: JsonValue) -> JsonObject:
    """One chunk of a stream."""
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call_delta(index: int | None, call_id: str | None, name: str | None, arguments: JsonValue) -> JsonObject:
    """One item of `tool_calls`; what is None is left out."""
    function: JsonObject = {}
    if name is not None:
        function["name"] = name
    if arguments is not None:
        function["arguments"] = arguments
    item: JsonObject = {"type": "function", "function": function}
    if index is not None:
        item["index"] = index
    if call_id is not None:
        item["id"] = call_id
    return item


@dataclass(slots=True, kw_only=True)
class ModelServer:
    """The running server.

    Attributes:
        url: base URL with its version.
        bodies: the JSON of the requests, in order.
        heads: their heads, with the keys that they carried.
        asked: set once a request came.
        client_gone: set once a client closed a stalled response.
    """

    url: str = ""
    bodies: list[JsonObject] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    client_gone: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def settled(grace_s: float = 2.0) -> AsyncIterator[None]:
    """Let the tasks of a server that is inside end by themselves; what still runs after that is a leak."""
    before = asyncio.all_tasks()
    yield
    ending = asyncio.all_tasks() - before
    if ending:
        await asyncio.wait(ending, timeout=grace_s)


@asynccontextmanager
async def model_server(*replies: Reply | bytes) -> AsyncIterator[ModelServer]:
    """Serve replies in this order; the last one repeats. Bytes are a stream that ends properly."""
    server = ModelServer()
    queue = [reply if isinstance(reply, Reply) else Reply(body=reply) for reply in replies]
    served = iter(range(1_000))

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lengths = [line for line in head.lower().split("\r\n") if line.startswith("content-length:")]
            server.bodies.append(loads_object(await reader.readexactly(int(lengths[0].partition(":")[2]))))
            server.heads.append(head)
            server.asked.set()
            await _send(queue[min(next(served), len(queue) - 1)], server, reader, writer)
        finally:
            writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    async with settled(), listener:
        yield server


async def _send(reply: Reply, server: ModelServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    headers = [("content-type", reply.content_type), ("transfer-encoding", "chunked"), *reply.headers]
    lines = [f"HTTP/1.1 {reply.status} X", "connection: close", *(f"{name}: {value}" for name, value in headers)]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    if reply.body:
        writer.write(f"{len(reply.body):x}\r\n".encode() + reply.body + b"\r\n")
    await writer.drain()
    match reply.then:
        case "end":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        case "stall":
            await reader.read()
            server.client_gone.set()
        case "abort":
            writer.transport.abort()

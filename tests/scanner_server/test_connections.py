"""Deadlines of connections, in this process: each ends a connection that does not go on, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from scanner_server.running import Deadlines, protocol

LONG = 60.0
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"

Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Read the body, then answer with 1 byte, or with many megabytes at /large."""
    while (message := await receive())["type"] == "http.request" and message.get("more_body"):
        continue
    size = 64 * 1024 * 1024 if scope["path"] == "/large" else 1
    headers = [(b"content-length", str(size).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * size})


def run(act: Callable[[Callable[[], Awaitable[Client]]], Awaitable[Any]], **deadlines: Any) -> Any:
    """Return what *act* returns, which gets a function that connects to a server with *deadlines*."""

    async def main() -> Any:
        config = Config(answer, log_config=None, access_log=False, ws="none", timeout_keep_alive=60)
        config.load()
        state = ServerState()
        given = {"head": LONG, "body": LONG, "response": LONG} | deadlines
        own = protocol(Deadlines(**given))
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: own(config, state, {}), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            return await asyncio.wait_for(act(lambda: asyncio.open_connection("127.0.0.1", port)), 30)
        finally:
            server.close()
            for connection in list(state.connections):
                connection.transport.abort()
            await asyncio.gather(*state.tasks, return_exceptions=True)

    return asyncio.run(main())


async def read_all(client: Client) -> bytes:
    """Return what comes until the server closes the connection."""
    try:
        return await client[0].read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize(
    ("sent", "deadlines"),
    [(b"", {"head": 0.05}), (GET[:10], {"head": 0.05}), (HALF_BODY, {"body": 0.05})],
)
def test_a_request_that_does_not_go_on_is_dropped(sent, deadlines) -> None:
    """It would keep a connection for ever."""

    async def act(connect) -> bytes:
        client = await connect()
        client[1].write(sent)
        return await read_all(client)

    assert run(act, **deadlines) == b""


def test_a_second_request_that_does_not_go_on_is_dropped() -> None:
    """The deadline begins with its first byte."""

    async def act(connect) -> bytes:
        client = await connect()
        client[1].write(GET)
        await client[0].readuntil(b"\r\n\r\nx")
        client[1].write(GET[:10])
        return await read_all(client)

    assert run(act, head=0.1) == b""


def test_a_request_that_drips_has_one_deadline() -> None:
    """Each byte would otherwise begin a new one."""

    async def act(connect) -> bytes:
        reader, writer = await connect()

        async def drip() -> None:
            while not writer.is_closing():
                writer.write(b"x")
                await asyncio.sleep(0.01)

        task = asyncio.create_task(drip())
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        received = await read_all((reader, writer))
        task.cancel()
        return received

    assert run(act, head=0.2) == b""


def test_a_client_that_does_not_read_is_dropped() -> None:
    """Its response would be kept in memory."""

    async def act(connect) -> int:
        reader, writer = await connect()
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.sleep(0.5)
        reader._transport.resume_reading()  # type: ignore[attr-defined]
        return len(await read_all((reader, writer)))

    assert run(act, response=0.05) < 64 * 1024 * 1024


def test_requests_on_one_connection_are_answered_while_they_keep_coming() -> None:
    """A deadline is one of a request, not of a connection."""

    async def act(connect) -> int:
        reader, writer = await connect()
        for _ in range(20):
            writer.write(GET)
            await reader.readuntil(b"\r\n\r\nx")
            await asyncio.sleep(0.02)
        writer.close()
        return 20

    assert run(act, head=0.3, body=0.3, response=0.3) == 20


def test_beyond_the_limit_the_connection_that_waited_longest_is_closed() -> None:
    """Idle connections must not keep others out."""

    async def act(connect) -> tuple[bytes, list[bytes]]:
        clients = []
        for _ in range(4):
            clients.append(await connect())
            await asyncio.sleep(0.05)
        first = await read_all(clients[0])
        for _, writer in clients[1:]:
            writer.write(GET)
        return first, [await reader.readuntil(b"x") for reader, _ in clients[1:]]

    first, others = run(act, most=3)

    assert first == b""
    assert all(each.startswith(b"HTTP/1.1 200") for each in others)


def test_beyond_the_limit_a_body_that_does_not_go_on_is_closed_before_a_connection_that_came_later() -> None:
    """A client that sends slowly is waited for as one that sends nothing."""

    async def act(connect) -> tuple[bytes, bytes]:
        slow = await connect()
        slow[1].write(HALF_BODY)
        await asyncio.sleep(0.05)
        second, third = await connect(), await connect()
        gone = await read_all(slow)
        second[1].write(GET)
        await second[0].readuntil(b"x")
        third[1].write(GET)
        return gone, await third[0].readuntil(b"x")

    gone, answered = run(act, most=2)

    assert gone == b""
    assert answered.startswith(b"HTTP/1.1 200")

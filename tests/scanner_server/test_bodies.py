"""Bodies of requests: of large ones a bounded number is read at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from scanner_server.bodies import AT_ONCE, Bodies
from scanner_server.problems import Refused

PIECE = b"x" * 100_000


def request(more: asyncio.Event, piece: bytes = PIECE) -> Request:
    """Return a request whose body ends when *more* is set."""
    messages = iter([piece, b""])

    async def receive() -> dict[str, Any]:
        body = next(messages)
        if not body:
            await more.wait()
        return {"type": "http.request", "body": body, "more_body": bool(body)}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def test_one_large_body_too_many_is_refused() -> None:
    """Each may have several megabytes; a small one does not wait for them."""

    async def main() -> tuple[list[bytes] | None, int, int]:
        bodies, more = Bodies(1 << 20, patience=0.01), asyncio.Event()
        waiting = [asyncio.create_task(bodies.read(request(more))) for _ in range(AT_ONCE)]
        await asyncio.sleep(0)
        done = asyncio.Event()
        done.set()
        small = await bodies.read(request(done, b"x"))
        with pytest.raises(Refused) as caught:
            await bodies.read(request(more))
        more.set()
        read = await asyncio.gather(*waiting)
        return small, caught.value.response.status_code, sum(one is not None for one in read)

    assert asyncio.run(main()) == ([b"x", b""], 503, AT_ONCE)
    assert AT_ONCE == 16

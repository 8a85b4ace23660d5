"""Bodies of requests: a bounded number at once, each of a bounded size and in a bounded time."""

from __future__ import annotations

import asyncio

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from scanner_server.problems import problem

SECONDS = 60.0
"""The time that a client has for the whole body, however it divides it."""

AT_ONCE = 16
"""Bodies that are read at once; each may have several megabytes."""


class BodyRefused(Exception):
    """A body that is not read; *response* says why."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class Bodies:
    """Reads bodies of at most *largest* bytes."""

    def __init__(self, largest: int, *, seconds: float = SECONDS) -> None:
        self.largest = largest
        self._seconds = seconds
        self._free = anyio.Semaphore(AT_ONCE)

    async def read(self, request: Request) -> list[bytes] | None:
        """Return the pieces of a body as sent; None for one that is too large. Raises BodyRefused."""
        try:
            self._free.acquire_nowait()
        except anyio.WouldBlock as error:
            busy = problem(503, "too many requests at once", hint="send it again", headers={"Retry-After": "1"})
            raise BodyRefused(busy) from error
        try:
            async with asyncio.timeout(self._seconds):
                return await self._pieces(request)
        except TimeoutError as error:
            hint, close = "send it again", {"Connection": "close"}
            raise BodyRefused(problem(408, "the request took too long", hint=hint, headers=close)) from error
        except ClientDisconnect as error:
            raise BodyRefused(problem(400, "the body ended early")) from error
        finally:
            self._free.release()

    async def _pieces(self, request: Request) -> list[bytes] | None:
        pieces: list[bytes] = []
        size = 0
        async for piece in request.stream():
            size += len(piece)
            if size > self.largest:
                return None
            pieces.append(piece)
        return pieces

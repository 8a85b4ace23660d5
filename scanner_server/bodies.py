"""Bodies of requests, each of a bounded size and in a bounded time; of large ones a bounded number at once."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import anyio
from starlette.requests import ClientDisconnect, Request

from scanner_server.problems import Refused, problem

SECONDS = 60.0
"""The time that a client has for the whole body, however it divides it."""

AT_ONCE = 16
"""Large bodies that are read at once; each may have several megabytes."""

_SMALL = 64 * 1024
"""Bytes that are read of every body: slow clients do not delay small bodies."""

_PATIENCE = 10.0
"""Seconds that a large body waits for others."""


class Bodies:
    """Reads bodies of at most *largest* bytes."""

    def __init__(self, largest: int, *, seconds: float = SECONDS, patience: float = _PATIENCE) -> None:
        self.largest = largest
        self._seconds, self._patience = seconds, patience
        self._large = anyio.Semaphore(AT_ONCE)

    async def read(self, request: Request) -> list[bytes] | None:
        """Return the pieces of a body as sent; None for one that is too large. Raises Refused."""
        try:
            async with asyncio.timeout(self._seconds), AsyncExitStack() as held:
                return await self._pieces(request, held)
        except TimeoutError as error:
            hint, close = "send it again", {"Connection": "close"}
            raise Refused(problem(408, "the request took too long", hint=hint, headers=close)) from error
        except ClientDisconnect as error:
            raise Refused(problem(400, "the body ended early")) from error

    async def _pieces(self, request: Request, held: AsyncExitStack) -> list[bytes] | None:
        pieces: list[bytes] = []
        size = 0
        async for piece in request.stream():
            if size <= _SMALL < size + len(piece):
                await self._enter(held)
            size += len(piece)
            if size > self.largest:
                return None
            pieces.append(piece)
        return pieces

    async def _enter(self, held: AsyncExitStack) -> None:
        """Wait for one of the places of large bodies, which is free again when *held* ends. Raises Refused."""
        with anyio.move_on_after(self._patience):
            await held.enter_async_context(self._large)
            return
        headers = {"Retry-After": "1", "Connection": "close"}
        raise Refused(problem(503, "too many large requests at once", hint="send it again", headers=headers))

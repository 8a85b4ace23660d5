"""`POST /api/v1/lineage`: OpenLineage events, acknowledged when they are on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scanner_api.event_intake import Reply
from scanner_server.api.answering import problem
from scanner_server.api.operations import BASE

_PATHS = (f"{BASE}/lineage", f"{BASE}/lineage/batch")
_SECONDS = 60.0
"""The time that a client has for the whole body, however it divides it."""

_BODIES = 16
"""Bodies that are read at once; each may have several megabytes."""


class Intake(Protocol):
    """What receives events: `scanner_api.event_intake.EventReceiver`."""

    @property
    def largest_body(self) -> int:
        """Return the largest body in bytes."""

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> Reply | None:
        """Return the response that refuses a request by its head."""

    def too_large(self) -> Reply:
        """Return the response to a body that is too large."""

    def receive(self, pieces: Iterable[bytes], *, packed: bool, where: str) -> Reply:
        """Store the events of a body and return the response."""

    def problems(self) -> list[str]:
        """Return what prevents events from being stored now."""

    def counts(self) -> Mapping[str, Any]:
        """Return what was received."""


def intake_routes(intake: Intake | None, *, seconds: float = _SECONDS) -> list[Route]:
    """Return the routes of *intake*; None: events are refused with status 405."""
    free = anyio.Semaphore(_BODIES)
    threads = anyio.CapacityLimiter(_BODIES)

    async def receive(request: Request) -> Response:
        if intake is None:
            return problem(405, "this server does not receive events", hint="start it with --intake")
        headers = {name: ", ".join(request.headers.getlist(name)) for name in request.headers}
        if refused := intake.refusal(request.method, request.url.path, headers):
            return _response(refused)
        try:
            free.acquire_nowait()
        except anyio.WouldBlock:
            return problem(503, "too many requests at once", hint="send it again", headers={"Retry-After": "1"})
        try:
            async with asyncio.timeout(seconds):
                pieces = await _read(request, intake.largest_body)
        except TimeoutError:
            return problem(408, "the request took too long", hint="send it again", headers={"Connection": "close"})
        except ClientDisconnect:
            return problem(400, "the body ended early")
        finally:
            free.release()
        if pieces is None:
            return _response(intake.too_large(), close=True)
        packed = headers.get("content-encoding", "identity").strip().lower() in ("gzip", "x-gzip")
        peer = request.client.host if request.client else ""
        reply = await anyio.to_thread.run_sync(
            lambda: intake.receive(pieces, packed=packed, where=f"http {peer}"), limiter=threads
        )
        return _response(reply)

    return [Route(path, receive, methods=["POST"]) for path in _PATHS]


async def _read(request: Request, largest: int) -> list[bytes] | None:
    """Return the pieces of a body as sent; None for one that is too large."""
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > largest:
            return None
        pieces.append(piece)
    return pieces


def _response(reply: Reply, *, close: bool = False) -> Response:
    headers = dict(reply.headers) | ({"Connection": "close"} if close else {})
    return JSONResponse(reply.body, reply.status, headers=headers)

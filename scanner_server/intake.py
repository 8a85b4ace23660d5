"""`POST /api/v1/lineage`: OpenLineage events, acknowledged when they are on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scanner_api.event_intake import Reply
from scanner_server.bodies import AT_ONCE, SECONDS, Bodies
from scanner_server.openapi import BASE
from scanner_server.problems import Refused, allowed_methods, problem

_PATHS = (f"{BASE}/lineage", f"{BASE}/lineage/batch")


class Intake(Protocol):
    """What receives events: `scanner_api.event_intake.EventReceiver`."""

    largest_body: int

    def refusal(self, headers: Mapping[str, str]) -> Reply | None:
        """Return the response that refuses a request by its head."""

    def too_large(self) -> Reply:
        """Return the response to a body that is too large."""

    def receive(self, pieces: Iterable[bytes], headers: Mapping[str, str], *, where: str) -> Reply:
        """Store the events of a body and return the response."""

    def problems(self) -> list[str]:
        """Return what prevents events from being stored now."""

    def counts(self) -> Mapping[str, int]:
        """Return how many events were received, by what became of them."""


def intake_routes(intake: Intake | None, *, seconds: float = SECONDS) -> list[Route]:
    """Return the routes of *intake*; None: events are refused with status 405."""
    bodies = Bodies(intake.largest_body, seconds=seconds) if intake is not None else None
    threads = anyio.CapacityLimiter(AT_ONCE)

    async def receive(request: Request) -> Response:
        if intake is None or bodies is None:
            headers = {"Allow": allowed_methods(request, "POST")}
            return problem(405, "this server does not receive events", hint="start it with --intake", headers=headers)
        headers = {name: ", ".join(request.headers.getlist(name)) for name in request.headers}
        if refused := intake.refusal(headers):
            return _response(refused, close=True)  # the unread body could be taken for the next request
        try:
            pieces = await bodies.read(request)
        except Refused as error:
            return error.response
        if pieces is None:
            return _response(intake.too_large(), close=True)
        where = f"http {request.client.host if request.client else ''}"
        reply = await anyio.to_thread.run_sync(lambda: intake.receive(pieces, headers, where=where), limiter=threads)
        return _response(reply)

    return [Route(path, receive, methods=["POST"]) for path in _PATHS]


def _response(reply: Reply, *, close: bool = False) -> Response:
    headers = dict(reply.headers) | ({"Connection": "close"} if close else {})
    return JSONResponse(reply.body, reply.status, headers=headers)

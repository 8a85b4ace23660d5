"""The application: JSON API, page, MCP, OpenLineage intake, metrics and health on one port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from scanner_api.dictionary import Dictionary
from scanner_model.errors import ScannerError
from scanner_server.answering import Answering
from scanner_server.intake import Intake, intake_routes
from scanner_server.mcp_tools import mcp_routes
from scanner_server.metrics import metrics_text
from scanner_server.openapi import openapi_document
from scanner_server.operations import BASE, OPERATIONS, Operation
from scanner_server.options import ServerOptions
from scanner_server.page import page_routes
from scanner_server.problems import error_response, problem
from scanner_server.schedule import ScanStatus
from scanner_server.security import Guard

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a server has beside its dictionary; None for what is switched off."""

    intake: Intake | None = None
    scans: ScanStatus | None = None


def application(dictionary: Dictionary, options: ServerOptions = ServerOptions(), parts: Parts = Parts()) -> Starlette:  # noqa: B008
    """Return the ASGI application over *dictionary*; its readers share a pool of connections."""
    pooled = dictionary.pooled(size=options.threads, seconds=options.seconds)
    answering = Answering(pooled, options)
    mcp, mcp_lifespan = mcp_routes(pooled, options)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(mcp_lifespan())
            yield
        pooled.close()

    routes: list[BaseRoute] = [
        *(Route(f"{BASE}{each.path}", _endpoint(answering, each), name=each.name) for each in OPERATIONS),
        *intake_routes(parts.intake),
        Route(f"{BASE}/openapi.json", _openapi),
        Route("/health", _health(parts)),
        Route("/ready", _ready(answering)),
        Route("/metrics", _metrics(answering, parts)),
        *mcp,
        *page_routes(),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, options=options)],
        exception_handlers={HTTPException: _http_error, ScannerError: _scanner_error, Exception: _bug},
        lifespan=lifespan,
    )


def _endpoint(answering: Answering, operation: Operation) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await answering.answer(operation, request)

    return endpoint


async def _openapi(_: Request) -> Response:
    return JSONResponse(openapi_document())


def _health(parts: Parts) -> Endpoint:
    async def health(_: Request) -> Response:
        """Answer 200 while the process works; problems of intake and scans are listed."""
        problems = [
            *(parts.intake.problems() if parts.intake else ()),
            *(parts.scans.problems() if parts.scans else ()),
        ]
        return JSONResponse({"status": "degraded" if problems else "ok", "problems": problems})

    return health


def _ready(answering: Answering) -> Endpoint:
    async def ready(_: Request) -> Response:
        """Answer 200 where the dictionary can be read now, else 503."""
        try:
            await answering.tag()
        except ScannerError as error:
            return error_response(error)
        return JSONResponse({"status": "ready"})

    return ready


def _metrics(answering: Answering, parts: Parts) -> Endpoint:
    async def metrics(_: Request) -> Response:
        text = await answering.run(lambda: metrics_text(answering, parts.intake, parts.scans))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    return metrics


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    hints = {404: f"{BASE}/openapi.json lists the paths", 405: "the API is read-only"}
    details = {404: "there is no such path", 405: "the method is not allowed"}
    headers = (error.headers if isinstance(error, HTTPException) else None) or {}
    return problem(status, details.get(status, str(error)), hint=hints.get(status, ""), headers=headers)


async def _bug(_: Request, __: Exception) -> Response:
    """Answer a request that failed unexpectedly; the error itself is logged."""
    return problem(500, "the server failed to answer", hint="its log has the error; please report it")


async def _scanner_error(_: Request, error: Exception) -> Response:
    return error_response(error if isinstance(error, ScannerError) else ScannerError(str(error)))

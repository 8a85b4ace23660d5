"""The application: JSON API, page, MCP, OpenLineage intake, metrics and health on one port."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Lifespan

from scanner_api.dictionary import Dictionary
from scanner_api.graph.export import live_page, live_script, live_style
from scanner_api.questions.question import Question
from scanner_model.errors import ScannerError
from scanner_server.answering import Answering, accepts_gzip
from scanner_server.intake import Intake, intake_routes
from scanner_server.mcp_server import mcp_routes
from scanner_server.metrics import DictionaryFigures, Figures
from scanner_server.openapi import BASE, OPERATIONS, openapi_document
from scanner_server.options import ScanStatus, ServerOptions
from scanner_server.problems import allowed_methods, error_response, problem
from scanner_server.security import Guard
from scanner_server.static_site import DRAWING, LISTS, static_text
from scanner_server.workers import Workers

_HTML, _CSS, _JS = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"


def page_routes() -> list[BaseRoute]:
    """Return the routes of the pages and of their parts."""
    return [Route(path, _file(text, media)) for path, (text, media) in _FILES.items()]


_SHELL_PATHS = (
    *("/", "/topics", "/columns", "/jobs", "/subjects", "/sources", "/findings", "/changes"),
    *("/scans", "/search", "/topic", "/change", "/owner"),
)
"""The pages without a drawing: one file, whose scripts show what the path says."""

_FILES: Mapping[str, tuple[Callable[[], str], str]] = {
    "/flow": (lambda: live_page("/static/page.css", "/static/page.js"), _HTML),
    **dict.fromkeys(_SHELL_PATHS, (lambda: static_text("shell.html"), _HTML)),
    "/n/{short}": (lambda: static_text("shell.html"), _HTML),
    "/static/page.css": (lambda: live_style() + static_text("live.css"), _CSS),
    "/static/page.js": (lambda: live_script("".join(map(static_text, DRAWING))), _JS),
    "/static/lists.js": (lambda: live_script("".join(map(static_text, LISTS)), drawing=False), _JS),
}
"""Path → the text of a file and its type."""


def _file(text: Callable[[], str], media: str) -> Callable[[Request], Response]:
    content = text().encode()
    packed = gzip.compress(content, mtime=0)
    tag = f'W/"{hashlib.sha256(content).hexdigest()[:24]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "vary": "accept-encoding"}

    def respond(request: Request) -> Response:
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if accepts_gzip(request.headers.get("accept-encoding", "")):
            return Response(packed, headers=headers | {"content-encoding": "gzip"}, media_type=media)
        return Response(content, headers=headers, media_type=media)

    return respond


Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a server has beside its dictionary; None for what is switched off."""

    intake: Intake | None = None
    scans: ScanStatus | None = None


def application(dictionary: Dictionary, options: ServerOptions = ServerOptions(), parts: Parts = Parts()) -> Starlette:  # noqa: B008
    """Return the ASGI application over *dictionary*; its readers share a pool of connections."""
    # A connection of each thread, a second one for what a question reads meanwhile, and one of the figures.
    pooled = dictionary.pooled(size=2 * options.threads + 1, seconds=options.seconds)
    workers = Workers(pooled, options)
    answering = Answering(workers, options)
    newest = DictionaryFigures(pooled)
    figures = Figures(dictionary=newest, requests=answering.counts, intake=parts.intake, scans=parts.scans)
    mcp, mcp_lifespan = mcp_routes(workers, options)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        newest.start()
        async with mcp_lifespan(), anyio.create_task_group() as tasks:
            if options.warm:
                tasks.start_soon(workers.warm)
            yield
            tasks.cancel_scope.cancel()
        newest.end()
        pooled.close()

    routes: list[BaseRoute] = [
        *(_route(answering, operation) for operation in OPERATIONS),
        *intake_routes(parts.intake),
        Route(f"{BASE}/openapi.json", _openapi),
        Route("/health", _health(parts)),
        Route("/ready", _ready(answering)),
        Route("/metrics", _metrics(figures)),
        *mcp,
        *page_routes(),
    ]
    return _guarded(routes, options, f"{BASE}/openapi.json lists paths and methods", lifespan)


def listener_application(intake: Intake, options: ServerOptions) -> Starlette:
    """Return the ASGI application of a listener: it receives events, and does nothing else."""

    async def health(_: Request) -> Response:
        """Answer what became of events, and what prevents others from being stored."""
        problems = intake.problems()
        state = {"status": "degraded" if problems else "ok", "trouble": "; ".join(problems)}
        return JSONResponse(state | dict(intake.counts()))

    routes = [*intake_routes(intake), Route("/health", health)]
    return _guarded(routes, options, f"post events to {BASE}/lineage")


def _guarded(
    routes: Sequence[BaseRoute], options: ServerOptions, hint: str, lifespan: Lifespan[Starlette] | None = None
) -> Starlette:
    """Return the application of *routes* behind the guard; *hint* is that of requests that none of them answers."""
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, options=options)],
        exception_handlers={HTTPException: _http_error(hint), ScannerError: _scanner_error, Exception: _bug},
        lifespan=lifespan,
    )


def _route(answering: Answering, operation: Question) -> Route:
    async def endpoint(request: Request) -> Response:
        return await answering.answer(operation, request)

    return Route(f"{BASE}{operation.path}", endpoint, name=operation.name, methods=[operation.method])


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


def _metrics(figures: Figures) -> Endpoint:
    async def metrics(_: Request) -> Response:
        return PlainTextResponse(figures.text(), media_type="text/plain; version=0.0.4")

    return metrics


def _http_error(hint: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def respond(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        details = {404: "there is no such path", 405: "the method is not allowed"}
        headers = dict((error.headers if isinstance(error, HTTPException) else None) or {})
        if status == 404 and _is_page(request):
            return Response(static_text("shell.html"), 404, media_type=_HTML)
        if status == 405:
            headers["Allow"] = allowed_methods(request)
        return problem(status, details.get(status, str(error)), hint=hint, headers=headers)

    return respond


def _is_page(request: Request) -> bool:
    """Return whether a browser requests a page: it gets the shell, whose script shows links to other pages."""
    machine = request.url.path.startswith(("/api/", "/mcp", "/static/"))
    return not machine and "text/html" in request.headers.get("accept", "")


async def _bug(_: Request, __: Exception) -> Response:
    """Answer a request that failed unexpectedly; the error itself is logged."""
    return problem(500, "the server failed to answer", hint="its log has the error; please report it")


async def _scanner_error(_: Request, error: Exception) -> Response:
    return error_response(error if isinstance(error, ScannerError) else ScannerError(str(error)))

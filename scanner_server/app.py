"""The application: JSON API, page, MCP, OpenLineage intake, metrics and health on one port."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from scanner_api.dictionary import Dictionary
from scanner_api.graph.export import live_page, live_script, live_style
from scanner_api.measures import measures
from scanner_api.questions.question import Question
from scanner_model.errors import ScannerError
from scanner_server.api.answering import Answering
from scanner_server.api.openapi import BASE, OPERATIONS, openapi_document
from scanner_server.intake import Intake, intake_routes
from scanner_server.mcp_server import mcp_routes
from scanner_server.options import ScanStatus, ServerOptions
from scanner_server.problems import error_response, problem
from scanner_server.security import Guard

Sample = tuple[Mapping[str, str], float]


def metrics_text(answering: Answering, intake: Intake | None, scans: ScanStatus | None) -> str:
    """Return the figures of the dictionary and of this process; raises DictionaryUnusable."""
    return "".join(_metric_lines(answering, intake, scans))


def _metric_lines(answering: Answering, intake: Intake | None, scans: ScanStatus | None) -> Iterator[str]:
    clusters, sources = measures(answering.dictionary)
    by_cluster = [({"cluster": row.cluster}, row) for row in clusters]
    finished = [(labels, _timestamp(row.finished)) for labels, row in by_cluster]
    yield from _metric("scanner_scan_timestamp_seconds", "gauge", "When the newest scan ended.", finished)
    numbers = [(labels, row.scan) for labels, row in by_cluster]
    yield from _metric("scanner_scan_number", "gauge", "The number of the newest scan.", numbers)
    topics = [(labels, row.topics) for labels, row in by_cluster]
    yield from _metric("scanner_topics", "gauge", "Topics that exist.", topics)
    without = [(labels, row.without_schema) for labels, row in by_cluster]
    yield from _metric("scanner_topics_without_schema", "gauge", "Topics that no schema describes.", without)
    findings = [({**labels, "rule": rule}, count) for labels, row in by_cluster for rule, count in row.findings]
    yield from _metric("scanner_problems", "gauge", "Findings of `scanner validate`.", findings)
    named = [({"cluster": row.cluster, "source": row.source}, row) for row in sources]
    up = [(labels, float(row.up)) for labels, row in named]
    yield from _metric("scanner_source_up", "gauge", "1 where the last scan read all of a source.", up)
    read = [(labels, _timestamp(row.read_at)) for labels, row in named if row.read_at]
    yield from _metric("scanner_source_read_timestamp_seconds", "gauge", "When all of a source was read last.", read)
    requests = [({"operation": name, "status": str(code)}, n) for (name, code), n in sorted(answering.counts.items())]
    yield from _metric("scanner_http_requests_total", "counter", "Answered requests of the API.", requests)
    if intake is not None:
        counts = [({"what": name}, float(count)) for name, count in intake.counts().items()]
        yield from _metric("scanner_intake", "gauge", "Received OpenLineage events by what became of them.", counts)
    if scans is not None:
        runs = [({"result": name}, float(count)) for name, count in scans.counts().items()]
        yield from _metric("scanner_scheduled_scans_total", "counter", "Scheduled scans by result.", runs)
        pending: list[Sample] = [({}, float(scans.pending()))]
        yield from _metric("scanner_notifications_pending", "gauge", "Notifications not delivered yet.", pending)


def _metric(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        inner = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
        yield f"{name}{{{inner}}} {value:.17g}\n" if inner else f"{name} {value:.17g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _timestamp(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()


_HTML, _CSS, _JS = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"


def page_routes() -> list[BaseRoute]:
    """Return the routes of the pages and of their parts."""
    return [Route(path, _file(text, media)) for path, (text, media) in _FILES.items()]


@lru_cache
def _static(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


_FILES: Mapping[str, tuple[Callable[[], str], str]] = {
    "/": (lambda: live_page("/static/page.css", "/static/page.js"), _HTML),
    "/topic": (lambda: _static("topic.html"), _HTML),
    "/static/page.css": (lambda: live_style() + _static("live.css"), _CSS),
    "/static/page.js": (lambda: live_script("".join(map(_static, ("compare.js", "lists.js", "live.js")))), _JS),
    "/static/topic.js": (lambda: _static("topic.js"), _JS),
}
"""Path → the text of a file and its type."""


def _file(text: Callable[[], str], media: str) -> Callable[[Request], Response]:
    content = text().encode()
    headers = {"etag": f'"{hashlib.sha256(content).hexdigest()[:24]}"', "cache-control": "no-cache"}

    def respond(request: Request) -> Response:
        if headers["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
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
    # As many connections again for MCP, whose tools run in threads of its own.
    pooled = dictionary.pooled(size=2 * (options.threads + options.heavy), seconds=options.seconds)
    answering = Answering(pooled, options)
    mcp, mcp_lifespan = mcp_routes(pooled, options)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(mcp_lifespan())
            yield
        pooled.close()

    routes: list[BaseRoute] = [
        *(_route(answering, operation) for operation in OPERATIONS),
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


def _metrics(answering: Answering, parts: Parts) -> Endpoint:
    async def metrics(_: Request) -> Response:
        text = await answering.run(lambda: metrics_text(answering, parts.intake, parts.scans), heavy=True)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    return metrics


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    hints = {
        404: f"{BASE}/openapi.json lists the paths",
        405: f"{BASE}/openapi.json lists the methods; nothing can be changed",
    }
    details = {404: "there is no such path", 405: "the method is not allowed"}
    headers = (error.headers if isinstance(error, HTTPException) else None) or {}
    return problem(status, details.get(status, str(error)), hint=hints.get(status, ""), headers=headers)


async def _bug(_: Request, __: Exception) -> Response:
    """Answer a request that failed unexpectedly; the error itself is logged."""
    return problem(500, "the server failed to answer", hint="its log has the error; please report it")


async def _scanner_error(_: Request, error: Exception) -> Response:
    return error_response(error if isinstance(error, ScannerError) else ScannerError(str(error)))

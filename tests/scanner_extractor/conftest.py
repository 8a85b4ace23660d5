"""A real HTTP server for tests, in a thread, told what to answer by a function; and sources that do not wait."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import responses

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as the server got it: header names are lower case, *target* is exactly what was sent."""

    method: str
    target: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server answers; *announced* is a false Content-Length, *raw* replaces everything written."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    announced: int | None = None
    raw: bytes | None = None


Handler = Callable[[Seen], Reply]
Serve = Callable[[Handler], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server a call and give its base URL; all of them stop with the test."""
    servers: list[ThreadingHTTPServer] = []

    def start(handler: Handler) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_class(handler))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def reply() -> type[Reply]:
    """Return the type of answers, because test modules cannot import each other."""
    return Reply


@pytest.fixture
def canned() -> Iterator[responses.RequestsMock]:
    """Register answers to requests, which then need no socket; a request without one finds no server."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as answers:
        yield answers


@pytest.fixture
def answering(canned: responses.RequestsMock) -> Callable[..., str]:
    """Return a function that registers one answer for every path of a server, and gives the server's URL."""

    def answer(**options: Any) -> str:
        options = {"body": b"{}", "content_type": "application/json"} | options
        for method in (responses.GET, responses.POST):
            canned.add(method, re.compile(r"http://server\.example/.*"), **options)
        return "http://server.example"

    return answer


def _handler_class(handler: Handler) -> type[BaseHTTPRequestHandler]:
    class Handling(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(method=self.command, target=self.path, headers=headers, body=self.rfile.read(size))
            self.write(handler(seen))

        do_GET = do_POST = answer  # noqa: N815  http.server calls them so

        def write(self, reply: Reply) -> None:
            if reply.raw is not None:
                self.wfile.write(reply.raw)
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) if reply.announced is None else reply.announced))
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = self.close_connection or reply.announced is not None

        def log_message(self, *args: object) -> None:
            """Report nothing."""

    return Handling


class Pauses:
    """A clock that only notes how long it was to wait; what is drawn is the longest possible."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.time = 0.0

    def clock(self) -> Clock:
        return Clock(now=lambda: self.time, pause=self._pause, draw=lambda low, high: high)

    def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


@pytest.fixture
def pauses() -> Pauses:
    """Note the waits of the sources that `open_http` opens."""
    return Pauses()


@pytest.fixture
def open_http(pauses):
    """Open sources with a clock that does not wait, and close them with the test."""
    opened = []

    def start(url, **settings):
        opened.append(Http(HttpSettings(url=url, **settings), SourceId("test:source"), clock=pauses.clock()))
        return opened[-1]

    yield start
    for http in opened:
        http.close()

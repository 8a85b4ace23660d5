"""A real HTTP server for tests, in a thread, told what to answer by a function; and sources that do not wait."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

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


class Canned:
    """Answers to requests to any address; *calls* are the requests, whose targets are whole addresses."""

    def __init__(self) -> None:
        self.calls: list[Seen] = []
        self._answers: list[tuple[str, re.Pattern[str], Reply]] = []

    def get(self, url: str | re.Pattern[str], **answer: Any) -> None:
        """Register the answer to a GET: `json` or `body`, `status`."""
        self._register("GET", url, **answer)

    def post(self, url: str | re.Pattern[str], **answer: Any) -> None:
        """Register the answer to a POST."""
        self._register("POST", url, **answer)

    def _register(self, method: str, url: str | re.Pattern[str], *, status: int = 200, **answer: Any) -> None:
        pattern = re.compile(re.escape(url) + r"(\?.*)?") if isinstance(url, str) else url
        body = answer["body"] if "body" in answer else json.dumps(answer.get("json")).encode()
        reply = Reply(status=status, body=body.encode() if isinstance(body, str) else body)
        self._answers.append((method, pattern, reply))

    def __call__(self, seen: Seen) -> Reply:
        """Return the first answer that was registered for a request, as a proxy would pass it on."""
        self.calls.append(seen)
        found = (reply for method, url, reply in self._answers if seen.method == method and url.fullmatch(seen.target))
        return next(found, Reply(status=502))


@pytest.fixture
def canned(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Canned:
    """Register answers of any host: the proxy that the environment names gives them."""
    answers = Canned()
    url = serve(answers)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, url)
        monkeypatch.setenv(name.upper(), url)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return answers


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

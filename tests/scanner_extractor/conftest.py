"""A real HTTP server for tests, in a thread, told what to answer by a function."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


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
    """Give the type of answers, because test modules cannot import each other."""
    return Reply


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
            """Say nothing."""

    return Handling

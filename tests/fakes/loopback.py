"""How the fakes serve: a server on loopback in a thread, and a handler that sends what a function answers.

Tests find this module because `tests/fakes` is on pytest's path; a fake that runs as a program finds it beside itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request; *login* is its header `Authorization`."""

    method: str
    path: str
    login: str
    body: bytes


def answering(
    answer: Callable[[Asked], tuple[int, Json]], kind: str = "application/json", text: str = "text/html"
) -> type[Any]:
    """Return the handler that sends status and document of *answer*.

    A text is sent as a web page, or as *text* says; empty: without a type.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            given = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            login = self.headers.get("Authorization", "")
            status, document = answer(Asked(method=self.command, path=self.path, login=login, body=given))
            page = isinstance(document, str)
            body = (document if page else json.dumps(document)).encode()
            self.send_response(status)
            if sent := text if page else kind:
                self.send_header("Content-Type", sent)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PATCH = do_GET  # noqa: N815  http.server calls them so

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    return Handler


@contextmanager
def on_loopback(handler: type[Any]) -> Iterator[str]:
    """Serve on a free port until the block ends, and give the URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

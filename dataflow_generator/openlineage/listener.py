"""The listener: sockets and threads around the decisions of `receiving`; the disk keeps events before an answer."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, BinaryIO, cast

from dataflow_generator.openlineage.bodies import BodyBroken, BodyTooLarge, read_body
from dataflow_generator.openlineage.receiving import HEALTH, Head, Reply, Rules, admit, busy, judge, refusal, too_large
from dataflow_generator.openlineage.spool import Spool, SpoolFull
from scanner_model.errors import InputInvalid

Json = Any
Health = Callable[[], Json]

_CONNECTIONS = 128
_READ_AT_ONCE = 4
"""Bodies that are parsed at once: as JSON one takes many times its bytes."""
_PATIENCE = 60
_GRACE = 10.0
_TURNED_AWAY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Listener:
    """An HTTP server at *address* that keeps the events of its clients in *spool*; *health* tells how it does.

    More *connections* at once are turned away. Raises InputInvalid where the address cannot be listened at.
    """

    def __init__(
        self, address: tuple[str, int], spool: Spool, rules: Rules, health: Health, *, connections: int = _CONNECTIONS
    ) -> None:
        try:
            self._server = _Server(address, spool, rules, health, connections)
        except (OSError, OverflowError) as error:
            what = f"cannot be listened at: {getattr(error, 'strerror', None) or error}"
            raise InputInvalid(what, where=f"{address[0]}:{address[1]}", hint="choose another --port") from error
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def port(self) -> int:
        """Give the port, also where any free one was asked for."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Listen."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more requests, and answer those that were begun; one that lasts longer than 10 s is given up."""
        self._server.shutdown()
        self._server.server_close()
        self._server.idle.wait(_GRACE)


class _Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], spool: Spool, rules: Rules, health: Health, connections: int) -> None:
        self.spool, self.rules, self.health = spool, rules, health
        self.idle = threading.Event()
        self.idle.set()
        self._busy = 0
        self._count = threading.Lock()
        self.reading = threading.BoundedSemaphore(_READ_AT_ONCE)
        self._free = threading.BoundedSemaphore(connections)
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind without asking a name server for our own name."""
        TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Serve a connection in a thread of its own, or turn it away where there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            request.sendall(_TURNED_AWAY)
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Say nothing of a client that went away."""

    def begin(self) -> None:
        """Note that a request is worked on."""
        with self._count:
            self._busy += 1
            self.idle.clear()

    def end(self) -> None:
        """Note that a request was answered."""
        with self._count:
            self._busy -= 1
            if not self._busy:
                self.idle.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # what cannot be read gets a status, too
    server_version = "scanner"
    sys_version = ""
    timeout = _PATIENCE
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        self.server.begin()
        try:
            self._answer(self._received())
        finally:
            self.server.end()

    def do_GET(self) -> None:
        head = self._head()
        if head.path.partition("?")[0] == HEALTH:
            self._answer(Reply(status=200, body=self.server.health()))
        else:
            self._refuse(admit(head, self.server.rules) or refusal(405, "use POST"))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Answer what http.server refuses by itself in our form."""
        self._refuse(refusal(code, message or "the request cannot be read"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: ANN401 - http.server's
        """Write no log of requests: their paths and headers may hold what is secret."""

    def _received(self) -> Reply:
        head = self._head()
        if reply := admit(head, self.server.rules):
            self.close_connection = True  # its body was not read, and would look like the next request
            return reply
        try:
            body = read_body(cast(BinaryIO, self.rfile), head.headers, self.server.rules.largest)
        except BodyTooLarge:
            self.close_connection = True
            return too_large(self.server.rules)
        except BodyBroken as error:
            self.close_connection = True
            return refusal(400, str(error))
        return self._kept(body)

    def _kept(self, body: bytes) -> Reply:
        with self.server.reading:
            judged = judge(body, where=f"http {self.client_address[0]}")
        try:
            self.server.spool.keep(judged.accepted, judged.refused)
        except SpoolFull as error:
            return busy(str(error), seconds=1)
        return judged.reply

    def _head(self) -> Head:
        headers = {name.lower(): value for name, value in self.headers.items()} if hasattr(self, "headers") else {}
        return Head(method=self.command or "", path=getattr(self, "path", ""), headers=headers)

    def _refuse(self, reply: Reply) -> None:
        self.close_connection = True
        self._answer(reply)

    def _answer(self, reply: Reply) -> None:
        data = json.dumps(reply.body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        self.wfile.flush()

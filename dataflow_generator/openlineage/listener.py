"""The listener: sockets and threads around the decisions of `receiving`; the disk holds events before an answer."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, BinaryIO, cast

from dataflow_generator.openlineage.bodies import BodyBroken, BodyTooLarge, read_body
from dataflow_generator.openlineage.connections import Connection, Connections, State
from dataflow_generator.openlineage.event_intake import EventIntake
from dataflow_generator.openlineage.receiving import HEALTH, Reply, Rules, admit, busy, refusal, too_large
from dataflow_generator.openlineage.request_head import HeadBroken, RequestHead, read_head
from dataflow_generator.openlineage.spool import Spool
from scanner_model.errors import InputInvalid

Json = Any
Health = Callable[[], Json]

_CONNECTIONS = 128
_WAITING = 128
_POLL = 0.1
_GRACE = 10.0
_BUFFER = 64 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds: that a connection may be *idle*, for a whole *request*, for an *answer* to be taken, to *drain*."""

    idle: float = 60.0
    request: float = 60.0
    answer: float = 30.0
    drain: float = 2.0


class Listener:
    """An HTTP/1.1 server at *address* that keeps the events of its clients in *spool*; *health* reports its state.

    Beyond *connections* at once, whoever lets us wait longest is disconnected. Raises InputInvalid where the address
    cannot be listened at.
    """

    def __init__(
        self,
        address: tuple[str, int],
        spool: Spool,
        rules: Rules,
        health: Health,
        *,
        connections: int = _CONNECTIONS,
        deadlines: Deadlines = Deadlines(),
    ) -> None:
        self._intake, self._rules, self._health, self._deadlines = EventIntake(spool), rules, health, deadlines
        self._connections = Connections(connections)
        self._stopping = threading.Event()
        self._socket = _listening(address)
        self._thread = threading.Thread(target=self._accept, name="listener", daemon=True)

    @property
    def port(self) -> int:
        """Return the port, also where any free one was asked for."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Accept connections, in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no more requests, and answer those that were begun; one that lasts longer than 10 s is given up."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()
        self._connections.end(_GRACE)

    def _accept(self) -> None:
        self._socket.settimeout(_POLL)
        while not self._stopping.is_set():
            try:
                sock, peer = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:  # the client went away at once, or there are too many open files
                time.sleep(_POLL)
                continue
            connection = Connection(sock)
            if self._connections.add(connection):
                threading.Thread(target=self._serve, args=(connection, str(peer[0])), daemon=True).start()
            else:
                _turn_away(connection)

    def _serve(self, connection: Connection, peer: str) -> None:
        try:
            sock = connection.sock
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = io.BufferedReader(connection, _BUFFER)
            while self._exchange(connection, stream, peer):
                self._connections.note(connection, State.IDLE)
        except OSError:
            pass  # the client went away, or was too slow
        finally:
            self._connections.remove(connection)
            connection.sock.close()

    def _exchange(self, connection: Connection, stream: io.BufferedReader[Connection], peer: str) -> bool:
        """Read a request and answer it; return whether another one may follow. Raises OSError."""
        connection.expect(self._deadlines.idle)
        if not stream.peek(1):
            return False
        self._connections.note(connection, State.REQUEST)
        connection.expect(self._deadlines.request)
        head: RequestHead | None = None
        try:
            head = read_head(cast(BinaryIO, stream))
            if head is None:
                return False
            reply, read = self._reply(head, connection, stream, peer)
        except HeadBroken as error:
            reply, read = refusal(error.status, str(error)), False
        except TimeoutError:
            reply, read = refusal(408, "the request took too long", "send it again"), False
        reusable = read and head is not None and head.persistent and not self._stopping.is_set()
        with_body = head is None or head.head.method != "HEAD"
        connection.send(_bytes(reply, reusable=reusable, with_body=with_body), self._deadlines.answer)
        if not read:
            connection.drain(self._deadlines.drain)
        return reusable

    def _reply(
        self, head: RequestHead, connection: Connection, stream: io.BufferedReader[Connection], peer: str
    ) -> tuple[Reply, bool]:
        """Return the answer, and whether the request was read to its end."""
        if refused := admit(head.head, self._rules):
            return refused, False  # its body was not read, and would look like the next request
        if head.head.path.partition("?")[0].rstrip("/") == HEALTH:
            return Reply(status=200, body=self._health()), not head.has_body
        try:
            if head.waits:
                connection.send(_CONTINUE, self._deadlines.answer)
            body = read_body(cast(BinaryIO, stream), head.head.headers, self._rules.largest)
        except BodyTooLarge:
            return too_large(self._rules), False
        except BodyBroken as error:
            return refusal(400, str(error)), False
        self._connections.note(connection, State.ANSWER)
        reply = self._intake.receive(body, where=f"http {peer}")
        self._connections.note(connection, State.REQUEST)
        return reply, True


def _listening(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        return socket.create_server(address, family=family, backlog=_WAITING)
    except (OSError, OverflowError) as error:
        what = f"cannot be listened at: {getattr(error, 'strerror', None) or error}"
        raise InputInvalid(what, where=f"{address[0]}:{address[1]}", hint="choose another --port") from error


def _turn_away(connection: Connection) -> None:
    try:
        connection.send(_bytes(busy("too many requests at once", seconds=1), reusable=False, with_body=True), _POLL)
    except OSError:
        pass
    finally:
        connection.sock.close()


def _bytes(reply: Reply, *, reusable: bool, with_body: bool) -> bytes:
    data = json.dumps(reply.body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    headers = {
        **reply.headers,
        **({} if reusable else {"Connection": "close"}),
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
    }
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", *(f"{k}: {v}" for k, v in headers.items())]
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n" + (data if with_body else b"")

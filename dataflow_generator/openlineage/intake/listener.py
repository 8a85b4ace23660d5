"""The HTTP listener: sockets and threads around the decisions of `requests`; events are on disk before a response."""

from __future__ import annotations

import io
import json
import re
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, BinaryIO, cast

from dataflow_generator.openlineage.intake.connections import (
    Connection,
    Connections,
    HeadBroken,
    RequestHead,
    State,
    read_head,
)
from dataflow_generator.openlineage.intake.requests import HEALTH, Reply, Rules, admit, busy, decide, refusal, too_large
from dataflow_generator.openlineage.intake.spool import Spool, SpoolFull
from scanner_model.errors import InputInvalid

_AT_ONCE = 65_536
_LONGEST_LINE = 256
_TRAILERS = 20
_PACKED = 1_024
"""Bytes that gzip may add to a very short body."""
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})(?:;[\t\x20-\x7e]*)?\r\n")
_TRAILER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n")
_GZIP = 31
"""The window size that makes zlib expect a gzip header."""


class BodyTooLarge(Exception):
    """Raised when a body, compressed or not, is larger than allowed."""


class BodyBroken(Exception):
    """Raised when a body is truncated, badly chunked, or cannot be decompressed."""


def read_body(stream: BinaryIO, headers: Mapping[str, str], largest: int) -> bytes:
    """Read and decompress a body whose head `admit` accepted; raises BodyTooLarge or BodyBroken."""
    chunked = "transfer-encoding" in headers
    pieces = _chunks(stream, largest) if chunked else _of_length(stream, int(headers.get("content-length", "0")))
    packed = headers.get("content-encoding", "identity").strip().lower() in ("gzip", "x-gzip")
    body = bytearray()
    for piece in unpack(pieces, largest) if packed else pieces:
        body += piece
        if len(body) > largest:
            raise BodyTooLarge
    return bytes(body)


def _of_length(stream: BinaryIO, length: int) -> Iterator[bytes]:
    while length:
        piece = stream.read(min(length, _AT_ONCE))
        if not piece:
            raise BodyBroken("the body ended before its Content-Length")
        length -= len(piece)
        yield piece


def _chunks(stream: BinaryIO, largest: int) -> Iterator[bytes]:
    """Yield the chunks, and read the trailers after the last; size lines count, too."""
    received = 0
    while size := _size(line := stream.readline(_LONGEST_LINE)):
        received += size + len(line)
        if size > largest + _PACKED or received > 2 * (largest + _PACKED):
            raise BodyTooLarge
        yield from _of_length(stream, size)
        if stream.read(2) != b"\r\n":
            raise BodyBroken("a chunk is longer than its size says")
    for _ in range(_TRAILERS):
        if (line := stream.readline(_LONGEST_LINE)) == b"\r\n":
            return
        if not _TRAILER.fullmatch(line):
            raise BodyBroken("what follows the last chunk is no trailer")
    raise BodyTooLarge


def _size(line: bytes) -> int:
    """Parse the size of a chunk strictly by RFC 9112, so that no other server reads another number."""
    match = _CHUNK.fullmatch(line)
    if not match:
        raise BodyBroken("the size of a chunk is no number")
    return int(match[1], 16)


def unpack(pieces: Iterator[bytes], largest: int) -> Iterator[bytes]:
    """Yield decompressed pieces of bounded size, of one gzip member or several, against decompression bombs."""
    unpacker = zlib.decompressobj(_GZIP)
    for piece in pieces:
        waiting = piece
        while waiting:
            if unpacker.eof:
                unpacker = zlib.decompressobj(_GZIP)
            try:
                yield unpacker.decompress(waiting, largest + 1)
            except zlib.error as error:
                raise BodyBroken("the body is not gzip, or damaged") from error
            waiting = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    if not unpacker.eof:
        raise BodyBroken("the body is not gzip, or ended early")


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
    """Seconds that a connection may be *idle*, for a whole *request*, to send an *answer*, and to *drain*."""

    idle: float = 60.0
    request: float = 60.0
    answer: float = 30.0
    drain: float = 2.0


_PARSED_AT_ONCE = 4
"""Bodies that are parsed at the same time: as Python objects, one takes many times its size."""


class EventIntake:
    """Stores events in *spool* before they are acknowledged; thread-safe."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._parsing = threading.BoundedSemaphore(_PARSED_AT_ONCE)

    def receive(self, body: bytes, *, where: str) -> Reply:
        """Return the response to *body*, which came from *where*; 2xx only for events that are in the spool."""
        with self._parsing:
            decision = decide(body, where=where)
        try:
            if decision.accepted or decision.refused:
                self._spool.append(decision.accepted, decision.refused)
        except SpoolFull as error:
            return busy(str(error), seconds=1)
        return decision.reply


class Listener:
    """An HTTP/1.1 server at *address* that writes the events of clients to *spool*; *health* reports its state.

    Beyond *connections* at once, the one that has kept us waiting longest is closed. Raises InputInvalid where the
    address cannot be bound.
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
        """Return the bound port, also where any free one was requested."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Accept connections, in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no more requests, and finish those in progress; one that takes longer than 10 s is aborted."""
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
            except OSError:  # the client disconnected, or there are too many open files
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
            pass  # the client disconnected, or was too slow
        finally:
            self._connections.remove(connection)
            connection.sock.close()

    def _exchange(self, connection: Connection, stream: io.BufferedReader[Connection], peer: str) -> bool:
        """Read a request and send the response; return whether another one may follow. Raises OSError."""
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
        """Return the response, and whether the request was read to its end."""
        if refused := admit(head.head, self._rules):
            return refused, False  # the unread body would be taken for the next request
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
        what = f"cannot be bound: {getattr(error, 'strerror', None) or error}"
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

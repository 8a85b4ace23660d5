"""One server on loopback that passes a good fake's answers on, and the faults that it can put into all of them."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

Json = Any

HOLLOW = "hollow"
"""The token that leads from a page that was left empty to the page itself."""
_TOKENS = ("page_token", "pageToken", "NextToken", "nextToken")
_ENUMS = ("state", "phase", "schemaType", "table_type", "mirror_status", "kafka_state", "State", "Status", "type_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request; header names are lower case."""

    method: str
    target: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def document(self) -> Json:
        """Return the body as JSON, an empty object where there is none."""
        return json.loads(self.body) if self.body else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is sent: *cut* bytes fewer than announced, a byte each *pace* seconds, or nothing but a reset."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    cut: int = 0
    pace: float = 0.0
    reset: bool = False


Good = Callable[[Asked], tuple[int, Json | bytes]]
"""A fake: status and document, or the bytes of one."""
Fault = Callable[[Asked, Good], Reply]
"""What is answered instead of what the good fake answers."""


def healthy(request: Asked, good: Good) -> Reply:
    """Pass the good answer on."""
    status, reported = good(request)
    return Reply(status=status, body=reported if isinstance(reported, bytes) else json.dumps(reported).encode())


def status(number: int, body: bytes = b'{"message": "no", "error_code": 1}', **headers: str) -> Fault:
    """Answer everything with a status."""
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request, good: Reply(status=number, body=body, headers=sent)


def slow(request: Asked, good: Good) -> Reply:
    """Let the good answer trickle."""
    return _with(healthy(request, good), pace=1.0)


def reset(request: Asked, good: Good) -> Reply:
    """Hang up without a word."""
    return Reply(reset=True)


def truncated(request: Asked, good: Good) -> Reply:
    """Announce more than is sent."""
    return _with(healthy(request, good), cut=7)


def half(request: Asked, good: Good) -> Reply:
    """End in the middle of the document, and announce just that."""
    reply = healthy(request, good)
    return _with(reply, body=reply.body[: max(1, len(reply.body) // 2)])


def web_page(request: Asked, good: Good) -> Reply:
    """Answer as a login page or a proxy does."""
    return Reply(body=b"<!DOCTYPE html><html>Log in</html>", headers={"Content-Type": "text/html; charset=utf-8"})


def endless() -> Fault:
    """Return a token for one more page with each answer, and the same page for it."""
    numbers = count(1)

    def answer(request: Asked, good: Good) -> Reply:
        return _changed(_without_token(request), good, lambda reported: _continued(reported, f"t{next(numbers)}"))

    return answer


def empty_page(request: Asked, good: Good) -> Reply:
    """Leave each first page empty, with a token for the one that was to be the first."""
    if HOLLOW in request.target or HOLLOW.encode() in request.body:
        return healthy(_without_token(request), good)
    if _without_token(request) != request:  # a later page
        return healthy(request, good)
    return _changed(
        request,
        good,
        lambda reported: _continued(_emptied(reported), HOLLOW) if _emptied(reported) != reported else reported,
    )


def unknown_member(request: Asked, good: Good) -> Reply:
    """Add to each object what nobody knows yet."""
    return _changed(request, good, _grown)


def unknown_word(request: Asked, good: Good) -> Reply:
    """Put a new word wherever one of a fixed list stands."""
    return _changed(request, good, _reworded)


def empty_object(request: Asked, good: Good) -> Reply:
    """Answer everything with an object without members, as a gateway or a maintenance page may."""
    return Reply(body=b"{}")


def other_members(request: Asked, good: Good) -> Reply:
    """Give each member of an answer another type; the entries of an answer that is a list are other members."""
    return _changed(request, good, _retyped)


def other_entries(request: Asked, good: Good) -> Reply:
    """Give each member of each entry of an answer's lists another type."""
    return _changed(request, good, lambda reported: _with_entries(reported, lambda entries: [*map(_retyped, entries)]))


def one_bad_entry(request: Asked, good: Good) -> Reply:
    """Put an object without what is expected in place of the first entry of each list of an answer."""
    return _changed(request, good, lambda reported: _with_entries(reported, _one_broken))


@dataclass(slots=True)
class Faulty:
    """What the server serves now; *stopped* ends what trickles, *trickling* says that something does."""

    good: Good
    fault: Fault = healthy
    stopped: threading.Event = field(default_factory=threading.Event)
    trickling: threading.Event = field(default_factory=threading.Event)
    url: str = ""


@contextmanager
def serving(faulty: Faulty) -> Iterator[Faulty]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests = Asked(method=self.command, target=self.path, body=self.rfile.read(size), headers=headers)
            reply = faulty.fault(requests, faulty.good)
            if reply.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                return
            lines = [f"HTTP/1.1 {reply.status} Answer", f"Content-Length: {len(reply.body)}"]
            lines += [f"{name}: {value}" for name, value in reply.headers.items()]
            self._send("\r\n".join([*lines, "", ""]).encode(), reply)
            self.close_connection = bool(self.close_connection or reply.cut or reply.pace)

        do_GET = do_POST = answer  # noqa: N815  http.server calls them so

        def _send(self, head: bytes, reply: Reply) -> None:
            if not reply.pace:
                self.wfile.write(head + reply.body[: len(reply.body) - reply.cut])
                return
            self.wfile.write(head)
            faulty.trickling.set()
            for byte in reply.body:
                if faulty.stopped.wait(reply.pace):
                    return
                self.wfile.write(bytes([byte]))

        def log_message(self, *args: object) -> None:
            """Report nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *args: object) -> None:
            """Report nothing of clients that went away."""

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        faulty.url = f"http://127.0.0.1:{server.server_port}"
        yield faulty
        faulty.stopped.set()
        server.shutdown()


def _with(reply: Reply, **members: Any) -> Reply:
    reported = {name: getattr(reply, name) for name in ("status", "body", "headers", "cut", "pace")}
    return Reply(**reported | members)


def _changed(request: Asked, good: Good, change: Callable[[Json], Json]) -> Reply:
    reply = healthy(request, good)
    try:
        reported = json.loads(reply.body)
    except ValueError:  # a text or an archive, which has no members
        return reply
    return reply if reply.status >= 400 else _with(reply, body=json.dumps(change(reported)).encode())


def _continued(reported: Json, token: str) -> Json:
    if not isinstance(reported, dict) or "error_code" in reported:
        return reported
    named = dict.fromkeys(("next_page_token", "NextToken", "nextToken", "nextPageToken"), token)
    metadata = reported.get("metadata") if isinstance(reported.get("metadata"), dict) else {}
    link = {"metadata": {**metadata, "next": f"https://far.example/?page_token={token}"}}
    return {**reported, **named, **link, "meta": {"pagination": {"next_page_token": token}}}


def _emptied(reported: Json) -> Json:
    """Empty the lists of a page; one that has none is no page."""
    if not isinstance(reported, dict):
        return reported
    return {name: [] if isinstance(value, list) else value for name, value in reported.items()}


def _without_token(request: Asked) -> Asked:
    path, _, query = request.target.partition("?")
    text = "&".join(part for part in query.split("&") if part.partition("=")[0] not in _TOKENS)
    body = request.body
    if any(name.encode() in body for name in _TOKENS):
        reported = json.loads(body)
        body = json.dumps({name: value for name, value in reported.items() if name not in _TOKENS}).encode()
    return Asked(method=request.method, target=path + (f"?{text}" if text else ""), body=body, headers=request.headers)


def _grown(reported: Json) -> Json:
    if isinstance(reported, list):
        return [_grown(item) for item in reported]
    if not isinstance(reported, dict) or all(isinstance(value, dict) for value in reported.values()):
        return {name: _grown(value) for name, value in reported.items()} if isinstance(reported, dict) else reported
    if "connector.class" in reported or not reported:  # a map of the user's own names
        return reported
    return {name: _grown(value) for name, value in reported.items()} | {"inventedLater": {"deep": [1, None]}}


def _reworded(reported: Json) -> Json:
    if isinstance(reported, list):
        return [_reworded(item) for item in reported]
    if not isinstance(reported, dict):
        return reported
    return {
        name: "INVENTED_LATER" if name in _ENUMS and isinstance(value, str) else _reworded(value)
        for name, value in reported.items()
    }


def _retyped(reported: Json) -> Json:
    match reported:
        case dict():
            return {name: _other(value) for name, value in reported.items()}
        case list():
            return [_other(value) for value in reported]
        case _:
            return _other(reported)


def _other(value: Json) -> Json:
    """Return a value of another type; null and flags are left as they are, as they may be absent as well."""
    match value:
        case str() | list():
            return 7
        case int() | float() if not isinstance(value, bool):
            return "seven"
        case dict():
            return ["other"]
        case _:
            return value


def _with_entries(reported: Json, change: Callable[[list[Json]], list[Json]]) -> Json:
    """Change the lists of an answer: itself, its members, or those of its members where there is no list before."""
    if isinstance(reported, list):
        return change(reported) if reported else reported
    if not isinstance(reported, dict):
        return reported
    return {name: _with_entries(value, change) for name, value in reported.items()}


def _one_broken(entries: list[Json]) -> list[Json]:
    return [{} if isinstance(entries[0], dict) else {"odd": 1}, *entries[1:]]

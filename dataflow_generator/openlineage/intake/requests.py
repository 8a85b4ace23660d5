"""Decide on requests to the listener from their head and body; pure, without a socket.

Source: OpenLineage's API (`POST /api/v1/lineage`, `/batch`), and what its HTTP transports send.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dataflow_generator.openlineage.events import InvalidEvent, event_text, read_event, read_json
from dataflow_generator.openlineage.intake.spool import rejection
from dataflow_generator.openlineage.redaction import parsed
from scanner_model.documents.json_input import TooLarge, check_size
from scanner_model.openlineage import LineageEvent

Json = Any

EVENTS = "/api/v1/lineage"
BATCH = "/api/v1/lineage/batch"
HEALTH = "/health"
_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]/?#@\s]+))(?::[0-9]{0,5})?")
LARGEST = 16 * 1024 * 1024
"""The largest body in bytes, also after decompression; a Spark plan may take several megabytes."""

ELEMENTS = 2_000_000
"""The largest number of brackets, commas and colons in a body: as a Python object, each takes up to 100 bytes."""

BATCHED = 10_000
"""The largest number of events in a batch; the reasons of each rejected one are stored and returned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Which requests are accepted: *token* is what a client must send as `Authorization: Bearer`, empty for none.

    *hosts* are names of this machine, beside `localhost`, that a client without a token may send as Host.
    """

    token: str = field(default="", repr=False)
    largest: int = LARGEST
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a request; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A response: status, JSON document, additional headers."""

    status: int
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The events of a body: *accepted* lines for the spool, *refused* lines for the dead-letter file; the response."""

    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    reply: Reply


def admit(head: Head, rules: Rules) -> Reply | None:
    """Check the head of a request; None where it is accepted, else the response that refuses it."""
    path = head.path.partition("?")[0].rstrip("/")
    if not rules.token and (reply := _from_elsewhere(head.headers, rules)):
        return reply
    if path == HEALTH:
        return None if head.method in ("GET", "HEAD") else refusal(405, "/health is read-only", "use GET", Allow="GET")
    if path not in (EVENTS, BATCH):
        return refusal(404, f"unknown path {path[:200] or '/'}", f"post events to {EVENTS}")
    if head.method != "POST":
        return refusal(405, f"the method {head.method[:20]} is not allowed", "use POST", Allow="POST")
    if not _is_authorized(head.headers.get("authorization", ""), rules.token):
        challenge = {"WWW-Authenticate": "Bearer"}
        return refusal(401, "the token is missing or wrong", "send Authorization: Bearer TOKEN", **challenge)
    return _unreadable(head.headers, rules)


def decide(body: bytes, *, where: str) -> Decision:
    """Parse the events of *body*, one or an array; *where* is their origin in the dead-letter file."""
    try:
        check_size(body, ELEMENTS)
    except TooLarge:
        return _too_many(f"the body holds more than {ELEMENTS} brackets, commas and colons")
    text = body.decode("utf-8", "surrogateescape")
    listed = _listed(text) if body.lstrip()[:1] == b"[" else None
    if listed is None:
        return _decision([_Text(where, text, read_event(text))], single=True)
    if len(listed) > BATCHED:
        return _too_many(f"the batch holds more than {BATCHED} events")
    return _decision(
        [_Text(f"{where}[{index}]", json.dumps(element), read_json(element)) for index, element in enumerate(listed)],
        single=False,
    )


def refusal(status: int, what: str, hint: str = "", **headers: str) -> Reply:
    """Return a response with an error and a hint."""
    return Reply(status=status, body={"error": what, "hint": hint}, headers=headers)


def _too_many(what: str) -> Decision:
    return Decision(accepted=(), refused=(), reply=refusal(413, what, "send fewer events at a time"))


def busy(what: str, *, seconds: int) -> Reply:
    """Return a response that asks the client to retry after *seconds*; nothing of its request was stored."""
    return refusal(503, what, "send it again", **{"Retry-After": str(seconds)})


def _is_authorized(authorization: str, token: str) -> bool:
    if not token:
        return True
    scheme, _, sent = authorization.partition(" ")
    same = hmac.compare_digest(sent.strip().encode("utf-8", "replace"), token.encode("utf-8", "replace"))
    return same and scheme.lower() == "bearer"


def _unreadable(headers: Mapping[str, str], rules: Rules) -> Reply | None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))):
        # A web page can post plain text, or bytes without a type, to a local port, but not JSON.
        return refusal(415, f"bodies of type {kind[:60]!r} are not supported", "send Content-Type: application/json")
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip"):
        return refusal(415, f"the encoding {packing[:60]!r} is not supported", "send it plain, or as gzip")
    return _unframed(headers, rules)


def _unframed(headers: Mapping[str, str], rules: Rules) -> Reply | None:
    """Refuse a body whose end two servers could read differently."""
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is not None and length is not None:
        return refusal(400, "Content-Length and Transfer-Encoding exclude each other")
    if coding is not None:
        known = coding.lower() == "chunked"
        return (
            None
            if known
            else refusal(501, f"the transfer encoding {coding[:60]!r} is not supported", "send Content-Length")
        )
    if length is None:
        return refusal(411, "Content-Length is missing", "send Content-Length")
    if not (length.isascii() and length.isdigit()):
        return refusal(400, "Content-Length is not a number")
    return too_large(rules) if int(length[:20]) > rules.largest else None


def _from_elsewhere(headers: Mapping[str, str], rules: Rules) -> Reply | None:
    """Refuse requests of web pages, also through a foreign host name that resolves to this machine (DNS rebinding)."""
    if "origin" in headers or headers.get("sec-fetch-site", "none").lower() != "none":
        return refusal(403, "requests from a web page are not accepted", "set a token, and send it")
    host = headers.get("host")
    if host is not None and not _is_ours(host, rules.hosts):
        return refusal(403, f"the host {host[:100]!r} is not allowed", "name it with --allow-host, or set a token")
    return None


def _is_ours(host: str, names: frozenset[str]) -> bool:
    """Return whether *host*, with or without a port, is an address or an allowed name; addresses cannot be rebound."""
    match = _HOST.fullmatch(host)
    if not match:
        return False
    name = (match["v6"] or match["name"]).lower().removesuffix(".")
    if name == "localhost" or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def too_large(rules: Rules) -> Reply:
    """Return the response to a body that is too large."""
    return refusal(413, f"the body is larger than {rules.largest} bytes", "send fewer events at a time")


class _Text(NamedTuple):
    where: str
    text: str
    parsed: LineageEvent | InvalidEvent


def _listed(text: str) -> list[Json] | None:
    try:
        listed: list[Json] = parsed(text)
    except (ValueError, RecursionError):
        return None
    return listed


def _decision(texts: list[_Text], *, single: bool) -> Decision:
    refused = [
        (index, entry, entry.parsed) for index, entry in enumerate(texts) if isinstance(entry.parsed, InvalidEvent)
    ]
    failures = [
        {"index": index, "reason": "; ".join(map(str, invalid_event.problems)), "retriable": False}
        for index, _, invalid_event in refused
    ]
    return Decision(
        accepted=tuple(event_text(entry.parsed) for entry in texts if isinstance(entry.parsed, LineageEvent)),
        refused=tuple(
            rejection(entry.where, entry.text, invalid_event.problems) for _, entry, invalid_event in refused
        ),
        reply=_single(failures) if single else _several(len(texts), failures),
    )


def _single(failures: list[Json]) -> Reply:
    if failures:
        return refusal(400, failures[0]["reason"], "the event is in the dead-letter file; correct it and send it again")
    return Reply(status=201, body={"status": "success"})


def _several(received: int, failures: list[Json]) -> Reply:
    """Return the response of OpenLineage's API to a batch: 201 for all accepted, 200 for some, 400 for none."""
    succeeded = received - len(failures)
    status = "success" if not failures else "partial_success" if succeeded else "failure"
    summary = {"received": received, "successful": succeeded, "failed": len(failures), "retriable": 0}
    code = 201 if not failures else 200 if succeeded else 400
    return Reply(status=code, body={"status": status, "summary": summary, "failed_events": failures})

"""What a request to the listener deserves: pure decisions from its head and its body, without a socket.

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

from dataflow_generator.openlineage.door import parsed
from dataflow_generator.openlineage.event_text import event_text
from dataflow_generator.openlineage.reading import Refused, read_event, read_json
from dataflow_generator.openlineage.rejected import rejection
from scanner_model.json_input import TooLarge, check_size
from scanner_model.lineage_events import LineageEvent

Json = Any

EVENTS = "/api/v1/lineage"
BATCH = "/api/v1/lineage/batch"
HEALTH = "/health"
_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]/?#@\s]+))(?::[0-9]{0,5})?")
LARGEST = 16 * 1024 * 1024
"""Bytes of a body, also after it is unpacked; a plan of Spark may take several megabytes."""

ELEMENTS = 2_000_000
"""Brackets, commas and colons of a body: as Python objects each takes up to 100 bytes."""

BATCHED = 10_000
"""Events of a batch; of each that is refused the reasons are written and answered."""


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
    """What to answer: a status, a JSON document, further headers."""

    status: int
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A body's events: lines to keep of those *accepted*, lines to keep aside of those *refused*, and the answer."""

    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    reply: Reply


def admit(head: Head, rules: Rules) -> Reply | None:
    """Check a request by its head; None where its body may be read, or its question about health answered."""
    path = head.path.partition("?")[0].rstrip("/")
    if not rules.token and (reply := _from_elsewhere(head.headers, rules)):
        return reply
    if path == HEALTH:
        return None if head.method in ("GET", "HEAD") else refusal(405, "health is only read", "use GET", Allow="GET")
    if path not in (EVENTS, BATCH):
        return refusal(404, f"there is nothing at {path[:200] or '/'}", f"post events to {EVENTS}")
    if head.method != "POST":
        return refusal(405, f"{head.method[:20]} is not understood here", "use POST", Allow="POST")
    if not _may(head.headers.get("authorization", ""), rules.token):
        challenge = {"WWW-Authenticate": "Bearer"}
        return refusal(401, "the token is missing or wrong", "send Authorization: Bearer TOKEN", **challenge)
    return _unreadable(head.headers, rules)


def judge(body: bytes, *, where: str) -> Judged:
    """Read the events of *body*, one or an array; *where* says in the file of the refused where they came from."""
    try:
        check_size(body, ELEMENTS)
    except TooLarge:
        return _too_many(f"the body holds more than {ELEMENTS} brackets, commas and colons")
    text = body.decode("utf-8", "surrogateescape")
    listed = _listed(text) if body.lstrip()[:1] == b"[" else None
    if listed is None:
        return _judged([_Text(where, text, read_event(text))], single=True)
    if len(listed) > BATCHED:
        return _too_many(f"the batch holds more than {BATCHED} events")
    return _judged(
        [_Text(f"{where}[{index}]", json.dumps(each), read_json(each)) for index, each in enumerate(listed)],
        single=False,
    )


def refusal(status: int, what: str, hint: str = "", **headers: str) -> Reply:
    """Make an answer that says what is wrong, and what next."""
    return Reply(status=status, body={"error": what, "hint": hint}, headers=headers)


def _too_many(what: str) -> Judged:
    return Judged(accepted=(), refused=(), reply=refusal(413, what, "send fewer events at a time"))


def busy(what: str, *, seconds: int) -> Reply:
    """Ask the client to come back in *seconds*; nothing of its request was kept."""
    return refusal(503, what, "send it again", **{"Retry-After": str(seconds)})


def _may(authorization: str, token: str) -> bool:
    if not token:
        return True
    scheme, _, sent = authorization.partition(" ")
    same = hmac.compare_digest(sent.strip().encode("utf-8", "replace"), token.encode("utf-8", "replace"))
    return same and scheme.lower() == "bearer"


def _unreadable(headers: Mapping[str, str], rules: Rules) -> Reply | None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))):
        # A page in somebody's browser can post plain text, or bytes without a type, to a local port, but not JSON.
        return refusal(415, f"a body of {kind[:60]!r} is not read", "send Content-Type: application/json")
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip"):
        return refusal(415, f"a body packed by {packing[:60]!r} is not read", "send it plain, or as gzip")
    return _unframed(headers, rules)


def _unframed(headers: Mapping[str, str], rules: Rules) -> Reply | None:
    """Refuse a body of which two servers could read different ends."""
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is not None and length is not None:
        return refusal(400, "a body has a length or is sent in chunks, not both")
    if coding is not None:
        known = coding.lower() == "chunked"
        return None if known else refusal(501, f"a body sent as {coding[:60]!r} is not read", "send Content-Length")
    if length is None:
        return refusal(411, "the length of the body is missing", "send Content-Length")
    if not (length.isascii() and length.isdigit()):
        return refusal(400, "the length of the body is no number")
    return too_large(rules) if int(length[:20]) > rules.largest else None


def _from_elsewhere(headers: Mapping[str, str], rules: Rules) -> Reply | None:
    """Refuse what a page in somebody's browser sent, also by a name of its own that leads to this machine."""
    if "origin" in headers or headers.get("sec-fetch-site", "none").lower() != "none":
        return refusal(403, "requests from a web page are not accepted", "set a token, and send it")
    host = headers.get("host")
    if host is not None and not _is_ours(host, rules.hosts):
        return refusal(403, f"the host {host[:100]!r} is not this one", "name it with --allow-host, or set a token")
    return None


def _is_ours(host: str, names: frozenset[str]) -> bool:
    """Return whether *host*, with or without a port, is an address or a known name: no page can have an address's."""
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
    """Say that a body is larger than is read."""
    return refusal(413, f"the body is larger than {rules.largest} bytes", "send fewer events at a time")


class _Text(NamedTuple):
    where: str
    text: str
    found: LineageEvent | Refused


def _listed(text: str) -> list[Json] | None:
    try:
        listed: list[Json] = parsed(text)
    except (ValueError, RecursionError):
        return None
    return listed


def _judged(texts: list[_Text], *, single: bool) -> Judged:
    refused = [(index, each, each.found) for index, each in enumerate(texts) if isinstance(each.found, Refused)]
    failures = [
        {"index": index, "reason": "; ".join(map(str, found.problems)), "retriable": False}
        for index, _, found in refused
    ]
    return Judged(
        accepted=tuple(event_text(each.found) for each in texts if isinstance(each.found, LineageEvent)),
        refused=tuple(rejection(each.where, each.text, found.problems) for _, each, found in refused),
        reply=_single(failures) if single else _several(len(texts), failures),
    )


def _single(failures: list[Json]) -> Reply:
    if failures:
        return refusal(400, failures[0]["reason"], "the event is kept aside; mend it and send it again")
    return Reply(status=201, body={"status": "success"})


def _several(received: int, failures: list[Json]) -> Reply:
    """Answer as OpenLineage's API does for a batch: 201 all in, 200 some, 400 none."""
    succeeded = received - len(failures)
    status = "success" if not failures else "partial_success" if succeeded else "failure"
    summary = {"received": received, "successful": succeeded, "failed": len(failures), "retriable": 0}
    code = 201 if not failures else 200 if succeeded else 400
    return Reply(status=code, body={"status": status, "summary": summary, "failed_events": failures})

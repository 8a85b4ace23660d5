"""Decide on requests with events from their head and body; pure, without a socket.

Source: OpenLineage's API (`POST /api/v1/lineage`, `/batch`), and what its HTTP transports send.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dataflow_generator.openlineage.events import InvalidEvent, event_text, read_event, read_json
from dataflow_generator.openlineage.redaction import parsed
from dataflow_generator.openlineage.spool import rejection
from scanner_model.documents.json_input import TooLarge, check_size
from scanner_model.openlineage import LineageEvent

Json = Any

_GZIP_NAMES = ("gzip", "x-gzip")
_GZIP = 31
"""The window size that makes zlib expect a gzip header."""

LARGEST = 16 * 1024 * 1024
"""The largest body in bytes, also after decompression; a Spark plan may take several megabytes."""

ELEMENTS = 2_000_000
"""The largest number of brackets, commas and colons in a body: as a Python object, each takes up to 100 bytes."""

BATCHED = 10_000
"""The largest number of events in a batch; the reasons of each rejected one are stored and returned."""


class BodyTooLarge(Exception):
    """Raised when a body, compressed or not, is larger than allowed."""


class BodyBroken(Exception):
    """Raised when a body is truncated, or cannot be decompressed."""


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


def admit(headers: Mapping[str, str], largest: int) -> Reply | None:
    """Check the head of a request, names in lower case; None where its body is to be read, else the response."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))):
        # A web page can post plain text, or bytes without a type, to a local port, but not JSON.
        return refusal(415, f"bodies of type {kind[:60]!r} are not supported", "send Content-Type: application/json")
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", *_GZIP_NAMES):
        return refusal(415, f"the encoding {packing[:60]!r} is not supported", "send it plain, or as gzip")
    length = headers.get("content-length", "0" if "transfer-encoding" in headers else "")
    if not length:
        return refusal(411, "Content-Length is missing", "send Content-Length")
    return too_large(largest) if int(length[:20]) > largest else None


def whole_body(pieces: Iterable[bytes], headers: Mapping[str, str], largest: int) -> bytes:
    """Return the body of a request that `admit` accepted, decompressed; raises BodyTooLarge or BodyBroken."""
    packed = headers.get("content-encoding", "").strip().lower() in _GZIP_NAMES
    body = bytearray()
    for piece in _unpacked(pieces, largest) if packed else pieces:
        body += piece
        if len(body) > largest:
            raise BodyTooLarge
    return bytes(body)


def _unpacked(pieces: Iterable[bytes], largest: int) -> Iterator[bytes]:
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


def decide(body: bytes, *, where: str, newest: str | None = None) -> Decision:
    """Parse the events of *body*, one or an array; *where* is their origin in the dead-letter file.

    *newest* is the latest time that an event may have.
    """
    try:
        check_size(body, ELEMENTS)
    except TooLarge:
        return _too_many(f"the body holds more than {ELEMENTS} brackets, commas and colons")
    text = body.decode("utf-8", "surrogateescape")
    listed = _listed(text) if body.lstrip()[:1] == b"[" else None
    if listed is None:
        return _decision([_Text(where, text, read_event(text, newest=newest))], single=True)
    if len(listed) > BATCHED:
        return _too_many(f"the batch holds more than {BATCHED} events")
    return _decision(
        [
            _Text(f"{where}[{index}]", json.dumps(element), read_json(element, newest=newest))
            for index, element in enumerate(listed)
        ],
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


def too_large(largest: int) -> Reply:
    """Return the response to a body that is too large."""
    return refusal(413, f"the body is larger than {largest} bytes", "send fewer events at a time")


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

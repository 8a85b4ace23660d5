"""Requests, responses and the protocol of a transport; normalised URLs with credentials separated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from scanner_extractor.settings.cluster import BasicAuth
from scanner_model.names import SourceId

Json = Any
"""A value as `json.loads` returns it; only readers handle it."""

AS_IS = "*/*"
"""The `Accept` of requests for raw schema texts: captures store them byte for byte."""


class EncodedSegment(str):
    """A segment of a path that is percent-encoded already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request; *url* is complete, with its query and without credentials; *content* is the type of its body."""

    source: SourceId
    method: str
    url: str
    accept: str = "application/json"
    body: str = ""
    content: str = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response: header names are lower case, *body* is inflated and otherwise as received."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


Transport = Callable[[Request], Response]
"""Function that sends a request and returns its response of any status; raises ScannerError without a response."""


@dataclass(frozen=True, slots=True)
class Address:
    """A URL without credentials, query and final slash, host in lower case; *auth* are the credentials it had."""

    url: str
    host: str
    auth: BasicAuth | None = field(default=None, repr=False)


def read_address(text: str) -> Address:
    """Parse an HTTP URL; raises ValueError, which does not quote the text."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("not a web address") from None
    if parts.scheme not in ("http", "https") or not host or any(letter.isspace() for letter in host):
        raise ValueError("not a web address")
    login = parts.netloc.rpartition("@")[0]
    user, _, password = login.partition(":")
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
    url = urlunsplit((parts.scheme, netloc, parts.path.rstrip("/"), "", ""))
    return Address(url, host, BasicAuth(user=unquote(user), password=unquote(password)) if login else None)

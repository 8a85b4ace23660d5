"""HTTP request and response types, and the transport protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scanner_model.names import SourceId

Json = Any
"""A value as `json.loads` returns it; only readers handle it."""

AS_IS = "*/*"
"""The `Accept` of requests for raw schema texts: captures store them byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request; *url* is complete, with its query and without credentials."""

    source: SourceId
    method: str
    url: str
    accept: str = "application/json"
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response: header names are lower case, *body* is inflated and otherwise as received."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


Transport = Callable[[Request], Response]
"""Function that sends a request and returns its response of any status; raises ScannerError without a response."""

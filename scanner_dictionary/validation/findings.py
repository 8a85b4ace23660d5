"""What validation finds: one thing that does not fit, and how bad that is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """Something is broken now: it failed, or points to nothing."""
    WARNING = "warning"
    """Something looks unfinished, or cannot be told for sure."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Finding:
    """One thing that does not fit: *where* names it as people know it, *hint* is the next step."""

    cluster: str
    rule: str
    severity: Severity
    where: str
    what: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One question that validation asks of a cluster, by its key; *find* gives (where, what) pairs in their order."""

    name: str
    severity: Severity
    hint: str
    find: Callable[[Connection, int], Iterable[tuple[str, str]]]

"""Findings of validation, and the rules that yield them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    """Something is broken now: it failed, or points to nothing."""
    WARNING = "warning"
    """Something looks unfinished, or cannot be decided."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Finding:
    """A problem in a cluster: *where* names the object as users know it, *hint* is the next step."""

    cluster: str
    rule: str
    severity: Severity
    where: str
    what: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check of one cluster; *find* takes the cluster's key and returns (where, what) pairs in their order.

    *meaning*, *hint* and the examples, with and without a finding, are the text of its page in docs/rules.
    """

    name: str
    meaning: str
    example_bad: str
    example_good: str
    severity: Severity
    hint: str
    find: Callable[[Connection, int], Iterable[tuple[str, str]]]

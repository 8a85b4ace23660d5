"""Comparison and validation of scans, and removal of sources that are no longer configured."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary.diff import ScanDiff
from scanner_dictionary.diff import diff as compare_scans
from scanner_dictionary.validation import RULES, Finding
from scanner_dictionary.validation import validate as run_rules
from scanner_dictionary.write.scan import cluster_with_sources, forget_sources
from scanner_model.documents.schema_errors import closest_match
from scanner_model.errors import InputInvalid


def diff(dictionary: Dictionary, first: int, second: int) -> ScanDiff:
    """Return what changed from scan *first* to scan *second* of one cluster, with the compatibility of each schema.

    Raises NameUnknown where a scan is not stored, or where the two are of different clusters.

    >>> diff(dictionary, 1, 2).facts
    """
    with dictionary.reading() as conn:
        return compare_scans(conn, first, second)


def validate(
    dictionary: Dictionary, *, cluster: str | None = None, rules: Collection[str] | None = None
) -> tuple[Finding, ...]:
    """Return what does not fit together in the dictionary, by cluster, rule and name; *rules* None: every rule.

    Raises InputInvalid for an unknown rule, NameUnknown for an unknown cluster.

    >>> [finding.where for finding in validate(dictionary, rules=["failed-connector"])]
    """
    for name in rules or ():
        if name not in RULES:
            hint = closest_match(name, tuple(RULES)) or f"known: {', '.join(sorted(RULES))}"
            raise InputInvalid(f"no rule is called {name!r}", where="--rule", hint=hint)
    with dictionary.reading() as conn:
        return tuple(run_rules(conn, cluster=known_cluster(conn, cluster), rules=rules or None))


class ForgetResult(NamedTuple):
    """The cluster whose sources were removed, the number of the scan that records it, and how many facts it marked."""

    cluster: str
    scan: int
    facts: int


def forget(dictionary: Dictionary, sources: Collection[str], *, cluster: str | None = None) -> ForgetResult:
    """Mark as deleted what the *sources* of one cluster reported, for sources that cluster.json no longer names.

    Raises NameUnknown where no cluster has them, InputInvalid where several have and *cluster* is None.
    """
    with dictionary.reading() as conn:
        name = cluster_with_sources(conn, sources, known_cluster(conn, cluster))
    summary = forget_sources(dictionary.writing(), name, sources, at=datetime.now(UTC))
    return ForgetResult(name, summary.scan_id, summary.gone)

"""What the dictionary holds as a whole, and the removal of sources and of old scans from it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary.engine.open import REVISION
from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.queries import history
from scanner_dictionary.queries.graph_at import first_scan_after, read_moment
from scanner_dictionary.queries.history import ClusterRow, SourceRow, dictionary_counts, dictionary_size
from scanner_dictionary.write.prune import PruneResult as PruneResult
from scanner_dictionary.write.prune import Retention
from scanner_dictionary.write.prune import prune as prune_dictionary
from scanner_dictionary.write.scan import cluster_with_sources, forget_sources
from scanner_model.errors import InputInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryOverview:
    """A dictionary's revision and size in bytes, its clusters and sources, and *counts* of what it holds, by name."""

    revision: str
    size: int
    counts: tuple[tuple[str, int], ...]
    clusters: tuple[ClusterRow, ...]
    sources: tuple[SourceRow, ...]


def overview(dictionary: Dictionary) -> DictionaryOverview:
    """Return what the dictionary holds and how fresh each source is.

    >>> overview(dictionary).counts
    """
    with dictionary.reading() as conn:
        return DictionaryOverview(
            revision=REVISION,
            size=dictionary_size(conn),
            counts=dictionary_counts(conn),
            clusters=history.clusters(conn),
            sources=history.sources(conn),
        )


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


def prune(
    dictionary: Dictionary, *, keep_scans: int | None = None, before: str | int | None = None, dry_run: bool = True
) -> PruneResult:
    """Delete the history before the newest *keep_scans* scans of each cluster, or *before* a scan number or date.

    With *dry_run*, the default, nothing is deleted: the result says what would be. The newest scan of each cluster,
    the newest graph, and every fact that exists stay in any case. Raises InputInvalid unless exactly one is given.

    >>> prune(dictionary, keep_scans=10).rows
    """
    if (keep_scans is None) == (before is None):
        raise InputInvalid("what to keep is not clear", where="prune", hint="--keep-scans N, or --before SCAN or DATE")
    engine = dictionary.writing()
    number = None if before is None else _scan_number(dictionary, before)
    return prune_dictionary(engine, Retention(scans=keep_scans, before=number), dry_run=dry_run)


def _scan_number(dictionary: Dictionary, before: str | int) -> int:
    """Return the first scan number to keep; of a date the first that was not finished then, whatever later ones say."""
    if isinstance(before, int) or (before.isascii() and before.isdigit() and len(before) < len("20260131")):
        return int(before)
    moment = read_moment(before, "--before", end_of_day=False)
    with dictionary.reading() as conn:
        return first_scan_after(conn, moment) or newest_scan(conn) + 1

"""What the dictionary holds as a whole, and the removal of sources from it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary import queries
from scanner_dictionary.queries import ClusterRow, SourceRow
from scanner_dictionary.queries.history import dictionary_summary
from scanner_dictionary.write.scan import cluster_with_sources, forget_sources


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
        summary = dictionary_summary(conn)
        return DictionaryOverview(
            revision=summary.revision,
            size=summary.bytes,
            counts=summary.counts,
            clusters=queries.clusters(conn),
            sources=queries.sources(conn),
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

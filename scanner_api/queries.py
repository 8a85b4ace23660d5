"""Queries of the dictionary, its diff and its findings: one function each, rows in a documented order, nothing changed.

Everywhere *cluster* limits the answer to one cluster (NameUnknown for one that the dictionary does not have), and
*pattern* is a glob where it holds `*`, `?` or `[`, else a part of the name. *include_deleted* adds what its source no
longer has. Every function raises DictionaryUnusable where the dictionary cannot be read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary import queries
from scanner_dictionary.diff import DiffRow, ScanDiff, as_json, rows
from scanner_dictionary.diff import diff as compare_scans
from scanner_dictionary.queries import ClusterRow as ClusterRow
from scanner_dictionary.queries import ConnectorRow as ConnectorRow
from scanner_dictionary.queries import OutcomeRow as OutcomeRow
from scanner_dictionary.queries import ScanRow as ScanRow
from scanner_dictionary.queries import SchemaAnswer as SchemaAnswer
from scanner_dictionary.queries import SourceRow as SourceRow
from scanner_dictionary.queries import StatementRow as StatementRow
from scanner_dictionary.queries import SubjectRow as SubjectRow
from scanner_dictionary.queries import TopicRow as TopicRow
from scanner_dictionary.queries.catalog_tables import TableLine as TableLine
from scanner_dictionary.queries.catalog_tables import tables as catalog_tables
from scanner_dictionary.queries.columns import TopicColumnRow as TopicColumnRow
from scanner_dictionary.queries.columns import topic_columns
from scanner_dictionary.queries.drift import Difference as Difference
from scanner_dictionary.queries.drift import Drift as Drift
from scanner_dictionary.queries.drift import DriftResult as DriftResult
from scanner_dictionary.queries.drift import DriftRow as DriftRow
from scanner_dictionary.queries.drift import drift as find_drift
from scanner_dictionary.queries.history import dictionary_summary
from scanner_dictionary.validation import RULES, stored_findings
from scanner_dictionary.validation import Finding as Finding
from scanner_dictionary.validation import validate as run_rules
from scanner_dictionary.write.scan import cluster_with_sources, forget_sources
from scanner_model.documents.schema_errors import closest_match
from scanner_model.errors import InputInvalid, Problem


def topic_schemas(
    dictionary: Dictionary,
    broker: str,
    topic: str,
    *,
    schema_id: str | int | None = None,
    subject: str | None = None,
    version: int | str | None = None,
) -> tuple[SchemaAnswer, ...]:
    """Return the schemas of a topic with their columns: keys first, then by subject, version and id.

    *broker* is any broker of the cluster, or a comma list. Without more arguments: all current schemas. *schema_id*:
    exactly that one. *subject*: its newest version, or *version* of it. Empty where the topic is known and has no
    schema. Raises NameUnknown for a broker, topic, schema, subject or version that is not known.

    >>> for schema in topic_schemas(dictionary, "localhost:29095", "orders"):
    ...     print(schema.role, schema.subject, [column.name for column in schema.columns])
    """
    with dictionary.reading() as conn:
        return queries.schemas_of(conn, broker, topic, schema_id=schema_id, subject=subject, version=version)


def topics(
    dictionary: Dictionary,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    without_schema: bool = False,
    include_deleted: bool = False,
    after: tuple[str, str] | None = None,
    limit: int | None = None,
) -> tuple[TopicRow, ...]:
    """Return the topics by cluster and name; *without_schema*: only those that no schema describes.

    At most *limit*, behind the topic *after*, a cluster and a name.

    >>> [topic.name for topic in topics(dictionary, pattern="orders*")]
    """
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        listed = queries.topics(
            conn,
            cluster=name,
            pattern=pattern,
            without_schema=without_schema,
            include_gone=include_deleted,
            after=after,
        )
        return tuple(islice(listed, limit))


def schemas(
    dictionary: Dictionary, *, cluster: str | None = None, pattern: str | None = None, include_deleted: bool = False
) -> tuple[SubjectRow, ...]:
    """Return the subjects of every registry by cluster, registry, context and name, with versions and topics.

    >>> [subject.name for subject in schemas(dictionary, cluster="retail")]
    """
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        return tuple(queries.schemas(conn, cluster=name, pattern=pattern, include_gone=include_deleted))


def columns(
    dictionary: Dictionary, *, cluster: str | None = None, pattern: str | None = None, tag: str | None = None
) -> tuple[TopicColumnRow, ...]:
    """Return the columns of the schemas that topics have now, by cluster, topic, side, subject and position.

    *tag* is a whole tag, of the schema or of a stream catalog, in any letter case.

    >>> [(column.topic, column.name) for column in columns(dictionary, pattern="*.amount")]
    """
    with dictionary.reading() as conn:
        return tuple(topic_columns(conn, cluster=known_cluster(conn, cluster), pattern=pattern, tag=tag))


def connectors(
    dictionary: Dictionary,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    failed: bool = False,
    include_deleted: bool = False,
) -> tuple[ConnectorRow, ...]:
    """Return the connectors by cluster, source and name; *failed*: only those that failed or have a failed task."""
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        listed = queries.connectors(conn, cluster=name, pattern=pattern, failed=failed, include_gone=include_deleted)
        return tuple(listed)


def statements(
    dictionary: Dictionary,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    state: str | None = None,
    source: str | None = None,
    include_deleted: bool = False,
) -> tuple[StatementRow, ...]:
    """Return Flink statements and ksqlDB queries by cluster, source and name.

    *state* is the server's word in any letter case; *source* is a pattern of the source's id.
    """
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        listed = queries.statements(
            conn, cluster=name, pattern=pattern, state=state, source=source, include_gone=include_deleted
        )
        return tuple(listed)


def tables(
    dictionary: Dictionary,
    *,
    cluster: str | None = None,
    provider: str | None = None,
    pattern: str | None = None,
    include_deleted: bool = False,
) -> tuple[TableLine, ...]:
    """Return catalog tables, and tables that topics are materialized as, by cluster, provider, namespace and name.

    *provider* is a kind of catalog (unity, glue, …); *pattern* also matches the topic of a table.
    """
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        listed = catalog_tables(conn, cluster=name, provider=provider, pattern=pattern, include_gone=include_deleted)
        return tuple(listed)


def scans(dictionary: Dictionary, *, cluster: str | None = None) -> tuple[ScanRow, ...]:
    """Return the scans, the newest first."""
    with dictionary.reading() as conn:
        return tuple(queries.scans(conn, cluster=known_cluster(conn, cluster)))


def scan_sources(dictionary: Dictionary, scan: int) -> tuple[OutcomeRow, ...]:
    """Return how each source responded in *scan*; raises NameUnknown for a scan that is not stored."""
    with dictionary.reading() as conn:
        return queries.outcomes(conn, scan)


def scan_problems(dictionary: Dictionary, scan: int) -> tuple[Problem, ...]:
    """Return what *scan* could not read or parse; raises NameUnknown for a scan that is not stored."""
    with dictionary.reading() as conn:
        return queries.problems(conn, scan)


def sources(dictionary: Dictionary, *, cluster: str | None = None) -> tuple[SourceRow, ...]:
    """Return the sources by cluster and name, with the scan since which each is stale, and why."""
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        return tuple(row for row in queries.sources(conn) if name in (None, row.cluster))


def clusters(dictionary: Dictionary) -> tuple[ClusterRow, ...]:
    """Return the clusters by name, with their broker addresses and newest scans."""
    with dictionary.reading() as conn:
        return queries.clusters(conn)


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


def diff(dictionary: Dictionary, first: int, second: int) -> ScanDiff:
    """Return what changed from scan *first* to scan *second* of one cluster, with the compatibility of each schema.

    Raises NameUnknown where a scan is not stored, or where the two are of different clusters.

    >>> diff(dictionary, 1, 2).facts
    """
    with dictionary.reading() as conn:
        return compare_scans(conn, first, second)


def diff_document(changes: ScanDiff) -> dict[str, Any]:
    """Return *changes* as JSON, with the members of `scanner diff --format json`."""
    return as_json(changes)


def diff_rows(changes: ScanDiff) -> tuple[DiffRow, ...]:
    """Return *changes* as the lines of a table in the order topic, side, column; what is of no topic comes last."""
    return rows(changes)


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


def drift(dictionary: Dictionary, *, cluster: str | None = None) -> DriftResult:
    """Return where deployment files and what runs disagree, by cluster, kind and name, as the last scans read both.

    Defaults, masked secrets and filled-in placeholders are no differences. Raises NameUnknown for an unknown cluster.

    >>> [(row.name, row.drift, row.differences) for row in drift(dictionary).rows]
    """
    with dictionary.reading() as conn:
        return find_drift(conn, cluster=known_cluster(conn, cluster))


def findings(dictionary: Dictionary, *, cluster: str | None = None) -> tuple[Finding, ...]:
    """Return what `validate` found after the newest scan of each cluster, in its order, without looking again."""
    with dictionary.reading() as conn:
        return tuple(stored_findings(conn, known_cluster(conn, cluster)))


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

"""Questions of a home page: how much there is of what, what is wrong, and lists of the graph's nodes."""

from __future__ import annotations

import json
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from scanner_api.dictionary import Dictionary
from scanner_api.questions.graph import GraphNode, described_nodes
from scanner_api.questions.pages import Page, read_cursor, write_cursor
from scanner_api.questions.parameters import Cursor, Limit, Pattern
from scanner_api.questions.question import Parameter
from scanner_dictionary.graph.reader import NodeCount as NodeCount
from scanner_dictionary.graph.reader import NodePlace, SqlGraphReader, count_nodes, list_nodes
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.queries.topics import name_filter
from scanner_dictionary.validation import FindingCount as FindingCount
from scanner_dictionary.validation import count_findings

NodeKindName = Literal["topic", "job", "dataset", "consumer-group", "catalog-table"]


class Summary(NamedTuple):
    """How many *nodes* the graph has of each kind and namespace, and how many *findings* there are of each rule."""

    nodes: tuple[NodeCount, ...]
    findings: tuple[FindingCount, ...]


def summary(dictionary: Dictionary) -> Summary:
    """Return how many topics, jobs, datasets and groups the graph has where, and what `validate` found, counted.

    >>> summary(dictionary).findings
    """
    with dictionary.reading() as conn:
        return Summary(count_nodes(conn), count_findings(conn))


def nodes(
    dictionary: Dictionary,
    *,
    kind: Annotated[NodeKindName | None, Parameter("Only of this kind.")] = None,
    namespace: Annotated[str | None, Parameter("Only in this namespace.", longest=2000)] = None,
    pattern: Pattern = None,
    failed: Annotated[bool, Parameter("Only jobs that failed, or have a failed task.")] = False,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[GraphNode]:
    """Return the graph's topics, jobs, datasets and consumer groups by namespace and name.

    >>> [job.name for job in nodes(dictionary, kind="job", failed=True)]
    """
    called = name_filter(pattern)

    def fits(row: NodeRow) -> bool:
        return called(row.name) and (not failed or _has_failed(row))

    after = NodePlace(*read_cursor(cursor, str, str, int)) if cursor else None
    with dictionary.reading() as conn:
        found = list_nodes(conn, kind=kind, namespace=namespace, fits=fits, after=after)
        rows = tuple(islice(found, None if limit is None else limit + 1))
        more = limit is not None and len(rows) > limit
        page = rows[:limit]
        described = described_nodes(SqlGraphReader(conn), page, counted=True)
        last = write_cursor(page[-1].namespace, page[-1].name, page[-1].id) if more else None
        return Page(tuple(described[row.id] for row in page), last)


def _has_failed(row: NodeRow) -> bool:
    attributes = json.loads(row.attributes)
    return "failed" in attributes or str(attributes.get("state", "")).upper() in _FAILED


_FAILED = frozenset(("FAILED", "FAILING", "ERROR", "UNRESPONSIVE"))
"""States of connectors, Flink statements and ksqlDB queries that do not come back by themselves."""

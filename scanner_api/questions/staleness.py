"""The question which data is stale: what is downstream of failed or stopped jobs, or of sources not read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dataflow_generator.query.stored_graph import JOB_LEVEL
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.graph.open import stale_nodes
from scanner_api.questions.question import Cluster, Cursor, Limit, Page, page_of
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader, jobs_with_states, list_nodes
from scanner_dictionary.graph.store import NodeRow, newest_scan, stored_graph
from scanner_dictionary.queries.state import has_stale_sources

FAILED = frozenset(("FAILED", "FAILING", "DEGRADED", "ERROR", "UNRESPONSIVE"))
"""States of connectors, Flink statements and ksqlDB queries that do not recover by themselves."""
STOPPED = frozenset(("PAUSED", "STOPPED", "STOPPING", "SUSPENDED", "TERMINATED", "CANCELED", "CANCELLED"))
"""States of jobs that were stopped deliberately; finished statements are not among them."""


class StaleNode(NamedTuple):
    """A node whose data may be out of date, and why: *reason* is what is wrong with *cause*, *steps* jobs before it.

    *id* and *cause* are keys of the graph, *cause_name* is the name of the job or source. *steps* is 0 for a node that
    a source that was not read reports.
    """

    id: str
    kind: str
    cluster: str
    namespace: str
    name: str
    cause: str
    cause_name: str
    reason: str
    steps: int


def staleness(
    dictionary: Dictionary, *, cluster: Cluster = None, limit: Limit = None, cursor: Cursor = None
) -> Page[StaleNode]:
    """Return what is downstream of failed jobs, stopped jobs and sources that were not read, the nearest first.

    Each node is listed once, with its nearest cause. A failed or stopped job itself is not listed: it is the cause. The
    answer is not `complete` where no graph of the newest scan was generated.

    >>> [(row.name, row.cause_name, row.reason) for row in staleness(dictionary)]
    """
    with dictionary.reading() as conn:
        name, graph = known_cluster(conn, cluster), stored_graph(conn)
        rows = _stale(conn) if graph else ()
        page = page_of((row for row in rows if name in (None, row.cluster)), cursor, limit)
        current = graph is not None and graph.last_scan >= newest_scan(conn)
        return Page(page.items, page.next_cursor, current)


class _Cause(NamedTuple):
    node: NodeRow
    name: str
    reason: str


def _stale(conn: Connection) -> Iterator[StaleNode]:
    graph = SqlGraphReader(conn)
    names, causes = graph.system_names(), _causes(graph)
    nearest, ring, steps = dict(causes), list(causes), 0
    unread = [key for key, cause in causes.items() if cause.name != cause.node.name]
    yield from _rows(graph.nodes_of(unread), nearest, names, 0)
    while ring:
        edges = graph.edges_at(ring, forward=True, kinds=JOB_LEVEL)
        steps += 1
        reached = {edge.target_node_id: nearest[edge.source_node_id] for edge in reversed(edges)}
        ring = [key for key in reached if key not in nearest]
        nearest.update((key, reached[key]) for key in ring)
        yield from _rows(graph.nodes_of(sorted(ring)), nearest, names, steps)


def _rows(
    nodes: Mapping[int, NodeRow], nearest: Mapping[int, _Cause], names: Mapping[str, str], steps: int
) -> Iterator[StaleNode]:
    for key, node in nodes.items():
        cause, reason = nearest[key], nearest[key].reason
        place = names.get(node.namespace, ""), node.namespace, node.name
        yield StaleNode(node.node_key, node.kind, *place, cause.node.node_key, cause.name, reason, steps)


def _causes(graph: SqlGraphReader) -> dict[int, _Cause]:
    """Return what makes data stale: jobs that failed or were stopped, and nodes that their source did not confirm."""
    causes: dict[int, _Cause] = {}
    if has_stale_sources(graph.conn):
        nodes = list(list_nodes(graph.conn, fits=lambda _: True))
        unread = stale_nodes(graph, nodes) or {}
        causes |= {row.id: _Cause(row, *_source(unread[row.id])) for row in nodes if row.id in unread}
    jobs = jobs_with_states(graph.conn)
    return causes | {row.id: _Cause(row, row.name, reason) for row in jobs if (reason := job_problem(row))}


def _source(reason: str) -> tuple[str, str]:
    """Return the source that was not read, and why; the two are joined in the reason of a stale node."""
    source, _, why = reason.rpartition(": ")
    return source, f"not read: {why}"


def job_problem(row: NodeRow) -> str:
    """Return in what way a job failed or was stopped; empty if it runs, or if that is unknown."""
    attributes = json.loads(row.attributes)
    state = str(attributes.get("state", "")).upper()
    if "failed" in attributes:
        return f"failed: {attributes['failed']}"
    return "failed" if state in FAILED else "stopped" if state in STOPPED else ""

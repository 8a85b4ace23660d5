"""What state a dictionary is in: its newest scan, its graph, and the sources whose facts are not fresh."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary.graph.store import stored_graph
from scanner_dictionary.schema import tables as t


class StaleSource(NamedTuple):
    """A source that could not be read completely since scan *since*, and why."""

    cluster: str
    source: str
    since: int
    reason: str


class DictionaryState(NamedTuple):
    """The newest scan (0 and empty where there is none), and the scan that the graph is of (None without a graph).

    *tag* changes with every scan and every generated graph.
    """

    scan: int
    finished: str
    graph_scan: int | None
    tag: str
    stale: tuple[StaleSource, ...]


def dictionary_state(conn: Connection) -> DictionaryState:
    """Return the state; it takes a few look-ups however large the dictionary is."""
    newest = conn.execute(select(t.scan.c.id, t.scan.c.finished).order_by(t.scan.c.id.desc()).limit(1)).one_or_none()
    graph = stored_graph(conn)
    source = t.source.c
    query = select(t.cluster.c.name, source.name, source.stale_since, source.stale_reason)
    query = query.join(t.cluster, t.cluster.c.id == source.cluster_id).where(source.stale_since.is_not(None))
    scan, finished = newest or (0, "")
    tag = f"{scan}-{graph.last_scan}.{graph.nodes}.{graph.edges}" if graph else f"{scan}-0"
    stale = tuple(StaleSource(*row) for row in conn.execute(query.order_by(t.cluster.c.name, source.name)))
    return DictionaryState(scan, finished, graph.last_scan if graph else None, tag, stale)

"""The jobs of a dictionary read into rows: part after part where each can be drawn alone, else all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from dataflow_generator.assemble import ReadParts, read_flows
from dataflow_generator.columnar.drawn_jobs import DrawnPart, draw_part, put_together
from dataflow_generator.columnar.schema import FLOWS, edge_rows, node_rows
from dataflow_generator.coverage import Coverage
from dataflow_generator.jobs import Around, Part, around_of, job_parts, read_part
from dataflow_generator.pieces import topic_key
from dataflow_generator.progress import JOBS, Told, counted, silent
from scanner_dictionary.queries.graph_input import Connection
from scanner_dictionary.queries.lineage_input import has_events_or_catalogs

DrawParts = Callable[[Sequence[tuple[str, Part]]], Iterable[DrawnPart]]
"""Read parts of kinds of jobs and draw each, in the order given."""

T = TypeVar("T")

_AT_ONCE = 10_000


class JobRows(NamedTuple):
    """What jobs make, as batches of NODE_DDL and EDGE_DDL in the graph's order, and how much was read for it."""

    nodes: Iterable[Any]
    edges: Iterable[Any]
    coverage: Coverage


def read_rows(
    conn: Connection, draw: DrawParts | None = None, read: ReadParts | None = None, told: Told = silent
) -> JobRows:
    """Read all jobs; *draw* reads and draws their parts, *read* reads them only. Without these it is done here.

    Jobs are read only, to be joined, where events or catalogs bear on those of others, and where two have one name.
    """
    if has_events_or_catalogs(conn):
        return _of_flows(conn, read, told)
    around, listed = around_of(conn), list(job_parts(conn))
    parts = draw(listed) if draw else _drawn_here(conn, counted(told, JOBS, listed, len(listed)), around)
    found = put_together(list(parts), _there(around))
    if found is None:
        return _of_flows(conn, read, told)
    nodes, edges = (table.to_batches(max_chunksize=_AT_ONCE) for table in (found.nodes, found.edges))
    return JobRows(nodes, edges, found.coverage)


def _of_flows(conn: Connection, read: ReadParts | None, told: Told) -> JobRows:
    flows = read_flows(conn, read, told)
    nodes, edges = portions(flows.nodes, FLOWS, node_rows), portions(flows.edges, FLOWS, edge_rows)
    return JobRows(nodes, edges, flows.coverage)


def _drawn_here(conn: Connection, parts: Iterable[tuple[str, Part]], around: Around) -> Iterator[DrawnPart]:
    return (draw_part(read_part(conn, *part, around)) for part in parts)


def _there(around: Around) -> frozenset[str]:
    """Return the keys of live topics, which are in the graph without any job."""
    clusters = around.naming.clusters
    return frozenset(topic_key(clusters[cluster], name) for cluster, names in around.topics().items() for name in names)


def portions(things: Iterable[T], rank: int, rows: Callable[[Sequence[T], int, Sequence[int]], Any]) -> Iterator[Any]:
    """Yield *things*, which are in the graph's order, as *rows* of them."""
    rest, first = iter(things), 0
    while portion := list(islice(rest, _AT_ONCE)):
        yield rows(portion, rank, range(first, first + len(portion)))
        first += len(portion)

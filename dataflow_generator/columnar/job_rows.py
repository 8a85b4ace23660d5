"""The jobs of a dictionary read into rows: part after part where each can be drawn alone, else all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from dataflow_generator.assemble import ReadParts
from dataflow_generator.columnar.drawn_jobs import DrawnJobs, DrawnPart, draw_part, put_together
from dataflow_generator.columnar.schema import FLOWS, edge_rows, node_rows
from dataflow_generator.coverage import Coverage
from dataflow_generator.jobs import Around, Part, around_of, job_parts, read_part
from dataflow_generator.pieces import topic_key
from dataflow_generator.progress import JOBS, Told, counted, silent
from dataflow_generator.renewal import parts as remembered
from dataflow_generator.renewal.estate import Estate, read_estate
from dataflow_generator.renewal.places import Unrenewable
from dataflow_generator.renewal.reading import WholeReading, read_whole
from dataflow_generator.renewal.rereading import all_parts
from scanner_dictionary.graph_parts import PartName
from scanner_dictionary.queries.graph_input import Connection

DrawParts = Callable[[Sequence[tuple[str, Part]]], Iterable[DrawnPart]]
"""Read parts of kinds of jobs and draw each, in the order given."""

Parts = Mapping[PartName, remembered.Part]
T = TypeVar("T")

_AT_ONCE = 10_000


class JobRows(NamedTuple):
    """What jobs make, as batches of NODE_DDL and EDGE_DDL in the graph's order, and how much was read for it.

    *flowing* counts the flows between columns of each job that has any. It and *parts*, what is remembered of jobs,
    are None where the graph can only be made anew the next time.
    """

    estate: Estate
    nodes: Iterable[Any]
    edges: Iterable[Any]
    coverage: Coverage
    flowing: Sequence[tuple[str, int]] | None
    parts: Parts | None


def read_rows(
    conn: Connection, draw: DrawParts | None = None, read: ReadParts | None = None, told: Told = silent
) -> JobRows:
    """Read all jobs; *draw* reads and draws their parts, *read* reads them only. Without these it is done here.

    Jobs are read only, to be joined, where events or catalogs bear on those of others, and where two have one name.
    """
    # First what is remembered: what changes while jobs are read is read again the next time.
    estate, around = read_estate(conn), around_of(conn)
    if not estate.said:
        return _of_flows(read_whole(conn, read, told))
    listed = list(job_parts(conn))
    drawn = list(draw(listed) if draw else _drawn_here(conn, counted(told, JOBS, listed, len(listed)), around))
    found = put_together(drawn, _there(around))
    if found is None:
        return _of_flows(read_whole(conn, read, told))
    by_kind: dict[str, list[remembered.JobTold]] = {}
    for (kind, _), part in zip(listed, drawn, strict=True):
        by_kind.setdefault(kind, []).extend(part.told)
    return _of_jobs(estate, found, by_kind)


def _of_jobs(estate: Estate, found: DrawnJobs, told: Mapping[str, Sequence[remembered.JobTold]]) -> JobRows:
    try:
        parts: Parts | None = all_parts(estate, told)
    except Unrenewable:
        parts = None
    coverage = Coverage.total(each.coverage for listed in told.values() for each in listed)
    nodes, edges = (table.to_batches(max_chunksize=_AT_ONCE) for table in (found.nodes, found.edges))
    return JobRows(estate, nodes, edges, coverage, found.flowing, parts)


def _of_flows(read: WholeReading) -> JobRows:
    flows = read.flows
    nodes, edges = portions(flows.nodes, FLOWS, node_rows), portions(flows.edges, FLOWS, edge_rows)
    return JobRows(read.estate, nodes, edges, flows.coverage, flows.flowing, read.parts)


def _drawn_here(conn: Connection, parts: Iterable[tuple[str, Part]], around: Around) -> Iterator[DrawnPart]:
    return (draw_part(read_part(conn, *part, around)) for part in parts)


def _there(around: Around) -> frozenset[str]:
    """Give the keys of live topics, which are in the graph without any job."""
    clusters = around.naming.clusters
    return frozenset(topic_key(clusters[cluster], name) for cluster, names in around.topics().items() for name in names)


def portions(things: Iterable[T], rank: int, rows: Callable[[Sequence[T], int, Sequence[int]], Any]) -> Iterator[Any]:
    """Give *things*, which are in the graph's order, as *rows* of them."""
    rest, first = iter(things), 0
    while portion := list(islice(rest, _AT_ONCE)):
        yield rows(portion, rank, range(first, first + len(portion)))
        first += len(portion)

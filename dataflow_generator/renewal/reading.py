"""All that the jobs of a graph are made of, read whole, with what is remembered of it to bring the graph up to date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dataflow_generator.assemble import ReadParts, flows_of
from dataflow_generator.flows.drawing import Flows
from dataflow_generator.jobs import around_of, job_parts, read_part
from dataflow_generator.progress import JOBS, Told, counted, silent
from dataflow_generator.renewal.estate import Estate, read_estate
from dataflow_generator.renewal.parts import JobTold, Part, job_told
from dataflow_generator.renewal.places import Unrenewable
from dataflow_generator.renewal.rereading import all_parts
from scanner_dictionary.graph_parts import PartName
from scanner_dictionary.queries.graph_input import Connection


class WholeReading(NamedTuple):
    """What jobs make, and how many there are; *parts* are None where the graph can never be brought up to date."""

    estate: Estate
    flows: Flows
    parts: Mapping[PartName, Part] | None
    jobs: int


def read_whole(conn: Connection, read: ReadParts | None = None, told: Told = silent) -> WholeReading:
    """Read all jobs; *read* reads their parts, in their order; else they are read here, and *told* is told how far."""
    # First what is remembered: what changes while jobs are read is read again the next time.
    estate, around = read_estate(conn), around_of(conn)
    listed = list(job_parts(conn))
    parts_here = counted(told, JOBS, listed, len(listed))
    found = list(read(listed) if read else (read_part(conn, *part, around) for part in parts_here))
    by_kind: dict[str, list[JobTold]] = {}
    for (kind, _), part in zip(listed, found, strict=True):
        by_kind.setdefault(kind, []).extend(map(job_told, part.jobs))
    flows = flows_of(conn, around, found)
    try:
        parts = all_parts(estate, by_kind) if estate.said and flows.flowing is not None else None
    except Unrenewable:
        parts = None
    return WholeReading(estate, flows, parts, sum(map(len, by_kind.values())))

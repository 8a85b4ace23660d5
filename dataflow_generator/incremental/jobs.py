"""The jobs that must be read again because what they are made of changed; the others stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import NamedTuple

from dataflow_generator.build.assemble import ReadParts, flows_of
from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.build.progress import JOBS as JOBS_STAGE
from dataflow_generator.build.progress import ProgressCallback, counted, silent
from dataflow_generator.incremental.inputs import Estate, Name, name_text, read_estate
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.incremental.parts import (
    JobTold,
    Part,
    job_keys,
    job_told,
    made_digest,
    names_digest,
    row_part,
    told_digest,
    whole_part,
)
from dataflow_generator.jobs.kinds import (
    JOBS,
    JobReading,
    LookupContext,
    OpenEnds,
    derived_columns,
    job_partitions,
    lookup_context,
    open_ends,
    read_partition,
    reported_connectors,
)
from dataflow_generator.jobs.model import Dataset, JobFlows
from scanner_dictionary.graph.update import PartName
from scanner_dictionary.lineage_inputs.topics import Connection

CONNECT = "connect"
_AT_ONCE = 200

EndsOf = Callable[[tuple[int, ...]], OpenEnds]
"""Give what of connectors, by the keys of their rows, has an end which nobody describes."""


class Reread(NamedTuple):
    """All parts as they are now, in the order of the graph's problems; what came of those that came to something else.

    *gone* are the keys of jobs that are no more, or come of another part.
    """

    parts: Mapping[PartName, Part]
    changed: tuple[JobFlows, ...]
    gone: frozenset[str]


def reread(conn: Connection, estate: Estate, known: Mapping[PartName, Part], around: LookupContext) -> Reread:
    """Read what changed since *known*; raises Unrenewable where two rows tell of one job."""
    parts: dict[PartName, Part] = {}
    changed: list[JobFlows] = []
    for kind in JOBS:
        if kind in estate.rows:
            found = _again(conn, kind, estate, known, around)
            new = _rows_now(kind, estate, known, found)
        else:
            found = by_job(each for part in JOBS[kind].partitions(conn) for each in JOBS[kind].read(conn, part, around))
            new = {name: whole_part(job_told(readings[0])) for name, readings in found.items()}
        parts |= {(kind, name): part for name, part in new.items()}
        for name, readings in found.items():
            before = known.get((kind, name))
            if before is None or before.flows != new[name].flows or before.jobs != new[name].jobs:
                changed += (each.flows for each in readings)
    left = frozenset(key for part in known.values() for key in part.jobs) - frozenset(job_keys(parts))
    return Reread(parts, tuple(changed), left)


def _rows_now(
    kind: str, estate: Estate, known: Mapping[PartName, Part], found: Mapping[str, list[JobReading]]
) -> dict[str, Part]:
    """Return the parts of a kind, those of rows that were not read again as they were."""
    parts: dict[str, Part] = {}
    for name, row in estate.rows[kind].items():
        text = name_text(name)
        if text in found:
            parts[text] = row_part(estate, kind, row, map(job_told, found[text]))
        else:
            kept = known[kind, text]
            names = names_digest(estate, name[0], kept.made_of)
            parts[text] = kept if kept.names == names else replace(kept, names=names)
    return parts


def all_parts(estate: Estate, readings: Mapping[str, Iterable[JobTold]]) -> dict[PartName, Part]:
    """Return what is remembered of all that was read, by kind; raises Unrenewable where two rows tell of one job."""
    parts: dict[PartName, Part] = {}
    for kind in JOBS:
        rows = estate.rows.get(kind)
        if rows is None:
            listed = list(readings.get(kind, ()))
            found = {(kind, name_text([each.key])): whole_part(each) for each in listed}
            if len(found) < len(listed):
                raise Unrenewable
            parts |= found
        else:
            of_rows: dict[Name, list[JobTold]] = {name: [] for name in rows}
            for reading in readings.get(kind, ()):
                of_rows.setdefault(reading.made_of.row, []).append(reading)
            # A row that came while this was read is read the next time.
            parts |= {(kind, name_text(name)): row_part(estate, kind, row, of_rows[name]) for name, row in rows.items()}
    job_keys(parts)
    return parts


def by_job(readings: Iterable[JobReading]) -> dict[str, list[JobReading]]:
    """Return readings by the names of their parts; raises Unrenewable where two tell of one job."""
    listed = list(readings)
    found = {name_text([each.flows.job.key]): [each] for each in listed}
    if len(found) < len(listed):
        raise Unrenewable
    return found


def _again(
    conn: Connection, kind: str, estate: Estate, known: Mapping[PartName, Part], around: LookupContext
) -> dict[str, list[JobReading]]:
    """Read the rows of a kind that changed, or that were read with others that did."""
    names, rest = _changed(conn, kind, estate, known, around), around
    if kind == CONNECT:
        ends: EndsOf = cache(lambda keys: open_ends(conn, keys, around))
        names = _linked(estate, known, ends, names)
        derived = cache(lambda: derived_columns(conn, map(ends, _portions(estate, CONNECT, names)), around))
        rest = around._replace(derived=derived)
    found: dict[str, list[JobReading]] = {name_text(name): [] for name in names}
    for keys in _portions(estate, kind, names):
        for each in JOBS[kind].read(conn, keys, rest):
            found[name_text(each.made_of.row)].append(each)
    return found


def _changed(
    conn: Connection, kind: str, estate: Estate, known: Mapping[PartName, Part], around: LookupContext
) -> list[Name]:
    """List the rows that are made of something else now."""
    chosen: set[Name] = set()
    matched: list[Name] = []
    for name, row in estate.rows[kind].items():
        part = known.get((kind, name_text(name)))
        if part is None or part.digest != made_digest(estate, kind, row, part.made_of):
            chosen.add(name)
        elif part.names != names_digest(estate, name[0], part.made_of):
            matched.append(name)
    for keys in _portions(estate, kind, matched) if kind == CONNECT else ():
        # A topic came or went that they looked at: that need not be one that these connectors match.
        for told in reported_connectors(conn, keys, around):
            part = known[kind, name_text(told.row[:3])]
            same = part.told == told_digest([told.digest]) and part.made_of.starts == told.starts
            if not (part.told and same):
                chosen.add(told.row[:3])
    return [name for name in estate.rows[kind] if name in chosen or (kind != CONNECT and name in matched)]


def _portions(estate: Estate, kind: str, names: Iterable[Name]) -> Iterator[tuple[int, ...]]:
    """Cut rows by their sources: those of two are not read together."""
    for _, group in groupby(names, key=lambda name: name[:2]):
        keys = [estate.rows[kind][name].id for name in group]
        yield from (tuple(keys[start : start + _AT_ONCE]) for start in range(0, len(keys), _AT_ONCE))


def _linked(estate: Estate, known: Mapping[PartName, Part], ends_of: EndsOf, names: list[Name]) -> list[Name]:
    """Add the connectors that have a dataset which nobody describes in common with one that changed, and so on.

    What such a dataset has is derived from the connectors around it.
    """
    rows = estate.rows[CONNECT]
    dark = {name: part.made_of.dark for (kind, name), part in known.items() if kind == CONNECT}
    texts = {name_text(name): name for name in rows}
    reached = {name_text(name) for name in names} | (dark.keys() - texts.keys())
    ends = set().union(*(dark.get(text, ()) for text in reached), _open(estate, names, ends_of))
    while ends:
        near = {text for text, own in dark.items() if text not in reached and not own.isdisjoint(ends)}
        ends = set().union(*(dark[text] for text in near)) - ends
        reached |= near
    return [name for text, name in texts.items() if text in reached]


def _open(estate: Estate, names: Iterable[Name], ends_of: EndsOf) -> frozenset[Dataset]:
    """Return the datasets around connectors that nobody describes now."""
    found = [ends_of(keys) for keys in _portions(estate, CONNECT, names)]
    ends = (
        end
        for each in found
        for _, _, pairs in each.connectors
        for _, *both in pairs
        for end in both
        if end is not None
    )
    described = {end for each in found for end, paths in each.known.items() if paths}
    return frozenset(ends) - described


class WholeReading(NamedTuple):
    """What jobs make, and how many there are; *parts* are None where the graph can never be brought up to date."""

    estate: Estate
    flows: Flows
    parts: Mapping[PartName, Part] | None
    jobs: int


def read_whole(conn: Connection, read: ReadParts | None = None, told: ProgressCallback = silent) -> WholeReading:
    """Read all jobs; *read* reads their parts, in their order; else they are read here, and *told* is told how far."""
    # First what is remembered: what changes while jobs are read is read again the next time.
    estate, around = read_estate(conn), lookup_context(conn)
    listed = list(job_partitions(conn))
    parts_here = counted(told, JOBS_STAGE, listed, len(listed))
    found = list(read(listed) if read else (read_partition(conn, *part, around) for part in parts_here))
    by_kind: dict[str, list[JobTold]] = {}
    for (kind, _), part in zip(listed, found, strict=True):
        by_kind.setdefault(kind, []).extend(map(job_told, part.jobs))
    flows = flows_of(conn, around, found)
    try:
        parts = all_parts(estate, by_kind) if estate.said and flows.flowing is not None else None
    except Unrenewable:
        parts = None
    return WholeReading(estate, flows, parts, sum(map(len, by_kind.values())))

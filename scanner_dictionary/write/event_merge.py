"""Merges OpenLineage events into rows by digest, and two rows of one name into one. No I/O.

Every rule is a choice of the greater of two (a semilattice), so neither order nor repetition of events matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from scanner_dictionary.engine.serialization import storable
from scanner_model.openlineage import DatasetRef, EventDataset, EventJob, Facet, Home, LineageEvent, Side

Cells = tuple[Any, ...]
Merge = Callable[[Cells, Cells], Cells]

TERMINAL = frozenset({"COMPLETE", "FAIL", "ABORT"})
_NO_CONTENT_IF_EMPTY = frozenset({"schema", "columnLineage", "symlinks"})


class Row(NamedTuple):
    """A row: *fixed* cells are set once (digests where they refer to other rows), *values* grow."""

    fixed: Cells
    values: Cells


Rows = dict[str, Row]


@dataclass(slots=True)
class MergedEvents:
    """Merged events: the rows of each table by digest, and the facets behind the rows of facets."""

    jobs: Rows = field(default_factory=dict)
    runs: Rows = field(default_factory=dict)
    datasets: Rows = field(default_factory=dict)
    uses: Rows = field(default_factory=dict)
    facets: Rows = field(default_factory=dict)
    read: dict[str, Facet] = field(default_factory=dict)


def spanned(one: Cells, other: Cells) -> Cells:
    """Join (first time, last time, producer): the producer is that of the latest."""
    return min(one[0], other[0]), *max(one[1:], other[1:])


def run_state(one: Cells, other: Cells) -> Cells:
    """Join (state, its time, started, ended): a run that ended stays ended, whatever is received after it."""
    state, at = max((one[:2], other[:2]), key=lambda reported: (reported[0] in TERMINAL, reported[1], reported[0]))
    return state, at, _known(min, one[2], other[2]), _known(max, one[3], other[3])


def latest(one: Cells, other: Cells) -> Cells:
    """Choose between (tells, told, body, removed, producer): the one with content, then the one with the later time."""
    return max(one, other)


def merge_events(events: Iterable[LineageEvent]) -> MergedEvents:
    """Merge *events* into rows."""
    merged = MergedEvents()
    for event in events:
        job = _job(merged, event, event.job) if event.job else None
        if job and event.run:
            _run(merged, event, job)
            _facets(merged, event, event.run.facets, (Home.RUN, job, None))
        for dataset in event.datasets:
            _dataset(merged, event, dataset, job)
    return merged


@lru_cache(maxsize=65_536)
def digest(*parts: str) -> str:
    """Return the digest of a natural name."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def job_digest(job: EventJob) -> str:
    """Return the digest of a job's name."""
    return digest("job", job.namespace, job.name)


def _job(merged: MergedEvents, event: LineageEvent, job: EventJob) -> str:
    key = job_digest(job)
    _put(merged.jobs, key, Row((storable(job.namespace), storable(job.name)), _span(event)), spanned)
    _facets(merged, event, job.facets, (Home.JOB, key, None))
    return key


def _run(merged: MergedEvents, event: LineageEvent, job: str) -> None:
    assert event.run is not None
    run = event.run
    started = event.time if run.state == "START" else None
    ended = event.time if run.state in TERMINAL else None
    row = Row((job, storable(run.run_id)), (storable(run.state), event.time, started, ended))
    _put(merged.runs, digest("run", job, run.run_id), row, run_state)


def _dataset(merged: MergedEvents, event: LineageEvent, dataset: EventDataset, job: str | None) -> None:
    key = _name(merged, event, dataset.ref)
    _facets(merged, event, dataset.facets, (Home.DATASET, None, key))
    if job and dataset.side:
        _use(merged, event, (job, key, dataset.side))
        _facets(merged, event, dataset.use_facets, (Home(dataset.side), job, key))


def _name(merged: MergedEvents, event: LineageEvent, ref: DatasetRef) -> str:
    key = digest("dataset", ref.namespace, ref.name)
    _put(merged.datasets, key, Row((storable(ref.namespace), storable(ref.name)), _span(event)), spanned)
    return key


def _use(merged: MergedEvents, event: LineageEvent, use: tuple[str, str, Side]) -> None:
    _put(merged.uses, digest("use", *use), Row(use, _span(event)), spanned)


def _facets(
    merged: MergedEvents, event: LineageEvent, facets: Iterable[Facet], about: tuple[Home, str | None, str | None]
) -> None:
    home, job, dataset = about
    for facet in facets:
        key = digest("facet", home, job or "", dataset or "", facet.name)
        fixed = (str(home), job, dataset, storable(facet.name))
        values = (_has_content(facet), event.time, storable(facet.body), facet.removed, storable(event.producer))
        if _put(merged.facets, key, Row(fixed, values), latest):
            merged.read[key] = facet
        for ref, side in facet.uses:
            named = _name(merged, event, ref)
            if job:
                _use(merged, event, (job, named, side))


def _has_content(facet: Facet) -> bool:
    if facet.name not in _NO_CONTENT_IF_EMPTY or facet.removed or facet.future:
        return True
    return bool(facet.columns or facet.flows or facet.symlinks)


def _put(rows: Rows, key: str, row: Row, merge: Merge) -> bool:
    """Merge *row* into *rows*; return whether its values are the current ones."""
    old = rows.get(key)
    values = row.values if old is None else merge(old.values, row.values)
    if old is None or values != old.values:
        rows[key] = Row(row.fixed, values)
    return values == row.values


def _span(event: LineageEvent) -> Cells:
    return event.time, event.time, storable(event.producer)


def _known(choose: Callable[..., Any], one: str | None, other: str | None) -> str | None:
    times = [time for time in (one, other) if time is not None]
    return choose(times) if times else None

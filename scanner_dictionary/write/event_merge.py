"""What events add up to: rows by digest, and how two rows of one name become one. No I/O.

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
_EMPTY_TELLS_NOTHING = frozenset({"schema", "columnLineage", "symlinks"})


class Row(NamedTuple):
    """A row: *fixed* cells are set once (digests where they refer to other rows), *values* grow."""

    fixed: Cells
    values: Cells


Rows = dict[str, Row]


@dataclass(slots=True)
class MergedEvents:
    """Events folded together: the rows of each table by digest, and the facets behind the rows of facets."""

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
    state, at = max((one[:2], other[:2]), key=lambda told: (told[0] in TERMINAL, told[1], told[0]))
    return state, at, _known(min, one[2], other[2]), _known(max, one[3], other[3])


def latest(one: Cells, other: Cells) -> Cells:
    """Choose between (tells, told, body, removed, producer): what tells something, then what was told last."""
    return max(one, other)


def merge_events(events: Iterable[LineageEvent]) -> MergedEvents:
    """Fold *events* into rows."""
    folded = MergedEvents()
    for event in events:
        job = _job(folded, event, event.job) if event.job else None
        if job and event.run:
            _run(folded, event, job)
            _facets(folded, event, event.run.facets, (Home.RUN, job, None))
        for dataset in event.datasets:
            _dataset(folded, event, dataset, job)
    return folded


@lru_cache(maxsize=65_536)
def digest(*parts: str) -> str:
    """Return the digest of a natural name."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def job_digest(job: EventJob) -> str:
    """Return the digest of a job's name."""
    return digest("job", job.namespace, job.name)


def _job(folded: MergedEvents, event: LineageEvent, job: EventJob) -> str:
    key = job_digest(job)
    _put(folded.jobs, key, Row((storable(job.namespace), storable(job.name)), _span(event)), spanned)
    _facets(folded, event, job.facets, (Home.JOB, key, None))
    return key


def _run(folded: MergedEvents, event: LineageEvent, job: str) -> None:
    assert event.run is not None
    run = event.run
    started = event.time if run.state == "START" else None
    ended = event.time if run.state in TERMINAL else None
    row = Row((job, storable(run.run_id)), (storable(run.state), event.time, started, ended))
    _put(folded.runs, digest("run", job, run.run_id), row, run_state)


def _dataset(folded: MergedEvents, event: LineageEvent, dataset: EventDataset, job: str | None) -> None:
    key = _name(folded, event, dataset.ref)
    _facets(folded, event, dataset.facets, (Home.DATASET, None, key))
    if job and dataset.side:
        _use(folded, event, (job, key, dataset.side))
        _facets(folded, event, dataset.use_facets, (Home(dataset.side), job, key))


def _name(folded: MergedEvents, event: LineageEvent, ref: DatasetRef) -> str:
    key = digest("dataset", ref.namespace, ref.name)
    _put(folded.datasets, key, Row((storable(ref.namespace), storable(ref.name)), _span(event)), spanned)
    return key


def _use(folded: MergedEvents, event: LineageEvent, use: tuple[str, str, Side]) -> None:
    _put(folded.uses, digest("use", *use), Row(use, _span(event)), spanned)


def _facets(
    folded: MergedEvents, event: LineageEvent, facets: Iterable[Facet], about: tuple[Home, str | None, str | None]
) -> None:
    home, job, dataset = about
    for facet in facets:
        key = digest("facet", home, job or "", dataset or "", facet.name)
        fixed = (str(home), job, dataset, storable(facet.name))
        values = (_tells(facet), event.time, storable(facet.body), facet.removed, storable(event.producer))
        if _put(folded.facets, key, Row(fixed, values), latest):
            folded.read[key] = facet
        for ref, side in facet.uses:
            named = _name(folded, event, ref)
            if job:
                _use(folded, event, (job, named, side))


def _tells(facet: Facet) -> bool:
    if facet.name not in _EMPTY_TELLS_NOTHING or facet.removed or facet.future:
        return True
    return bool(facet.columns or facet.flows or facet.symlinks)


def _put(rows: Rows, key: str, row: Row, merge: Merge) -> bool:
    """Put *row*, joined with the one that is there; tell whether its values are the ones that stand now."""
    old = rows.get(key)
    values = row.values if old is None else merge(old.values, row.values)
    if old is None or values != old.values:
        rows[key] = Row(row.fixed, values)
    return values == row.values


def _span(event: LineageEvent) -> Cells:
    return event.time, event.time, storable(event.producer)


def _known(choose: Callable[..., Any], one: str | None, other: str | None) -> str | None:
    told = [each for each in (one, other) if each is not None]
    return choose(told) if told else None

"""Stores merged OpenLineage events, a batch in one transaction; storing one again changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Table, delete, select

from scanner_dictionary.engine.open import writing
from scanner_dictionary.engine.rows import column_cells, in_chunks, insert_rows, json_cell, storable, update_rows
from scanner_dictionary.schema import openlineage as t
from scanner_dictionary.write.apply import next_id
from scanner_model.columns import ColumnPath
from scanner_model.openlineage import DatasetRef, EventDataset, EventJob, Facet, FieldFlow, Home, LineageEvent, Side

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


def spanned(first: Cells, other: Cells) -> Cells:
    """Join (first time, last time, producer): the producer is that of the latest."""
    return min(first[0], other[0]), *max(first[1:], other[1:])


def run_state(first: Cells, other: Cells) -> Cells:
    """Join (state, its time, started, ended): a run that ended stays ended, whatever is received after it."""
    state, at = max((first[:2], other[:2]), key=lambda reported: (reported[0] in TERMINAL, reported[1], reported[0]))
    return state, at, _chosen_time(min, first[2], other[2]), _chosen_time(max, first[3], other[3])


def latest(first: Cells, other: Cells) -> Cells:
    """Return the one with content, else the later: both are (has_content, event_time, body, removed, producer)."""
    return max(first, other)


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
    scope, job, dataset = about
    for facet in facets:
        key = digest("facet", scope, job or "", dataset or "", facet.name)
        fixed = (str(scope), job, dataset, storable(facet.name))
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


def _chosen_time(choose: Callable[..., Any], first: str | None, other: str | None) -> str | None:
    times = [time for time in (first, other) if time is not None]
    return choose(times) if times else None


KEPT = 1_000_000
"""Events, and runs, that are retained; the oldest are deleted. An event that returns after that is stored again,
which changes nothing else."""

_AT_ONCE = 500
_SPAN = ("first_time", "last_time", "producer")


class EventSummary(NamedTuple):
    """The numbers of new events and of repeated ones in a batch."""

    stored: int
    repeated: int


class _Kind(NamedTuple):
    table: Table
    fixed: tuple[str, ...]
    values: tuple[str, ...]
    merge: Merge


_JOB = _Kind(t.lineage_job, ("namespace", "name"), _SPAN, spanned)
_DATASET = _Kind(t.lineage_dataset, ("namespace", "name"), _SPAN, spanned)
_RUN = _Kind(t.lineage_run, ("job_id", "run_id"), ("state", "state_time", "started", "ended"), run_state)
_USE = _Kind(t.lineage_use, ("job_id", "dataset_id", "side"), _SPAN, spanned)
_FACET = _Kind(
    t.lineage_facet,
    ("scope", "job_id", "dataset_id", "name"),
    ("has_content", "event_time", "body", "removed", "producer"),
    latest,
)
_BODY = 2

Ids = Mapping[str, int]


def write_events(engine: Engine, events: Iterable[LineageEvent], *, keep: int = KEPT) -> EventSummary:
    """Store *events* in any order; events that were stored before, and repetitions, change nothing.

    Raises DictionaryUnusable where the dictionary cannot be written: then none of them is stored.
    """
    received = list(events)
    distinct = {event.fingerprint: event for event in received}
    with writing(engine) as conn:
        known = _stored(conn, t.lineage_event, distinct, ())
        new = [event for key, event in distinct.items() if key not in known]
        if new:
            jobs = _write(conn, merge_events(new))
            _insert_events(conn, new, jobs)
            _delete_oldest(conn, keep)
    return EventSummary(len(new), len(received) - len(new))


def _write(conn: Connection, merged: MergedEvents) -> Ids:
    """Merge the rows into the stored ones; return the keys of the jobs."""
    jobs, _ = _join(conn, _JOB, merged.jobs, {})
    datasets, _ = _join(conn, _DATASET, merged.datasets, {})
    ids = {**jobs, **datasets}
    _join(conn, _RUN, merged.runs, ids)
    _join(conn, _USE, merged.uses, ids)
    facets, changed = _join(conn, _FACET, merged.facets, ids)
    _replace_read(conn, {facets[key]: merged.read[key] for key in changed})
    return jobs


def _join(conn: Connection, kind: _Kind, rows: Rows, ids: Ids) -> tuple[Ids, list[str]]:
    """Insert and update rows of a kind; return all their keys, and the digests of rows with new content."""
    stored = _stored(conn, kind.table, rows, kind.values)
    first = next_id(conn, kind.table)
    added = [key for key in rows if key not in stored]
    fresh = {key: first + i for i, key in enumerate(added)}
    cells = ((fresh[key], key, *_resolved(rows[key].fixed, ids), *rows[key].values) for key in added)
    insert_rows(conn, kind.table, cells, ("id", "digest", *kind.fixed, *kind.values))
    joined = {key: kind.merge(old, rows[key].values) for key, (_, old) in stored.items()}
    differing = [key for key in joined if joined[key] != stored[key][1]]
    update_rows(conn, kind.table, kind.values, ((*joined[key], stored[key][0]) for key in differing))
    changed = [key for key in differing if kind is _FACET and joined[key][_BODY] != stored[key][1][_BODY]]
    return {key: id_ for key, (id_, _) in stored.items()} | fresh, [*added, *changed]


def _resolved(fixed: Cells, ids: Ids) -> Iterator[Any]:
    """Yield the cells with keys in place of digests."""
    return (ids.get(cell, cell) if isinstance(cell, str) else cell for cell in fixed)


def _stored(
    conn: Connection, table: Table, digests: Iterable[str], values: Sequence[str]
) -> dict[str, tuple[int, Cells]]:
    query = select(table.c.id, table.c.digest, *(table.c[name] for name in values))
    stored: dict[str, tuple[int, Cells]] = {}
    for chunk in in_chunks(digests, _AT_ONCE):
        for id_, key, *cells in conn.execute(query.where(table.c.digest.in_(chunk))):
            stored[key] = (id_, tuple(cells))
    return stored


def _replace_read(conn: Connection, facets: Mapping[int, Facet]) -> None:
    """Replace the rows parsed from earlier bodies of facets."""
    for table in (t.lineage_column, t.lineage_flow, t.lineage_symlink):
        for chunk in in_chunks(facets, _AT_ONCE):
            conn.execute(delete(table).where(table.c.facet_id.in_(chunk)))
    insert_rows(conn, t.lineage_column, _numbered(facets, lambda facet: map(column_cells, facet.columns)))
    insert_rows(conn, t.lineage_flow, _numbered(facets, lambda facet: map(_flow_cells, facet.flows)))
    insert_rows(conn, t.lineage_symlink, _numbered(facets, _symlink_cells))


def _numbered(facets: Mapping[int, Facet], cells: Any) -> Iterator[Cells]:  # noqa: ANN401 - of columns, flows, …
    return ((id_, ordinal, *row) for id_, facet in facets.items() for ordinal, row in enumerate(cells(facet)))


def _flow_cells(flow: FieldFlow) -> Cells:
    target = (flow.target.namespace, flow.target.name) if flow.target else (None, None)
    return (
        storable(flow.origin.namespace),
        storable(flow.origin.name),
        _path(flow.origin_path),
        *(None if cell is None else storable(cell) for cell in target),
        _path(flow.target_path),
        storable(flow.type),
        storable(flow.subtype),
        storable(flow.description),
        flow.masking,
    )


def _symlink_cells(facet: Facet) -> Iterator[Cells]:
    return ((storable(symlink.namespace), storable(symlink.name), storable(symlink.kind)) for symlink in facet.symlinks)


def _path(path: ColumnPath | None) -> str | None:
    return None if path is None else json_cell(path)


def _insert_events(conn: Connection, events: Sequence[LineageEvent], jobs: Ids) -> None:
    first = next_id(conn, t.lineage_event)
    rows = (
        (
            first + i,
            event.fingerprint,
            str(event.kind),
            event.time,
            storable(event.run.state) if event.run else "",
            jobs[job_digest(event.job)] if event.job else None,
            storable(event.producer),
        )
        for i, event in enumerate(events)
    )
    insert_rows(conn, t.lineage_event, rows)


def _delete_oldest(conn: Connection, keep: int) -> None:
    """Delete all but the newest events and runs; what was merged from them stays."""
    for table in (t.lineage_event, t.lineage_run):
        oldest = next_id(conn, table) - keep
        if oldest > 1:
            conn.execute(delete(table).where(table.c.id < oldest))

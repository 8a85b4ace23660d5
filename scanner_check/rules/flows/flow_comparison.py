"""The column flows of a statement or connector before and after a change: what is lost, changed and gained."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import ColumnRef, GraphDataset
from scanner_check.model import Affected, ChangeFinding, Message, Place, Verdict, literal
from scanner_check.rows.files import NOT_READ
from scanner_check.rows.flows import (
    COLUMN_GAINED,
    COLUMN_LOST,
    FLOW_CHANGED,
    INPUT_GAINED,
    INPUT_LOST,
    OUTPUT_GAINED,
    OUTPUT_LOST,
)
from scanner_check.rows.rule import Rule
from scanner_check.sides.changed_jobs import ChangedJob
from scanner_check.sides.proposed_columns import Renames
from scanner_check.users.hits import Hits
from scanner_model.catalogs import PANEL
from scanner_model.columns import path_name


class FlowComparison:
    """Compares the flows of one job, or of the jobs of one text."""

    def __init__(self, changed: ChangedJob, hits: Hits, start: Place, renames: Renames) -> None:
        self._target = changed.target
        self._pair = pair = changed.pair
        self._hits = hits
        self._renames = renames
        self._is_partial = changed.is_partial
        places = changed.places
        self._start = places[0] if places else start
        # The jobs of a text are in the order of its statements.
        jobs = pair.after if len(pair.after) == len(places) else ()
        self._places = {
            use.dataset: place for job, place in zip(jobs, places, strict=False) for use in job.flows.writes
        }

    def findings(self) -> Iterator[ChangeFinding]:
        """Yield what was lost, changed and gained, and what the proposed text does not tell."""
        before, after = _sources(self._pair.before, self._renames), _sources(self._pair.after)
        lost = [
            dataset
            for dataset in _datasets_written(self._pair.before)
            if dataset not in _datasets_written(self._pair.after)
        ]
        for dataset in () if self._is_partial else lost:
            if not self._is_unread_now(dataset):
                yield self._hit(OUTPUT_LOST, ColumnRef(dataset))
        renamed = _renamed(before, after)
        for target in sorted(before.keys() | after.keys() - {*renamed.values()}, key=lambda column: column.key):
            sources = before.get(target, {})
            if target in renamed and not any(source in renamed for source in sources):
                yield self._renaming(target, renamed[target])
            elif target not in renamed and target.dataset not in lost:
                known, now = _names(sources, renamed), _names(after.get(target, {}))
                yield from self._column(target, known, now)
        for dataset in _datasets_written(self._pair.after):
            if dataset not in _datasets_written(self._pair.before):
                yield self._note(OUTPUT_GAINED, dataset.name)
        yield from self._inputs()
        yield from self._unread()

    def _renaming(self, target: ColumnRef, now: ColumnRef) -> ChangeFinding:
        """Report a column that has another name: what is made of it downstream follows."""
        message = COLUMN_LOST.message(_shown(target), path_name(now.path or ()), form="renamed")
        return replace(self._hit(COLUMN_LOST, target), message=message)

    def _column(
        self, target: ColumnRef, before: Mapping[str, str], after: Mapping[str, str]
    ) -> Iterator[ChangeFinding]:
        name = _shown(target)
        if not after and self._lacks_columns(target.dataset):
            return  # one finding says that the columns are unknown
        is_new = target.dataset not in _datasets_written(self._pair.before)
        decides_rows = target.path is None and not is_new  # filters, joins and groups: other rows are written
        if not after and not decides_rows:
            yield self._hit(COLUMN_LOST, target, (Message("came from", (_listed(before),)),))
        elif not before and not decides_rows:
            yield self._note(COLUMN_GAINED, name, _listed(after))
        elif before != after:
            sides = (("before", before), ("after", after))
            reasons = tuple(Message(side, (_listed(sources),)) for side, sources in sides if sources)
            yield self._hit(FLOW_CHANGED, target, reasons)

    def _lacks_columns(self, dataset: GraphDataset) -> bool:
        return any(
            not reading.flows.columns and any(use.dataset == dataset for use in reading.flows.writes)
            for reading in self._pair.after
        )

    def _inputs(self) -> Iterator[ChangeFinding]:
        before, after = _datasets_read(self._pair.before), _datasets_read(self._pair.after)
        for name in () if self._is_partial else sorted(before - after):
            yield self._note(INPUT_LOST, name)
        for name in sorted(after - before):
            yield self._note(INPUT_GAINED, name)

    def _is_unread_now(self, dataset: GraphDataset) -> bool:
        """Return whether its job writes a dataset of its name, or none, and where to is not known any more."""
        jobs = {
            one.flows.job.name for one in self._pair.before if any(use.dataset == dataset for use in one.flows.writes)
        }
        after = [one for one in self._pair.after if one.flows.job.name in jobs]
        return bool(after) and all(
            self._news(one) and all(use.dataset.name == dataset.name for use in one.flows.writes) for one in after
        )

    def _news(self, reading: CountedJob) -> list[str]:
        """Return the problems of a proposed job that no stored one has."""
        known = {problem.what for one in self._pair.before for problem in one.coverage.problems}
        return [problem.what for problem in reading.coverage.problems if problem.what not in known]

    def _unread(self) -> Iterator[ChangeFinding]:
        """Report what of the proposed text was not read, unless the stored one has the same problem."""
        for reading in self._pair.after:
            news = self._news(reading)
            if news or (reading.coverage.unread and not news):
                name, reasons = reading.flows.job.name, tuple(map(literal, news))
                message = NOT_READ.message(name, form="columns")
                yield NOT_READ.unknown(self._start, self._target, message=message, item=name, reasons=reasons)

    def _hit(self, rule: Rule, target: ColumnRef, reasons: tuple[Message, ...] = ()) -> ChangeFinding:
        """Report a loss: what is lost is hit itself, and so is everything that uses it."""
        own = self._lost(target)
        further = tuple(hit for hit in self._hits.of(target.dataset, target.path or ()) if hit.use != "writes")
        return rule.found(
            Verdict.IMPACT if further or not self._is_panel(target.dataset) else Verdict.FINE,
            self._places.get(target.dataset, self._start),
            self._target,
            _shown(target),
            item=_shown(target),
            reasons=reasons,
            affected=tuple({(hit.kind, hit.namespace, hit.name, hit.path): hit for hit in (own, *further)}.values()),
        )

    def _is_panel(self, dataset: GraphDataset) -> bool:
        """Return whether it is a chart with a query of its own: its author means the edit, and no job uses it.

        What changes upstream of a chart is a finding of its own, which hits the chart.
        """
        jobs = (reading.flows for reading in (*self._pair.before, *self._pair.after))
        writers = [flows.job for flows in jobs if any(use.dataset == dataset for use in flows.writes)]
        return bool(writers) and all(dict(job.attributes).get("kind") == PANEL for job in writers)

    def _lost(self, target: ColumnRef) -> Affected:
        flows = [flow for reading in self._pair.before for flow in reading.flows.columns if flow.target == target]
        return Affected(
            kind="column" if target.path else str(target.dataset.kind),
            namespace=target.dataset.namespace,
            name=target.dataset.name,
            path=path_name(target.path) if target.path else "",
            use="made",
            steps=1,
            evidence=tuple(dict.fromkeys(flow.evidence for flow in flows)),
        )

    def _note(self, rule: Rule, item: str, *values: Hashable) -> ChangeFinding:
        return rule.found(Verdict.FINE, self._start, self._target, item, *values, item=item)


_Sources = dict[ColumnRef, str]
"""The columns that a column is made of, and how."""


def _sources(readings: Iterable[CountedJob], renames: Renames | None = None) -> dict[ColumnRef, _Sources]:
    """Return for each column that is written its sources, with how each is used; by their names of now."""
    now = renames.now if renames else _as_it_is
    sources_by_column: dict[ColumnRef, _Sources] = {}
    for reading in readings:
        for flow in reading.flows.columns:
            uses = sources_by_column.setdefault(now(flow.target), {})
            how, source = flow.subtype or flow.type, now(flow.source)
            known = uses.get(source)
            uses[source] = how if known in (None, how) else ", ".join(sorted({*known.split(", "), how}))
    return sources_by_column


def _renamed(
    before: Mapping[ColumnRef, _Sources], after: Mapping[ColumnRef, _Sources]
) -> Mapping[ColumnRef, ColumnRef]:
    """Return the columns that are made as before under another name, each with its new one.

    A column that is made of a renamed one has the same sources by their new names. If several columns are made of the
    same, which one is which is not known.
    """
    found: dict[ColumnRef, ColumnRef] = {}
    while True:
        gone = {column: _names(before[column], found) for column in before.keys() - after.keys() - found.keys()}
        come = {column: _names(after[column]) for column in after.keys() - before.keys() - {*found.values()}}
        pairs = {}
        for column, sources in gone.items():
            alike = [other for other in come if _stands_beside(column, other) and come[other] == sources]
            rivals = [other for other in gone if _stands_beside(column, other) and gone[other] == sources]
            if len(alike) == len(rivals) == 1:
                pairs[column] = alike[0]
        if not pairs:
            return found
        found |= pairs


def _stands_beside(column: ColumnRef, other: ColumnRef) -> bool:
    """Return whether two columns are in the same record of a dataset."""
    if not column.path or not other.path:
        return False
    return column.dataset == other.dataset and column.path[:-1] == other.path[:-1]


def _names(sources: _Sources, renamed: Mapping[ColumnRef, ColumnRef] = MappingProxyType({})) -> dict[str, str]:
    """Return sources by their names, those that are renamed by their new ones."""
    return {_shown(renamed.get(column, column)): how for column, how in sources.items()}


def _as_it_is(column: ColumnRef) -> ColumnRef:
    return column


def _datasets_written(readings: Iterable[CountedJob]) -> list[GraphDataset]:
    return sorted({use.dataset for reading in readings for use in reading.flows.writes})


def _datasets_read(readings: Iterable[CountedJob]) -> set[str]:
    return {use.dataset.name for reading in readings for use in reading.flows.reads}


def _shown(column: ColumnRef) -> str:
    return f"{column.dataset.name}.{path_name(column.path)}" if column.path else column.dataset.name


def _listed(sources: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name} ({how.lower()})" for name, how in sorted(sources.items()))

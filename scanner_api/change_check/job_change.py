"""A proposed statement or connector configuration: the column flows before and after, and what downstream loses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.jobs.kinds import JobReading, lookup_context
from dataflow_generator.jobs.model import ColumnRef, Dataset
from dataflow_generator.jobs.proposed import JobPair, StoredJobs
from dataflow_generator.sql import Dialect, StatementFlows, guess_dialect, read_sql
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Affected, Finding, Place, Verdict
from scanner_api.change_check.positions import Positions
from scanner_api.change_check.proposals import CONNECTOR, Proposal
from scanner_api.input_files import ConnectorFile, connector_file
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.columns import path_name
from scanner_model.errors import InputInvalid
from scanner_model.names import SourceId
from scanner_model.redaction import mask_config, mask_statement
from scanner_model.streaming_sql import FlinkStatement, Query


@dataclass(slots=True)
class JobContext:
    """What proposed jobs are compared with; the stored ones are loaded when the first proposed one needs them."""

    conn: Connection
    hits: Hits
    cluster: str | None = None
    dialect: str | None = None
    _stored: StoredJobs | None = None

    @property
    def stored(self) -> StoredJobs:
        """Return the stored jobs; they are loaded when first needed."""
        if self._stored is None:
            snapshot = load_snapshot(self.conn)
            self._stored = StoredJobs(snapshot, lookup_context(snapshot))
        return self._stored

    def connectors(self) -> list[ConnectorRow]:
        """Return the connectors of the clusters that are checked."""
        return [row for row in self.stored.snapshot.connectors if self.of_cluster(row.cluster)]

    def queries(self) -> list[tuple[str, Query]]:
        """Return the queries of ksqlDB, each with its cluster."""
        return [(at, query) for at, query in self.stored.snapshot.queries if self.of_cluster(at)]

    def statements(self) -> list[tuple[str, FlinkStatement]]:
        """Return the statements of Flink, each with its cluster."""
        listed = self.stored.snapshot.statements.items()
        return [(at, row) for (at, _), rows in listed if self.of_cluster(at) for row in rows]

    def of_cluster(self, name: str) -> bool:
        """Return whether *name* is a cluster that the check is limited to."""
        return self.cluster in (None, name)


def check_job(proposal: Proposal, context: JobContext) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Return what a proposed statement or connector changes, and the findings.

    Raises InputInvalid where the text is no statement or configuration, NameUnknown where a named statement or
    connector is not in the dictionary.
    """
    positions = Positions(proposal.file, proposal.text or "", line=proposal.line)
    findings: list[Finding] = []
    targets: list[str] = []
    pairs = _connector_pairs(proposal, context) if proposal.kind == CONNECTOR else _statement_pairs(proposal, context)
    for target, pair, places in pairs:
        targets.append(target)
        findings += _Comparison(target, pair, context.hits, positions, places).findings()
    return tuple(targets), tuple(findings)


_Pairs = Iterator[tuple[str, JobPair, Sequence[Place]]]
"""What changes, its jobs before and after, and the places of the statements that move data, or of a changed setting."""


# --- connectors


def _connector_pairs(proposal: Proposal, context: JobContext) -> _Pairs:
    proposed_file = proposal.connector
    if proposed_file is None and proposal.text is not None:
        proposed_file = connector_file(proposal.file, proposal.text)
    name = proposal.target.connector or (proposed_file.name if proposed_file else "")
    rows = [row for row in context.connectors() if row.name == name]
    if not rows and (proposal.target.connector or proposed_file is None):
        known = (row.name for row in context.connectors())
        raise unknown_name("connector", name, known, "`scanner connectors` lists them")
    places = _changed_setting(proposal, proposed_file, rows)
    old: list[ConnectorRow | None] = [*rows] if rows else [None]
    for stored in old:
        proposed = _proposed_row(proposed_file, stored, name, context) if proposed_file else None
        yield f"connector {name}", context.stored.connector_pair(stored, proposed), places


def _proposed_row(proposed: ConnectorFile, stored: ConnectorRow | None, name: str, context: JobContext) -> ConnectorRow:
    config = {key: str(value) for key, value in mask_config(proposed.values).items()}
    kind = proposed.type or (stored.kind if stored else "")
    if stored is not None:
        return stored._replace(config=config, kind=kind, connector_class=config.get("connector.class", ""))
    return ConnectorRow(
        cluster=_only_cluster(context, proposed.name),
        source="connect:",
        name=name,
        kind=kind,
        connector_class=config.get("connector.class", ""),
        state="",
        worker="",
        tasks=(),
        failed_tasks=0,
        topics=None,
        plugin_version="",
        managed_id="",
        error="",
        trace="",
        config=config,
        stale=False,
        gone=False,
    )


def _only_cluster(context: JobContext, what: str) -> str:
    names = [row.name for row in context.stored.snapshot.clusters if context.of_cluster(row.name)]
    if len(names) != 1:
        hint = f"name it with --cluster: {', '.join(names)}"
        raise InputInvalid(f"{what!r} is new, and the dictionary has {len(names)} clusters", hint=hint)
    return names[0]


def _changed_setting(
    proposal: Proposal, proposed: ConnectorFile | None, rows: Sequence[ConnectorRow]
) -> tuple[Place, ...]:
    """Return the place of the first setting that differs from what is stored."""
    if proposed is None or not rows:
        return ()
    masked = {key: str(value) for key, value in mask_config(proposed.values).items()}
    differing = next((key for key in masked if masked[key] != rows[0].config.get(key)), "")
    return (Positions(proposal.file, proposal.text or "").word(differing, proposal.line),) if differing else ()


# --- statements


def _statement_pairs(proposal: Proposal, context: JobContext) -> _Pairs:
    text = mask_statement(proposal.text) if proposal.text is not None else None
    name = proposal.target.statement
    if text is None:
        yield from _deleted_statement(name or proposal.file, context)
        return
    dialect = Dialect(context.dialect) if context.dialect else guess_dialect(text)
    parsed = read_sql(text, dialect)
    moving = [statement for statement in parsed if statement.sinks or statement.sources]
    if not moving:
        problem = parsed[0].problems[0].what if parsed and parsed[0].problems else "no statement in it moves data"
        raise InputInvalid(f"is no {dialect} statement: {problem}", where=proposal.file, hint="or name --dialect")
    if dialect is Dialect.KSQLDB:
        yield from _queries(moving, name, context, proposal)
    else:
        places = _places(
            [statement for statement in moving if statement.sinks and "VIEW" not in statement.kind.split()], proposal
        )
        for target, pair in _flink(text, name or proposal.name or proposal.file, bool(name), context):
            yield target, pair, places


def _queries(moving: Sequence[StatementFlows], name: str, context: JobContext, proposal: Proposal) -> _Pairs:
    queries = context.queries()
    if name and len(moving) != 1:
        what = f"{len(moving)} statements move data, where the query {name} has one"
        raise InputInvalid(what, where=proposal.file, hint="write one statement a file")
    for statement in moving:
        stored = [
            (at, query)
            for at, query in queries
            if (query.name == name if name else set(query.sinks) & set(statement.sinks))
        ]
        if name and not stored:
            raise unknown_name("query", name, (query.name for _, query in queries), "`scanner statements` lists them")
        places = _places([statement], proposal)
        new = "" if stored else _only_ksqldb(context)
        for at, query in stored or [(new, _new_query(context, new, statement))]:
            yield f"query {query.name}", context.stored.ksql_pair(at, query, statement), places


def _only_ksqldb(context: JobContext) -> str:
    sources = {at for at, _ in context.queries()}
    return sources.pop() if len(sources) == 1 else _only_cluster(context, "the query")


def _new_query(context: JobContext, cluster: str, statement: StatementFlows) -> Query:
    source = next((str(query.source) for at, query in context.queries() if at == cluster), "ksqldb:")
    name = ", ".join(statement.sinks) or "new query"
    return Query(
        source=SourceId(source),
        name=name,
        kind="PERSISTENT",
        state="",
        statement=statement.text,
        sources=(),
        sinks=(),
        sink_topics=(),
    )


def _flink(text: str, name: str, named: bool, context: JobContext) -> Iterator[tuple[str, JobPair]]:
    rows = context.statements()
    stored = [(at, row) for at, row in rows if row.name == name]
    stored = stored or [(at, row) for at, row in rows if not named and _is_path_of(row.name, name)]
    if named and not stored:
        raise unknown_name("statement", name, (row.name for _, row in rows), "`scanner statements` lists them")
    if not stored:
        stored = [_writer_of(text, name, rows, context)]
    for at, row in stored:
        yield f"statement {row.name}", context.stored.flink_pair(at, row, text)


def _writer_of(
    text: str, name: str, rows: Sequence[tuple[str, FlinkStatement]], context: JobContext
) -> tuple[str, FlinkStatement]:
    """Return the stored statement that alone writes what *text* writes; a new one where there is none."""
    cluster = rows[0][0] if rows else _only_cluster(context, name)
    source = rows[0][1].source if rows else SourceId("flink:")
    fresh = FlinkStatement(source=source, name=PurePath(name).stem, statement=text)
    pair = context.stored.flink_pair(cluster, fresh, text)
    written = {use.dataset for reading in pair.after for use in reading.flows.writes}
    writers = []
    for at, row in rows:
        jobs = context.stored.flink_pair(at, row, None).before
        if {use.dataset for reading in jobs for use in reading.flows.writes} & written:
            writers.append((at, row))
    return writers[0] if len(writers) == 1 else (cluster, fresh)


def _is_path_of(name: str, file: str) -> bool:
    """Return whether a file of SQL that was scanned as *name* is *file*: one path ends with the other."""
    parts, others = PurePath(name).parts, PurePath(file).parts
    size = min(len(parts), len(others))
    return size > 0 and parts[-size:] == others[-size:]


def _deleted_statement(name: str, context: JobContext) -> _Pairs:
    for at, row in context.statements():
        if row.name == name or _is_path_of(row.name, name):
            yield f"statement {row.name}", context.stored.flink_pair(at, row, None), ()
    for at, query in context.queries():
        if query.name == name:
            yield f"query {query.name}", context.stored.ksql_pair(at, query, None), ()


def _places(statements: Iterable[StatementFlows], proposal: Proposal) -> tuple[Place, ...]:
    """Return where each statement stands; of SQL inside a deployment file, where the part of it begins."""
    ends = [statement.at.partition(":") for statement in statements]
    if proposal.name:
        return tuple(Place(file=proposal.file, line=proposal.line) for _ in ends)
    return tuple(Place(file=proposal.file, line=int(line or 1), column=int(column or 1)) for line, _, column in ends)


# --- before and after


class _Comparison:
    """Compares the flows of one job, or of the jobs of one text."""

    def __init__(self, target: str, pair: JobPair, hits: Hits, positions: Positions, places: Sequence[Place]) -> None:
        self._target = target
        self._pair = pair
        self._hits = hits
        self._start = places[0] if places else positions.start
        # The jobs of a text are in the order of its statements.
        jobs = pair.after if len(pair.after) == len(places) else ()
        self._places = {
            use.dataset: place for job, place in zip(jobs, places, strict=False) for use in job.flows.writes
        }

    def findings(self) -> Iterator[Finding]:
        """Yield what was lost, changed and gained, and what the proposed text does not tell."""
        before, after = _sources(self._pair.before), _sources(self._pair.after)
        lost = [
            dataset
            for dataset in _datasets_written(self._pair.before)
            if dataset not in _datasets_written(self._pair.after)
        ]
        for dataset in lost:
            yield self._hit("output-lost", ColumnRef(dataset), f"{dataset.name} is not written any more")
        for target in sorted(before.keys() | after.keys(), key=lambda column: column.key):
            if target.dataset not in lost:
                yield from self._column(target, before.get(target, {}), after.get(target, {}))
        for dataset in _datasets_written(self._pair.after):
            if dataset not in _datasets_written(self._pair.before):
                yield self._note("output-gained", dataset.name, f"{dataset.name} is written")
        yield from self._inputs()
        yield from self._unread()

    def _column(self, target: ColumnRef, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Finding]:
        name = _shown(target)
        if not after and self._lacks_columns(target.dataset):
            return  # one finding says that the columns are unknown
        if not after:
            yield self._hit(
                "column-lost", target, f"{name} gets no value any more", (f"it came from {_listed(before)}",)
            )
        elif not before:
            yield self._note("column-gained", name, f"{name} gets a value from {_listed(after)}")
        elif before != after:
            why = (f"before: {_listed(before)}", f"after: {_listed(after)}")
            yield self._hit("flow-changed", target, f"{name} is made of something else", why)

    def _lacks_columns(self, dataset: Dataset) -> bool:
        return any(
            not reading.flows.columns and any(use.dataset == dataset for use in reading.flows.writes)
            for reading in self._pair.after
        )

    def _inputs(self) -> Iterator[Finding]:
        before, after = _datasets_read(self._pair.before), _datasets_read(self._pair.after)
        for name in sorted(before - after):
            yield self._note("input-lost", name, f"{name} is not read any more")
        for name in sorted(after - before):
            yield self._note("input-gained", name, f"{name} is read")

    def _unread(self) -> Iterator[Finding]:
        """Report what of the proposed text was not read, unless the stored one has the same problem."""
        known = {problem.what for reading in self._pair.before for problem in reading.coverage.problems}
        for reading in self._pair.after:
            news = [problem.what for problem in reading.coverage.problems if problem.what not in known]
            if news or (reading.coverage.unread and not news):
                what = f"{reading.flows.job.name}: its columns are not all known"
                yield self._finding("not-read", Verdict.UNKNOWN, reading.flows.job.name, what, tuple(news))

    def _hit(self, rule: str, target: ColumnRef, what: str, why: tuple[str, ...] = ()) -> Finding:
        """Report a loss: what is lost is hit itself, and so is everything that uses it."""
        own = self._lost(target)
        further = tuple(hit for hit in self._hits.of(target.dataset, target.path or ()) if hit.use != "writes")
        return replace(
            self._finding(rule, Verdict.IMPACT, _shown(target), what, why),
            affected=tuple({(hit.kind, hit.namespace, hit.name, hit.path): hit for hit in (own, *further)}.values()),
            place=self._places.get(target.dataset, self._start),
        )

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

    def _note(self, rule: str, item: str, what: str) -> Finding:
        return self._finding(rule, Verdict.FINE, item, what)

    def _finding(self, rule: str, verdict: Verdict, item: str, what: str, why: tuple[str, ...] = ()) -> Finding:
        return Finding(
            rule=rule, verdict=verdict, place=self._start, target=self._target, what=what, item=item, why=why
        )


def _sources(readings: Iterable[JobReading]) -> dict[ColumnRef, dict[str, str]]:
    """Return for each column that is written its sources by key, each with how it is used."""
    sources_by_column: dict[ColumnRef, dict[str, str]] = {}
    for reading in readings:
        for flow in reading.flows.columns:
            uses = sources_by_column.setdefault(flow.target, {})
            how = flow.subtype or flow.type
            known = uses.get(_shown(flow.source))
            uses[_shown(flow.source)] = how if known in (None, how) else ", ".join(sorted({*known.split(", "), how}))
    return sources_by_column


def _datasets_written(readings: Iterable[JobReading]) -> list[Dataset]:
    return sorted({use.dataset for reading in readings for use in reading.flows.writes})


def _datasets_read(readings: Iterable[JobReading]) -> set[str]:
    return {use.dataset.name for reading in readings for use in reading.flows.reads}


def _shown(column: ColumnRef) -> str:
    return f"{column.dataset.name}.{path_name(column.path)}" if column.path else column.dataset.name


def _listed(sources: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({how.lower()})" for name, how in sorted(sources.items()))

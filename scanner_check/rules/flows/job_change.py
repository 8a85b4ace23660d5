"""Proposed statements and connectors: the snapshot after the change is the stored one with their rows in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.jobs.proposed import JobRow, Row, RowChange, SnapshotJobs, overlay, read_pair, row_key, rows_of
from dataflow_generator.sql.lexer import Dialect, guess_dialect
from dataflow_generator.sql.lineage import StatementFlows
from dataflow_generator.sql.reader import read_catalog, read_sql
from scanner_check.edits.statements import changed_codes, clauses, codes_of, only_renames
from scanner_check.inputs.input_files import ConnectorFile, connector_file
from scanner_check.inputs.positions import Positions
from scanner_check.inputs.proposals import CONNECTOR, SQL, Proposal
from scanner_check.knowledge.connectors import changed_settings
from scanner_check.model import ChangeFinding, Message, Place
from scanner_check.rows.files import NOT_JUDGED, UNPARSED
from scanner_check.rules.flows.flow_comparison import FlowComparison
from scanner_check.sides.changed_jobs import ChangedJob, moves_of
from scanner_check.sides.proposed_columns import Renames, ReplacedSide, replaced_columns
from scanner_check.users.hits import Hits
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import ConnectorKind
from scanner_model.names import SourceId
from scanner_model.redaction import mask_config, mask_statement
from scanner_model.streaming_sql import KSQLDB, Query, StreamingStatement

_NEW_KSQLDB = "ksqldb:"
"""The server of a query where none was scanned."""


class Sql(NamedTuple):
    """A proposed text as it is parsed, with secrets masked."""

    text: str
    dialect: Dialect
    statements: Sequence[StatementFlows]

    @property
    def moving(self) -> list[StatementFlows]:
        """Return the statements that move data."""
        return [statement for statement in self.statements if statement.sinks or statement.sources]

    @property
    def unparsed(self) -> list[StatementFlows]:
        """Return the statements whose outputs are not known either."""
        return [statement for statement in self.statements if statement.problems and not statement.sinks]


class ProposedRow(NamedTuple):
    """A row that a proposal changes, as the report calls it, with the places of its statements or setting."""

    change: RowChange
    target: str
    places: Sequence[Place] = ()


@dataclass(kw_only=True)
class JobContext:
    """What proposed jobs are compared with; the stored ones are loaded when the first proposed one needs them.

    *sides* are the columns of topics that are proposed with them. *allow_new*: a statement or connector that is named
    and not stored is a new one.
    """

    conn: Connection
    cluster: str | None = None
    dialect: str | None = None
    sides: tuple[ReplacedSide, ...] = ()
    allow_new: bool = False
    _rows: dict[int, tuple[ProposedRow, ...] | InputInvalid | NameUnknown] = field(default_factory=dict)
    _sql: dict[int, Sql] = field(default_factory=dict)

    @cached_property
    def before(self) -> SnapshotJobs:
        """Return the stored jobs."""
        return SnapshotJobs.of(load_snapshot(self.conn))

    @cached_property
    def after(self) -> SnapshotJobs:
        """Return the stored jobs with the proposed rows, tables and columns in place of theirs."""
        snapshot = self.before.snapshot
        texts = [sql.text for sql in self._sql.values() if sql.dialect is Dialect.KSQLDB and sql.text]
        servers = [server for server in snapshot.collections if self.of_cluster(server[0])] or [
            (row.name, _NEW_KSQLDB) for row in snapshot.clusters if self.of_cluster(row.name)
        ]
        changed = overlay(snapshot, self.changes, dict.fromkeys(servers, texts) if texts else {})
        return SnapshotJobs.of(replace(changed, columns=replaced_columns(snapshot.columns, self.sides)))

    @property
    def changes(self) -> list[RowChange]:
        """Return the rows that proposals change."""
        return [row.change for rows in self._rows.values() if isinstance(rows, tuple) for row in rows]

    def propose(self, proposals: Sequence[Proposal]) -> None:
        """Put what *proposals* change in place of what is stored; `rows` raises what is wrong with one."""
        for proposal in proposals:
            try:
                self._rows[id(proposal)] = tuple(_proposed_rows(proposal, self))
            except (InputInvalid, NameUnknown) as error:
                self._rows[id(proposal)] = error

    def rows(self, proposal: Proposal) -> tuple[ProposedRow, ...]:
        """Return the rows that a proposal changes; raises InputInvalid or NameUnknown."""
        rows = self._rows[id(proposal)]
        if isinstance(rows, tuple):
            return rows
        raise rows

    def sql(self, proposal: Proposal) -> Sql:
        """Return the text of a proposal as it is parsed; nothing is in that of a deleted one."""
        if id(proposal) not in self._sql:
            text = mask_statement(proposal.text or "")
            dialect = Dialect(self.dialect) if self.dialect else guess_dialect(text)
            self._sql[id(proposal)] = Sql(text, dialect, read_sql(text, dialect))
        return self._sql[id(proposal)]

    def stored(self, kind: type[Row]) -> list[tuple[str, Row]]:
        """Return the stored rows of one *kind* in the clusters that are checked, each with its cluster."""
        return [(at, row) for at, row in rows_of(self.before.snapshot, kind) if self.of_cluster(at)]

    def statements(self, dialect: Dialect) -> list[tuple[str, StreamingStatement]]:
        """Return the stored statements of a dialect, and files of them, each with its cluster."""
        is_ksqldb = dialect is Dialect.KSQLDB
        return [one for one in self.stored(StreamingStatement) if (one[1].engine == KSQLDB) is is_ksqldb]

    def of_cluster(self, name: str) -> bool:
        """Return whether *name* is a cluster that the check is limited to."""
        return self.cluster in (None, name)


def changed_jobs(proposal: Proposal, context: JobContext) -> tuple[ChangedJob, ...]:
    """Return the jobs of a proposed statement or connector, before and after.

    Raises InputInvalid if the text is not a statement or configuration, NameUnknown where a named or deleted statement
    or connector is not in the dictionary.
    """
    if proposal.kind == CONNECTOR:
        return tuple(_own_jobs(context.rows(proposal), context))
    is_text = proposal.text is not None
    if is_text and not _moves_data(proposal, context):
        return tuple(_users_of_tables(proposal, context))  # of a text that only declares tables
    is_partial = is_text and bool(context.sql(proposal).unparsed)
    own = tuple(_own_jobs(context.rows(proposal), context, is_partial=is_partial))
    targets = {job.target for job in own}
    return (*own, *(user for user in _users_of_tables(proposal, context) if user.target not in targets))


def _own_jobs(rows: Iterable[ProposedRow], context: JobContext, *, is_partial: bool = False) -> Iterator[ChangedJob]:
    for change, target, places in rows:
        yield ChangedJob(
            target=target,
            pair=read_pair(context.before, context.after, change),
            places=places,
            is_partial=is_partial and isinstance(change.after, StreamingStatement),
            is_new=change.before is None,
        )


def job_findings(
    proposal: Proposal, changed: Sequence[ChangedJob], context: JobContext, hits: Hits
) -> tuple[tuple[str, ...], tuple[ChangeFinding, ...]]:
    """Return the names of what *changed*, and what downstream loses, and gains, by it."""
    start = Positions(proposal.file, proposal.text or "", line=proposal.line).start
    renames = Renames(context.sides, context.before.context.naming)
    findings = [finding for job in changed for finding in FlowComparison(job, hits, start, renames).findings()]
    for statement in context.sql(proposal).unparsed if proposal.kind == SQL else ():
        (place,) = _places([statement], proposal)
        findings.append(
            UNPARSED.unknown(
                place, proposal.file, str(context.sql(proposal).dialect), statement.problems[0].what, form="statement"
            )
        )
    counting = {finding.target for finding in findings if finding.counts}
    findings += _not_judged(proposal, [row for row in context.rows(proposal) if row.target not in counting], start)
    return tuple(job.target for job in changed), tuple(findings)


def _not_judged(proposal: Proposal, rows: Iterable[ProposedRow], start: Place) -> Iterator[ChangeFinding]:
    """Yield the jobs that do something else than what is stored, where the flows do not show it."""
    for (_, before, after), target, places in rows:
        place = places[0] if places else start
        match before, after:
            case ConnectorRow(), ConnectorRow():
                keys = changed_settings(dict(before.config), dict(after.config), is_read=True)
                reasons = tuple(Message("no rule", (key,)) for key in keys)
            case StreamingStatement(), StreamingStatement():
                old, new = codes_of(before.statement), codes_of(after.statement)
                is_other = proposal.kind == SQL and changed_codes(old, new) and not only_renames(old, new)
                differing = sorted(clauses(old, new)) or ["a statement"]
                reasons = tuple(Message("clause", (clause,)) for clause in differing) if is_other else ()
            case _:
                reasons = ()
        if reasons:
            name = target.partition(" ")[2]
            yield NOT_JUDGED.unknown(place, target, name, form="job", item=name, reasons=reasons)


def _proposed_rows(proposal: Proposal, context: JobContext) -> Iterator[ProposedRow]:
    if proposal.kind == CONNECTOR:
        yield from _connectors(proposal, context)
    elif proposal.text is None:
        yield from _deleted_statements(proposal, context)
    elif context.sql(proposal).dialect is Dialect.KSQLDB:
        yield from _queries(proposal, context)
    elif context.sql(proposal).statements:
        yield from _flink_statements(proposal, context)


def _scanned(proposal: Proposal, context: JobContext) -> Iterator[ProposedRow]:
    """Yield the stored statements that a text would replace: of its name, or of the scanned file that it is."""
    sql = context.sql(proposal)
    written = [statement for statement in sql.moving if statement.sinks and "VIEW" not in statement.kind.split()]
    for at, row in _rows_of(proposal, context.statements(sql.dialect)):
        change = RowChange(at, row, replace(row, statement=sql.text, topics_read=None))
        yield ProposedRow(change, f"statement {row.name}", _places(written, proposal))


# --- connectors


def _connectors(proposal: Proposal, context: JobContext) -> Iterator[ProposedRow]:
    proposed_file = proposal.connector
    if proposed_file is None and proposal.text is not None:
        proposed_file = connector_file(proposal.file, proposal.text)
    name = proposal.target.connector or (proposed_file.name if proposed_file else "")
    stored_rows = [row for _, row in context.stored(ConnectorRow)]
    rows = [row for row in stored_rows if row.name == name]
    if not rows and (proposed_file is None or (proposal.target.connector and not context.allow_new)):
        raise unknown_name("connector", name, (row.name for row in stored_rows), "`scanner jobs` lists them")
    places = _changed_setting(proposal, proposed_file, rows)
    old: list[ConnectorRow | None] = [*rows] if rows else [None]
    for stored in old:
        proposed = _proposed_row(proposed_file, stored, name, context) if proposed_file else None
        row = proposed or stored
        assert row is not None
        yield ProposedRow(RowChange(row.cluster, stored, proposed), f"connector {name}", places)


def _proposed_row(proposed: ConnectorFile, stored: ConnectorRow | None, name: str, context: JobContext) -> ConnectorRow:
    config = {key: str(value) for key, value in mask_config(proposed.values).items()}
    row = stored or ConnectorRow(
        cluster=_only_cluster(context, proposed.name),
        source=SourceId("connect:"),
        name=name,
        kind=ConnectorKind.UNKNOWN,
        connector_class="",
    )
    kind = next((kind for kind in ConnectorKind if kind == proposed.type), row.kind)
    settings = tuple(sorted(config.items()))
    return replace(row, config=settings, kind=kind, connector_class=config.get("connector.class", ""))


def _only_cluster(context: JobContext, what: str) -> str:
    names = [row.name for row in context.before.snapshot.clusters if context.of_cluster(row.name)]
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
    differing = next((key for key in masked if (key, masked[key]) not in rows[0].config), "")
    return (Positions(proposal.file, proposal.text or "").word(differing, proposal.line),) if differing else ()


# --- statements


def _moves_data(proposal: Proposal, context: JobContext) -> bool:
    """Return whether a text moves data, or only declares tables; raises InputInvalid if it does neither."""
    sql = context.sql(proposal)
    if sql.moving:
        return True
    if _tables(sql.text, sql.dialect) and not sql.unparsed:
        return False
    first = sql.statements[0].problems[0] if sql.statements and sql.statements[0].problems else None
    what = f"is no {sql.dialect} statement: {first.what if first else 'no statement in it moves data'}"
    where = f"{proposal.file}:{first.where}" if first else proposal.file
    raise InputInvalid(what, where=where, hint="or name --dialect")


def _flink_statements(proposal: Proposal, context: JobContext) -> Iterator[ProposedRow]:
    """Yield the stored statements that the text would replace; a new one otherwise.

    Raises NameUnknown where the one that is named is not stored.
    """
    sql, rows, name = context.sql(proposal), context.statements(Dialect.FLINK), proposal.target.statement
    scanned = tuple(_scanned(proposal, context))
    if name and not scanned and not context.allow_new:
        raise _no_statement("statement", name, rows)
    yield from scanned
    if scanned:
        return
    written = [statement for statement in sql.moving if statement.sinks and "VIEW" not in statement.kind.split()]
    new = _new_statement(sql.text, name or PurePath(proposal.name or proposal.file).stem, rows, context)
    stored = [] if name else _writer_of(new, rows, context)
    for at, row in stored or [new]:
        after = replace(row, statement=sql.text, topics_read=None)
        change = RowChange(at, row if stored else None, after)
        yield ProposedRow(change, f"statement {row.name}", _places(written, proposal))


def _users_of_tables(proposal: Proposal, context: JobContext) -> Iterator[ChangedJob]:
    """Yield the stored jobs that the tables change which a text declares, or declared before."""
    sql = context.sql(proposal)
    dialect = Dialect.FLINK if proposal.text is None else sql.dialect
    own = [row.statement for _, row in _rows_of(proposal, context.statements(dialect))]
    tables = frozenset(table for text in (sql.text, *own) for table in _tables(text, dialect))
    changed = {change.key for change in context.changes}
    stored: list[tuple[str, JobRow]] = [*context.statements(dialect)]
    stored += context.stored(Query) if dialect is Dialect.KSQLDB else []
    for at, row in stored if tables else ():
        if row_key(at, row) not in changed and _names(row, tables):
            pair = read_pair(context.before, context.after, RowChange(at, row, row))
            if set(map(moves_of, pair.before)) != set(map(moves_of, pair.after)):
                kind = "statement" if isinstance(row, StreamingStatement) else "query"
                yield ChangedJob(target=f"{kind} {row.name}", pair=pair)


def _tables(text: str, dialect: Dialect) -> frozenset[str]:
    """Return the names of the tables, or streams, that a text declares, without their database."""
    return frozenset(name[-1].casefold() for name in read_catalog(mask_statement(text), dialect).tables)


def _names(row: JobRow, tables: Collection[str]) -> bool:
    """Return whether a statement may use one of *tables*."""
    if isinstance(row, Query):
        return any(name.casefold() in tables for name in (*row.sources, *row.sinks))
    return isinstance(row, StreamingStatement) and any(table in row.statement.casefold() for table in tables)


def _queries(proposal: Proposal, context: JobContext) -> Iterator[ProposedRow]:
    queries, name, moving = context.stored(Query), proposal.target.statement, context.sql(proposal).moving
    if name and len(moving) != 1:
        what = f"{len(moving)} statements move data, where the query {name} has one"
        raise InputInvalid(what, where=proposal.file, hint="write one statement a file")
    running = {sink for _, query in queries for sink in query.sinks}
    scanned = () if name else tuple(_scanned(proposal, context))
    if not {sink for row in scanned for sink in _sinks(row.change)} <= running:
        yield from scanned
    for statement in moving:
        sinks = set(statement.sinks)
        stored = [one for one in queries if (one[1].name == name if name else sinks.intersection(one[1].sinks))]
        if name and not stored:
            raise _no_statement("query", name, queries)
        if scanned and not stored:
            continue  # compared as part of the file
        new = "" if stored else _only_ksqldb(context)
        for at, query in stored or [(new, _new_query(context, new, statement))]:
            after = replace(
                query,
                statement=statement.text,
                sources=statement.sources,
                sinks=statement.sinks,
                sink_topics=query.sink_topics if set(query.sinks) == sinks else (),
            )
            change = RowChange(at, query if stored else None, after)
            yield ProposedRow(change, f"query {query.name}", _places([statement], proposal))


def _sinks(change: RowChange) -> Iterator[str]:
    """Yield the streams that a scanned file writes to, and those that the proposed text does."""
    for row in (change.before, change.after):
        text = row.statement if isinstance(row, StreamingStatement) else ""
        yield from (
            sink for one in Sql(text, Dialect.KSQLDB, read_sql(text, Dialect.KSQLDB)).moving for sink in one.sinks
        )


def _only_ksqldb(context: JobContext) -> str:
    sources = {at for at, _ in context.stored(Query)}
    return sources.pop() if len(sources) == 1 else _only_cluster(context, "the query")


def _new_query(context: JobContext, cluster: str, statement: StatementFlows) -> Query:
    servers = [source for at, source in context.before.snapshot.collections if at == cluster]
    servers += [str(query.source) for at, query in context.stored(Query) if at == cluster]
    source = next(iter(servers), _NEW_KSQLDB)
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


def _rows_of(
    proposal: Proposal, rows: Sequence[tuple[str, StreamingStatement]]
) -> list[tuple[str, StreamingStatement]]:
    """Return those of *rows* that the proposal is of: by their name, else, where that is a path, by the file's path."""
    name = proposal.target.statement or proposal.name or proposal.file
    exact = [(at, row) for at, row in rows if row.name == name]
    if exact:
        return exact
    path = proposal.name or proposal.file
    # A name from a rule is a part of the path; one of an option may be of any other statement.
    is_of_path = proposal.target.statement in PurePath(path).as_posix()
    return [(at, row) for at, row in rows if is_of_path and _is_path_of(row.name, path)]


def _new_statement(
    text: str, name: str, rows: Sequence[tuple[str, StreamingStatement]], context: JobContext
) -> tuple[str, StreamingStatement]:
    cluster, source = (rows[0][0], rows[0][1].source) if rows else (_only_cluster(context, name), SourceId("flink:"))
    return cluster, StreamingStatement(source=source, name=name, statement=text)


def _writer_of(
    new: tuple[str, StreamingStatement], rows: Sequence[tuple[str, StreamingStatement]], context: JobContext
) -> list[tuple[str, StreamingStatement]]:
    """Return the stored statement that alone writes what the *new* one writes; empty if it is not exactly one."""

    def written(at: str, row: StreamingStatement) -> set[object]:
        return {use.dataset for reading in context.before.read(at, row) for use in reading.flows.writes}

    wanted = written(*new)
    writers = [(at, row) for at, row in rows if written(at, row) & wanted] if wanted else []
    return writers if len(writers) == 1 else []


def _is_path_of(name: str, file: str) -> bool:
    """Return whether a file of SQL that was scanned as *name* is *file*: one path ends with the other."""
    parts, others = PurePath(name).parts, PurePath(file).parts
    size = min(len(parts), len(others))
    return size > 0 and parts[-size:] == others[-size:]


def _deleted_statements(proposal: Proposal, context: JobContext) -> Iterator[ProposedRow]:
    name = proposal.target.statement or proposal.file
    statements, queries = context.stored(StreamingStatement), context.stored(Query)
    flink = _rows_of(proposal, statements)
    ksqldb = [(at, query) for at, query in queries if query.name == name]
    if not flink and not ksqldb:
        raise _no_statement("statement", name, (*statements, *queries))
    yield from (ProposedRow(RowChange(at, row, None), f"statement {row.name}") for at, row in flink)
    yield from (ProposedRow(RowChange(at, query, None), f"query {query.name}") for at, query in ksqldb)


def _no_statement(kind: str, name: str, known: Iterable[tuple[str, JobRow]]) -> NameUnknown:
    return unknown_name(kind, name, (row.name for _, row in known), "`scanner jobs --kind statement` lists them")


def _places(statements: Iterable[StatementFlows], proposal: Proposal) -> tuple[Place, ...]:
    """Return where each statement stands; of SQL inside a deployment file, where the part of it begins."""
    ends = [statement.at.partition(":") for statement in statements]
    if proposal.name:
        return tuple(Place(file=proposal.file, line=proposal.line) for _ in ends)
    return tuple(Place(file=proposal.file, line=int(line or 1), column=int(column or 1)) for line, _, column in ends)

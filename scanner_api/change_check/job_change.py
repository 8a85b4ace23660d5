"""A proposed statement or connector configuration: the column flows before and after, and what downstream loses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.jobs.kinds import lookup_context
from dataflow_generator.jobs.proposed import JobPair, StoredJobs
from dataflow_generator.jobs.sql_catalog import catalog_of, collection_of
from dataflow_generator.sql.lexer import Dialect, guess_dialect
from dataflow_generator.sql.lineage import StatementFlows
from dataflow_generator.sql.reader import read_catalog, read_sql
from scanner_api.change_check.flow_comparison import ChangedJob, FlowComparison, moves_of
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Finding, Place, Verdict
from scanner_api.change_check.positions import Positions
from scanner_api.change_check.proposals import CONNECTOR, SQL, Proposal
from scanner_api.change_check.proposed_columns import Renames, ReplacedSide, replaced_columns
from scanner_api.input_files import ConnectorFile, connector_file
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.names import SourceId
from scanner_model.redaction import mask_config, mask_statement
from scanner_model.streaming_sql import FlinkStatement, KsqlSource, Query

Collections = Mapping[tuple[str, str], tuple[KsqlSource, ...]]
"""The collections of ksqlDB by cluster and server."""

_NEW_KSQLDB = "ksqldb:"
"""The server of a query where none was scanned."""


@dataclass(slots=True)
class JobContext:
    """What proposed jobs are compared with; the stored ones are loaded when the first proposed one needs them.

    *sides* are the columns of topics that are proposed with them, *written* the streams and tables of ksqlDB that
    proposed queries write. *allow_new*: a statement or connector that is named and not stored is a new one.
    """

    conn: Connection
    cluster: str | None = None
    dialect: str | None = None
    sides: tuple[ReplacedSide, ...] = ()
    allow_new: bool = False
    written: frozenset[str] = frozenset()
    _stored: StoredJobs | None = None
    _proposed: StoredJobs | None = None

    @property
    def stored(self) -> StoredJobs:
        """Return the stored jobs; they are loaded when first needed."""
        if self._stored is None:
            snapshot = load_snapshot(self.conn)
            self._stored = StoredJobs(snapshot, lookup_context(snapshot))
        return self._stored

    @property
    def renames(self) -> Renames:
        """Return the names that proposed schemas give to columns."""
        return Renames(self.sides, self.stored.context.naming)

    def replace_by(self, proposals: Sequence[Proposal]) -> None:
        """Put the proposed columns, Flink statements and collections of ksqlDB in place of the stored ones."""
        snapshot = self.stored.snapshot
        statements = {server: list(rows) for server, rows in snapshot.statements.items()}
        of_sql = [proposal for proposal in proposals if proposal.kind == SQL]
        for proposal in of_sql:
            _replace_statement(proposal, self, statements)
        parsed = [_parsed(proposal, self) for proposal in of_sql if proposal.text is not None]
        self.written = frozenset(
            sink for text, dialect in parsed if dialect is Dialect.KSQLDB for flows in text for sink in flows.sinks
        )
        snapshot = replace(
            snapshot,
            columns=replaced_columns(snapshot.columns, self.sides),
            statements={server: tuple(rows) for server, rows in statements.items()},
            collections=_replaced_collections(of_sql, self),
        )
        self._proposed = StoredJobs(snapshot, lookup_context(snapshot))

    def pair(self, read: Callable[[StoredJobs], JobPair]) -> JobPair:
        """Return what *read* makes of the stored jobs, before, and of the proposed ones, after."""
        if self._proposed is None:
            return read(self.stored)
        return JobPair(read(self.stored).before, read(self._proposed).after)

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

    def unchanged_statements(self) -> Collection[tuple[str, FlinkStatement]]:
        """Return the statements of Flink that no proposal replaces or deletes, each with its cluster."""
        jobs = self._proposed or self.stored
        return frozenset((at, row) for (at, _), rows in jobs.snapshot.statements.items() for row in rows)

    def of_cluster(self, name: str) -> bool:
        """Return whether *name* is a cluster that the check is limited to."""
        return self.cluster in (None, name)


def changed_jobs(proposal: Proposal, context: JobContext) -> tuple[ChangedJob, ...]:
    """Return the jobs of a proposed statement or connector, before and after.

    Raises InputInvalid if the text is not a statement or configuration, NameUnknown where a named or deleted statement
    or connector is not in the dictionary.
    """
    if proposal.kind == CONNECTOR:
        return tuple(_connectors(proposal, context))
    own = tuple(_statements(proposal, context) if proposal.text is not None else _deleted_statements(proposal, context))
    targets = {job.target for job in own}
    return (*own, *(user for user in _users_of_tables(proposal, context) if user.target not in targets))


def job_findings(
    proposal: Proposal, changed: Sequence[ChangedJob], context: JobContext, hits: Hits
) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Return the names of what *changed*, and what downstream loses, and gains, by it."""
    start = Positions(proposal.file, proposal.text or "", line=proposal.line).start
    renames = context.renames
    findings = [finding for job in changed for finding in FlowComparison(job, hits, start, renames).findings()]
    if proposal.kind == SQL:
        findings += _unparsed(proposal, context)
    return tuple(job.target for job in changed), tuple(findings)


def _replace_statement(
    proposal: Proposal, context: JobContext, statements: dict[tuple[str, str], list[FlinkStatement]]
) -> None:
    """Put the text of a proposal in place of those of *statements* that it is of; errors are those of its check."""
    if proposal.text is None:
        deleted = {id(row) for _, row in _rows_of(proposal, context.statements())}
        for rows in statements.values():
            rows[:] = [row for row in rows if id(row) not in deleted]
        return
    parsed, dialect = _parsed(proposal, context)
    if dialect is not Dialect.FLINK or not parsed:
        return
    try:
        replaced = _flink_rows(proposal, context)
    except (InputInvalid, NameUnknown):
        return
    for at, row in replaced:
        rows = statements.setdefault((at, str(row.source)), [])
        text = mask_statement(proposal.text or "")
        index = next((index for index, other in enumerate(rows) if other.name == row.name), len(rows))
        rows[index : index + 1] = [replace(row, statement=text, topics_read=None)]


def _replaced_collections(proposals: Sequence[Proposal], context: JobContext) -> Collections:
    """Return the collections of each ksqlDB server as the DDL of *proposals* changes them, whatever its order."""
    stored = context.stored.snapshot.collections
    texts = [text for proposal in proposals if (text := _ksqldb_text(proposal, context))]
    servers = [server for server in stored if context.of_cluster(server[0])] or [
        (row.name, _NEW_KSQLDB) for row in context.stored.snapshot.clusters if context.of_cluster(row.name)
    ]
    return {**stored, **{server: _with_ddl(texts, stored.get(server, ()), server[1]) for server in servers if texts}}


def _with_ddl(texts: Sequence[str], stored: Sequence[KsqlSource], source: str) -> tuple[KsqlSource, ...]:
    before = known = catalog_of(stored, frozenset())
    for _ in texts:  # a text may name what a later one declares
        last = known
        for text in texts:
            known = read_catalog(text, Dialect.KSQLDB, known)
        if known == last:
            break
    rows = {row.name: row for row in stored}
    changed = {name[-1]: table for name, table in known.tables.items() if table != before.tables.get(name)}
    return (
        *(row for name, row in rows.items() if (name,) in known.tables and name not in changed),
        *(collection_of(table, SourceId(source), rows.get(name)) for name, table in changed.items()),
    )


def _ksqldb_text(proposal: Proposal, context: JobContext) -> str:
    """Return the text of a proposal where it is of ksqlDB, else an empty one."""
    if proposal.text is None or _parsed(proposal, context)[1] is not Dialect.KSQLDB:
        return ""
    return mask_statement(proposal.text)


# --- connectors


def _connectors(proposal: Proposal, context: JobContext) -> Iterator[ChangedJob]:
    proposed_file = proposal.connector
    if proposed_file is None and proposal.text is not None:
        proposed_file = connector_file(proposal.file, proposal.text)
    name = proposal.target.connector or (proposed_file.name if proposed_file else "")
    rows = [row for row in context.connectors() if row.name == name]
    if not rows and (proposed_file is None or (proposal.target.connector and not context.allow_new)):
        known = (row.name for row in context.connectors())
        raise unknown_name("connector", name, known, "`scanner jobs` lists them")
    places = _changed_setting(proposal, proposed_file, rows)
    old: list[ConnectorRow | None] = [*rows] if rows else [None]
    for stored in old:
        proposed = _proposed_row(proposed_file, stored, name, context) if proposed_file else None
        pair = context.pair(partial(StoredJobs.connector_pair, stored=stored, proposed=proposed))
        yield ChangedJob(target=f"connector {name}", pair=pair, places=places, is_new=stored is None)


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


def _statements(proposal: Proposal, context: JobContext) -> Iterator[ChangedJob]:
    parsed, dialect = _parsed(proposal, context)
    moving = [statement for statement in parsed if statement.sinks or statement.sources]
    if not moving and _tables(proposal.text or "", dialect) and not any(map(_is_unparsed, parsed)):
        return  # who reads them is judged
    if not moving:
        first = parsed[0].problems[0] if parsed and parsed[0].problems else None
        what = f"is no {dialect} statement: {first.what if first else 'no statement in it moves data'}"
        where = f"{proposal.file}:{first.where}" if first else proposal.file
        raise InputInvalid(what, where=where, hint="or name --dialect")
    if dialect is Dialect.KSQLDB:
        yield from _queries(moving, context, proposal)
        return
    written = [statement for statement in moving if statement.sinks and "VIEW" not in statement.kind.split()]
    is_partial = any(map(_is_unparsed, parsed))
    known = {id(row) for _, row in context.statements()}
    for at, row in _flink_rows(proposal, context):
        text = mask_statement(proposal.text or "")
        pair = context.pair(partial(StoredJobs.flink_pair, cluster=at, stored=row, text=text))
        places = _places(written, proposal)
        is_new = id(row) not in known
        target = f"statement {row.name}"
        yield ChangedJob(target=target, pair=pair, places=places, is_partial=is_partial, is_new=is_new)


def _users_of_tables(proposal: Proposal, context: JobContext) -> Iterator[ChangedJob]:
    """Yield the stored jobs that the tables change which a text declares, or declared before."""
    own = _rows_of(proposal, context.statements())
    dialect = Dialect.FLINK if proposal.text is None else _parsed(proposal, context)[1]
    tables = frozenset(
        table
        for text in (proposal.text or "", *(row.statement for _, row in own if dialect is Dialect.FLINK))
        for table in _tables(text, dialect)
    )
    jobs = _ksqldb_users(tables, context) if dialect is Dialect.KSQLDB else _flink_users(tables, context)
    for name, pair in jobs if tables else ():
        if set(map(moves_of, pair.before)) != set(map(moves_of, pair.after)):
            yield ChangedJob(target=f"statement {name}" if dialect is Dialect.FLINK else f"query {name}", pair=pair)


def _tables(text: str, dialect: Dialect) -> frozenset[str]:
    """Return the names of the tables, or streams, that a text declares, without their database."""
    return frozenset(name[-1].casefold() for name in read_catalog(mask_statement(text), dialect).tables)


def _flink_users(tables: frozenset[str], context: JobContext) -> Iterator[tuple[str, JobPair]]:
    kept = context.unchanged_statements()
    for at, row in context.statements():
        text = row.statement.casefold()
        if (at, row) in kept and any(table in text for table in tables):
            yield row.name, context.pair(partial(StoredJobs.flink_pair, cluster=at, stored=row, text=row.statement))


def _ksqldb_users(tables: frozenset[str], context: JobContext) -> Iterator[tuple[str, JobPair]]:
    for at, query in context.queries():
        statements = read_sql(query.statement, Dialect.KSQLDB)
        names = {*map(str.casefold, (*query.sources, *query.sinks))}
        is_replaced = not context.written.isdisjoint(query.sinks)
        if len(statements) == 1 and not is_replaced and not tables.isdisjoint(names):
            pair = partial(StoredJobs.ksql_pair, cluster=at, stored=query, proposed=statements[0])
            yield query.name, context.pair(pair)


def _parsed(proposal: Proposal, context: JobContext) -> tuple[Sequence[StatementFlows], Dialect]:
    text = mask_statement(proposal.text or "")
    dialect = Dialect(context.dialect) if context.dialect else guess_dialect(text)
    return read_sql(text, dialect), dialect


def _is_unparsed(statement: StatementFlows) -> bool:
    """Return whether not even what the statement writes is known."""
    return bool(statement.problems) and not statement.sinks


def _unparsed(proposal: Proposal, context: JobContext) -> Iterator[Finding]:
    """Report each statement outside the dialect: its effect is unknown."""
    if proposal.text is None:
        return
    parsed, dialect = _parsed(proposal, context)
    for statement in filter(_is_unparsed, parsed):
        (place,) = _places([statement], proposal)
        what = f"is no {dialect} statement: {statement.problems[0].what}"
        yield Finding(rule="unparsed", verdict=Verdict.UNKNOWN, place=place, target=proposal.file, what=what)


def _queries(moving: Sequence[StatementFlows], context: JobContext, proposal: Proposal) -> Iterator[ChangedJob]:
    queries, name = context.queries(), proposal.target.statement
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
            raise unknown_name(
                "query", name, (query.name for _, query in queries), "`scanner jobs --kind statement` lists them"
            )
        places = _places([statement], proposal)
        new = "" if stored else _only_ksqldb(context)
        for at, query in stored or [(new, _new_query(context, new, statement))]:
            pair = context.pair(partial(StoredJobs.ksql_pair, cluster=at, stored=query, proposed=statement))
            yield ChangedJob(target=f"query {query.name}", pair=pair, places=places, is_new=not stored)


def _only_ksqldb(context: JobContext) -> str:
    sources = {at for at, _ in context.queries()}
    return sources.pop() if len(sources) == 1 else _only_cluster(context, "the query")


def _new_query(context: JobContext, cluster: str, statement: StatementFlows) -> Query:
    servers = [source for at, source in context.stored.snapshot.collections if at == cluster]
    servers += [str(query.source) for at, query in context.queries() if at == cluster]
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


def _flink_rows(proposal: Proposal, context: JobContext) -> list[tuple[str, FlinkStatement]]:
    """Return the stored statements that the text would replace, each with its cluster; a new one otherwise.

    Raises NameUnknown where the one that is named is not stored.
    """
    rows, name = context.statements(), proposal.target.statement
    stored = _rows_of(proposal, rows)
    if name and not stored and not context.allow_new:
        raise unknown_name(
            "statement", name, (row.name for _, row in rows), "`scanner jobs --kind statement` lists them"
        )
    if stored:
        return stored
    text = mask_statement(proposal.text or "")
    if name:
        return [_new_statement(text, name, rows, context)]
    return [_writer_of(text, proposal.name or proposal.file, rows, context)]


def _rows_of(proposal: Proposal, rows: Sequence[tuple[str, FlinkStatement]]) -> list[tuple[str, FlinkStatement]]:
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
    text: str, name: str, rows: Sequence[tuple[str, FlinkStatement]], context: JobContext
) -> tuple[str, FlinkStatement]:
    cluster, source = (rows[0][0], rows[0][1].source) if rows else (_only_cluster(context, name), SourceId("flink:"))
    return cluster, FlinkStatement(source=source, name=name, statement=text)


def _writer_of(
    text: str, name: str, rows: Sequence[tuple[str, FlinkStatement]], context: JobContext
) -> tuple[str, FlinkStatement]:
    """Return the stored statement that alone writes what *text* writes; a new one otherwise."""
    cluster, fresh = _new_statement(text, PurePath(name).stem, rows, context)
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


def _deleted_statements(proposal: Proposal, context: JobContext) -> Iterator[ChangedJob]:
    name = proposal.target.statement or proposal.file
    statements = _rows_of(proposal, context.statements())
    queries = [(at, query) for at, query in context.queries() if query.name == name]
    if not statements and not queries:
        known = [*(row.name for _, row in context.statements()), *(query.name for _, query in context.queries())]
        raise unknown_name("statement", name, known, "`scanner jobs --kind statement` lists them")
    for at, row in statements:
        yield ChangedJob(target=f"statement {row.name}", pair=context.stored.flink_pair(at, row, None))
    for at, query in queries:
        yield ChangedJob(target=f"query {query.name}", pair=context.stored.ksql_pair(at, query, None))


def _places(statements: Iterable[StatementFlows], proposal: Proposal) -> tuple[Place, ...]:
    """Return where each statement stands; of SQL inside a deployment file, where the part of it begins."""
    ends = [statement.at.partition(":") for statement in statements]
    if proposal.name:
        return tuple(Place(file=proposal.file, line=proposal.line) for _ in ends)
    return tuple(Place(file=proposal.file, line=int(line or 1), column=int(column or 1)) for line, _, column in ends)

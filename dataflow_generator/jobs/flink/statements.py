"""Flink statements as jobs: each INSERT and CREATE TABLE AS, through views, between topics and other datasets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.families.debezium import ColumnLists, Treatment
from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.consumer_groups import GroupOwner
from dataflow_generator.jobs.flink.resolve import (
    ColumnResolver,
    DeclaredTables,
    FlinkContext,
    TableResolver,
    is_topic,
)
from dataflow_generator.jobs.ksqldb import Level, StatementReading
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Use, job_node
from dataflow_generator.jobs.sql_catalog import path_of_names, table_of_topic
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import Effect, SqlColumn, SqlFlow, SqlTable, StatementFlows
from dataflow_generator.sql.reader import read_sql
from scanner_model.columns import Column, with_expression
from scanner_model.errors import Problem
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

if TYPE_CHECKING:
    from scanner_dictionary.lineage_inputs.jobs import ClusterTopic


_SCANNED, _INTEGRATION = "flink", "FLINK"
_TITLE = "insert-into_"
"""Prefix of a statement's job name; its sink tables follow, separated by `,` for a statement set."""


class RunningStatements(NamedTuple):
    """The statements that one job runs, several for a statement set; *why* justifies an uncertain match, else empty."""

    statements: tuple[JobFlows, ...]
    why: str = ""


class FlinkJobMatcher:
    """Finds the scanned statements, among *jobs*, that a Flink job in events runs."""

    def __init__(self, jobs: Iterable[JobFlows]) -> None:
        self._writers: dict[GraphDataset, list[JobFlows]] = {}
        for job in jobs:
            if dict(job.job.attributes).get("type") == _SCANNED:
                for dataset in _datasets(job.writes):
                    self._writers.setdefault(dataset, []).append(job)

    def match(self, job: JobFlows) -> RunningStatements | None:
        """Return the statements that *job* runs; None where it is not a Flink job, or the match is ambiguous.

        Certain where the tables in its name, its inputs and its outputs agree; uncertain where the name or the inputs
        differ.
        """
        if dict(job.job.attributes).get("integration") != _INTEGRATION:
            return None
        reads, writes = _datasets(job.reads), _datasets(job.writes)
        listed = [self._writer(dataset, reads) for dataset in sorted(writes)]
        statements = tuple({writer.job.key: writer for writer in listed if writer}.values())
        if not all(listed) or writes != _datasets(use for statement in statements for use in statement.writes):
            return None
        named = title_tables(job.job.name) == {sink_table(statement) for statement in statements}
        if reads == _datasets(use for statement in statements for use in statement.reads):
            return RunningStatements(statements, "" if named else "same inputs and outputs under another name")
        return RunningStatements(statements, "same name and outputs, but other inputs") if named else None

    def _writer(self, dataset: GraphDataset, reads: frozenset[GraphDataset]) -> JobFlows | None:
        """Return the only writer of *dataset*; of several, the only one whose inputs are among *reads*."""
        writers = self._writers.get(dataset, [])
        if len(writers) > 1:
            writers = [writer for writer in writers if _datasets(writer.reads) <= reads]
        return writers[0] if len(writers) == 1 else None


def _datasets(uses: Iterable[Use]) -> frozenset[GraphDataset]:
    return frozenset(use.dataset for use in uses)


def title_tables(name: str) -> set[str]:
    """Return the unqualified tables in a job's name; empty where the job has a user-defined name."""
    listed = name.removeprefix(_TITLE).split(",") if name.startswith(_TITLE) else ()
    return {table.rpartition(".")[2] for table in listed}


def sink_table(job: JobFlows) -> str:
    """Return the unqualified table that a statement writes; empty where it names none."""
    parsed = read_sql(str(dict(job.job.attributes).get("statement", "")), Dialect.FLINK)
    written = (table for flows in parsed for table in flows.datasets if table.name in flows.sinks)
    return next((table.qualified[-1] for table in written), "")


_GROUP = "properties.group.id"
_DEBEZIUM = "debezium."
"""Prefix of the options of a CDC connector that Debezium gets (Flink CDC, "Connector Options")."""
Described = Mapping["ClusterTopic", tuple[Column, ...]]
"""The columns of topics; paths of key columns begin with `@key`."""

_HINT = "only its tables are reported, without columns"


def flink_jobs(
    cluster: str, statements: Sequence[StreamingStatement], wanted: Collection[int], context: FlinkContext
) -> Iterator[StatementReading]:
    """Read the statements of one source, oldest first, and yield the jobs of those at the indices *wanted*.

    Tables that one statement declares are known to all; a statement's own DDL takes precedence.
    """
    tables = context.declared(statements)
    chosen = [statements[index] for index in sorted(wanted)]
    texts = [_Text(statement, tables, cluster, context) for statement in chosen]
    topics = {topic for text in texts for topic in text.topics()}
    columns = context.columns(topics) if topics else {}
    for text in texts:
        yield from text.readings({topic: columns[topic] for topic in text.topics() if topic in columns})


def flink_owners(cluster: str, statements: Sequence[StreamingStatement], context: FlinkContext) -> Iterator[GroupOwner]:
    """Yield the consumer groups that the DDL of one source names, each with a job that reads through it.

    Default group ids, which Flink generates for each job, are not known.
    """
    if names_groups(statements):
        tables = context.declared(statements)
        for statement in statements:
            yield from _Text(statement, tables, cluster, context).owners()


def names_groups(statements: Iterable[StreamingStatement]) -> bool:
    """Return whether a statement names a consumer group."""
    return any(_GROUP in statement.statement for statement in statements)


def flink_namespace(cluster: str, source: str) -> str:
    """Return the namespace of the jobs of *source*: the server that they run on, or the cluster whose files it is."""
    address = source.partition(":")[2]
    host = address.partition("://")[2]
    return f"flink://{host.rstrip('/')}" if host else f"flink://{cluster}/{address}".rstrip("/")


class _Text:
    """One statement's text, which may hold several."""

    def __init__(
        self, statement: StreamingStatement, declared: DeclaredTables, cluster: str, context: FlinkContext
    ) -> None:
        self._statement = statement
        self._declared = declared
        self._context = context
        self._namespace = flink_namespace(cluster, statement.source)
        self._tables = TableResolver(context, cluster, self._namespace)
        self._parsed = context.flows(statement, declared)

    def topics(self) -> Iterator[ClusterTopic]:
        """Yield the topics of known clusters whose columns are needed."""
        for table in self._all_tables():
            for dataset in self._tables.datasets(table, self._statement, _ignore_problem):
                if topic := self._tables.cluster_topic(dataset):
                    yield topic

    def readings(self, columns: Described) -> Iterator[StatementReading]:
        """Yield a job for each statement that moves data."""
        self._learn(columns)
        for name, flows in self._jobs():
            yield _Job(name, flows, self._statement, self._tables, columns).read(self._namespace)
        for flows in self._parsed if self._statement.kind == SCRIPT else ():
            if flows.problems and not self._is_job(flows):
                name = f"{self._statement.name}, line {flows.at.partition(':')[0]}"
                yield _Job(name, flows, self._statement, self._tables, columns).unread(self._namespace)

    def owners(self) -> Iterator[GroupOwner]:
        """Yield the consumer groups of its jobs, each in the cluster of a topic that the job reads."""
        for name, flows in self._jobs():
            job = job_node(self._namespace, name, ()).key
            for table in flows.datasets:
                group = dict(table.options).get(_GROUP, "") if table.name in flows.sources else ""
                for dataset in self._tables.datasets(table, self._statement, _ignore_problem) if group else ():
                    if topic := self._tables.cluster_topic(dataset):
                        yield GroupOwner(topic[0], group, job)

    def _jobs(self) -> Iterator[tuple[str, StatementFlows]]:
        """Yield the name and the flows of each statement that moves data; several in one text are numbered."""
        moving = [flows for flows in self._parsed if self._is_job(flows)]
        for number, flows in enumerate(moving, 1):
            yield (self._statement.name if len(moving) == 1 else f"{self._statement.name}:{number}"), flows

    def _learn(self, columns: Described) -> None:
        """Analyze again with the columns of topics as tables, where a table was unknown or incomplete."""
        known: dict[tuple[str, ...], tuple[Column, ...]] = {}
        for table in self._all_tables():
            declared = self._declared.catalog.tables.get(table.qualified)
            if is_topic(table, self._statement) and not (declared and declared.complete):
                topic = self._tables.cluster_topic(self._tables.topic(table, self._statement))
                if topic is not None and topic in columns:
                    known[table.qualified] = columns[topic]
        if known:
            topic_tables = {name: table_of_topic(name, described) for name, described in sorted(known.items())}
            self._parsed = self._context.flows_with(self._statement, self._declared, topic_tables)

    def _all_tables(self) -> Iterator[SqlTable]:
        return (table for flows in self._parsed for table in flows.datasets)

    def _is_job(self, flows: StatementFlows) -> bool:
        if flows.sinks:
            return "VIEW" not in flows.kind.split()
        # A SELECT that a server runs has a reader; one in a file is for interactive use.
        return bool(flows.sources) and flows.kind == "SELECT" and self._statement.kind != SCRIPT


class _Job:
    """Resolves one statement that moves data."""

    def __init__(
        self,
        name: str,
        flows: StatementFlows,
        statement: StreamingStatement,
        tables: TableResolver,
        columns: Described,
    ) -> None:
        self._name = name
        self._statement_flows = flows
        self._statement = statement
        self._tables = tables
        self._columns = columns
        self._where = f"statement {name} of {statement.source}, {flows.at}"
        self._problems: dict[Problem, None] = {}
        self._fields: dict[tuple[str, GraphDataset], ColumnResolver] = {}
        self._datasets_of = {table.name: self._datasets(table) for table in flows.datasets}
        self._named = {table.name: table for table in flows.datasets}
        self._lists = {
            table.name: ColumnLists.of(Config.of(dict(table.options)).under(_DEBEZIUM)) for table in flows.datasets
        }

    def read(self, namespace: str) -> StatementReading:
        """Return the job; without columns where the engine reads topics that the statement does not name."""
        complete = self._is_complete()
        reads, writes = (
            self._uses(self._statement_flows.sources, "source"),
            self._uses(self._statement_flows.sinks, "sink"),
        )
        columns = tuple(dict.fromkeys(self._flows())) if complete else ()
        problems = [
            self._at(problem) for problem in (*self._statement_flows.problems, *self._statement_flows.unresolved)
        ]
        level = Level.COLUMNS if complete else Level.TABLES if reads or writes else Level.UNREAD
        flows = JobFlows(
            job=job_node(namespace, self._name, self._attributes()),
            certainty=Certainty.DERIVED,
            reads=reads,
            writes=writes,
            columns=columns,
        )
        # A table that no statement declares, or of an unknown connector, may stand for any topic.
        unknown = any(use.dataset.namespace == namespace for use in reads)
        is_part = unknown or bool(self._statement_flows.unresolved)
        return StatementReading(flows, level, tuple(dict.fromkeys((*self._problems, *problems))), is_part=is_part)

    def unread(self, namespace: str) -> StatementReading:
        """Return the job of a statement that is not read, with the reason."""
        job = job_node(namespace, self._name, self._attributes())
        problems = tuple(map(self._at, self._statement_flows.problems))
        return StatementReading(JobFlows(job=job, certainty=Certainty.DERIVED), Level.UNREAD, problems)

    def _attributes(self) -> tuple[tuple[str, str | int | bool | tuple[str, ...]], ...]:
        statement = self._statement
        return present(
            type="flink",
            state=statement.state,
            statement=self._statement_flows.text,
            compute_pool=statement.compute_pool,
            region=statement.region,
            principal=statement.principal,
            hidden=statement.hidden,
        )

    def _is_complete(self) -> bool:
        """Return whether columns are reliable: all of the statement was parsed, and the engine reads nothing else."""
        if self._statement_flows.problems:
            return False
        named = {dataset.name for name in self._statement_flows.sources for dataset in self._datasets_of.get(name, ())}
        more = sorted(set(map(str, self._statement.topics_read or ())) - named)
        alone = self._name == self._statement.name
        if more and alone:
            what = f"the engine reads {', '.join(more)}, the statement names {', '.join(sorted(named)) or 'none'}"
            self._note(what, _HINT)
        return not (more and alone)

    def _datasets(self, table: SqlTable) -> tuple[GraphDataset, ...]:
        return self._tables.datasets(table, self._statement, self._note)

    def _uses(self, names: Iterable[str], what: str) -> tuple[Use, ...]:
        uses: dict[GraphDataset, Use] = {}
        for name in sorted(names):
            for dataset in self._datasets_of.get(name, ()):
                uses.setdefault(dataset, Use(dataset, f"{self._where}: {what} {name}"))
        return tuple(uses.values())

    def _flows(self) -> Iterator[ColumnFlow]:
        for flow in self._statement_flows.flows:
            for source in self._physical_columns(flow.source):
                effect, option = self._captured(flow, source)
                because = f"{self._where}, {_DEBEZIUM}{option}" if option else self._where
                if effect is None:
                    continue
                for target in self._physical_columns(flow.target):
                    evidence = with_expression(because, flow.target.path, flow.expression)
                    yield ColumnFlow(source, target, effect.type, str(effect), evidence)

    def _captured(self, flow: SqlFlow, source: ColumnRef) -> tuple[Effect | None, str]:
        """Return the effect of a flow from a table that a CDC connector reads, None where the connector omits *source*.

        With it, the option of Debezium that masks, truncates or omits; empty where none does.
        """
        treatment, option = self._lists[flow.source.dataset].treatment(source.dataset.name, source.path or ())
        if treatment is Treatment.LEFT_OUT:
            return None, option
        if treatment is Treatment.MASKED and flow.effect.type == "DIRECT":
            return Effect.MASKED, option
        is_truncated = treatment is Treatment.CHANGED and flow.effect is Effect.IDENTITY
        return (Effect.TRANSFORMATION if is_truncated else flow.effect), option

    def _physical_columns(self, named: SqlColumn) -> Iterator[ColumnRef]:
        for dataset in self._datasets_of.get(named.dataset, ()):
            column, known = self._paths(named.dataset, dataset).resolve(dataset, path_of_names(named.path))
            if not known:
                self._note(f"{'.'.join(named.path)} of {named.dataset} is not a field of the topic {dataset.name}", "")
            yield column

    def _paths(self, name: str, dataset: GraphDataset) -> ColumnResolver:
        """Return the column resolver of a dataset behind the table *name*; cached, because tables may be wide."""
        if (name, dataset) not in self._fields:
            table, topic = self._named[name], self._tables.cluster_topic(dataset)
            columns = self._columns.get(topic, ()) if topic else ()
            self._fields[name, dataset] = ColumnResolver(table, columns, named=is_topic(table, self._statement))
        return self._fields[name, dataset]

    def _at(self, problem: Problem) -> Problem:
        where = f"statement {self._name} of {self._statement.source}, {problem.where or self._statement_flows.at}"
        return Problem(where, problem.what, problem.hint)

    def _note(self, what: str, hint: str) -> None:
        self._problems[Problem(self._where, what, hint)] = None


def _ignore_problem(_: str, __: str) -> None:
    """Ignore a problem."""

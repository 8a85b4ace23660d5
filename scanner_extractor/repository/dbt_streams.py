"""dbt on streams: models of dbt-confluent, dbt-flink-adapter, dbt-risingwave and dbt-materialize, as statements.

Each adapter puts the compiled SQL of a model into a statement; that statement is what is read. Source: the macros of
dbt-confluent 0.4.1, dbt-flink-adapter 1.3.11, dbt-risingwave 1.11.16 and dbt-materialize 1.9.11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import Collector
from scanner_extractor.repository.statements import CONFLUENT, MATERIALIZE, RISINGWAVE, statements_of
from scanner_extractor.repository.tables import add_engine_objects
from scanner_extractor.repository.variables import Variables
from scanner_extractor.results import Progress, Reading
from scanner_extractor.systems.dbt.manifest import Project
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.declarations import UNREAD_HINT, UnreadFile
from scanner_model.errors import Problem
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import TopicName
from scanner_model.payload import Payload, Unread
from scanner_model.redaction import mask_statement
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

Json = Any

_EXPOSURE, _MODEL = "exposure", "model"
_RAW = frozenset({"source", "sink", "table_with_connector", "connection", "secret", "subscription"})
"""RisingWave's materializations whose SQL is the whole statement."""
_COMMANDS = {"source": "CREATE SOURCE", "source_table": "CREATE TABLE", "sink": "CREATE SINK"}
"""Materialize's materializations whose SQL follows the name."""


def read_streams(document: Json, settings: DbtSettings, progress: Progress) -> Reading:
    """Read the models of a project for streams; *document* is what `load_manifest` returned."""
    project = Project(Payload(document), settings, Unread(settings.source))
    adapter = project.document.text("adapter")
    reading = _Engine(project, adapter) if adapter in (RISINGWAVE, MATERIALIZE) else _Flink(project, adapter)
    facts, count = reading.read(), len(project.nodes)
    progress(settings.source, count, count)
    left = (fact for fact in facts if isinstance(fact, UnreadFile))
    unread = (Problem(f"{file.source} {file.name}", f"{file.kind}: {file.reason}", UNREAD_HINT) for file in left)
    return Reading(
        outcome=project.outcome(count),
        facts=facts,
        problems=(*project.problems(), *project.unread.problems, *unread),
    )


def _place(node: Payload) -> str:
    return node.text("original_file_path")


def _materialized(node: Payload) -> str:
    return node.object("config").text("materialized")


# --- Confluent Cloud and Flink: a table is a topic


@dataclass(slots=True)
class _Flink:
    """Reads models as statements of Flink; with Confluent's adapter, a table is the topic of its name."""

    project: Project
    adapter: str

    def read(self) -> tuple[Any, ...]:
        project = self.project
        nodes = {name: node for name, node in project.nodes.items() if node.text("resource_type") != _EXPOSURE}
        database = self._database(nodes.values())
        statements: list[StreamingStatement] = []
        flows: list[DeclaredFlow] = []
        for name, node in nodes.items():
            if text := self._statement(name, node):
                masked = mask_statement(text, project.settings.files.secret_names)
                statement = StreamingStatement(
                    source=project.settings.source,
                    name=name,
                    statement=masked,
                    kind=SCRIPT,
                    detail=_place(node),
                    engine=CONFLUENT if self.adapter == CONFLUENT else "",
                    catalog_name=database[0],
                    database_name=database[1],
                )
                statements.append(statement)
            if not project.definition(node) and node.text("resource_type") == _MODEL:
                flows += self._dependencies(name, node)
        exposures = [node for node in project.nodes.items() if node[1].text("resource_type") == _EXPOSURE]
        flows += [flow for name, node in exposures for flow in self._dependencies(name, node)]
        names = sorted({topic for node in nodes.values() if (topic := self._topic(node, database))})
        topics = (Topic(source=project.settings.source, name=TopicName(name)) for name in names)
        return (*topics, *statements, *flows, *(project.table(name, node) for name, node in exposures))

    def _database(self, nodes: Any) -> tuple[str, str]:  # noqa: ANN401 - the view of a dictionary
        """Return the environment and Kafka cluster of most nodes: those of models without a schema of their own."""
        if self.adapter != CONFLUENT:
            return "", ""
        counted = Counter((node.text("database"), node.text("schema")) for node in nodes)
        return max(counted, key=lambda name: (counted[name], name), default=("", ""))

    def _statement(self, name: str, node: Payload) -> str:
        """Return the statement that creates the table or view of a node; empty where none is known."""
        relation, sql, kind = self._relation(node), self.project.definition(node), _materialized(node)
        if not relation or kind == "ephemeral":
            return ""
        if node.text("resource_type") == "source":
            columns = self._columns(name, node)
            return f"CREATE TABLE {relation} ({columns}){self._options(node)}" if columns else ""
        if not sql:
            return ""
        if kind == "view":
            return f"CREATE VIEW {relation} AS {sql}"
        if kind == "streaming_source":
            return f"CREATE TABLE {relation} ({sql}){self._options(node)}"
        return f"CREATE TABLE {relation}{self._options(node)} AS {sql}"

    def _relation(self, node: Payload) -> str:
        """Return the name of a table in its statement; Flink's adapter leaves it out before models are compiled."""
        return node.text("relation_name") or (node.text("alias") if self.adapter != CONFLUENT else "")

    def _columns(self, name: str, node: Payload) -> str:
        """Return the columns of a source: those that Flink's adapter declares, or that the catalog lists."""
        if self.adapter == CONFLUENT:
            listed = [(column.text("name"), column.text("type")) for column in self._catalog(name)]
            return ", ".join(f"`{column}` {kind or 'STRING'}" for column, kind in listed)
        parts = [_column(column) for column in node.list("columns")]
        watermark = node.object("config").object("watermark")
        if parts and watermark:
            parts.append(f"WATERMARK FOR `{watermark.text('column')}` AS {watermark.text('strategy')}")
        return ", ".join(parts)

    def _catalog(self, name: str) -> list[Payload]:
        return list(self.project.document.object("catalog").list(name))

    def _options(self, node: Payload) -> str:
        """Return the options of a table."""
        config = node.object("config")
        options: dict[str, Json] = {}
        for member in ("default_connector_properties", "connector_properties", "with"):
            options |= config.object(member).members()
        if connector := config.text("connector"):
            options["connector"] = connector
        listed = ", ".join(f"'{_quoted(key)}' = '{_quoted(value)}'" for key, value in options.items())
        return f" WITH ({listed})" if listed else ""

    def _topic(self, node: Payload, database: tuple[str, str]) -> str:
        """Return the topic of a node; empty for a view, a table elsewhere, and a topic of another cluster."""
        config = node.object("config")
        options = {
            **config.object("default_connector_properties").members(),
            **config.object("connector_properties").members(),
        }
        if self.adapter != CONFLUENT:
            topic = str(options.get("topic", "")) if "kafka" in str(options.get("connector", "")) else ""
            return topic if is_topic_name(topic) else ""
        is_table = _materialized(node) not in ("view", "ephemeral", "test", "streaming_source")
        parts = self.project.parts(node) if is_table else ()
        is_own = (node.text("database"), node.text("schema")) == database
        return parts[-1] if parts and is_own and is_topic_name(parts[-1]) else ""

    def _dependencies(self, name: str, node: Payload) -> Iterator[DeclaredFlow]:
        """Yield flows from what a node depends on, for a model without SQL or an exposure."""
        database = self._database(self.project.nodes.values())
        is_exposure = node.text("resource_type") == _EXPOSURE
        known = self.project.name(name) if is_exposure else None
        target = FlowEnd(namespace=known[0], name=known[1]) if known else self._end(node, database)
        origins = [self.project.nodes[origin] for origin in self._topics_behind(name, set())]
        for origin in filter(None, (self._end(node, database) for node in origins)):
            if target is not None:
                yield DeclaredFlow(
                    source=self.project.settings.source,
                    origin=origin,
                    target=target,
                    job=name,
                    description="depends_on of dbt",
                    evidence=_place(node),
                    separate=True,
                )

    def _topics_behind(self, name: str, seen: set[str]) -> Iterator[str]:
        """Yield the nodes with data that a node depends on; views have none of their own."""
        for origin in self.project.node_dependencies(name):
            if origin in seen:
                continue
            seen.add(origin)
            if _materialized(self.project.nodes[origin]) in ("view", "ephemeral"):
                yield from self._topics_behind(origin, seen)
            else:
                yield origin

    def _end(self, node: Payload, database: tuple[str, str]) -> FlowEnd | None:
        topic = self._topic(node, database)
        return FlowEnd(name=topic) if topic else None


def _column(column: Payload) -> str:
    """Return the declaration of a column as the adapter writes it."""
    name, kind, expression = column.text("name"), column.text("data_type"), column.text("expression")
    match column.text("column_type"):
        case "metadata":
            source = f" FROM '{_quoted(expression)}'" if expression else ""
            return f"`{name}` {kind} METADATA{source}"
        case "computed":
            return f"`{name}` AS {expression}"
    return f"`{name}` {kind or 'STRING'}"


def _quoted(value: Json) -> str:
    return str(value).replace("'", "''")


# --- RisingWave and Materialize


@dataclass(slots=True)
class _Engine:
    """Reads models as the objects that they create in RisingWave or Materialize."""

    project: Project
    adapter: str

    def read(self) -> tuple[Any, ...]:
        project, settings = self.project, self.project.settings
        context = Context(
            source=settings.source, variables=Variables(), collector=Collector(source=settings.source), entries={}
        )
        tables: list[CatalogTable] = []
        for name, node in project.nodes.items():
            known = project.table(name, node) if project.name(name) else None
            if text := self._statement(node):
                before = len(context.tables)
                statements = statements_of(mask_statement(text, settings.files.secret_names))
                add_engine_objects(statements, self.adapter, _place(node), context, settings.namespace)
                context.tables[before:] = [_described(table, known) for table in context.tables[before:]]
            elif known is not None:
                tables.append(known)
        topics = sorted({declaration.name for declaration in context.collector.declarations.values()})
        found = (Topic(source=settings.source, name=TopicName(topic)) for topic in topics)
        unread = (
            UnreadFile(source=settings.source, name=place, kind=kind, reason=reason)
            for (place, kind), reason in sorted(context.unread.items())
        )
        return (*found, *context.tables, *tables, *context.links, *project.links(), *unread)

    def _statement(self, node: Payload) -> str:
        """Return the statement that creates the object of a node; empty for a source of dbt, and without SQL."""
        sql, kind = self.project.definition(node).rstrip(";"), _materialized(node)
        relation, config = node.text("relation_name"), node.object("config")
        if not sql or not relation or kind == "ephemeral":
            return ""
        if self.adapter == MATERIALIZE and kind in _COMMANDS:
            return sql if sql.upper().startswith("CREATE ") else f"{_COMMANDS[kind]} {relation} {sql}"
        if kind == "sink" and (connector := config.text("connector")):
            options = {"connector": connector, **config.object("connector_parameters").members()}
            origin = f"AS {sql}" if "select" in sql.lower() else f"FROM {sql}"
            return f"CREATE SINK {relation} {origin} WITH ({_settings(options)}){_encoding(config)}"
        if kind in _RAW:
            return sql
        # What a table holds is the result of its query, as with a view.
        return f"CREATE {'VIEW' if kind == 'view' else 'MATERIALIZED VIEW'} {relation} AS {sql}"


def _settings(options: Mapping[str, Json]) -> str:
    return ", ".join(f"{key} = '{_quoted(value)}'" for key, value in options.items())


def _encoding(config: Payload) -> str:
    form, encoding = config.text("data_format"), config.text("data_encode")
    parameters = config.object("format_parameters").members()
    return f" FORMAT {form} ENCODE {encoding} ({_settings(parameters)})" if form and encoding and parameters else ""


def _described(table: CatalogTable, known: CatalogTable | None) -> CatalogTable:
    """Return a table with what the project says of it."""
    if known is None:
        return table
    words = {key: value for key, value in known.parameters if key.startswith("dbt.") or key in ("tags", "materialized")}
    parameters = tuple(sorted({**words, **dict(table.parameters)}.items()))
    return replace(table, owner=known.owner, description=known.description, parameters=parameters)

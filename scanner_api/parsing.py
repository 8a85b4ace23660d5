"""Parsing one schema, subject, SQL text or connector configuration, without a dictionary and without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataflow_generator.connectors import Config, Connector, ConnectorFlow, ConnectorFlows, Dataset, Direction
from dataflow_generator.connectors import read_connector as flows_of
from dataflow_generator.connectors.columns import ColumnFlow, column_flows
from dataflow_generator.connectors.java_regex import pattern_problems
from dataflow_generator.connectors.model import DEFAULT_NAMESPACE
from dataflow_generator.sql.catalog import EMPTY_CATALOG
from dataflow_generator.sql.lexer import Dialect, guess_dialect
from dataflow_generator.sql.lineage import SqlColumn, SqlFlow, StatementFlows
from dataflow_generator.sql.reader import catalog_of, read_sql
from dataflow_generator.sql.relational.queries import DIALECTS as DATABASE_DIALECTS
from dataflow_generator.sql.relational.queries import read_database_query
from scanner_check.inputs.input_files import format_of
from scanner_extractor.formats import format_names, read_columns
from scanner_extractor.naming import Explanation, as_json
from scanner_extractor.naming import explain_subject as explain_subjects
from scanner_extractor.schemas.references import lookup_in
from scanner_extractor.systems import NAMING
from scanner_model.columns import ParsedSchema, parse_path
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import RecordName, broker_addresses
from scanner_model.plugins import REGISTRIES, plugins
from scanner_model.redaction import mask_config, mask_statement

__all__ = [
    "DATABASE_DIALECTS",
    "ColumnFlow",
    "ConnectorColumns",
    "ConnectorFlow",
    "ConnectorFlows",
    "Dataset",
    "Explanation",
    "SqlColumn",
    "SqlFlow",
    "StatementFlows",
    "connector_columns",
    "explain_subject",
    "parse_schema",
    "parse_sql",
    "read_connector",
    "registry_kinds",
    "schema_formats",
    "subject_documents",
]

_DIRECTIONS = {str(direction): direction for direction in (Direction.SOURCE, Direction.SINK)}


def schema_formats() -> tuple[str, ...]:
    """Return the names of the schema formats that can be parsed: ours, then those of plug-ins."""
    return format_names()


def registry_kinds() -> tuple[str, ...]:
    """Return the kinds of schema registry that can be read: ours, then those of plug-ins."""
    return (*NAMING, *sorted(plugins(REGISTRIES).keys() - NAMING.keys()))


def parse_schema(
    text: str,
    format: str | None = None,
    *,
    references: Mapping[str, str] | None = None,
    record: str | None = None,
    file: str = "",
) -> ParsedSchema:
    """Parse the columns of a schema: AVRO, JSON, PROTOBUF or JSON_PAYLOAD; None guesses from *file* and *text*.

    *references* are the texts behind reference names. *record* chooses one of several records or messages. What cannot
    be parsed is a problem of the result, not an exception; an unknown format gives no columns and a problem.

    >>> parsed = parse_schema('{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}')
    >>> [(column.name, column.type) for column in parsed.columns]
    [('id', 'long')]
    """
    name = (format or format_of(file, text)).upper()
    return read_columns(name, text, lookup_in(name, references or {}), RecordName(record) if record else None)


def parse_sql(
    text: str, dialect: str | None = None, *, catalog: str | None = None, catalog_file: str = "catalog"
) -> tuple[StatementFlows, ...]:
    """Parse every statement of ksqlDB or Flink SQL, or one view or query of a database: what it reads and writes.

    *dialect* is ksqldb or flink, None guesses which of them; or that of a database (DATABASE_DIALECTS). *catalog* has
    tables that are known beside the DDL in *text*, as SQL or JSON; *catalog_file* names it in errors. Secrets are
    masked first. What cannot be parsed is a problem of its statement. Raises InputInvalid for a catalog of another
    form, or of a database.

    >>> (statement,) = parse_sql("INSERT INTO paid SELECT id FROM orders", "flink")
    >>> statement.sources, statement.sinks
    (('orders',), ('paid',))
    """
    masked = mask_statement(text)
    if dialect in DATABASE_DIALECTS:
        if catalog is not None:
            raise InputInvalid("is for ksqlDB and Flink only", where="--catalog", hint="leave it out")
        return (read_database_query(masked, dialect),)
    ddl = "" if catalog is None or catalog.lstrip().startswith(("{", "[")) else mask_statement(catalog)
    chosen = Dialect(dialect) if dialect else guess_dialect(f"{ddl}\n{masked}")
    known = EMPTY_CATALOG if catalog is None else catalog_of(ddl or catalog, chosen, catalog_file)
    return read_sql(masked, chosen, known)


def read_connector(
    config: Mapping[str, Any],
    *,
    name: str = "",
    direction: str = "",
    topics: Sequence[str] = (),
    tables: Sequence[str] = (),
    broker: str | None = None,
) -> ConnectorFlows:
    """Read the datasets and flows of a Kafka Connect configuration.

    *direction* is source or sink, empty if it is unknown. *topics* exist and *tables* are in the database: patterns and
    regular expressions select among them. *broker* is one of the worker's cluster. What cannot be derived is a problem
    of the result.

    >>> flows = read_connector({"connector.class": "FileStreamSink", "topics": "orders", "file": "/tmp/orders.txt"})
    >>> [dataset.name for dataset in flows.inputs]
    ['orders']
    """
    return flows_of(_connector(config, name, direction, topics, tables, broker))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorColumns:
    """The flows of a connector, and of its columns.

    *unknown* are flows whose output columns cannot be derived. *problems* are patterns that could not be evaluated on
    the columns, beside the problems of *flows*.
    """

    flows: ConnectorFlows
    columns: tuple[ColumnFlow, ...]
    unknown: tuple[ConnectorFlow, ...]
    problems: tuple[Problem, ...]


def connector_columns(
    config: Mapping[str, Any],
    columns: Sequence[str] = (),
    *,
    name: str = "",
    direction: str = "",
    topics: Sequence[str] = (),
    tables: Sequence[str] = (),
    broker: str | None = None,
) -> ConnectorColumns:
    """Read a configuration as `read_connector` does, and where *columns*, paths in what it reads, come out.

    A source that reads a query has the columns of the query instead. Without any, no column flows are derived.

    >>> read = connector_columns({"connector.class": "FileStreamSink", "topics": "a", "file": "/b"}, ["id"])
    >>> [column.path for column in read.columns]
    [('id',)]
    """
    connector = _connector(config, name, direction, topics, tables, broker)
    flows = flows_of(connector)
    if not columns and flows.row is None:
        return ConnectorColumns(flows=flows, columns=(), unknown=(), problems=())
    with pattern_problems() as unevaluated:
        mapped, unknown = column_flows(connector.config, flows, [parse_path(column) for column in columns])
    reported = {problem.what for problem in flows.problems}
    problems = tuple(problem for problem in unevaluated.values() if problem.what not in reported)
    return ConnectorColumns(flows=flows, columns=mapped, unknown=unknown, problems=problems)


def explain_subject(
    subjects: Sequence[str],
    topics: Sequence[str] = (),
    *,
    record: str | None = None,
    strategies: Sequence[str] = (),
    mapping: Mapping[str, Sequence[str]] | None = None,
    registry: str = "confluent",
) -> tuple[Explanation, ...]:
    """Return which topic, and which side of it, each of *subjects* describes, and by which naming strategy.

    *topics* exist; empty: unknown, so that none is ruled out. *record* is the record's name in the schema, None if it
    is unknown. Without *strategies*, those of the kind of *registry* apply. *mapping* has declared topics by subject or
    record. Raises InputInvalid for an unknown strategy.

    >>> [explained.choice.chosen.topic for explained in explain_subject(["orders-value"])]
    ['orders']
    """
    return explain_subjects(subjects, topics, record, strategies, mapping, registry)


def subject_documents(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return *explanations* as JSON, with the members of `scanner explain subject --format json`."""
    return as_json(explanations)


def _connector(
    config: Mapping[str, Any],
    name: str,
    direction: str,
    topics: Sequence[str],
    tables: Sequence[str],
    broker: str | None,
) -> Connector:
    """Return a connector by its configuration, with secrets masked."""
    return Connector(
        name=name or str(config.get("name", "")),
        config=Config.of(mask_config(config)),
        direction=_DIRECTIONS.get(direction.lower()),
        active=tuple(dict.fromkeys(topics)) or None,
        known=tuple(sorted(set(topics))) or None,
        tables=tuple(dict.fromkeys(tables)) or None,
        namespace=f"kafka://{broker_addresses(broker)[0]}" if broker else DEFAULT_NAMESPACE,
    )

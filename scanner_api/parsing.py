"""Parsing one schema, SQL text or connector configuration, without a dictionary and without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow_generator.connectors import Config, Connector, ConnectorFlows, Direction
from dataflow_generator.connectors import read_connector as flows_of
from dataflow_generator.connectors.model import DEFAULT_NAMESPACE
from dataflow_generator.sql import EMPTY_CATALOG, Dialect, StatementFlows, guess_dialect, read_sql
from dataflow_generator.sql.catalog_file import catalog_of
from scanner_api.input_files import format_of
from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in
from scanner_model.columns import ParsedSchema
from scanner_model.names import RecordName, broker_addresses
from scanner_model.redaction import mask_config, mask_statement

_DIRECTIONS = {str(direction): direction for direction in (Direction.SOURCE, Direction.SINK)}


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
    be parsed is a problem of the result, not an exception; a format that nobody reads gives no columns and a problem.

    >>> parsed = parse_schema('{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}')
    >>> [(column.name, column.type) for column in parsed.columns]
    [('id', 'long')]
    """
    name = (format or format_of(file, text)).upper()
    return read_columns(name, text, lookup_in(name, references or {}), RecordName(record) if record else None)


def parse_sql(
    text: str, dialect: str | None = None, *, catalog: str | None = None, catalog_file: str = "catalog"
) -> tuple[StatementFlows, ...]:
    """Parse every statement of ksqlDB or Flink SQL: what it reads and writes, down to columns.

    *dialect* is ksqldb or flink, None guesses it. *catalog* has tables that are known beside the DDL in *text*, as SQL
    or JSON; *catalog_file* names it in errors. Secrets are masked first. What cannot be parsed is a problem of its
    statement. Raises InputInvalid for a catalog of another form.

    >>> (statement,) = parse_sql("INSERT INTO paid SELECT id FROM orders", "flink")
    >>> statement.sources, statement.sinks
    (('orders',), ('paid',))
    """
    masked = mask_statement(text)
    ddl = "" if catalog is None or catalog.lstrip().startswith(("{", "[")) else mask_statement(catalog)
    chosen = Dialect(dialect) if dialect else guess_dialect(f"{ddl}\n{masked}")
    known = EMPTY_CATALOG if catalog is None else catalog_of(ddl or catalog, chosen, catalog_file)
    return read_sql(masked, chosen, known)


def connector_of(
    config: Mapping[str, Any],
    *,
    name: str = "",
    direction: str = "",
    topics: Sequence[str] = (),
    tables: Sequence[str] = (),
    broker: str | None = None,
) -> Connector:
    """Return a connector by its configuration, with secrets masked; arguments as `read_connector`."""
    return Connector(
        name=name or str(config.get("name", "")),
        config=Config.of(mask_config(config)),
        direction=_DIRECTIONS.get(direction.lower()),
        active=tuple(dict.fromkeys(topics)) or None,
        known=tuple(sorted(set(topics))) or None,
        tables=tuple(dict.fromkeys(tables)) or None,
        namespace=f"kafka://{broker_addresses(broker)[0]}" if broker else DEFAULT_NAMESPACE,
    )


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
    return flows_of(connector_of(config, name=name, direction=direction, topics=topics, tables=tables, broker=broker))

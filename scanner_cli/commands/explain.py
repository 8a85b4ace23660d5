"""`scanner explain`: how one file or name is parsed, without a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.choices import SQL_DIALECTS, registry_kinds, schema_formats
from scanner_cli.command import command
from scanner_cli.console import echo, echo_err
from scanner_cli.lazy_group import Group
from scanner_cli.options import one_of, pairs, read_text
from scanner_cli.output.columns import column_rows, schema_document
from scanner_cli.output.connectors import (
    COLUMNS_SHOWN,
    CONNECTOR_COLUMNS,
    SQL_COLUMNS,
    connector_document,
    connector_rows,
    flow_rows,
    sql_document,
    sql_rows,
)
from scanner_cli.output.render import Format, format_option, narrow, show
from scanner_cli.usage_errors import Exit
from scanner_model.columns import ParsedSchema
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.parsing import ConnectorColumns, StatementFlows


@command()
@click.argument("file", metavar="FILE")
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="A topic that the connector uses; repeatable.")
@click.option("--table", "tables", multiple=True, metavar="NAME", help="A table of its database; repeatable.")
@click.option("--column", "columns", multiple=True, metavar="PATH", help="A column of what it reads; repeatable.")
@click.option("--broker", metavar="HOST:PORT", help="A broker of the worker's cluster; else localhost:9092.")
@format_option()
def connector(
    file: str, topics: Sequence[str], tables: Sequence[str], columns: Sequence[str], broker: str | None, style: str
) -> None:
    """Show datasets and flows of a connector's configuration (`-` for standard input).

    FILE is a request or response body of Connect's REST API, a bare configuration, or a .properties file. Topics that
    data or a pattern select are looked up among the topics named; what remains unknown is a problem, not a guess.

    \b
    Examples:
      scanner explain connector orders-to-lake.json
      scanner explain connector shop-cdc.properties --broker kafka-1:9092 --topic cdc.customers --topic cdc.orders
      scanner explain connector shop-cdc.json --column id --column name
      curl -s http://connect:8083/connectors/shop-cdc | scanner explain connector - --format json
    """
    described = library.connector_file(file, read_text(file, "configuration"))
    result = library.connector_columns(
        described.values,
        columns,
        name=described.name,
        direction=described.type,
        topics=topics,
        tables=tables,
        broker=broker,
    )
    _warn(result)
    document = connector_document(result.flows, result.columns)
    show(flow_rows(result.flows), CONNECTOR_COLUMNS, style, document=document)
    if style == Format.TABLE:
        _show_details(result)


def _warn(result: ConnectorColumns) -> None:
    for problem in result.problems:
        echo_err(f"warning: {problem}")
    for flow in result.unknown:
        echo_err(f"warning: {flow.because or 'transforms'}: the output columns are unknown")


def _show_details(result: ConnectorColumns) -> None:
    if result.columns:
        click.echo()
        show(connector_rows(result.columns), COLUMNS_SHOWN, Format.TABLE)
    for problem in result.flows.problems:
        echo_err(f"warning: {problem}")


@command()
@click.argument("file", metavar="FILE")
@one_of("--dialect", "named", words=SQL_DIALECTS, text="The SQL dialect; by default ksqlDB's or Flink's is detected.")
@click.option("--catalog", metavar="FILE", help="Tables that are known in addition to the DDL in FILE, as SQL or JSON.")
@format_option()
def sql(file: str, named: str | None, catalog: str | None, style: str) -> int:
    """Show what each statement of a SQL file reads and writes, down to columns (`-` for standard input).

    In the dialect of a database the file has one view or query.

    \b
    Examples:
      scanner explain sql pipeline.sql
      scanner explain sql queries.ksql --dialect ksqldb --format json
      scanner explain sql view.sql --dialect postgres
      scanner explain sql insert.sql --catalog tables.sql
      scanner explain sql insert.sql --catalog tables.json

    \b
    Exit status: 0 also where a part could not be parsed, which is reported as a problem;
    2 no statement could be parsed, or a file cannot be opened.
    """
    tables = read_text(catalog, "catalog") if catalog else None
    statements = library.parse_sql(read_text(file, "SQL"), named, catalog=tables, catalog_file=catalog or "")
    show(list(sql_rows(statements)), SQL_COLUMNS, style, document=[sql_document(statement) for statement in statements])
    for statement in statements if style != Format.JSON else ():
        for problem in (*statement.problems, *statement.unresolved):
            echo_err(f"warning: {file}:{problem}")
    return _sql_status(statements)


def _sql_status(statements: Sequence[StatementFlows]) -> Exit:
    unparsed = [flows for flows in statements if flows.problems and not flows.sources and not flows.sinks]
    return Exit.INPUT_INVALID if statements and len(unparsed) == len(statements) else Exit.DONE


_SCHEMA = BY_NAME["topic_schemas"]
_SUBJECT = ("subject", "context", "topic", "role", "strategy", "ambiguous", "also_possible")


@click.group(cls=Group)
def explain() -> None:
    """Explain how one file or name is parsed, without a dictionary.

    \b
    Examples:
      scanner explain schema order.avsc
      scanner explain subject orders-value
      scanner explain connector orders-to-lake.json
      scanner explain sql pipeline.sql
    """


explain.add_command(connector)
explain.add_command(sql)


@explain.command()
@click.argument("file", metavar="FILE")
@one_of(
    "--type",
    "kind",
    words=schema_formats(),
    text="The schema's format; by default detected from the file's name and text.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME=FILE",
    help="The text behind a reference; repeatable.",
)
@click.option("--record", metavar="NAME", help="Which of several records or messages to read; else the first.")
@format_option()
def schema(file: str, kind: str | None, references: Sequence[str], record: str | None, style: str) -> int:
    """Show the columns of a schema file (`-` for standard input).

    \b
    Examples:
      scanner explain schema order.avsc
      scanner explain schema order.proto --reference money.proto=protos/money.proto
      scanner explain schema customer.schema.json --format json
      curl -s http://registry:8081/schemas/ids/17/schema | scanner explain schema -

    \b
    Exit status: 0 also where a part could not be parsed, which is reported as a problem,
    and for a valid schema without columns (a .proto that only extends others);
    2 no column could be parsed, because the file is not a schema, or cannot be opened.
    """
    text = read_text(file)
    texts = {name: read_text(path) for name, path in pairs(references, "--reference", "NAME=FILE")}
    text, guessed = (text, kind) if kind else library.schema_in(file, text)
    name = guessed.upper()
    parsed = library.parse_schema(text, name, references=texts, record=record)
    rows = column_rows(parsed.columns)
    show(rows, narrow(_SCHEMA.shown, rows, style, _SCHEMA.optional), style, document=schema_document(name, parsed))
    for problem in parsed.problems if style != Format.JSON else ():
        echo_err(f"{'warning' if parsed.columns or parsed.empty else 'error'}: {file}: {problem}")
    return _status(parsed)


@explain.command()
@click.argument("subjects", nargs=-1, required=True, metavar="SUBJECT…")
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="A topic that exists; repeatable.")
@click.option("--record", metavar="NAME", help="The record name in the schema.")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME|regex:PATTERN",
    help="A naming strategy; repeatable, in order of preference.",
)
@click.option(
    "--map", "mapped", multiple=True, metavar="SUBJECT=TOPIC", help="A subject's topic, declared; repeatable."
)
@one_of(
    "--registry",
    "kind",
    words=registry_kinds(),
    text="The kind of registry: it decides how a name is parsed.",
    default="confluent",
    show_default=True,
)
@format_option()
def subject(
    subjects: Sequence[str],
    topics: Sequence[str],
    record: str | None,
    strategies: Sequence[str],
    mapped: Sequence[str],
    kind: str,
    style: str,
) -> None:
    """Show which topic, and which side of it, a subject describes, and by which strategy.

    \b
    Examples:
      scanner explain subject orders-value
      scanner explain subject orders-value orders.RETRY-value --topic orders --topic orders.RETRY
      scanner explain subject com.acme.Payment --strategy record --map com.acme.Payment=payments
      scanner explain subject eu.orders.v1 --strategy 'regex:(?P<topic>.+)-v[0-9]+'
    """
    mapping: dict[str, list[str]] = {}
    for name, topic in pairs(mapped, "--map", "SUBJECT=TOPIC"):
        mapping.setdefault(name, []).append(topic)
    explained = library.explain_subject(
        subjects, topics, record=record, strategies=strategies, mapping=mapping, registry=kind
    )
    document = library.subject_documents(explained)
    show([row for members in document for row in _rows(members)], _SUBJECT, style, document=document)
    for members in document if style != Format.JSON else ():
        for problem in members["problems"]:
            echo_err(f"warning: {members['subject']}: {problem}")


def _rows(subject: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each topic that the subject is bound to, or one without a topic."""
    others = [candidate for candidate in subject["candidates"] if candidate not in subject["bound"]]
    possible = [f"{other['topic']} {other['role']} by {other['strategy']}" for other in others]
    return [subject | bound | {"also_possible": possible} for bound in subject["bound"] or [{}]]


def _status(parsed: ParsedSchema) -> Exit:
    readable = parsed.columns or parsed.empty or not parsed.problems
    return Exit.DONE if readable else Exit.INPUT_INVALID


@explain.command()
@click.argument("name", metavar="RULE")
def rule(name: str) -> None:
    """Print the page of a rule of `scanner check` or `scanner validate`.

    \b
    Examples:
      scanner explain rule column-removed
      scanner explain rule failed-connector
    """
    if name not in library.PAGES:
        hint = closest_match(name, list(library.PAGES)) or "`scanner validate --help` and docs/rules list them"
        raise InputInvalid(f"{name!r} is not a rule", where="scanner explain rule", hint=hint)
    echo(library.rule_page(name), end="")

"""`scanner query`: the lineage platform's question, broker and topic to schemas and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scanner_cli.documents import column_document
from scanner_cli.options import dictionary_option, reading
from scanner_cli.show import Format, csv_text, format_option, json_text, table_text

if TYPE_CHECKING:
    from scanner_dictionary.queries import SchemaAnswer

Json = Any
_COLUMNS = ("name", "type", "logical_type", "nullable", "default", "tags", "doc")
_HEADER = ("cluster", "topic", "role", "subject", "version", "schema_id", "format")


@click.command()
@click.option("--broker", required=True, metavar="HOST:PORT", help="Any broker of the cluster, or a comma list.")
@click.option("--topic", required=True, metavar="NAME")
@click.option("--schema-id", metavar="N", help="Exactly this schema.")
@click.option("--subject", metavar="NAME", help="This subject; the newest version if none is named.")
@click.option("--version", metavar="V", help="This version of the subject, or `latest`.")
@dictionary_option
@format_option()
def query(
    broker: str, topic: str, schema_id: str | None, subject: str | None, version: str | None, url: str, style: str
) -> None:
    """Show the schemas of a topic and their columns.

    \b
    Examples:
      scanner query --broker kafka-1:9092 --topic orders
      scanner query --broker kafka-1 --topic orders --subject orders-value --version 2 --format json
      scanner query --broker SASL_SSL://KAFKA-2:9092 --topic orders --schema-id 17

    \b
    Exit status 4: the broker, topic, schema, subject or version is not known.
    """
    from scanner_dictionary.queries import schemas_of

    with reading(url) as conn:
        answers = schemas_of(conn, broker, topic, schema_id=schema_id, subject=subject, version=_version(version))
    match Format(style):
        case Format.JSON:
            click.echo(json_text([answer_document(answer) for answer in answers]))
        case Format.CSV:
            rows = [{**_head(a), **column_document(c), "column": c.name} for a in answers for c in a.columns]
            click.echo(csv_text(rows, (*_HEADER, "column", *_COLUMNS[1:])), nl=False)
        case Format.TABLE:
            click.echo("\n".join(map(_table, answers)), nl=False)


def answer_document(answer: SchemaAnswer) -> dict[str, Json]:
    """Give one schema of a topic, with where it comes from and its columns."""
    return _head(answer) | {"columns": [column_document(column) for column in answer.columns]}


def _head(answer: SchemaAnswer) -> dict[str, Json]:
    return {
        "cluster": answer.cluster,
        "topic": answer.topic,
        "role": answer.role,
        "subject": answer.subject or None,
        "version": answer.version,
        "schema_id": _number(answer.schema_id),
        "format": answer.format,
        "name": answer.name,
        "strategy": answer.strategy,
        "evidence": answer.evidence,
        "confidence": answer.confidence,
        "deleted": answer.deleted,
        "stale": answer.stale,
    }


def _table(answer: SchemaAnswer) -> str:
    of = f" {answer.subject} version {answer.version}, id {answer.schema_id}," if answer.subject else ""
    marks = "".join(f" [{mark}]" for mark in ("stale", "deleted") if getattr(answer, mark))
    head = f"{answer.topic} {answer.role}:{of} {answer.format} {answer.name}".rstrip()
    why = f"{answer.confidence}: {answer.evidence}"
    return f"{head}{marks}\n{why}\n" + table_text([column_document(column) for column in answer.columns], _COLUMNS)


def _number(schema_id: str | None) -> int | str | None:
    # Most registries number their schemas; some name them with UUIDs.
    return int(schema_id) if schema_id and schema_id.isdecimal() else schema_id or None


def _version(text: str | None) -> int | str | None:
    return int(text) if text and text.lstrip("-").isdecimal() else text

"""`scanner query`: the lineage platform's question, broker and topic to schemas and columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.column_rows import SHOWN, column_rows
from scanner_cli.documents import column_document
from scanner_cli.options import dictionary_option, reading
from scanner_cli.show import Format, csv_text, format_option, json_text, table_text
from scanner_cli.telling import put, say
from scanner_model.errors import InputInvalid
from scanner_model.schemas import qualified_subject
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_dictionary.queries import SchemaAnswer

Json = Any
_HEAD = ("cluster", "topic", "role", "context", "subject", "version", "schema_id", "format")
_CSV = (*_HEAD, "column", *SHOWN[1:], "stale", "deleted", "gone")
_VERSION = re.compile(r"^(?:latest|-1|\d{1,18})$")


@click.command()
@click.option("--broker", required=True, metavar="HOST:PORT", help="Any broker of the cluster, or a comma list.")
@click.option("--topic", required=True, metavar="NAME", help="The topic's exact name.")
@click.option("--schema-id", metavar="N", help="Exactly this schema.")
@click.option("--subject", metavar="NAME", help="This subject: its newest version, if none is named.")
@click.option("--version", metavar="V", help="This version: a number, or `latest`.")
@dictionary_option
@format_option()
def query(
    broker: str, topic: str, schema_id: str | None, subject: str | None, version: str | None, url: str, style: str
) -> None:
    """Show the schemas of a topic and their columns.

    Without more, every current schema of the topic, key and value. `stale`: its source could not be asked since;
    `deleted`: the registry keeps the version as deleted; `gone`: it is not there any more.

    \b
    Examples:
      scanner query --broker kafka-1:9092 --topic orders
      scanner query --broker kafka-1 --topic orders --subject orders-value --version 2 --format json
      scanner query --broker SASL_SSL://KAFKA-2:9092 --topic orders --schema-id 17

    \b
    Exit status: 0 also where a known topic has no schema: the answer is empty;
    4 the broker, topic, schema, subject or version is not known.
    """
    from scanner_dictionary.queries import schemas_of

    number = _version(version)
    with reading(url) as conn:
        answers = schemas_of(conn, broker, topic, schema_id=schema_id, subject=subject, version=number)
    if not answers:
        say(f"note: no schema describes the topic {topic!r}")
    match Format(style):
        case Format.JSON:
            put(json_text([answer_document(answer) for answer in answers]))
        case Format.CSV:
            rows = [_head(a) | row | {"column": row["name"]} for a in answers for row in column_rows(a.columns)]
            put(csv_text(rows, _CSV), end="")
        case Format.TABLE:
            put("\n".join(map(_table, answers)), end="")


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
        "registry": answer.registry or None,
        "context": answer.context,
        "strategy": answer.strategy,
        "evidence": answer.evidence,
        "confidence": answer.confidence,
        "current": answer.current,
        "stale": answer.stale,
        "deleted": answer.deleted,
        "gone": answer.gone,
        "tags": list(answer.tags),
        "owner": answer.owner or None,
    }


def _table(answer: SchemaAnswer) -> str:
    subject = qualified_subject(answer.context, answer.subject) if answer.subject else ""
    of = f" {subject} version {answer.version}, id {answer.schema_id}," if subject else ""
    marks = "".join(f" [{mark}]" for mark in ("stale", "deleted", "gone") if getattr(answer, mark))
    head = f"{answer.topic} {answer.role}:{of} {answer.format} {answer.name}".rstrip()
    why = f"{answer.confidence}: {answer.evidence}"
    whose = " ".join([*([f"owner {answer.owner}"] if answer.owner else []), *(f"#{tag}" for tag in answer.tags)])
    lines = [f"{head}{marks}", why, *([whose] if whose else [])]
    return "".join(f"{visible(line)}\n" for line in lines) + table_text(column_rows(answer.columns), SHOWN)


def _number(schema_id: str | None) -> int | str | None:
    # Most registries number their schemas; some name them with UUIDs.
    return int(schema_id) if schema_id and schema_id.isdecimal() else schema_id or None


def _version(text: str | None) -> int | str | None:
    if text is not None and not _VERSION.match(text):
        raise InputInvalid(f"{text!r} is not a version", where="--version", hint="write a number or `latest`")
    return text if text in (None, "latest") else int(text)

"""`scanner query`: the schemas and columns of a topic, by broker and topic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.console import echo, echo_err
from scanner_cli.options import dictionary_option
from scanner_cli.output.columns import RARE, SHOWN, column_rows
from scanner_cli.output.render import Format, csv_text, format_option, json_text, narrow, show_table
from scanner_model.errors import InputInvalid
from scanner_model.schemas import qualified_subject
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.questions.topics import SchemaAnswer, SchemaIdRow

_HEAD = ("cluster", "topic", "role", "context", "subject", "version", "schema_id", "format")
_CSV = (*_HEAD, "column", *SHOWN[1:], "found_tags", "stale", "deleted", "gone")
_NO_ID = "none in the newest records"
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
    broker: str,
    topic: str,
    schema_id: str | None,
    subject: str | None,
    version: str | None,
    dictionary: Dictionary,
    style: str,
) -> None:
    """Show the schemas of a topic and their columns.

    Without further options, every current schema of the topic, key and value. `stale`: its source could not be read
    since; `deleted`: the registry retains the version as deleted; `gone`: its source no longer has it.

    \b
    Examples:
      scanner query --broker kafka-1:9092 --topic orders
      scanner query --broker kafka-1 --topic orders --subject orders-value --version 2 --format json
      scanner query --broker SASL_SSL://KAFKA-2:9092 --topic orders --schema-id 17

    \b
    Exit status: 0 also where a known topic has no schema: the answer is empty;
    4 the broker, topic, schema, subject or version is not known.
    """
    number = _version(version)
    answers = library.topic_schemas(
        dictionary, topic=topic, cluster=broker, schema_id=schema_id, subject=subject, version=number
    )
    if not answers:
        echo_err(f"note: no schema describes the topic {topic!r}")
        for row in library.describe_topic(dictionary, topic=topic, cluster=broker).schema_ids or ():
            echo_err(f"note: its newest records: {_shown(row)}")
    match Format(style):
        case Format.JSON:
            echo(json_text(library.document(answers.items)))
        case Format.CSV:
            rows = [
                library.document(a) | row | {"column": row["name"]}
                for a in answers
                for row in column_rows(a.columns, a.found_tags)
            ]
            echo(csv_text(rows, _CSV), end="")
        case Format.TABLE:
            for at, answer in enumerate(answers):
                echo(_head(answer) if at == 0 else f"\n{_head(answer)}", end="")
                listed = column_rows(answer.columns, answer.found_tags)
                show_table(listed, narrow((*SHOWN, "found_tags"), listed, Format.TABLE, RARE))


def _shown(row: SchemaIdRow) -> str:
    """Return what the newest records show about schemas, in words."""
    what = {"none": "no schema id", "null": f"no {row.role}", "empty": "there is none"}.get(row.answer, row.answer)
    named = f"{what} {row.identifier}".rstrip() + (f", {row.detail}" if row.detail else "")
    return f"{row.role}: {named} in {row.records} records" if row.role else named


def _head(answer: SchemaAnswer) -> str:
    subject = qualified_subject(answer.context, answer.subject) if answer.subject else ""
    of = f" {subject} version {answer.version}, id {answer.schema_id}," if subject else ""
    marks = "".join(f" [{mark}]" for mark in ("stale", "deleted", "gone") if getattr(answer, mark))
    head = f"{answer.topic} {answer.role}:{of} {answer.format} {answer.name}".rstrip()
    why = f"{answer.confidence}: {answer.evidence}"
    owner = [f"owner {answer.owner}"] if answer.owner else []
    owner_and_tags = " ".join([*owner, *(f"#{tag}" for tag in answer.tags)])
    record = [f"record tags: {', '.join(answer.record_tags)}"] if answer.record_tags else []
    used = [] if answer.in_use is None else [f"versions in use: {', '.join(map(str, answer.in_use)) or _NO_ID}"]
    lines = [f"{head}{marks}", why, *used, *([owner_and_tags] if owner_and_tags else []), *record]
    return "".join(f"{visible(line)}\n" for line in lines)


def _version(text: str | None) -> int | str | None:
    if text is not None and not _VERSION.match(text):
        raise InputInvalid(f"{text!r} is not a version", where="--version", hint="write a number or `latest`")
    return text if text in (None, "latest") else int(text)

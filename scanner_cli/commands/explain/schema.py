"""`scanner explain`: how one file or name is parsed, without a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from scanner_api.input_files import format_of
from scanner_api.parsing import parse_schema
from scanner_cli.commands.explain.connector import connector
from scanner_cli.commands.explain.sql import sql
from scanner_cli.console import echo_err
from scanner_cli.exit_codes import Exit
from scanner_cli.input_files import read_text
from scanner_cli.lazy_group import Group
from scanner_cli.options import one_of, pairs
from scanner_cli.output.columns import SHOWN, column_rows, schema_document
from scanner_cli.output.render import Format, format_option, show
from scanner_extractor.naming import as_json, explain_subject
from scanner_model.columns import ParsedSchema
from scanner_model.plugins import REGISTRIES, SCHEMA_FORMATS, plugins

_FORMATS = ("avro", "json", "protobuf", "json_payload", *sorted(map(str.lower, plugins(SCHEMA_FORMATS))))
_REGISTRIES = ("confluent", "karapace", "apicurio", "cloudera", "glue", *sorted(plugins(REGISTRIES)))
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
    "--type", "kind", words=_FORMATS, text="The schema's format; by default detected from the file's name and text."
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
    name = (kind or format_of(file, text)).upper()
    parsed = parse_schema(text, name, references=texts, record=record)
    show(column_rows(parsed.columns), SHOWN, style, document=schema_document(name, parsed))
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
    words=_REGISTRIES,
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
    document = as_json(explain_subject(subjects, topics, record, strategies, mapping, kind))
    show([row for explained in document for row in _rows(explained)], _SUBJECT, style, document=document)
    for explained in document if style != Format.JSON else ():
        for problem in explained["problems"]:
            echo_err(f"warning: {explained['subject']}: {problem}")


def _rows(subject: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each topic that the subject is bound to, or one without a topic."""
    others = [candidate for candidate in subject["candidates"] if candidate not in subject["bound"]]
    possible = [f"{other['topic']} {other['role']} by {other['strategy']}" for other in others]
    return [subject | bound | {"also_possible": possible} for bound in subject["bound"] or [{}]]


def _status(parsed: ParsedSchema) -> Exit:
    readable = parsed.columns or parsed.empty or not parsed.problems
    return Exit.DONE if readable else Exit.INPUT_INVALID

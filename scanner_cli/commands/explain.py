"""`scanner explain`: what our readers and strategies make of one file or name, without a dictionary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import click

from scanner_cli.documents import column_document, schema_document
from scanner_cli.show import Format, format_option, json_text, show, table_text
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName

_BY_ENDING = {
    ".avsc": "AVRO",
    ".avro": "AVRO",
    ".proto": "PROTOBUF",
    ".ndjson": "JSON_PAYLOAD",
    ".jsonl": "JSON_PAYLOAD",
}
_PROTO = re.compile(r"^\s*(?:syntax|edition|package|import|message|enum|option)\b", re.MULTILINE)
_AVRO_TYPES = "record|error|enum|fixed|array|map|null|boolean|int|long|float|double|bytes|string"
_AVRO = re.compile(rf'"type"\s*:\s*"(?:record|error|enum|fixed)"|^\s*"?(?:{_AVRO_TYPES})"?\s*$|^\s*\[')
_JSON_SCHEMA = re.compile(r'"(?:\$schema|properties|\$ref|\$defs|definitions|oneOf|anyOf|allOf)"\s*:')


@click.group()
def explain() -> None:
    """Tell why: what is read from one file or name, without a dictionary."""


@explain.command()
@click.argument("file", type=click.File("rb"))
@click.option(
    "--type",
    "kind",
    type=click.Choice(["avro", "json", "protobuf", "json_payload"]),
    help="The schema's format; told from the file's ending and text if left out.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME=FILE",
    help="The text behind a reference; may be repeated.",
)
@click.option("--record", help="Which of several records or messages to read; the first if left out.")
@format_option(Format.TABLE, Format.JSON, Format.CSV)
def schema(file: BinaryIO, kind: str | None, references: Sequence[str], record: str | None, style: str) -> None:
    """Show the columns that we read from a schema file (`-` for standard input).

    \b
    Examples:
      scanner explain schema order.avsc
      scanner explain schema order.proto --reference money.proto=protos/money.proto
      scanner explain schema customer.schema.json --format json
    """
    from scanner_extractor.formats import read_columns

    text = _text(file.read(), file.name)
    name = (kind or _format_of(file.name, text)).upper()
    parsed = read_columns(name, text, _references(references).get, RecordName(record) if record else None)
    columns = [column_document(column) for column in parsed.columns]
    shown = ("name", "type", "logical_type", "nullable", "default", "tags", "doc")
    show(columns, shown, style, document=schema_document(name, parsed))
    for problem in parsed.problems:
        click.echo(f"warning: {problem}", err=True)


@explain.command()
@click.argument("subjects", nargs=-1, required=True)
@click.option("--topic", "topics", multiple=True, help="A topic that exists; may be repeated.")
@click.option("--record", help="The record name that stands in the schema.")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME|regex:PATTERN",
    help="A naming strategy; may be repeated, in order of preference.",
)
@click.option(
    "--map", "mapped", multiple=True, metavar="SUBJECT=TOPIC", help="A subject's topic, declared; may be repeated."
)
@click.option(
    "--registry",
    "kind",
    type=click.Choice(["confluent", "karapace", "apicurio", "cloudera", "glue"]),
    default="confluent",
    show_default=True,
    help="The kind of registry: it decides how a name is read.",
)
@format_option(Format.TABLE, Format.JSON)
def subject(
    subjects: Sequence[str],
    topics: Sequence[str],
    record: str | None,
    strategies: Sequence[str],
    mapped: Sequence[str],
    kind: str,
    style: str,
) -> None:
    """Show which topic, and which side of it, a subject describes, and by which rule.

    \b
    Examples:
      scanner explain subject orders-value
      scanner explain subject orders-value orders.RETRY-value --topic orders --topic orders.RETRY
      scanner explain subject com.acme.Payment --strategy record --map com.acme.Payment=payments
      scanner explain subject eu.orders.v1 --strategy 'regex:(?P<topic>.+)-v[0-9]+'
    """
    from scanner_extractor.naming import as_json, explain_subject

    mapping: dict[str, list[str]] = {}
    for name, topic in (_pair(text, "--map", "SUBJECT=TOPIC") for text in mapped):
        mapping.setdefault(name, []).append(topic)
    rows = as_json(explain_subject(subjects, topics, record, strategies, mapping, kind))
    if style == Format.JSON:
        click.echo(json_text(rows))
    else:
        click.echo(
            table_text([_flat(row) for row in rows], ("subject", "topic", "role", "strategy", "ambiguous")), nl=False
        )


def _flat(row: dict[str, object]) -> dict[str, object]:
    chosen = row["chosen"]
    return row | (chosen if isinstance(chosen, dict) else {})


def _text(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=name, hint="save the schema as UTF-8") from error


def _references(pairs: Sequence[str]) -> dict[str, str]:
    texts = {}
    for name, file in (_pair(text, "--reference", "NAME=FILE") for text in pairs):
        try:
            texts[name] = _text(Path(file).read_bytes(), file)
        except OSError as error:
            raise InputInvalid(error.strerror or str(error), where=f"--reference {name}={file}") from error
    return texts


def _pair(text: str, option: str, shape: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not (name and equals and value):
        raise InputInvalid(f"{text!r} is not {shape}", where=option, hint=f"write {option} {shape}")
    return name, value


def _format_of(name: str, text: str) -> str:
    ending = Path(name).suffix.lower()
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    if not text.lstrip().startswith(("{", "[", '"')) and _PROTO.search(text):
        return "PROTOBUF"
    return "AVRO" if _AVRO.search(text) and not _JSON_SCHEMA.search(text) else "JSON"

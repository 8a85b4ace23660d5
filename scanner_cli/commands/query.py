"""`scanner query`: the schemas and columns of a topic, by broker and topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo, echo_err
from scanner_cli.options import dictionary_option
from scanner_cli.output.columns import column_rows
from scanner_cli.output.render import Format, csv_text, format_option, json_text, narrow, show_table
from scanner_cli.output.terminal import terminal_width
from scanner_cli.questions import help_text, question_options
from scanner_model.columns import Column, path_name
from scanner_model.errors import InputInvalid
from scanner_model.schemas import qualified_subject
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.questions.topic_schemas import SchemaAnswer
    from scanner_api.questions.topics import SchemaIdRow

_HEAD = ("cluster", "topic", "role", "context", "subject", "version", "schema_id", "format")
_QUESTION = BY_NAME["topic_schemas"]
_CSV = (*_HEAD, "column", *_QUESTION.shown[1:], "stale", "deleted", "gone")
_NO_ID = "none in the newest records"
_VERSION = re.compile(r"^(?:latest|-1|\d{1,18})$")


@command(help=help_text(_QUESTION))
@click.argument("topic", metavar="TOPIC", required=False)
@click.option("--topic", "named", metavar="NAME", help="The same as TOPIC.")
@click.option("--broker", "--cluster", "cluster", metavar="HOST:PORT", help="Any broker of the cluster, or its name.")
@question_options("topic_schemas", without=("topic", "cluster"))
@dictionary_option
@format_option()
def query(
    topic: str | None,
    named: str | None,
    version: str | None,
    dictionary: Dictionary,
    style: str,
    **others: Any,  # noqa: ANN401 - of the question
) -> None:
    """Show the schemas of a topic."""
    topic = topic or named
    if not topic:
        raise InputInvalid("TOPIC is missing", where="scanner query", hint="`scanner topics` lists the topics")
    answers = library.topic_schemas(dictionary, topic=topic, version=_version(version), **others)
    if not answers:
        echo_err(f"note: no schema describes the topic {topic!r}")
        for row in library.describe_topic(dictionary, topic=topic, cluster=others["cluster"]).schema_ids or ():
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
                if terminal_width() is not None:  # in a pipe each line keeps its whole name
                    listed = _indented(answer.columns, listed)
                show_table(listed, narrow(_QUESTION.shown, listed, Format.TABLE, _QUESTION.optional))


def _indented(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return *rows* with the last name of each nested column, indented below the record that has it."""
    return [
        row | {"name": "  " * (len(column.path) - 1) + path_name(column.path[-1:])} if len(column.path) > 1 else row
        for column, row in zip(columns, rows, strict=True)
    ]


def _shown(row: SchemaIdRow) -> str:
    """Return what the newest records show about schemas, in words."""
    what = {"none": "no schema id", "null": f"no {row.role}", "empty": "the topic is empty"}.get(row.answer, row.answer)
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

"""How answers look: aligned tables for people, JSON and CSV for programs; stable order, on stdout, and nothing else."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import click

Json = Any
Command = TypeVar("Command", bound=Callable[..., Any])


class Format(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def format_option(*formats: Format) -> Callable[[Command], Command]:
    """Give a command the option `--format`, a table where it is not said."""
    choice = click.Choice([str(one) for one in formats or Format])
    return click.option("--format", "style", type=choice, default="table", show_default=True, help="How to answer.")


def show(rows: Sequence[Mapping[str, Json]], columns: Sequence[str], style: str, *, document: Json = None) -> None:
    """Write *rows* to stdout: *columns* of them as a table or CSV; as JSON the *document*, or else the rows whole."""
    match Format(style):
        case Format.JSON:
            click.echo(json_text(rows if document is None else document))
        case Format.CSV:
            click.echo(csv_text(rows, columns), nl=False)
        case Format.TABLE:
            click.echo(table_text(rows, columns), nl=False)


def json_text(document: Json) -> str:
    """Write *document* as JSON for programs and people: two spaces, members in their order, every character itself."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def csv_text(rows: Sequence[Mapping[str, Json]], columns: Sequence[str]) -> str:
    """Write *columns* of *rows* as CSV with a heading."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def table_text(rows: Sequence[Mapping[str, Json]], columns: Sequence[str]) -> str:
    """Write *columns* of *rows* in aligned columns; nothing is cut, whatever the terminal's width."""
    cells = [[_line(cell(row.get(column))) for column in columns] for row in rows]
    headings = [column.replace("_", " ").upper() for column in columns]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in [headings, *cells]
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def cell(value: Json) -> str:
    """Write one value for people: nothing for an absent one, `yes` for a true one."""
    match value:
        case None | False:
            return ""
        case True:
            return "yes"
        case str():
            return value
        case list() | tuple():
            return ", ".join(map(cell, value))
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def _line(text: str) -> str:
    # A control character of a name or a doc must not move the reader's cursor.
    return "".join(character if character.isprintable() else " " for character in text)

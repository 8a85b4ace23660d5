"""Output formats: aligned tables for people, JSON and CSV for programs; stable order, only on stdout."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click

from scanner_cli.console import echo
from scanner_cli.options import one_of
from scanner_cli.output.terminal import aligned, has_colours, terminal_width
from scanner_model.documents import FORMAT_VERSION
from scanner_model.text import csv_row, visible, visible_json

Json = Any
Row = Mapping[str, Json]
Command = TypeVar("Command", bound=Callable[..., Any])

STDOUT = Path("-")
"""What stands for standard output as a path."""

_LONGEST = 80
"""Characters of a name that a table shows at most."""

_PLAIN: tuple[Json, ...] = (None, False, (), [], "", ".")


class Format(StrEnum):
    """The format of the output."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def format_option(*formats: Format) -> Callable[[Command], Command]:
    """Add the option `--format` to a command, a table by default."""
    words = [str(name) for name in formats or Format]
    text = "The output format: a table for people, the others for programs."
    return one_of("--format", "style", words=words, text=text, default="table", show_default=True)


def show(rows: Sequence[Row], columns: Sequence[str], style: str, *, document: Json = None) -> None:
    """Write *rows* to stdout: *columns* of them as a table or CSV; as JSON the *document*, or else the rows whole."""
    match Format(style):
        case Format.JSON:
            echo(json_text(rows if document is None else document))
        case Format.CSV:
            echo(csv_text(rows, columns), end="")
        case Format.TABLE:
            show_table(rows, columns)


def narrow(columns: tuple[str, ...], rows: Sequence[Row], style: str, marks: Collection[str]) -> tuple[str, ...]:
    """Return *columns* without the *marks* that no row has, so that a table stays narrow; programs get every column."""
    if style != Format.TABLE:
        return columns
    return tuple(name for name in columns if name not in marks or any(row[name] not in _PLAIN for row in rows))


def json_text(document: Json) -> str:
    """Write *document* as JSON for programs and people; an object gets `format_version` as its first member.

    What has a format of its own, such as a JSON Schema, is written with `visible_json` instead.
    """
    return visible_json({"format_version": FORMAT_VERSION} | document if isinstance(document, dict) else document)


def csv_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Write *columns* of *rows* as CSV with a header; true and false are words, an absent value is empty."""
    lines = (csv_row(_csv_cell(row.get(column)) for column in columns) for row in rows)
    return "".join([csv_row(columns), *lines])


def show_table(rows: Sequence[Row], columns: Sequence[str]) -> None:
    """Write *columns* of *rows* to stdout as a table: on a terminal as wide as it is, and in colours."""
    text = aligned(_lines(rows, columns), terminal_width(), colours=has_colours())
    click.echo(text, nl=False)  # control characters in cells are escaped already


def table_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Write *columns* of *rows* in aligned columns; nothing is cut, whatever the terminal's width."""
    return aligned(_lines(rows, columns), None)


def _lines(rows: Sequence[Row], columns: Sequence[str]) -> list[list[str]]:
    cells = [[visible(cell(row.get(column))) for column in columns] for row in rows]
    return [[column.replace("_", " ").upper() for column in columns], *cells]


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending integers as ranges: `1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def shorten(name: str) -> str:
    """Return *name* for a table: only its two ends if it is longer than names that people choose."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 25]}…{name[-24:]}"


def cell(value: Json) -> str:
    """Write one value for people: nothing for an absent or false one, `yes` for a true one."""
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


def _csv_cell(value: Json) -> str | float:
    return value if isinstance(value, int | float) else cell(value)

"""Cells of tables that differ from the members of the documents: what is too long, too deep or unnamed for a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scanner_cli.output.columns import ROOT, found_tag
from scanner_cli.output.render import Format, ranges, shorten
from scanner_model.columns import path_name

Row = Mapping[str, Any]
_WIDEST = 80


def _column(row: Row, _: str) -> Row:
    return {"name": row["name"] or ROOT, "found_tags": [found_tag(tag) for tag in row["found_tags"]]}


def _subject(row: Row, style: str) -> Row:
    """Return ranges of versions, and the ends of names that are too long for a line of a table."""
    if style != Format.TABLE:
        return {}
    topics = [shorten(topic) for topic in row["topics"]]
    return {"name": shorten(row["name"]), "versions": ranges(row["versions"]), "topics": topics}


def _statement(row: Row, _: str) -> Row:
    """Return the first line of a statement that is not a comment."""
    lines = [line.strip() for line in row["statement"].splitlines() if line.strip()]
    first = next((line for line in lines if not line.startswith("--")), next(iter(lines), ""))
    return {"first_line": first if len(first) <= _WIDEST else first[: _WIDEST - 1] + "…"}


def _hit(row: Row, _: str) -> Row:
    return {"path": path_name(tuple(row["path"] or ()))}


def _table(row: Row, _: str) -> Row:
    return {"columns": len(row["columns"]) or None}


def _connector(row: Row, style: str) -> Row:
    """Return the counts of tasks; a worker calls a connector RUNNING even where all of its tasks are FAILED."""
    failed, tasks = row["failed_tasks"], len(row["tasks"])
    cells = {"tasks": tasks, "failed": failed or None}
    if failed and style == Format.TABLE:
        cells["state"] = f"{row['state']}, {failed} of {tasks} tasks FAILED"
    return cells


CELLS: Mapping[str, Callable[[Row, str], Row]] = {
    "columns": _column,
    "schemas": _subject,
    "statements": _statement,
    "tables": _table,
    "connectors": _connector,
    "search": _hit,
}
"""Question → the cells of a row, given as its document, for a table or CSV."""

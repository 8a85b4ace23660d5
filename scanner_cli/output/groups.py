"""Lists for people in groups under headings; the other formats have one row for each item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from scanner_cli.console import echo
from scanner_cli.output.render import cell, show_table
from scanner_cli.output.terminal import aligned
from scanner_model.names import dataset_address
from scanner_model.text import visible

Row = Mapping[str, Any]


class Group(NamedTuple):
    """Rows under a *heading*; a table leaves out the *columns* that no row has. *hint* follows the rows."""

    heading: str
    rows: Sequence[Row]
    columns: Sequence[str]
    hint: str = ""
    has_head: bool = True


def show_groups(groups: Iterable[Group]) -> None:
    """Write groups to stdout, with an empty line between two."""
    for at, group in enumerate(groups):
        if at:
            echo("")
        echo(group.heading)
        columns = [name for name in group.columns if any(cell(row.get(name)) for row in group.rows)]
        if group.has_head:
            show_table(group.rows, columns)
        elif columns:
            lines = [[visible(cell(row.get(name))) for name in columns] for row in group.rows]
            echo(
                "\n".join(
                    f"  {line.rstrip()}" for line in aligned([[""] * len(columns), *lines], None).splitlines()[1:]
                )
            )
        if group.hint:
            echo(f"  → {group.hint}")


def personal_groups(rows: Sequence[Row], *, wide: bool) -> Iterator[Group]:
    """Yield tagged columns, their copies, suggested and masked columns, and readers, each in a group."""
    rows = [{**row, "dataset": dataset_address(row["dataset"])} for row in rows]
    of_clusters = ("cluster",) if len({row["cluster"] for row in rows if row["cluster"]}) > 1 else ()
    of_tags = ("tag",) if len({row["tag"] for row in rows}) > 1 else ()
    for found, (title, columns) in _PERSONAL.items():
        names = (*of_clusters, *columns, *of_tags, *(("why",) if wide and "why" not in columns else ()))
        listed = _distinct((row for row in rows if row["found"] == found), names)
        if listed:
            yield Group(f"{title}: {len(listed)}", listed, names)


_PERSONAL: Mapping[str, tuple[str, Sequence[str]]] = {
    "declared": ("Tagged", ("dataset", "column", "owner")),
    "inherited": ("Copies of tagged columns", ("dataset", "column", "outside", "flow", "origin", "owner")),
    "suggested": ("Look personal, not decided", ("dataset", "column", "outside", "why", "owner")),
    "masked": ("Masked, not personal from here on", ("dataset", "column", "origin", "owner")),
    "read": ("Read by", ("reader", "dataset", "column", "owner")),
}
"""How a column is known → the title of its group, and the columns of the table."""


def finding_groups(rows: Sequence[Row]) -> Iterator[Group]:
    """Yield the findings of each rule in a group; what all of them have in common is in its heading."""
    of_clusters = ("cluster",) if len({row["cluster"] for row in rows}) > 1 else ()

    def rule(row: Row) -> tuple[str, str]:
        return row["severity"], row["rule"]

    for (severity, name), found in groupby(rows, key=rule):
        listed = list(found)
        whats = {row["what"] for row in listed}
        common = f": {next(iter(whats))}" if len(whats) == 1 and len(listed) > 1 else ""
        hints = dict.fromkeys(row["hint"] for row in listed if row["hint"])
        columns = (*of_clusters, "where", *(() if common else ("what",)))
        count = f" ({len(listed)})" if len(listed) > 1 else ""
        yield Group(visible(f"{severity} {name}{count}{common}"), listed, columns, "; ".join(hints), has_head=False)


def _distinct(rows: Iterable[Row], names: Sequence[str]) -> list[Row]:
    """Return *rows* without those that a reader cannot tell from an earlier one."""
    seen: dict[tuple[str, ...], Row] = {}
    for row in rows:
        seen.setdefault(tuple(cell(row.get(name)) for name in names), row)
    return list(seen.values())

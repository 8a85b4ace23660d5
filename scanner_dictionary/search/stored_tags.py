"""The columns with tags as the graph's generation stored them, so that a page of them is a short read of an index."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary.engine.rows import insert_rows
from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.queries.columns import ANY_TAG, FoundTag, TopicColumnRow
from scanner_dictionary.queries.topics import field_condition
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.columns_in_graph import Place, PlacedColumn

_ROWS_AT_ONCE = 200


class TaggedRow(NamedTuple):
    """A column with a tag: *found* is declared, inherited or masked (the tag ends there).

    *origin* is the cluster that an inherited tag comes from, empty if it is in none.
    """

    found: str
    placed: PlacedColumn
    origin: str = ""


class ListedRow(NamedTuple):
    """A row of the table: *tag* in lower case, *place* its position in a list by topic, None if it is in none."""

    tag: str
    place: int | None
    row: TaggedRow


def replace_stored_tags(conn: Connection, rows: Iterable[ListedRow]) -> None:
    """Replace the stored rows, and note that they are those of the newest scan."""
    conn.execute(t.column_tag.delete())
    cells = (
        (number, each.tag, each.row.found, each.place, each.row.placed.column.cluster, _text(each.row))
        for number, each in enumerate(rows, 1)
    )
    insert_rows(conn, t.column_tag, cells)
    conn.execute(t.flow_graph.update().values(tags_scan=newest_scan(conn)))


def has_stored_tags(conn: Connection, tag: str | None) -> bool:
    """Return whether the stored rows are those of the newest scan; they are kept for single tags only."""
    scan = conn.scalar(select(t.flow_graph.c.tags_scan)) if tag not in (None, ANY_TAG) else None
    return scan is not None and scan == newest_scan(conn)


def stored_tags(conn: Connection, tag: str, found: Collection[str]) -> Iterator[TaggedRow]:
    """Yield the columns that have *tag* in one of the ways *found*, in the order of the graph."""
    cell = t.column_tag.c
    query = select(cell.content).where(cell.tag == tag.lower(), cell.found.in_(sorted(found))).order_by(cell.id)
    return map(_row, conn.scalars(query.execution_options(yield_per=_ROWS_AT_ONCE)))


def listed_tags(
    conn: Connection, tag: str, found: Collection[str], cluster: str | None, name: str = ""
) -> Iterator[TopicColumnRow]:
    """Yield the columns that have *tag* in one of the ways *found*, by cluster, topic and dataset.

    With a *name*, its part or a glob, not all of those are left out that have another name.
    """
    cell = t.column_tag.c
    query = select(cell.content).where(cell.tag == tag.lower(), cell.place.is_not(None), cell.found.in_(sorted(found)))
    query = query if cluster is None else query.where(cell.cluster == cluster)
    named = field_condition(cell.content, name)
    query = query if named is None else query.where(named)
    rows = conn.scalars(query.order_by(cell.place).execution_options(yield_per=_ROWS_AT_ONCE))
    return (_row(text).placed.column for text in rows)


def _text(row: TaggedRow) -> str:
    return json.dumps((row.found, *row.placed, row.origin), ensure_ascii=False, separators=(",", ":"))


def _row(text: str) -> TaggedRow:
    found, (namespace, name, path), cells, origin = json.loads(text)
    row = TopicColumnRow(*cells)
    column = row._replace(
        path=tuple(row.path),
        tags=tuple(row.tags),
        inherited_tags=tuple(row.inherited_tags),
        unseen=tuple(row.unseen),
        found_tags=tuple(FoundTag(*cell[:-1], tuple(cell[-1])) for cell in row.found_tags),
    )
    return TaggedRow(found, PlacedColumn(Place(namespace, name, tuple(path)), column), origin)

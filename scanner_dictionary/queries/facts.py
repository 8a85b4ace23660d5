"""Facts read back from the tables that derive from them, and which counts where several have a name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, and_, exists, func, select

from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.facts import FactColumn, fact_columns, part_types, table_of
from scanner_model.names import SourceId

FILES = "files"
"""The kind of source of deployment files."""


def runs(table: Table) -> ColumnElement[bool]:
    """Return the condition of a row of *table* that runs, or is declared without a running object of its name.

    *table* has rows by cluster, source and name; a deleted row counts as such.
    """
    files = select(t.source.c.id).where(t.source.c.kind == FILES)
    other: Any = table.alias("running")
    running = exists().where(
        and_(
            other.c.cluster_id == table.c.cluster_id,
            other.c.name == table.c.name,
            other.c.gone.is_(None),
            other.c.source_id.not_in(files),
        )
    )
    return table.c.source_id.not_in(files) | ~running


F = TypeVar("F")


def stored_rows(table: Table, cluster: str | None = None, *, include_gone: bool = True) -> Select[Any]:
    """Select the rows of *table*, of one *cluster* where one is named, with what `fact_of` and `fact_state` need."""
    names = t.cluster.c.name.label("cluster_name"), t.source.c.name.label("source_name"), t.source.c.stale_since
    query = (
        select(table, *names)
        .join(t.cluster, t.cluster.c.id == table.c.cluster_id)
        .join(t.source, t.source.c.id == table.c.source_id)
    )
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    return query if include_gone else query.where(table.c.gone.is_(None))


def reported_rows(table: Table) -> Select[Any]:
    """Select the live rows of *table*."""
    return stored_rows(table, include_gone=False)


def newest_scans(conn: Connection) -> dict[int, int]:
    """Map each cluster to its newest scan number."""
    query = select(t.scan.c.cluster_id, func.max(t.scan.c.id)).group_by(t.scan.c.cluster_id)
    return {row[0]: row[1] for row in conn.execute(query)}


def fact_state(row: Row[Any], newest: Mapping[int, int]) -> dict[str, Any]:
    """Return the cluster of a row of `stored_rows`, and whether the fact is stale or gone, by *newest* scan."""
    return {"cluster": row.cluster_name, "stale": is_stale(row, newest), "gone": row.gone is not None}


def is_stale(row: Row[Any], newest: Mapping[int, int]) -> bool:
    """Return whether the source of a live row could not be read since, by the *newest* scan of its cluster."""
    return row.gone is None and row.stale_since is not None and row.last_seen < newest.get(row.cluster_id, 0)


def reported_facts(conn: Connection, fact_type: type[F]) -> Iterator[tuple[str, F]]:
    """Yield the live facts of a type, each with its cluster, by cluster, source and key of the row."""
    table = table_of(fact_type)
    query = reported_rows(table).order_by(t.cluster.c.name, t.source.c.name, table.c.id)
    return ((row.cluster_name, fact_of(fact_type, row)) for row in conn.execute(query))


def children_of(conn: Connection, table: Table, read: Callable[[Row[Any]], F]) -> dict[int, tuple[F, ...]]:
    """Return what facts have several of, in order, by the key of the fact's row."""
    rows = conn.execute(select(table).order_by(*table.primary_key.columns))
    return {key: tuple(map(read, group)) for key, group in groupby(rows, key=lambda row: int(row[0]))}


def fact_of(fact_type: type[F], row: Row[Any], **others: Any) -> F:  # noqa: ANN401 - members of the fact
    """Return the fact of a row, which has `source_name`; *others* are the members that are stored elsewhere."""
    members = {"source": SourceId(row.source_name), **members_of(fact_type, row), **others}
    return fact_type(**members)


def members_of(fact_type: type, row: Row[Any], prefix: str = "") -> dict[str, Any]:
    """Return the declared members that a row has of a fact, or of the part of one whose columns have a *prefix*."""
    names, cells, readers, parts = _plan(fact_type, prefix)
    members = dict(zip(names, cells(row), strict=True))
    for member, read in readers:
        if members[member] is not None:
            members[member] = read(members[member])
    for member, part in parts:
        members[member] = part(**members_of(part, row, f"{prefix}{member}_"))
    return members


Reader = Callable[[Any], Any]


class _Plan(NamedTuple):
    """How a type is read: its own members and their cells, what converts some of these, and the types of its parts."""

    members: tuple[str, ...]
    cells: Callable[[Row[Any]], tuple[Any, ...]]
    readers: tuple[tuple[str, Reader], ...]
    parts: tuple[tuple[str, type], ...]


@cache
def _plan(fact_type: type, prefix: str) -> _Plan:
    # At least two: an attrgetter of one name returns no tuple.
    own = [column for column in fact_columns(fact_type) if "." not in column.member]
    readers = [(column.member, _reader(column)) for column in own]
    return _Plan(
        tuple(column.member for column in own),
        attrgetter(*(prefix + column.name for column in own)),
        tuple((member, read) for member, read in readers if read),
        tuple(part_types(fact_type).items()),
    )


def _reader(column: FactColumn) -> Reader | None:
    if isinstance(column.type, type) and issubclass(column.type, Enum):
        return column.type
    if not column.is_json:
        return None
    if column.declared.mapping:
        return lambda cell: tuple(json.loads(cell).items())
    read = _list_reader(column.type) or frozenset
    empty: tuple[Any, ...] | frozenset[Any] = read(())
    return lambda cell: empty if cell == "[]" else read(json.loads(cell))  # as most lists of most facts are


def _list_reader(type_: Any) -> Reader | None:  # noqa: ANN401 - a type or a generic alias
    """Return what converts a JSON value to a tuple of *type_*; None for other types."""
    if hasattr(type_, "_fields"):
        readers = [_list_reader(hint) for hint in get_type_hints(type_).values()]
        return lambda parts: type_(*(read(part) if read else part for read, part in zip(readers, parts, strict=True)))
    if get_origin(type_) is not tuple:
        return None
    element = _list_reader(get_args(type_)[0])
    return (lambda listed: tuple(map(element, listed))) if element else tuple

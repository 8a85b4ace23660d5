"""Rows of one kind out of the dictionary and into it, and what changed into the change log."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, func, select, update

from scanner_dictionary import tables as t
from scanner_dictionary.bulk import in_chunks, insert_rows, update_rows
from scanner_dictionary.cells import json_cell
from scanner_dictionary.entities import Children, Entity
from scanner_dictionary.merge import Key, Plan, Stored, in_order

_EMPTY = (None, "", False, "[]", "{}", ())


class Entry(NamedTuple):
    """One line of the change log."""

    kind: str
    key: Key
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def load(conn: Connection, entity: Entity, cluster: int, sources: Collection[int]) -> dict[Key, Stored]:
    """Read the stored rows of a kind: of *sources*, or of the whole cluster where its names are shared by sources."""
    table = entity.table
    names = ("id", "source_id", "gone", *entity.values)
    query = select(*(table.c[name] for name in names), *entity.key).select_from(entity.rows)
    query = query.where(entity.cluster == cluster)
    if not entity.shared:
        query = query.where(table.c.source_id.in_(sorted(sources)))
    children = _children(conn, entity.children, query) if entity.children else None
    found = {}
    for row in conn.execute(query):
        id_, source, gone, *cells = row
        values = tuple(cells[: len(entity.values)])
        values = values if children is None else (*values, children.get(id_, ()))
        found[tuple(cells[len(entity.values) :])] = Stored(id_, values, source, gone)
    return found


def apply(conn: Connection, entity: Entity, plan: Plan, scan: int) -> dict[Key, int]:
    """Carry *plan* out as scan number *scan*; gives the keys of the rows it added, by their names."""
    first = next_id(conn, entity.table)
    ids = {row.key: first + i for i, row in enumerate(plan.added)}
    plain = len(entity.values)
    names = ("id", *entity.parents, *entity.values, "source_id", "first_seen", "last_seen")
    added = ((ids[w.key], *w.parents, *w.values[:plain], w.source_id, scan, scan) for w in plan.added)
    insert_rows(conn, entity.table, added, names)
    changed = ((*c.wanted.values[:plain], c.wanted.source_id, scan, None, c.stored.id) for c in plan.changed)
    update_rows(conn, entity.table, (*entity.values, "source_id", "last_seen", "gone"), changed)
    update_rows(conn, entity.table, ("gone",), ((scan, old.id) for _, old in plan.gone))
    _see(conn, entity, plan, scan)
    if entity.children:
        _replace_children(conn, entity.children, plan, ids)
    return ids


def entries(entity: Entity, plan: Plan) -> Iterator[Entry]:
    """Tell what *plan* changes, in the order of the keys; a row that only another source tells now is no change.

    They are made one by one, because a first scan may have millions of them; each part of a plan is in order.
    """
    labels = (*entity.values, *([entity.children.label] if entity.children else []))
    added = (Entry(entity.kind, w.key, "added", None, _told(labels, w.values)) for w in plan.added)
    if not plan.changed and not plan.gone:  # a first scan
        return added
    gone = (Entry(entity.kind, key, "gone", _told(labels, old.values), None) for key, old in plan.gone)
    return heapq.merge(added, gone, _changed(entity, plan, labels), key=lambda entry: in_order(entry.key))


def _changed(entity: Entity, plan: Plan, labels: tuple[str, ...]) -> Iterator[Entry]:
    for old, new in plan.changed:
        if old.gone is not None:
            yield Entry(entity.kind, new.key, "returned", None, _told(labels, new.values))
        elif old.values != new.values:
            yield Entry(entity.kind, new.key, "changed", *_differing(labels, old.values, new.values))


def log(conn: Connection, scan: int, listed: Iterable[Entry], start: int) -> None:
    """Write *listed* into the change log of *scan*, numbered from *start*."""
    rows = (
        (scan, start + i, each.kind, json_cell(each.key), each.action, _json(each.before), _json(each.after))
        for i, each in enumerate(listed)
    )
    insert_rows(conn, t.change_log, rows)


def next_id(conn: Connection, table: Table) -> int:
    """Give the first key of *table* that is free."""
    return (conn.execute(select(func.max(table.c.id))).scalar() or 0) + 1


def _children(conn: Connection, children: Children, parents: Select[Any]) -> Mapping[int, tuple[Key, ...]]:
    """Read the cells of all children of the rows that *parents* selects, by parent, without keys."""
    table = children.table
    ids = parents.with_only_columns(parents.selected_columns[0])
    query = select(table).where(table.c[children.parent].in_(ids)).order_by(table.c[children.parent], table.c.ordinal)
    found: dict[int, tuple[Key, ...]] = defaultdict(tuple)
    for parent, _, *cells in conn.execute(query):
        found[parent] += (tuple(cells),)
    return found


def _replace_children(conn: Connection, children: Children, plan: Plan, ids: Mapping[Key, int]) -> None:
    differing = [(old.id, new.values[-1]) for old, new in plan.changed if old.values[-1] != new.values[-1]]
    column = children.table.c[children.parent]
    for chunk in in_chunks((id_ for id_, _ in differing), 500):
        conn.execute(children.table.delete().where(column.in_(chunk)))
    new = [*((ids[row.key], row.values[-1]) for row in plan.added), *differing]
    insert_rows(conn, children.table, ((id_, i, *cells) for id_, rows in new for i, cells in enumerate(rows)))


def _see(conn: Connection, entity: Entity, plan: Plan, scan: int) -> None:
    """Note that unchanged rows were seen: a source's rows at once, where none of them was kept unseen."""
    kept = {old.source_id for old in plan.kept}
    table = entity.table
    for source in sorted({old.source_id for old in plan.seen} - kept):
        whole = update(table).where(table.c.source_id == source, table.c.gone.is_(None))
        conn.execute(whole.values(last_seen=scan))
    update_rows(conn, table, ("last_seen",), ((scan, old.id) for old in plan.seen if old.source_id in kept))


def _told(labels: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, Any]:
    return {label: value for label, value in zip(labels, values, strict=True) if value not in _EMPTY}


def _differing(labels: tuple[str, ...], old: tuple[Any, ...], new: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    pairs = [each for each in zip(labels, old, new, strict=True) if each[1] != each[2]]
    yield {label: before for label, before, _ in pairs}
    yield {label: after for label, _, after in pairs}


def _json(members: dict[str, Any] | None) -> str | None:
    return None if members is None else json_cell(members)

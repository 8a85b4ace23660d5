"""Rows of one kind out of the dictionary and into it, and what changed into the change log."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, func, select, update

from scanner_dictionary.engine.bulk_insert import in_chunks, insert_rows, update_rows
from scanner_dictionary.engine.serialization import json_cell
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.entities import Children, Entity

Key = tuple[Any, ...]


class Stored(NamedTuple):
    """A row as the dictionary has it; *gone* is the scan number that found it gone, None while it is there."""

    id: int
    values: tuple[Any, ...]
    source_id: int
    gone: int | None


class Wanted(NamedTuple):
    """A row as a scan wants it; *parents* are the columns that are set once."""

    key: Key
    source_id: int
    parents: tuple[Any, ...]
    values: tuple[Any, ...]


class Change(NamedTuple):
    """A stored row that a scan wants otherwise, or again."""

    stored: Stored
    wanted: Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do: *added*, *changed* and *gone* in the order of their keys, *seen* and *kept* are as they were.

    *changed* holds also rows that only another source tells now, and rows that return. *kept* could not be looked at.
    """

    added: list[Wanted] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    gone: list[tuple[Key, Stored]] = field(default_factory=list)
    seen: list[Stored] = field(default_factory=list)
    kept: list[Stored] = field(default_factory=list)

    def unseen(self, is_silent: Callable[[int], bool]) -> Plan:
        """Return the plan where unchanged rows of a silent source were kept, not seen."""
        seen = [old for old in self.seen if not is_silent(old.source_id)]
        kept = [old for old in self.seen if is_silent(old.source_id)]
        return replace(self, seen=seen, kept=[*self.kept, *kept])


def merge(
    stored: Mapping[Key, Stored], wanted: Iterable[Wanted], may_go: Callable[[Key, Stored], bool]
) -> tuple[Plan, frozenset[Key]]:
    """Compare; *may_go* tells whether a row that nobody names any more is proven to be gone.

    Of two wanted rows with one key the first counts; gives the plan, and the keys that were wanted twice.
    """
    named: dict[Key, Wanted] = {}
    twice: set[Key] = set()
    for row in wanted:
        if named.setdefault(row.key, row) is not row:
            twice.add(row.key)
    plan = Plan()
    for key in sorted(named, key=in_order):
        _place(plan, stored.get(key), named[key])
    for key, old in sorted(stored.items(), key=lambda item: in_order(item[0])):
        if key not in named and old.gone is None:
            if may_go(key, old):
                plan.gone.append((key, old))
            else:
                plan.kept.append(old)
    return plan, frozenset(twice)


def in_order(key: Key) -> tuple[Any, ...]:
    """Return what to sort *key* by, where a part may be None."""
    return tuple((part is not None, part) for part in key)


def _place(plan: Plan, old: Stored | None, new: Wanted) -> None:
    if old is None:
        plan.added.append(new)
    elif old.gone is None and old.values == new.values and old.source_id == new.source_id:
        plan.seen.append(old)
    else:
        plan.changed.append(Change(old, new))


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
    """Return what *plan* changes, in the order of the keys; a row that only another source tells now is no change.

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
    """Return the first key of *table* that is free."""
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

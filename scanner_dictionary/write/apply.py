"""Compares the stored rows of one kind of fact with those of a scan, and writes the difference and its log."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, bindparam, func, select, update

from scanner_dictionary.engine.rows import in_chunks, insert_rows, json_cell, update_rows
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.fact_kind import Children, FactKind, Key, Wanted


class Stored(NamedTuple):
    """A row of the dictionary; *gone* is the scan number that found it deleted, None while it exists."""

    id: int
    values: tuple[Any, ...]
    source_id: int
    gone: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to write: *added*, *changed* and *gone* in the order of their keys; *observed* and *unread* are unchanged.

    *changed* are stored rows whose values, source or existence differ, each with the scan's: also rows that only
    another source reports now, and rows that return. *unread* rows could not be checked in this scan.
    """

    added: list[Wanted] = field(default_factory=list)
    changed: list[tuple[Stored, Wanted]] = field(default_factory=list)
    gone: list[tuple[Key, Stored]] = field(default_factory=list)
    observed: list[Stored] = field(default_factory=list)
    unread: list[Stored] = field(default_factory=list)

    def without_unread(self, was_not_read: Callable[[int], bool]) -> Plan:
        """Return the plan where unchanged rows of sources that were not read are unread, not observed."""
        observed = [row for row in self.observed if not was_not_read(row.source_id)]
        unread = [row for row in self.observed if was_not_read(row.source_id)]
        return replace(self, observed=observed, unread=[*self.unread, *unread])


def merge(
    stored: Mapping[Key, Stored], wanted: Iterable[Wanted], may_delete: Callable[[Key, Stored], bool]
) -> tuple[Plan, frozenset[Key]]:
    """Compare rows with those of a scan; *may_delete* returns whether a row that it lacks is proven to be deleted.

    Of two wanted rows with one key the first counts. Returns the plan, and the keys that were wanted twice.
    """
    unique: dict[Key, Wanted] = {}
    twice: set[Key] = set()
    for row in wanted:
        if unique.setdefault(row.key, row) is not row:
            twice.add(row.key)
    plan = Plan()
    for key in _sorted(unique):
        _compare(plan, stored.get(key), unique[key])
    for key in _sorted(key for key, before in stored.items() if key not in unique and before.gone is None):
        if may_delete(key, stored[key]):
            plan.gone.append((key, stored[key]))
        else:
            plan.unread.append(stored[key])
    return plan, frozenset(twice)


def _sorted(keys: Iterable[Key]) -> list[Key]:
    listed = list(keys)
    try:
        return sorted(listed)
    except TypeError:  # a part of one is None
        return sorted(listed, key=in_order)


def in_order(key: Key) -> tuple[Any, ...]:
    """Return what to sort *key* by, where a part may be None."""
    return tuple((part is not None, part) for part in key)


def _compare(plan: Plan, old: Stored | None, new: Wanted) -> None:
    if old is None:
        plan.added.append(new)
    elif old.gone is None and old.values == new.values and old.source_id == new.source_id:
        plan.observed.append(old)
    else:
        plan.changed.append((old, new))


_FETCHED = 1_000
_EMPTY = (None, "", False, "[]", "{}", ())


class Entry(NamedTuple):
    """One line of the change log."""

    kind: str
    key: Key
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def load(conn: Connection, kind: FactKind, cluster: int, sources: Collection[int]) -> dict[Key, Stored]:
    """Load the stored rows of a kind: of *sources*, or of the whole cluster where its names are shared by sources."""
    query, query_of_children = _stored(kind)
    parameters = {"cluster": cluster} | ({} if kind.shared else {"sources": sorted(sources)})
    children: defaultdict[int, tuple[Key, ...]] = defaultdict(tuple)
    if query_of_children is not None:
        for parent, _, *cells in _rows(conn, query_of_children, parameters):
            children[parent] += (tuple(cells),)
    stored = {}
    for row in _rows(conn, query, parameters):
        id_, source, gone, *cells = row
        values = tuple(cells[: len(kind.values)])
        values = values if query_of_children is None else (*values, children.get(id_, ()))
        stored[tuple(cells[len(kind.values) :])] = Stored(id_, values, source, gone)
    return stored


def _rows(conn: Connection, query: Select[Any], parameters: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield rows; SQLAlchemy fetches one at a time unless it is asked for many."""
    return chain.from_iterable(conn.execute(query, parameters).partitions(_FETCHED))


@cache
def _stored(kind: FactKind) -> tuple[Select[Any], Select[Any] | None]:
    """Return the query of the stored rows of a kind, and of their children in order; None: it has none.

    Both are built once, as a scan of few facts would spend most of its time on building them.
    """
    table, children = kind.table, kind.children
    names = ("id", "source_id", "gone", *kind.values)
    query = select(*(table.c[name] for name in names), *kind.key).select_from(kind.joined)
    query = query.where(kind.cluster == bindparam("cluster"))
    if not kind.shared:
        query = query.where(table.c.source_id.in_(bindparam("sources", expanding=True)))
    if children is None:
        return query, None
    parent = children.table.c[children.parent]
    rows = select(children.table).where(parent.in_(query.with_only_columns(table.c.id)))
    return query, rows.order_by(parent, children.table.c.ordinal)


def apply(conn: Connection, kind: FactKind, plan: Plan, scan: int) -> dict[Key, int]:
    """Write *plan* as scan number *scan*; return the ids of the rows it added, by key."""
    first = next_id(conn, kind.table) if plan.added else 0
    ids = {row.key: first + i for i, row in enumerate(plan.added)}
    plain = len(kind.values)
    names = ("id", *kind.parents, *kind.values, "source_id", "first_seen", "last_seen")
    added = ((ids[w.key], *w.parents, *w.values[:plain], w.source_id, scan, scan) for w in plan.added)
    insert_rows(conn, kind.table, added, names)
    changed = ((*new.values[:plain], new.source_id, scan, None, old.id) for old, new in plan.changed)
    update_rows(conn, kind.table, (*kind.values, "source_id", "last_seen", "gone"), changed)
    update_rows(conn, kind.table, ("gone",), ((scan, old.id) for _, old in plan.gone))
    _mark_observed(conn, kind, plan, scan)
    if kind.children:
        _replace_children(conn, kind.children, plan, ids)
    return ids


def entries(kind: FactKind, plan: Plan) -> Iterator[Entry]:
    """Yield the log entries of *plan*, in the order of the keys; a row that only changed its source has none.

    They are built one by one, because a first scan may have millions of them; each list of a plan is in order.
    """
    labels = (*kind.values, *([kind.children.member] if kind.children else []))
    added = (Entry(kind.name, w.key, "added", None, _non_empty(labels, w.values)) for w in plan.added)
    if not plan.changed and not plan.gone:  # a first scan
        return added
    gone = (Entry(kind.name, key, "gone", _non_empty(labels, old.values), None) for key, old in plan.gone)
    return heapq.merge(added, gone, _changed(kind, plan, labels), key=lambda entry: in_order(entry.key))


def _changed(kind: FactKind, plan: Plan, labels: tuple[str, ...]) -> Iterator[Entry]:
    for old, new in plan.changed:
        if old.gone is not None:
            yield Entry(kind.name, new.key, "returned", None, _non_empty(labels, new.values))
        elif old.values != new.values:
            yield Entry(kind.name, new.key, "changed", *_differing(labels, old.values, new.values))


def log(conn: Connection, scan: int, changes: Iterable[Entry], start: int) -> None:
    """Write *changes* into the change log of *scan*, numbered from *start*."""
    rows = (
        (scan, start + i, entry.kind, json_cell(entry.key), entry.action, _json(entry.before), _json(entry.after))
        for i, entry in enumerate(changes)
    )
    insert_rows(conn, t.change_log, rows)


def next_id(conn: Connection, table: Table) -> int:
    """Return the first key of *table* that is free."""
    return (conn.execute(select(func.max(table.c.id))).scalar() or 0) + 1


def _replace_children(conn: Connection, children: Children, plan: Plan, ids: Mapping[Key, int]) -> None:
    differing = [(old.id, new.values[-1]) for old, new in plan.changed if old.values[-1] != new.values[-1]]
    column = children.table.c[children.parent]
    for chunk in in_chunks((id_ for id_, _ in differing), 500):
        conn.execute(children.table.delete().where(column.in_(chunk)))
    new = [*((ids[row.key], row.values[-1]) for row in plan.added), *differing]
    insert_rows(conn, children.table, ((id_, i, *cells) for id_, rows in new for i, cells in enumerate(rows)))


def _mark_observed(conn: Connection, kind: FactKind, plan: Plan, scan: int) -> None:
    """Set `last_seen` of observed rows: by source at once, where none of its rows is unread."""
    unread = {old.source_id for old in plan.unread}
    table = kind.table
    for source in sorted({old.source_id for old in plan.observed} - unread):
        rows_of_source = update(table).where(table.c.source_id == source, table.c.gone.is_(None))
        conn.execute(rows_of_source.values(last_seen=scan))
    update_rows(conn, table, ("last_seen",), ((scan, old.id) for old in plan.observed if old.source_id in unread))


def _non_empty(labels: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, Any]:
    return {label: value for label, value in zip(labels, values, strict=True) if value not in _EMPTY}


def _differing(labels: tuple[str, ...], old: tuple[Any, ...], new: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    pairs = [cells for cells in zip(labels, old, new, strict=True) if cells[1] != cells[2]]
    yield {label: before for label, before, _ in pairs}
    yield {label: after for label, _, after in pairs}


def _json(members: dict[str, Any] | None) -> str | None:
    return None if members is None else json_cell(members)

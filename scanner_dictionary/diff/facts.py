"""Facts that differ between two scans: actions, and attributes before and after."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, select, tuple_

from scanner_dictionary.diff.changes import AttributeChange, FactAction, FactChange
from scanner_dictionary.engine.serialization import json_cell
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.fact_kind import Children
from scanner_dictionary.write.fact_kinds import FACT_KINDS

State = Mapping[str, Any]

_EMPTY: tuple[Any, ...] = (None, "", False, "[]", "{}", [])
_NOTHING: State = {}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A fact that differs: what it was and what it is, each None where it did not exist; empty members are left out."""

    kind: str
    name: tuple[Any, ...]
    before: State | None
    after: State | None

    def reversed(self) -> Replayed:
        """Return the same going back in time."""
        return Replayed(self.kind, self.name, self.after, self.before)


def replay(conn: Connection, cluster: int, older: int, newer: int) -> Iterator[Replayed]:
    """List the facts of *cluster* that differ between scans *older* and *newer*, by kind and name."""
    log = t.change_log.c
    of_cluster = t.change_log.join(t.scan, t.scan.c.id == log.scan_id)
    touched = select(log.entity_kind, log.entity).select_from(of_cluster)
    touched = touched.where(t.scan.c.cluster_id == cluster, log.scan_id > older, log.scan_id <= newer)
    query = (
        select(log.entity_kind, log.entity, log.scan_id, log.action, log.after_json)
        .select_from(of_cluster)
        .where(t.scan.c.cluster_id == cluster, log.scan_id <= newer)
        .where(tuple_(log.entity_kind, log.entity).in_(touched))
        .order_by(log.entity_kind, log.entity, log.scan_id, log.ordinal)
    )
    for (kind, entity), entries in groupby(conn.execute(query), key=lambda row: (row.entity_kind, row.entity)):
        before, after = _states(entries, older)
        if before != after:
            yield Replayed(kind, tuple(json.loads(entity)), before, after)


def _states(entries: Iterable[Any], older: int) -> tuple[State | None, State | None]:
    before = after = None
    for entry in entries:
        after = _next(after, entry)
        before = after if entry.scan_id <= older else before
    return before, after


def _next(state: State | None, entry: Any) -> State | None:  # noqa: ANN401 - a row of the log
    if entry.action == "gone":
        return None
    logged = json.loads(entry.after_json) if entry.after_json else {}
    before = (state or _NOTHING) if entry.action == "changed" else _NOTHING
    return {name: value for name, value in {**before, **logged}.items() if value not in _EMPTY}


_JSON_TEXT = ("branches", "config", "default_value", "sink_topics", "sinks", "sources", "tags", "topics")
"""Members that the change log holds as JSON inside text."""

_KEYS = {"definition_id": "definition", "registry_id": ""}
"""Members that are keys of rows, which mean nothing to users: replaced, or left out."""

_CHILDREN = {(kind.name, kind.children.member): kind.children for kind in FACT_KINDS if kind.children}
_NAMES = ("name", "task_number")
"""The columns that identify a child."""
_IN_NAME = ("path", "depth")


def fact_change(fact: Replayed, fingerprints: Mapping[int, str]) -> FactChange | None:
    """Return how *fact* differs; None where only keys of rows do. *fingerprints* name definitions by their keys."""
    if fact.before is None or fact.after is None:
        action = FactAction.ADDED if fact.before is None else FactAction.GONE
        return FactChange(kind=fact.kind, name=fact.name, action=action)
    old, new = (dict(_members(fact.kind, state, fingerprints)) for state in (fact.before, fact.after))
    attributes = tuple(
        AttributeChange(name=name, before=old.get(name), after=new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    )
    if not attributes:
        return None
    return FactChange(kind=fact.kind, name=fact.name, action=_action(old, new), attributes=attributes)


def _action(old: Mapping[str, str], new: Mapping[str, str]) -> FactAction:
    if ("deleted" in old) == ("deleted" in new):
        return FactAction.CHANGED
    return FactAction.DELETED if "deleted" in new else FactAction.RESTORED


def _members(kind: str, state: State, fingerprints: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    for member, cell in state.items():
        name = _KEYS.get(member, member)
        value = _value(member, cell, fingerprints)
        if member == "config" and isinstance(value, dict):
            yield from ((f"config.{key}", json_cell(setting)) for key, setting in value.items())
        elif (kind, member) in _CHILDREN:
            yield from _child_attributes(_CHILDREN[kind, member], cell)
        elif name:
            yield name, json_cell(value)


def _child_attributes(children: Children, rows: Iterable[Iterable[object]]) -> Iterator[tuple[str, str]]:
    """Yield a table's columns, a connector's tasks, …, each by its name, with the members that are set."""
    names = [column.name for column in children.table.columns if column.name not in (children.parent, "ordinal")]
    name_column = next(name for name in _NAMES if name in names)
    for row in rows:
        # The log of an earlier version may have fewer cells.
        cells = dict(zip(names, row, strict=False))
        values = {name: _value(name, cell, {}) for name, cell in cells.items() if name not in (name_column, *_IN_NAME)}
        yield (
            f"{children.member}.{cells[name_column]}",
            json_cell({name: cell for name, cell in values.items() if _is_set(cell)}),
        )


def _is_set(cell: object) -> bool:
    return cell is not None and cell is not False and cell != ""


def _value(member: str, cell: object, fingerprints: Mapping[int, str]) -> Any:  # noqa: ANN401 - JSON
    if member in _JSON_TEXT and isinstance(cell, str):
        return json.loads(cell)
    return fingerprints.get(cell) if member == "definition_id" and isinstance(cell, int) else cell

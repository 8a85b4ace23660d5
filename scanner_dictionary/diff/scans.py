"""Two scans of one cluster, compared through the change log."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, select, tuple_

from scanner_dictionary.compatibility.compare import compare
from scanner_dictionary.diff.changes import AttributeChange, FactAction, FactChange, ScanDiff, SchemaRef, SideChange
from scanner_dictionary.engine.rows import in_chunks, json_cell
from scanner_dictionary.queries.columns import columns_of
from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.facts import fact_columns
from scanner_dictionary.write.fact_kind import Children
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_model.errors import NameUnknown, Problem
from scanner_model.names import Fingerprint, RecordName
from scanner_model.schemas import Definition

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
        after = next_state(after, entry)
        before = after if entry.scan_id <= older else before
    return before, after


def next_state(state: State | None, entry: Any) -> State | None:  # noqa: ANN401 - a row of the log
    """Return the members of a fact after an *entry* of the log, without empty ones; None where it does not exist."""
    if entry.action == "gone":
        return None
    logged = json.loads(entry.after_json) if entry.after_json else {}
    before = (state or _NOTHING) if entry.action == "changed" else _NOTHING
    return {name: value for name, value in {**before, **logged}.items() if value not in _EMPTY}


_JSON_MEMBERS = {
    (kind.name, column.name) for kind in FACT_KINDS for column in fact_columns(kind.type) if column.is_json
}
"""Members that the change log holds as JSON inside text, each with its kind."""
_JSON_PARTS = ("branches", "default_value", "inherited_tags", "tags")
"""Such members of columns and versions of schemas."""

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
        value = _value((kind, member), cell, fingerprints)
        if member == "config" and isinstance(value, dict):
            yield from ((f"config.{key}", json_cell(setting)) for key, setting in value.items())
        elif (kind, member) in _CHILDREN:
            yield from _child_attributes(kind, _CHILDREN[kind, member], cell)
        elif name:
            yield name, json_cell(value)


def _child_attributes(kind: str, children: Children, rows: Iterable[Iterable[object]]) -> Iterator[tuple[str, str]]:
    """Yield a table's columns, a connector's tasks, …, each by its name, with the members that are set."""
    names = [column.name for column in children.table.columns if column.name not in (children.parent, "ordinal")]
    name_column = next(name for name in _NAMES if name in names)
    for row in rows:
        # The log of an earlier version may have fewer cells.
        cells = dict(zip(names, row, strict=False))
        values = {
            name: _value((kind, name), cell, {}) for name, cell in cells.items() if name not in (name_column, *_IN_NAME)
        }
        yield (
            f"{children.member}.{cells[name_column]}",
            json_cell({name: cell for name, cell in values.items() if _is_set(cell)}),
        )


def _is_set(cell: object) -> bool:
    return cell is not None and cell is not False and cell != ""


def _value(member: tuple[str, str], cell: object, fingerprints: Mapping[int, str]) -> Any:  # noqa: ANN401 - JSON
    """Return what a *cell* holds; *member* is its kind of fact and its name."""
    if isinstance(cell, str) and (member in _JSON_MEMBERS or member[1] in _JSON_PARTS):
        return json.loads(cell)
    return fingerprints.get(cell) if member[1] == "definition_id" and isinstance(cell, int) else cell


_AT_ONCE = 500


def heads(conn: Connection, keys: Collection[int]) -> dict[int, Definition]:
    """Read the definitions with *keys*, without their columns."""
    definitions: dict[int, Definition] = {}
    for chunk in in_chunks(sorted(set(keys)), _AT_ONCE):
        query = select(t.schema_definition).where(t.schema_definition.c.id.in_(chunk))
        for row in conn.execute(query):
            definitions[row.id] = Definition(
                fingerprint=Fingerprint(row.fingerprint),
                format=row.format,
                text=row.schema_text,
                name=RecordName(row.name),
                problems=tuple(Problem(**problem) for problem in json.loads(row.problems)),
            )
    return definitions


def with_columns(conn: Connection, known: Mapping[int, Definition], keys: Collection[int]) -> dict[int, Definition]:
    """Return those of the *known* definitions that *keys* name, with their columns."""
    columns = columns_of(conn, keys)
    return {key: replace(known[key], columns=columns.get(key, ())) for key in keys}


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A definition that a topic's side has, by its key, and where it was registered."""

    source: str
    context: str
    subject: str
    version: int | None
    schema_id: str | None
    definition: int

    @property
    def order(self) -> tuple[Any, ...]:
        """Return what to sort it by."""
        return self.source, self.context, self.subject, self.version or 0, self.definition


Swap = tuple[str, str, Linked | None, Linked | None]
"""Topic and role of a side, one of its schemas and the one that took its place; None where it came or went."""


@dataclass(slots=True)
class _Leftover:
    """Schemas of a side that are at one scan only."""

    old: list[Linked]
    new: list[Linked]

    def take(self, same: Callable[[Linked], Hashable]) -> Iterator[tuple[Linked, Linked]]:
        """Take out pairs that are the *same*; only where just one of the old and one of the new ones is."""
        for key in sorted({same(linked) for linked in self.old} & {same(linked) for linked in self.new}, key=repr):
            same_old, same_new = ([linked for linked in side if same(linked) == key] for side in (self.old, self.new))
            if len(same_old) == len(same_new) == 1:
                self.old.remove(same_old[0])
                self.new.remove(same_new[0])
                yield same_old[0], same_new[0]


def swaps(links: Iterable[Replayed], record_of: Callable[[int], str]) -> tuple[Swap, ...]:
    """Pair the current schemas before and after, by topic and role.

    A newer version of a subject takes the place of the older one; so does a schema of the same record (*record_of*
    names a definition's) under another subject. The same definition under another subject is unchanged.
    """
    sides: dict[tuple[str, str], _Leftover] = defaultdict(lambda: _Leftover([], []))
    for link in links:
        topic, role, *_ = link.name
        sides[topic, role].old.extend(_current(link, link.before))
        sides[topic, role].new.extend(_current(link, link.after))
    swapped: list[Swap] = []
    for (topic, role), left in sorted(sides.items()):
        _drop_same(left)
        pairs = [*left.take(lambda linked: (linked.source, linked.context, linked.subject))]
        pairs += left.take(lambda linked: record_of(linked.definition) or repr(linked))
        changed = [(old, new) for old, new in pairs if old.definition != new.definition]
        swapped += ((topic, role, old, new) for old, new in sorted(changed, key=lambda pair: pair[1].order))
        swapped += ((topic, role, old, None) for old in sorted(left.old, key=lambda linked: linked.order))
        swapped += ((topic, role, None, new) for new in sorted(left.new, key=lambda linked: linked.order))
    return tuple(swapped)


def _drop_same(left: _Leftover) -> None:
    """Leave out what both scans have, under whatever subject and version."""
    both = {linked.definition for linked in left.old} & {linked.definition for linked in left.new}
    left.old = [linked for linked in left.old if linked.definition not in both]
    left.new = [linked for linked in left.new if linked.definition not in both]


def _current(link: Replayed, state: State | None) -> Iterator[Linked]:
    """Return the definition that the link has while it is current."""
    if state is not None and state.get("is_current"):
        _, _, source, context, subject, version, _ = link.name
        yield Linked(
            source=source,
            context=context,
            subject=subject,
            version=version,
            schema_id=state.get("schema_id"),
            definition=state["definition_id"],
        )


_LINK = "topic_schema"
_SHOWN = 10


def diff(conn: Connection, first_scan: int, second_scan: int) -> ScanDiff:
    """Return what changed from one scan of a cluster to another, net: without what came and went in between.

    The direction is as given: from a newer scan to an older one, added facts are reported as gone. Raises NameUnknown
    where one of the scans does not exist, or where they are of two clusters.
    """
    cluster, name = _cluster(conn, first_scan, second_scan)
    facts = list(replay(conn, cluster, *sorted((first_scan, second_scan))))
    if first_scan > second_scan:
        facts = [fact.reversed() for fact in facts]
    known = heads(conn, set(definition_keys(facts)))
    fingerprints = {key: definition.fingerprint for key, definition in known.items()}
    changes = (fact_change(fact, fingerprints) for fact in facts if fact.kind != _LINK)
    return ScanDiff(
        cluster=name,
        first=first_scan,
        second=second_scan,
        facts=tuple(sorted(filter(None, changes), key=lambda change: (change.kind, _in_order(change.name)))),
        sides=_sides(conn, [fact for fact in facts if fact.kind == _LINK], known),
    )


def _cluster(conn: Connection, first: int, second: int) -> tuple[int, str]:
    """Return key and name of the cluster of both scans."""
    query = select(t.scan.c.id, t.cluster.c.id, t.cluster.c.name).join(t.cluster, t.cluster.c.id == t.scan.c.cluster_id)
    clusters = {
        scan: (cluster, name) for scan, cluster, name in conn.execute(query.where(t.scan.c.id.in_((first, second))))
    }
    for number in (first, second):
        if number not in clusters:
            raise NameUnknown(f"the dictionary knows no scan {number}", hint=_known(conn, None))
    if clusters[first] != clusters[second]:
        what = f"scan {first} is of the cluster {clusters[first][1]!r}, scan {second} of {clusters[second][1]!r}"
        raise NameUnknown(what, hint=_known(conn, clusters[first][0]))
    return clusters[first]


def _known(conn: Connection, cluster: int | None) -> str:
    """List the newest scan numbers, of one cluster where one is given."""
    query = select(t.scan.c.id).order_by(t.scan.c.id.desc()).limit(_SHOWN + 1)
    numbers = list(conn.scalars(query if cluster is None else query.where(t.scan.c.cluster_id == cluster)))
    if not numbers:
        return "nothing was scanned yet: run `scanner scan` first"
    more = "…, " if len(numbers) > _SHOWN else ""
    of = "the dictionary" if cluster is None else "this cluster"
    return f"{of} has the scans {more}{', '.join(map(str, reversed(numbers[:_SHOWN])))}"


def definition_keys(facts: Iterable[Replayed]) -> Iterable[int]:
    """Yield the keys of the definitions that *facts* have or had."""
    for fact in facts:
        for state in (fact.before, fact.after):
            if state is not None and "definition_id" in state:
                yield state["definition_id"]


def _sides(conn: Connection, links: list[Replayed], known: Mapping[int, Definition]) -> tuple[SideChange, ...]:
    swapped = swaps(links, lambda key: known[key].name)
    replaced = {linked.definition for *_, old, new in swapped if old and new for linked in (old, new)}
    definitions = with_columns(conn, known, replaced)
    return tuple(_side(swap, known, definitions) for swap in swapped)


def _side(swap: Swap, known: Mapping[int, Definition], definitions: Mapping[int, Definition]) -> SideChange:
    topic, role, old, new = swap
    change = compare(definitions[old.definition], definitions[new.definition]) if old and new else None
    return SideChange(topic=topic, role=role, before=_ref(old, known), after=_ref(new, known), change=change)


def _ref(linked: Linked | None, known: Mapping[int, Definition]) -> SchemaRef | None:
    if linked is None:
        return None
    definition = known[linked.definition]
    return SchemaRef(
        context=linked.context,
        subject=linked.subject,
        version=linked.version,
        schema_id=linked.schema_id,
        format=definition.format,
        record=definition.name,
        fingerprint=definition.fingerprint,
    )


def _in_order(name: tuple[object, ...]) -> tuple[tuple[bool, int, str], ...]:
    """Return what to sort a name by, whose parts are text, numbers or nothing."""
    return tuple((part is not None, part if isinstance(part, int) else -1, str(part)) for part in name)

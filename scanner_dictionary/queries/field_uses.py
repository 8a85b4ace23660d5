"""Queries for the fields of topics that programs use, and the columns that no known reader uses."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from sqlalchemy import Connection, exists, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.clients import ClientRow, configured, observed
from scanner_dictionary.queries.columns import TopicColumnRow, columns_of_topics
from scanner_dictionary.queries.facts import fact_of, stored_rows
from scanner_dictionary.queries.state import scan_time
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.other_columns import cluster_names
from scanner_model.clients import Direction
from scanner_model.columns import KEY, ColumnPath, path_name
from scanner_model.field_uses import FieldExtent, FieldUse, plain_path

_COLUMNS_AT_ONCE = 1_000
_WHOLE = frozenset({FieldExtent.ALL, FieldExtent.UNRESOLVED})
_SQL = frozenset({"ksqldb", "flink", "ksql-query", "flink-statement", "view", "query", "statement"})
"""Kinds of jobs whose columns are read from their statements."""


class FieldUser(NamedTuple):
    """A program that uses a field, or all fields, of a topic's messages, as its source code suggests.

    *use* is reads or writes. *column* is the field, or `all fields`, or `all fields, not resolved`. *places* are files
    and lines.
    """

    cluster: str
    topic: str
    use: str
    application: str
    column: str
    places: tuple[str, ...]


def field_users(
    conn: Connection, *, cluster: str | None = None, topic: str | None = None, path: ColumnPath | None = None
) -> tuple[FieldUser, ...]:
    """Return the programs that use fields, by cluster, topic, use, application and column.

    With a *path*, only those that use this column, one around it or inside it, or that may: all fields. Keys have no
    known users.
    """
    query = stored_rows(t.field_use, cluster, include_gone=False)
    query = query if topic is None else query.where(t.field_use.c.topic == topic)
    facts = ((row.cluster_name, fact_of(FieldUse, row)) for row in conn.execute(query))
    return tuple(sorted(_user(name, fact) for name, fact in facts if path is None or _uses(fact, path)))


def _user(cluster: str, fact: FieldUse) -> FieldUser:
    column = str(fact.extent) if fact.extent in _WHOLE else path_name(fact.path)
    return FieldUser(cluster, fact.topic, fact.direction.value, fact.program, column, fact.places)


def _uses(fact: FieldUse, path: ColumnPath) -> bool:
    """Return whether a use concerns a column: the same path, one around it, or one inside it."""
    if path[:1] == (KEY,):
        return False
    if fact.extent in _WHOLE:
        return True
    return _overlaps(plain_path(fact.path), plain_path(path))


def _overlaps(first: Sequence[str], second: Sequence[str]) -> bool:
    return all(left == right for left, right in zip(first, second, strict=False))


def written_since(conn: Connection, cluster: str, topic: str, path: ColumnPath) -> str:
    """Return the end of the first scan that saw all programs that write a column do so, ISO 8601; empty without any."""
    query = stored_rows(t.field_use, cluster, include_gone=False).where(t.field_use.c.topic == topic)
    seen = [
        row.first_seen
        for row in conn.execute(query)
        if (fact := fact_of(FieldUse, row)).direction is Direction.WRITES
        and fact.extent is FieldExtent.FIELD
        and plain_path(fact.path) == plain_path(path)
    ]
    return scan_time(conn, max(seen)) if seen else ""


class UnwrittenField(NamedTuple):
    """A field that a program reads, and that neither a schema of the topic nor a known writer has.

    *similar* are the names of those that they have and that are spelled alike.
    """

    use: FieldUse
    similar: tuple[str, ...]


def unwritten_fields(
    uses: Iterable[FieldUse], columns: Mapping[str, Collection[ColumnPath]], writers: Iterable[FieldUse]
) -> Iterator[UnwrittenField]:
    """Yield the *uses* that read a field that is in none of a topic's *columns*, by topic, and that no writer sets.

    Where the fields that one of its *writers* sets are not known, a field of a topic is only yielded if one of its
    columns has a similar name: messages of a class that no schema describes may have it. A column without a name is a
    whole message, which may have any field. Code that reads records of several topics needs the field in one of them.
    """
    uses, listed = list(uses), list(writers)
    written: dict[str, list[FieldUse]] = {}
    for writer in listed:
        if writer.direction is Direction.WRITES:
            written.setdefault(writer.topic, []).append(writer)
    missing = {use: found for use in {*uses, *listed} if (found := _missing(use, columns, written)) is not None}
    elsewhere = {
        (use.program, plain_path(use.path), place)
        for use in {*uses, *listed} - missing.keys()
        if use.direction is Direction.READS and use.extent is FieldExtent.FIELD
        for place in use.places
    }
    for use in uses:
        if use in missing and elsewhere.isdisjoint((use.program, plain_path(use.path), one) for one in use.places):
            yield missing[use]


def _missing(
    use: FieldUse, columns: Mapping[str, Collection[ColumnPath]], written: Mapping[str, Sequence[FieldUse]]
) -> UnwrittenField | None:
    """Return a use as one of a field that its topic does not have; None if the topic has it, or may have it."""
    others, own = written.get(use.topic, []), columns.get(use.topic, ())
    is_known = all(other.extent is FieldExtent.FIELD for other in others)
    may_miss = bool(own) or (bool(others) and is_known)
    if use.direction is not Direction.READS or use.extent is not FieldExtent.FIELD or not may_miss:
        return None
    known = [*own, *(other.path for other in others if other.extent is FieldExtent.FIELD)]
    if _has_field({plain_path(path) for path in known}, plain_path(use.path)):
        return None
    similar = _nearest(use.path, [path for path in known if len(path) == len(use.path)])
    return UnwrittenField(use, similar) if is_known or similar else None


def _nearest(path: ColumnPath, known: Collection[ColumnPath]) -> tuple[str, ...]:
    """Return the names of *known* fields that are like *path*, where they differ: what they share makes all alike."""
    shared = {each: next((at for at, (a, b) in enumerate(zip(path, each, strict=True)) if a != b), 0) for each in known}
    most = max(shared.values(), default=0)
    names = {path_name(each[most:]): path_name(each) for each, at in shared.items() if at == most}
    return tuple(names[found] for found in get_close_matches(path_name(path[most:]), list(names), n=3, cutoff=0.6))


def _has_field(known: Collection[tuple[str, ...]], field: tuple[str, ...]) -> bool:
    """Return whether *known* has a field, a field inside it, or an enclosing field without known content."""
    if any(path[: len(field)] == field for path in known):
        return True
    enclosing = [path for path in known if field[: len(path)] == path]
    return any(not any(len(path) > len(one) and path[: len(one)] == one for path in known) for one in enclosing)


def field_facts(conn: Connection, topics: Collection[str]) -> Iterator[FieldUse]:
    """Yield the stored uses of fields of the topics with these names."""
    query = stored_rows(t.field_use, include_gone=False).where(t.field_use.c.topic.in_(sorted(topics)))
    return (fact_of(FieldUse, row) for row in conn.execute(query))


def stored_unwritten_fields(conn: Connection, cluster: str) -> Iterator[UnwrittenField]:
    """Yield the fields that programs read of topics of a cluster, and that no schema and no known writer has."""
    uses = [fact_of(FieldUse, row) for row in conn.execute(stored_rows(t.field_use, cluster, include_gone=False))]
    names = {use.topic for use in uses if use.direction is Direction.READS and use.extent is FieldExtent.FIELD}
    columns: dict[str, set[ColumnPath]] = {}
    for column in columns_of_topics(conn, names):
        if column.cluster == cluster and column.role == "value":
            columns.setdefault(column.topic, set()).add(column.path)
    yield from unwritten_fields(uses, columns, uses)


def by_column(rows: Iterable[ClientRow], users: Iterable[FieldUser]) -> Iterator[ClientRow]:
    """Yield a row for each field that a client uses; of one whose fields are not known, a row that says so."""
    found: dict[tuple[str, str, str, str], list[FieldUser]] = {}
    for user in users:
        found.setdefault((user.cluster, user.topic, user.use, user.application), []).append(user)
    for row in rows:
        names = dict.fromkeys((row.application, *(identity.name for identity in row.identities)))
        used = [each for name in names for each in found.get((row.cluster, row.topic, row.use, name), ())]
        for user in used:
            yield replace(row, column=user.column, places=user.places, evidence=next(iter(user.places), row.evidence))
        if not used:
            yield replace(row, column=str(FieldExtent.UNRESOLVED))


def unread_columns(conn: Connection, columns: Iterable[TopicColumnRow]) -> Iterator[TopicColumnRow]:
    """Yield the columns of topics' values that no known program, statement or connector reads.

    *unseen* are the readers of the topic whose fields are not known: any of them may read the column.
    """
    reads: dict[tuple[str, str], list[FieldUse]] = {}
    for row in conn.execute(stored_rows(t.field_use, include_gone=False)):
        fact = fact_of(FieldUse, row)
        if fact.direction is Direction.READS:
            reads.setdefault((row.cluster_name, fact.topic), []).append(fact)
    values = (column for column in columns if column.topic and column.role == "value" and column.path)
    for chunk in in_chunks(values, _COLUMNS_AT_ONCE):
        topics = frozenset(column.topic for column in chunk)
        flows, unseen = _flowing(conn, topics), _unseen(conn, reads, topics)
        yield from _without_reader(chunk, reads, flows, unseen)


def _without_reader(
    columns: Iterable[TopicColumnRow],
    reads: Mapping[tuple[str, str], Sequence[FieldUse]],
    flows: Mapping[tuple[str, str], Sequence[ColumnPath]],
    unseen: Mapping[tuple[str, str], tuple[str, ...]],
) -> Iterator[TopicColumnRow]:
    for column in columns:
        key = (column.cluster, column.topic)
        known = [fact for fact in reads.get(key, ()) if fact.extent is not FieldExtent.UNRESOLVED]
        is_read = any(_uses(fact, column.path) for fact in known)
        if not is_read and not any(_overlaps(path, column.path) for path in flows.get(key, ())):
            yield column._replace(unseen=unseen.get(key, ()))


def _flowing(conn: Connection, topics: Collection[str]) -> Mapping[tuple[str, str], list[ColumnPath]]:
    """Return the columns of the topics with these names that data flow from in the graph, by cluster and topic."""
    node, edge = t.flow_node.c, t.flow_edge.c
    homes = cluster_names(conn)
    flows = exists().where(edge.source_node_id == node.id, edge.kind == "column-flow")
    query = select(node.namespace, node.name, node.path).where(node.kind == "column", node.name.in_(sorted(topics)))
    found: dict[tuple[str, str], list[ColumnPath]] = {}
    for row in conn.execute(query.where(flows)):
        if row.namespace in homes:
            found.setdefault((homes[row.namespace], row.name), []).append(tuple(json.loads(row.path or "[]")))
    return found


def _unseen(
    conn: Connection, reads: Mapping[tuple[str, str], Iterable[FieldUse]], topics: Collection[str]
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the readers whose fields are not known, of each of the topics with these names."""
    found: dict[tuple[str, str], set[str]] = {}
    for row in (*observed(conn, topic=topics), *configured(conn, topic=topics)):
        key = (row.cluster, row.topic)
        known = {fact.program for fact in reads.get(key, ()) if fact.extent is not FieldExtent.UNRESOLVED}
        names = {row.application, *(identity.name for identity in row.identities)}
        if row.use == Direction.READS and row.kind not in _SQL and not names & known:
            found.setdefault(key, set()).add(row.application)
    for key, facts in reads.items():
        found.setdefault(key, set()).update(f.program for f in facts if f.extent is FieldExtent.UNRESOLVED)
    return {key: tuple(sorted(names)) for key, names in found.items()}

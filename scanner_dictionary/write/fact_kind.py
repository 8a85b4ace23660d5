"""The description of one kind of fact, and the rows of kinds whose cells are members of their facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Table
from sqlalchemy.sql.expression import FromClause

from scanner_dictionary.engine.rows import json_cell, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.facts import FactColumn, fact_columns, is_shared, table_of
from scanner_model.names import Fingerprint, SourceId
from scanner_model.scan import ClusterScan

Key = tuple[Any, ...]
"""What identifies a fact among those of its kind in one cluster, as the change log shows it."""

Ids = Mapping[Key, int]
"""Primary keys of stored rows by the keys of their facts."""

Name = tuple[str, ...]
"""What identifies a fact in a scan; problems show its parts."""


class Wanted(NamedTuple):
    """A row as a scan reports it; *parents* are the cells of columns that are set once."""

    key: Key
    source_id: int
    parents: tuple[Any, ...]
    values: tuple[Any, ...]


@dataclass(slots=True, kw_only=True)
class RowContext:
    """What rows refer to: the cluster, sources by name, definitions by fingerprint, rows of earlier kinds by kind.

    *confirmed_topics* are topics that a source which could not be read this time reported earlier.
    """

    cluster: int
    sources: Mapping[SourceId, int]
    definitions: Mapping[Fingerprint, int]
    ids: dict[str, Ids] = field(default_factory=dict)
    confirmed_topics: frozenset[str] = frozenset()


Reader = Callable[[Any], Any]
"""How a cell is read from a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """Rows that belong to a fact and change with it.

    *parent* is the column of *table* that refers to the fact, *member* the fact's member that lists them, *cells*
    converts one of them to the cells that follow the ordinal.
    """

    table: Table
    parent: str
    member: str
    cells: Callable[[Any], Key]

    def rows(self, fact: Any) -> tuple[Key, ...]:  # noqa: ANN401 - of any kind
        """Return the cells of each child of *fact*."""
        return tuple(map(self.cells, getattr(fact, self.member)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a fact of a scan must satisfy to be stored.

    *name* returns its name, which is unique in its kind; *required* a member that must not be empty; *parents* the
    (kind, name) pairs of other facts that the scan must contain.
    """

    name: Callable[[Any], Name]
    required: Callable[[Any], object]
    parents: Callable[[Any], tuple[tuple[str, Name], ...]] = lambda _: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKind:
    """One kind of fact: where a scan lists it, how it is checked, stored and compared.

    *name* is its name in the change log, *type* the class of its facts.
    *key* are the expressions over *joined* (the table and those that it needs) that identify a row within its
    *cluster*, *name_index* the position in the key of the name that a source may list as unread. *parents* are columns
    set once, when a fact is added; *values* those compared in every scan, and with them *children* as a last value.
    *rows* converts the facts of a scan. *rule* is None for facts that are derived from those of another kind.
    *shared*: the key does not depend on the source. *logged* is False where values differ in every scan: such a kind
    is left out of the change log and the counts.
    """

    name: str
    type: type
    table: Table
    joined: FromClause
    cluster: ColumnElement[int]
    key: tuple[ColumnElement[Any], ...]
    name_index: int
    parents: tuple[str, ...]
    values: tuple[str, ...]
    rows: Callable[[ClusterScan, RowContext], Iterable[Wanted]]
    rule: Rule | None = None
    children: Children | None = None
    shared: bool = False
    logged: bool = True


_NOT_COMPARED = frozenset({"id", "source_id", "first_seen", "last_seen", "gone"})


def value_columns(table: Table, *parents: str) -> tuple[str, ...]:
    """Return the columns of *table* that every scan compares: neither *parents* nor those that all kinds have."""
    others = _NOT_COMPARED.union(parents)
    return tuple(column.name for column in table.columns if column.name not in others)


def cluster_kind(fact_type: type, **options: Any) -> FactKind:  # noqa: ANN401 - members of FactKind
    """Return the kind of facts that belong to the cluster itself and whose cells are members of the facts.

    A fact is identified by its keys and, unless it is shared, by its source; one of the keys must not be empty.
    *options* are other members of the kind, and *required* another condition of its rule.
    """
    table, columns = table_of(fact_type), fact_columns(fact_type)
    shared = is_shared(table)
    keys, values = _readers(columns, are_keys=True), _readers(columns, are_keys=False)
    identity: list[Reader] = [*([] if shared else [attrgetter("source")]), *keys.values()]
    required = options.pop("required", lambda fact: any(read(fact) for read in keys.values()))
    described: dict[str, Any] = {
        "name": table.name,
        "joined": table if shared else table.join(t.source),
        "cluster": table.c.cluster_id,
        "key": (*(() if shared else (t.source.c.name,)), *(table.c[column] for column in keys)),
        "name_index": 0 if shared or not keys else 1,
        "rule": Rule(name=lambda fact: tuple(_text(read(fact)) for read in identity), required=required),
    }
    return FactKind(
        type=fact_type,
        table=table,
        parents=("cluster_id", *keys),
        values=tuple(values),
        rows=_member_rows(
            fact_type, list(keys.values()), list(values.values()), options.get("children"), shared=shared
        ),
        shared=shared,
        **(described | options),
    )


def _readers(columns: Iterable[FactColumn], *, are_keys: bool) -> dict[str, Reader]:
    """Return how the cells of *columns* are read from a fact, by name: of those that are keys, or of the others."""
    return {column.name: _reader(column) for column in columns if column.is_key is are_keys}


def _reader(column: FactColumn) -> Reader:
    read: Reader = attrgetter(column.member)
    if not column.declared.mapping:
        return read
    return lambda fact: dict(read(fact))


def _member_rows(
    fact_type: type[Any], keys: list[Reader], values: list[Reader], children: Children | None, *, shared: bool
) -> Callable[[ClusterScan, RowContext], Iterator[Wanted]]:
    """Return the conversion of a scan's facts to rows whose cells are the facts' members."""

    def rows(scan: ClusterScan, context: RowContext) -> Iterator[Wanted]:
        for fact in scan.of(fact_type):
            named = tuple(_cell(read(fact)) for read in keys)
            cells = tuple(_cell(read(fact)) for read in values)
            if children:
                cells = (*cells, children.rows(fact))
            key = named if shared else (storable(fact.source), *named)
            yield Wanted(key, context.sources[fact.source], (context.cluster, *named), cells)

    return rows


def member_cells(fact_type: type) -> Callable[[Any], Key]:
    """Return the conversion of a part of a fact to its cells."""
    readers = tuple(map(_reader, fact_columns(fact_type)))
    return lambda part: tuple(_cell(read(part)) for read in readers)


def _cell(value: Any) -> Any:  # noqa: ANN401 - what the column holds
    match value:
        case str():
            return storable(str(value))
        case tuple() | dict():
            return json_cell(value)
        case frozenset():
            return json_cell(sorted(value))
        case _:
            return value


def _text(value: object) -> str:
    return "" if value is None else str(value)

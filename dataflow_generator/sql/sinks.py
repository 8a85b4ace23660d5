"""Into which columns of its sink a query's columns go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from dataflow_generator.sql.analysis import Analysis, TooLarge
from dataflow_generator.sql.catalog import KnownTable
from dataflow_generator.sql.flows import Effect, Flow, Place
from dataflow_generator.sql.lineage import EFFECTS, Origin
from dataflow_generator.sql.naming import unique
from dataflow_generator.sql.nodes import Definition, Insertion, Part, Parts
from dataflow_generator.sql.scopes import Column, Rows
from scanner_model.paths import ColumnPath

_NOT_PERSISTED = (Part.COMPUTED, Part.VIRTUAL)


MOST_FLOWS = 10_000
"""Flows that one statement may have; a thousand columns made of five each are 5,000."""


def flows(columns: Iterable[Column], sink: str, analysis: Analysis) -> tuple[Flow, ...]:
    """Give the flows into *sink*, sorted: those of each column, and those that bear on all of its rows.

    Raises TooLarge where there are more than we follow.
    """
    found = set(islice(_flows(columns, analysis), MOST_FLOWS + 1))
    if len(found) > MOST_FLOWS:
        raise TooLarge
    places = {origin: Place(*origin) for _, origin, _ in found}
    return tuple(Flow(Place(sink, path), places[origin], effect) for path, origin, effect in sorted(found))


def _flows(columns: Iterable[Column], analysis: Analysis) -> Iterator[tuple[ColumnPath, Origin, Effect]]:
    for column in columns:
        yield from _flows_into((column.name,), column)
    for origin, effect in analysis.effects:
        yield (), origin, effect


def _flows_into(path: ColumnPath, column: Column) -> Iterator[tuple[ColumnPath, Origin, Effect]]:
    for each in column.fields:
        yield from _flows_into((*path, each.name), each)
    if column.fields:
        return
    for origin, strength in column.value.direct.items():
        yield path, origin, EFFECTS[strength]
    for origin, effect in column.value.indirect:
        yield path, origin, effect


def named(rows: Rows, names: Parts, *, flink: bool) -> tuple[Column, ...]:
    """Name a result's columns: by *names* as far as they go, and so that no two are alike."""
    own = [column.name for column in rows.columns]
    given = [*names[: len(own)], *own[len(names) :]]
    chosen = unique(given) if flink else given
    if chosen == own:
        return rows.columns
    return tuple(Column(name, one.value, one.type) for name, one in zip(chosen, rows.columns, strict=True))


def defined(found: Definition, rows: Rows, analysis: Analysis) -> tuple[Column, ...]:
    """Name the columns of a table or view made by a query."""
    # A table's list of names only orders them; a view's renames.
    return named(rows, found.names if found.view else (), flink=analysis.flink)


def inserted(found: Insertion, rows: Rows, known: KnownTable | None, analysis: Analysis) -> tuple[Column, ...]:
    """Name the columns of a sink that a query is inserted into.

    ksqlDB goes by names; Flink by position among the columns listed, or all that are stored. Where nobody knows these,
    the query's own names stand, and that is noted.
    """
    if found.columns is None and not analysis.flink:
        return rows.columns
    targets = found.columns
    if targets is None and known is not None and known.complete:
        targets = tuple(
            one.name for one in known.columns if one.part not in _NOT_PERSISTED and one.name not in found.fixed
        )
    if targets is None:
        sink = ".".join(found.name)
        what = f"the columns of {sink} are not known: the query's names are taken for them"
        if any(column.value.direct for column in rows.columns):
            analysis.note(found.at, what, f"give the DDL of {sink}")
        return named(rows, (), flink=analysis.flink)
    if rows.open:
        return ()
    if len(targets) != len(rows.columns):
        what = f"{len(rows.columns)} columns go into {len(targets)} of {'.'.join(found.name)}"
        analysis.note(found.at, what, "check the statement against the DDL")
    pairs = zip(targets, rows.columns, strict=False)
    return tuple(Column(name, one.value, one.type) for name, one in pairs)

"""Schema definitions and their columns: new ones are added, known ones are never touched again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t
from scanner_dictionary.bulk import in_chunks, insert_rows
from scanner_dictionary.cells import column_cells, problems_cell, storable
from scanner_dictionary.store import next_id
from scanner_model.names import Fingerprint
from scanner_model.schemas import Definition

_FINGERPRINTS_AT_ONCE = 500


def write_definitions(conn: Connection, definitions: Sequence[Definition], scan: int) -> dict[Fingerprint, int]:
    """Store what is new, found by scan number *scan*; gives the keys of all of *definitions*."""
    known = _known(conn, [each.fingerprint for each in definitions])
    new = sorted((each for each in definitions if each.fingerprint not in known), key=lambda each: each.fingerprint)
    first = next_id(conn, t.schema_definition)
    insert_rows(conn, t.schema_definition, (_cells(first + i, each, scan) for i, each in enumerate(new)))
    insert_rows(conn, t.schema_column, _columns(first, new))
    return known | {each.fingerprint: first + i for i, each in enumerate(new)}


def _known(conn: Connection, fingerprints: Iterable[Fingerprint]) -> dict[Fingerprint, int]:
    definition = t.schema_definition.c
    found: dict[Fingerprint, int] = {}
    for chunk in in_chunks(fingerprints, _FINGERPRINTS_AT_ONCE):
        rows = conn.execute(select(definition.fingerprint, definition.id).where(definition.fingerprint.in_(chunk)))
        found.update((Fingerprint(fingerprint), id_) for fingerprint, id_ in rows)
    return found


def _cells(id_: int, each: Definition, scan: int) -> tuple[Any, ...]:
    text, problems = storable(each.text), problems_cell(each.problems)
    name, count = storable(each.name), len(each.columns)
    return id_, each.fingerprint, storable(each.format), name, text, problems, count, scan


def _columns(first: int, definitions: Iterable[Definition]) -> Iterator[tuple[Any, ...]]:
    for id_, each in enumerate(definitions, first):
        for ordinal, column in enumerate(each.columns):
            yield id_, ordinal, *column_cells(column)

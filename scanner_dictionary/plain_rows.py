"""Facts whose rows are their own members: one function for all of their kinds."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from scanner_dictionary.cells import column_cells, json_cell, storable
from scanner_dictionary.entities import Entity
from scanner_dictionary.merge import Key, Wanted
from scanner_dictionary.rows import Known
from scanner_model.columns import Column


def plain_row(entity: Entity, fact: Any, known: Known) -> Wanted:  # noqa: ANN401 - of any of those kinds
    """Give the row of *fact*: the cells of its entity's columns are the fact's members of the same names."""
    named = tuple(_cell(getattr(fact, name)) for name in entity.parents[1:])
    values = tuple(_cell(getattr(fact, name)) for name in entity.values)
    if entity.children:
        values = (*values, _columns(fact.columns))
    key = (storable(fact.source), *named)
    return Wanted(key, known.sources[fact.source], (known.cluster, *named), values)


def _columns(columns: Iterable[Column]) -> tuple[Key, ...]:
    return tuple(column_cells(column) for column in columns)


def _cell(member: Any) -> Any:  # noqa: ANN401 - what the member's column holds
    match member:
        case StrEnum() | str():
            return storable(str(member))
        case tuple():
            return json_cell(member)
        case _:
            return member

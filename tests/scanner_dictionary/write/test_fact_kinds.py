"""Each kind of fact is one row of a table: it must agree with the model, the tables and the kinds before it."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from scanner_dictionary.schema.tables import metadata
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_model.scan import ClusterScan

_MEMBERS = get_type_hints(ClusterScan)
_NOT_KINDS = {"cluster", "outcomes", "problems", "definitions", "others"}

every_kind = pytest.mark.parametrize("kind", FACT_KINDS, ids=lambda kind: kind.name)


@every_kind
def test_kind_has_the_type_that_its_member_lists(kind) -> None:
    """A row copied from another kind would read the members of the wrong facts."""
    assert kind.member not in _MEMBERS or get_args(_MEMBERS[kind.member]) == (kind.type, ...)


@every_kind
def test_kind_covers_every_column_of_its_table(kind) -> None:
    """A column that neither the key nor the values have would stay empty in every row."""
    others = {"id", "source_id", "first_seen", "last_seen", "gone"}

    assert sorted((*kind.parents, *kind.values)) == sorted({*kind.table.columns.keys()} - others)


@every_kind
def test_kind_comes_after_the_kinds_that_its_rows_refer_to(kind) -> None:
    """Kinds are written in the table's order, and a row needs the keys of its parents."""
    names = {other.table.name for other in FACT_KINDS}
    earlier = {other.table.name for other in FACT_KINDS[: FACT_KINDS.index(kind)]}

    assert {key.column.table.name for key in kind.table.foreign_keys} & names <= earlier


def test_every_list_of_facts_of_a_scan_has_a_kind() -> None:
    """What a scan lists and no kind stores would be lost silently."""
    assert {field.name for field in fields(ClusterScan)} - _NOT_KINDS <= {kind.member for kind in FACT_KINDS}


def test_every_table_of_facts_has_one_kind() -> None:
    """A table whose rows record since when they exist holds facts, and only kinds are marked gone and counted."""
    tables = [table.name for table in metadata.sorted_tables if {"source_id", "gone"} <= set(table.columns.keys())]

    assert sorted(kind.table.name for kind in FACT_KINDS) == sorted(tables)


def test_names_of_kinds_are_unique() -> None:
    """The change log reports kinds apart by their names alone."""
    assert len({kind.name for kind in FACT_KINDS}) == len(FACT_KINDS)

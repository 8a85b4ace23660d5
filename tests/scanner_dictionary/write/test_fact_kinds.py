"""Each kind of fact is one row of a table: it must agree with the model, the tables and the kinds before it."""

from __future__ import annotations

import pytest

from scanner_dictionary.schema.tables import metadata
from scanner_dictionary.write.fact_kinds import FACT_KINDS

every_kind = pytest.mark.parametrize("kind", FACT_KINDS, ids=lambda kind: kind.name)


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


def test_every_table_of_facts_has_one_kind() -> None:
    """A table whose rows record since when they exist holds facts, and only kinds are marked gone and counted."""
    tables = [table.name for table in metadata.sorted_tables if {"source_id", "gone"} <= set(table.columns.keys())]

    assert sorted(kind.table.name for kind in FACT_KINDS) == sorted(tables)


def test_names_of_kinds_are_unique() -> None:
    """The change log reports kinds apart by their names alone."""
    assert len({kind.name for kind in FACT_KINDS}) == len(FACT_KINDS)

"""The tables and their reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Column, text

from scanner_dictionary.schema.tables import metadata

DOCS = Path(__file__).parents[3] / "docs"
RESERVED = {"column", "default", "group", "key", "limit", "offset", "order", "role", "row", "rows", "table", "text"} | {
    *("type", "user", "value", "values", "where", "window", "year"),
}
"""Words that H2, PostgreSQL or a common SQL tool would want quoted."""

COLUMNS = [column for table in metadata.tables.values() for column in table.columns]


@pytest.mark.parametrize("column", COLUMNS, ids=str)
def test_every_column_is_explained_and_needs_no_quoting(column: Column) -> None:
    """People write SQL against them, in three databases."""
    assert column.doc
    assert column.name not in RESERVED
    assert column.table.name not in RESERVED


def test_example_of_the_reference_runs(dictionary, store, sample) -> None:
    """An example that does not run misleads."""
    example = (DOCS / "dictionary.md").read_text(encoding="utf-8").partition("```sql\n")[2].partition("```")[0]
    store(sample.orders())
    with dictionary.connect() as conn:
        rows = [tuple(row) for row in conn.execute(text(example))]

    assert rows == [
        ("orders", "key", "id", "string", 0),
        ("orders", "value", "id", "string", 0),
        ("orders", "value", "amount", "string", 0),
    ]

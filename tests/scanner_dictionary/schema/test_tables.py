"""The tables and their reference."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from scanner_dictionary.schema.tables import metadata

DOCS = Path(__file__).parents[3] / "docs"
RESERVED = {
    "by",
    "column",
    "day",
    "default",
    "group",
    "key",
    "limit",
    "offset",
    "order",
    "role",
    "row",
    "rows",
    "table",
    "text",
} | {
    *("type", "user", "value", "values", "where", "window", "year"),
}
"""Words that H2, PostgreSQL or a common SQL tool would want quoted."""

COLUMNS = [column for table in metadata.tables.values() for column in table.columns]


def test_every_column_is_explained_and_needs_no_quoting() -> None:
    """People write SQL against them, in three databases."""
    assert [str(column) for column in COLUMNS if not column.doc] == []
    assert [str(column) for column in COLUMNS if {column.name, column.table.name} & RESERVED] == []


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

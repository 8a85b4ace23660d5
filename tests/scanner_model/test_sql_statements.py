"""Every statement of a file is read, moves no data, or is reported with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.sql_statements import unread_statements


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE SOURCE CONNECTOR c WITH ('a' = 'b')",
        "CREATE SINK CONNECTOR IF NOT EXISTS c WITH ('a' = 'b')",
        "CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT 1",
        "CREATE SINK s FROM v",
        "CREATE SOURCE s FROM KAFKA CONNECTION k",
        "create source if not exists s (a INT)",
        "COPY a FROM b",
    ],
)
def test_statement_that_is_not_read_has_its_line_and_reason(statement: str) -> None:
    """Silence would say that nothing reads the topic."""
    (unread,) = unread_statements(f"-- a; comment\nINSERT INTO a SELECT ';' FROM b;\n\n  {statement};\nUSE c;")

    assert unread.line == 4
    assert statement.startswith(unread.opening)
    assert unread.why


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1",
        "CREATE OR REPLACE SOURCE TABLE t (a INT)",
        "CREATE STREAM s AS \\\n SELECT a FROM t; \\\n",
        "CREATE TEMPORARY SYSTEM FUNCTION f AS 'x'",
        "CREATE MATERIALIZED TABLE t AS SELECT 1",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END",
        "BEGIN STATEMENT SET; END",
        "(SELECT 1) UNION (SELECT 2)",
        "DROP CONNECTOR c",
        "SHOW TABLES",
        "",
        "'",
    ],
)
def test_what_is_read_or_moves_no_data_is_not_reported(statement: str) -> None:
    """A warning for every SET would hide the others."""
    assert not list(unread_statements(statement))


@given(st.text("CREATE SINK;'\"`/*-\\\n(", max_size=40))
def test_any_text_is_divided_into_statements(sql: str) -> None:
    """A file holds anything."""
    assert all(1 <= unread.line <= sql.count("\n") + 1 for unread in unread_statements(sql))

"""Tables of statements that could not be read: exact names, and none that is not one."""

from __future__ import annotations

import pytest

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_sql

BROKEN = " ?? ?? "
"""What no grammar knows, so that the tables come from the tokens alone."""


@pytest.mark.parametrize(
    ("text", "sources", "sinks"),
    [
        ("INSERT INTO s SELECT a FROM t JOIN u ON 1, v WHERE b IN (SELECT c FROM w)", "t u v w", "s"),
        ("INSERT OVERWRITE TABLE `a.b`.s SELECT EXTRACT(DAY FROM x), y IS DISTINCT FROM z FROM t", "t", "`a.b`.s"),
        ("INSERT INTO s WITH c AS (SELECT a FROM t), d (x) AS (SELECT * FROM c) SELECT x FROM d", "t", "s"),
        ("CREATE OR REPLACE TEMPORARY VIEW IF NOT EXISTS v AS SELECT a FROM c.d.t", "c.d.t", "v"),
        ("SELECT a FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(x))), LATERAL TABLE(f(y))", "t", ""),
        ("SELECT a FROM f(x), (SELECT b FROM t) AS q, u", "t u", ""),
        ("CREATE TABLE t (a INT METADATA FROM 'b')", "", ""),
        ("DELETE x FROM", "", ""),
    ],
)
def test_tables_are_found_without_phantoms(text: str, sources: str, sinks: str) -> None:
    """FROM is a clause only behind a SELECT of the same brackets; named queries and functions are no tables."""
    (result,) = read_sql(text + BROKEN, Dialect.FLINK)

    assert (" ".join(result.sources), " ".join(result.sinks)) == (sources, sinks)


def test_a_view_is_followed_also_where_columns_are_not_reported() -> None:
    """Tables are base tables in every answer."""
    result = read_sql("CREATE VIEW v AS SELECT a FROM t; INSERT INTO s SELECT a FROM v" + BROKEN, Dialect.FLINK)

    assert result[-1].sources == ("t",)
    assert result[-1].problems


def test_what_an_unread_statement_creates_is_known_to_exist() -> None:
    """Later statements read it by the names they use."""
    text = f"CREATE STREAM s AS SELECT a FROM t {BROKEN}; CREATE STREAM r AS SELECT b FROM s EMIT CHANGES;"
    result = read_sql(text, Dialect.KSQLDB)[-1]

    assert [(flow.source.dataset, flow.source.path) for flow in result.flows] == [("S", ("B",))]


def test_a_problem_states_what_stands_where() -> None:
    """Line, column, what is expected and what is there."""
    (result,) = read_sql("SELECT a\nFROM t\nWHERE = 1", Dialect.FLINK)

    assert (result.problems[0].where, result.problems[0].what) == ("3:7", "expected an expression, got '='")

"""No text makes the reader hang, recurse without bound or raise: what it cannot read is a problem with its place."""

from __future__ import annotations

import random
import re

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import StatementFlows
from dataflow_generator.sql.reader import INTERNAL, read_sql

PIECES = """
    SELECT FROM WHERE a b t * , ( ) [ ] -> => . ; ' " ` JOIN ON WITH AS INSERT INTO CREATE TABLE STREAM CASE WHEN END
    OVER PARTITION BY GROUP ORDER UNION TUMBLE DESCRIPTOR LATERAL UNNEST MATCH_RECOGNIZE PATTERN DEFINE 1 := ${ --
    /* */ = INTERVAL NOT IN IS NULL ROW<a INT> LIKE VALUES EMIT CHANGES WINDOW BEGIN STATEMENT SET USE
"""
WORDS = st.sampled_from(PIECES.split())
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))
VALID = (
    "CREATE STREAM t AS SELECT a->b, COUNT(*) c FROM s WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY a->b EMIT CHANGES;",
    "INSERT INTO t (a) WITH c AS (SELECT x FROM s) SELECT SUM(x) OVER (PARTITION BY k) FROM c AS d JOIN e USING (x);",
    "CREATE TABLE t (a ROW<b INT>, c AS a.b, WATERMARK FOR d AS d - INTERVAL '1' DAY) WITH ('connector' = 'kafka');",
)
LONG = {
    "brackets": "SELECT " + "(" * 4900 + "a" + ")" * 4900 + " FROM t",
    "open brackets": "SELECT a FROM " + "(" * 9900,
    "calls": "SELECT " + "f(" * 2400 + "a" + ")" * 2400 + " FROM t",
    "cases": "SELECT " + "CASE WHEN a THEN " * 500 + "1" + " END" * 500 + " FROM t",
    "subqueries": "SELECT * FROM (" * 600 + "t" + ")" * 600,
    "conditions": "SELECT a FROM t WHERE " + " AND ".join(f"c{n} = 1" for n in range(900)),
    "joins": "SELECT * FROM t " + " ".join(f"JOIN t{n} ON t{n}.a = t.a" for n in range(350)),
    "unions": " UNION ALL ".join(["SELECT a FROM t"] * 500),
    "types": "CREATE TABLE t (a " + "ARRAY<" * 1500 + "INT" + ">" * 1500 + ")",
    "named queries": "WITH c0 AS (SELECT a FROM t), "
    + ", ".join(f"c{n} AS (SELECT a FROM c{n - 1})" for n in range(1, 280))
    + " SELECT a FROM c279",
    "doubling stars": "CREATE TABLE t (a INT, b INT); WITH c0 AS (SELECT * FROM t), "
    + ", ".join(f"c{n} AS (SELECT * FROM c{n - 1} x, c{n - 1} y)" for n in range(1, 200))
    + " SELECT * FROM c199",
    "dots": "SELECT " + "a." * 4900 + "a FROM t",
    "arrows": "SELECT " + "a->" * 3200 + "a FROM t",
    "subscripts": "SELECT a" + "[1]" * 3000 + " FROM t",
    "quotes": "'" * 9999,
    "comments": "/*" * 5000,
    "equal names": "SELECT " + ",".join(["a"] * 4900) + " FROM t",
}


@pytest.mark.parametrize("dialect", Dialect)
@given(text=TEXTS)
@examples(150)
def test_any_text_is_read_without_an_exception(dialect: Dialect, text: str) -> None:
    """Whatever a server or a file hands over, a scan goes on."""
    result = read_sql(text, dialect)

    assert all(isinstance(item, StatementFlows) for item in result)
    assert result == read_sql(text, dialect)


@pytest.mark.no_cover
@pytest.mark.parametrize("dialect", Dialect)
def test_mutated_statements_are_read_without_an_exception(dialect: Dialect) -> None:
    """Damage to valid statements finds what random words do not; `benchmarks/sql_fuzz.py` does it 100,000 times."""
    dice = random.Random(7)
    for _ in range(1000):
        text = dice.choice(VALID)
        at, end = sorted((dice.randrange(len(text)), dice.randrange(len(text))))
        result = read_sql(dice.choice((text[:at] + text[end:], text[:end] + text[at:], text[at:end] * 3)), dialect)

        assert all(isinstance(item, StatementFlows) for item in result)


NAMES = st.one_of(
    st.sampled_from(("“f”", "{{ f }}", "<name>", "'f'", "$(f)", "%s", "«a»", "[n]", "#{n}", "", "..", "`", '""', "é")),
    st.text(max_size=8),
)
NAMED = re.compile(r"\b(TABLE|STREAM|VIEW|INTO|FROM|JOIN|AS) \w+")
STATEMENTS = (
    *VALID,
    "CREATE OR REPLACE TABLE t WITH (KAFKA_TOPIC='x') AS SELECT * FROM s EMIT CHANGES;",
    "CREATE VIEW v AS SELECT a FROM t; INSERT INTO s SELECT * FROM v;",
    "CREATE STREAM t (a INT) WITH (KAFKA_TOPIC='x'); ALTER TABLE t RENAME TO u; DROP VIEW t;",
    "CREATE TABLE t LIKE s; ALTER TABLE t ADD a INT; CREATE TEMPORARY VIEW t (a) AS TABLE s;",
)


@pytest.mark.parametrize("dialect", Dialect)
@given(statement=st.sampled_from(STATEMENTS), names=st.lists(NAMES, min_size=1, max_size=4), dice=st.randoms())
@examples(150)
def test_a_statement_with_any_text_in_place_of_a_name_is_read_by_its_rules(
    dialect: Dialect, statement: str, names: list[str], dice: random.Random
) -> None:
    """Templates, typographic quotes and a missing name are a problem of the statement, never a defect of the reader."""
    text = NAMED.sub(lambda match: dice.choice((match[0], *(f"{match[1]} {name}" for name in names))), statement)
    result = read_sql(f"{text}; SELECT a FROM t", dialect)

    assert not [problem for item in result for problem in item.problems if problem.what.startswith(INTERNAL)]


@pytest.mark.parametrize("name", ["“f”", "{{ f }}", "<name>", "'f'", "", "%(name)s", "#{name}", "(SELECT a)"])
@pytest.mark.parametrize("kind", ["STREAM", "TABLE", "OR REPLACE STREAM"])
def test_a_definition_without_a_name_is_one_problem_beside_the_others(kind: str, name: str) -> None:
    """Such statements are in files as pasted from a page, and in templates."""
    text = f"CREATE {kind} {name} AS SELECT * FROM s; CREATE STREAM b WITH (KAFKA_TOPIC='t') AS SELECT a FROM s;"
    unnamed, other = read_sql(text, Dialect.KSQLDB)

    assert unnamed.problems
    assert (unnamed.sources, unnamed.sinks) == (("S",), ())
    assert (other.sinks, other.problems) == (("B",), ())


@pytest.mark.no_cover
@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("dialect", Dialect)
def test_work_grows_with_the_text_whatever_its_shape(shape: str, dialect: Dialect, calls) -> None:
    """At most 40 calls a character are made today; work that grows with the square makes thousands."""
    result: list[StatementFlows] = []
    counted = calls(lambda: result.extend(read_sql(LONG[shape], dialect)))

    assert counted.total() < 150 * len(LONG[shape])
    assert result


def test_about_a_hundred_brackets_are_read() -> None:
    """A real test of ksqlDB nests that many."""
    (result,) = read_sql("SELECT " + "(" * 110 + "a" + ")" * 110 + " FROM t;", Dialect.KSQLDB)

    assert not result.problems
    assert [flow.source.path for flow in result.flows] == [("A",)]


def test_a_statement_that_is_nested_too_deeply_still_reports_its_tables() -> None:
    """The bound costs columns, never the flow."""
    (result,) = read_sql("INSERT INTO s SELECT " + "(" * 500 + "a" + ")" * 500 + " FROM t", Dialect.FLINK)

    assert (result.sources, result.sinks, result.flows) == (("t",), ("s",), ())
    assert result.problems[0].where.startswith("1:")


def test_a_long_chain_of_named_queries_keeps_its_columns() -> None:
    """Each is resolved before the next, so the chain's length is no depth."""
    (result,) = read_sql(LONG["named queries"], Dialect.FLINK)

    assert [(flow.source.dataset, flow.source.path) for flow in result.flows] == [("t", ("a",))]


def test_more_columns_than_can_be_followed_are_reported_as_a_problem() -> None:
    """A few stars over each other multiply without end."""
    result = read_sql(LONG["doubling stars"], Dialect.FLINK)[-1]

    assert result.sources == ("t",)
    assert "too many columns" in result.problems[0].what


def test_one_statement_fails_alone() -> None:
    """The others keep their columns."""
    result = read_sql("SELECT a FROM t;\nSELECT 1 +;\nSELECT b FROM u", Dialect.FLINK)

    assert [len(statement_flows.problems) for statement_flows in result] == [0, 1, 0]
    assert result[1].problems[0].where == "2:11"
    assert result[2].flows

"""Two texts of a statement: what counts as a change, and how it is called."""

from __future__ import annotations

import pytest

from dataflow_generator.sql.comparison import difference, same_statement
from dataflow_generator.sql.lexer import Dialect

QUERY = "INSERT INTO s SELECT id, 'a  b' AS n FROM t WHERE id > 1"


@pytest.mark.parametrize(
    "text",
    [
        QUERY,
        f"{QUERY};",
        f"  -- why\n{QUERY.replace(' FROM', ' /* here */' + chr(10) + ' FROM')} ;",
        "insert into s select id, 'a  b' as n from t where id>1",
    ],
)
def test_comments_blanks_and_the_case_of_keywords_do_not_count(text) -> None:
    assert same_statement(QUERY, text, Dialect.FLINK)
    assert difference(QUERY, text, Dialect.FLINK) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'a  b'", "'a b'"),
        ("'a  b'", "'A  b'"),
        ("> 1", "> 10"),
        ("> 1", ">= 1"),
        (" id,", " ID,"),
        ("FROM t", "FROM T"),
        ("FROM t", "FROM t /*+ OPTIONS('topic'='x') */"),
        ("AS n", "AS `n`"),
        ("AS n", "AS N"),
    ],
)
def test_names_literals_and_hints_count_in_flink(old, new) -> None:
    assert not same_statement(QUERY, QUERY.replace(old, new), Dialect.FLINK)
    assert difference(QUERY, QUERY.replace(old, new), Dialect.FLINK)


def test_a_hint_may_be_written_otherwise() -> None:
    before = "SELECT id FROM t /*+ OPTIONS('topic'='x') */"

    assert same_statement(before, "SELECT id FROM t /*+options ( 'topic' = 'x' )*/", Dialect.FLINK)
    assert not same_statement(before, before.replace("'x'", "'y'"), Dialect.FLINK)


def test_names_without_quotes_are_folded_in_ksqldb() -> None:
    before = "CREATE STREAM s AS SELECT id FROM t EMIT CHANGES;"

    assert same_statement(before, "create stream S as select ID from T emit changes", Dialect.KSQLDB)
    assert not same_statement(before, before.replace("id", "`id`"), Dialect.KSQLDB)


def test_a_statement_that_cannot_be_parsed_is_compared_word_by_word() -> None:
    assert same_statement("SELECT id !! 2 FROM t", "SELECT id  !! 2 FROM t -- x", Dialect.FLINK)
    assert not same_statement("SELECT id !! 2 FROM t", "select id !! 2 from t", Dialect.FLINK)


FLINK = [
    ("SELECT a FROM t WHERE a > 1 AND b", "SELECT a FROM t WHERE a > 2 AND b", "a literal in the WHERE condition"),
    ("SELECT id FROM t", "SELECT id FROM t WHERE id > 2", "the WHERE condition"),
    ("SELECT id FROM t WHERE id IN (1, 2)", "SELECT id FROM t WHERE id IN (1, 2, 3)", "an IN list"),
    ("SELECT id FROM t FETCH FIRST 3 ROWS ONLY", "SELECT id FROM t FETCH FIRST 5 ROWS ONLY", "FETCH FIRST"),
    ("SELECT id FROM t OFFSET 3 ROWS", "SELECT id FROM t", "OFFSET"),
    ("SELECT id FROM t", "SELECT id FROM t LIMIT 10", "LIMIT"),
    ("SELECT id FROM t TABLESAMPLE SYSTEM (10)", "SELECT id FROM t TABLESAMPLE SYSTEM (20)", "TABLESAMPLE"),
    (
        "SELECT t.id FROM t JOIN r FOR SYSTEM_TIME AS OF t.a ON t.id = r.id",
        "SELECT t.id FROM t JOIN r FOR SYSTEM_TIME AS OF t.b ON t.id = r.id",
        "FOR SYSTEM_TIME",
    ),
    (
        "CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('a' = 'b')",
        "CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '9' SECOND) WITH ('a' = 'b')",
        "WATERMARK",
    ),
    (
        "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'scan.startup.mode' = 'x')",
        "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'scan.startup.mode' = 'y')",
        "the option scan.startup.mode",
    ),
    ("CREATE TABLE t (id INT NOT NULL)", "CREATE TABLE t (id INT)", "a column definition"),
    ("SELECT id FROM t", "SELECT id FROM t /*+ OPTIONS('topic'='x') */", "a hint"),
    ("SELECT 1 AS n FROM t", "SELECT 2 AS n FROM t", "a literal in the SELECT list"),
    (
        "SELECT CASE WHEN a > 1 THEN b END AS n FROM t WHERE a = 1",
        "SELECT CASE WHEN a > 2 THEN b END AS n FROM t WHERE a = 2",
        "a literal in a CASE expression and a literal in the WHERE condition",
    ),
    (
        "SELECT id FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
        "SELECT id FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' HOUR))",
        "the window",
    ),
    ("SELECT id FROM t UNION SELECT id FROM r", "SELECT id FROM t UNION ALL SELECT id FROM r", "a set operation"),
    ("INSERT INTO s SELECT id FROM t", "INSERT INTO s SELECT id FROM t ON CONFLICT DO NOTHING", "ON CONFLICT"),
    ("CREATE TEMPORARY VIEW v AS SELECT id FROM t", "CREATE VIEW v AS SELECT id FROM t", "the start of the statement"),
]  # fmt: skip
KSQLDB = [
    (
        "CREATE STREAM s AS SELECT * FROM a JOIN b WITHIN 1 HOURS GRACE PERIOD 5 MINUTES ON a.id = b.id EMIT CHANGES",
        "CREATE STREAM s AS SELECT * FROM a JOIN b WITHIN 1 HOURS GRACE PERIOD 9 MINUTES ON a.id = b.id EMIT CHANGES",
        "GRACE PERIOD",
    ),
    (
        "CREATE TABLE s WITH (PARTITIONS=3) AS SELECT id, COUNT(*) FROM a WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY id",
        "CREATE TABLE s WITH (PARTITIONS=6) AS SELECT id, COUNT(*) FROM a WINDOW TUMBLING (SIZE 2 HOUR) GROUP BY id",
        "the option PARTITIONS and the window",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "phrase"), FLINK)
def test_a_difference_in_flink_has_the_name_of_its_clause(before, after, phrase) -> None:
    assert difference(before, after, Dialect.FLINK) == phrase


@pytest.mark.parametrize(("before", "after", "phrase"), KSQLDB)
def test_a_difference_in_ksqldb_has_the_name_of_its_clause(before, after, phrase) -> None:
    assert difference(before, after, Dialect.KSQLDB) == phrase


def test_a_difference_shows_no_value() -> None:
    """An option may be a secret."""
    before = "CREATE TABLE t (id INT) WITH ('password' = 'one')"

    assert difference(before, before.replace("one", "two"), Dialect.FLINK) == "the option password"


def test_many_differences_are_cut() -> None:
    before = "SELECT 1 AS n FROM t WHERE a = 1 GROUP BY b HAVING c = 1 ORDER BY d LIMIT 1"
    after = "SELECT 2 AS n FROM t WHERE a = 2 GROUP BY e HAVING c = 2 ORDER BY f LIMIT 2"

    assert difference(before, after, Dialect.FLINK).endswith(" and more")

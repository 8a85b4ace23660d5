"""Statements of SQL before and after: which differ in more than further columns."""

from __future__ import annotations

import pytest

from scanner_check.edits.statements import changed_codes, codes_of, decides_rows, names_table

BIG = "CREATE STREAM big AS SELECT id, total FROM orders WHERE near(a, b) > 1;"
FILL = "INSERT INTO t SELECT a, COUNT(*) AS n FROM o GROUP BY a;"
TABLE = "CREATE TABLE t (a INT, b DECIMAL(10, 2)) WITH ('connector' = 'kafka');"
WITH = "WITH c AS (SELECT a FROM o) INSERT INTO t SELECT a FROM c;"
NESTED = "CREATE TABLE t (a INT, b ARRAY<ROW<x INT, y INT>>) WITH ('connector' = 'kafka');"
DELIMITED = "CREATE STREAM s (a INT, b INT) WITH (kafka_topic='t', VALUE_FORMAT='DELIMITED');"
FURTHER = {
    "computed": (BIG, ("total FROM", "total, total * 2 AS twice FROM")),
    "with cases": (BIG, ("id,", "id, CASE WHEN total > 1 AND id IN (1, 2) THEN 'a' ELSE 'b' END AS size,")),
    "aggregated": (FILL, ("SELECT a", "SELECT a, MAX(x) AS m")),
    "declared inside": (TABLE, ("a INT,", "a INT, c ROW<x INT, y INT>,")),
    "in a structure": (NESTED, ("x INT,", "x INT, z INT,")),
    "at the end of a structure": (NESTED, ("y INT>", "y INT, z INT>")),
    "declared by a call": (TABLE, ("a INT,", "a INT, ts AS PROCTIME(),")),
    "through a common table": (WITH, ("SELECT a FROM", "SELECT a, x + 1 AS b FROM")),
    "in the list of the target": ("INSERT INTO t (a) SELECT a FROM o;", ("t (a) SELECT a", "t (a, b) SELECT a, b")),
}
OTHERS = {
    "computed otherwise": (BIG, ("total FROM", "total * 2 AS total FROM")),
    "an argument": (BIG.replace("id,", "near(a, b) AS id,"), ("near(a, b) AS", "near(a, x, b) AS")),
    "distinct": (BIG, ("SELECT", "SELECT DISTINCT")),
    "another source": (BIG, ("FROM", "FROM x,")),
    "a join": (BIG, ("orders", "orders JOIN x ON p = q")),
    "another key": (FILL, ("GROUP BY a", "GROUP BY a, b")),
    "a table function": (FILL, ("FROM o", "FROM o, LATERAL TABLE(f(x)) AS q")),
    "another type": (TABLE, ("10, 2", "10, 4")),
    "a key": (TABLE, ("))", "), PRIMARY KEY (a) NOT ENFORCED)")),
    "an option": (TABLE, ("'kafka'", "'kafka', 'topic' = 'x'")),
    "another part of a time": ("INSERT INTO t SELECT EXTRACT(HOUR FROM ts), a FROM o;", ("HOUR", "DAY")),
    "another condition inside": (WITH, ("FROM o", "FROM o WHERE x > 1")),
    "a union": (FILL, (";", " UNION ALL SELECT a, b FROM p;")),
    "a nested type": (NESTED, ("y INT", "y BIGINT")),
    "the order in a structure": (NESTED, ("x INT, y INT", "y INT, x INT")),
    "a value in a format without names": (
        TABLE.replace("'kafka'", "'kafka', 'format' = 'csv'"),
        ("a INT,", "a INT, c INT,"),
    ),
    "a value of a delimited record": (DELIMITED, ("a INT,", "a INT, c INT,")),
    "a limit": (FILL, (";", " LIMIT 5;")),
}


@pytest.mark.parametrize("name", FURTHER)
def test_further_column_is_no_other_statement(name: str) -> None:
    before, edit = FURTHER[name]

    assert changed_codes(codes_of(before), codes_of(before.replace(*edit))) == set()


@pytest.mark.parametrize("name", OTHERS)
def test_anything_else_is_another_statement(name: str) -> None:
    before, edit = OTHERS[name]
    assert edit[0] in before

    assert changed_codes(codes_of(before), codes_of(before.replace(*edit)))


@pytest.mark.parametrize(
    ("edit", "decides"),
    [
        (("> 1", "> 2"), True),
        (("total", "total AS sum"), False),
        (("orders", "orders2"), False),
        ((";", " EMIT FINAL;"), True),
    ],
)
def test_which_rows_there_are_is_no_matter_of_columns(edit: tuple[str, str], decides: bool) -> None:
    before, after = codes_of(BIG), codes_of(BIG.replace(*edit))

    assert decides_rows(before[0], after) is decides


@pytest.mark.parametrize(
    ("statement", "is_named"),
    [
        ("ALTER TABLE orders DROP COLUMN total;", True),
        ('DROP TABLE "Shop"."Orders";', True),
        ("DROP TABLE [db].[shop].[orders];", True),
        ("EXEC sp_rename N'[shop].[orders].[total]', N'sum', N'COLUMN';", True),
        ("CREATE VIEW v AS SELECT o.id FROM shop.orders o;", True),
        ("DROP SCHEMA shop CASCADE;", True),
        ("DROP TABLE archive.orders;", False),
        ("DROP TABLE [Archive].[Orders];", False),
        ("ALTER TABLE shop.customers DROP COLUMN orders_total;", False),
    ],
)
def test_a_statement_of_a_database_names_a_table_by_its_name_with_or_without_what_it_is_in(statement, is_named):
    (code,) = codes_of(statement)

    assert names_table(code, {("shop", "orders")}) is is_named

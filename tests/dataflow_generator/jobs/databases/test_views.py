"""Views as jobs: names in their texts become tables, and their columns those that they come from."""

from __future__ import annotations

import pytest

from dataflow_generator.jobs.databases.views import ViewReading, view_jobs
from dataflow_generator.jobs.model import Naming
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import path_name
from scanner_model.facts import Pairs
from scanner_model.names import SourceId

NAMING = Naming([])
SPACE = "postgres://dw:5432"
KNOWN = {
    "dw.report.orders": ("id", "total"),
    "dw.public.orders": ("id", "note"),
    "dw.public.customers": ("id", "email"),
    "dw.report.v": ("a", "b"),
}


def read(definition: str, space: str = SPACE, known=KNOWN, place=("dw", "report")) -> ViewReading:
    tables = {NAMING.dataset(space, name): tuple((part,) for part in columns) for name, columns in known.items()}
    parameters = tuple(zip(("database", "schema"), place, strict=False))
    (reading,) = view_jobs([view(space, ".".join((*place, "v")), definition, parameters)], tables, NAMING)
    return reading


def view(namespace: str, name: str, definition: str, parameters: Pairs, provider: str = "database") -> TableRow:
    return TableRow(
        source=SourceId("database:dw"),
        cluster="retail",
        provider=provider,
        namespace=namespace,
        name=name,
        kind="VIEW",
        definition=definition,
        parameters=parameters,
    )


def flows(reading: ViewReading) -> list[str]:
    return [
        f"{flow.source.dataset.name}#{path_name(flow.source.path or ())} {path_name(flow.target.path or ())}"
        for flow in reading.flows.columns
        if flow.type == "DIRECT"
    ]


def effects(reading: ViewReading) -> list[str]:
    return [
        f"{flow.source.dataset.name}#{path_name(flow.source.path or ())} {flow.subtype} {flow.target.dataset.name}"
        for flow in reading.flows.columns
        if flow.type == "INDIRECT" and flow.target.path is None
    ]


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("orders", "dw.report.orders"),
        ("public.orders", "dw.public.orders"),
        ("dw.public.orders", "dw.public.orders"),
        ("customers", "dw.public.customers"),
        ("missing", "dw.report.missing"),
    ],
)
def test_unqualified_name_is_of_the_views_own_schema_else_of_the_default_one(table, found) -> None:
    """PostgreSQL leaves schemas out that are on the path of the session."""
    reading = read(f"SELECT id AS a FROM {table}")

    assert [use.dataset.name for use in reading.flows.reads] == [found]
    assert flows(reading) == [f"{found}#id a"]


def test_star_over_a_table_that_is_known_is_its_columns() -> None:
    """SQLite and SQL Server keep the star in the text."""
    assert flows(read("SELECT * FROM orders")) == ["dw.report.orders#id id", "dw.report.orders#total total"]


def test_star_over_a_table_that_is_not_known_is_a_problem() -> None:
    """The view's columns are known; where they come from is not."""
    reading = read("SELECT * FROM missing")

    assert not reading.whole
    assert "missing" in reading.problems[0].what
    assert [use.dataset.name for use in reading.flows.reads] == ["dw.report.missing"]


def test_bare_column_of_a_join_is_of_the_table_that_has_it() -> None:
    """Texts as they were written seldom qualify every name."""
    reading = read("SELECT total AS a, email AS b FROM orders o JOIN customers c USING (id)")

    assert flows(reading) == ["dw.report.orders#total a", "dw.public.customers#email b"]
    assert reading.whole


def test_columns_that_filter_join_and_group_affect_the_view_as_a_whole() -> None:
    """As those of other statements do: a change of one of them changes which rows the view has."""
    reading = read("SELECT EMAIL AS a, sum(total) AS b FROM orders o JOIN customers c ON c.id = o.ID GROUP BY email")

    assert effects(reading) == [
        "dw.public.customers#email GROUP_BY dw.report.v",
        "dw.public.customers#id JOIN dw.report.v",
        "dw.report.orders#id JOIN dw.report.v",
    ]
    assert all(flow.target.path for flow in reading.flows.columns if flow.type == "DIRECT")


def test_view_that_reads_itself_is_not_affected_by_itself() -> None:
    """An incremental model selects what is newer than what it has."""
    reading = read("SELECT id AS a FROM orders WHERE total > (SELECT max(b) FROM v)")

    assert effects(reading) == ["dw.report.orders#total FILTER dw.report.v"]


def test_case_of_a_column_is_that_of_its_table() -> None:
    """SQL Server finds `ORDERID` in a table that has `OrderId`."""
    known = {"dw.dbo.Orders": ("OrderId",), "dw.dbo.v": ("Id",)}
    reading = read(
        "CREATE VIEW [dbo].[v] (ID) AS SELECT ORDERID FROM dbo.Orders", "sqlserver://h:1433", known, ("dw", "dbo")
    )

    assert flows(reading) == ["dw.dbo.Orders#OrderId Id"]


def test_name_of_a_database_of_its_own_is_complete() -> None:
    """MySQL's names have two parts, SQLite's one."""
    mysql = read("SELECT `o`.`id` AS `a` FROM `shop`.`orders` `o`", "mysql://h:3306", {}, ())
    sqlite = read("CREATE VIEW v AS SELECT id AS a FROM orders", "file:/data/shop.db", {}, ())

    assert flows(mysql) == ["shop.orders#id a"]
    assert flows(sqlite) == ["orders#id a"]


def test_evidence_names_the_view_and_its_source() -> None:
    """So that one finds the text."""
    (flow,) = read("SELECT id AS a FROM orders").flows.columns

    assert flow.evidence == "view dw.report.v of database:dw"


def test_thousand_views_cost_as_much_each_as_one(calls) -> None:
    """The work for a view does not grow with the number of others."""
    text = "SELECT o.id AS a, upper(c.email) AS b FROM orders o JOIN customers c ON c.id = o.id"
    read(text)
    once = sum(calls(lambda: read(text)).values())
    many = sum(calls(lambda: [read(text) for _ in range(20)]).values())

    assert many < 25 * once


def test_dialect_of_a_text_is_the_one_that_its_source_names() -> None:
    """A catalog's address is no dialect; engines write their own name of the catalog before the others."""
    known = {"shop.orders": ("id", "note")}
    text = "SELECT `id` AS `i d`, o.note FROM lake.shop.orders AS o"
    row = view("https://lake", "shop.v", text, (("dialect", "spark"), ("schema", "shop")), "iceberg")
    tables = {NAMING.dataset("https://lake", name): tuple((part,) for part in own) for name, own in known.items()}
    (reading,) = view_jobs([row], tables, NAMING)

    assert flows(reading) == ["shop.orders#id i d", "shop.orders#note note"]


def test_columns_that_only_decide_a_column_affect_it_indirectly() -> None:
    """A condition is no part of the value."""
    reading = read("SELECT CASE WHEN o.id > 1 THEN o.total END AS a FROM orders o")
    found = {(path_name(flow.source.path or ()), flow.type, flow.subtype) for flow in reading.flows.columns}

    assert found == {("total", "DIRECT", "TRANSFORMATION"), ("id", "INDIRECT", "CONDITIONAL")}
    assert {path_name(flow.target.path or ()) for flow in reading.flows.columns} == {"a"}


def test_view_that_is_read_in_part_is_marked() -> None:
    """Its job reads its tables, and some of its columns are missing."""
    whole, partly = read("SELECT id AS a FROM orders"), read("SELECT o.id AS a, nobody.x AS b FROM orders o")

    assert dict(partly.flows.job.attributes).get("partly_read") is True
    assert "partly_read" not in dict(whole.flows.job.attributes)
    assert (flows(partly), partly.whole) == (["dw.report.orders#id a"], False)


def test_view_that_filters_by_an_unknown_column_is_read_in_part() -> None:
    """It may be filtered by any column."""
    unclear = read("SELECT o.id AS a FROM orders o JOIN customers c ON c.id = o.id WHERE nowhere > 1")

    assert (dict(unclear.flows.job.attributes).get("partly_read"), unclear.is_unclear) == (True, True)
    assert "nowhere" in unclear.problems[0].what


def test_star_over_an_unknown_table_hides_no_other_table() -> None:
    """Only what the view reads may be among its columns."""
    star = read("SELECT * FROM missing")

    assert (dict(star.flows.job.attributes).get("partly_read"), star.is_unclear) == (True, False)


def test_column_without_a_name_is_the_one_that_the_database_lists_at_its_place() -> None:
    """SQLite and MySQL name it after its text."""
    assert flows(read("SELECT id, total * 2 FROM orders")) == [
        "dw.report.orders#id id",
        "dw.report.orders#total ?column?",
    ]
    known = {"orders": ("id", "total"), "v": ("id", "total * 2")}

    assert flows(read("CREATE VIEW v AS SELECT id, total * 2 FROM orders", "file:/d.db", known, ())) == [
        "orders#id id",
        "orders#total total * 2",
    ]


def test_system_table_is_of_the_catalog() -> None:
    """PostgreSQL leaves `pg_catalog` out."""
    assert [use.dataset.name for use in read("SELECT relname AS a FROM pg_class").flows.reads] == [
        "dw.pg_catalog.pg_class"
    ]

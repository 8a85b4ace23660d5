"""Databricks Unity Catalog: pages, nested columns, lineage by request and from system tables, refusals."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings, Lineage, Wanted
from scanner_extractor.systems.unity.catalog import read_unity
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.errors import SourceRefused
from scanner_model.scan import SourceStatus

SPACE = "unitycatalog://unity.example"


@pytest.fixture
def orders(unity):
    """Build a table with a nested column, partitioned."""
    return unity.table(
        "main.sales.orders",
        unity.column("day", "date", 1, partition_index=0),
        unity.column("address", unity.ADDRESS, 0, comment="where to", nullable=False),
        storage_location="s3a://lake/sales/orders/",
        comment="what was bought",
        properties={"delta.minReaderVersion": "1", "fs.secret.key": "zqSECRETzq"},
        pipeline_id="p-1",
    )


def test_table_is_read_with_columns_format_and_place(unity, orders, read) -> None:
    """In the order of their positions, whatever order they are listed in."""
    reading = read("unity", unity.Unity(tables=(orders,)), lineage=Lineage.NONE)
    table = reading.of(CatalogTable)[0]

    assert (table.namespace, table.name, table.kind, table.table_format) == (
        SPACE,
        "main.sales.orders",
        "MANAGED",
        "delta",
    )
    assert (table.owner, table.description, table.partition_keys) == ("lake@acme.example", "what was bought", ("day",))
    assert (table.created, table.updated) == ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z")
    assert table.symlinks == (("s3://lake", "sales/orders"),)
    assert [(c.name, c.type, c.nullable, c.doc) for c in table.columns] == [
        ("address", "struct", False, "where to"),
        ("address.city", "string", True, None),
        ("day", "date", True, None),
    ]


def test_what_is_not_read_is_kept_and_secrets_are_hidden(unity, orders, read) -> None:
    """A property that means nothing to us may mean something to people."""
    table = read("unity", unity.Unity(tables=(orders,)), lineage=Lineage.NONE).of(CatalogTable)[0]

    assert dict(table.parameters) == {"delta.minReaderVersion": "1", "fs.secret.key": "********", "pipeline_id": "p-1"}


def test_lists_are_read_page_by_page_over_an_empty_one(unity, read) -> None:
    """The documentation says that a page may be empty and lead on."""
    names = [f"main.s{schema}.t{number}" for schema in range(2) for number in range(3)]
    reading = read("unity", unity.Unity(tables=tuple(map(unity.table, names))), lineage=Lineage.NONE)

    assert [table.name for table in reading.of(CatalogTable)] == names
    assert reading.outcome.status is SourceStatus.READ
    assert (reading.outcome.received, reading.outcome.requested) == (6, 6)


def test_only_tables_that_matter_are_requested(unity, read) -> None:
    """Names are not looked up; what Databricks fills itself is read only where it is named."""
    names = ["main.a.x", "main.b.x", "main.b.y", "main.information_schema.tables", "system.access.audit", "dev.b.x"]
    server = unity.Unity(tables=tuple(map(unity.table, names)))
    chosen = Wanted(catalogs=("main",), schemas=("b*",), tables=("x",))
    every = read("unity", server, lineage=Lineage.NONE)
    server.asked.clear()
    some = read("unity", server, lineage=Lineage.NONE, wanted=chosen)

    assert [table.name for table in every.of(CatalogTable)] == ["dev.b.x", "main.a.x", "main.b.x", "main.b.y"]
    assert [table.name for table in some.of(CatalogTable)] == ["main.b.x"]
    assert not any("/catalogs" in requests or "schema_name=a" in requests for requests in server.asked)


def info(name: str, **more: object) -> dict[str, object]:
    catalog, schema, own = name.split(".")
    return {"tableInfo": {"catalog_name": catalog, "schema_name": schema, "name": own}, **more}


def test_lineage_names_neighbours_and_what_makes_them(unity, read) -> None:
    """A producer stands on the upstream side; without rights to a neighbour only its existence is reported."""
    members = {
        "upstreams": [
            info("main.raw.events", jobInfos=[{"job_id": 7, "workspace_id": 1}], queryInfos=[{"query_id": "q-9"}]),
            {"fileInfo": {"path": "abfss://c@acct.dfs.core.windows.net/in/"}},
            {"tableInfo": {"has_permission": False}},
            {"jobInfos": [{"job_id": 8}]},
        ],
        "downstreams": [
            info("main.gold.daily", notebookInfos=[{"notebook_id": 3}], pipelineInfos=[{"pipeline_id": "x"}])
        ],
    }
    server = unity.Unity(tables=(unity.table("main.sales.orders"),), lineage={("main.sales.orders", ""): members})
    links = read("unity", server).of(CatalogLink)

    assert [(link.origin_namespace, link.origin_name, link.target_name, link.process) for link in links] == [
        ("abfss://c@acct.dfs.core.windows.net", "in", "main.sales.orders", ""),
        (SPACE, "main.raw.events", "main.sales.orders", "job 7"),
        (SPACE, "main.sales.orders", "main.gold.daily", "notebook 3"),
        (SPACE, "main.sales.orders", "main.gold.daily", "pipeline x"),
    ]


def test_columns_are_requested_only_where_that_is_wanted(unity, read) -> None:
    """It is one request a column."""
    texts = {"name": "amount", "catalog_name": "main", "schema_name": "raw", "table_name": "events"}
    lineage = {
        ("main.sales.orders", "total"): {"upstream_cols": [texts], "downstream_cols": [texts | {"name": "sum"}, {}]}
    }
    server = unity.Unity(tables=(unity.table("main.sales.orders", unity.column("total", "long")),), lineage=lineage)

    assert read("unity", server).of(CatalogLink) == ()
    assert [
        (link.origin_name, link.origin_path, link.target_name, link.target_path)
        for link in read("unity", server, lineage=Lineage.COLUMNS).of(CatalogLink)
    ] == [
        ("main.raw.events", ("amount",), "main.sales.orders", ("total",)),
        ("main.sales.orders", ("total",), "main.raw.events", ("sum",)),
    ]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_table_whose_lineage_is_refused_is_kept(unity, read, status) -> None:
    """What is not reported proves nothing: links that were known stay, so nothing is named as unread."""
    tables = tuple(map(unity.table, ("main.s.a", "main.s.b")))
    server = unity.Unity(tables=tables, refused={"table_name=main.s.a": status})
    reading = read("unity", server)

    assert [table.name for table in reading.of(CatalogTable)] == ["main.s.a", "main.s.b"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert reading.outcome.reason == "1 of its tables did not report their lineage"
    assert [problem.where for problem in reading.problems] == ["catalog:unity:https://unity.example main.s.a"]


def test_where_nobody_reports_lineage_not_everybody_is_queried(unity, read) -> None:
    """Workspaces without the feature answer every table alike."""
    server = unity.Unity(
        tables=tuple(unity.table(f"main.s.t{n}") for n in range(40)), refused={"table-lineage": 403}, page=50
    )
    reading = read("unity", server)

    assert sum("table-lineage" in requests for requests in server.asked) == 5
    assert len(reading.of(CatalogTable)) == 40
    assert reading.outcome.reason == "40 of its tables did not report their lineage"


@pytest.mark.parametrize("lineage", [Lineage.TABLES, Lineage.COLUMNS])
def test_a_server_without_lineage_is_complete_without_it(unity, read, lineage) -> None:
    """Unity Catalog OSS has no such path: that is said once, and the tables count as read."""
    tables = tuple(unity.table(f"main.s.t{number}") for number in range(9))
    reading = read("unity", unity.Unity(tables=tables, refused={"lineage-tracking": 404}, page=50), lineage=lineage)

    assert (len(reading.of(CatalogTable)), reading.outcome.status, reading.outcome.reason) == (9, SourceStatus.READ, "")
    assert ["does not offer lineage" in problem.what for problem in reading.problems] == [True]


def test_tables_whose_lineage_is_not_found_do_not_mean_that_there_is_none(unity, read) -> None:
    """Databricks answers 404 for a table that has just gone; its path for lineage is there."""
    reading = read("unity", unity.Unity(tables=(unity.table("main.s.a"),), refused={"table_name=main.s.a": 404}))

    assert reading.outcome.status == SourceStatus.PARTIAL
    assert reading.outcome.reason == "1 of its tables did not report their lineage"


def test_schema_that_is_closed_costs_itself(unity, read) -> None:
    """The others are read, and the reason counts it."""
    tables = tuple(map(unity.table, ("main.open.a", "main.shut.b")))
    reading = read("unity", unity.Unity(tables=tables, refused={"schema_name=shut": 403}), lineage=Lineage.NONE)

    assert [table.name for table in reading.of(CatalogTable)] == ["main.open.a"]
    assert reading.outcome.reason == "1 of its schemas could not be listed"


def test_workspace_that_refuses_everything_is_refused(unity, read) -> None:
    """Nothing was read, which is not the same as nothing there."""
    with pytest.raises(SourceRefused):
        read("unity", unity.Unity(tables=(unity.table("main.s.a"),), refused={"tables?": 403}))


ROWS = {
    "table_lineage": (
        ("main.raw.events", None, "main.sales.orders", None, "JOB", "7"),
        (None, "s3://in/files", "main.sales.orders", None, None, None),
        ("main.x.y", None, "main.x.z", None, "JOB", "8"),
    ),
    "column_lineage": (("main.raw.events", None, "main.sales.orders", None, "amount", "total", "JOB", "7"),),
}


def through_warehouse(exchange, server, lineage: Lineage, pauses: list[float]):
    settings = CatalogSettings(
        type="unity", http=HttpSettings(url="https://unity.example"), options={"warehouse": "w1"}, lineage=lineage
    )
    with Http(settings.http, settings.source, exchange=exchange(server)) as http:
        return read_unity(settings, http, no_progress, clock=Clock(pause=pauses.append))


def test_system_tables_report_all_lineage_in_two_statements(unity, exchange) -> None:
    """In parts, after a wait, and only what touches a table that was read; the days are a parameter, not text."""
    server = unity.Unity(tables=(unity.table("main.sales.orders"),), rows=ROWS, states=("PENDING", "RUNNING"))
    pauses: list[float] = []
    reading = through_warehouse(exchange, server, Lineage.COLUMNS, pauses)

    assert [
        (link.origin_name, link.origin_path, link.target_path, link.process) for link in reading.of(CatalogLink)
    ] == [
        ("files", None, None, ""),
        ("main.raw.events", None, None, "job 7"),
        ("main.raw.events", ("amount",), ("total",), "job 7"),
    ]
    assert (len(server.bodies), len(pauses)) == (2, 4)
    assert server.bodies[0]["parameters"] == [{"name": "days", "value": "90", "type": "INT"}]
    assert server.bodies[0]["warehouse_id"] == "w1"


def test_statement_that_fails_costs_the_lineage_alone(unity, exchange) -> None:
    """Tables and columns come another way."""
    server = unity.Unity(tables=(unity.table("main.sales.orders"),), states=("FAILED",))
    reading = through_warehouse(exchange, server, Lineage.TABLES, [])

    assert len(reading.of(CatalogTable)) == 1
    assert reading.outcome.status is SourceStatus.PARTIAL
    assert reading.problems[0].where.endswith("system.access.table_lineage")


def test_type_that_is_no_json_is_read_from_its_text_else_kept(unity, read) -> None:
    """An entry without a name is any table that is known: it deletes none."""
    unusual = [
        {"name": "a", "type_json": "{", "type_text": "array<int>"},
        {"name": "b", "type_name": "VARIANT"},
    ]
    table = unity.table("main.s.t") | {"columns": unusual, "created_at": "soon", "storage_location": "nowhere"}
    nameless = unity.table("main.s.u") | {"name": ""}
    reading = read("unity", unity.Unity(tables=(table, nameless), page=5), lineage=Lineage.NONE)
    tables = reading.of(CatalogTable)

    assert [[(c.name, c.type) for c in item.columns] for item in tables] == [
        [("a", "array"), ("a.[]", "int"), ("b", "VARIANT")]
    ]
    assert (tables[0].created, tables[0].symlinks) == ("", ())
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())


def test_table_with_a_column_of_another_form_is_not_read(unity, read) -> None:
    """As the table that it replaced would lose the column."""
    odd = unity.table("main.s.t") | {"columns": [{"type_name": "INT"}]}
    reading = read("unity", unity.Unity(tables=(odd, unity.table("main.s.u")), page=5), lineage=Lineage.NONE)

    assert [table.name for table in reading.of(CatalogTable)] == ["main.s.u"]
    assert reading.outcome.unread == {"main.s.t"}


def test_lineage_is_json_that_may_hold_anything(unity, read) -> None:
    """The service is in preview and changes: the flows that are known stay."""
    reported = json.loads('{"upstreams": [1, {"tableInfo": 3}, {"fileInfo": {"path": 5}}], "downstreams": "x"}')
    server = unity.Unity(tables=(unity.table("main.s.t"),), lineage={("main.s.t", ""): reported})

    outcome = read("unity", server).outcome

    assert (outcome.status, outcome.unread) == (SourceStatus.PARTIAL, frozenset())

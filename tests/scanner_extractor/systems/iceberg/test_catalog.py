"""Iceberg REST catalogs: namespaces of several levels, pages, schemas of any depth, views, refusals."""

from __future__ import annotations

import pytest

from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings, Wanted
from scanner_extractor.systems.iceberg.catalog import Identifier, read_table, read_view
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.payload import Payload
from scanner_model.scan import SourceStatus

SPACE = "https://iceberg.example"
SETTINGS = CatalogSettings(type="iceberg", http=HttpSettings(url=SPACE))


@pytest.fixture
def server(iceberg):
    """Return a catalog that answers as Apache Iceberg's own server did."""
    return iceberg.Iceberg()


def test_tables_of_every_namespace_are_read_page_by_page(read, server) -> None:
    """Pages of one entry here; a namespace below another is only listed with its parent."""
    reading = read("iceberg", server)

    assert [table.name for table in reading.of(CatalogTable)] == [
        *("a.b.t.1", "shop.eu.customers", "shop.large", "shop.orders", "shop.refunds")
    ]
    assert (reading.outcome.status, reading.outcome.received, reading.problems) == (SourceStatus.READ, 5, ())


def test_empty_page_in_the_middle_ends_no_list(read, iceberg) -> None:
    """Catalogs that filter by rights give a token where nothing is left of a page."""
    assert len(read("iceberg", iceberg.Iceberg(hollow=True)).of(CatalogTable)) == 5


def test_table_is_read_with_its_current_schema_partitions_and_location(read, server) -> None:
    """The location is a second name of the same data: sinks that write files meet the table there."""
    tables = {table.name: table for table in read("iceberg", server, aliases=("http://lake",)).of(CatalogTable)}
    orders = tables["shop.orders"]

    assert (orders.namespace, orders.kind, orders.table_format) == (SPACE, "TABLE", "iceberg")
    assert (orders.owner, orders.description) == ("sales@acme.example", "what was bought")
    assert (orders.location, orders.partition_keys) == ("s3://lake/wh/shop/orders", ("at", "id"))
    assert orders.symlinks == (("s3://lake", "wh/shop/orders"), ("http://lake", "shop.orders"))
    assert orders.updated.endswith("Z")
    assert [f"{c.name} {c.logical_type or c.type} {c.nullable}" for c in orders.columns] == [
        *("id long False", "amount decimal(10,2) True", "at timestamptz True", "place struct True"),
        *("place.city string False", "place.lat double True", "tags map True", "tags.{} int True", "items list True"),
        *("items.[] struct False", "items.[].sku string True", "items.[].n int True", "raw fixed(16) True"),
    ]
    assert orders.columns[0].doc == "the order"
    assert [column.name for column in tables["shop.refunds"].columns] == ["id", "why"]
    assert tables["shop.refunds"].symlinks[0] == ("s3://other", "refunds")


def test_properties_are_parameters_and_what_the_catalog_counts_is_not(read, server) -> None:
    """Snapshots and numbers change with every commit, and say nothing of the table's form."""
    (orders,) = (table for table in read("iceberg", server).of(CatalogTable) if table.name == "shop.orders")

    assert set(dict(orders.parameters)) == {
        *("format-version", "table-uuid", "s3.secret-access-key", "write.format.default"),
        "write.parquet.compression-codec",
    }
    assert dict(orders.parameters)["s3.secret-access-key"] == "********"


def test_view_keeps_its_text_with_dialect_and_default_namespace(read, server) -> None:
    """Of several texts the one of Spark is kept; names without namespace are looked up in the view's own."""
    (view,) = (table for table in read("iceberg", server).of(CatalogTable) if table.kind == "VIEW")

    assert view.definition == "SELECT id AS order_id, amount * 2 AS twice FROM orders WHERE amount > 100"
    assert {"dialect": "spark", "schema": "shop"}.items() <= dict(view.parameters).items()
    assert [column.name for column in view.columns] == ["order_id", "twice"]
    assert view.symlinks == ()


def test_only_what_is_chosen_is_loaded(read, server) -> None:
    """A pattern names levels with dots; lists of other namespaces are not requested."""
    reading = read("iceberg", server, wanted=Wanted(schemas=("shop.*",), tables=("cust*",)))

    assert [table.name for table in reading.of(CatalogTable)] == ["shop.eu.customers"]
    assert not any("/shop/" in address for address in server.asked)


@pytest.mark.parametrize("prefix", ["main%7Cs3%3A%2F%2Flake", "catalogs/lake"])
def test_prefix_of_the_configuration_begins_every_path_as_it_is(read, iceberg, prefix) -> None:
    """Nessie's and S3 Tables' come encoded, Polaris' is a plain word."""
    server = iceberg.Iceberg(prefix=prefix)
    reading = read("iceberg", server, options={"warehouse": "lake"})

    assert len(reading.of(CatalogTable)) == 5
    assert server.asked[0] == "GET /v1/config?warehouse=lake"


def test_catalog_with_one_level_of_namespaces_is_read(read, iceberg) -> None:
    """Glue, Unity and S3 Tables refuse the parent, and have no views; others list all namespaces again."""
    flat = iceberg.Iceberg(flat=True, page=100)
    flat.answers["/v1/config"]["endpoints"] = []
    again = iceberg.Iceberg(page=100)
    for address in list(again.answers):
        if "parent=" in address:
            again.answers[address] = again.answers["/v1/namespaces"]

    assert [table.name for table in read("iceberg", flat).of(CatalogTable)] == ["shop.orders", "shop.refunds"]
    assert [table.name for table in read("iceberg", again).of(CatalogTable)] == [
        "shop.large",
        "shop.orders",
        "shop.refunds",
    ]
    assert not any("/views" in address for address in flat.asked)


def test_separator_of_levels_is_that_of_the_configuration(read, server) -> None:
    """Iceberg's server since 1.11: encoded in a path, where a bare dot is part of a level's name; plain in a query."""
    server.answers["/v1/config"]["overrides"] = {}
    server.answers["/v1/config"]["defaults"] = {"namespace-separator": "%2E"}
    parts = [(*address.partition("?"), answer) for address, answer in server.answers.items()]
    server.answers = {
        path.replace("%1F", "%2E") + mark + query.replace("%1F", "."): answer for path, mark, query, answer in parts
    }

    assert len(read("iceberg", server).of(CatalogTable)) == 5


@pytest.mark.parametrize(("status", "costs"), [(403, 1), (500, 1), (404, 0)])
def test_table_that_cannot_be_loaded_costs_itself(read, iceberg, status, costs) -> None:
    """One that was dropped since the list is none any more."""
    reading = read("iceberg", iceberg.Iceberg(refused={"tables/orders": status}))

    assert len(reading.of(CatalogTable)) == 4
    assert len(reading.problems) == costs
    assert reading.outcome.unread == (frozenset({"shop.orders"}) if costs else frozenset())


def test_namespace_that_cannot_be_listed_costs_itself(read, iceberg) -> None:
    """What is known of its tables stays."""
    reading = read("iceberg", iceberg.Iceberg(refused={"/shop/tables?": 403, "/shop/tables": 403}))

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert {table.name for table in reading.of(CatalogTable)} == {"a.b.t.1", "shop.eu.customers"}


def test_address_of_something_else_is_one_clear_error(read, iceberg) -> None:
    """With the hint that clients' addresses have no /v1."""
    server = iceberg.Iceberg(answers={"/v1/config": []})

    with pytest.raises(PayloadUnexpected) as caught:
        read("iceberg", server)
    assert "/v1" in caught.value.hint
    with pytest.raises(ScannerError):
        read("iceberg", iceberg.Iceberg(answers={}))


def test_first_version_of_the_format_has_one_schema() -> None:
    """Its metadata lists no schemas; unknown types keep their words, deep ones end."""
    deep = {"type": "list", "element": "int"}
    for _ in range(150):
        deep = {"type": "list", "element": deep}
    fields = [
        {"name": "v", "type": "variant"},
        {"name": "deep", "type": deep},
    ]
    answer = {"metadata": {"location": "file:/x", "schema": {"fields": fields}}}
    table = read_table(Payload(answer), Identifier(("d",), "t"), SETTINGS)

    assert table.symlinks == ()
    assert [column.type for column in table.columns if len(column.path) == 1] == ["variant", "list"]
    assert max(len(column.path) for column in table.columns) < 110


@pytest.mark.parametrize("read", [read_table, read_view])
@pytest.mark.parametrize("answer", [[], {}, {"metadata": 5}, {"metadata": {}}, {"metadata": {"schemas": "x"}}])
def test_answer_that_is_no_table_raises(read, answer) -> None:
    """What is known of the table stays."""
    with pytest.raises(PayloadUnexpected):
        read(Payload(answer), Identifier(("d",), "t"), SETTINGS)

"""RisingWave by its system tables: what is read from topics, views, what is written, versions and faults."""

from __future__ import annotations

import json

import pytest
from streaming_engines import RISINGWAVE, SECRET, older

from scanner_model.catalogs import PRIMARY_KEY, TableKey
from scanner_model.errors import SourceRefused, SourceUnreachable


@pytest.fixture
def public(catalog, by_name):
    """Return a function that reads the schema `public` of what it is given."""
    return lambda tables=RISINGWAVE: by_name(catalog("risingwave", tables).read("public"))


def test_source_has_its_topic_and_what_its_columns_are(public) -> None:
    """The key's column has RisingWave's name of it; a computed column, and the time of the message, are of no field."""
    orders = public()["orders"]
    parameters = dict(orders.parameters)

    assert (orders.kind, parameters["kafka.topics"], parameters["kafka.brokers"]) == (
        "SOURCE",
        "shop.orders",
        "k-1:9092",
    )
    assert parameters["kafka.format"] == "JSON"
    assert json.loads(parameters["kafka.parts"]) == {"_rw_kafka_key": "key"}
    assert json.loads(parameters["kafka.columns"]) == {"day": [], "ts": []}
    assert "kafka.group" not in parameters
    assert [".".join(column.path) for column in orders.columns][:5] == [
        *("id", "customer", "customer.name", "customer.Home Town", "tags"),
    ]


def test_table_with_a_connector_is_one_table(public) -> None:
    """It is listed as a source of the same name, too."""
    tables = public()
    customers = tables["customers"]

    assert (customers.kind, dict(customers.parameters)["kafka.format"]) == ("TABLE", "DEBEZIUM AVRO")
    assert customers.keys == (TableKey(PRIMARY_KEY, ("id",)),)
    assert (customers.description, customers.columns[1].doc) == ("All who bought", "as written on the bill")
    assert [table.kind for table in tables.values()].count("SOURCE") == 2


def test_source_of_a_table_that_may_not_be_seen_is_no_table(public) -> None:
    """Up to 3.0 all sources are shown, but only those tables that the user has a right on."""
    assert "customers" not in public({**RISINGWAVE, "rw_catalog.rw_tables": []})


def test_views_are_queries_under_the_names_of_their_columns(public) -> None:
    """The stored text of a view lacks the names that it was created with."""
    tables = public()

    assert tables["towns"].definition == 'CREATE VIEW "towns" ("town") AS SELECT (customer)."Home Town" FROM orders'
    assert tables["big"].definition.startswith('CREATE VIEW "big" ("id", "total", "who") AS SELECT o.id')
    assert tables["big"].definition.endswith("ON o.id = c.id")


def test_sink_is_its_query_and_its_topic(public) -> None:
    """One from an object reads all of its columns."""
    tables = public()

    assert tables["big_sink"].definition == 'SELECT * FROM "big"'
    assert tables["upserted"].definition == "SELECT id, total * 2 AS twice FROM big"
    assert dict(tables["upserted"].parameters)["kafka.topics"] == "shop.twice"


def test_table_has_the_names_of_the_sinks_into_it(public) -> None:
    """Of any schema; they have no data of their own."""
    assert ("risingwave://rw:4566", "dev.ops.into_table") in public()["collected"].symlinks


def test_other_connectors_are_tables(public) -> None:
    """What a connector of a database reads is not connected."""
    source = public()["pg"]

    assert source.parameters == (("database", "dev"), ("schema", "public"))
    assert [column.path for column in source.columns] == [("payload",)]


def test_no_secret_is_kept(catalog) -> None:
    """Options of WITH are shown to everyone who may see the source, passwords too."""
    read = [catalog("risingwave", RISINGWAVE).read(schema) for schema in ("public", "ops")]

    assert SECRET in str(RISINGWAVE)
    assert SECRET not in str(read)


def test_older_version_is_read_by_its_definitions(public) -> None:
    """1.3 has neither connectors' options nor comments, and lists hidden columns."""
    tables = public(older(RISINGWAVE, without=("rw_catalog.rw_description",)))

    assert dict(tables["orders"].parameters)["kafka.topics"] == "shop.orders"
    assert dict(tables["customers"].parameters)["kafka.brokers"] == "k-1:9092"
    assert ("_row_id",) not in {column.path for column in tables["orders"].columns}
    assert tables["big"].definition.startswith("SELECT o.id")
    assert tables["customers"].description == ""


@pytest.mark.parametrize("kind", ["rw_sources", "rw_tables", "rw_sinks", "rw_columns"])
def test_list_that_fails_fails_the_schema(catalog, kind) -> None:
    """Else all that it lists would look deleted."""
    with pytest.raises(SourceUnreachable, match=kind):
        catalog("risingwave", older(RISINGWAVE, (), {f"rw_catalog.{kind}"})).read("public")


def test_schema_that_is_gone_is_refused(catalog) -> None:
    """It was dropped while it was read."""
    with pytest.raises(SourceRefused, match="no schema gone"):
        catalog("risingwave", RISINGWAVE).read("gone")


def test_hidden_topic_and_text_are_problems(catalog) -> None:
    """A topic may be a secret; a definition may be anything."""
    sources = [
        {**row, "connector_props": {"connector": {"type": "plaintext", "value": "kafka"}}}
        for row in RISINGWAVE["rw_catalog.rw_sources"][:1]
    ]
    views = [{**RISINGWAVE["rw_catalog.rw_views"][0], "definition": None}]
    result = catalog("risingwave", {**RISINGWAVE, "rw_catalog.rw_sources": sources, "rw_catalog.rw_views": views}).read(
        "public"
    )

    assert [(problem.where, problem.what) for problem in result.problems] == [
        ("database:stream dev.public.towns", "its query is not shown"),
        ("database:stream dev.public.orders", "its topic is not shown"),
    ]

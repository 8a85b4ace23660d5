"""Materialize by its system catalog: what is read from topics, views, what is written, versions and faults."""

from __future__ import annotations

import json

import pytest
from streaming_engines import MATERIALIZE, older

from scanner_model.errors import SourceRefused, SourceUnreachable


@pytest.fixture
def read(catalog, by_name):
    """Return a function that reads a schema of what it is given."""
    return lambda schema="public", tables=MATERIALIZE: by_name(catalog("materialize", tables).read(schema))


def test_source_has_its_topic_and_what_its_columns_are(read) -> None:
    """Of a group only the prefix is known, which is none."""
    orders = read()["orders"]
    parameters = dict(orders.parameters)

    assert (orders.kind, parameters["kafka.topics"], parameters["kafka.brokers"]) == (
        "SOURCE",
        "shop.orders",
        "k-1:9092",
    )
    assert parameters["kafka.format"] == "AVRO"
    assert json.loads(parameters["kafka.parts"]) == {"message_key": "key"}
    assert json.loads(parameters["kafka.columns"]) == {"at": [], "partition": [], "trace": []}
    assert "kafka.group" not in parameters


def test_table_of_a_source_reads_the_topic_itself(read) -> None:
    """The source behind it has no columns, and shows no data."""
    tables = read()
    events = tables["events"]

    assert dict(events.parameters)["kafka.topics"] == "shop.events"
    assert json.loads(dict(events.parameters)["kafka.parts"]) == {"data": "value"}
    assert (events.description, events.columns[0].doc) == ("What happened", "the event")
    assert "kafka.topics" not in dict(tables["events_source"].parameters)
    assert "orders_progress" not in tables


def test_views_are_plain_queries_under_the_names_of_their_columns(read) -> None:
    """Ids and hints are Materialize's own."""
    tables = read()

    assert tables["kinds"].definition == (
        'CREATE VIEW "kinds" ("kind") AS SELECT "data"->>\'kind\' FROM "materialize"."public"."events"'
    )
    assert '"total"::"pg_catalog"."int4"' in tables["big"].definition


def test_sink_has_the_columns_of_what_it_writes(read) -> None:
    """They are listed with the object, which is in another schema."""
    sink = read("ops")["big_sink"]

    assert sink.definition == 'SELECT * FROM "materialize"."public"."big"'
    assert [column.path[0] for column in sink.columns] == ["id", "total", "who"]
    assert dict(sink.parameters)["kafka.format"] == "DEBEZIUM AVRO"


@pytest.mark.parametrize(
    ("ending", "names", "parts"),
    [
        ("ENVELOPE UPSERT", ("key", "text"), {"key": "key", "text": "value"}),
        ("INCLUDE KEY ENVELOPE NONE", ("a", "b", "text"), {"key": "key"}),
        ("ENVELOPE NONE", ("text",), {"text": "value"}),
    ],
)
def test_key_is_added_by_its_names_or_as_a_whole(ending, names, parts, read) -> None:
    """A key with a schema is not one column; UPSERT adds it without INCLUDE."""
    sql = f"CREATE SOURCE orders FROM KAFKA CONNECTION [u1 AS \"k\"] (TOPIC = 't') FORMAT TEXT {ending}"
    source = MATERIALIZE["mz_catalog.mz_sources"][0] | {"redacted_create_sql": sql}
    columns = [{"id": "u6", "name": name, "position": "1", "nullable": True, "type": "text"} for name in names]
    changed = {**MATERIALIZE, "mz_catalog.mz_sources": [source], "mz_catalog.mz_columns": columns}

    assert json.loads(dict(read(tables=changed)["orders"].parameters)["kafka.parts"]) == parts


def test_schemas_are_those_of_the_database(catalog) -> None:
    """Materialize lists those of all databases."""
    assert catalog("materialize", MATERIALIZE).schemas() == ["ops", "public"]


def test_older_version_is_read_by_its_definitions(read) -> None:
    """The topics of sources were listed in another schema, and before that not at all."""
    moved = {
        "mz_internal.mz_kafka_sources" if name == "mz_catalog.mz_kafka_sources" else name: rows
        for name, rows in MATERIALIZE.items()
    }
    topics = {
        dict(read(tables=tables)["orders"].parameters)["kafka.topics"]
        for tables in (moved, older(MATERIALIZE, {"redacted_create_sql"}, {"mz_catalog.mz_kafka_sources"}))
    }

    assert topics == {"shop.orders"}


def test_topic_that_is_not_shown_is_a_problem(catalog) -> None:
    """The text without secrets has no topic either."""
    result = catalog("materialize", older(MATERIALIZE, (), {"mz_catalog.mz_kafka_sources"})).read("public")

    assert {problem.what for problem in result.problems} == {"its topic is not shown"}
    assert "kafka.topics" not in dict(
        next(table for table in result.tables if table.name.endswith("orders")).parameters
    )


@pytest.mark.parametrize("kind", ["mz_sources", "mz_views", "mz_sinks", "mz_columns"])
def test_list_that_fails_fails_the_schema(catalog, kind) -> None:
    """Else all that it lists would look deleted."""
    with pytest.raises(SourceUnreachable, match=kind):
        catalog("materialize", older(MATERIALIZE, (), {f"mz_catalog.{kind}"})).read("public")


def test_schema_that_is_gone_is_refused(catalog) -> None:
    """It was dropped while it was read."""
    with pytest.raises(SourceRefused, match="no schema gone"):
        catalog("materialize", MATERIALIZE).read("gone")

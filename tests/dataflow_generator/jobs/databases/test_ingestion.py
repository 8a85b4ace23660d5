"""Tables that an engine reads from topics: which topics, which columns, and when it writes instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dataflow_generator.graph import Certainty
from dataflow_generator.jobs.databases.ingestion import Ends, group_owners, ingestion_jobs, separate_jobs
from dataflow_generator.jobs.model import JobFlows, Naming
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import KEY, Column
from scanner_model.names import SourceId

NAMING = Naming([("retail", ("k-1:9092", "k-2:9092"))])
SPACE = "clickhouse://ch:8123"
TOPICS = {"retail": ("orders", "payments")}


def columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(path=tuple(name.split(".")), type="string") for name in names)


def row(*own: Column, **parameters: str) -> TableRow:
    given = {"kafka.brokers": "k-2:9092", "kafka.topics": "orders", "kafka.format": "JSONEachRow"} | {
        f"kafka.{name}": value for name, value in parameters.items()
    }
    return TableRow(
        namespace=SPACE,
        name="shop.queue",
        provider="database",
        kind="TABLE",
        table_format="Kafka",
        columns=own,
        source=SourceId("catalog:ch"),
        parameters=tuple((name, value) for name, value in given.items() if value),
        cluster="retail",
    )


def read(table: TableRow, *fields: str, written: bool = False) -> JobFlows:
    known = {("retail", "orders"): columns(*fields)} if fields else {}
    ends = Ends(NAMING, TOPICS, known, {NAMING.dataset(*table.dataset)} if written else ())
    (job,) = ingestion_jobs([table], ends)
    return job


def flows(job: JobFlows) -> list[tuple[str, str, str]]:
    return [(".".join(flow.source.path or ()), ".".join(flow.target.path or ()), flow.subtype) for flow in job.columns]


def test_table_reads_its_topics_whatever_broker_it_names() -> None:
    """The cluster has one name; a topic of an unknown cluster keeps the first address."""
    job = read(row(topics="orders,returns"))
    (far,) = read(row(brokers="far-2:9093,far-1")).reads

    assert [use.dataset.key for use in job.reads] == ["topic:kafka://k-1:9092/orders", "topic:kafka://k-1:9092/returns"]
    assert [use.dataset.key for use in job.writes] == [f"dataset:{SPACE}/shop.queue"]
    assert (far.dataset.key, far.certainty) == ("topic:kafka://far-2:9093/orders", Certainty.DECLARED)
    assert job.reads[0].evidence == "Kafka shop.queue of catalog:ch"


def test_topics_without_brokers_are_those_of_the_cluster_if_it_has_them() -> None:
    """A named collection hides the brokers; a topic that this cluster does not have is another one's."""
    own, other = read(row(brokers="", topics="orders,elsewhere")).reads

    assert (own.dataset.key, own.certainty) == ("topic:kafka://k-1:9092/orders", Certainty.MATCHED)
    assert other.dataset.key == "topic:kafka://unknown/elsewhere"


def test_topic_without_brokers_belongs_to_a_cluster_whose_topics_are_not_listed() -> None:
    """A repository's files name topics, and no broker lists them."""
    (job,) = ingestion_jobs([row(brokers="", topics="elsewhere")], Ends(NAMING, {}, {}))

    assert [use.dataset.key for use in job.reads] == ["topic:kafka://k-1:9092/elsewhere"]


def test_sink_without_a_query_writes_its_topic() -> None:
    """The engine does not show the query to every user."""
    job = read(replace(row(*columns("id")), kind="SINK"))

    assert [use.dataset.name for use in job.writes] == ["orders"]


@pytest.mark.parametrize(
    ("message_format", "own", "fields", "reported"),
    [
        ("JSONEachRow", ("id", "city"), (), [("id", "id", "IDENTITY"), ("city", "city", "IDENTITY")]),
        ("AvroConfluent", ("id", "city"), ("ID", "at"), [("ID", "id", "IDENTITY")]),
        ("JSONEachRow", ("place", "place.lat"), ("place", "place.lat"), [("place", "place", "IDENTITY")]),
        ("JSONAsString", ("raw",), ("id", "id.s"), [("id", "raw", "TRANSFORMATION")]),
        ("RawBLOB", ("raw",), (), []),
        ("CSV", ("id", "city"), ("id", "city"), []),
    ],
)  # fmt: skip
def test_columns_are_matched_as_the_format_does(message_format, own, fields, reported) -> None:
    """By name, or all of the message is one column, or by a position that no schema tells."""
    assert flows(read(row(*columns(*own), format=message_format), *fields)) == reported


def test_pattern_names_the_live_topics_that_it_matches() -> None:
    """A Java regular expression; one that cannot be evaluated matches nothing, an unknown cluster has no topics."""
    job = read(row(topics="", pattern="(orders|pay.*)"))

    assert [(use.dataset.name, use.certainty) for use in job.reads] == [
        ("orders", Certainty.DERIVED),
        ("payments", Certainty.DERIVED),
    ]
    for wrong in (row(topics="", pattern="("), row(topics="", pattern=".*", brokers="far:9092")):
        assert not list(ingestion_jobs([wrong], Ends(NAMING, TOPICS, {})))


def test_column_of_another_name_comes_from_the_fields_that_the_engine_names() -> None:
    """A metric sums a field, a transform reads several; what is not JSON names none."""
    table = row(*columns("id", "rows", "full"), columns='{"rows": [], "full": ["first", "last"], "x": 5}')

    assert flows(read(table)) == [
        ("id", "id", "IDENTITY"),
        ("first", "full", "TRANSFORMATION"),
        ("last", "full", "TRANSFORMATION"),
    ]
    assert flows(read(table, "id", "LAST")) == [("id", "id", "IDENTITY"), ("LAST", "full", "TRANSFORMATION")]
    for text in ("{", "[]"):
        assert flows(read(row(*columns("id"), columns=text))) == [("id", "id", "IDENTITY")]


def test_column_that_the_engine_computes_is_no_field() -> None:
    """An alias column has an expression."""
    computed = Column(path=("later",), type="DateTime", default='"at + 1"')

    assert flows(read(row(*columns("at"), computed))) == [("at", "at", "IDENTITY")]


def test_key_of_the_message_is_a_column_that_no_list_has() -> None:
    """Views select `_key`; a key with fields is one text there."""
    assert flows(read(row(format="CSV"), KEY, "id")) == [(KEY, "_key", "IDENTITY")]
    assert flows(read(row(format="CSV"), KEY, f"{KEY}.id")) == [(f"{KEY}.id", "_key", "TRANSFORMATION")]


def test_table_that_a_view_writes_to_is_written_to_its_topic() -> None:
    """Inserts into a table of the engine Kafka are produced."""
    job = read(row(*columns("id")), "id", KEY, written=True)

    assert [use.dataset.name for use in job.reads] == ["shop.queue"]
    assert [use.dataset.name for use in job.writes] == ["orders"]
    (flow,) = job.columns
    assert (flow.source.dataset.name, flow.target.dataset.name) == ("shop.queue", "orders")


def test_group_of_a_table_is_a_member_of_its_job() -> None:
    """Otherwise the group would be a second, unknown reader; a group of another cluster has only its name in common."""
    (owner,) = group_owners([row(group="ch-orders"), row(group="x", brokers="far:9092"), row()], NAMING, TOPICS)

    assert owner == ("retail", "ch-orders", f"job:{SPACE}/shop.queue")


def test_way_from_topic_to_report_through_clickhouse(graph, clickhouse_tables, installation) -> None:
    """Topic, table of the engine Kafka, materialized view, table, view: columns all along, each with its evidence."""
    found = graph(installation(*clickhouse_tables, connectors=()))
    ways = {
        (edge.source.rpartition("/")[2], edge.target.rpartition("/")[2]): edge.evidence
        for edge in found.edges
        if edge.kind == "column-flow"
    }

    assert ways["orders#amount", "shop.orders_queue#amount"] == "Kafka shop.orders_queue of catalog:analytics"
    assert ways["shop.orders_queue#amount", "shop.orders#cents"].startswith("materialized view shop.orders_mv")
    assert ways["shop.orders#cents", "shop.by_city#cents"].startswith("materialized view shop.by_city")
    assert (
        ways["shop.orders#city", "shop.by_city"] == ways["shop.orders#cents", "shop.by_city#cents"]
    )  # it groups by it
    assert ways["shop.orders#id", "mart.report#more"] == "view mart.report of catalog:analytics"
    assert ways["shop.alerts_out#why", "alerts#why"] == "Kafka shop.alerts_out of catalog:analytics"
    assert ways["shop.raw_queue#raw", "mart.clicks#url"].startswith("materialized view shop.clicks_mv")
    assert (found.coverage.columns, found.coverage.problems, found.coverage.misfits) == (6, (), ())
    assert SourceId("catalog:analytics") in {table.source for table in clickhouse_tables}


@pytest.mark.parametrize(
    ("parameters", "own", "fields", "reported"),
    [
        ({"format": "DEBEZIUM AVRO"}, ("id",), (), [("after.id", "id", "IDENTITY")]),
        ({"format": "DEBEZIUM AVRO"}, ("id",), ("after.id", "op"), [("after.id", "id", "IDENTITY")]),
        ({"format": "DEBEZIUM JSON"}, ("id",), ("payload.after.id",), [("payload.after.id", "id", "IDENTITY")]),
        ({"format": "AVRO"}, ("id",), ("after.id",), []),
        ({"format": "DEBEZIUM CSV"}, ("id",), ("after.id",), []),
        (
            {"parts": '{"k": "key"}'},
            ("id", "k"),
            ("id", f"{KEY}.a"),
            [("id", "id", "IDENTITY"), (f"{KEY}.a", "k", "TRANSFORMATION")],
        ),
        ({"parts": '{"k": "key"}'}, ("k",), (KEY, "id"), [(KEY, "k", "IDENTITY")]),
        (
            {"parts": '{"key": "key"}'},
            ("id", "a"),
            ("id", f"{KEY}.a"),
            [("id", "id", "IDENTITY"), (f"{KEY}.a", "a", "IDENTITY")],
        ),
        (
            {"parts": '{"data": "value"}'},
            ("data", "id"),
            ("id",),
            [("id", "id", "IDENTITY"), ("id", "data", "TRANSFORMATION")],
        ),
        ({"parts": "[1]"}, ("id",), ("id",), [("id", "id", "IDENTITY")]),
        ({"parts": "{"}, ("id",), ("id",), [("id", "id", "IDENTITY")]),
    ],
)
def test_envelopes_and_parts_of_a_message_are_columns(parameters, own, fields, reported) -> None:
    """A change of Debezium has the row behind `after`; a column may have the key, or the value, as a whole."""
    job = read(replaced(row(*columns(*own), **parameters)), *fields)

    assert flows(job) == reported


def replaced(table: TableRow) -> TableRow:
    """Return the table of an engine without ClickHouse's column of the key."""
    return replace(table, table_format="", kind="SOURCE")


@pytest.mark.parametrize("written", ["", "no JSON", "{}", "[1]", "[{}]"])
def test_damaged_list_of_jobs_connects_nothing(written) -> None:
    """A dictionary may be of another version."""
    table = replace(row(), parameters=(("kafka.jobs", written), ("kafka.topics", "orders")))

    assert list(separate_jobs([table, row()])) == [row()]


def test_damaged_columns_of_a_job_leave_its_topic_connected() -> None:
    """They are JSON inside JSON."""
    jobs = '[{"kafka.job": "load", "kafka.topics": "orders", "kafka.brokers": "k-1:9092", "kafka.columns": "[1]"}]'
    table = replace(row(*columns("id")), parameters=(("kafka.jobs", jobs),))
    (job,) = ingestion_jobs(separate_jobs([table]), Ends(NAMING, TOPICS, {}))

    assert (job.job.name, job.columns) == ("shop.queue.load", ())
    assert [use.dataset.name for use in job.reads] == ["orders"]

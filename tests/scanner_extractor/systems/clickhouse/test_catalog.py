"""ClickHouse: tables that read topics, views and what they write to, types, and what a server does not show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.catalogs.column_types import Part, columns_of, server_namespace
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import Wanted
from scanner_extractor.systems.clickhouse.engines import (
    EngineClause,
    clickhouse_type,
    kafka_parameters,
    parse_engine,
    target_table,
)
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import SourceUnreachable
from scanner_model.scan import SourceStatus

SPACE = "clickhouse://clickhouse.example:8123"
DENIED = "Code: 497. DB::Exception: scanner: Not enough privileges. (ACCESS_DENIED)"


@pytest.fixture
def server(clickhouse):
    """Return a server that answers as ClickHouse 26.9 did."""
    return clickhouse.ClickHouse()


@pytest.fixture
def tables(read, server):
    """Return a function that reads the server's tables by name."""

    def by_name(**more):
        return {table.name: table for table in read("clickhouse", server, **more).of(CatalogTable)}

    return by_name


def test_tables_of_the_engine_kafka_name_their_topics(tables) -> None:
    """Whatever form the declaration has: settings, arguments by position, a named collection; never a password."""
    kafka = {
        name: {key: value for key, value in table.parameters if key.startswith("kafka.")}
        for name, table in tables().items()
        if table.table_format == "Kafka"
    }

    assert kafka["shop.orders_queue"] == {
        "kafka.brokers": "kafka-1:9092,kafka-2:9092",
        "kafka.topics": "orders",
        "kafka.group": "clickhouse-orders",
        "kafka.format": "JSONEachRow",
    }
    assert kafka["shop.raw_queue"]["kafka.topics"] == "clicks,views"
    assert kafka["shop.payments_queue"] == {
        "kafka.topics": "payments",
        "kafka.group": "g",
        "kafka.format": "AvroConfluent",
    }


def test_views_keep_their_select_and_tables_the_names_of_the_views_that_write_them(tables) -> None:
    """Who selects from a view with a target reads the target; a view without one has its rows itself."""
    listed = tables()

    assert listed["shop.orders_mv"].definition.startswith("SELECT id, upper(city) AS city")
    assert (listed["shop.orders_mv"].kind, listed["shop.orders_mv"].symlinks) == ("MATERIALIZED VIEW", ())
    assert listed["shop.orders"].symlinks == ((SPACE, "shop.orders_buffer"), (SPACE, "shop.orders_mv"))
    assert listed["mart.clicks"].symlinks == ((SPACE, "shop.clicks_mv"),)
    assert (listed["shop.by_city"].symlinks, listed["mart.report"].kind) == ((), "VIEW")
    assert not [name for name in listed if ".inner" in name]


def test_answers_of_all_databases_together_are_bounded(read, server) -> None:
    """Each answer is, and a server may list any number of databases."""
    http = HttpSettings(url="http://clickhouse.example:8123", max_bytes=5_000, concurrency=1)
    result = read("clickhouse", server, http=http)

    assert result.outcome.status is SourceStatus.PARTIAL
    assert result.problems[0].what.endswith("its databases sent more than 5000 bytes together")
    assert "max_bytes" in result.problems[0].hint


def test_table_is_read_with_its_columns_and_comments(tables) -> None:
    """Nested columns have a dot in their own name, computed ones their expression as default."""
    orders = tables()["shop.orders"]
    columns = {column.name: column for column in orders.columns}

    assert (orders.namespace, orders.description, orders.partition_keys) == (SPACE, "what was bought", ("at",))
    assert orders.updated.startswith("2026-")
    assert dict(orders.parameters) == {"database": "shop", "partition_by": "toYYYYMM(at)", "order_by": "(id)"}
    assert list(columns) == [
        *("id", "city", "cents", "day", "at", "`payload.k`", "`payload.k`.[]", "`payload.v`", "`payload.v`.[]"),
        *("tags", "tags.{}", "tags.{}.[]", "kind", "place", "place.lat", "place.lon"),
    ]
    assert (columns["id"].doc, columns["city"].default) == ("the order", "\"'unknown'\"")
    assert (columns["day"].default, columns["at"].logical_type) == ('"toDate(at)"', "DateTime64(3,'UTC')")
    assert (columns["place.lon"].nullable, columns["place.lat"].nullable) == (True, False)


def test_only_the_chosen_databases_and_tables_are_read(tables, server) -> None:
    """ClickHouse's own databases never are, and no table of another database is requested."""
    listed = tables(wanted=Wanted(schemas=("ma*", "system"), tables=("c*",)))

    assert list(listed) == ["mart.clicks"]
    assert set(server.asked) == {"databases", "tables mart", "columns mart"}


def test_other_addresses_of_the_server_are_other_names_of_every_table(tables) -> None:
    """A connector knows it by another port, a job by the load balancer; the view's name is the table's there too."""
    listed = tables(aliases=("ch-1:9000", "[::1]"))

    assert ("clickhouse://ch-1:9000", "mart.clicks") in listed["mart.clicks"].symlinks
    assert ("clickhouse://[::1]:8123", "shop.clicks_mv") in listed["mart.clicks"].symlinks
    assert server_namespace("clickhouse", "https://CH.example:8443/x", 8123) == "clickhouse://ch.example:8443"


def test_view_whose_target_is_not_listed_stands_for_it(read, server) -> None:
    """The right to see the view does not include the right to see the table."""
    server.rows("tables mart").remove(server.table("mart.clicks"))
    (view,) = (table for table in read("clickhouse", server).of(CatalogTable) if table.name == "shop.clicks_mv")

    assert view.symlinks == ((SPACE, "mart.clicks"),)


def test_brokers_that_a_named_collection_hides_are_a_problem_and_shown_ones_are_used(read, server) -> None:
    """The engine shows values of collections only to users with the right for secrets."""
    hidden = read("clickhouse", server)
    server.rows("named_collections")[0]["collection"]["kafka_broker_list"] = "kafka-9:9092"
    shown = read("clickhouse", server)

    assert [problem.where for problem in hidden.problems] == [
        "catalog:clickhouse:https://clickhouse.example shop.payments_queue"
    ]
    assert shown.problems == ()
    (table,) = (table for table in shown.of(CatalogTable) if table.name == "shop.payments_queue")
    assert dict(table.parameters)["kafka.brokers"] == "kafka-9:9092"


def test_macros_are_replaced_where_they_are_known(read, server) -> None:
    """The server does so when it reads the topic; `{database}` and `{table}` are always known."""
    server.table("shop.raw_queue")["declaration"] = "Kafka('{brokers}', '{database}_{table}', 'g', 'RawBLOB')"
    server.answers["macros"] = {"data": [{"name": "brokers", "substitution": "kafka-3:9092"}]}

    def parameters(reading):
        return next(dict(table.parameters) for table in reading.of(CatalogTable) if table.name == "shop.raw_queue")

    assert parameters(read("clickhouse", server))["kafka.topics"] == "shop_raw_queue"
    assert parameters(read("clickhouse", server))["kafka.brokers"] == "kafka-3:9092"
    server.refused = {"macros": (500, DENIED)}
    reading = read("clickhouse", server)
    assert "kafka.brokers" not in parameters(reading)
    assert any("macros could not be read" in problem.what for problem in reading.problems)


def test_select_that_is_not_shown_is_a_problem(read, server) -> None:
    """Otherwise the lineage would end without a word."""
    server.table("mart.report")["as_select"] = ""

    assert any("SELECT is not shown" in problem.what for problem in read("clickhouse", server).problems)


def test_database_that_cannot_be_read_costs_itself(read, server) -> None:
    """What is known of it stays; where none can be read, the source is unavailable with the server's reason."""
    server.refused = {"columns shop": (500, DENIED)}
    partial = read("clickhouse", server)
    server.refused = dict.fromkeys(server.answers, (500, DENIED))

    assert partial.outcome.status is SourceStatus.PARTIAL
    assert {table.name.partition(".")[0] for table in partial.of(CatalogTable)} == {"mart"}
    with pytest.raises(SourceUnreachable):
        read("clickhouse", server)


def test_password_of_an_old_server_is_hidden(read, server) -> None:
    """Servers before 23.1 show what they were given."""
    server.table("shop.orders_queue")["declaration"] += ", kafka_sasl_password = 'zqSECRETzq'"
    server.table("mart.report")["as_select"] += " SETTINGS s3_secret_key = 'zqSECRETzq'"

    assert "zqSECRETzq" not in repr(read("clickhouse", server))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("UInt64", ["x UInt64 None False"]),
        ("LowCardinality(Nullable(String))", ["x String None True"]),
        ("Decimal(10, 2)", ["x Decimal Decimal(10,2) False"]),
        ("Enum8('a, (' = 1, 'b' = 2)", ["x Enum8 None False"]),
        ("SimpleAggregateFunction(sum, UInt64)", ["x UInt64 None False"]),
        ("AggregateFunction(uniq, UInt64)", ["x AggregateFunction AggregateFunction(uniq,UInt64) False"]),
        ("Array(Tuple(k String))", ["x Array None False", "x.[] Tuple None False", "x.[].k String None False"]),
        ("Tuple(String, Nullable(UInt8))", ["x Tuple None False", "x.[0] String None False", "x.[1] UInt8 None True"]),
        ("Tuple(`a b` String)", ["x Tuple None False", "x.a b String None False"]),
        ("Nested(a UInt8)", ["x Nested None False", "x.[] Tuple None False", "x.[].a UInt8 None False"]),
        ("Map(String, Map(String, Bool))", ["x Map None False", "x.{} Map None False", "x.{}.{} Bool None False"]),
        ("JSON(max_dynamic_paths=8, a.b UInt32)", ["x JSON None False"]),
        ("Array(", ["x Array( None False"]),
    ],
)  # fmt: skip
def test_types_are_parsed(text, columns) -> None:
    """As ClickHouse writes them in system.columns; one that cannot be parsed keeps its text."""
    known = clickhouse_type(text)
    part = Part(segment="x", shape=known.shape, nullable=known.nullable)

    assert [f"{c.name} {c.type} {c.logical_type} {c.nullable}" for c in columns_of((part,))] == columns


def test_branches_of_a_variant_are_listed() -> None:
    """Its value is one of several types."""
    assert clickhouse_type("Variant(Array(String), Decimal(4, 1))").shape.branches == ("Array", "Decimal(4,1)")


@given(st.text(alphabet="ArayTupleNsd(),`' \\=1", max_size=60))
def test_any_text_of_a_type_or_an_engine_ends(text) -> None:
    """A new version may write what nobody knows yet."""
    assert clickhouse_type(text).shape.word is not None
    assert isinstance(parse_engine(text), EngineClause)


def test_type_that_is_nested_without_end_is_cut() -> None:
    """Nobody has such a table, but a hostile server might."""
    assert clickhouse_type("Array(" * 5_000 + "UInt8" + ")" * 5_000).shape.word == "Array"
    assert len(clickhouse_type("A" * 200_000).shape.word) == 100_000


@pytest.mark.parametrize(
    ("text", "arguments", "settings"),
    [
        ("Kafka SETTINGS kafka_topic_list = 'a,b', k = 2", (), {"kafka_topic_list": "a,b", "k": "2"}),
        ("Kafka('h:9092', 'it\\'s')", ("h:9092", "it's"), {}),
        ("Kafka(`my kaf`, kafka_format = 'CSV') SETTINGS a = 'x)'", ("my kaf",), {"kafka_format": "CSV", "a": "x)"}),
        ("Distributed('c', 'shop', 'orders', rand(1, 'x'))", ("c", "shop", "orders"), {}),
        ("MergeTree ORDER BY id SETTINGS index_granularity = 8192", (), {"index_granularity": "8192"}),
        ("", (), {}),
    ],
)  # fmt: skip
def test_engines_are_parsed(text, arguments, settings) -> None:
    """Arguments by position, settings by name, inside the brackets or behind them."""
    engine = parse_engine(text)

    assert (engine.arguments[: len(arguments)], {**engine.settings}) == (arguments, settings)


def test_table_overrides_its_named_collection() -> None:
    """Its own settings count, those that are hidden do not."""
    engine = parse_engine("Kafka(kaf, kafka_topic_list = 'mine')")
    collection = {"kafka_topic_list": "theirs", "kafka_broker_list": "[HIDDEN]", "kafka_format": "Avro"}

    assert kafka_parameters(engine, collection, {}) == {"kafka.topics": "mine", "kafka.format": "Avro"}


@pytest.mark.parametrize(
    ("query", "target"),
    [
        ("CREATE MATERIALIZED VIEW shop.mv TO mart.t (`id` UInt64) AS SELECT 1", ("mart", "t")),
        ("CREATE MATERIALIZED VIEW shop.mv TO t AS SELECT 1", ("shop", "t")),
        ("CREATE MATERIALIZED VIEW shop.`a TO b` TO `x (y`.`t.1` (`id` UInt64) AS SELECT 1", ("x (y", "t.1")),
        ("CREATE MATERIALIZED VIEW shop.mv REFRESH EVERY 1 HOUR APPEND TO shop.t AS SELECT 1", ("shop", "t")),
        ("CREATE MATERIALIZED VIEW shop.mv (`id` UInt64) ENGINE = MergeTree AS SELECT 'x TO y'", None),
        ("CREATE VIEW shop.v AS SELECT 1", None),
    ],
)
def test_target_of_a_view_is_read_from_its_header(query, target) -> None:
    """Only versions of 2026 have a column for it."""
    assert target_table(query, "shop") == target

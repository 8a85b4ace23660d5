"""Where other tools lose or invent lineage of SQL: the right answers, each a defect that was seen in the wild."""

import pytest

from dataflow_generator.build.store import store
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.jobs.flink.resolve import FlinkContext
from dataflow_generator.jobs.flink.statements import flink_jobs
from dataflow_generator.jobs.ksqldb import ksql_jobs
from dataflow_generator.jobs.model import Naming
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_sql
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.lineage_inputs.jobs import ClusterNames
from scanner_dictionary.queries.graph_nodes import nodes_named
from scanner_model.names import SourceId, TopicName
from scanner_model.streaming_sql import SCRIPT, KsqlSource, Query, StreamingStatement

NAMING = Naming([("east", ("k-1:9092",)), ("west", ("w-1:9092",))])
WORLD = FlinkContext(
    naming=NAMING,
    names={
        "east": ClusterNames(frozenset({"east"}), frozenset({"prod"})),
        "west": ClusterNames(frozenset({"west"}), frozenset({"prod"})),
    },
    topics=dict,
    columns=lambda _: {},
)


def moved(text: str, dialect: Dialect = Dialect.FLINK) -> list[tuple[str, str]]:
    """Return the sources and the sink of each statement that moves data."""
    sql = read_sql(text, dialect)
    assert all(not statement_flows.problems for statement_flows in sql)
    return [
        (" ".join(statement_flows.sources), " ".join(statement_flows.sinks))
        for statement_flows in sql
        if statement_flows.sources or statement_flows.sinks
    ]


def jobs(text: str, **more: str):
    members = {"kind": SCRIPT} | more
    statement = StreamingStatement(source=SourceId("flink:f"), name="job", statement=text, **members)
    return [reading.flows for reading in flink_jobs("east", [statement], [0], WORLD)]


def keys(uses) -> list[str]:
    return [use.dataset.key for use in uses]


def test_the_end_of_a_statement_is_no_part_of_its_last_table() -> None:
    """Nor are a comma or a bracket behind a name."""
    assert moved("INSERT INTO bills SELECT id FROM invoices;") == [("invoices", "bills")]
    assert moved("INSERT INTO bills SELECT a.id FROM invoices, clients;") == [("clients invoices", "bills")]
    assert moved("INSERT INTO bills SELECT id FROM (SELECT id FROM invoices) t;") == [("invoices", "bills")]


def test_tables_of_a_query_in_a_condition_are_read() -> None:
    """They decide what is written."""
    text = "INSERT INTO bills SELECT id FROM invoices WHERE client IN (SELECT id FROM vips)"

    assert moved(text) == [("invoices vips", "bills")]


def test_a_query_named_by_with_is_no_table() -> None:
    """Tables are those inside it."""
    text = "INSERT INTO bills WITH open_ones AS (SELECT id FROM invoices) SELECT id FROM open_ones"

    assert moved(text) == [("invoices", "bills")]


@pytest.mark.parametrize("comment", ["-- nightly\n", "/* from nowhere */ ", "--\n/* FROM x */\n"])
def test_a_comment_before_a_statement_costs_nothing(comment) -> None:
    """And what stands in it is read by nobody."""
    assert moved(f"{comment}INSERT INTO bills SELECT id FROM invoices") == [("invoices", "bills")]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE bills PRIMARY KEY (id) NOT ENFORCED AS SELECT id FROM invoices",
        "CREATE TABLE bills DISTRIBUTED BY (id) INTO 4 BUCKETS AS SELECT id FROM invoices",
        "CREATE OR REPLACE TABLE bills AS SELECT id FROM invoices",
        "CREATE MATERIALIZED TABLE bills FRESHNESS = INTERVAL '1' MINUTE AS SELECT id FROM invoices",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO bills SELECT id FROM invoices; END",
        "BEGIN STATEMENT SET; INSERT INTO bills SELECT id FROM invoices; END",
        "CREATE VIEW open_ones AS SELECT id FROM invoices; INSERT INTO bills SELECT id FROM open_ones",
    ],
)
def test_every_form_that_moves_data_is_a_job(text) -> None:
    """A statement that is dropped is lineage that is missing without a word."""
    assert moved(text)[-1] == ("invoices", "bills")
    assert [len(flows.writes) for flows in jobs(text)] == [1]


def test_in_a_statement_set_each_insert_has_its_own_sources() -> None:
    """Every source into every sink would be lineage that is invented."""
    text = "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT x FROM b; INSERT INTO c SELECT y FROM d; END"

    assert [(keys(job.reads), keys(job.writes)) for job in jobs(text)] == [
        (["dataset:flink://east/f/b"], ["dataset:flink://east/f/a"]),
        (["dataset:flink://east/f/d"], ["dataset:flink://east/f/c"]),
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "EXTRACT(DAY FROM made_at)",
        "TRIM(LEADING '0' FROM code)",
        "a IS DISTINCT FROM b",
        "'text FROM nowhere'",
        "a /* FROM nowhere */",
        "OVERLAY(a PLACING b FROM 2)",
        "SUBSTRING(a FROM 2 FOR 3)",
    ],
)
def test_from_that_is_no_clause_names_no_table(expression) -> None:
    """A topic that does not exist is worse than one that is missing."""
    assert moved(f"INSERT INTO bills SELECT {expression} FROM invoices") == [("invoices", "bills")]


def test_names_stay_whole() -> None:
    """Columns of an INSERT, quotes, three parts, and tables as arguments."""
    assert moved("INSERT INTO bills(id, name) SELECT a, b FROM invoices") == [("invoices", "bills")]
    assert moved("INSERT INTO `b-1` SELECT a FROM `prod`.`west`.`a.b`") == [("prod.west.`a.b`", "b-1")]
    windowed = "TUMBLE(DATA => TABLE invoices, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY)"
    assert moved(f"INSERT INTO bills SELECT a FROM TABLE({windowed})") == [("invoices", "bills")]


@pytest.mark.parametrize("name", ["values", "select_", "table_1", "confluent_orders", "_orders"])
def test_a_topic_is_kept_whatever_it_is_called(name) -> None:
    """Words are noise in a text, not in a name."""
    assert moved(f"INSERT INTO bills SELECT a FROM `{name}`") == [(name, "bills")]


def test_a_collection_of_ksqldb_is_found_by_its_exact_name() -> None:
    """Quotes keep case and dashes; the topic is what the server says, whatever the collection is called."""
    server = SourceId("ksqldb:http://ksql:8088")
    collections = [
        ("east", KsqlSource(source=server, name=name, kind="STREAM", topic=TopicName(topic), **_FORMATS))
        for name, topic in (("my-stream", "shop.mine"), ("MY", "shop.other"), ("OUT", "Out"))
    ]
    text = "CREATE STREAM OUT AS SELECT * FROM `my-stream` EMIT CHANGES;"
    query = Query(source=server, name="Q", kind="PERSISTENT", state="RUNNING", statement=text)
    (reading,) = ksql_jobs(collections, [("east", query)], {}, NAMING)

    assert keys(reading.flows.reads) == ["topic:kafka://k-1:9092/shop.mine"]
    assert keys(reading.flows.writes) == ["topic:kafka://k-1:9092/Out"]


_FORMATS = {"key_format": "KAFKA", "value_format": "JSON", "statement": ""}


def test_topics_of_one_name_in_two_clusters_of_an_environment_are_two() -> None:
    """The cluster is part of the identity."""
    managed = {"kind": "", "compute_pool": "p", "catalog_name": "prod", "database_name": "east"}
    (flows,) = jobs("INSERT INTO orders SELECT id FROM west.orders", **managed)

    assert keys(flows.reads) == ["topic:kafka://w-1:9092/orders"]
    assert keys(flows.writes) == ["topic:kafka://k-1:9092/orders"]


def test_no_secret_of_a_table_is_in_what_is_reported() -> None:
    """Names and evidence go into files and other tools."""
    ddl = """CREATE TABLE bills (id STRING) WITH ('connector' = 'jdbc', 'password' = 'hush',
    'url' = 'jdbc:postgresql://me:hush@db/shop?password=hush', 'table-name' = 'bills');"""
    (flows,) = jobs(f"{ddl}INSERT INTO bills SELECT id FROM invoices")

    assert keys(flows.writes) == ["dataset:postgres://db:5432/shop.public.bills"]
    assert "hush" not in repr(flows)


@pytest.mark.parametrize("name", ["it's", 'say "hi"', "a/b", "a#b", "100%", "<b>x</b>", "заказы"])
def test_a_name_with_signs_is_stored_and_found(name, new_dictionary) -> None:
    """Values are bound, never pasted into a statement."""
    topic = Node(f"topic:kafka://k/{name}", NodeKind.TOPIC, "kafka://k", name)
    job = Node("job:x/j", NodeKind.JOB, "x", "j")
    edge = Edge(topic.key, job.key, EdgeKind.READS, f"key '{name}'", Certainty.DERIVED)
    engine = open_dictionary(new_dictionary)
    store(engine, FlowGraph(nodes=lambda: iter((topic, job)), edges=lambda: iter((edge,))))

    with engine.connect() as conn:
        assert [node.node_key for node in nodes_named(SqlGraphReader(conn), f"topic:kafka://k/{name}")] == [topic.key]

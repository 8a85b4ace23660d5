"""Jobs and their flows: what people declared, and what ksqlDB's queries do."""

import pytest

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.graph_builder import build_flows
from dataflow_generator.graph import Certainty, EdgeKind, NodeKind
from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.ksqldb import Level, ksql_jobs, named_by
from dataflow_generator.jobs.manual import manual_jobs
from dataflow_generator.jobs.model import Naming
from scanner_model.columns import Column
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query

KSQL = SourceId("ksqldb:http://ksql:8088")
NAMING = Naming([("retail", ("kafka-1:9092", "kafka-2:9092"))])
KAFKA = "kafka://kafka-1:9092"
CSAS = "CREATE STREAM PAID WITH (KAFKA_TOPIC='paid') AS SELECT ID, PRICE->AMOUNT * 2 TWICE FROM ORDERS WHERE OK;"


def end(name: str, *path: str, namespace: str = "") -> FlowEnd:
    return FlowEnd(namespace=namespace, name=name, path=path or None)


def manual(origin: FlowEnd, target: FlowEnd, job: str = "nightly", evidence: str = "m.json $.flows[0]") -> DeclaredFlow:
    source = SourceId("manual:m.json")
    return DeclaredFlow(source=source, origin=origin, target=target, job=job, description="", evidence=evidence)


def collection(name: str, topic: str, *columns: tuple[tuple[str, ...], str]) -> KsqlSource:
    listed = tuple(CollectionColumn(column=Column(path=path, type=type_), role=Role.VALUE) for path, type_ in columns)
    return KsqlSource(
        source=KSQL,
        name=name,
        kind="STREAM",
        topic=TopicName(topic),
        key_format="KAFKA",
        value_format="JSON",
        statement="",
        columns=listed,
    )


ORDERS = collection(
    "ORDERS",
    "orders",
    (("ID",), "STRING"),
    (("OK",), "BOOLEAN"),
    (("PRICE",), "STRUCT"),
    (("PRICE", "AMOUNT"), "BIGINT"),
)
PAID = collection("PAID", "paid", (("ID",), "STRING"), (("TWICE",), "BIGINT"))


def query(statement: str = CSAS, **more) -> Query:
    given = {"kind": "PERSISTENT", "sources": ("ORDERS",), "sinks": ("PAID",)} | more
    return Query(source=KSQL, name="CSAS_PAID_1", state="RUNNING", statement=statement, **given)


def read(asked: Query, *collections: KsqlSource, fields=None):
    known = [("retail", each) for each in collections or (ORDERS, PAID)]
    (reading,) = ksql_jobs(known, [("retail", asked)], fields or {}, NAMING)
    return reading


def shown(reading) -> set[tuple[str, str, str]]:
    return {(flow.source.key, flow.target.key, flow.subtype) for flow in reading.flows.columns}


def column(topic: str, name: str) -> str:
    return f"column:{KAFKA}/{topic}#{name}"


def test_a_query_is_a_job_between_topics() -> None:
    """People look for topics, not for ksqlDB's collections."""
    reading = read(query())

    assert (reading.flows.job.namespace, reading.flows.job.name) == ("ksqldb://ksql:8088", "CSAS_PAID_1")
    assert [use.dataset.key for use in reading.flows.reads] == [f"topic:{KAFKA}/orders"]
    assert [use.dataset.key for use in reading.flows.writes] == [f"topic:{KAFKA}/paid"]
    assert reading.flows.certainty == Certainty.DERIVED


def test_a_statement_reports_the_flows_of_columns() -> None:
    """A filter affects the whole topic, a projection on one column."""
    reading = read(query())

    assert shown(reading) == {
        (column("orders", "ID"), column("paid", "ID"), "IDENTITY"),
        (column("orders", "PRICE.AMOUNT"), column("paid", "TWICE"), "TRANSFORMATION"),
        (column("orders", "OK"), f"topic:{KAFKA}/paid", "FILTER"),
    }
    assert (reading.level, reading.problems) == (Level.COLUMNS, ())


def test_select_everything_is_expanded_by_what_the_server_describes() -> None:
    """The server stores `*` as it was written."""
    reading = read(query("CREATE STREAM PAID AS SELECT * FROM ORDERS;"))

    assert (column("orders", "PRICE"), column("paid", "PRICE"), "IDENTITY") in shown(reading)


def test_a_column_goes_by_the_field_of_its_topic() -> None:
    """ksqlDB folds unquoted names to upper case; the schema has the real ones."""
    fields = {
        ("retail", "orders"): (Column(path=("id",), type="string"), Column(path=("price", "amount"), type="long"))
    }
    reading = read(query(), fields=fields)

    assert (column("orders", "id"), column("paid", "ID"), "IDENTITY") in shown(reading)
    assert (column("orders", "price.amount"), column("paid", "TWICE"), "TRANSFORMATION") in shown(reading)
    assert [problem.what for problem in reading.problems] == ["OK of ORDERS is not a field of the topic orders"]
    assert reading.level is Level.COLUMNS


def test_a_field_is_found_exactly_before_whatever_its_case() -> None:
    """Two fields that differ in case only are distinguished by their case, or not at all."""
    fields = Fields(
        [Column(path=("Id",), type="int"), Column(path=("ID",), type="int"), Column(path=("a",), type="int")]
    )

    assert [fields.find((name,)) for name in ("ID", "id", "A", "b")] == [("ID",), None, ("a",), None]


@pytest.mark.parametrize(
    "reported", [{"sources": ("ORDERS", "RATES")}, {"sinks": ("OTHER",), "sink_topics": ("paid",)}]
)
def test_where_server_and_statement_disagree_only_tables_are_reported(reported) -> None:
    """One of the two is misread; columns would be a guess."""
    reading = read(query(**reported), ORDERS, PAID, collection("RATES", "rates"))

    assert (reading.level, reading.flows.columns) == (Level.TABLES, ())
    assert "the server reports" in reading.problems[0].what
    assert reading.flows.reads
    assert reading.flows.writes


def test_query_of_a_source_table_fills_a_store_of_its_own() -> None:
    """8.3.1 reports the table as its source and no sink, and the statement names neither: nothing disagrees."""
    statement = "CREATE SOURCE TABLE ORDERS (ID STRING PRIMARY KEY) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');"
    reading = read(query(statement, sinks=()))

    assert (reading.problems, [use.dataset.name for use in reading.flows.reads]) == ((), ["orders"])
    assert dict(reading.flows.job.attributes)["internal"] is True
    assert "internal" not in dict(read(query()).flows.job.attributes)


def test_a_statement_that_cannot_be_read_keeps_what_the_server_reports() -> None:
    """Topics are known all the same."""
    reading = read(query("CREATE STREAM PAID AS SELECT ((( FROM ORDERS;"))

    assert reading.level is Level.TABLES
    assert [use.dataset.name for use in (*reading.flows.reads, *reading.flows.writes)] == ["orders", "paid"]
    assert reading.problems


def test_a_query_of_which_nothing_is_known_is_counted_as_not_read() -> None:
    """It is a job still: somebody runs it."""
    reading = read(query("", sources=(), sinks=()))

    assert (reading.level, reading.flows.reads, reading.flows.writes) == (Level.UNREAD, (), ())


def test_a_collection_that_is_not_described_is_a_problem() -> None:
    """Its topic is not known, and never guessed from its name."""
    reading = read(query(), PAID)

    assert [problem.what for problem in reading.problems] == ["the collection 'ORDERS' is unknown, and so is its topic"]
    assert [use.dataset.name for use in reading.flows.writes] == ["paid"]


def test_a_sink_goes_by_the_topic_that_the_server_reports_of_the_query() -> None:
    """The collection may be unknown where the server let us see the queries only."""
    reading = read(query(sink_topics=(TopicName("paid-2"),)), ORDERS)

    assert [use.dataset.name for use in reading.flows.writes] == ["paid-2"]


def test_somebodys_push_query_is_no_job() -> None:
    """It ends with the terminal that asked it, and writes nothing."""
    assert not list(ksql_jobs([("retail", ORDERS)], [("retail", query(kind="PUSH"))], {}, NAMING))


def test_declared_flows_of_one_job_are_one_job() -> None:
    """Each line is the evidence of its own column."""
    flows = [
        ("retail", manual(end("orders", "id"), end("bills", "no"), evidence="m.json $.flows[0].columns[0]")),
        ("retail", manual(end("orders", "sum"), end("bills", "total"), evidence="m.json $.flows[0].columns[1]")),
    ]
    (job,) = manual_jobs(flows, NAMING)

    assert (job.job.name, job.certainty) == ("nightly", Certainty.DECLARED)
    assert [use.evidence for use in job.reads] == ["m.json $.flows[0].columns[0]"]
    assert [(flow.type, flow.evidence[-2]) for flow in job.columns] == [("DIRECT", "0"), ("DIRECT", "1")]


def test_a_flow_without_a_job_has_one_of_its_own() -> None:
    """Two unnamed flows have nothing to do with each other."""
    flows = [("retail", manual(end("a"), end("b"), job="")), ("retail", manual(end("c"), end("d"), job=""))]

    assert [job.job.name for job in manual_jobs(flows, NAMING)] == ["a -> b", "c -> d"]


@pytest.mark.parametrize(
    ("namespace", "key"),
    [
        ("kafka://KAFKA-2:9092", f"topic:{KAFKA}/x"),
        ("kafka://other:9092", "topic:kafka://other:9092/x"),
        ("kafka://not an address", "topic:kafka://not an address/x"),
        ("postgres://db:5432", "dataset:postgres://db:5432/x"),
    ],
)
def test_any_broker_of_a_cluster_names_its_topics(namespace, key) -> None:
    """An end of a flow that names the second broker is the same topic."""
    (job,) = manual_jobs([("retail", manual(end("x", namespace=namespace), end("y")))], NAMING)

    assert job.reads[0].dataset.key == key


def test_what_the_installation_has_already_is_not_built_again() -> None:
    """A topic that no scan found has a node all the same, for its edges."""
    flows = [("retail", manual(end("orders", "id"), end("lake.orders", "no", namespace="s3://lake")))]
    jobs = list(manual_jobs([*flows, ("retail", manual(end("lost"), end("orders")))], NAMING))
    graph = build_flows(
        jobs, {f"topic:{KAFKA}/orders"}, {(KAFKA, "orders"): (Column(path=("id",), type="long"),)}, Coverage()
    )

    assert [(node.kind, node.name, node.path) for node in graph.nodes] == [
        (NodeKind.DATASET, "lake.orders", None),
        (NodeKind.TOPIC, "lost", None),
        (NodeKind.JOB, "nightly", None),
        (NodeKind.COLUMN, "orders", ("id",)),
        (NodeKind.COLUMN, "lake.orders", ("no",)),
    ]
    assert graph.nodes[3].attributes == (("type", "long"),)
    assert [edge.kind for edge in graph.edges if edge.target.startswith("column:")] == [
        EdgeKind.CONTAINS,
        EdgeKind.CONTAINS,
        EdgeKind.COLUMN_FLOW,
    ]


def test_a_column_that_affects_a_whole_dataset_is_indirect() -> None:
    """A value cannot be computed from what only decides which rows there are."""
    (job,) = manual_jobs([("retail", manual(end("orders", "id"), end("bills")))], NAMING)

    assert [(flow.type, flow.target.key) for flow in job.columns] == [("INDIRECT", f"topic:{KAFKA}/bills")]


def test_an_aggregate_that_users_brought_aggregates() -> None:
    """The server says which of its functions do; what is made of a group's key alone computes otherwise."""
    asked = query("CREATE STREAM PAID AS SELECT ID, my_count(ID) TWICE FROM ORDERS GROUP BY ID EMIT CHANGES;")
    known = [("retail", each) for each in (ORDERS, PAID)]

    (plain,) = ksql_jobs(known, [("retail", asked)], {}, NAMING)
    (told,) = ksql_jobs(known, [("retail", asked)], {}, NAMING, {("retail", str(KSQL)): frozenset({"my_count"})})

    flow = column("orders", "ID"), column("paid", "TWICE")
    assert (*flow, "TRANSFORMATION") in shown(plain)
    assert (*flow, "AGGREGATION") in shown(told)


def test_field_inside_a_well_known_message_is_the_column_of_that_message() -> None:
    """A Protobuf timestamp is one column; a statement may still name its seconds."""
    at = Column(path=("at",), type="message", logical_type="timestamp")
    name = Column(path=("name",), type="string", logical_type="google.protobuf.StringValue")
    others = {("d",): "message", ("d", "[]"): "int", ("s",): "string"}
    fields = Fields([at, name, *(Column(path=path, type=word) for path, word in others.items())])

    assert fields.find(("AT", "SECONDS")) == ("at",)
    assert fields.find(("name", "value")) == ("name",)
    assert fields.find(("d", "none")) is None
    assert fields.find(("s", "none")) is None


def test_fields_of_elements_are_written_without_them() -> None:
    """SQL writes `items[1]->sku`: which element it is leaves no step in the path, a schema's own path has one."""
    paths = [("items",), ("items", "[]"), ("items", "[]", "sku"), ("m", "{}", "n"), ("@key", "ids", "[]", "n")]
    fields = Fields(Column(path=path, type="x") for path in paths)

    assert fields.find(("ITEMS", "SKU")) == ("items", "[]", "sku")
    assert fields.find(("M", "N")) == ("m", "{}", "n")
    assert fields.find(("ITEMS",)) == ("items",)
    assert fields.find(("IDS", "N"), key=True) == ("@key", "ids", "[]", "n")


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("ORDERS", "CREATE STREAM X AS SELECT * FROM orders;"),
        ("a.b", "CREATE STREAM X AS SELECT * FROM `a.b`;"),
        ("O`Neill", "CREATE STREAM X AS SELECT * FROM `O``Neill`;"),
        ("ORDERS", "CREATE STREAM X AS SELECT * FROM ${which};"),
        ("PAID", "INSERT INTO X SELECT * FROM Y;"),
    ],
)
def test_a_collection_that_a_query_may_name_is_read_with_it(name, statement) -> None:
    """Case, quotes and what a variable stands for are the statement's; the server says names of its own."""
    assert named_by([query(statement)])(name)


def test_a_collection_that_no_query_names_is_not_read() -> None:
    """Of a server with a thousand collections a query needs two."""
    assert not named_by([query(), query()])("ELSEWHERE")


def test_a_query_reads_the_same_without_the_collections_that_it_does_not_name() -> None:
    """What else a server has affects none of its flows."""
    other = collection("ELSEWHERE", "elsewhere", (("ID",), "STRING"))
    asked = query()
    known = [each for each in (ORDERS, PAID, other) if named_by([asked])(each.name)]

    assert other not in known
    assert read(asked, *known) == read(asked, ORDERS, PAID, other)

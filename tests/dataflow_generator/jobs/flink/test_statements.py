"""Flink's statements in the graph: what each reads, writes and makes of columns, in Confluent Cloud and elsewhere."""

from dataclasses import replace

import pytest

from dataflow_generator.jobs.consumer_groups import GroupOwner
from dataflow_generator.jobs.flink.resolve import FlinkContext, declared_columns, outside_dataset
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_owners
from dataflow_generator.jobs.ksqldb import Level
from dataflow_generator.jobs.model import Naming
from dataflow_generator.jobs.once import Once
from scanner_dictionary.lineage_inputs.jobs import ClusterNames
from scanner_model.columns import KEY, Column, expression_of
from scanner_model.names import SourceId, TopicName
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

KAFKA = "kafka://kafka-1:9092"
OTHER = "kafka://west-1:9092"
FILES = SourceId("flink:flink")
CLOUD = SourceId("flink:https://flink.eu-central-1.aws.confluent.cloud")
NAMES = {
    "retail": ClusterNames(frozenset({"retail", "lkc-1", "billing"}), frozenset({"env-1", "prod"})),
    "west": ClusterNames(frozenset({"west", "lkc-2", "billing"}), frozenset({"env-2", "test"})),
}
ORDERS = """CREATE TABLE orders (id STRING, ts TIMESTAMP(3) METADATA FROM 'timestamp', price DOUBLE)
WITH ('connector' = 'kafka', 'topic' = 'shop.orders', 'properties.bootstrap.servers' = 'kafka-2:9092');"""
PAID = "CREATE TABLE paid (id STRING, total DOUBLE) WITH ('connector' = 'upsert-kafka', 'topic' = 'shop.paid');"
INSERT = "INSERT INTO paid SELECT id, price * 2 FROM orders WHERE price > 0;"


def world(columns=None, topics=("shop.orders", "shop.returns")) -> FlinkContext:
    known = columns or {}
    return FlinkContext(
        naming=Naming([("retail", ("kafka-1:9092", "kafka-2:9092")), ("west", ("west-1:9092",))]),
        names=NAMES,
        topics=lambda: {"retail": tuple(topics)},
        columns=lambda wanted: {topic: known[topic] for topic in wanted if topic in known},
    )


def script(text: str, name: str = "jobs.sql") -> StreamingStatement:
    return StreamingStatement(source=FILES, name=name, statement=text, kind=SCRIPT)


def managed(text: str, name: str = "enrich", database: str = "billing", **more) -> StreamingStatement:
    told = {"compute_pool": "lfcp-1", "catalog_name": "prod", "database_name": database, "state": "RUNNING"} | more
    return StreamingStatement(source=CLOUD, name=name, statement=text, **told)


def read(*statements: StreamingStatement, **given):
    return list(flink_jobs("retail", statements, range(len(statements)), world(**given)))


def flows(reading) -> set[tuple[str, str, str]]:
    return {(flow.source.key, flow.target.key, flow.subtype) for flow in reading.flows.columns}


def column(topic: str, name: str, namespace: str = KAFKA) -> str:
    return f"column:{namespace}/{topic}#{name}"


def keys(uses) -> list[str]:
    return [use.dataset.key for use in uses]


def value(*names: str) -> tuple[Column, ...]:
    return tuple(Column(path=(name,), type="string") for name in names)


def key(*path: str) -> Column:
    return Column(path=(KEY, *path), type="string")


@pytest.mark.parametrize(
    ("option", "subtype"),
    [
        ("column.mask.with.8.chars", "MASKED"),
        ("column.mask.hash.SHA-256.with.salt.pepper", "MASKED"),
        ("column.truncate.to.2.chars", "TRANSFORMATION"),
        ("column.exclude.list", None),
    ],
)
def test_a_change_feed_masks_truncates_or_omits_columns(option, subtype) -> None:
    """The option is Debezium's, and the evidence of the flow."""
    source = (
        "CREATE TABLE people (id STRING, email STRING) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db',"
        f" 'database-name' = 'crm', 'table-name' = 'people', 'debezium.{option}' = 'crm.people.email');"
    )
    sink = "CREATE TABLE copies (id STRING, email STRING) WITH ('connector' = 'kafka', 'topic' = 'copies');"
    (reading,) = read(script(source + sink + "INSERT INTO copies SELECT id, email FROM people;"))
    flow_of = {flow.target.path: flow for flow in reading.flows.columns}

    assert flow_of["id",].subtype == "IDENTITY"
    assert (flow_of["email",].subtype if ("email",) in flow_of else None) == subtype
    assert subtype is None or flow_of["email",].evidence.endswith(f", debezium.{option}")


def test_an_insert_is_a_job_between_the_topics_of_its_tables() -> None:
    """Any broker of the cluster names the topic; where DDL names none, it is the cluster that is scanned."""
    (reading,) = read(script(ORDERS + PAID + INSERT))

    assert keys(reading.flows.reads) == [f"topic:{KAFKA}/shop.orders"]
    assert keys(reading.flows.writes) == [f"topic:{KAFKA}/shop.paid"]
    assert (reading.flows.job.namespace, reading.flows.job.name) == ("flink://retail/flink", "jobs.sql")
    assert flows(reading) == {
        (column("shop.orders", "id"), column("shop.paid", "id"), "IDENTITY"),
        (column("shop.orders", "price"), column("shop.paid", "total"), "TRANSFORMATION"),
        (column("shop.orders", "price"), f"topic:{KAFKA}/shop.paid", "FILTER"),
    }
    assert (reading.level, reading.problems) == (Level.COLUMNS, ())


def test_evidence_names_the_statement_and_its_line() -> None:
    """Of a file of a thousand lines people want the one."""
    (reading,) = read(script(f"{ORDERS}\n{PAID}\n  {INSERT}"))

    assert reading.flows.reads[0].evidence == "statement jobs.sql of flink:flink, 4:3: source orders"
    assert {flow.evidence.partition(": ")[0] for flow in reading.flows.columns} == {
        "statement jobs.sql of flink:flink, 4:3"
    }


def test_evidence_of_a_computed_column_has_its_expression() -> None:
    """Whoever asks how a value comes about reads the answer, and does not look it up in the file."""
    (reading,) = read(script(f"{ORDERS}\n{PAID}\n{INSERT}"))
    computed = [flow for flow in reading.flows.columns if flow.subtype == "TRANSFORMATION"]

    assert [expression_of(flow.evidence, "total") for flow in computed] == ["price * 2"]
    assert not any(expression_of(flow.evidence, "id") for flow in reading.flows.columns)


def test_a_table_is_known_to_every_statement_of_its_source_whatever_the_order() -> None:
    """Files are read by name; the one with the tables need not be the first."""
    (reading,) = read(script(INSERT, "a.sql"), script(ORDERS + PAID, "b.sql"))

    assert keys(reading.flows.reads) == [f"topic:{KAFKA}/shop.orders"]


def test_a_statement_set_is_one_job_for_each_insert() -> None:
    """Not every source of the set goes into every sink."""
    text = f"""{ORDERS}{PAID}CREATE TABLE seen (id STRING) WITH ('connector' = 'kafka', 'topic' = 'seen');
    EXECUTE STATEMENT SET BEGIN {INSERT} INSERT INTO seen SELECT id FROM paid; END;"""
    first, second = read(script(text))

    assert (first.flows.job.name, second.flows.job.name) == ("jobs.sql:1", "jobs.sql:2")
    assert (keys(second.flows.reads), keys(second.flows.writes)) == (
        [f"topic:{KAFKA}/shop.paid"],
        [f"topic:{KAFKA}/seen"],
    )


def test_flows_go_through_views_which_are_no_datasets() -> None:
    """Nobody stores what a view shows."""
    view = "CREATE TEMPORARY VIEW cheap AS SELECT id AS oid, price FROM orders WHERE price < 9;"
    (reading,) = read(script(f"{ORDERS}{PAID}{view}INSERT INTO paid SELECT oid, price FROM cheap;"))

    assert keys(reading.flows.reads) == [f"topic:{KAFKA}/shop.orders"]
    assert (column("shop.orders", "id"), column("shop.paid", "id"), "IDENTITY") in flows(reading)


def test_what_the_broker_reports_a_record_is_no_field_of_it() -> None:
    """A field called ts may be there beside it."""
    (reading,) = read(script(f"{ORDERS}{PAID}INSERT INTO paid SELECT CAST(ts AS STRING), price FROM orders;"))

    assert (column("shop.orders", "$ts"), column("shop.paid", "id"), "TRANSFORMATION") in flows(reading)
    assert reading.problems == ()


def test_a_pattern_of_topics_that_takes_too_long_is_reported() -> None:
    """Which topics it matches is not known, and all other statements are still read."""
    ddl = "CREATE TABLE many (id STRING) WITH ('connector' = 'kafka', 'topic-pattern' = '([a-z.]|[a-z.][a-z.])+!?$');"
    text = f"{ddl}{PAID}INSERT INTO paid SELECT id, 1 FROM many;"
    (reading,) = read(script(text), topics=("a" * 100 + "?",))

    assert reading.flows.reads == ()
    assert any("takes too long" in problem.what for problem in reading.problems)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("'topic' = 'a; b'", ["a", "b"]),
        ("'topic-pattern' = 'shop[.].*'", ["shop.orders", "shop.returns"]),
        ("'topic-pattern' = 'x.*'", ["regex:x.*"]),
    ],
)
def test_a_table_may_be_several_topics(options, expected) -> None:
    """A list, or those of the known topics that a pattern matches as a whole; else the pattern stays."""
    ddl = f"CREATE TABLE many (id STRING) WITH ('connector' = 'kafka', {options});"
    (reading,) = read(script(f"{ddl}{PAID}INSERT INTO paid SELECT id, 1 FROM many;"))

    assert [use.dataset.name for use in reading.flows.reads] == expected
    assert bool(reading.problems) == (expected == ["regex:x.*"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"connector": "jdbc", "url": "jdbc:postgresql://u:p@db/shop", "table-name": "orders"},
            ("postgres://db:5432", "shop.public.orders"),
        ),
        ({"connector": "filesystem", "path": "s3a://lake/raw/orders/"}, ("s3://lake", "raw/orders")),
        (
            {"connector": "mysql-cdc", "hostname": "db", "database-name": "shop", "table-name": "orders"},
            ("mysql://db:3306", "shop.orders"),
        ),
        (
            # A platform fills in the server, as Aiven does.
            {"connector": "postgres-cdc", "hostname": "", "database-name": "shop", "table-name": "orders"},
            ("postgres://unknown", "shop.orders"),
        ),
        (
            {"connector": "iceberg", "warehouse": "s3://lake/wh", "catalog-database": "db", "catalog-table": "t"},
            ("s3://lake/wh", "db.t"),
        ),
        (
            {"connector": "elasticsearch-7", "hosts": "http://es-1:9200;http://es-2:9200", "index": "users"},
            ("elasticsearch://es-1:9200,es-2:9200", "users"),
        ),
        (
            {"connector": "iceberg", "catalog-type": "hive", "uri": "thrift://meta:9083", "catalog-table": "t"},
            ("hive://meta:9083", "default.t"),
        ),
        (
            {"connector": "iceberg", "catalog-type": "rest", "uri": "https://cat/api", "catalog-table": "t"},
            ("https://cat/api", "default.t"),
        ),
        ({"connector": "pulsar", "service-url": "pulsar://p:6650", "topics": "t"}, ("pulsar://p:6650", "t")),
        (
            {"connector": "mongodb", "uri": "mongodb://u:p@m:27017", "database": "d", "collection": "c"},
            ("mongodb://m:27017", "d.c"),
        ),
        (
            {"connector": "kinesis", "stream.arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/clicks"},
            ("kinesis://kinesis.eu-west-1.amazonaws.com", "clicks"),
        ),
    ],
)
def test_a_table_outside_kafka_is_named_as_others_name_it(options, expected) -> None:
    """So that a connector's end and a statement's meet; passwords are in no name."""
    found = outside_dataset(options)

    assert found is not None
    assert (found.namespace, found.name) == expected


def test_a_connector_that_is_not_known_keeps_the_table_and_reports_it() -> None:
    """It is a dataset of somebody's."""
    ddl = "CREATE TABLE odd (id STRING) WITH ('connector' = 'acme', 'token' = 'x');"
    (reading,) = read(script(f"{ORDERS}{ddl}INSERT INTO odd SELECT id FROM orders;"))

    assert keys(reading.flows.writes) == ["dataset:flink://retail/flink/odd"]
    assert [problem.what for problem in reading.problems] == ["unknown connector 'acme' of odd"]
    assert reading.level is Level.COLUMNS


def test_a_table_that_no_statement_declares_is_reported_as_not_known() -> None:
    """The hint says what helps."""
    (reading,) = read(script(f"{PAID}INSERT INTO paid (id) SELECT id FROM db.mystery;"))

    assert keys(reading.flows.reads) == ["dataset:flink://retail/flink/db.mystery"]
    assert "CREATE TABLE" in reading.problems[0].hint


def test_a_generator_has_no_data_that_others_know() -> None:
    """Nobody looks for what was made up."""
    ddl = "CREATE TABLE made (id STRING) WITH ('connector' = 'datagen');"
    (reading,) = read(script(f"{ddl}{PAID}INSERT INTO paid SELECT id, 1 FROM made;"))

    assert (reading.flows.reads, flows(reading)) == ((), set())


def test_in_confluent_cloud_a_table_is_the_topic_of_its_name() -> None:
    """The columns are those of the topic's schemas, and so `*` and a positional INSERT are understood."""
    columns = {
        ("retail", "billing.in"): (
            key("id"),
            *value("amount", "rate"),
        ),
        ("retail", "out"): value("who", "how_much", "rate"),
    }
    (reading,) = read(managed("INSERT INTO `out` SELECT * FROM `billing.in`"), columns=columns)

    assert keys(reading.flows.reads) == [f"topic:{KAFKA}/billing.in"]
    assert flows(reading) == {
        (column("billing.in", "@key.id"), column("out", "who"), "IDENTITY"),
        (column("billing.in", "amount"), column("out", "how_much"), "IDENTITY"),
        (column("billing.in", "rate"), column("out", "rate"), "IDENTITY"),
    }
    assert reading.problems == ()


def test_in_confluent_cloud_the_database_is_the_cluster_and_the_catalog_reports_namesakes_apart() -> None:
    """Two environments may each have a cluster called billing, each with a topic of the same name."""
    text = "INSERT INTO o SELECT id FROM `test`.`billing`.`orders`; INSERT INTO o SELECT id FROM `env-2`.`lkc-2`.o2;"
    first, second = read(managed(text))

    assert keys(first.flows.writes) == [f"topic:{KAFKA}/o"]
    assert keys(first.flows.reads) == [f"topic:{OTHER}/orders"]
    assert keys(second.flows.reads) == [f"topic:{OTHER}/o2"]


def test_a_cluster_that_is_unknown_keeps_its_name() -> None:
    """Its topic is not taken for one of ours."""
    (reading,) = read(managed("INSERT INTO o SELECT id FROM elsewhere.orders"))

    assert keys(reading.flows.reads) == ["topic:kafka://elsewhere/orders"]


def test_in_confluent_cloud_a_side_that_is_one_value_is_called_key_or_val() -> None:
    """The place in the schema is the whole side."""
    columns = {
        ("retail", "a"): (key("id"), *value("id")),
        ("retail", "b"): (key(), Column(path=(), type="int")),
    }
    (reading,) = read(managed("INSERT INTO a SELECT key, CAST(val AS STRING) FROM b"), columns=columns)

    assert flows(reading) == {
        (column("b", "@key"), column("a", "@key.id"), "IDENTITY"),
        (column("b", ""), column("a", "id"), "TRANSFORMATION"),
    }


def test_the_record_time_of_confluent_cloud_is_no_field() -> None:
    """Every table has it."""
    columns = {("retail", "a"): value("id"), ("retail", "b"): value("at")}
    (reading,) = read(managed("INSERT INTO b SELECT CAST(`$rowtime` AS STRING) FROM a"), columns=columns)

    assert flows(reading) == {(column("a", "$rowtime"), column("b", "at"), "TRANSFORMATION")}
    assert reading.problems == ()


def test_a_statement_that_failed_is_reported_with_its_state() -> None:
    """It says what somebody wanted; whether it runs is another question."""
    (reading,) = read(managed("INSERT INTO b SELECT id FROM a", state="FAILED"))

    assert dict(reading.flows.job.attributes)["state"] == "FAILED"
    assert reading.flows.reads


def test_where_the_engine_reads_what_the_statement_does_not_name_columns_are_not_reported() -> None:
    """One of the two is misread."""
    text = "INSERT INTO b SELECT id FROM a"
    (agreed,) = read(managed(text, topics_read=(TopicName("a"),)))
    (differs,) = read(managed(text, topics_read=(TopicName("a"), TopicName("c"))))

    assert agreed.level is Level.COLUMNS
    assert (differs.level, differs.flows.columns) == (Level.TABLES, ())
    assert "the engine reads c" in differs.problems[0].what


def test_a_query_that_a_server_runs_reads_and_one_in_a_file_is_a_try() -> None:
    """Somebody looks at the first; the second nobody started."""
    (running,) = read(managed("SELECT id FROM a"))

    assert (keys(running.flows.reads), running.flows.writes) == ([f"topic:{KAFKA}/a"], ())
    assert read(script(f"{ORDERS}SELECT id FROM orders;")) == []


def test_a_field_that_the_topic_does_not_have_is_reported() -> None:
    """Flink minds the case of letters."""
    columns = {("retail", "shop.orders"): value("ID", "price"), ("retail", "shop.paid"): value("id", "total")}
    (reading,) = read(script(ORDERS + PAID + INSERT), columns=columns)

    assert [problem.what for problem in reading.problems] == ["id of orders is not a field of the topic shop.orders"]


def test_a_field_inside_a_well_known_message_is_the_column_of_that_message() -> None:
    """Flink's format gives a Protobuf timestamp as a row of seconds and nanoseconds; the schema has one column."""
    ddl = "CREATE TABLE orders (id BIGINT, at ROW<seconds BIGINT, nanos INT>) WITH ('connector' = 'kafka', "
    ddl += "'topic' = 'shop.orders', 'format' = 'protobuf');"
    at = Column(path=("at",), type="message", logical_type="timestamp")
    columns = {("retail", "shop.orders"): (*value("id"), at), ("retail", "shop.paid"): value("id", "total")}
    (reading,) = read(
        script(ddl + PAID + "INSERT INTO paid SELECT id, orders.at.seconds FROM orders;"), columns=columns
    )

    assert reading.problems == ()
    assert (column("shop.orders", "at"), column("shop.paid", "total")) in [ends[:2] for ends in flows(reading)]


def test_a_change_event_holds_the_row_in_its_envelope() -> None:
    """The format unwraps it; the schema does not."""
    columns = {
        ("retail", "shop.orders"): tuple(
            Column(path=path, type="x") for path in (("after",), ("after", "id"), ("after", "price"), ("op",))
        )
    }
    (reading,) = read(script(ORDERS + PAID + INSERT), columns=columns)

    assert (column("shop.orders", "after.id"), column("shop.paid", "id"), "IDENTITY") in flows(reading)


def test_a_statement_that_cannot_be_read_keeps_its_tables() -> None:
    """A construct that nobody knows costs the columns."""
    (reading,) = read(script(f"{ORDERS}{PAID}INSERT INTO paid SELECT id, price FROM orders WHERE = = 3;"))

    assert reading.level is Level.TABLES
    assert (keys(reading.flows.reads), keys(reading.flows.writes)) == (
        [f"topic:{KAFKA}/shop.orders"],
        [f"topic:{KAFKA}/shop.paid"],
    )


def test_a_table_made_by_a_query_is_a_job() -> None:
    """CREATE TABLE … AS, and a materialised table."""
    (reading,) = read(managed("CREATE TABLE big AS SELECT id FROM a"))
    (materialized,) = read(managed("CREATE MATERIALIZED TABLE m AS SELECT id FROM a"))

    assert keys(reading.flows.writes) == [f"topic:{KAFKA}/big"]
    assert keys(materialized.flows.writes) == [f"topic:{KAFKA}/m"]


def test_columns_that_make_the_key_are_those_of_the_key() -> None:
    """`key.fields` names them, with a prefix where the value has one of the name, too."""
    ddl = """CREATE TABLE keyed (k_id STRING, id STRING) WITH ('connector' = 'kafka', 'topic' = 'shop.orders',
    'key.fields' = 'k_id', 'key.fields-prefix' = 'k_');"""
    columns = {("retail", "shop.orders"): (key("id"), *value("id"))}
    (reading,) = read(script(f"{ddl}{PAID}INSERT INTO paid SELECT k_id, id FROM keyed;"), columns=columns)

    assert flows(reading) == {
        (column("shop.orders", "@key.id"), column("shop.paid", "id"), "IDENTITY"),
        (column("shop.orders", "id"), column("shop.paid", "total"), "IDENTITY"),
    }


@pytest.mark.parametrize(("whole", "namespace"), [(False, KAFKA), (True, "kafka://elsewhere")])
def test_a_database_that_is_unknown_is_the_cluster_at_hand_unless_its_name_is_known(whole, namespace) -> None:
    """An environment reports the statements of all its clusters to each."""
    names = {"retail": ClusterNames(frozenset({"retail", "billing"}), frozenset(), complete=whole)}
    around = replace(world(), names=names)
    (reading,) = flink_jobs("retail", [managed("INSERT INTO o SELECT id FROM a", database="elsewhere")], [0], around)

    assert keys(reading.flows.writes) == [f"topic:{namespace}/o"]


def test_a_table_made_by_a_query_has_the_columns_of_its_topic() -> None:
    """What `*` stood for the registry knows by now."""
    columns = {("retail", "big"): value("id", "total"), ("retail", "out"): value("x", "y")}
    made, copied = read(
        managed("CREATE TABLE big AS SELECT * FROM unknown_one", "a"),
        managed("INSERT INTO `out` SELECT * FROM big", "b"),
        columns=columns,
    )

    assert keys(made.flows.writes) == [f"topic:{KAFKA}/big"]
    assert (column("big", "total"), column("out", "y"), "IDENTITY") in flows(copied)


GROUPED = """CREATE TABLE clicks (page STRING, ms INT) WITH ('connector' = 'kafka', 'topic' = 'clicks',
'properties.group.id' = 'pages', 'properties.bootstrap.servers' = 'kafka-1:9092');
CREATE TABLE pages (page STRING) WITH ('connector' = 'kafka', 'topic' = 'pages', 'properties.group.id' = 'nobody');
CREATE TABLE slow (page STRING) WITH ('connector' = 'kafka', 'topic' = 'slow');
INSERT INTO pages SELECT page FROM clicks;
INSERT INTO slow SELECT page FROM clicks WHERE ms > 9;"""


def owners(*statements: StreamingStatement) -> list[GroupOwner]:
    return list(flink_owners("retail", statements, world()))


def test_a_consumer_group_belongs_to_every_job_that_reads_through_it() -> None:
    """Only sources have one: of a table that is written, the option says nothing."""
    assert owners(script(GROUPED)) == [
        GroupOwner("retail", "pages", f"job:flink://retail/flink/jobs.sql:{number}") for number in (1, 2)
    ]


def test_a_consumer_group_belongs_to_the_cluster_that_its_topic_is_in() -> None:
    """Names of groups are a cluster's own, and Flink reads from several."""
    found = owners(script(GROUPED.replace("kafka-1:9092", "west-1:9092")))

    assert {owner.cluster for owner in found} == {"west"}


def test_statements_of_one_source_share_its_tables_whichever_others_run() -> None:
    """A large source is read in parts: each needs all tables of the source, which are read once."""
    context = replace(world(), once=Once())
    ddl, first, second = script(ORDERS + PAID), script(INSERT, "first.sql"), script(INSERT, "second.sql")

    assert context.declared((ddl, first)) is context.declared((second, ddl))


def test_later_ddl_of_a_source_is_known_to_earlier_statements() -> None:
    """Files are read in the order of their names; a reading without the tables of later files is not kept."""
    view = (
        "CREATE VIEW cheap AS SELECT id FROM orders; CREATE TABLE o WITH ('connector' = 'print') AS SELECT * FROM cheap"
    )
    (reading,) = read(script(view, "a.sql"), script(ORDERS, "b.sql"))[:1]

    assert [use.dataset.name for use in reading.flows.reads] == ["shop.orders"]


def test_ddl_reports_the_columns_of_topics_that_no_schema_describes() -> None:
    """What the broker adds, and what is computed, is in no record; tables of one topic add to each other."""
    more = ORDERS.replace("TABLE orders", "TABLE lines").replace("price DOUBLE", "lines ARRAY<ROW<sku STRING>>, p AS 1")

    found = declared_columns("retail", [script(ORDERS + PAID + more)], world({("retail", "shop.paid"): value("id")}))

    assert {each.key: list(map(".".join, paths)) for each, paths in found.items()} == {
        f"topic:{KAFKA}/shop.orders": ["id", "price", "lines", "lines.[]", "lines.[].sku"]
    }


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ("'format' = 'debezium-json'", "after.id"),
        ("'format' = 'debezium-json', 'debezium-json.schema-include' = 'true'", "payload.after.id"),
        ("'value.format' = 'debezium-avro-confluent', 'key.format' = 'raw'", "after.id"),
        ("'format' = 'json'", "id"),
    ],
)
def test_a_table_of_change_events_has_its_row_inside_of_them(options, path) -> None:
    """The columns are those of the connector that writes the topic, though no registry describes it."""
    source = f"CREATE TABLE cdc (id STRING) WITH ('connector' = 'kafka', 'topic' = 'cdc.orders', {options});"

    (reading,) = read(script(source + PAID + "INSERT INTO paid SELECT id, 1.0 FROM cdc;"))

    assert (column("cdc.orders", path), column("shop.paid", "id"), "IDENTITY") in flows(reading)


def test_records_of_an_array_are_found_in_its_schema() -> None:
    """What UNNEST opens, and a subscript, are fields of the array's elements there."""
    table = ORDERS.replace("price DOUBLE", "items ARRAY<ROW<price DOUBLE>>")
    insert = "INSERT INTO paid SELECT id, price FROM orders CROSS JOIN UNNEST(items);"
    columns = (*value("id", "items"), Column(path=("items", "[]", "price"), type="double"))
    (reading,) = read(script(table + PAID + insert), columns={("retail", "shop.orders"): columns})

    assert (column("shop.orders", "items.[].price"), column("shop.paid", "total"), "TRANSFORMATION") in flows(reading)
    assert reading.problems == ()

"""A repository is read by content: what is found, what it declares, and what is not read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from scanner_extractor.repository.files import Entry
from scanner_extractor.repository.reader import read_entries
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import no_progress
from scanner_model.declarations import Declaration, DeclaredKind, UnreadFile
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Connector, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.schemas import SchemaVersion
from scanner_model.streaming_sql import StreamingStatement

SINK = '{"name": "%s", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "%s"}}'


def connectors(reading) -> dict[str, dict[str, str]]:
    listed = reading.of(Declaration)
    return {entry.name: dict(entry.config) for entry in listed if entry.kind is DeclaredKind.CONNECTOR}


def test_connectors_in_files_scripts_and_compose_files(read_repository):
    reading = read_repository(
        {
            "a.template": SINK % ("file", "orders"),
            "b.sh": "#!/bin/sh\nT=payments\ncurl -d '" + SINK % ("script", "'$T'") + "' http://c:8083/connectors\n",
            "compose.yaml": "services:\n  c:\n    command:\n      - bash\n      - -c\n      - |\n        curl -d '"
            + SINK % ("compose", "refunds")
            + "' http://c:8083/connectors\n",
        }
    )
    assert {name: config["topics"] for name, config in connectors(reading).items()} == {
        "file": "orders",
        "script": "payments",
        "compose": "refunds",
    }


def test_a_connector_without_a_name_has_the_one_that_a_script_registers_it_under(read_repository):
    config = '{"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "orders"}'
    script = "curl -X PUT -d @conf/s3.json http://c:8083/connectors/orders-to-s3/config"
    assert connectors(read_repository({"conf/s3.json": config, "register.sh": script})).keys() == {"orders-to-s3"}


def test_placeholders_are_resolved_from_the_nearest_environment_file(read_repository):
    reading = read_repository(
        {
            "one/.env": "TOPIC=orders\nPASSWORD=hunter2",
            "two/config/app.cfg": "export TOPIC='payments'",
            "one/c/sink.json": SINK % ("one", "$TOPIC"),
            "two/c/sink.json": SINK % ("two", "${TOPIC}-${PASSWORD}-${OTHER:-x}-${topic}"),
        }
    )
    assert {name: config["topics"] for name, config in connectors(reading).items()} == {
        "one": "orders",
        "two": "payments-${PASSWORD}-x-${topic}",
    }


def test_a_variable_that_is_set_to_several_values_is_not_resolved(read_repository):
    files = {"a/.env": "TOPIC=a", "b/.env": "TOPIC=b", "sink.json": SINK % ("s", "$TOPIC")}
    assert connectors(read_repository(files))["s"]["topics"] == "$TOPIC"
    assert connectors(read_repository(files, variables={"TOPIC": "c"}))["s"]["topics"] == "c"


def test_statements_keep_their_engine(read_repository):
    reading = read_repository(
        {
            "k.ksql": "CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');",
            "f.sql": "CREATE TABLE t (a INT) WITH ('connector'='kafka', 'topic'='t'); INSERT INTO t SELECT 1;",
            "drop.sql": "DROP STREAM s;",
        }
    )
    assert {entry.name: entry.engine for entry in reading.of(StreamingStatement)} == {
        "k.ksql": "ksqldb",
        "f.sql": "",
    }
    assert [topic.name for topic in reading.of(Topic)] == ["orders"]


def test_scripts_create_topics_and_copy_them(read_repository):
    script = (
        "kafka-topics.sh --create --topic orders --partitions 6\nrpk topic create a b -p 3\n"
        "kcat -G group orders | kcat -P -t copied\nkcat -C -t orders\n"
    )
    reading = read_repository({"run.sh": script})
    created = {topic.name: topic.partitions for topic in reading.of(Topic)}
    assert created == {"orders": 6, "a": 3, "b": 3, "copied": None}
    flows = {(flow.origin.name, flow.target.name, flow.job) for flow in reading.of(DeclaredFlow)}
    assert flows == {("orders", "", "run"), ("", "copied", "run")}


def test_schemas_have_the_subjects_of_build_files_and_names(read_repository):
    record = '{"type": "record", "name": "%s", "namespace": "shop", "fields": [{"name": "a", "type": "%s"}]}'
    reading = read_repository(
        {
            "pom.xml": "<subjects><orders-value>src/order.avsc</orders-value></subjects>",
            "src/order.avsc": record % ("Order", "shop.Money"),
            "src/money.avsc": record % ("Money", "int"),
            "refund-value_v1.avsc": record % ("Refund", "int"),
            "refund-value_v2.avsc": record % ("Refund", "long"),
        }
    )
    versions = reading.of(SchemaVersion)
    assert {(version.subject, version.version) for version in versions} == {
        ("orders-value", 1),
        ("shop.Money", 1),
        ("refund-value", 1),
        ("refund-value", 2),
    }
    (reference,) = next(version for version in versions if version.subject == "orders-value").references
    assert (reference.name, reference.subject) == ("shop.Money", "shop.Money")


def test_what_is_ignored_vendored_or_linked_is_not_read(read_repository, tmp_path):
    (tmp_path / "outside").mkdir()
    files = {
        ".gitignore": "generated/\n*.bak.json\n!keep.bak.json\n",
        "generated/a.json": SINK % ("generated", "t"),
        "b.bak.json": SINK % ("bak", "t"),
        "keep.bak.json": SINK % ("kept", "t"),
        "node_modules/c.json": SINK % ("vendored", "t"),
    }
    (tmp_path / "link.json").symlink_to(tmp_path / "keep.bak.json")
    assert connectors(read_repository(files)).keys() == {"kept"}


def test_a_template_that_is_not_rendered_is_left_with_the_reason(read_repository):
    chart = "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n  name: {{ .Values.topic }}\n"
    (unread,) = read_repository({"chart/templates/topic.yaml": chart}).of(UnreadFile)
    assert (unread.name, unread.kind) == ("chart/templates/topic.yaml", "template of deployment files")
    assert "render" in unread.reason


def test_a_capture_of_another_scan_is_not_read(read_repository):
    """What servers answered it declares nothing."""
    files = {"retail/capture.json": '{"format": 1}', "retail/lab/a.json": SINK % ("recorded", "t")}
    reading = read_repository({**files, "retail.json": SINK % ("kept", "t")})
    assert connectors(reading).keys() == {"kept"}
    assert not reading.of(UnreadFile)


def test_a_connector_that_two_directories_register_alike_is_one(read_repository):
    same, other = SINK % ("s3", "orders"), SINK % ("s3", "refunds")
    assert connectors(read_repository({"a/s3.json": same, "b/s3.json": same})).keys() == {"s3"}
    assert connectors(read_repository({"c/s3.json": other})).keys() == {"s3", "s3 (c)"}


def test_an_outbox_is_routed_to_the_topics_that_its_events_name(read_repository):
    """The service and the connector name one database; other topics that fit the pattern are others'."""
    event = (
        "import io.debezium.outbox.quarkus.ExportedEvent; class %s implements ExportedEvent<String, String> {"
        ' public String getAggregateType() { return "%s"; } }'
    )
    config = {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.dbname": "orderdb",
        "table.include.list": "shop.outbox",
        "transforms": "outbox",
        "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
        "transforms.outbox.route.topic.replacement": "${routedByValue}.events",
    }
    files = {
        "orders/pom.xml": "<project><artifactId>orders</artifactId></project>",
        "orders/application.properties": "quarkus.datasource.jdbc.url=jdbc:postgresql://db:5432/orderdb?x=y",
        "orders/Placed.java": event % ("Placed", "order"),
        "orders/Billed.java": event % ("Billed", "invoice"),
        "outbox.json": json.dumps({"name": "outbox", "config": config}),
        "topics.sh": "kafka-topics --create --topic refund.events",
    }
    (connector,) = read_repository(files).of(Connector)
    assert connector.topics == ("invoice.events", "order.events")
    unknown = {"orders/Billed.java": event.replace('"%s"', "%s") % ("Billed", "type")}
    (connector,) = read_repository(unknown).of(Connector)
    assert connector.topics is None


def test_statements_that_a_program_executes_are_those_of_a_file(read_repository):
    """Flink's and ksqlDB's; a text that is known only while the program runs is left, and other engines' are."""
    program = (
        "topic = 'paid'\nenv.execute_sql(\"CREATE TABLE o (id INT) WITH ('connector'='kafka', 'topic'='orders')\")\n"
        "env.execute_sql(f\"CREATE TABLE p (id INT) WITH ('connector'='kafka', 'topic'='{topic}')\")\n"
        "env.execute_sql(sys.argv[1])\nenv.execute_sql('INSERT INTO p SELECT id FROM o;')\n"
    )
    other = 'class A { void f() { db.executeStatement("CREATE TABLE a (b INT)"); } }'
    (statement,) = read_repository({"job.py": program, "A.java": other}).of(StreamingStatement)
    assert (statement.name, statement.engine) == ("job.py:2", "")
    assert "'topic'='paid'" in statement.statement
    assert statement.statement.endswith("INSERT INTO p SELECT id FROM o")


@pytest.mark.parametrize("line", ["*a" * 14 + "b", "**/a/" * 12 + "b"])
def test_a_pattern_that_takes_too_long_ignores_nothing(read_repository, line):
    deep = "/".join(["a"] * 40) + "/x.json"
    files = {".gitignore": f"{line}\n*.bak.json\n", deep: SINK % ("deep", "t"), "x.bak.json": SINK % ("bak", "t")}
    assert connectors(read_repository({**files, "a" * 200 + ".json": SINK % ("long", "t")})).keys() == {"deep", "long"}


def test_a_pipe_called_gitignore_is_not_waited_for(read_repository, tmp_path):
    os.mkfifo(tmp_path / ".gitignore")
    assert connectors(read_repository({"a.json": SINK % ("one", "t")})).keys() == {"one"}


def test_a_file_that_terraform_has_as_a_statement_is_no_other_one(read_repository):
    """Its table is the topic of Confluent Cloud."""
    insert = "INSERT INTO `paid` SELECT `id` FROM `orders`;\n"
    block = 'resource "confluent_flink_statement" "paid" {\n  statement = file("${path.module}/sql/paid.sql")\n}\n'
    reading = read_repository({"tf/main.tf": block, "tf/sql/paid.sql": insert})

    assert [statement.name for statement in reading.of(StreamingStatement)] == ["paid"]


@pytest.mark.parametrize("path", ["a.json", "a.sh", "a.yaml"])
def test_a_text_that_takes_too_long_to_read_is_left_with_the_reason(read_repository, path):
    unfinished = '{"config": {"connector.class": "a"' * 20_000
    shell = f"curl -d '{unfinished}' http://c:8083/connectors\n"
    texts = {"a.json": unfinished, "a.sh": shell, "a.yaml": f"kind: ConfigMap\ndata:\n  a: '{unfinished}'\n"}
    (unread,) = read_repository({path: texts[path]}).of(UnreadFile)
    assert (unread.name, unread.kind) == (path, "connector")
    assert "braces" in unread.reason


@pytest.mark.parametrize(
    "before", ["SET 'a' = 'b'; ", "RUN SCRIPT '../b.ksql'; ", "DROP STREAM x; ", "/* of orders */ "]
)
def test_a_statement_behind_another_on_its_line_is_read(read_repository, before):
    reading = read_repository(
        {"a.ksql": f"{before}CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');"}
    )
    assert [entry.name for entry in reading.of(Declaration)] == ["t"]


def test_fields_that_programs_use_are_read_when_they_are_asked_for(read_repository):
    """Reading them takes as long as all else, and most checks of a change do not need them."""
    program = """import json
from confluent_kafka import Consumer

consumer = Consumer({"group.id": "billing"})
consumer.subscribe(["orders"])
message = consumer.poll(1.0)
print(json.loads(message.value())["total"])
"""
    reading = read_repository({"billing.py": program})

    assert reading.of(FieldUse) == ()
    assert [(use.topic, use.path) for use in reading.field_uses()] == [("orders", ("total",))]


@pytest.mark.parametrize("fields", ["7", "true", "1.5", "null", '"x"', "{}", "[7]", "[[]]", '[{"name": 7}]', "1e999"])
def test_a_schema_with_fields_of_another_type_costs_itself(read_repository, fields: str) -> None:
    schema = f'{{"type": "record", "name": "O", "fields": {fields}}}'
    reading = read_repository({"orders-value.avsc": schema, "dw.json": SINK % ("dw", "a")})

    assert list(connectors(reading)) == ["dw"]


def test_a_file_whose_reader_fails_is_left_and_the_others_are_read() -> None:
    """A defect in one reader must not hide the whole repository."""

    def failing() -> bytes:
        raise TypeError("'int' object is not iterable")

    entries = (Entry("a.json", failing), Entry("b.json", (SINK % ("dw", "a")).encode), Entry("c.sql", failing))
    settings = RepositorySettings(pattern=".", directory=Path())
    reading = read_entries(settings, entries, no_progress)

    assert list(connectors(reading)) == ["dw"]
    assert {file.name for file in reading.of(UnreadFile)} == {"a.json", "c.sql"}


def test_members_that_a_file_has_twice_are_problems_with_their_positions(read_repository):
    """A connector's two `topics`: Connect's own parser and a deployment tool may read different ones."""
    text = '{"name": "s", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector",\n'
    text += '"topics": "a",\n"topics": "b"}}'

    reading = read_repository({"connectors/s.json": text, "other.json": '{"a": 1, "a": 2}'})

    assert [(one.where, one.what) for one in reading.problems] == [
        ("connectors/s.json:3:11 $.config.topics", "'topics' is written twice"),
    ]


@pytest.mark.parametrize("path", ["a.py", "App.java", "a.properties", "a.sql"])
def test_a_file_too_large_to_read_is_listed(read_repository, path):
    """Source code of more than 4 MiB may use Kafka, too."""
    reading = read_repository({path: "#" * (4 * 1024 * 1024 + 1)})

    assert [(file.name, file.reason) for file in reading.of(UnreadFile)] == [(path, "it is larger than 4 MiB")]


@pytest.mark.parametrize(
    ("command", "topic"),
    [
        ("for i in {1..3}; do kafka-topics --create --topic t$i; done", "t{1..3}"),
        ("rpk topic create 'orders-$REGION'", "orders-$REGION"),
        ("kcat -b k:9092 -P -t $(cat topic.txt)", "$(cat)"),
    ],
)
def test_a_topic_of_a_command_without_a_value_is_reported(read_repository, command, topic):
    """Else a script that creates topics would look like one that creates none."""
    reading = read_repository({"create.sh": f"#!/bin/bash\n{command}\n"})

    assert [(problem.where, problem.what) for problem in reading.problems] == [
        ("repository:shop create.sh:2", f"the topic {topic!r} has no value")
    ]

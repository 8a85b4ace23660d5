"""What a change holds beyond what is judged is unknown; what says only how something runs is fine."""

from __future__ import annotations

import json

import pytest
from committed_repository import BASE, KSQL, SCHEMA, SINK, rules

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

CDC = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "db",
    "database.password": "first-secret",
    "topic.prefix": "p",
    "table.include.list": "shop.users,shop.notes",
    "transforms": "unwrap",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "tasks.max": "1",
}
DDL = "CREATE TABLE shop.users (id INT PRIMARY KEY, price DECIMAL(10,2));\nCREATE TABLE shop.notes (id INT);\n"
TOPIC = """apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: BIG
  labels: {strimzi.io/cluster: prod}
spec:
  partitions: 12
  replicas: 3
  config:
    cleanup.policy: delete
"""
ACL = """resource "confluent_kafka_topic" "orders" { topic_name = "refunds" }
resource "confluent_kafka_acl" "read" {
  resource_type = "TOPIC"
  resource_name = "refunds"
  principal     = "User:fraud"
  operation     = "READ"
  permission    = "ALLOW"
}
"""
SETTINGS = "spring:\n  kafka:\n    producer:\n      value-serializer: AvroSerializer\n      password: hush-hush\n"
WORKER = "services:\n  c:\n    environment:\n      CONNECT_VALUE_CONVERTER: AvroConverter\n"
PROGRAM = {"shop/pom.xml": "<project><artifactId>shop</artifactId></project>"}


def connector(**settings: str) -> str:
    changed = {key.replace("__", "."): value for key, value in settings.items()}
    return json.dumps({"name": "cdc", "config": {**CDC, **changed}}, indent=1)


FILES = {**BASE, "cdc.json": connector(), "ddl.sql": DDL}


@pytest.mark.parametrize(
    "settings",
    [
        {"value__converter": "org.apache.kafka.connect.json.JsonConverter"},
        {"decimal__handling__mode": "string"},
        {"tombstones__on__delete": "false"},
        {"database__hostname": "other"},
        {"skipped__operations": "u"},
        {"snapshot__mode": "never"},
        {"transforms__unwrap__delete__handling__mode": "rewrite"},
    ],
)
def test_a_setting_of_a_connector_that_may_change_data_is_unknown(check, settings):
    report = check({"cdc.json": connector(**settings)}, FILES)
    assert report.verdict is Verdict.UNKNOWN
    (finding,) = (finding for finding in report.findings if finding.rule == "not-judged")
    assert (finding.item, finding.place.file) == ("cdc", "cdc.json")
    assert {why.rpartition(" ")[2] for why in finding.why} == {key.replace("__", ".") for key in settings}


@pytest.mark.parametrize(
    "settings",
    [
        {"tasks__max": "4"},
        {"poll__interval__ms": "10"},
        {"max__batch__size": "9"},
        {"database__password": "second-secret"},
    ],
)
def test_a_setting_that_says_how_a_connector_runs_is_fine(check, settings):
    assert check({"cdc.json": connector(**settings)}, FILES).verdict is Verdict.FINE


def test_a_connector_that_is_written_otherwise_is_fine(check):
    """Line ends and order are no settings."""
    text = json.dumps({"config": dict(reversed(CDC.items())), "name": "cdc"}).replace(",", ",\r\n")
    assert check({"cdc.json": text}, FILES).verdict is Verdict.FINE


def test_json_that_is_damaged_by_the_change_is_unknown(check):
    """The configuration inside may still be found, but no worker takes the file."""
    report = check({"cdc.json": connector().replace('"config"', 'config"')}, FILES)
    assert ("not-read", "") in rules(report)


def test_a_connector_of_an_unknown_class_that_is_deleted_is_unknown(check):
    unknown = json.dumps({"name": "x", "config": {"connector.class": "com.acme.Source", "acme.queue": "q"}})
    assert ("not-judged", "") in rules(check({"x.json": None}, {**BASE, "x.json": unknown}))


@pytest.mark.parametrize("setting", ["compression.type: zstd", "segment.ms: 1000", "min.insync.replicas: 2"])
def test_a_setting_of_a_topic_that_says_how_it_is_stored_is_fine(check, setting):
    files = {**BASE, "topic.yaml": TOPIC}

    assert rules(check({"topic.yaml": f"{TOPIC}    {setting}\n"}, files)) == set()


@pytest.mark.parametrize(("old", "new"), [("partitions: 12", "partitions: 24"), ("delete", "compact")])
def test_settings_of_a_topic_are_unknown_and_name_its_users(check, old, new):
    report = check({"topic.yaml": TOPIC.replace(old, new)}, {**BASE, "topic.yaml": TOPIC})
    (finding,) = (finding for finding in report.findings if finding.rule == "not-judged")
    assert (report.verdict, finding.item) == (Verdict.UNKNOWN, "BIG")
    assert "s3" in {hit.name for hit in finding.affected}


SINK_OF_CLUSTER = """apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata:
  name: lake
  labels: {strimzi.io/cluster: connect}
spec:
  class: io.confluent.connect.s3.S3SinkConnector
  config:
    topics: BIG
    transforms: drop
"""


@pytest.mark.parametrize("environment", ["dev", "prod"])
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (TOPIC, "partitions: 12", "partitions: 24"),
        (TOPIC, "policy: delete", "policy: compact"),
        (SINK_OF_CLUSTER, "transforms: drop", "transforms: mask"),
    ],
)
def test_a_resource_that_each_environment_has_is_compared_in_each(check, environment, text, old, new):
    base = {**BASE, "dev/one.yaml": text, "prod/one.yaml": text}

    report = check({f"{environment}/one.yaml": text.replace(old, new)}, base)

    assert report.verdict is Verdict.UNKNOWN
    assert {finding.place.file for finding in report.findings} == {f"{environment}/one.yaml"}


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (TOPIC, "replicas: 3", "replicas: 2"),
        (TOPIC, "cluster: prod", "cluster: main"),
        (TOPIC, "  name", "  x: 1\n  name"),
    ],
)
def test_copies_and_labels_of_a_resource_that_each_environment_has_are_fine(check, text, old, new):
    base = {**BASE, "dev/one.yaml": text, "prod/one.yaml": text}

    assert check({"prod/one.yaml": text.replace(old, new)}, base).verdict is Verdict.FINE


def test_copies_of_a_topic_and_its_documents_are_fine(check):
    changed = "# bigger\n" + TOPIC.replace("replicas: 3", "replicas: 2")
    assert check({"topic.yaml": changed}, {**BASE, "topic.yaml": TOPIC}).verdict is Verdict.FINE


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE shop.users MODIFY COLUMN price DOUBLE;",
        "ALTER TABLE shop.users CHANGE price cost DECIMAL(10,2);",
        "ALTER TABLE shop.notes RENAME TO shop.texts;",
        "DROP TABLE shop.notes;",
        "EXEC sp_rename 'shop.users.price', 'cost', 'COLUMN';",
    ],
)
def test_a_migration_that_changes_what_a_connector_reads_is_not_fine(check, statement):
    assert check({"V2.sql": statement}, FILES).verdict is not Verdict.FINE


def test_a_migration_that_adds_a_column_or_an_index_is_fine(check):
    more = "ALTER TABLE shop.users ADD COLUMN phone VARCHAR(20);\nCREATE INDEX i ON shop.users (id);\n"
    assert check({"V2.sql": more}, FILES).verdict is Verdict.FINE


def test_a_table_that_a_connector_writes_and_that_is_declared_otherwise_is_unknown(check):
    files = {"sink.json": SINK, "a.ksql": KSQL, "ddl.sql": DDL}
    assert check({"ddl.sql": DDL.replace("DECIMAL(10,2)", "INT")}, files).verdict is Verdict.UNKNOWN


def test_a_migration_is_unknown_where_a_statement_has_a_table_of_a_database(check):
    """Programs fill it by Flink's Table API, whose calls are in no statement."""
    table = "CREATE TABLE notes (id INT) WITH ('connector' = 'jdbc', 'table-name' = 'notes')"
    files = {**BASE, "job.py": f'env.execute_sql("{table}")\nreport(env).execute_insert("notes")\n', "init.sql": DDL}
    assert check({"init.sql": DDL.replace("(id INT)", "(id BIGINT)")}, files).verdict is Verdict.UNKNOWN


def test_a_migration_is_fine_where_nothing_reads_a_database(check):
    base = {"a.ksql": KSQL, "ddl.sql": DDL}
    assert check({"V2.sql": "ALTER TABLE shop.users MODIFY COLUMN price DOUBLE;\n"}, base).verdict is Verdict.FINE


@pytest.mark.parametrize(
    ("old", "new"),
    [("'JSON'", "'AVRO'"), ("total DOUBLE", "total VARCHAR"), ("FROM orders", "FROM orders WHERE total > 1")],
)
def test_a_statement_that_does_something_else_is_not_fine(check, old, new):
    assert check({"a.ksql": KSQL.replace(old, new)}).verdict is not Verdict.FINE


def test_a_condition_that_is_lost_with_its_semicolon_is_unknown(check):
    """Two statements that become one are no statement with further columns."""
    flink = (
        "CREATE TABLE a (x INT) WITH ('connector'='kafka','topic'='a','properties.bootstrap.servers'='k:1');\n"
        "INSERT INTO a SELECT x FROM b\nWHERE x = 1;\nINSERT INTO a SELECT x FROM c\nWHERE x = 1;\n"
    )
    report = check({"job.sql": flink.replace("\nWHERE x = 1;", "", 1)}, {**BASE, "job.sql": flink})
    assert report.verdict is not Verdict.FINE


def test_a_statement_that_only_gets_another_column_is_fine(check):
    assert check({"a.ksql": KSQL.replace("SELECT id, total", "SELECT id, total, id AS again")}).verdict is Verdict.FINE


def test_rights_that_are_taken_away_are_unknown(check):
    report = check({"main.tf": ACL.replace('"READ"', '"DESCRIBE"')}, {**BASE, "main.tf": ACL})
    assert ("not-judged", "") in rules(report)


GRANTED = """apiVersion: kafka.nais.io/v1
kind: Topic
metadata: {name: bills, namespace: shop, labels: {team: shop}}
spec:
  pool: live
  config:
    cleanupPolicy: delete
    minimumInSyncReplicas: 2
    partitions: 2
  acl:
    - team: shop
      application: billing
      access: write
    - team: audit
      application: ledger
      access: read
    - team: audit
      application: fraud
      access: readwrite
"""


CLOWD = """apiVersion: cloud.redhat.com/v1alpha1
kind: ClowdApp
metadata: {name: shop}
spec:
  kafkaTopics:
  - topicName: paid
    partitions: 3
  - topicName: sent
    partitions: 3
"""
ONE_MORE = "  - topicName: more\n    partitions: 6\n  - topicName: sent"


@pytest.mark.parametrize(
    ("text", "old", "new", "rule"),
    [
        (CLOWD, "topicName: paid\n    partitions: 3", "topicName: paid\n    partitions: 1", {("not-judged", "")}),
        (CLOWD, "  - topicName: sent", ONE_MORE, set()),
        (GRANTED.replace("live", "{{pool}}"), "partitions: 2", "partitions: 4", {("not-judged", "shop.bills")}),
        (
            GRANTED.replace("live", "{{pool}}"),
            "application: ledger",
            "application: more",
            {("not-judged", "shop.bills")},
        ),
        (GRANTED.replace("live", "{{pool}}"), "Replicas: 2", "Replicas: 1", set()),
    ],
)
def test_a_description_of_several_topics_or_with_placeholders_is_judged_too(check, text, old, new, rule):
    """A topic that is added changes nothing of the others."""
    assert rules(check({"t.yaml": text.replace(old, new)}, {**BASE, "t.yaml": text})) == rule


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("cleanupPolicy: delete", "cleanupPolicy: compact,delete", "cleanupPolicy of shop.bills changed"),
        ("partitions: 2", "partitions: 4", "partitions of shop.bills changed"),
        ("    - team: audit\n      application: ledger\n      access: read\n", "", "ledger may no longer read"),
    ],
)
def test_a_topic_with_other_records_or_fewer_users_is_unknown(check, old, new, why):
    """In a description, as where a deployment file creates the topic."""
    described = {"dev/t.yaml": GRANTED, "live/t.yaml": GRANTED}
    report = check({path: GRANTED.replace(old, new) for path in described}, {**BASE, **described})
    (finding,) = (finding for finding in report.findings if finding.counts)
    assert (finding.verdict, finding.target) == (Verdict.UNKNOWN, "topic shop.bills")
    assert finding.what.startswith(why)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("access: readwrite", "access: read"),
        ("team: audit\n      application: fraud", "team: risk\n      application: fraud"),
    ],
)
def test_a_right_that_is_lost_in_one_of_two_clusters_is_unknown(check, old, new):
    base = {**BASE, "dev/t.yaml": GRANTED, "live/t.yaml": GRANTED}
    report = check({"live/t.yaml": GRANTED.replace(old, new)}, base)
    counting = [finding for finding in report.findings if finding.counts]
    assert {(one.target, one.place.file) for one in counting} == {("topic shop.bills", "live/t.yaml")}
    assert {hit.name for one in counting for hit in one.affected} == {"fraud"}


def test_a_right_that_is_added_in_the_second_of_two_clusters_concerns_kafka(check):
    more = GRANTED + "    - team: x\n      application: more\n      access: read\n"
    report = check({"live/t.yaml": more}, {**BASE, "dev/t.yaml": more, "live/t.yaml": GRANTED})
    assert (report.verdict, report.concerns_kafka) == (Verdict.FINE, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("minimumInSyncReplicas: 2", "minimumInSyncReplicas: 1"),
        ("access: read\n", "access: readwrite\n"),
        ("  acl:\n", "  acl:\n    - team: x\n      application: more\n      access: read\n"),
    ],
)
def test_a_topic_with_more_users_or_other_replicas_is_fine(check, old, new):
    report = check({"t.yaml": GRANTED.replace(old, new)}, {**BASE, "t.yaml": GRANTED})
    assert report.verdict is Verdict.FINE


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("shop/src/main/resources/application.yml", SETTINGS, SETTINGS.replace("Avro", "Json")),
        ("chart/values.yaml", "topic:\n  prefix: prod\n", "topic:\n  prefix: live\n"),
        ("db/changelog.xml", "<databaseChangeLog/>\n", "<databaseChangeLog><dropColumn/></databaseChangeLog>\n"),
        ("compose.yml", WORKER, WORKER.replace("Avro", "Json")),
        ("a.sh", "kafka-configs --add-config retention.ms=9\n", "kafka-configs --add-config retention.ms=1\n"),
    ],
)
def test_lines_of_which_nothing_is_read_are_unknown_beside_judged_files(check, file, before, after):
    report = check({file: after, "a.ksql": KSQL + "-- more\n"}, {**BASE, **PROGRAM, file: before})
    (finding,) = (finding for finding in report.findings if finding.rule == "not-judged")
    assert (report.verdict, finding.place.file) == (Verdict.UNKNOWN, file)
    assert "hush" not in str(report)


def test_a_schema_that_is_not_read_any_more_is_unknown_beside_judged_files(check):
    before, file = "record A { string id; string what; }\n", "idl/audit.avdl"
    report = check({file: before.replace(" what;", ""), "a.ksql": KSQL + "-- more\n"}, {**BASE, file: before})
    assert ("schema-invalid", file) in {(finding.rule, finding.place.file) for finding in report.findings}
    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("compose.yml", "services:\n  db:\n    image: pg:15\n", "services:\n  db:\n    image: pg:16\n"),
        ("package.json", '{"dependencies": {"react": "1"}}', '{"dependencies": {"react": "2"}}'),
        ("web/theme.json", '{"color": "red"}', '{"color": "blue"}'),
        ("data.csv", "kafka,1\n", "kafka,2\n"),
        ("shop/application.yml", SETTINGS, "# more\n" + SETTINGS.replace("\n", "\r\n")),
    ],
)
def test_lines_that_are_about_no_data_are_fine_beside_judged_files(check, file, before, after):
    report = check({file: after, "a.ksql": KSQL + "-- more\n"}, {**BASE, **PROGRAM, file: before})
    assert report.verdict is Verdict.FINE


def test_a_record_of_another_name_is_unknown(check):
    """A reader with a generated class looks for it by the name in the data."""
    base = {**BASE, "orders-value.avsc": json.dumps({**SCHEMA, "namespace": "a"})}
    report = check({"orders-value.avsc": json.dumps({**SCHEMA, "namespace": "b"})}, base)
    assert ("record-renamed", "") in rules(report)


def test_a_schema_is_judged_where_only_what_it_refers_to_changes(check):
    money = 'syntax = "proto3";\npackage common;\nmessage Money {\n  int64 units = 2;\n}\n'
    paid = (
        'syntax = "proto3";\npackage pay;\nimport "common/money.proto";\nmessage Paid {\n  common.Money sum = 1;\n}\n'
    )
    base = {**BASE, "sink.json": SINK.replace("BIG", "paid"), "common/money.proto": money, "paid-value.proto": paid}
    report = check({"common/money.proto": money.replace("units = 2", "units = 3")}, base)
    assert report.verdict is not Verdict.FINE
    assert "subject paid-value" in {finding.target for finding in report.findings if finding.counts}


def test_a_key_that_gets_a_column_is_unknown(check):
    """The registry takes it, and records of one key get to two partitions."""
    more = {**SCHEMA, "fields": [*SCHEMA["fields"], {"name": "part", "type": "string", "default": ""}]}
    report = check({"orders-key.avsc": json.dumps(more)}, {**BASE, "orders-key.avsc": json.dumps(SCHEMA)})
    assert rules(report) >= {("key-changed", "")}


def test_a_program_that_runs_under_another_name_is_unknown(check):
    """An application of Kafka Streams, or a group, with another name begins anew."""
    code = (
        "import org.apache.kafka.streams.*;\nclass Agg {\n  void run(java.util.Properties p) {\n"
        '    p.put(StreamsConfig.APPLICATION_ID_CONFIG, "agg");\n    StreamsBuilder b = new StreamsBuilder();\n'
        '    b.stream("BIG").to("out");\n    new KafkaStreams(b.build(), p).start();\n  }\n}\n'
    )
    base = {**BASE, **PROGRAM, "shop/src/main/java/Agg.java": code}
    report = check({"shop/src/main/java/Agg.java": code.replace('"agg"', '"sums"')}, base)
    assert report.verdict is Verdict.UNKNOWN
    assert "code-changed" in {finding.rule for finding in report.findings}


def test_a_class_that_is_a_table_is_unknown_where_a_job_reads_tables(check):
    entity = "import jakarta.persistence.*;\n@Entity\nclass User {\n  int id;\n  int price;\n}\n"
    files = {**FILES, "site/pom.xml": "<project/>", "site/User.java": entity}
    changed = {"site/User.java": entity.replace("  int price;\n", ""), "a.ksql": KSQL + "-- more\n"}
    assert ("not-judged", "") in rules(check(changed, files))


def test_a_column_whose_topic_nothing_in_the_repository_reads_is_unknown(check):
    field = {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}
    text = json.dumps({"type": "record", "name": "Lonely", "fields": [field]})
    report = check({"lonely-value.avsc": text.replace("millis", "micros")}, {**BASE, "lonely-value.avsc": text})
    assert ("no-readers-known", "") in rules(report)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("curl -d @connect/cdc.json http://connect:8083/connectors", Verdict.FINE),
        ("curl -d @connect/cdc.json http://other:8083/connectors", Verdict.UNKNOWN),
        ("", Verdict.UNKNOWN),
    ],
)
def test_a_script_may_name_the_new_place_of_a_moved_file_and_nothing_else(check, line, verdict):
    files = {**FILES, "register.sh": "curl -d @cdc.json http://connect:8083/connectors\n"}
    moved = {"cdc.json": None, "connect/cdc.json": connector(), "register.sh": f"{line}\n"}

    assert check(moved, files).verdict is verdict


@pytest.mark.parametrize(
    "line",
    [
        "curl -X PUT -u me:{} http://connect:8083/connectors/a/config -d @a.json",
        "rpk topic create orders -X pass={}",
        "PGPASSWORD={} ksql -e 'DROP STREAM orders;' http://ksql:8088",
    ],
)
def test_a_command_line_that_a_report_quotes_has_no_secret(check, line):
    """A comment on a pull request is read by more people than the repository."""
    report = check(
        {"a.sh": line.format("second-s3cret") + " -x\n"}, {**BASE, "a.sh": line.format("first-s3cret") + "\n"}
    )

    assert report.findings
    assert "s3cret" not in str(report)


MODULE = """module "billing" {
  source         = "./app"
  produce_topics = ["bills"]
}
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("rights.tf", ACL.replace("refunds", "bills").replace('"read"', '"other"').replace('"orders"', '"b"')),
        ("app.tf", MODULE.replace('["bills"]', '["bills", "refunds"]')),
        ("app.tf", MODULE + MODULE.replace("billing", "sales")),
    ],
)
def test_a_right_that_is_only_granted_hits_nobody(check, path, text):
    report = check({path: text}, {**BASE, "acl.tf": ACL, "app.tf": MODULE})

    assert report.verdict is Verdict.FINE


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("rights.tf", ACL.replace("refunds", "bills").replace('"read"', '"other"').replace("ALLOW", "DENY")),
        ("acl.tf", ACL.replace("User:fraud", "User:sales")),
        ("acl.tf", ACL.split("resource", 2)[1].join(("resource", ""))),
    ],
)
def test_a_right_that_is_denied_or_taken_is_unknown(check, path, text):
    report = check({path: text}, {**BASE, "acl.tf": ACL})

    assert report.verdict is Verdict.UNKNOWN


def test_the_case_of_words_in_a_statement_changes_nothing(check):
    """What is in quotation marks counts."""
    lower = KSQL.replace("VALUE_FORMAT", "value_format").replace("INT", "int").replace("AS SELECT", "as select")

    assert check({"a.ksql": lower}).verdict is Verdict.FINE
    assert check({"a.ksql": lower.replace("'JSON'", "'AVRO'")}).verdict is not Verdict.FINE


def test_a_new_statement_that_reads_a_topic_from_elsewhere_hits_nobody(check):
    new = (
        "CREATE STREAM visits (id INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');\n"
        "CREATE STREAM shown AS SELECT id FROM visits;\n"
    )

    assert check({"new.ksql": new}).verdict is Verdict.FINE


def test_records_in_a_file_are_not_a_schema(check):
    report = check({"sample.avro": "Obj\1avro.codec"}, {**BASE, "sample.avro": "Obj\1avro"})

    assert report.verdict is Verdict.FINE


def test_a_go_package_called_spec_is_not_a_test(check):
    code = (
        'package spec\n\nimport "github.com/segmentio/kafka-go"\n\nfunc Send(w *kafka.Writer, v string) {\n'
        '\tw.WriteMessages(ctx, kafka.Message{Topic: "orders", Value: []byte(v)})\n}\n'
    )
    base = {**BASE, "go.mod": "module a\n", "pkg/spec/send.go": code}

    report = check({"pkg/spec/send.go": code.replace("[]byte(v)", "[]byte(v + v)")}, base)

    assert report.verdict is Verdict.IMPACT


def test_a_program_that_deletes_subjects_by_requests_is_unknown(check):
    code = 'def clear(schema_registry):\n    requests.get(f"{schema_registry}/mode")\n'
    base = {**BASE, "tools/clear.py": code}

    report = check({"tools/clear.py": code + '    requests.delete(f"{schema_registry}/subjects/orders-value")\n'}, base)
    assert report.verdict is Verdict.UNKNOWN
    assert check({"tools/clear.py": code + '    requests.get("/pages")\n'}, base).verdict is Verdict.FINE


def test_a_resource_that_is_removed_is_called_so(check):
    report = check({"acl.tf": ACL.splitlines(keepends=True)[0]}, {**BASE, "acl.tf": ACL})

    (finding,) = (finding for finding in report.findings if finding.counts)
    assert finding.what.startswith('resource "confluent_kafka_acl" "read" is removed; ')


def test_an_object_that_is_deployed_in_addition_hits_nobody(check):
    template = (
        "apiVersion: v1\nkind: Template\nobjects:\n- apiVersion: batch/v1\n  kind: CronJob\n  spec:\n"
        "    containers:\n    - env:\n      - name: KAFKA_TOPIC\n        value: ${TOPIC}\n"
    )

    assert check({"deploy.yaml": template}).verdict is Verdict.FINE
    assert check({"deploy.yaml": template.replace("TOPIC}", "T}")}, {**BASE, "deploy.yaml": template}).findings


def test_a_setting_by_its_newer_name_is_the_same(check):
    """The second version of Debezium has other names for the name of a server and for lists of tables."""
    old = connector().replace("topic.prefix", "database.server.name").replace("include.list", "whitelist")

    assert check({"cdc.json": connector()}, {**FILES, "cdc.json": old}).verdict is Verdict.FINE


@pytest.mark.parametrize(
    ("path", "before", "after", "is_fine"),
    [
        ("gradle/libs.versions.toml", 'a = "x:avro:1.0"\nk = "x:kafka-streams:3.0"\n', 'a = "x:avro:1.0"\n', True),
        ("buildSrc/src/main/kotlin/Libs.kt", 'val k = "x:kafka-streams:3.0"\nval a = 1\n', "val a = 1\n", True),
        ("buildSrc/src/main/kotlin/Libs.kt", 'val a = "x:avro:1.0"\n', 'val a = "x:avro:2.0"\n', False),
    ],
)
def test_a_library_that_is_no_longer_listed_is_fine_and_another_version_is_not(check, path, before, after, is_fine):
    """What uses a library of a catalog names it in a build file of its own."""
    files = {**BASE, **PROGRAM, path: before}

    assert (rules(check({path: after}, files)) == set()) is is_fine


def test_a_library_that_is_added_where_no_program_uses_kafka_is_fine(check):
    """Another major version of one that was there may be of a program whose topics are not known."""
    pom = "<project>\n<dependencies>\n{}</dependencies>\n</project>\n"
    client = "<dependency>\n<artifactId>kafka-clients</artifactId>\n<version>{}.1.0</version>\n</dependency>\n"
    base = {**FILES, "site/pom.xml": pom.format("<!-- none -->\n")}

    assert check({"site/pom.xml": pom.format(client.format(3))}, base).verdict is Verdict.FINE
    base = {**FILES, "site/pom.xml": pom.format(client.format(3))}
    assert check({"site/pom.xml": pom.format(client.format(4))}, base).verdict is Verdict.UNKNOWN


def test_a_migration_that_is_read_of_a_table_that_no_file_declares_is_unknown(check):
    """Nothing is there to compare the dropped column with."""
    drop = 'from alembic import op\n\n\ndef upgrade():\n    op.drop_column("users", "email")\n'
    base = {**BASE, "cdc.json": connector()}

    report = check({"alembic/versions/0002_drop.py": drop}, base)

    assert report.verdict is Verdict.UNKNOWN
    assert [finding.target for finding in report.findings if finding.counts] == ["job cdc"]


TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata: {{name: "{{{{ .Release.Name }}}}-upload"}}
data:
  {file}: |
    {text}
"""
PROPERTIES = "name=upload\n    connector.class=org.acme.UploadSource\n    tasks.max=7\n    record.classes=a.B"
BODY = json.dumps(
    {
        "name": "upload",
        "config": {"connector.class": "org.acme.UploadSource", "tasks.max": "7", "record.classes": "a.B"},
    }
)


@pytest.mark.parametrize(("file", "text"), [("a.properties", PROPERTIES), ("upload.json", BODY)])
@pytest.mark.parametrize(("old", "new", "is_fine"), [("a.B", "a.B,a.C", False), ("7", "8", True)])
def test_a_setting_of_a_connector_in_a_template_is_judged_as_one(check, file, text, old, new, is_fine):
    """The template is not read, and the class is not known: what the setting does is not either."""
    path, before = "chart/templates/upload.yaml", TEMPLATE.format(file=file, text=text)
    report = check({path: before.replace(old, new)}, {**BASE, path: before})

    assert (report.verdict is Verdict.FINE) is is_fine

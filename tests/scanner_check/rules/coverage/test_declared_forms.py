"""A change of a document in a declared form: what a row reads is compared, what it does not read is never fine."""

from __future__ import annotations

import json

import pytest
from committed_repository import rules

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: orders-config}}
data:
  schema: |
    {{"type": "record", "name": "Order", "fields": [{{"name": "id", "type": "long"}}{}]}}
"""
TOTAL = ', {"name": "total", "type": "double"}'
CONFLUENT = """\
apiVersion: platform.confluent.io/v1beta1
kind: Schema
metadata: {name: orders-value}
spec:
  data: {configRef: orders-config, format: avro}
---
"""
READER = """\
CREATE TABLE o (id BIGINT, total DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE s (t DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'sums', 'format' = 'json');
INSERT INTO s SELECT total FROM o;
"""
SOURCE = """\
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: billing}
spec:
  kafka:
    orders: {url: "k:9092", topic: orders, consumerGroup: {groupName: g}}
"""
TOPIC = """\
apiVersion: kafka/v2
kind: Topic
metadata: {cluster: prod, name: orders, labels: {team: shop}}
spec: {partitions: 3, configs: {cleanup.policy: delete}}
"""
ACCESS = """\
apiVersion: v1
kind: AccessControlEntry
metadata: {name: a}
spec: {resourceType: TOPIC, resource: orders, resourcePatternType: LITERAL, permission: READ, grantedTo: billing}
"""


def test_a_column_dropped_in_a_schema_of_confluent_for_kubernetes_names_its_readers(check):
    base = {"schema.yaml": CONFLUENT + CONFIG_MAP.format(TOTAL), "job.sql": READER}
    report = check({"schema.yaml": CONFLUENT + CONFIG_MAP.format("")}, base)

    assert report.verdict in (Verdict.BREAKS, Verdict.IMPACT)
    assert any(hit.name == "job.sql" for finding in report.findings for hit in finding.affected)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('url: "k:9092"', 'url: "other:9092"'),
        ("groupName: g", "groupName: g2"),
        ("}}", "}, filter: {expression: 'body.total > 10'}}"),
    ],
)
def test_a_member_that_no_row_reads_is_unknown(before, after, check):
    report = check({"source.yaml": SOURCE.replace(before, after)}, {"source.yaml": SOURCE})

    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("labels: {team: shop}", "labels: {team: sales}", Verdict.FINE),
        ("cleanup.policy: delete", "cleanup.policy: compact", Verdict.UNKNOWN),
        ("partitions: 3", "partitions: 6", Verdict.UNKNOWN),
        ("cluster: prod", "cluster: dev", Verdict.UNKNOWN),
    ],
)
def test_a_setting_of_a_declared_topic_is_judged(before, after, verdict, check):
    report = check({"topic.yaml": TOPIC.replace(before, after)}, {"topic.yaml": TOPIC})

    assert report.verdict is verdict
    assert {finding.rule for finding in report.findings if finding.counts} <= {"not-judged"}


def test_another_object_in_a_file_of_a_form_is_still_judged(check):
    deployment = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {template: {spec: {containers: [{name: shop, env: [{name: KAFKA_TOPIC, value: orders}]}]}}}
"""
    report = check({"a.yaml": TOPIC + deployment.replace("orders", "orders2")}, {"a.yaml": TOPIC + deployment})

    assert report.verdict is not Verdict.FINE


@pytest.mark.parametrize(
    ("change", "verdict"),
    [(ACCESS.replace("READ", "WRITE"), Verdict.UNKNOWN), (None, Verdict.UNKNOWN), (ACCESS + "# kept\n", Verdict.FINE)],
)
def test_a_right_that_is_taken_is_not_fine(change, verdict, check):
    report = check({"topic.yaml": TOPIC, "a.yaml": change}, {"topic.yaml": TOPIC, "a.yaml": ACCESS})

    assert report.verdict is verdict


def test_a_looser_level_in_a_resource_is_a_finding_in_its_file(check):
    text = "subjects:\n- {name: o-value, schema: '\"string\"', compatibility: FULL}\n"
    report = check({"subjects.yaml": text.replace("FULL", "NONE")}, {"subjects.yaml": text})

    assert {rule for rule, _ in rules(report)} == {"level-changed"}
    assert {finding.place.file for finding in report.findings} == {"subjects.yaml"}


def test_a_change_in_a_form_that_nothing_declares_is_unknown(check):
    pump = "pump:\n  channel: orders.v1\n  stream: {batch: 10}\n"
    base = {"topic.yaml": TOPIC.replace("name: orders", "name: orders.v1"), "a.pump.yaml": pump}

    assert check({"a.pump.yaml": pump.replace("batch: 10", "filter: x")}, base).verdict is Verdict.UNKNOWN


def test_code_of_a_notebook_that_changes_is_unknown_and_its_output_is_not(check):
    cell = {"cell_type": "code", "outputs": [], "source": ["p = KafkaProducer()\n", "p.send('orders', b'a')\n"]}
    text = json.dumps({"cells": [cell], "metadata": {}}, indent=1)
    before = {"a.ipynb": text.replace("p = K", "from kafka import KafkaProducer\\np = K")}

    assert check({"a.ipynb": before["a.ipynb"].replace("b'a'", "b'b'")}, before).verdict is Verdict.UNKNOWN
    assert (
        check({"a.ipynb": before["a.ipynb"].replace('"outputs": []', '"outputs": [1]')}, before).verdict is Verdict.FINE
    )


BODY = """\
BODY='{"schema": "{\\"type\\": \\"record\\", \\"name\\": \\"O\\", \\"fields\\": [FIELDS]}"}'
curl -d "$BODY" $SR/subjects/orders-value/versions
kafka-configs --alter --entity-type topics --entity-name orders --add-config retention.ms=9
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [("FIELDS", '{\\"name\\": \\"id\\", \\"type\\": \\"long\\"}'), ("retention.ms=9", "retention.ms=1")],
)
def test_a_script_with_a_schema_is_judged_with_its_other_commands(before, after, check):
    text = BODY.replace("FIELDS", '{\\"name\\": \\"a\\", \\"type\\": \\"long\\"}')
    changed = BODY.replace(before, after).replace("FIELDS", '{\\"name\\": \\"a\\", \\"type\\": \\"long\\"}')

    assert check({"register.sh": changed}, {"register.sh": text}).verdict is not Verdict.FINE


def test_a_request_file_that_changes_the_schema_of_a_subject_is_judged(check):
    text = 'POST http://sr/subjects/o-value/versions\n\n{"schema": "\\"long\\""}\n'

    assert check({"api.http": text.replace("long", "string")}, {"api.http": text}).verdict is not Verdict.FINE


CAPTURE = json.dumps(
    {
        "name": "cdc",
        "config": {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "database.dbname": "shop",
            "topic.prefix": "shop",
            "table.include.list": "public.orders",
        },
    },
    indent=1,
)
FIRST = "exports.up = k => k.schema.createTable('orders', t => { t.bigInteger('id'); t.float('total') })\n"


@pytest.mark.parametrize(
    ("path", "text", "verdict"),
    [
        ("migrations/2.js", "exports.up = k => k.schema.table('orders', t => { t.string('note') })\n", Verdict.FINE),
        (
            "migrations/2.js",
            "exports.up = k => k.schema.alterTable('orders', t => t.dropTable('x'))\n",
            Verdict.UNKNOWN,
        ),
        ("migrations/2.php", "<?php Schema::table('orders', fn ($t) => $t->dropColumn('total'));\n", Verdict.UNKNOWN),
        ("migrations/2.php", "<?php Schema::table('other', fn ($t) => $t->dropColumn('total'));\n", Verdict.FINE),
    ],
)
def test_a_migration_of_a_captured_table_that_is_not_understood_is_unknown(path, text, verdict, check):
    base = {"cdc.json": CAPTURE, "migrations/1.js": FIRST}

    assert check({path: text}, base).verdict is verdict


SQL_FIRST = "CREATE TABLE orders (id bigint, total float);\n"
COLUMN = "{tableName: orders, columns: [{column: {name: %s, type: text}}]}"
CHANGES = f"databaseChangeLog:\n- changeSet:\n    id: 1\n    changes:\n    - createTable: {COLUMN % 'total'}\n"
ADDED = f"- changeSet:\n    id: 2\n    changes:\n    - addColumn: {COLUMN % 'note'}\n"
UP, DOWN = "ALTER TABLE orders ADD COLUMN note text;\n", "ALTER TABLE orders DROP COLUMN note;\n"


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        ({"db/2.up.sql": UP, "db/2.down.sql": DOWN}, Verdict.FINE),
        ({"db/2.sql": f"-- +goose Up\n{UP}-- +goose Down\n{DOWN}"}, Verdict.FINE),
        ({"deploy/2.sql": UP, "revert/2.sql": DOWN}, Verdict.FINE),
        ({"db/changes.yaml": CHANGES + ADDED}, Verdict.FINE),
        ({"alembic/2.py": f"from alembic import op\ndef upgrade():\n  op.execute('{UP[:-2]}')\n"}, Verdict.FINE),
        ({"db/2.down.sql": UP, "db/2.up.sql": DOWN.replace("note", "total")}, Verdict.IMPACT),
        ({"alembic/2.py": "from alembic import op\ndef upgrade():\n  c.execute(drop('orders'))\n"}, Verdict.UNKNOWN),
    ],
)
def test_a_migration_that_adds_a_column_is_fine_with_the_part_that_takes_it_back(files, verdict, check):
    base = {"cdc.json": CAPTURE, "db/1.up.sql": SQL_FIRST, "db/changes.yaml": CHANGES.replace("orders", "others")}
    if "db/changes.yaml" in files:
        base = {"cdc.json": CAPTURE, "db/changes.yaml": CHANGES}

    assert check(files, base).verdict is verdict


OPEN = CAPTURE.replace('"table.include.list": "public.orders"', '"snapshot.mode": "never"')


@pytest.mark.parametrize(
    ("path", "text", "verdict"),
    [
        ("db/2.sql", DOWN.replace("note", "total"), Verdict.UNKNOWN),
        (
            "migrations/2.js",
            "exports.up = k => k.schema.table('orders', t => t.dropColumn('total'))\n",
            Verdict.UNKNOWN,
        ),
        ("db/2.sql", UP, Verdict.FINE),
        ("db/2.sql", "CREATE INDEX i ON orders (id);\n", Verdict.FINE),
        ("migrations/2.js", "exports.up = k => k.schema.table('orders', t => t.string('note'))\n", Verdict.FINE),
    ],
)
def test_a_connector_without_a_list_of_tables_may_capture_any(path, text, verdict, check):
    base = {"cdc.json": OPEN, "db/1.sql": SQL_FIRST, "migrations/1.js": FIRST}

    assert check({path: text}, base).verdict is verdict


ALEMBIC = "from alembic import op\n\n\ndef upgrade():\n    %s\n\n\ndef downgrade():\n    %s\n"


def test_a_migration_of_a_model_is_one_of_its_table(check):
    """Django calls the table of a model after its application."""
    remove = "migrations.RemoveField(model_name='orders', name='a')"
    text = f"class Migration(migrations.Migration):\n    operations = [{remove}]\n"
    base = {"cdc.json": CAPTURE.replace("public.orders", "public.shop_orders")}

    assert check({"shop/migrations/0002.py": text}, base).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("path", "text", "verdict"),
    [
        (
            "alembic/versions/2.py",
            ALEMBIC % ('op.drop_column("orders", "total")', 'op.add_column("orders", "total")'),
            Verdict.UNKNOWN,
        ),
        (
            "alembic/versions/2.py",
            ALEMBIC % ('op.add_column("orders", "note")', 'op.drop_column("orders", "note")'),
            Verdict.FINE,
        ),
        ("alembic/versions/2.py", ALEMBIC % ('op.drop_column("users", "total")', "pass"), Verdict.FINE),
        ("db/2.rb", "class A < ActiveRecord::Migration[7.0]\n remove_column :orders, :total\nend\n", Verdict.UNKNOWN),
        (
            "db/2.ts",
            "export class A implements MigrationInterface { async up(q) { await q.dropColumn('orders', 'total') } }\n",
            Verdict.UNKNOWN,
        ),
        (
            "Data/2.cs",
            'class A : Migration { void Up(MigrationBuilder b) { b.DropColumn(name: "total", table: "orders"); } }\n',
            Verdict.UNKNOWN,
        ),
    ],
)
def test_a_migration_that_takes_a_column_from_a_captured_table_that_no_file_creates_is_unknown(
    path, text, verdict, check
):
    """The table was created elsewhere, so its columns cannot be compared."""
    assert check({path: text}, {"cdc.json": CAPTURE}).verdict is verdict


def test_a_migration_that_drops_a_captured_column_is_an_edit_of_the_topic(check):
    text = "exports.up = k => k.schema.table('orders', t => { t.dropColumn('total') })\n"
    report = check({"migrations/2.js": text}, {"cdc.json": CAPTURE, "migrations/1.js": FIRST})

    assert ("column-lost", "shop.public.orders.after.total") in rules(report)


TELEGRAF = '[agent]\n  interval = "10s"\n[[inputs.kafka_consumer]]\n  topics = ["orders"]\n  data_format = "influx"\n'
CAMEL = "- route:\n    description: reads\n    from:\n      uri: 'kafka:orders?brokers=k:9092'\n      steps: [log: x]\n"
PLAY = """\
- hosts: localhost
  tasks:
  - name: create
    kubernetes.core.k8s:
      definition:
        apiVersion: eventstreams.ibm.com/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {team: shop}}
        spec: {partitions: 3}
"""
TOPICS = "topics:\n- {name: orders, description: of the shop, partitions: 3, replicationFactor: 2}\n"
PIPELINE = """\
input {
  kafka { topics => ["orders"] }
}
filter {
  mutate { remove_field => ["host"] }
}
output {
  kafka { topic_id => "bills" }
}
"""
AGENT = '[transforms.cut]\nsource = "del(.host)"\n[sinks.out]\ntype = "kafka"\ninputs = ["cut"]\ntopic = "orders"\n'
MIRROR = """\
apiVersion: eventstreams.ibm.com/v1beta2
kind: KafkaMirrorMaker2
metadata: {name: m}
spec:
  replicas: 1
  connectCluster: b
  clusters: [{alias: a, bootstrapServers: 'a:9092'}, {alias: b, bootstrapServers: 'b:9092'}]
  mirrors: [{sourceCluster: a, targetCluster: b, topicsPattern: orders, sourceConnector: {}}]
"""


@pytest.mark.parametrize(
    ("path", "text", "before", "after", "is_fine"),
    [
        ("l.conf", PIPELINE, '"host"', '"host", "total"', False),
        ("l.conf", PIPELINE, "{ topic_id", "{ # of the shop\n    topic_id", True),
        ("l.conf", PIPELINE, '"bills"', '"sums"', False),
        ("v.toml", AGENT, "del(.host)", "del(.total)", False),
        ("m.yaml", MIRROR, "topicsPattern: orders", "topicsPattern: bills", False),
        ("m.yaml", MIRROR, "replicas: 1", "replicas: 2", True),
        ("t.conf", TELEGRAF, '["orders"]', '["bills"]', False),
        ("t.conf", TELEGRAF, '"influx"', '"json"', False),
        ("t.conf", TELEGRAF, "[agent]", "# of the site\n[agent]", True),
        ("r.yaml", CAMEL, "kafka:orders", "kafka:bills", False),
        ("r.yaml", CAMEL, "[log: x]", "[{filter: {simple: '1'}}]", False),
        ("r.yaml", CAMEL, "reads", "it reads", True),
        ("p.yaml", PLAY, "name: orders", "name: bills", False),
        ("p.yaml", PLAY, "partitions: 3", "partitions: 6", False),
        ("p.yaml", PLAY, "team: shop", "team: sales", True),
        ("a.yaml", TOPICS, "name: orders", "name: bills", False),
        ("a.yaml", TOPICS, "of the shop", "of all shops", True),
    ],
)
def test_an_edit_in_a_form_is_fine_only_if_it_changes_no_flow(path, text, before, after, is_fine, check):
    report = check({path: text.replace(before, after)}, {path: text})

    assert (report.verdict is Verdict.FINE) == is_fine
    assert is_fine or any(
        "orders" in str(finding) or "bills" in str(finding) or finding.place for finding in report.findings
    )


TABLE = """\
{"tableName": "sums", "topicName": "sums",
 "message": {"dataFormat": "json", "fields": [
  {"name": "total", "mapping": "total", "type": "DOUBLE"},
  {"name": "id", "mapping": "id", "type": "BIGINT"}]}}
"""


@pytest.mark.parametrize("edit", [('"mapping": "total"', '"mapping": "sum"'), ('"BIGINT"', '"VARCHAR"')])
def test_another_column_of_a_table_that_trino_reads_names_the_table(check, edit):
    """The columns of such a table are not read, and its queries are elsewhere."""
    (finding,) = (one for one in check({"etc/sums.json": TABLE.replace(*edit)}, {"etc/sums.json": TABLE}).findings)

    assert (finding.verdict, finding.target) == (Verdict.UNKNOWN, "job trino:sums")

"""For each rule of the check, a change of a small estate that has a finding of it, and a near one that has none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

Files = Mapping[str, str | None]


class Case(NamedTuple):
    """Two changes of the *base* estate: *fires* has a finding of the rule with the *verdict*, *silent* has none."""

    verdict: str
    fires: Files
    silent: Files
    base: Mapping[str, str] = {}


def avro(*fields: Mapping[str, Any], name: str = "Order") -> str:
    """Return the text of a record."""
    return json.dumps({"type": "record", "name": name, "fields": list(fields)}, indent=1)


ID, TOTAL = {"name": "id", "type": "int"}, {"name": "total", "type": "double"}
NOTE = {"name": "note", "type": ["null", "string"], "default": None}
STATUS = {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID"]}}
MORE_STATUS = {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID", "SENT"]}}
PROTO = 'syntax = "proto3";\nmessage Order {\n  int32 id = 1;\n  double total = 2;\n}\n'
SINK = {
    "name": "s3",
    "config": {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "topics": "BIG",
        "s3.bucket.name": "b",
        "flush.size": "10",
    },
}
ORDERS = "CREATE STREAM orders (id INT, total DOUBLE) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');\n"
BIG = "CREATE STREAM big AS SELECT id, total FROM orders;\n"
USER = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaUser
metadata: {name: audit}
spec:
  authorization:
    acls:
    - resource: {type: topic, name: orders}
      operations: [Read, Describe]
"""
SENDER = """package shop;
import org.springframework.kafka.core.KafkaTemplate;
class Sender {
  KafkaTemplate<String, Order> template;
  void send(Order order) {
    if (order.paid()) {
      template.send("BIG", order.id(), new Order(order.id(), order.total()));
    }
  }
}
"""
PYTHON = """import json
from kafka import KafkaProducer

producer = KafkaProducer(value_serializer=lambda value: json.dumps(value).encode())


def publish(order):
    if order.paid:
        producer.send("BIG", key=order.id, value={"id": order.id, "total": order.total})
"""
READER = """import json
from kafka import KafkaConsumer

for record in KafkaConsumer("BIG", value_deserializer=json.loads):
    print(record.value["id"], record.value["total"])
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: mail
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: mail
          image: acme/mail:1
          env:
            - name: LOG_LEVEL
              value: info
"""
ESTATE: Mapping[str, str] = {
    "topics.sh": "kafka-topics --create --topic orders --partitions 3\nkafka-topics --create --topic BIG\n",
    "a.ksql": ORDERS + BIG,
    "sink.json": json.dumps(SINK, indent=1),
    "orders-value.avsc": avro(ID, TOTAL, NOTE, STATUS),
    "mail/setup.py": "",
    "mail/publish.py": PYTHON,
    "mail/deploy.yaml": DEPLOYMENT,
    "bill/setup.py": "",
    "bill/read.py": READER,
    "README.md": "one\n",
}


def sink(**config: str) -> str:
    """Return the connector with other settings."""
    return json.dumps({**SINK, "config": {**SINK["config"], **config}}, indent=1)


def python(old: str, new: str, file: str = "mail/publish.py") -> Files:
    """Return the change of a program."""
    text = ESTATE[file]
    assert old in text, old
    return {file: text.replace(old, new)}


def sql(old: str, new: str) -> Files:
    """Return the change of the second statement."""
    assert old in BIG, old
    return {"a.ksql": ORDERS + BIG.replace(old, new)}


def renamed_stream() -> Files:
    """Return the change of the topic BIG's name wherever it stands."""
    return {
        path: text.replace("BIG", "HUGE").replace("big", "huge")
        for path, text in ESTATE.items()
        if "BIG" in text.upper()
    }


SCHEMA = "orders-value.avsc"
DOCUMENTED: Files = {SCHEMA: avro(ID, {**TOTAL, "doc": "with tax"}, NOTE, STATUS)}
COMMENT: Files = {"a.ksql": ORDERS + BIG + "-- a remark\n"}
LOGGED = python("    if order.paid:", "    print(order)\n    if order.paid:")
FURTHER = python('("BIG",', '("BIG", "orders",', "bill/read.py")
LESS: Files = {SCHEMA: avro(ID, NOTE, STATUS)}
LEVEL = (
    'resource "confluent_subject_config" "o" {\n  subject_name = "orders-value"\n  compatibility_level = "FULL"\n}\n'
)
CAPTURED = {
    "db/schema.sql": "CREATE TABLE shop.customers (id INT, name TEXT);\n",
    "cdc.json": json.dumps(
        {
            "name": "cdc",
            "config": {
                "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
                "topic.prefix": "pg",
                "database.dbname": "d",
                "table.include.list": "shop.customers",
            },
        }
    ),
}
TAGGED = {
    "customers-value.avsc": avro(ID, {"name": "email", "type": "string", "confluent:tags": ["PII"]}, name="Customer"),
    "customers.sh": "kafka-topics --create --topic customers\n",
    ".scanner.yaml": "policy: cluster.json\n",
    "cluster.json": json.dumps(
        {"cluster": "c", "brokers": ["k:9092"], "policy": {"forbidden": [{"tag": "PII", "systems": ["s3://*"]}]}}
    ),
}
LAKE = json.dumps({"name": "lake", "config": {**SINK["config"], "topics": "customers"}})  # type: ignore[dict-item]
JAVA = {
    "mail/publish.py": "",
    "shop/pom.xml": "<project><artifactId>shop</artifactId></project>",
    "shop/Order.java": "package shop;\nclass Order {\n  int id;\n  int total;\n}\n",
    "shop/Sender.java": (
        "package shop;\nimport org.springframework.kafka.core.KafkaTemplate;\nclass Sender {\n"
        "  KafkaTemplate<String, Order> template;\n  void send(Order order) {\n"
        '    template.send("BIG", order);\n  }\n}\n'
    ),
}
TWO_WRITERS = {
    "c.ksql": (
        "CREATE STREAM o2 (id INT, total DOUBLE) WITH (KAFKA_TOPIC='o2', VALUE_FORMAT='JSON');\n"
        "INSERT INTO big SELECT id, total FROM o2;\n"
    )
}

COMMITS: Mapping[str, Case] = {
    "schema-invalid": Case("breaks", {SCHEMA: avro(ID, {**TOTAL, "type": "dbl"}, NOTE, STATUS)}, DOCUMENTED),
    "column-removed": Case("impact", LESS, DOCUMENTED),
    "column-renamed": Case("impact", {SCHEMA: avro(ID, {**TOTAL, "name": "totals"}, NOTE, STATUS)}, LESS),
    "column-retyped": Case("breaks", {SCHEMA: avro(ID, {**TOTAL, "type": "string"}, NOTE, STATUS)}, DOCUMENTED),
    "column-added": Case("fine", {SCHEMA: avro(ID, TOTAL, NOTE, STATUS, {**NOTE, "name": "x"})}, LESS),
    "old-data-rejected": Case(
        "breaks",
        {SCHEMA: avro(ID, TOTAL, NOTE, STATUS, {**TOTAL, "name": "x"})},
        {SCHEMA: avro(ID, TOTAL, NOTE, STATUS, {**NOTE, "name": "x"})},
    ),
    "new-data-rejected": Case("impact", {SCHEMA: avro(ID, TOTAL, NOTE, MORE_STATUS)}, DOCUMENTED),
    "made-nullable": Case(
        "impact", {SCHEMA: avro(ID, {**TOTAL, "type": ["null", "double"]}, NOTE, STATUS)}, DOCUMENTED
    ),
    "made-required": Case("breaks", {SCHEMA: avro(ID, TOTAL, {**NOTE, "type": "string"}, STATUS)}, DOCUMENTED),
    "column-renumbered": Case(
        "fine",
        {"pay-value.proto": PROTO.replace("= 2", "= 3")},
        {"pay-value.proto": f"// a remark\n{PROTO}"},
        {"pay-value.proto": PROTO},
    ),
    "no-readers-known": Case(
        "unknown",
        {"pay-value.proto": PROTO.replace("= 2", "= 3")},
        {"pay-value.proto": PROTO.replace("}", "  string note = 3;\n}")},
        {"pay-value.proto": PROTO},
    ),
    "record-renamed": Case("unknown", {SCHEMA: avro(ID, TOTAL, NOTE, STATUS, name="Purchase")}, DOCUMENTED),
    "key-changed": Case(
        "unknown", {"orders-key.avsc": avro(ID, NOTE, name="K")}, DOCUMENTED, {"orders-key.avsc": avro(ID, name="K")}
    ),
    "schema-added": Case("fine", {"pay-value.avsc": avro(ID)}, DOCUMENTED),
    "copies-differ": Case(
        "impact",
        LESS,
        {**LESS, "copy/order.avsc": avro(ID, NOTE, STATUS)},
        {"copy/order.avsc": ESTATE[SCHEMA]},
    ),
    "level-changed": Case(
        "unknown",
        {"main.tf": LEVEL.replace("FULL", "NONE")},
        {"main.tf": f"# a remark\n{LEVEL}"},
        {"main.tf": LEVEL},
    ),
    "file-deleted": Case("impact", {SCHEMA: None}, LESS),
    "column-lost": Case("impact", sql(", total", ""), COMMENT),
    "column-gained": Case("fine", sql(", total", ", total, total * 2 AS twice"), COMMENT),
    "flow-changed": Case("impact", sql("id, total", "total AS id, id AS total"), sql(", total", "")),
    "output-gained": Case(
        "fine", {"a.ksql": ORDERS + BIG + "CREATE STREAM small AS SELECT id FROM orders;\n"}, FURTHER
    ),
    "input-gained": Case("fine", FURTHER, COMMENT),
    "output-lost": Case("impact", {"sink.json": sink(topics="NOWHERE")}, {"sink.json": sink(**{"flush.size": "20"})}),
    "input-without-writer": Case("impact", {"sink.json": sink(topics="NOWHERE")}, {"sink.json": sink(topics="orders")}),
    "input-lost": Case("fine", {"a.ksql": ORDERS}, COMMENT),
    "writer-lost": Case("impact", {"c.ksql": None}, COMMENT, TWO_WRITERS),
    "topic-renamed": Case("impact", renamed_stream(), COMMENT),
    "topic-gone": Case(
        "impact",
        {"topics.sh": "kafka-topics --create --topic BIG\n"},
        {"topics.sh": ESTATE["topics.sh"] + "# a remark\n"},
    ),
    "table-gone": Case(
        "impact",
        {"db/schema.sql": "SELECT 1;\n"},
        {"db/schema.sql": CAPTURED["db/schema.sql"] + "-- a remark\n"},
        CAPTURED,
    ),
    "right-lost": Case(
        "unknown",
        {"users.yaml": USER.replace("[Read, Describe]", "[Describe]")},
        {"users.yaml": USER.replace("[Read, Describe]", "[Describe, Read]")},
        {"users.yaml": USER},
    ),
    "job-stopped": Case(
        "impact",
        {"mail/deploy.yaml": DEPLOYMENT.replace("replicas: 2", "replicas: 0")},
        {"mail/deploy.yaml": DEPLOYMENT.replace("replicas: 2", "replicas: 3")},
    ),
    "record-field-removed": Case("impact", python(', "total": order.total', ""), LOGGED),
    "record-field-computed": Case("impact", python("order.total", "order.total * 2"), LOGGED),
    "record-field-retyped": Case(
        "impact",
        {"shop/Order.java": JAVA["shop/Order.java"].replace("int total", "String total")},
        {"shop/Order.java": JAVA["shop/Order.java"].replace("class", "// a remark\nclass")},
        JAVA,
    ),
    "record-key-changed": Case("impact", python("key=order.id", "key=order.customer"), LOGGED),
    "record-format-changed": Case("impact", python("value={", 'headers=[("v", b"2")], value={'), LOGGED),
    "record-condition-changed": Case("impact", python("if order.paid:", "if order.paid and order.id:"), LOGGED),
    "record-field-expected": Case(
        "unknown",
        python('["total"]', '["amount"]', "bill/read.py"),
        python(', record.value["total"]', "", "bill/read.py"),
    ),
    "code-changed": Case("unknown", python("json.dumps(value).encode()", "packed(value)"), LOGGED),
    "not-judged": Case("unknown", sql(";", " WHERE total > 1;"), COMMENT),
    "mentioned": Case(
        "unknown",
        {"notes/plan.conf": "use BIG here\n"},
        {"notes/plan.conf": "use y here\n"},
        {"notes/plan.conf": "use x here\n"},
    ),
    "not-read": Case(
        "unknown",
        {"sink.json": sink(transforms="a", **{"transforms.a.type": "x.Y"})},
        {"sink.json": sink(**{"flush.size": "20"})},
    ),
    "not-examined": Case(
        "unknown",
        {"tool.zig": "const a = 2;\n", **COMMENT},
        COMMENT,
        {"tool.zig": "const a = 1;\n", ".scanner.yaml": "strict: true\n"},
    ),
    "settings-changed": Case(
        "unknown", {".scanner.yaml": "strict: false\n"}, COMMENT, {".scanner.yaml": "strict: true\n"}
    ),
    "policy-forbidden-flow": Case(
        "breaks", {"lake.json": LAKE}, {"lake.json": LAKE.replace("customers", "orders")}, TAGGED
    ),
    "tag-removed": Case(
        "unknown",
        {"customers-value.avsc": TAGGED["customers-value.avsc"].replace("PII", "X")},
        {"customers-value.avsc": TAGGED["customers-value.avsc"].replace('"Customer"', '"Customer", "doc": "x"')},
        TAGGED,
    ),
}
"""Cases between two commits."""

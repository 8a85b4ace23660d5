"""Edits that change records, or end a job, in ways that no declaration shows: none of them is fine."""

from __future__ import annotations

import json

import pytest

from scanner_check.model import Verdict
from scanner_check.rows.files import NOT_JUDGED
from scanner_check.rows.flows import JOB_STOPPED
from scanner_check.rows.table import row_of

pytestmark = pytest.mark.slow

JAVA = """package shop;
import org.apache.kafka.clients.producer.*;
import shop.v1.Order;
class Billing {
  void run(Order order, KafkaProducer<String, Double> producer) {
    double total = order.amount
        * 1.2;
    producer.send(new ProducerRecord<>("invoices", order.id, total));
  }
}
"""
TYPESCRIPT = """import { Kafka } from 'kafkajs';
import { encode } from './avro';
const producer = new Kafka({}).producer();
producer.send({ topic: 'mails', messages: [{ value: encode('x') }] });
"""
FLINK = """CREATE TABLE orders (id STRING, ts TIMESTAMP(3)) WITH ('connector'='kafka','topic'='orders','format'='json');
CREATE TABLE bills (id STRING) WITH ('connector'='kafka','topic'='bills','format'='json');
INSERT INTO bills SELECT id FROM orders WHERE id IN ('a  b','c');
"""
SINK = json.dumps(
    {"name": "s3", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "invoices"}},
    indent=1,
)
DEPLOY = """#!/bin/bash
for f in connectors/*.json; do
  curl -d @$f http://c:8083/connectors
done
case $1 in
  a) x ;;
esac
"""
CONNECTOR = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: es
spec:
  class: io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
  config:
    topics: mails
"""
FILES = {
    "billing/pom.xml": "<project><artifactId>billing</artifactId></project>",
    "billing/Billing.java": JAVA,
    "ts/package.json": '{"name": "mailer"}',
    "ts/app.ts": TYPESCRIPT,
    "q.sql": FLINK,
    "connectors/s3.json": SINK,
    "deploy.sh": DEPLOY,
    "k8s/kustomization.yaml": "resources:\n- connector.yaml\n",
    "k8s/connector.yaml": CONNECTOR,
    "docker-compose.yml": "services:\n  billing:\n    build: ./billing\n  web:\n    image: web\n",
}


def edit(path: str, old: str, new: str) -> dict[str, str | None]:
    assert old in FILES[path]
    return {path: FILES[path].replace(old, new)}


CHANGES = {
    "a factor behind an asterisk": edit("billing/Billing.java", "* 1.2", "* 12"),
    "code behind a comment": edit("billing/Billing.java", "double total", "/* x */ order.amount = 0; double total"),
    "a record of another package": edit("billing/Billing.java", "shop.v1", "shop.v2"),
    "another serializer": edit("ts/app.ts", "./avro", "./json"),
    "a hint": edit("q.sql", "FROM orders", "FROM orders /*+ OPTIONS('scan.startup.mode'='latest-offset') */"),
    "an IN list": edit("q.sql", "'c')", "'c','d')"),
    "a watermark": edit("q.sql", "TIMESTAMP(3))", "TIMESTAMP(3), WATERMARK FOR ts AS ts)"),
    "blanks in a string": edit("q.sql", "a  b", "a b"),
    "a case of a script": edit("deploy.sh", "a) x ;;", "a) x ;;\n  *) curl -X DELETE http://c:8083/connectors/s3 ;;"),
    "a connector that is switched off": {"connectors/s3.json": None, "connectors/s3.json.disabled": SINK},
    "a connector that the script no longer finds": {"connectors/s3.json": None, "old/s3.json": SINK},
    "a resource that kustomization drops": {"k8s/kustomization.yaml": "resources: []\n"},
    "statements in another kind of file": {"q.sql": None, "q.txt": FLINK},
    "a service that is removed": edit("docker-compose.yml", "  billing:\n    build: ./billing\n", ""),
    "a service that sleeps": edit("docker-compose.yml", "./billing", "./billing\n    command: sleep infinity"),
    "the form of batches": edit("connectors/s3.json", '"topics"', '"batch.json.as.array": "true", "topics"'),
    "no tasks": edit("connectors/s3.json", '"topics"', '"tasks.max": "0", "topics"'),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_breaks_something_is_not_fine(check, name):
    assert check(CHANGES[name], FILES).verdict is not Verdict.FINE


@pytest.mark.parametrize(
    ("name", "rule", "target"),
    [
        ("a resource that kustomization drops", JOB_STOPPED, ""),
        ("a connector that the script no longer finds", JOB_STOPPED, "job s3"),
        ("the form of batches", NOT_JUDGED, "job s3"),
        ("no tasks", NOT_JUDGED, "job s3"),
        ("a service that sleeps", JOB_STOPPED, "job billing"),
    ],
)
def test_what_breaks_is_reported_by_its_rule(check, name, rule, target):
    """Another rule would have another page, and other steps for who reads it."""
    findings = [finding for finding in check(CHANGES[name], FILES).findings if finding.counts]

    assert rule in map(row_of, findings)
    assert any(target in (finding.target, "") for finding in findings if row_of(finding) is rule) or not target

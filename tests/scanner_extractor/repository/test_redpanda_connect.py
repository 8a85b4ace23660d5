"""Pipelines of Redpanda Connect: the topics that they read and write."""

from __future__ import annotations

import pytest

from scanner_model.declarations import UnreadFile
from scanner_model.manual import DeclaredFlow

CONFIG = """\
input:
  broker:
    inputs:
      - kafka_franz:
          seed_brokers: [k:9092]
          topics: [orders, "payments:0"]
          consumer_group: enricher
      - label: other
        kafka:
          topics: ["${REFUNDS:refunds}"]
pipeline:
  processors:
    - mapping: root = this
output:
  switch:
    cases:
      - check: this.total > 100
        output:
          kafka_franz: {topic: big-orders}
      - output:
          fallback:
            - redpanda_common: {topic: small-orders}
            - aws_s3: {bucket: lost}
"""


def uses(reading):
    return {
        (flow.job, flow.origin.name or "->", flow.target.name or "->", flow.evidence)
        for flow in reading.of(DeclaredFlow)
    }


def test_inputs_and_outputs_are_found_wherever_they_are_nested(read_repository):
    assert uses(read_repository({"enrich/connect.yaml": CONFIG})) == {
        ("enrich", "orders", "->", "enrich/connect.yaml:6"),
        ("enrich", "payments", "->", "enrich/connect.yaml:6"),
        ("enrich", "refunds", "->", "enrich/connect.yaml:10"),
        ("enrich", "->", "big-orders", "enrich/connect.yaml:19"),
        ("enrich", "->", "small-orders", "enrich/connect.yaml:22"),
    }


def test_a_pipeline_is_named_after_its_file(read_repository):
    reading = read_repository({"streams/orders_to_s3.yaml": CONFIG})

    assert {flow.job for flow in reading.of(DeclaredFlow)} == {"orders_to_s3"}


def test_what_a_pipeline_reads_reaches_what_it_writes(read_repository):
    assert not any(flow.separate for flow in read_repository({"a.yaml": CONFIG}).of(DeclaredFlow))


def test_resources_are_ends_of_the_pipeline(read_repository):
    text = "input: {resource: a}\ninput_resources:\n  - label: a\n    kafka: {topics: [orders]}\noutput: {drop: {}}\n"

    assert [flow.origin.name for flow in read_repository({"a.yaml": text}).of(DeclaredFlow)] == ["orders"]


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ('output:\n  kafka:\n    topic: ${! meta("topic") }\n', "each message decides"),
        ("output:\n  kafka:\n    topic: ${TOPIC}\n", "${TOPIC}"),
        ("input:\n  kafka_franz:\n    topics: [a.*]\n    regexp_topics: true\n", "pattern a.*"),
        ("input:\n  redpanda:\n    seed_brokers: [k]\n", "is not set"),
    ],
)
def test_a_topic_that_is_not_in_the_file_is_an_unresolved_use(read_repository, end, reason):
    reading = read_repository({"a.yaml": end})

    (unread,) = reading.of(UnreadFile)
    assert unread.kind == "unresolved use of Kafka"
    assert reason in unread.reason
    assert not reading.of(DeclaredFlow)


def test_a_template_is_unread(read_repository):
    text = "input:\n  kafka:\n    topics: [{{ .Values.topic | quote }}]\n"

    assert [file.name for file in read_repository({"templates/a.yaml": text}).of(UnreadFile)] == ["templates/a.yaml"]

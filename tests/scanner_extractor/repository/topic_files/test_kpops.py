"""Pipelines of KPOps: components read the topics of the one before them."""

from __future__ import annotations

from scanner_model.kafka import Connector, Topic
from scanner_model.manual import DeclaredFlow

CONFIG = """\
kafka_brokers: "http://kafka:9092"
topic_name_config:
  default_output_topic_name: "${pipeline.name}-${component.name}-topic"
"""
DEFAULTS = """\
producer-app:
  to:
    topics:
      ${output_topic_name}: {partitions_count: 3}
streams-app:
  to:
    topics:
      ${error_topic_name}: {type: error}
      ${output_topic_name}: {partitions_count: 6}
"""
PIPELINE = """\
- type: producer-app
  name: sentences
- type: streams-app
  name: count
- type: streams-app
  name: join
  from:
    components:
      sentences: {type: input}
    topics:
      other.topic: {label: side}
  to:
    topics:
      joined: {type: output}
- type: kafka-sink-connector
  name: redis
  config:
    connector.class: com.github.jcustenborder.kafka.connect.redis.RedisSinkConnector
"""
FILES = {"config.yaml": CONFIG, "words/defaults.yaml": DEFAULTS, "words/pipeline.yaml": PIPELINE}


def test_a_component_reads_the_topics_of_the_one_before(read_repository):
    declared = read_repository(FILES)

    uses = {(flow.job, flow.origin.name, flow.target.name) for flow in declared.of(DeclaredFlow)}
    assert uses >= {
        ("words-sentences", "", "words-sentences-topic"),
        ("words-count", "words-sentences-topic", ""),
        ("words-count", "", "words-count-topic"),
        ("words-count", "", "words-count-error"),
    }
    assert {topic.name: topic.partitions for topic in declared.of(Topic)}["words-count-topic"] == 6


def test_from_names_components_and_topics(read_repository):
    declared = read_repository(FILES)

    read = {flow.origin.name for flow in declared.of(DeclaredFlow) if flow.job == "words-join"} - {""}
    assert read == {"words-sentences-topic", "other.topic"}


def test_a_connector_reads_what_the_component_before_it_writes(read_repository):
    (connector,) = read_repository(FILES).of(Connector)

    assert connector.name == "words-redis"
    assert dict(connector.config)["topics"] == "words-join-topic,joined"


def test_evidence_is_the_line_of_the_component(read_repository):
    declared = read_repository(FILES)

    flows = declared.of(DeclaredFlow)
    assert {flow.evidence for flow in flows if flow.job == "words-count"} == {"words/pipeline.yaml:3"}


def test_a_variable_without_a_value_is_a_problem(read_repository):
    pipeline = PIPELINE.replace("joined:", "${TEAM}-joined:")
    reading = read_repository({**FILES, "words/pipeline.yaml": pipeline})

    assert any("${TEAM}-joined" in problem.what for problem in reading.problems)

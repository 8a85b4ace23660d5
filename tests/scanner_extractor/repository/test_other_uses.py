"""What uses Kafka in a form that is not read is named."""

from __future__ import annotations

import pytest

from scanner_model.declarations import UnreadFile
from scanner_model.manual import DeclaredFlow

FILES = {
    "a.rb": "require 'kafka'\n",
    "a.php": "<?php\nuse RdKafka\\Producer;\n",
    "a.ex": "KafkaEx.produce('orders', 0, 'x')\n",
    "a.cpp": "#include <librdkafka/rdkafkacpp.h>\n",
    "a.clj": "(require '[jackdaw.client :as jc])\n",
    "a.fs": "open Confluent.Kafka\n",
    "a.groovy": "import org.apache.kafka.clients.producer.*\n",
    "a.R": "library(rkafka)\n",
    "b.rb": "  Karafka.producer.produce_sync(topic: 'orders', payload: '')\n",
    "a.pl": "use Net::Kafka::Producer;\n",
    "fluent.conf": "<match **>\n  @type kafka2\n</match>",
    "context.xml": '<beans><int-kafka:outbound-channel-adapter topic="orders"/></beans>',
}


@pytest.mark.parametrize("path", FILES)
def test_a_form_that_is_not_read_is_named_with_its_file(read_repository, path):
    (unread,) = read_repository({path: FILES[path], f"tests/{path}": FILES[path]}).of(UnreadFile)
    assert (unread.name, unread.kind) == (path, "other use of Kafka")
    assert "not read" in unread.reason


def test_configuration_of_another_product_has_no_settings_of_a_program(read_repository):
    """A pipeline of Logstash is no HOCON, which ends in `.conf`, too."""
    text = 'input {\n  kafka {\n    bootstrap_servers => "k:9092"\n    topics => ["orders"]\n  }\n}\n'
    reading = read_repository({"pipeline/orders.conf": text})

    assert [(flow.job, flow.origin.name) for flow in reading.of(DeclaredFlow)] == [("logstash:orders", "orders")]
    assert reading.of(UnreadFile) == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("application.conf", 'app {\n  kafka {\n    group = "g"\n  }\n}\n'),
        ("a.conf", "kafka.bootstrap.servers = k:9092\n"),
        ("compose.yaml", "services:\n  kafka:\n    image: apache/kafka\n"),
        ("values.yaml", "exporters:\n  prometheus:\n    type: a\n" + "\n" * 100_000),
        ("a.rb", "# what Kafka would say\nputs 1\n"),
        ("pom.xml", "<dependency><artifactId>kafka-clients</artifactId></dependency>"),
    ],
)
def test_what_only_names_kafka_is_no_use(read_repository, path, text):
    assert not [each for each in read_repository({path: text}).of(UnreadFile) if each.kind == "other use of Kafka"]

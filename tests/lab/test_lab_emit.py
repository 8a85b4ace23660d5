"""What is reported of the lab's installation: every event valid by the specification, delivered by a real broker."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

pytestmark = pytest.mark.lab

TOPIC = "told-lineage"


@pytest.fixture(scope="module")
def emitted(lab, dictionary) -> dict[str, list[Any]]:
    """Return the installation in each way, with what Spark and Flink tell in it where they are up."""
    foreign = [lab.told[name] for name in ("events", "flink_events") if name in lab.told]
    if foreign:
        lab.scanner("openlineage", "import", *foreign, "--dictionary", dictionary)
    lab.scanner("dataflow", "--dictionary", dictionary)
    return {variant: lines(lab, variant, dictionary) for variant in ("design", "run", "both")}


def lines(lab, variant: str, dictionary: str) -> list[Any]:
    scanner = lab.scanner("openlineage", "emit", "--as", variant, "--dry-run", "--dictionary", dictionary)
    return [json.loads(line) for line in scanner.splitlines()]


@pytest.mark.parametrize("variant", ["design", "run", "both"])
def test_facets_are_what_openlineage_python_writes(variant, emitted, judge) -> None:
    """Of an installation that nobody made for it."""
    assert len(emitted[variant]) > 10
    assert [problem for event in emitted[variant] for problem in judge.library_problems(event)] == []


@pytest.mark.parametrize("variant", ["design", "run", "both"])
def test_every_event_is_valid_by_the_specification(variant, emitted, judge) -> None:
    """`-s` prints what was judged."""
    folder = judge.schemas()
    if folder is None:
        pytest.skip("needs the JSON Schemas of OpenLineage: SCANNER_OPENLINEAGE_SPEC=FOLDER")
    specification = judge.Specification(folder)
    problems = [problem for event in emitted[variant] for problem in specification.problems(event)]
    kinds = Counter(event["schemaURL"].rpartition("/")[2] for event in emitted[variant])
    sys.stdout.write(f"\n--as {variant}: {dict(sorted(kinds.items()))}, {dict(sorted(specification.facets.items()))}\n")

    assert problems == []


@pytest.fixture
def broker(lab) -> Iterator[dict[str, str]]:
    """Return librdkafka's properties of the lab's brokers, with a topic for events, which is deleted afterwards."""
    document = json.loads(Path(__file__).with_name("cluster.json").read_text("utf-8"))
    filled = {name: _filled(value, lab.told["environment"]) for name, value in document["kafka"].items()}
    config = filled | {"bootstrap.servers": ",".join(document["brokers"])}
    admin = AdminClient(config)
    admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(30)
    yield config
    admin.delete_topics([TOPIC])[TOPIC].result(30)


def _filled(text: str, environment: dict[str, str]) -> str:
    return environment[text[2:-1]] if text.startswith("${") else text


@pytest.mark.parametrize("flush", [True, False])
def test_broker_keeps_every_event_that_was_delivered(flush, lab, broker, dictionary, emitted) -> None:
    """Over SASL_SSL, configured in cluster.json, with the secrets from the environment."""
    document = json.loads(Path(__file__).with_name("cluster.json").read_text("utf-8"))
    config = document["kafka"] | {"bootstrap.servers": ",".join(document["brokers"])}
    transport = {"type": "kafka", "topic": TOPIC, "config": config, "flush": flush}
    file = lab.config(openlineage={"transport": transport})
    answer = lab.scanner("openlineage", "emit", "--config", str(file), "--format", "json", "--dictionary", dictionary)
    output = json.loads(answer)

    assert (output["delivered"], output["not_sent"]) == (output["events"], 0)
    assert [_plain(json.loads(text)) for text in _read(broker, output["events"])] == list(
        map(_plain, emitted["design"])
    )


def _read(config: dict[str, str], count: int) -> list[bytes]:
    consumer = Consumer(config | {"group.id": "told-lineage-reader", "enable.auto.commit": False})
    consumer.assign([TopicPartition(TOPIC, 0, 0)])
    messages = [message for message in consumer.consume(count, timeout=30) if not message.error()]
    consumer.close()
    return [message.value() for message in messages]


def _plain(event: Any) -> Any:
    """Return an event without what the library drops: members that are null or empty."""
    if isinstance(event, dict):
        return {name: _plain(item) for name, item in event.items() if item not in (None, {}, [])}
    return [_plain(item) for item in event] if isinstance(event, list) else event

"""Captures of the Kafka protocol: what the brokers said, kept and given again."""

from pathlib import Path

import pytest

from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import KafkaCluster, Reading, no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.documents import kafka_document, read_kafka_document
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_model.errors import InputInvalid, Problem, SourceUnreachable
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import TopicName
from scanner_model.scan import SourceResult, SourceStatus

SETTINGS = KafkaSettings(brokers=("k:9092",))
READING = Reading(
    outcome=SourceResult(
        source=SETTINGS.source,
        kind="kafka",
        status=SourceStatus.PARTIAL,
        received=1,
        requested=2,
        reason="x",
        unread=frozenset({"t"}),
    ),
    facts=(
        KafkaCluster(cluster_id="id", addresses=("k:9092",), unnamed=2, unconfigured=frozenset({TopicName("o")})),
        Topic(source=SETTINGS.source, name=TopicName("o"), partitions=3, config=(("a", "b"),)),
        ConsumerGroup(source=SETTINGS.source, name="g", state="STABLE", topics=(TopicName("o"),)),
    ),
    problems=(Problem("w", "x", "h"),),
)


def test_what_the_brokers_reported_is_replayed_as_it_was(tmp_path: Path) -> None:
    """A replayed scan must give the same dictionary."""
    Connections(recorder=Recorder(tmp_path / "c"), brokers=lambda _settings, _progress: READING).kafka(
        SETTINGS, no_progress
    )

    assert Connections(replay=Replay(tmp_path / "c")).kafka(SETTINGS, no_progress) == READING


def test_a_capture_of_an_earlier_version_is_read() -> None:
    """It does not say whose settings were refused, nor that brokers were down."""
    document = kafka_document(READING)
    del document["unconfigured"], document["unnamed"]

    cluster = KafkaCluster(cluster_id="id", addresses=("k:9092",))
    assert read_kafka_document(document, SETTINGS.source) == READING.with_facts({KafkaCluster: (cluster,)})


def test_without_a_capture_the_brokers_are_queried() -> None:
    """Nothing is kept that nobody wanted."""
    assert Connections(brokers=lambda _settings, _progress: READING).kafka(SETTINGS, no_progress) is READING


def test_brokers_that_a_capture_lacks_are_unreachable(tmp_path: Path) -> None:
    """A capture without them says so; it does not say that there are no topics."""
    Recorder(tmp_path / "c")

    with pytest.raises(SourceUnreachable):
        Connections(replay=Replay(tmp_path / "c")).kafka(SETTINGS, no_progress)


@pytest.mark.parametrize("damage", [None, [], {}, {"outcome": {}}, kafka_document(READING) | {"topics": [1]}])
def test_a_damaged_document_is_invalid_input(damage: object) -> None:
    """A capture may be edited by hand."""
    with pytest.raises(InputInvalid):
        read_kafka_document(damage, SETTINGS.source)

"""What a scan concludes where the same cluster is queried in two ways, and where its settings were found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from scanner_extractor.results import KafkaCluster, Reading, SourceReadings
from scanner_extractor.scan.merge import merge_results, of_own_connectors
from scanner_extractor.settings.cluster import Settings
from scanner_model.catalogs import Annotation, Metric, MirrorTopic
from scanner_model.kafka import Connector, ConnectorKind, ConsumerGroup, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import ClusterScan, PreviousState, SourceResult, SourceStatus

PROTOCOL, REST, METRICS = SourceId("kafka:k:1"), SourceId("kafka_rest:http://k"), SourceId("metrics:offsets:k:1")
SETTINGS = Settings(cluster=ClusterName("c"), brokers=(), file=Path("c.json"))


def outcome(source: SourceId, kind: str = "kafka") -> SourceResult:
    return SourceResult(source=source, kind=kind, status=SourceStatus.READ)


def topic(source: SourceId, name: str, **members: Any) -> Topic:
    return Topic(source=source, name=TopicName(name), **members)


def group(source: SourceId, name: str, *topics: str) -> ConsumerGroup:
    return ConsumerGroup(source=source, name=name, topics=tuple(map(TopicName, topics)))


def concluded(*readings: Any, settings: Settings = SETTINGS, remembered: PreviousState | None = None) -> ClusterScan:
    requests = SourceReadings(
        outcomes=tuple(reading.outcome for reading in readings), readings=readings, settings=settings
    )
    return merge_results(SETTINGS, requests, remembered=remembered or PreviousState())


def test_rest_adds_what_the_protocol_could_not() -> None:
    """Each topic and group once, the protocol's; what only REST reports stands beside it."""
    protocol = Reading(
        outcome=outcome(PROTOCOL),
        facts=(
            KafkaCluster(unconfigured=frozenset({TopicName("a")})),
            topic(PROTOCOL, "a", partitions=3),
            group(PROTOCOL, "g", "a"),
        ),
    )
    mirror = MirrorTopic(source=REST, topic=TopicName("b"), link="l", origin_topic=TopicName("x"))
    rest = Reading(
        outcome=outcome(REST),
        facts=(
            KafkaCluster(),
            topic(REST, "a", partitions=3, config=(("retention.ms", "1"),)),
            topic(REST, "b"),
            group(REST, "g", "b"),
            group(REST, "h"),
            mirror,
        ),
    )

    scan = concluded(protocol, rest)
    assert [(topic.name, topic.source, topic.config) for topic in scan.of(Topic)] == [
        ("a", PROTOCOL, (("retention.ms", "1"),)),
        ("b", REST, ()),
    ]
    assert [
        (consumer_group.name, consumer_group.source, consumer_group.topics) for consumer_group in scan.of(ConsumerGroup)
    ] == [
        ("g", PROTOCOL, ("a", "b")),
        ("h", REST, ()),
    ]
    assert scan.of(MirrorTopic) == (mirror,)


def test_fresh_settings_come_before_remembered_ones() -> None:
    """REST told them in this very scan."""
    protocol = Reading(
        outcome=outcome(PROTOCOL), facts=(KafkaCluster(unconfigured=frozenset({TopicName("a")})), topic(PROTOCOL, "a"))
    )
    rest = Reading(outcome=outcome(REST), facts=(KafkaCluster(), topic(REST, "a", config=(("k", "new"),))))
    earlier = PreviousState(topics=(topic(PROTOCOL, "a", config=(("k", "old"),)),))

    assert concluded(protocol, rest, remembered=earlier).of(Topic)[0].config == (("k", "new"),)
    assert concluded(protocol, remembered=earlier).of(Topic)[0].config == (("k", "old"),)


def test_settings_that_were_found_name_the_cluster() -> None:
    """Its brokers, its id and every other name."""
    settings = replace(SETTINGS, brokers=("k:1",), identity="lkc-1", aliases=(("crn", "crn://x"),))

    cluster = concluded(settings=settings).cluster
    assert (cluster.brokers, cluster.cluster_id, cluster.aliases) == (("k:1",), "lkc-1", (("crn", "crn://x"),))


def test_growth_since_the_last_scan_is_a_rate() -> None:
    """Beside the level itself, and of the same source."""
    now = Metric(source=METRICS, name="log_end_offset", topic="a", amount=70, ended="2026-01-01T00:00:10+00:00")
    reading = Reading(outcome=outcome(METRICS, "metrics"), facts=(now,))
    before = replace(now, amount=20, ended="2026-01-01T00:00:00+00:00")

    scan = concluded(reading, remembered=PreviousState(metrics=(before,)))
    assert [(metric.name, metric.amount) for metric in scan.of(Metric)] == [
        ("log_end_offset", 70),
        ("records_in_per_second", 5.0),
    ]


def note(name: str, connector: str = "sink") -> Annotation:
    return Annotation(source=REST, kind="cn_connector", name=name, connector=connector)


def managed(name: str, identity: str) -> Connector:
    return Connector(
        source=REST, name=name, kind=ConnectorKind.SINK, connector_class="S3_SINK", config=(), managed_id=identity
    )


def test_tag_of_a_connector_lands_on_the_one_with_its_id() -> None:
    """Another cluster may have a connector of the same name."""
    own = [managed("sink", "lcc-1"), managed("other", "lcc-2")]

    own_connectors = of_own_connectors([note("lcc-1:sink"), note("lcc-9:sink"), note("lcc-2:renamed", "renamed")], own)
    assert [annotation.connector for annotation in own_connectors] == ["sink", None, "other"]


def test_without_managed_connectors_the_catalogs_name_stays() -> None:
    """Connect may not have been asked; nothing proves the name wrong."""
    annotations = [note("lcc-1:sink"), note("sink")]

    assert list(of_own_connectors(annotations, [])) == annotations
    assert list(of_own_connectors(annotations[1:], [managed("x", "lcc-1")])) == annotations[1:]

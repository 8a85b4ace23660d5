"""Faults of brokers over the Kafka protocol, wherever they strike: others' facts and the last scan's stay."""

from __future__ import annotations

import shutil
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclOperation,
    BrokerMetadata,
    ClusterMetadata,
    ConsumerGroupListing,
    ListConsumerGroupsResult,
    ListOffsetsResultInfo,
    PartitionMetadata,
    TopicMetadata,
)

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.history import previous_state
from scanner_dictionary.write.scan import ScanSummary, write_scan
from scanner_extractor.results import Progress, Reading
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import read_sources
from scanner_extractor.settings.cluster import KafkaSettings, OffsetSettings, Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.kafka.admin import read_kafka, read_offsets
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_model.catalogs import Metric
from scanner_model.kafka import StreamsTopology
from scanner_model.names import ClusterName
from scanner_model.scan import ClusterScan, SourceStatus

pytestmark = pytest.mark.slow

NAME, NOW = ClusterName("shop"), datetime(2026, 5, 2, tzinfo=UTC)
TOPOLOGY = "Topologies:\n   Sub-topology: 0\n    Source: S-0 (topics: [orders])\n      --> none\n"
FAULTS = (
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.THROTTLING_QUOTA_EXCEEDED,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.UNSUPPORTED_VERSION,
    KafkaError._TRANSPORT,
    KafkaError._TIMED_OUT,
    KafkaError._BAD_MSG,
)
STAGES = (
    "list_topics",
    "describe_cluster",
    "describe_topics",
    "describe_configs",
    "list_consumer_groups",
    "list_groups",
    "list_consumer_group_offsets",
    "describe_consumer_groups",
    "list_offsets",
)
CASES = [
    pytest.param(
        stage, code, id=f"{stage}-{KafkaError(code).name()}", marks=[] if (at + of) % 4 == 0 else pytest.mark.slow
    )
    for at, stage in enumerate(STAGES)
    for of, code in enumerate(FAULTS)
]
"""Every fault at every stage; a quarter of them, each fault and each stage among it, in `make test`."""


class Told:
    """A description, as far as it is read."""

    def __init__(self) -> None:
        self.is_internal, self.members, self.authorized_operations = False, [], [AclOperation.DESCRIBE]


class Brokers:
    """An `AdminClient` with two topics and a group, one of whose methods fails."""

    def __init__(self, stage: str = "", code: int = 0) -> None:
        self._stage, self._error = stage, KafkaException(KafkaError(code, "it\nfailed"))

    def __call__(self, properties: dict[str, Any], logger: object) -> Brokers:
        return self

    def _settled(self, stage: str, value: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(self._error) if stage == self._stage else future.set_result(value)
        return future

    def list_topics(self, timeout: float) -> ClusterMetadata:
        if self._stage == "list_topics":
            raise self._error
        metadata, broker = ClusterMetadata(), BrokerMetadata()
        broker.host, broker.port = "k", 9092
        metadata.cluster_id, metadata.brokers, metadata.topics = "abc", {1: broker}, {}
        for name in ("orders", "refunds"):
            topic = TopicMetadata()
            topic.topic, topic.error, topic.partitions = name, None, {0: PartitionMetadata()}
            metadata.topics[name] = topic
        return metadata

    def poll(self, timeout: float) -> None:
        """Serve nothing."""

    def describe_cluster(self, **_: Any) -> Future[Any]:
        return self._settled("describe_cluster", Told())

    def describe_topics(self, topics: Any, **_: Any) -> dict[str, Future[Any]]:
        return {name: self._settled("describe_topics", Told()) for name in topics.topic_names}

    def describe_configs(self, resources: list[Any], **_: Any) -> dict[Any, Future[Any]]:
        return {resource: self._settled("describe_configs", {}) for resource in resources}

    def list_consumer_groups(self, **_: Any) -> Future[Any]:
        listed = ListConsumerGroupsResult(valid=[ConsumerGroupListing("billing", False)], errors=[])
        return self._settled("list_consumer_groups", listed)

    def list_groups(self, **_: Any) -> list[Any]:
        if self._stage == "list_groups":
            raise self._error
        return []

    def list_consumer_group_offsets(self, requests: list[Any], **_: Any) -> dict[str, Future[Any]]:
        committed = ConsumerGroupTopicPartitions("billing", [TopicPartition("orders", 0, 7)])
        return {"billing": self._settled("list_consumer_group_offsets", committed)}

    def describe_consumer_groups(self, names: list[str], **_: Any) -> dict[str, Future[Any]]:
        return {name: self._settled("describe_consumer_groups", Told()) for name in names}

    def list_offsets(self, wanted: dict[TopicPartition, Any], **_: Any) -> dict[TopicPartition, Future[Any]]:
        return {
            topic_partition: self._settled("list_offsets", ListOffsetsResultInfo(7, 0, 0)) for topic_partition in wanted
        }


@pytest.fixture(scope="module")
def scanned(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Scan healthy brokers once; give a way to scan the others into the same dictionary."""
    directory: Path = tmp_path_factory.mktemp("kafka-faults")
    (directory / "app.txt").write_text(TOPOLOGY, encoding="utf-8")
    engine = open_dictionary(str(shutil.copy(empty, directory / "scanner.db")))
    files = FileSettings(pattern="*.txt", base=directory, files=(directory / "app.txt",))
    settings = Settings(
        cluster=NAME,
        brokers=("k:9092",),
        file=directory / "cluster.json",
        kafka=KafkaSettings(brokers=("k:9092",), timeout=0.05),
        others={"streams": (StreamsSettings(files=files),)},
        metrics=OffsetSettings(brokers=("k:9092",)),
    )

    def scan(brokers: Brokers) -> tuple[ClusterScan, ScanSummary]:
        def read(kafka: KafkaSettings, progress: Progress) -> Reading:
            return read_kafka(kafka, progress, KafkaClient(kafka, brokers))

        def ends(figures: OffsetSettings, progress: Progress, now: datetime) -> Reading:
            kafka = KafkaSettings(brokers=figures.brokers, timeout=0.05)
            return read_offsets(figures, progress, now=now, client=KafkaClient(kafka, brokers))

        sources = read_sources(settings, Connections(brokers=read, ends=ends, now=lambda: NOW))
        silent = [outcome.source for outcome in sources.outcomes if outcome.status != SourceStatus.READ]
        with engine.connect() as conn:
            known = previous_state(conn, NAME, silent)
        result = merge_results(settings, sources, remembered=known)
        return result, write_scan(engine, result, started=NOW, finished=NOW)

    first, _ = scan(Brokers())
    assert [(outcome.status, outcome.reason) for outcome in first.outcomes] == [(SourceStatus.READ, "")] * 3
    assert {metric.topic: metric.amount for metric in first.of(Metric)} == {"orders": 7.0, "refunds": 7.0}
    yield scan
    engine.dispose()


@pytest.mark.no_cover
@pytest.mark.parametrize(("stage", "code"), CASES)
def test_fault_of_the_brokers_costs_what_they_did_not_report_and_no_more(scanned: Any, stage: str, code: int) -> None:
    """What they told stays, what they told before is stale, and a line says what is wrong."""
    scan, summary = scanned(Brokers(stage, code))
    kafka, streams, figures = scan.outcomes

    assert summary.gone == 0
    assert (streams.status, [topology.name for topology in scan.of(StreamsTopology)]) == (SourceStatus.READ, ["app"])
    assert kafka.status is (SourceStatus.UNAVAILABLE if stage == "list_topics" else kafka.status)
    assert figures.status is (
        SourceStatus.UNAVAILABLE if stage in ("list_topics", "list_offsets") else SourceStatus.READ
    )
    for outcome in (kafka, figures):
        assert "reader failed" not in outcome.reason
        if outcome.status is not SourceStatus.READ:
            assert len(outcome.reason) > 10
            assert len(outcome.reason.splitlines()) == 1

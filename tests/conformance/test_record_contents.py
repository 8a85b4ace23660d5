"""Records are received for their schema ids: no byte of keys, values and headers is in anything that scanner writes."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from confluent_registry import Registry, Stored, serving
from record_brokers import Record, RecordBrokers

from scanner_api.dictionary import Dictionary
from scanner_api.questions.documents import document
from scanner_api.questions.topics import describe_topic
from scanner_cli.commands.query import query
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.history import previous_state
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.http.messages import Json
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import KafkaCluster, Progress, Reading
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import read_sources
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, RegistrySettings, Settings
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.schema_ids import load_schema_ids
from scanner_extractor.systems.kafka.settings import SchemaIdSettings
from scanner_model.errors import SourceUnreachable
from scanner_model.kafka import Topic
from scanner_model.names import ClusterName, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import SchemaIdUse, TopicSchema

PLANTED = b"PLANTED-7f3a"
NOW = datetime(2026, 5, 2, tzinfo=UTC)
NAME = ClusterName("shop")
KAFKA = KafkaSettings(brokers=("k:9092",), timeout=0.05)
HEADERS = ((PLANTED.decode(), PLANTED), ("__key_schema_id", PLANTED))
RECORDS = {
    "orders": [Record(data=b"\0\0\0\0\x05" + PLANTED, key_data=PLANTED, header_list=HEADERS)],
    "shop.secret": [Record(data=b"\0\0\0\0\x09")],
    "text": [Record(data=PLANTED, key_data=b"\0" + PLANTED, header_list=HEADERS)],
}
SCHEMA = '{"type":"record","name":"Order","namespace":"com.acme","fields":[{"name":"id","type":"string"}]}'


class Installation:
    """A registry with a subject that is named after its record, brokers with records, and a dictionary of scans."""

    def __init__(self, directory: Path, dictionary: Path, url: str) -> None:
        self.directory, self.file = directory, dictionary
        self.engine = open_dictionary(str(dictionary))
        self.settings = Settings(
            cluster=NAME,
            brokers=KAFKA.brokers,
            file=directory / "cluster.json",
            kafka=KAFKA,
            registries=(RegistrySettings(type="confluent", http=HttpSettings(url=url)),),
            others={"observe_schema_ids": (SchemaIdSettings(kafka=KAFKA, topics=("*",)),)},
        )

    def scan(self, **given: Any) -> ClusterScan:
        sources = read_sources(self.settings, Connections(brokers=_topics, now=lambda: NOW, **given))
        silent = [outcome.source for outcome in sources.outcomes if outcome.status != SourceStatus.READ]
        with self.engine.connect() as conn:
            remembered = previous_state(conn, NAME, silent)
        result = merge_results(self.settings, sources, remembered=remembered)
        write_scan(self.engine, result, started=NOW, finished=NOW)
        return result


def _topics(settings: KafkaSettings, _: Progress) -> Reading:
    topics = tuple(Topic(source=settings.source, name=TopicName(name)) for name in RECORDS)
    outcome = SourceResult(source=settings.source, kind="kafka", status=SourceStatus.READ, received=2)
    return Reading(outcome=outcome, facts=(KafkaCluster(cluster_id="abc", addresses=settings.brokers), *topics))


def load(settings: SchemaIdSettings, progress: Progress, now: datetime) -> Json:
    brokers = RecordBrokers({name: [records] for name, records in RECORDS.items()})
    return load_schema_ids(settings, progress, now, KafkaClient(KAFKA, brokers.admin), brokers.consumer)


def unreachable(settings: SchemaIdSettings, progress: Progress, now: datetime) -> Json:
    raise SourceUnreachable("no broker answers")


@pytest.fixture
def installation(tmp_path: Path, empty: Path) -> Iterator[Installation]:
    stored = Stored(subject="com.acme.Order", version=1, id=5, schema=SCHEMA)
    with serving(Registry(installation=(stored,))) as registry:
        yield Installation(tmp_path, Path(shutil.copy(empty, tmp_path / "scanner.db")), registry.url)


def bound(scan: ClusterScan) -> list[tuple[str, str, str]]:
    return [(link.topic, link.subject, link.confidence.value) for link in scan.of(TopicSchema)]


def test_no_byte_of_a_record_is_in_dictionary_capture_log_or_answer(
    installation: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever form a text takes: as it is, in hexadecimal, as the number of its first bytes."""
    caplog.set_level(logging.DEBUG)
    capture = installation.directory / "capture"
    scan = installation.scan(schema_ids=load, recorder=Recorder(capture, cluster=NAME, tool="scanner"))
    dictionary = Dictionary(str(installation.file))
    answers = [document(describe_topic(dictionary, topic=topic)) for topic in RECORDS]
    written = [file.read_bytes() for file in installation.directory.rglob("*") if file.is_file()]
    shown = (json.dumps(answers) + caplog.text + repr(scan)).encode()

    assert bound(scan) == [("orders", "com.acme.Order", "observed")]
    assert len(written) > 3
    for form in (PLANTED, PLANTED.hex().encode(), str(int.from_bytes(PLANTED[:4], "big")).encode()):
        assert not [text for text in (*written, shown) if form in text]


def test_capture_gives_the_same_links_without_brokers(installation: Installation) -> None:
    """It holds the ids."""
    capture = installation.directory / "capture"
    first = installation.scan(schema_ids=load, recorder=Recorder(capture, cluster=NAME, tool="scanner"))
    again = installation.scan(schema_ids=unreachable, replay=Replay(capture))

    assert again.of(TopicSchema) == first.of(TopicSchema)
    assert again.of(SchemaIdUse) == first.of(SchemaIdUse)


def test_subject_stays_bound_while_the_brokers_do_not_answer(installation: Installation) -> None:
    """The ids of the last scan hold, and are stale."""
    first, second = installation.scan(schema_ids=load), installation.scan(schema_ids=unreachable)
    dictionary = Dictionary(str(installation.file))
    about = describe_topic(dictionary, topic="orders")

    assert second.of(TopicSchema) == first.of(TopicSchema)
    assert second.of(SchemaIdUse) == ()
    assert [(row.identifier, row.stale) for row in about.schema_ids or () if row.identifier] == [("5", True)]
    assert about.schemas[0].in_use == (1,)


def test_topic_says_which_versions_its_records_use_and_where_they_have_no_id(installation: Installation) -> None:
    """A topic whose records were not looked at says nothing of them."""
    installation.scan(schema_ids=load)
    dictionary = Dictionary(str(installation.file))
    orders, text = (describe_topic(dictionary, topic=topic) for topic in ("orders", "text"))

    assert orders.schemas[0].in_use == (1,)
    assert [(row.role, row.answer, row.records) for row in text.schema_ids or ()] == [
        ("key", "none", 1),
        ("value", "none", 1),
    ]
    assert [[version[1:] for version in row.versions] for row in orders.schema_ids or () if row.versions] == [
        [(".", "com.acme.Order", 1)]
    ]


def test_without_the_member_nothing_is_looked_at(installation: Installation) -> None:
    """No record, and no answer about records."""
    installation.settings = replace(installation.settings, others={})
    scan = installation.scan(schema_ids=unreachable)
    dictionary = Dictionary(str(installation.file))
    about = describe_topic(dictionary, topic="orders")

    assert bound(scan) == []
    assert about.schema_ids is None
    assert [outcome.kind for outcome in scan.outcomes] == ["kafka", "schema_registry"]


def test_query_says_what_the_records_of_a_topic_without_a_schema_show(installation: Installation) -> None:
    """That they have no id is an observation: it does not say that there is no schema."""
    installation.scan(schema_ids=load)
    options = ["--broker", "k:9092", "--topic", "text", "--dictionary", str(installation.file)]
    result = CliRunner().invoke(query, options)

    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "note: no schema describes the topic 'text'",
        "note: its newest records: key: no schema id in 1 records",
        "note: its newest records: value: no schema id in 1 records",
    ]

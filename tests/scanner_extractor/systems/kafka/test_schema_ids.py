"""Schema ids of the newest records: which records are read, what is kept of them, and what is said of the rest."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from confluent_kafka import KafkaError
from confluent_kafka.admin import AclOperation
from hypothesis import given
from hypothesis import strategies as st
from record_brokers import Message, Record, RecordBrokers

from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.schema_ids import (
    described_plan,
    load_schema_ids,
    read_schema_ids,
    schema_id_of,
)
from scanner_extractor.systems.kafka.settings import SchemaIdSettings
from scanner_model.errors import InputInvalid
from scanner_model.scan import SourceStatus
from scanner_model.schemas import IdAnswer, SchemaIdUse

PLANTED = b"PLANTED-7f3a"
GUID = UUID("11111111-2222-3333-4444-555555555555")
NOW = datetime(2026, 5, 2, tzinfo=UTC)
KAFKA = KafkaSettings(
    brokers=("kafka-1:9092",),
    properties={"group.id": "mine", "enable.auto.commit": "true", "isolation.level": "read_uncommitted"},
)


def prefixed(number: int) -> bytes:
    return b"\0" + number.to_bytes(4, "big") + PLANTED


def settings(*topics: str, **members: Any) -> SchemaIdSettings:
    return SchemaIdSettings(kafka=KAFKA, topics=topics or ("*",), **members)


def load(brokers: RecordBrokers, wanted: SchemaIdSettings | None = None, clock: Any = None) -> Any:
    client = KafkaClient(KAFKA, brokers.admin)
    more = {"clock": clock} if clock else {}
    return load_schema_ids(wanted or settings(), no_progress, NOW, client, brokers.consumer, **more)


def read(brokers: RecordBrokers, wanted: SchemaIdSettings | None = None, clock: Any = None) -> Reading:
    return read_schema_ids(load(brokers, wanted, clock), wanted or settings())


def answers(result: Reading, topic: str) -> set[tuple[str, str, str, int]]:
    uses = result.of(SchemaIdUse)
    return {(use.role, use.answer.value, use.identifier, use.records) for use in uses if use.topic == topic}


@given(st.binary() | st.none(), st.binary() | st.none())
def test_any_bytes_give_an_id_or_none_and_no_error(data: bytes | None, header: bytes | None) -> None:
    """What a record holds is free; an id is a number or a GUID, and everything else is empty."""
    answer, identifier = schema_id_of(data, header)

    assert (answer in (IdAnswer.ID, IdAnswer.GUID)) == bool(identifier)
    assert answer is not IdAnswer.ID or 0 < int(identifier) <= 0x1FFFFFFF
    assert answer is not IdAnswer.NULL or data is None


@given(st.integers(1, 0x1FFFFFFF), st.binary())
def test_prefix_gives_the_id_whatever_follows(number: int, rest: bytes) -> None:
    """The data behind the id is never looked at."""
    assert schema_id_of(b"\0" + number.to_bytes(4, "big") + rest) == (IdAnswer.ID, str(number))


def test_header_comes_before_the_prefix() -> None:
    """A record with the header has no prefix: its first bytes are data."""
    assert schema_id_of(prefixed(7), b"\1" + GUID.bytes) == (IdAnswer.GUID, str(GUID))
    assert schema_id_of(PLANTED, b"\0\0\0\0\x09") == (IdAnswer.ID, "9")
    assert schema_id_of(None, b"\1" + GUID.bytes) == (IdAnswer.GUID, str(GUID))


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\0\0\0\1", b"\0\0\0\0\0", b"\1\0\0\0\1", PLANTED, "PLANTED".encode("utf-16-be"), b"{}"]
)
def test_data_without_an_id_gives_none_of_it(data: bytes) -> None:
    """A text in UTF-16 begins with a zero byte: four bytes of it must not be taken for a number."""
    assert schema_id_of(data) == (IdAnswer.NONE, "")


def test_ids_are_kept_with_their_newest_place() -> None:
    """Of several records with an id, the newest is named."""
    first = Record(data=prefixed(2), key_data=PLANTED, at=1_700_000_000_000)
    last = Record(data=prefixed(2), key_data=None, at=1_700_000_100_000)
    result = read(RecordBrokers({"orders": [[first, last]]}))
    (use,) = (use for use in result.of(SchemaIdUse) if use.answer is IdAnswer.ID)

    assert answers(result, "orders") == {("value", "id", "2", 2), ("key", "none", "", 1), ("key", "null", "", 1)}
    assert (use.partition, use.offset, use.time) == (0, 1, "2023-11-14T22:15:00+00:00")
    assert use.since == "partition 0 offset 1 at 2023-11-14T22:15:00+00:00"
    assert (result.outcome.status, result.outcome.received) == (SourceStatus.READ, 2)


def test_no_byte_of_a_record_is_in_the_document_a_log_or_a_message(caplog: pytest.LogCaptureFixture) -> None:
    """Keys, values and headers are planted; the capture, facts, problems and debug log are searched."""
    caplog.set_level(logging.DEBUG)
    header = (("__value_schema_id", PLANTED), ("trace", PLANTED), (PLANTED.decode(), None))
    records = [Record(data=data, key_data=PLANTED, header_list=header) for data in (prefixed(3), PLANTED, None)]
    broken = Message(("orders", 0, 2), None, KafkaError._BAD_MSG)
    brokers = RecordBrokers({"orders": [records], "other": [records]}, extra=[broken])
    document = load(brokers)
    result = read_schema_ids(document, settings())
    searched = json.dumps(document) + repr(result) + caplog.text

    assert brokers.given > 2
    assert "PLANTED" not in searched
    assert PLANTED.hex() not in searched
    assert str(int.from_bytes(PLANTED[:4], "big")) not in searched


def test_newest_records_are_read_and_no_more() -> None:
    """Two of five: the end minus two, and nothing after they came."""
    brokers = RecordBrokers({"orders": [[Record(data=prefixed(number)) for number in range(1, 6)]]})
    result = read(brokers, settings(records=2))

    assert brokers.assigned == [[("orders", 0, 3)]]
    assert brokers.given == 2
    assert {use.identifier for use in result.of(SchemaIdUse) if use.role == "value"} == {"4", "5"}
    assert brokers.closed


def test_consumer_joins_no_group_and_commits_nothing_whatever_the_properties_say() -> None:
    """`kafka` may hold properties of a consumer."""
    brokers = RecordBrokers({"orders": [[Record(data=prefixed(1))]]})
    load(brokers)

    assert brokers.properties["group.id"] == "scanner"
    assert brokers.properties["enable.auto.commit"] is False
    assert brokers.properties["enable.auto.offset.store"] is False
    assert brokers.properties["isolation.level"] == "read_committed"
    assert brokers.properties["allow.auto.create.topics"] is False


def test_markers_of_transactions_at_the_end_are_stepped_over() -> None:
    """They take offsets and are no records."""
    markers = [Record(marker=True)] * 15
    brokers = RecordBrokers({"orders": [[Record(data=prefixed(5)), *markers]]})

    assert ("value", "id", "5", 1) in answers(read(brokers, settings(records=2)), "orders")
    assert [places[0][2] for places in brokers.assigned] == [14, 0]


def test_empty_topic_tombstones_and_no_id_are_three_answers() -> None:
    """None of them says that the topic has no schema."""
    brokers = RecordBrokers(
        {"empty": [[], []], "tomb": [[Record(key_data=prefixed(1))]], "text": [[Record(data=PLANTED)]]}
    )
    result = read(brokers)

    assert answers(result, "empty") == {("", "empty", "", 0)}
    assert answers(result, "tomb") == {("value", "null", "", 1), ("key", "id", "1", 1)}
    assert answers(result, "text") == {("value", "none", "", 1), ("key", "null", "", 1)}
    assert [problem.what for problem in result.problems] == [
        "1 topics have no record to look at (empty)",
        "the newest 3 records of each partition of 1 topics have no value, they are tombstones (tomb)",
        "no schema id in the newest 3 records of each partition of 1 topics (text)",
    ]
    assert result.outcome.status is SourceStatus.READ


@pytest.mark.parametrize(
    "given",
    [{"rights": {"secret": (AclOperation.DESCRIBE,)}}, {"refuses": frozenset({"secret"})}],
    ids=["right", "fetch"],
)
def test_refused_topic_makes_the_source_partial(given: Any) -> None:
    """Brokers say so before, or, where they report no rights, when records are fetched."""
    records = [[Record(data=prefixed(1))]]
    result = read(RecordBrokers({"open": records, "secret": records}, **given))

    assert answers(result, "secret") == {("", "refused", "", 0)}
    assert ("value", "id", "1", 1) in answers(result, "open")
    assert result.outcome.status is SourceStatus.PARTIAL
    assert "may not READ it (secret)" in result.outcome.reason


def test_topic_that_is_half_read_when_the_time_is_over_is_said() -> None:
    """What was found of it stays."""
    records = [Record(data=prefixed(1))]
    ticks = count()
    slow = RecordBrokers({"a": [records], "slow": [records]}, silent=frozenset({"slow"}))
    result = read(slow, settings(seconds=5), lambda: float(next(ticks)))

    assert answers(result, "slow") == {("", "unread", "", 0)}
    assert ("value", "id", "1", 1) in answers(result, "a")
    assert "5 s were over (slow)" in result.outcome.reason


def test_partition_without_a_leader_makes_its_topic_half_read() -> None:
    """The other partitions are read."""
    brokers = RecordBrokers({"orders": [[Record(data=prefixed(1))]] * 2}, leaderless=frozenset({("orders", 0)}))
    result = read(brokers)

    assert answers(result, "orders") == {("", "unread", "", 0), ("value", "id", "1", 1), ("key", "null", "", 1)}
    assert "a partition has no leader" in result.outcome.reason


def test_internal_topics_and_those_that_begin_with_an_underscore_are_never_read() -> None:
    """Whatever the patterns say."""
    records = [[Record(data=prefixed(1))]]
    names = ("__consumer_offsets", "_schemas", "internal", "orders")
    brokers = RecordBrokers(dict.fromkeys(names, records), internal=frozenset({"internal"}))
    load(brokers, settings("*", "_schemas", "__consumer_offsets", "internal"))

    assert brokers.assigned == [[("orders", 0, 0)]]


def test_topics_and_partitions_are_bounded() -> None:
    """What is left out is said, and makes the source partial."""
    records = [[Record(data=prefixed(1))]] * 4
    brokers = RecordBrokers({"a": records, "b": records, "c": records})
    result = read(brokers, settings(most_topics=2, partitions=3))

    assert {(topic, partition) for topic, partition, _ in brokers.assigned[0]} == {
        (topic, partition) for topic in "ab" for partition in range(3)
    }
    assert "1 topics match and are beyond `max_topics`" in result.outcome.reason


def test_pattern_that_matches_nothing_is_said() -> None:
    """No consumer is opened then."""
    brokers = RecordBrokers({"orders": [[]]})
    result = read(brokers, settings("order"))

    assert "no topic that is visible matches" in result.problems[0].what
    assert not brokers.properties


@pytest.mark.parametrize(
    "topics", [{}, {"orders": [[Record(data=prefixed(1))]]}, {"_other": [[]]}], ids=["none", "some", "others"]
)
def test_topics_may_be_hidden_from_a_user_without_the_right_to_see_the_cluster(topics: Any) -> None:
    """Brokers hide without a word: an id that was seen earlier must not be taken for gone."""
    result = read(RecordBrokers(topics, may_describe=False))

    assert result.outcome.status is SourceStatus.PARTIAL
    assert "topics may be hidden" in result.outcome.reason


def test_check_says_what_is_read_and_reads_no_record() -> None:
    """With the numbers and the names."""
    records = [[Record(data=prefixed(1))]] * 2
    brokers = RecordBrokers({"a": records, "b": records, "no": records}, rights={"no": (AclOperation.DESCRIBE,)})

    assert described_plan(settings(), KafkaClient(KAFKA, brokers.admin)) == (
        "a scan reads 12 records at most: the newest 3 of each of 4 partitions of 2 topics (a, b), "
        "and keeps their schema ids only; 1 refuse READ (no)"
    )
    assert not brokers.assigned


@pytest.mark.parametrize(
    "document", [None, {}, {"topics": [{"topic": "a"}], "left_out": 0, "hidden": False}, {"topics": []}]
)
def test_damaged_capture_is_said(document: Any) -> None:
    """A capture is a file that people may edit."""
    with pytest.raises(InputInvalid, match="damaged document"):
        read_schema_ids(document, settings())

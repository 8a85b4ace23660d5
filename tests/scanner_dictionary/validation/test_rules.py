"""Validation: each rule finds what it is for, and nothing in a sample that is sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scanner_dictionary.validation import RULES, validate
from scanner_model.catalogs import Materialization
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask, ConsumerGroup
from scanner_model.names import SourceId, SubjectName, TopicName
from scanner_model.schemas import Confidence, Reference
from scanner_model.streaming_sql import StreamingStatement
from scanner_model.tag_decisions import Decision, TagDecision

CONNECT = SourceId("connect:main")
FLINK = SourceId("flink:cloud")
TABLEFLOW = SourceId("tableflow:x")


def connector(state: str = "RUNNING", *tasks: str, topics: tuple[TopicName, ...] | None = None) -> Connector:
    """Build a connector with a task in each of these states."""
    failed = {"FAILED": "java.lang.Refused: no\n\tat x"}
    listed = tuple(ConnectorTask(number=i, state=text, trace=failed.get(text, "")) for i, text in enumerate(tasks))
    return Connector(
        source=CONNECT,
        name="lake",
        kind=ConnectorKind.SINK,
        connector_class="S3",
        state=state,
        tasks=listed,
        topics=topics,
        trace=failed.get(state, ""),
    )


@pytest.fixture
def find(dictionary, store):
    """Store a scan and give what validation says then, as (rule, where, what)."""

    def reported(scan: Any) -> list[tuple[str, str, str]]:
        store(scan)
        with dictionary.connect() as conn:
            return [(item.rule, item.where, item.what) for item in validate(conn)]

    return reported


@pytest.fixture
def sound(sample):
    """Build the scan of a sound sample, with these facts beside it."""

    def built(**more: Any) -> Any:
        outcomes = [*sample.scan().outcomes, *map(sample.outcome, (CONNECT, FLINK, TABLEFLOW))]
        return sample.orders(outcomes=tuple(outcomes), **more)

    return built


def test_sound_sample_has_no_findings(find, sound) -> None:
    """A check that always complains is soon not read."""
    assert find(sound(connectors=(connector("RUNNING", "RUNNING", topics=(TopicName("orders"),)),))) == []


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            {"connectors": (connector("FAILED"),)},
            [("failed-connector", "connector lake", "it is FAILED: java.lang.Refused: no")],
        ),
        (
            {"connectors": (connector("RUNNING", "RUNNING", "FAILED"),)},
            [("failed-connector", "connector lake", "its task 1 is FAILED: java.lang.Refused: no")],
        ),
        (
            {"connectors": (connector("RUNNING"),)},
            [("connector-without-tasks", "connector lake", "it is RUNNING and has no task")],
        ),
        ({"connectors": (connector("PAUSED"),)}, []),
        (
            {"connectors": (connector("RUNNING", "RUNNING", topics=(TopicName("orders"), TopicName("lost"))),)},
            [
                (
                    "connector-on-missing-topic",
                    "connector lake",
                    "it used the topic 'lost', which does not exist",
                )
            ],
        ),
        (
            {"statements": (StreamingStatement(source=FLINK, name="s", statement="…", state="FAILED", detail="no"),)},
            [("failed-statement", "statement s", "it is FAILED: no")],
        ),
        (
            {"statements": (StreamingStatement(source=FLINK, name="s", statement="COPY a FROM b", kind="SCRIPT"),)},
            [
                (
                    "unread-statement",
                    "statement s:1",
                    "COPY a FROM is not read: unknown statement of Flink or ksqlDB",
                )
            ],
        ),
        (
            {
                "materializations": (
                    Materialization(
                        source=TABLEFLOW,
                        topic=TopicName("orders"),
                        table_format="DELTA",
                        catalog="tci-1",
                        catalog_kind="Unity",
                        namespace="n",
                        name="t",
                        state="FAILED",
                    ),
                )
            },
            [("failed-table", "topic orders", "its DELTA table is FAILED")],
        ),
    ],
)
def test_what_fails_or_does_nothing_is_found(find, sound, facts, expected) -> None:
    """Each with the first line of what the server says; a connector that was paused does nothing on purpose."""
    assert find(sound(**facts)) == expected


def test_collection_whose_topic_the_brokers_do_not_have_is_found(find, sound, sample) -> None:
    """The collection itself reports of the topic, so only the brokers' list can say that it is gone."""
    collections = (sample.collection("ORDERS"), sample.collection("LOST", topic=TopicName("lost")))
    topics = (sample.topic("orders", partitions=6), sample.topic("lost", source=sample.ksql))

    assert find(sound(ksql_sources=collections, topics=topics)) == [
        ("collection-on-missing-topic", "STREAM LOST", "its topic 'lost' is not among the topics of the brokers"),
        ("topic-without-schema", "topic lost", "no schema describes it"),
    ]


def test_no_topic_is_missing_if_no_source_lists_the_topics_of_the_brokers(find, sound, sample) -> None:
    """Whether it exists is unknown: only Connect was scanned, or only ksqlDB."""
    facts = {
        "connectors": (connector("RUNNING", "RUNNING", topics=(TopicName("lost"),)),),
        "ksql_sources": (sample.collection("LOST", topic=TopicName("lost")),),
        "topics": (sample.topic("orders", partitions=None),),
        "consumer_groups": (ConsumerGroup(source=sample.kafka, name="billing", topics=(TopicName("lost"),)),),
    }

    assert [rule for rule, *_ in find(sound(**facts)) if "missing-topic" in rule] == []


def test_topic_without_schema_is_found_unless_it_is_internal(find, sound, sample) -> None:
    """Nobody registers schemas for the topics that Kafka keeps for itself."""
    topics = (sample.topic("orders"), sample.topic("plain"), sample.topic("__offsets", internal=True))

    assert find(sound(topics=topics)) == [("topic-without-schema", "topic plain", "no schema describes it")]


def test_subject_without_topic_is_found_unless_another_refers_to_it(find, sound, sample) -> None:
    """A shared type is a subject of its own, and describes no topic."""
    reference = Reference(name="T", subject=SubjectName("types"), version=1)
    versions = (
        *sample.orders().versions[:2],
        replace(sample.orders().versions[2], references=(reference,)),
        sample.version("types"),
        sample.version("lost"),
        sample.version("gone", deleted=True),
    )

    assert find(sound(versions=versions)) == [
        ("subject-without-topic", "subject 'lost'", "no known topic is described by it, and no schema refers to it")
    ]


@pytest.mark.parametrize(
    ("subject", "version", "missing"), [("orders-key", 1, False), ("orders-key", -1, False), ("types", 1, True)]
)
def test_reference_to_what_the_registry_does_not_have_is_found(find, sound, sample, subject, version, missing) -> None:
    """The columns behind it are unknown; -1 is the newest version."""
    reference = Reference(name="T", subject=SubjectName(subject), version=version)
    versions = (*sample.orders().versions[:2], replace(sample.orders().versions[2], references=(reference,)))
    what = "'T' refers to types version 1, which the registry does not have"
    expected = [("dangling-reference", "subject 'orders-value' version 2", what)] if missing else []

    assert find(sound(versions=versions)) == expected


def test_reference_of_a_deleted_version_is_not_missed(find, sound, sample) -> None:
    """A registry lets go of what only deleted versions refer to."""
    reference = Reference(name="T", subject=SubjectName("types"), version=1)
    key, old, new = sample.orders().versions

    assert find(sound(versions=(key, replace(old, references=(reference,), deleted=True), new))) == []


def test_ambiguous_side_is_found_once(find, sound, sample) -> None:
    """Two schemas that may both be the value are one question to answer."""
    key, old, new = sample.orders().versions
    links = [sample.link("orders", item, confidence=Confidence.AMBIGUOUS) for item in (old, new)]

    assert find(sound(topic_schemas=(sample.link("orders", key), *links))) == [
        ("ambiguous-schema", "topic orders", "2 schemas may be its value, and nothing decides which")
    ]


def test_group_that_reads_a_missing_topic_is_found(find, sound, sample) -> None:
    """Its offsets outlive the topic."""
    group = ConsumerGroup(source=sample.kafka, name="billing", topics=(TopicName("lost"), TopicName("orders")))

    assert find(sound(consumer_groups=(group,))) == [
        ("group-on-missing-topic", "consumer group billing", "it reads the topic 'lost', which is not there")
    ]


def test_source_that_could_not_be_read_is_found(find, sound, sample) -> None:
    """Whoever asks the dictionary must know how old its answers are."""
    down = sample.unavailable(sound(), sample.ksql)

    assert find(down) == [(("stale-source"), sample.ksql, "its facts are stale since scan 1: connection refused")]


def test_findings_are_kept_until_the_next_scan_of_the_cluster(store, sound, contents) -> None:
    """SQL users read them from the table; those of the scan before are over."""
    summary = store(sound(connectors=(connector("FAILED"),)))
    first = contents("finding")["finding"]
    store(sound(connectors=(connector("RUNNING", "RUNNING"),)))

    assert [finding.rule for finding in summary.findings] == ["failed-connector"]
    assert [(row[2], row[3], row[5]) for row in first] == [(1, "failed-connector", "connector lake")]
    assert contents("finding")["finding"] == []


def test_rules_and_clusters_are_chosen(dictionary, store, sound) -> None:
    """One question may be all that somebody wants to know."""
    store(sound(connectors=(connector("FAILED"),)))
    with dictionary.connect() as conn:
        assert list(validate(conn, rules={"stale-source"})) == []
        assert list(validate(conn, cluster="other")) == []
        assert len(list(validate(conn, cluster="retail", rules={"failed-connector"}))) == 1


def test_every_rule_has_a_next_step() -> None:
    """A finding that nobody can act on is noise."""
    assert all(rule.hint and rule.name == name for name, rule in RULES.items())


@pytest.mark.parametrize("name", ["urn:acme:addr", "acme:addr", "a:b:c", "Photometry: Magnitude"])
def test_a_reference_to_a_subject_with_colons_is_found(name: str, find, sound, sample) -> None:
    """A colon is an ordinary character of a subject: only a leading one begins a context."""
    reference = Reference(name="T", subject=SubjectName(name), version=1)
    key, old, new = sample.orders().versions
    target = replace(key, subject=SubjectName(name), version=1)
    found = find(sound(versions=(key, target, old, replace(new, references=(reference,)))))

    assert "dangling-reference" not in {rule for rule, *_ in found}


def test_a_decision_on_an_unknown_column_is_found(find, sample, sound) -> None:
    config = SourceId("personal_data:cluster.json")
    decisions = tuple(
        TagDecision(
            source=config,
            dataset=dataset,
            column_name=column,
            tag="PII",
            decision=Decision.ACCEPTED,
            decided_by="ann",
            decided_on="2026-11-23",
        )
        for dataset, column in (("orders", "id"), ("orders", "idd"), ("orders", "ID"), ("orderz", "id"))
    )
    outcomes = (*sound().outcomes, sample.outcome(config))
    scan = replace(sound(tag_decisions=decisions), outcomes=outcomes)

    found = {where: what for rule, where, what in find(scan) if rule == "decision-without-column"}
    assert list(found) == ["column orders.ID", "column orders.idd", "column orderz.id"]
    assert found["column orders.ID"].endswith("did you mean @key.id or id?")

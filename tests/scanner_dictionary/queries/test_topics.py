"""Lists of what there is and of what was scanned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.queries import history, listings, topics
from scanner_dictionary.queries.listings import TopicFilter
from scanner_model.errors import NameUnknown, Problem
from scanner_model.kafka import Cluster, Connector, ConnectorKind
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import PreviousState, SourceResult, SourceStatus


@pytest.fixture
def listed(dictionary):
    """Return what asks a question and lists the answer."""

    def query(question, *names, **more):
        with dictionary.connect() as conn:
            return list(question(conn, *names, **more))

    return query


def test_topics_are_listed_by_cluster_and_name(sample, store, listed) -> None:
    """What is gone is history."""
    store(sample.scan(topics=(sample.topic("old"), sample.topic("b"), sample.topic("a"))))
    store(sample.scan(topics=(sample.topic("b", tags=("PII",)), sample.topic("a"))))

    assert [row.name for row in listed(listings.topics)] == ["a", "b"]
    assert [(row.name, row.gone) for row in listed(listings.topics, TopicFilter(include_gone=True))] == [
        ("a", False),
        ("b", False),
        ("old", True),
    ]
    assert listed(listings.topics)[1].tags == ("PII",)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("shop", ["my-shop", "shop.orders"]),
        ("shop.*", ["shop.orders"]),
        ("SHOP*", ["shop.orders"]),
        ("?", []),
        ("", None),
    ],
)
def test_pattern_is_a_glob_or_a_part_of_the_name(pattern, names, sample, store, listed) -> None:
    """People type what they remember."""
    everything = ["100%_sure", "my-shop", "shop.orders"]
    store(sample.scan(topics=tuple(map(sample.topic, everything))))

    assert [row.name for row in listed(listings.topics, TopicFilter(pattern=pattern))] == (
        everything if names is None else names
    )


def test_topics_without_schema_are_those_that_nothing_describes_now(sample, store, listed) -> None:
    """A link that is gone describes nothing."""
    store(sample.orders())
    store(sample.scan(topics=(sample.topic("orders"), sample.topic("plain"))))

    assert [(row.name, row.schemas) for row in listed(listings.topics, TopicFilter(without_schema=True))] == [
        ("orders", 0),
        ("plain", 0),
    ]
    store(sample.orders())
    assert [(row.name, row.schemas) for row in listed(listings.topics, TopicFilter(cluster="retail"))] == [
        ("orders", 2)
    ]
    assert listed(listings.topics, TopicFilter(without_schema=True)) == []


def test_topics_of_one_cluster_only(sample, store, listed) -> None:
    """Two clusters, one name."""
    store(sample.orders())
    store(replace(sample.orders(), cluster=Cluster(name=ClusterName("other"), brokers=("other:1",))))

    assert [row.cluster for row in listed(listings.topics)] == ["other", "retail"]
    assert [row.cluster for row in listed(listings.topics, TopicFilter(cluster="other"))] == ["other"]
    assert [row.cluster for row in listed(topics.schemas, cluster="other")] == ["other", "other"]


def test_topic_is_stale_while_its_source_cannot_be_queried(sample, store, listed) -> None:
    """Its partitions may be others by now."""
    store(sample.orders())
    store(sample.unavailable(sample.orders(), sample.kafka, sample.registry))

    assert [row.stale for row in listed(listings.topics)] == [True]


def test_subject_is_stale_while_its_registry_cannot_be_queried(sample, store, listed) -> None:
    """What the brokers do not tell says nothing of it; a registry that answers again takes the mark away."""
    marks = []
    for away in ((), (sample.kafka,), (sample.registry,), ()):
        store(sample.unavailable(sample.orders(), *away))
        marks.append({row.stale for row in listed(topics.schemas)})

    assert marks == [{False}, {False}, {True}, {False}]


def test_subjects_come_with_versions_and_topics(sample, store, listed) -> None:
    """One line a subject."""
    store(sample.orders())

    rows = listed(topics.schemas)
    assert [(row.name, row.versions, row.topics) for row in rows] == [
        ("orders-key", (1,), ("orders",)),
        ("orders-value", (1, 2), ("orders",)),
    ]
    assert [row.name for row in listed(topics.schemas, pattern="*-key")] == ["orders-key"]


def test_subject_that_is_gone_keeps_its_versions_in_the_list(sample, store, listed) -> None:
    """History with nothing in it would say little."""
    store(sample.orders())
    store(sample.scan())

    assert listed(topics.schemas) == []
    assert [(row.versions, row.topics, row.gone) for row in listed(topics.schemas, include_gone=True)] == [
        ((1,), (), True),
        ((1, 2), (), True),
    ]


def test_scans_are_listed_newest_first(sample, store, listed) -> None:
    """The last one is what people look for."""
    store(sample.orders())
    store(sample.unavailable(sample.orders(), sample.ksql))

    assert [(row.id, row.status, row.added, row.stale) for row in listed(history.scans)] == [
        (2, "partial", 0, 2),
        (1, "read", 16, 0),
    ]
    assert listed(history.scans, cluster="none") == []


def test_outcomes_and_problems_of_a_scan(sample, store, listed) -> None:
    """In the scan's own order."""
    problems = (Problem("z", "first"), Problem("a", "second", "hint"))
    store(
        sample.scan(
            outcomes=(sample.outcome(sample.kafka, SourceStatus.PARTIAL, "b", "a", reason="why"),), problems=problems
        )
    )

    [outcome] = listed(history.outcomes, 1)
    assert (outcome.source, outcome.status, outcome.reason, outcome.unread) == (
        sample.kafka,
        "partial",
        "why",
        {"a", "b"},
    )
    assert listed(history.problems, 1) == list(problems)


@pytest.mark.parametrize("question", [history.outcomes, history.problems])
def test_scan_that_is_not_known_is_reported_with_the_newest(question, sample, store, listed) -> None:
    """Exit status 4; an empty list would say that the scan went well."""
    with pytest.raises(NameUnknown) as before:
        listed(question, 1)
    store(sample.scan())
    with pytest.raises(NameUnknown) as after:
        listed(question, 7)

    assert "scanner scan" in before.value.hint
    assert "newest is 1" in after.value.hint


def test_clusters_and_sources(sample, store, listed) -> None:
    """Where facts come from, and how fresh they are."""
    store(sample.orders())
    store(sample.unavailable(sample.orders(), sample.ksql))

    [cluster] = listed(history.clusters)
    assert (cluster.name, cluster.brokers, cluster.scans, cluster.last_scan) == (
        "retail",
        ("kafka-1:9092", "kafka-2:9092"),
        2,
        2,
    )
    stale = [
        (row.name, row.last_read, row.stale_since, row.stale_reason)
        for row in listed(history.sources)
        if row.stale_since
    ]
    assert stale == [(sample.ksql, 1, 2, "connection refused")]


def test_what_silent_sources_reported_is_remembered(sample, store, dictionary) -> None:
    """A scan takes their topics for known, and the sides that they describe for described, while they are down."""
    store(sample.orders())
    with dictionary.connect() as conn:
        brokers = history.previous_state(conn, "retail", {sample.kafka})
        registry = history.previous_state(conn, "retail", {sample.registry})
        nothing = [history.previous_state(conn, *of) for of in (("retail", ()), ("unknown", {sample.kafka}))]

    assert [topic.name for topic in brokers.topics] == ["orders"]
    assert brokers.sides == frozenset()
    assert registry == PreviousState(sides=frozenset({("orders", "key"), ("orders", "value")}))
    assert nothing == [PreviousState(), PreviousState()]


def test_subjects_without_a_topic_are_remembered(sample, store, dictionary) -> None:
    """Brokers that do not answer must not make a topic of a subject whose topic they did not have before."""
    scan = sample.orders()
    store(replace(scan, topic_schemas=tuple(link for link in scan.topic_schemas if link.role != "key")))
    with dictionary.connect() as conn:
        known = history.previous_state(conn, "retail", {sample.kafka})
        answering = history.previous_state(conn, "retail", {sample.registry})

    assert known.orphans == {(sample.registry, ".", "orders-key")}
    assert answering.orphans == frozenset()


def test_messages_that_ksqldb_names_are_remembered(sample, store, dictionary) -> None:
    """Else a schema would have other columns while the server is down."""
    scan = sample.orders()
    statement = "CREATE TABLE T (ID INT) WITH (KAFKA_TOPIC='orders', KEY_SCHEMA_FULL_NAME='shop.Id');"
    store(replace(scan, ksql_sources=(replace(scan.ksql_sources[0], key_format="PROTOBUF", statement=statement),)))
    with dictionary.connect() as conn:
        known = history.previous_state(conn, "retail", {sample.ksql})

    assert known.messages == {f"{scan.ksql_sources[0].topic}-key": "shop.Id"}


def test_topics_of_connectors_are_remembered(sample, store, dictionary) -> None:
    """A worker may end between the list of its connectors and their topics."""
    source = SourceId("connect:shop")
    connectors = tuple(
        Connector(source=source, name=name, kind=ConnectorKind.SOURCE, connector_class="x", topics=topics)
        for name, topics in (("audit", (TopicName("orders"),)), ("unused", ()), ("unknown", None))
    )
    outcome = SourceResult(source=source, kind="connect", status=SourceStatus.READ)
    scan = sample.orders()
    store(replace(scan, connectors=connectors, outcomes=(*scan.outcomes, outcome)))
    with dictionary.connect() as conn:
        known = history.previous_state(conn, "retail", {source})

    assert known.connector_topics == {(source, "audit"): ("orders",), (source, "unused"): ()}


def test_settings_of_topics_are_remembered(sample, store, dictionary) -> None:
    """A user with fewer rights must not empty what one with more has read."""
    topic = sample.topic("orders", internal=True, config=(("a", "1"), ("b", "2")))
    store(replace(sample.orders(), topics=(topic,)))
    with dictionary.connect() as conn:
        known = history.previous_state(conn, "retail", {sample.kafka})

    assert known.topics == (topic,)


def test_brokers_queried_through_other_addresses_remember_the_same(sample, store, dictionary) -> None:
    """Another user often comes over another listener."""
    store(sample.orders())
    with dictionary.connect() as conn:
        known = history.previous_state(conn, "retail", {SourceId("kafka:elsewhere:9094")})

    assert [(topic.name, topic.source) for topic in known.topics] == [("orders", "kafka:elsewhere:9094")]

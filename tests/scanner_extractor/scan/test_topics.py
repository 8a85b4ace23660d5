"""One topic from everything that names it."""

from scanner_extractor.scan.topics import (
    hidden_topics,
    ksqldb_internal,
    ksqldb_topics,
    merge_topics,
    missing_topics,
    workers_internal,
)
from scanner_model.kafka import Topic
from scanner_model.names import SourceId, TopicName
from scanner_model.streaming_sql import KsqlSource


def topic(name: str, source: str = "kafka:k:9092", **more) -> Topic:
    return Topic(source=SourceId(source), name=TopicName(name), **more)


def collection(name: str, of: str, **more) -> KsqlSource:
    return KsqlSource(
        source=SourceId("ksqldb:http://ksql"),
        name=name,
        kind="STREAM",
        topic=TopicName(of),
        key_format="KAFKA",
        value_format="JSON",
        statement=f"CREATE STREAM {name}",
        **more,
    )


def test_topics_that_registries_keep_schemas_in_are_internal() -> None:
    """No schema describes them, and nobody misses one; the brokers do not mark them."""
    merged = merge_topics([topic("_schemas"), topic("_schema_encoders"), topic("_schemas_of_ours")])

    assert [(topic.name, topic.internal) for topic in merged] == [
        ("_schema_encoders", True),
        ("_schemas", True),
        ("_schemas_of_ours", False),
    ]


def test_the_brokers_own_a_topic_and_manual_input_describes_it() -> None:
    """Each source adds what the one before left open, and contradicts nothing."""
    (merged,) = merge_topics(
        [topic("orders", partitions=6, tags=("a",))],
        [topic("orders", "manual:x", partitions=3, description="Orders", tags=("b", "a"))],
    )

    assert (merged.source, merged.partitions, merged.description) == ("kafka:k:9092", 6, "Orders")
    assert merged.tags == ("a", "b")


def test_topics_are_sorted_by_name_whatever_source_is_first() -> None:
    """Order is the dictionary's order."""
    merged = merge_topics([topic("b")], [topic("a", "manual:x")])

    assert [topic.name for topic in merged] == ["a", "b"]


def test_the_processing_log_stays_internal() -> None:
    """ksqlDB knows it, the brokers do not mark it."""
    (merged,) = merge_topics([topic("log")], ksqldb_topics([collection("KSQL_PROCESSING_LOG", "log", internal=True)]))

    assert merged.internal


def test_no_partitions_means_that_the_server_does_not_know() -> None:
    """ksqlDB says 0 for a topic that is missing."""
    (named,) = ksqldb_topics([collection("S", "s", partitions=0, replication=0)])

    assert (named.partitions, named.replication) == (None, None)


def test_a_topic_that_the_brokers_lack_is_reported_once() -> None:
    """It is kept as declared; somebody must look."""
    problems = list(
        missing_topics([topic("orders")], [topic("order", "manual:x"), topic("order", "ksqldb:k"), topic("orders")])
    )

    assert [problem.where for problem in problems] == ["manual:x"]


def test_nothing_is_missing_where_the_brokers_were_not_queried() -> None:
    """Unknown is not empty."""
    assert list(missing_topics(None, [topic("orders")])) == []


def test_topic_that_ksqldb_itself_misses_is_reported_once() -> None:
    """Validation finds the collections that stand on it."""
    named = [topic("gone", "ksqldb:k"), topic("lost", "manual:x")]

    assert [problem.where for problem in missing_topics([], named, {TopicName("gone")})] == ["manual:x"]


def test_topic_that_only_ksqldb_does_not_find_is_hidden_from_its_user() -> None:
    """The brokers have it, so nobody deleted it; where they were not asked nothing is concluded."""
    missing = [(SourceId("ksqldb:k"), {TopicName("gone"), TopicName("hidden")})]

    assert [problem.what for problem in hidden_topics([topic("hidden")], missing)] == [
        "it does not find the topic 'hidden', which the brokers have"
    ]
    assert list(hidden_topics(None, missing)) == []


def test_topics_that_ksqldb_makes_for_itself_are_internal() -> None:
    """Brokers do not mark them; the names are those of 8.3.1, of this server or of another one."""
    own = [
        "_confluent-ksql-lab__command_topic",
        "_confluent-ksql-lab_query_CTAS_HOURLY_5-Aggregate-GroupBy-repartition",
        "_confluent-ksql-lab_query_CTAS_HOURLY_5-Aggregate-Aggregate-Materialize-changelog",
        "_confluent-ksql-other_query_CTAS_X_1-KafkaTopic_Right-Reduce-topic",
        "lab_ksql_processing_log",
    ]
    users = ["HOURLY", "other_ksql_processing_log", "confluent-ksql", "ksql_processing_log"]

    marked = ksqldb_internal(map(topic, [*own, *users]), ["lab_", ""])

    assert [topic.name for topic in marked if topic.internal] == own


def test_topics_of_a_ksqldb_server_that_does_not_answer_stay_internal() -> None:
    """Its id is in the name of its command topic."""
    names = ["_confluent-ksql-lab__command_topic", "lab_ksql_processing_log", "other_ksql_processing_log"]

    marked = ksqldb_internal(map(topic, names), [])

    assert [topic.name for topic in marked if topic.internal] == names[:2]


COMPACTED = (("cleanup.policy", "compact"),)


def test_the_stores_of_connects_workers_and_of_mirrormaker_are_internal() -> None:
    """No broker marks them, and no schema or owner is missing there."""
    stores = [topic(f"team-a-{end}", config=COMPACTED) for end in ("configs", "offsets", "status")]
    mirror = [topic(name) for name in ("heartbeats", "mm2-offset-syncs.dr.internal", "dr.checkpoints.internal")]

    marked = workers_internal([*stores, *mirror, topic("orders")])

    assert [each.name for each in marked if each.internal] == [each.name for each in [*stores, *mirror]]


def test_a_name_alone_makes_no_topic_internal() -> None:
    """Devices send heartbeats, and an application has a topic for its status."""
    users = [topic("heartbeats"), topic("shop-status", config=COMPACTED), topic("shop-offsets", config=COMPACTED)]
    kept = [topic(f"ui-{end}") for end in ("configs", "offsets", "status")]

    assert not any(each.internal for each in workers_internal([*users, *kept]))

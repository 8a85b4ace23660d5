"""Schemas of topics that only ksqlDB describes."""

from __future__ import annotations

from scanner_extractor.systems.ksqldb.reader import collection_schemas
from scanner_model.columns import Column
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import CollectionColumn, KsqlSource

TOPIC = TopicName("orders")


def column(name: str, role: Role | None = Role.VALUE) -> CollectionColumn:
    return CollectionColumn(column=Column(path=(name,), type="STRING"), role=role)


def collection(name: str, *columns: CollectionColumn, value_format: str = "JSON") -> KsqlSource:
    return KsqlSource(
        source=SourceId("ksqldb:http://ksql"),
        name=name,
        kind="STREAM",
        topic=TOPIC,
        key_format="KAFKA",
        value_format=value_format,
        statement=f"CREATE STREAM {name} …",
        columns=columns,
    )


def test_key_and_value_are_schemas_of_their_own() -> None:
    """Each side has its own format and its own columns; headers belong to neither."""
    pairs = collection_schemas([collection("A", column("ID", Role.KEY), column("H", None), column("X"))], set())

    assert [
        (link.role.value, definition.format, [c.name for c in definition.columns]) for definition, link in pairs
    ] == [
        ("key", "KAFKA", ["ID"]),
        ("value", "JSON", ["X"]),
    ]


def test_side_that_a_registry_describes_is_left_to_it() -> None:
    """The registry holds what producers really write."""
    pairs = collection_schemas([collection("A", column("ID", Role.KEY), column("X"))], {(TOPIC, Role.VALUE)})

    assert [link.role for _, link in pairs] == [Role.KEY]


def test_collections_with_the_same_columns_share_one_definition() -> None:
    """Two names for the same view are one schema; the evidence names both."""
    pairs = collection_schemas([collection("B", column("X")), collection("A", column("X"))], set())

    assert [(definition.text, link.evidence) for definition, link in pairs] == [
        ("CREATE STREAM A …", "declared by ksqlDB's STREAM A, STREAM B")
    ]


def test_different_views_of_one_topic_all_stay() -> None:
    """None of them is wrong: each reads what it needs."""
    pairs = collection_schemas(
        [
            collection("A", column("X")),
            collection("B", column("Y")),
            collection("C", column("X"), value_format="AVRO"),
        ],
        set(),
    )

    assert [(definition.format, link.current, link.strategy) for definition, link in pairs] == [
        ("JSON", True, "ksqldb"),
        ("JSON", True, "ksqldb"),
        ("AVRO", True, "ksqldb"),
    ]
    assert len({definition.fingerprint for definition, _ in pairs}) == 3


def test_fingerprint_is_the_same_in_every_scan() -> None:
    """Writing twice must change nothing."""
    item, other = (collection_schemas([collection("A", column("X"))], set()) for _ in range(2))

    assert item == other
    assert item[0][0].fingerprint == item[0][1].fingerprint

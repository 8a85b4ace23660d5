"""Topics with figures of the graph: which are listed, in which order, and what is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.engine.open import writing
from scanner_dictionary.queries.listings import TopicFilter, topic_called, topics
from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import Annotation
from scanner_model.errors import NameUnknown

HOME = "kafka://kafka-1:9092"
NODES = (
    (-9, "cluster:retail", "cluster", HOME, "retail", None, "{}"),
    (-8, "topic:a", "topic", HOME, "orders", None, "{}"),
    (-7, "topic:b", "topic", HOME, "customer.orders", None, "{}"),
    (-6, "topic:other", "topic", "kafka://other:9092", "orders-enriched", None, "{}"),
    (-5, "job:x", "job", "connect://main", "sink", None, "{}"),
    (-4, "job:y", "job", "connect://main", "copy", None, "{}"),
)
EDGES = (
    *((key, -8, job, "reads", "", "", "", "derived") for key, job in ((-4, -5), (-3, -4))),
    (-2, -7, -5, "reads", "", "", "", "derived"),
    (-1, -5, -7, "writes", "", "", "", "derived"),
)


@pytest.fixture
def shop(dictionary, store, sample):
    """Return a dictionary with an owner, a tag, a schema, and a graph that lacks one of the topics."""
    version = sample.version("orders-value", 1, ("id",))
    sample_scan = sample.scan(
        topics=tuple(map(sample.topic, ("orders", "orders-enriched", "customer.orders"))),
        versions=(version,),
        definitions=(sample.definition("id"),),
        topic_schemas=(sample.link("orders", version),),
    )
    registry = sample_scan.outcomes[1].source
    about = {"kind": "kafka_topic", "name": "lkc:orders", "topic": "orders"}
    note = Annotation(source=registry, owner="Payments", tags=("gold",), **about)
    store(replace(sample_scan, annotations=(note,)))
    with writing(dictionary) as conn:
        conn.execute(t.topic.update().where(t.topic.c.name == "orders").values(config='{"retention.ms": "-1"}'))
        for row in NODES:
            conn.execute(t.flow_node.insert().values(row))
        for row in EDGES:
            conn.execute(t.flow_edge.insert().values(row))
    return dictionary


def names(dictionary, *, sort="name", **wanted) -> list[str]:
    with dictionary.connect() as conn:
        return [row.name for row in topics(conn, TopicFilter(**wanted), sort=sort)]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["customer.orders", "orders", "orders-enriched"]),
        ({"owner": "payments"}, ["orders"]),
        ({"tag": "GOLD"}, ["orders"]),
        ({"without_owner": True}, ["customer.orders", "orders-enriched"]),
        ({"without_schema": True}, ["customer.orders", "orders-enriched"]),
        ({"without_reader": True}, ["orders-enriched"]),
        ({"without_writer": True}, ["orders", "orders-enriched"]),
        ({"without_writer": True, "pattern": "enr"}, ["orders-enriched"]),
        ({"cluster": "other"}, []),
    ],
)
def test_a_list_leaves_out_what_is_not_wanted(shop, wanted, expected) -> None:
    """Nobody looks through 100,000 topics."""
    assert names(shop, **wanted) == expected


def test_topic_that_is_not_there_is_unknown(shop) -> None:
    """A damaged dictionary may mention a topic of another cluster."""
    with shop.connect() as conn, pytest.raises(NameUnknown, match="no topic 'gone'"):
        topic_called(conn, 1, "gone")


def test_counts_come_the_largest_first_then_names(shop) -> None:
    """The most used topic is the one to look after."""
    assert names(shop, sort="readers") == ["orders", "customer.orders", "orders-enriched"]
    assert names(shop, sort="writers") == ["customer.orders", "orders", "orders-enriched"]
    assert sorted(names(shop, sort="findings")) == sorted(names(shop, sort="seen")) == names(shop)


def test_what_the_graph_does_not_have_is_unknown_not_zero(shop) -> None:
    """A topic that was found since the graph was generated may be read."""
    with shop.connect() as conn:
        rows = {row.name: row for row in topics(conn)}

        assert topic_called(conn, 1, "orders") == rows["orders"]
    assert (rows["orders"].readers, rows["orders"].writers) == (2, 0)
    assert (rows["orders-enriched"].readers, rows["orders-enriched"].writers) == (None, None)
    assert (rows["orders"].retention_ms, rows["customer.orders"].retention_ms) == (-1, None)
    assert rows["orders"].seen_at

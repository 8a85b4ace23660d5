"""Schema files are versions of subjects: of build files, of the topics that they are called after, of their records."""

from __future__ import annotations

import json

import pytest


def record(name: str, *types: str) -> str:
    fields = [{"name": f"f{number}", "type": kind} for number, kind in enumerate(types or ("int",))]
    return json.dumps({"type": "record", "name": name, "namespace": "shop", "fields": fields})


def subjects(reading) -> set[tuple[str, int]]:
    return {(version.subject, version.version) for version in reading.result.registry.versions}


def creating(*topics: str) -> str:
    return "".join(f"kafka-topics --create --topic {topic}\n" for topic in topics)


@pytest.mark.parametrize(
    ("topic", "path", "name"),
    [
        ("orders", "order.avsc", "Order"),
        ("order-validations", "ordervalidation.avsc", "Validated"),
        ("orders-avro", "order_v1.avsc", "Order"),
        ("shop.db.customers", "customer-message.avsc", "Customer"),
        ("OrderEvents", "a.avsc", "Order"),
    ],
)
def test_a_schema_is_of_the_topic_that_it_is_called_after(read_repository, topic, path, name) -> None:
    """Words in the plural, and those that say what a name is of, make no difference."""
    reading = read_repository({"topics.sh": creating(topic), path: record(name)})

    assert subjects(reading) == {(f"{topic}-value", 1)}


def test_two_versions_of_one_record_are_versions_of_the_topic(read_repository) -> None:
    """Files number them."""
    files = {"t.sh": creating("orders"), "order_v1.avsc": record("Order"), "order_v2.avsc": record("Order", "long")}

    assert subjects(read_repository(files)) == {("orders-value", 1), ("orders-value", 2)}


def test_nothing_is_guessed_where_several_are_called_alike(read_repository) -> None:
    """Two topics for one record, or two records for one topic."""
    files = {"t.sh": creating("a.orders", "b.orders", "refunds"), "order.avsc": record("Order")}
    files |= {"refund.avsc": record("Refund"), "x/refunds.avsc": record("Refunded")}

    assert subjects(read_repository(files)) == {("shop.Order", 1), ("shop.Refund", 1), ("shop.Refunded", 1)}


def test_a_list_of_types_is_a_schema_each(read_repository) -> None:
    """The topic has the record that is called after it; an enumeration is no message."""
    states = {"type": "enum", "name": "State", "namespace": "shop", "symbols": ["NEW"]}
    listed = f"[{json.dumps(states)}, {record('Order', 'shop.State')}, {record('OrderValue', 'shop.Order')}]"
    reading = read_repository({"t.sh": creating("orders", "states"), "order.avsc": listed})

    assert subjects(reading) == {("orders-value", 1), ("shop.State", 1), ("shop.OrderValue", 1)}
    order = next(version for version in reading.result.registry.versions if version.subject == "orders-value")
    assert [reference.subject for reference in order.references] == ["shop.State"]
    assert json.loads(order.text)["name"] == "Order"

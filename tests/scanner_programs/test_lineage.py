"""Which field of what a program receives becomes which field of what it sends, in several languages and styles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "data" / "lineage").glob("*.json"))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_fields_are_followed_through_a_program(sends, name) -> None:
    """No field is missed, and none is stated that does not reach the output."""
    program = json.loads(PROGRAMS[name].read_text())
    found = sends(program["files"])
    passed = {
        (one.topic, ".".join(one.field).replace(".[]", "[]"), topic, one.target)
        for one in found.passed
        for topic in one.topics
        if one.field and one.target
    }

    assert passed == set(map(tuple, program["passed"]))


def test_a_copied_field_differs_from_a_computed_one(sends) -> None:
    """A reader of the output can rely on the one having the values of the input."""
    code = """
import json
from kafka import KafkaConsumer, KafkaProducer
producer = KafkaProducer()
for m in KafkaConsumer("in"):
    r = json.loads(m.value)
    producer.send("out", {"a": r["a"], "b": r["b"] + 1, "c": 1 if r["c"] else 2})
"""
    passed = {one.target: one.copied for one in sends({"a.py": code}).passed if one.target}

    assert passed == {"a": True, "b": False, "c": False}


def test_keys_and_other_parts_of_a_record_are_no_fields_of_its_value(sends) -> None:
    """The offset of a record is none of its columns."""
    code = """
from kafka import KafkaConsumer, KafkaProducer
producer = KafkaProducer()
for m in KafkaConsumer("in"):
    producer.send("out", {"key": m.key, "at": m.offset, "topic": m.topic})
"""
    found = sends({"a.py": code})

    assert [one for one in found.passed if one.target] == []
    assert found.received == [("in", ("a.py", 4))]


def test_two_consumers_of_one_file_are_told_apart(sends) -> None:
    """Each record comes from the consumer that it was taken from."""
    code = """
from confluent_kafka import Consumer, Producer
producer = Producer({})
first, second = Consumer({"group.id": "a"}), Consumer({"group.id": "b"})
first.subscribe(["one"])
second.subscribe(["two"])
def run():
    left = parse(first.poll(1.0).value())
    right = parse(second.poll(1.0).value())
    producer.produce("both", value={"left": left["x"], "right": right["y"]})
"""
    passed = {(one.topic, one.field, one.target) for one in sends({"a.py": code}).passed if one.target}

    assert passed == {("one", ("x",), "left"), ("two", ("y",), "right")}

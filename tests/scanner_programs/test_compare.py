"""Two versions of a program differ where a reader of a topic would notice, and nowhere else."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

CODE = """\
from dataclasses import dataclass
from kafka import KafkaProducer

@dataclass
class Paid:
    id: str
    total: int

producer = KafkaProducer(value_serializer=encode)

def publish(order):
    event = Paid(id=order.id, total=order.total)
    producer.send("paid", key=order.id, value=event)
"""

SAME = {
    "a local is renamed": ("event", "message"),
    "a method is extracted": (
        "    event = Paid(id=order.id, total=order.total)\n",
        "    event = made(order)\n",
        "\ndef made(o):\n    return Paid(o.id, o.total)\n",
    ),
    "a value is kept first": (
        "total=order.total)",
        "total=total)",
        "",
        "def publish(order):\n",
        "    total = order.total\n",
    ),
    "a field is added": ("    total: int\n", "    total: int\n    lane: str | None = None\n"),
    "a line is logged": ("    producer.send", "    print(order.id)\n    producer.send"),
}
OTHERS = {
    "removed": ("    total: int\n", "", ", total=order.total", ""),
    "retyped": ("total: int", "total: str"),
    "computed": ("total=order.total", "total=order.total * 2"),
    "key": ("key=order.id", "key=order.customer"),
    "topic": ('"paid"', '"sold"'),
    "condition": ("    producer.send", "    if order.total:\n        producer.send"),
    "gone": ('    producer.send("paid", key=order.id, value=event)\n', "    print(event)\n"),
    "client": ("value_serializer=encode", "value_serializer=pack"),
}


def edited(pairs):
    text = CODE
    for old, new in zip(pairs[::2], pairs[1::2], strict=False):
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", SAME)
def test_the_same_sends_are_equal(sends, name):
    first, *rest = SAME[name][2:] or ("",)
    text = CODE.replace(*SAME[name][:2]) + first
    for old, new in zip(rest[::2], rest[1::2], strict=False):
        text = text.replace(old, old + new)
    assert compare(sends({"a.py": CODE}), sends({"a.py": text})) == []


@pytest.mark.parametrize("aspect", OTHERS)
def test_what_a_reader_notices_is_named(sends, aspect):
    found = compare(sends({"a.py": CODE}), sends({"a.py": edited(OTHERS[aspect])}))
    names = {"setting", "client"} if aspect == "client" else {aspect}
    assert {one.aspect for one in found} & names
    assert all(one.certain for one in found)


def test_a_renamed_field_is_named_with_its_new_name(sends):
    text = CODE.replace("    total: int", "    sum: int").replace("total=order", "sum=order")
    (one,) = compare(sends({"a.py": CODE}), sends({"a.py": text}))
    assert (one.aspect, one.field, one.after) == ("renamed", "total", "sum")


def test_a_change_beside_an_opaque_send_is_uncertain(sends):
    send = "from kafka import KafkaProducer\nKafkaProducer().send(name(), taken.get_nowait())\n"
    before = f"{send}def other():\n    return 1\n"
    (one,) = compare(sends({"a.py": before}), sends({"a.py": before.replace("1", "2")}))
    assert not one.certain

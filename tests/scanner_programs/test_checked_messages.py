"""Messages behind checks, parts of structs and own records: what is sent remains known."""

from __future__ import annotations

import pytest

from scanner_programs.values import Apply, Cond, Const, Input, Kind, Thing

COLLECTS = """
import json
from kafka import KafkaConsumer, KafkaProducer

producer = KafkaProducer()


def parcel_of(body):
    {start}
    if not body.get("weight"):
        {add}
    {leave}
    return {{"code": body.get("code")}}


for record in KafkaConsumer("parcels"):
    producer.send("labels", parcel_of(json.loads(record.value)))
"""


@pytest.mark.parametrize(
    ("start", "add", "leave"),
    [
        ("gaps = []", 'gaps.append("weight")', "if gaps: raise ValueError(gaps)"),
        ("gaps = list()", 'gaps += ["weight"]', "if gaps: return None"),
        ("gaps = set()", 'gaps.add("weight")', "if not gaps: pass\n    else: raise KeyError(gaps)"),
    ],
)
def test_a_list_in_python_may_be_empty(sends, start, add, leave) -> None:
    """A function that raises if a list has elements still returns a message if it has none."""
    found = sends({"parcels.py": COLLECTS.format(start=start, add=add, leave=leave)})

    assert {(one.topic, one.field, one.target) for one in found.passed if one.target} == {
        ("parcels", ("code",), "code")
    }


def test_a_list_in_typescript_is_true_even_if_it_is_empty(sends) -> None:
    code = """
import { Kafka } from "kafkajs";
const producer = new Kafka({}).producer();
export async function label(code: string) {
  const gaps: string[] = [];
  if (gaps) {
    await producer.send({ topic: "labels", messages: [{ value: JSON.stringify({ code }) }] });
  } else {
    await producer.send({ topic: "gaps", messages: [{ value: JSON.stringify({ code }) }] });
  }
}
"""
    assert {topic for one in sends({"label.ts": code}).contracts for topic in one.topics} == {"labels"}


GO = """
package main

import (
	"context"
	"encoding/json"
	"github.com/segmentio/kafka-go"
)

type Label struct {
	Code string `json:"code"`
}

type %(record)s struct {
	Value []byte
}

type outlet struct {
	%(part)s
}

func (o *outlet) Put(one %(record)s) error {
	return o.%(name)s.WriteMessages(context.Background(), kafka.Message{Value: one.Value})
}

func newOutlet(topic string) *outlet {
	return &outlet{%(given)s}
}

func main() {
	out := newOutlet("labels")
	data, _ := json.Marshal(Label{Code: "a"})
	out.Put(%(record)s{Value: data})
}
"""


@pytest.mark.parametrize("record", ["Message", "Parcel"])
@pytest.mark.parametrize(
    ("part", "name", "given"),
    [
        ("*kafka.Writer", "Writer", "&kafka.Writer{Topic: topic}"),
        ("kafka.Writer", "Writer", "kafka.Writer{Topic: topic}"),
        ("*kafka.Writer\n\tretries int", "Writer", "&kafka.Writer{Topic: topic}, 3"),
        ("*kafka.Writer", "Writer", "Writer: &kafka.Writer{Topic: topic}"),
        ("inner *kafka.Writer", "inner", "&kafka.Writer{Topic: topic}"),
    ],
)
def test_a_struct_of_go_is_made_by_the_order_of_its_parts(sends, record, part, name, given) -> None:
    """Embedded parts are among them; a type of another package is none of this one, whatever its name."""
    code = GO % {"record": record, "part": part, "name": name, "given": given}
    contracts = [one for one in sends({"main.go": code}).contracts if one.topics == ("labels",)]

    assert [[path for path, _ in one.shape.fields] for one in contracts] == [["code"]]


def test_values_that_share_their_parts_are_compared_and_counted_once() -> None:
    """Two values of sixty layers have 2**60 paths, and sixty parts."""

    def layers(first: str) -> Apply | Cond | Input:
        value: Apply | Cond | Input = Input(first)
        for _ in range(60):
            value = Apply("+", None, (value, value))
        return value

    assert layers("a") == layers("a")
    assert hash(layers("a")) == hash(layers("a"))
    assert layers("a") != layers("b")


def test_objects_are_equal_only_to_themselves() -> None:
    one, other = Thing("Order"), Thing("Order")

    assert Apply("send", None, (one,)) == Apply("send", None, (one,))
    assert Apply("send", None, (one,)) != Apply("send", None, (other,))
    assert Apply("send", one) != Apply("send", None, (one,))
    assert Apply("f", None, (Const(Kind.TEXT, "1"),)) != Apply("f", None, (Const(Kind.NUMBER, "1"),))


def test_conditions_of_nested_checks_are_kept_once(sends) -> None:
    """Each layer checks twice what the one below it checks: the text of the answer does not grow with the paths."""
    layers = "\n".join(
        f"    static void check{n}(String code) {{ check{n + 1}(code); check{n + 1}(code); }}" for n in range(14, 18)
    )
    code = f"""
import org.apache.kafka.clients.producer.*;
class Labels {{
{layers}
    static void check18(String code) {{ if (code.isEmpty()) throw new IllegalArgumentException(); }}
    private final KafkaProducer<String, String> producer = new KafkaProducer<>(new Properties());
    public void label(String code) {{
        check14(code);
        producer.send(new ProducerRecord<>("labels", code));
    }}
}}
"""
    found = sends({"Labels.java": code})

    assert {topic for one in found.contracts for topic in one.topics} == {"labels"}

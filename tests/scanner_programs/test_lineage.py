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


SPRING = """
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
"""
KOTLIN = """
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.kotlin.readValue
import org.springframework.kafka.annotation.KafkaListener
import org.springframework.kafka.core.KafkaTemplate
data class Trip(val id: String, val km: Double, val stops: List<String>)
data class Bill(val trip: String, val price: Double)
"""
STYLES = {
    "a mapper made of settings, with its names": (
        "A.java",
        SPRING
        + """
        import com.fasterxml.jackson.databind.ObjectMapper;
        import com.fasterxml.jackson.databind.PropertyNamingStrategies;
        class A {
          static final ObjectMapper JSON =
              new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).configure(X.Y, false);
          KafkaTemplate<String, String> template;
          @KafkaListener(topics = "in") void on(String text) {
            Out out = new Out();
            out.firstName = JSON.readTree(text).get("n").asText();
            template.send("out", JSON.writeValueAsString(out));
          }
        }
        class Out { public String firstName; }
        """,
        {("n", "first_name")},
    ),
    "a call of Kotlin with a type, and a receiver": (
        "A.kt",
        KOTLIN
        + """
        class A(private val template: KafkaTemplate<String, String>, private val json: ObjectMapper) {
          @KafkaListener(topics = ["in"])
          fun on(text: String) {
            val trip = json.readValue<Trip>(text)
            val bill = with(trip) { Bill(trip = id, price = km * 2) }
            template.send("out", json.writeValueAsString(bill))
          }
        }
        """,
        {("id", "trip"), ("km", "price")},
    ),
    "code after an elvis that may return": (
        "A.kt",
        KOTLIN
        + """
        class A(private val template: KafkaTemplate<String, Bill>, private val known: Map<String, String>) {
          @KafkaListener(topics = ["in"])
          fun on(trip: Trip) {
            val rate = known[trip.id] ?: return
            template.send("out", Bill(trip.id, trip.km))
          }
        }
        """,
        {("id", "trip"), ("km", "price")},
    ),
    "a setting that is injected into a field, and a list from a stream": (
        "A.java",
        SPRING
        + """
        import org.springframework.beans.factory.annotation.Value;
        import java.util.List;
        class A {
          @Value("out") private String topic;
          private final KafkaTemplate<String, Object> template;
          A(KafkaTemplate<String, Object> template) { this.template = template; }
          @KafkaListener(topics = "in") void on(Order order) {
            template.send(topic, new Parcel(order.lines().stream().map(this::item).toList()));
          }
          private Item item(Line line) { return new Item(line.sku()); }
        }
        record Order(List<Line> lines) {}
        record Line(String sku) {}
        record Parcel(List<Item> items) {}
        record Item(String article) {}
        """,
        {("lines[].sku", "items[].article")},
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_fields_are_followed_in_other_styles(sends, style: str) -> None:
    name, code, expected = STYLES[style]
    found = sends({name: code})

    assert {
        (".".join(one.field).replace(".[]", "[]"), one.target)
        for one in found.passed
        if one.topics == ("out",) and one.topic == "in" and one.field and one.target
    } == expected


def test_a_reference_to_a_method_is_given_what_it_takes(sends) -> None:
    """A join calls it with both values, in their order."""
    code = """
        import org.apache.kafka.streams.StreamsBuilder;
        import org.apache.kafka.streams.kstream.*;
        class A {
          void build(StreamsBuilder builder) {
            KTable<String, Person> people = builder.table("people");
            KStream<String, Visit> visits = builder.stream("visits");
            visits.join(people, A::both, Joined.with(a, b, c)).to("out");
          }
          static Both both(Visit visit, Person person) { return new Both(visit.day, person.name); }
        }
        class Visit { public String day; }
        class Person { public String name; }
        class Both { public String day; public String who; Both(String d, String w) { day = d; who = w; } }
        """
    passed = {(one.topic, one.field, one.target) for one in sends({"A.java": code}).passed if one.target}

    assert passed == {("visits", ("day",), "day"), ("people", ("name",), "who")}


def test_a_constant_in_a_pattern_says_which_topic_a_record_is_of(sends) -> None:
    """In Rust, a name of a constant is compared, and binds nothing."""
    code = """
        use rdkafka::consumer::StreamConsumer;
        use rdkafka::producer::{FutureProducer, FutureRecord};
        const TRADES: &str = "trades";
        const OUTAGES: &str = "outages";
        async fn run(consumer: StreamConsumer, producer: FutureProducer) {
            consumer.subscribe(&[TRADES, OUTAGES]).unwrap();
            let message = consumer.recv().await.unwrap();
            let value = message.payload().unwrap();
            match message.topic() {
                TRADES => { producer.send(FutureRecord::to("deals").payload(value).key("k"), T).await; }
                OUTAGES => { producer.send(FutureRecord::to("notices").payload(value).key("k"), T).await; }
                _ => {}
            }
        }
        """
    passed = {(one.topic, topic) for one in sends({"main.rs": code}).passed for topic in one.topics}

    assert passed == {("trades", "deals"), ("outages", "notices")}

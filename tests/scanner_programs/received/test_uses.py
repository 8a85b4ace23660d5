"""Which fields of the records that a program receives its code uses, in several languages and styles."""

from __future__ import annotations

import pytest

PYTHON = """
from confluent_kafka import Consumer
consumer = Consumer({"group.id": "a"})
consumer.subscribe(["paid", "refunded"])
"""


def used(sends, files: dict[str, str]) -> set[tuple[str, str, int]]:
    """Return the uses as topic, field (`*` for all) and line."""
    return {(one.topic, ".".join(one.path) or "*", one.place[1]) for one in sends(files).used}


def test_each_topic_has_the_fields_of_the_code_that_gets_its_records(sends) -> None:
    """One consumer of two topics asks each record where it is from."""
    code = (
        PYTHON
        + """
while True:
    message = consumer.poll(1.0)
    event = json.loads(message.value())
    if message.topic() == "paid":
        store(event["order"], event["total"])
    else:
        cancel(event["reason"])
"""
    )

    assert used(sends, {"a.py": code}) == {("paid", "order", 10), ("paid", "total", 10), ("refunded", "reason", 12)}


def test_a_table_of_handlers_by_topic_is_followed(sends) -> None:
    """Which handler is called is known by the topic that it was put in for."""
    code = (
        PYTHON
        + """
handlers = {}
handlers["paid"] = lambda event: store(event["total"])
handlers["refunded"] = lambda event: store(event["reason"])
message = consumer.poll(1.0)
handlers[message.topic()](json.loads(message.value()))
"""
    )

    assert used(sends, {"a.py": code}) == {("paid", "total", 7), ("refunded", "reason", 8)}


def test_what_is_said_of_a_record_beside_its_value_is_no_field(sends) -> None:
    """Keys, headers and offsets are not in the value."""
    code = PYTHON.replace('"paid", ', "") + (
        "message = consumer.poll(1.0)\nlog(message.offset(), dict(message.headers()).get('trace'), message.key())\n"
        "store(json.loads(message.value())['reason'])\n"
    )

    assert used(sends, {"a.py": code}) == {("refunded", "reason", 7)}


JAVA = """
import org.springframework.kafka.annotation.KafkaListener;
class Listener {
  private Orders orders;
  @KafkaListener(topics = "orders")
  void on(Order order) {
    %s
  } }
class Order { String id; double total; Customer customer; double due() { return total * 2; } }
class Customer { String name; String city; }
"""


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        pytest.param("orders.save(order);", {"*"}, id="a record that is stored whole"),
        pytest.param('log.info("got {}", order);', {"*"}, id="a record that is logged"),
        pytest.param("orders.save(order.getId());", {"id"}, id="a field"),
        pytest.param("orders.save(order.customer);", {"customer"}, id="an object inside"),
        pytest.param("Customer c = order.customer; orders.save(c.name);", {"customer.name"}, id="a step on the way"),
        pytest.param(
            "Customer c = order.customer; orders.save(c); orders.save(c.name);",
            {"customer", "customer.name"},
            id="an object and a part of it",
        ),
        pytest.param("if (order.due() > 5) orders.stop();", {"total"}, id="what a method of the record reads"),
        pytest.param("Set<String> found = orders.check(order); orders.save(found.message);", {"*"}, id="a result"),
        pytest.param("Row row = new Row(); row.mark(order.getId()); orders.save(row);", {"id"}, id="another object"),
        pytest.param(
            "Row row = new Row(); row.mark(order.getId()); orders.save(row.size, row.other);",
            {"id"},
            id="what another object has beside it",
        ),
    ],
)
def test_a_listener_uses(sends, body, fields) -> None:
    """The rest of the record is not used."""
    row = "class Row { String key; void mark(String value) { this.key = value; } }"

    assert {path for _, path, _ in used(sends, {"A.java": JAVA % body + row})} == fields


def test_what_a_record_is_read_as_is_known_with_its_fields(sends) -> None:
    """A new field of the class is one that the reader expects."""
    found = sends({"A.java": JAVA % "orders.save(order.getId());"})

    assert [(one.topic, one.name, [".".join(path) for path, _ in one.fields]) for one in found.classes] == [
        ("orders", "Order", ["id", "total", "customer", "customer.name", "customer.city"])
    ]


def test_a_class_that_is_made_of_a_record_by_its_members_is_what_it_is_read_as(sends) -> None:
    """Its fields are those that the reader expects."""
    code = PYTHON + (
        "@dataclass\nclass Paid:\n    order: str\n    total: float\n"
        "paid = Paid(**json.loads(consumer.poll(1.0).value()))\nstore(paid.order)\n"
    )

    assert {(one.name, tuple(path for path, _ in one.fields)) for one in sends({"a.py": code}).classes} == {
        ("Paid", (("order",), ("total",)))
    }


def test_a_topic_that_is_not_known_is_the_place_that_names_it(sends) -> None:
    """What reads the settings may know the topics there."""
    code = PYTHON.replace('["paid", "refunded"]', "[settings.TOPIC]") + (
        "message = consumer.poll(1.0)\nstore(json.loads(message.value())['reason'])\n"
    )

    assert {(one.topic, one.path) for one in sends({"a.py": code}).used} == {("\0a.py:4", ("reason",))}


def test_a_loop_goes_on_until_a_variable_that_others_set_ends_it(sends) -> None:
    """A handler of signals has set it by the time that the program is read."""
    code = (
        "running = True\ndef stop(*_):\n    global running\n    running = False\nsignal.signal(signal.SIGTERM, stop)\n"
        + PYTHON
        + "while running:\n    store(json.loads(consumer.poll(1.0).value())['reason'])\n"
    )

    assert {path for _, path, _ in used(sends, {"a.py": code})} == {"reason"}


def test_streams_by_objects_that_a_function_makes(sends) -> None:
    """A transformer gets the records, and its result goes on."""
    code = """
import org.apache.kafka.streams.*;
class Main { public static void main(String[] a) {
  StreamsBuilder builder = new StreamsBuilder();
  KStream<String, Order> orders = builder.stream("orders");
  orders.transform(() -> new Bills()).to("bills"); } }
class Bills implements Transformer<String, Order, KeyValue<String, Bill>> {
  public KeyValue<String, Bill> transform(String key, Order order) {
    return KeyValue.pair(key, new Bill(order.total)); } }
class Order { String id; double total; }
class Bill { double sum; Bill(double sum) { this.sum = sum; } }
"""
    found = sends({"Main.java": code})

    assert {(one.topic, one.path) for one in found.used} == {("orders", ("total",))}
    assert [path for one in found.contracts for path, _ in one.shape.fields] == ["sum"]


def test_code_that_nests_too_deeply_leaves_the_uses_partial(sends) -> None:
    """More fields may be used further inside."""
    deep = "x = " + "f(" * 300 + "1" + ")" * 300

    assert not sends({"a.py": PYTHON}).is_partial
    assert sends({"a.py": PYTHON + deep}).is_partial


HANDLED = """package main
import (
	"encoding/json"
	"github.com/IBM/sarama"
)
type Paid struct { Sum int `json:"sum"` }
type Moved struct { Shelf string `json:"shelf"` }
type PaidHandler struct{}
func (h *PaidHandler) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for msg := range claim.Messages() {
		var paid Paid
		json.Unmarshal(msg.Value, &paid)
		record(paid.Sum)
	}
	return nil
}
type MovedHandler struct{}
func (h *MovedHandler) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for msg := range claim.Messages() {
		var moved Moved
		json.Unmarshal(msg.Value, &moved)
		record(moved.Shelf)
	}
	return nil
}
func main() {
	group, _ := sarama.NewConsumerGroup(nil, "g", nil)
	go group.Consume(ctx, []string{"payments", "refunds"}, &PaidHandler{})
	group.Consume(ctx, []string{"moves"}, &MovedHandler{})
}
"""


def test_the_object_that_a_subscription_is_given_handles_its_records(sends) -> None:
    """Of several subscriptions, each with topics of its own, the handler says which it is."""
    used = {(one.topic, one.path) for one in sends({"main.go": HANDLED}).used if one.path}

    assert used == {("payments", ("sum",)), ("refunds", ("sum",)), ("moves", ("shelf",))}


@pytest.mark.parametrize("imported", ["Message", "*"])
@pytest.mark.parametrize("kind", ["Message", "final Message", "Message<String>", "Message<?>"])
def test_the_payload_of_a_message_is_no_field(sends, kind, imported) -> None:
    """A message without a type in brackets holds the value of the record, too."""
    code = f"""
import io.vertx.core.json.Json;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.{imported};
class Refund {{ public String reason; public int cents; }}
class Refunds {{
  private final Ledger ledger;
  @Incoming("refunds")
  public CompletionStage<Void> on({kind} refund) {{
    Refund read = Json.decodeValue((String) refund.getPayload(), Refund.class);
    if (read.cents > 0) ledger.write(read.reason);
    return refund.ack();
  }}
}}
"""

    used = {one.path for one in sends({"Refunds.java": code}).used}

    assert used == {("reason",), ("cents",)}


WAITED = {
    "reply.py": """
import asyncio
import json
from aiokafka import AIOKafkaConsumer

async def reply(request):
    consumer = AIOKafkaConsumer("replies", bootstrap_servers="b")
    await consumer.start()
    message = await asyncio.wait_for(consumer.getone(), timeout=5)
    answer = json.loads(message.value)
    return answer["total"] if answer["request"] == request else None
""",
    "src/reply.rs": """
use std::time::Duration;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::{ClientConfig, Message};
#[derive(serde::Deserialize)]
struct Answer { request: String, total: u64 }
pub async fn reply(request: &str) -> Option<u64> {
    let consumer: StreamConsumer = ClientConfig::new().create().unwrap();
    consumer.subscribe(&["replies"]).unwrap();
    let message = tokio::time::timeout(Duration::from_secs(5), consumer.recv()).await.unwrap().unwrap();
    let answer: Answer = serde_json::from_slice(message.payload().unwrap()).unwrap();
    if answer.request == request { Some(answer.total) } else { None }
}
""",
}


@pytest.mark.parametrize("path", WAITED)
def test_a_record_that_is_waited_for_is_the_record(sends, path) -> None:
    used = {(one.topic, one.path) for one in sends({path: WAITED[path]}).used}

    assert used == {("replies", ("request",)), ("replies", ("total",))}

"""What a program hands from one part of it to another, and that what is not followed is said to be so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanner_programs.compare import compare
from scanner_programs.endpoints import Endpoints

Sends = Callable[..., Endpoints]


def fields_of(found: Endpoints, topic: str) -> dict[str, str]:
    return {path: part.text for one in found.contracts if topic in one.topics for path, part in one.shape.fields}


def passed_of(found: Endpoints) -> set[tuple[str, str]]:
    return {(".".join(one.field), one.target) for one in found.passed if one.field and one.target}


GENERIC = """
import org.apache.kafka.clients.producer.*;
class Sink {
  private final Producer<String, String> producer;
  Sink(Producer<String, String> producer) { this.producer = producer; }
  void write(String topic, Object value) { producer.send(new ProducerRecord<>(topic, Json.of(value))); }
}
"""
HANDED = """
import org.apache.kafka.clients.producer.*;
import java.util.List;
class Sink {
  private final Producer<String, String> producer;
  private final Spool spool;
  void flush(List<ProducerRecord<String, String>> spooled) { spool.each(spooled, producer::send); }
}
"""
INTERNAL = """
import org.apache.kafka.clients.producer.*;
class Ring { void offer(Object one) { new Slot(one); } }
class Sink {
  private final Producer<String, String> producer;
  void write(Object value) { producer.send(new ProducerRecord<>("out", Json.of(value))); }
}
class Service { void run(Registry registry, Order order) { registry.sinkOf(order).write(order.total()); } }
"""


@pytest.mark.parametrize("code", [GENERIC, HANDED, INTERNAL])
def test_a_send_that_is_not_followed_is_said_to_be_so(sends: Sends, code: str) -> None:
    """Otherwise a change of what reaches it would be called harmless."""
    assert sends({"Sink.java": code}).is_opaque


def test_what_a_sequence_is_filtered_by_decides_what_is_sent(sends: Sends) -> None:
    code = """
import { Kafka } from 'kafkajs';
const producer = new Kafka({}).producer();
export async function publish(rows: Row[]) {
  await producer.send({ topic: 'out', messages: rows.filter((r) => r.open).map((r) => ({ value: r.id })) });
}
"""
    other = code.replace("r.open", "r.open && r.paid")

    assert [one.aspect for one in compare(sends({"a.ts": code}), sends({"a.ts": other}))] != []


@pytest.mark.parametrize(("name", "other"), [("maxOf", "minOf"), ("filter", "filterNot"), ("sumOf", "maxOf")])
def test_methods_that_do_other_things_with_a_function_differ(sends: Sends, name: str, other: str) -> None:
    code = """
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.clients.producer.ProducerRecord
class A(private val producer: KafkaProducer<String, Any>) {
    fun on(rows: List<Row>) { producer.send(ProducerRecord("out", mapOf("a" to rows.NAME { it.x }))) }
}
"""
    found = [sends({"A.kt": code.replace("NAME", each)}) for each in (name, other)]

    assert any(one.certain for one in compare(*found))


def test_a_flag_that_one_function_sets_is_not_what_another_sees(sends: Sends) -> None:
    """A program that can be stopped runs until then."""
    code = """
from confluent_kafka import Producer
class Loop:
    def __init__(self):
        self.running = True
        self.producer = Producer({})
    def halt(self):
        self.running = False
        self.producer.flush()
    def run(self, source):
        while self.running:
            self.producer.produce("beats", value={"at": source.now()})
def main(source):
    Loop().run(source)
"""
    assert fields_of(sends({"a.py": code}), "beats").keys() == {"at"}


def test_a_protocol_of_python_is_any_class_with_its_methods(sends: Sends) -> None:
    code = """
from typing import Protocol
from kafka import KafkaProducer
class Port(Protocol):
    def emit(self, name: str, body: dict) -> None: ...
class Wire:
    def __init__(self):
        self.client = KafkaProducer()
    def emit(self, name: str, body: dict) -> None:
        self.client.send(name, body)
class Stock:
    def __init__(self, port: Port):
        self.port = port
    def moved(self, sku, count):
        self.port.emit("stock", {"sku": sku, "count": count})
"""
    assert fields_of(sends({"a.py": code}), "stock").keys() == {"sku", "count"}


def test_a_function_of_python_is_chosen_by_the_class_of_its_argument(sends: Sends) -> None:
    code = """
from dataclasses import dataclass
from functools import singledispatch
from kafka import KafkaProducer
producer = KafkaProducer()
@dataclass
class Opened:
    number: str
@dataclass
class Closed:
    number: str
    why: str
@singledispatch
def body(event):
    raise NotImplementedError
@body.register(Opened)
def opened(event):
    return {"no": event.number}
@body.register
def closed(event: Closed):
    return {"no": event.number, "because": event.why}
def close(number, why):
    producer.send("cases", body(Closed(number, why)))
"""
    assert fields_of(sends({"a.py": code}), "cases").keys() == {"no", "because"}


def test_a_topic_in_a_note_may_be_a_setting(sends: Sends) -> None:
    code = """
from faststream.kafka import KafkaBroker
class Names:
    out = "labels"
broker = KafkaBroker("x")
@broker.subscriber("parcels")
@broker.publisher(Names.out)
async def label(parcel):
    return {"id": parcel["id"]}
"""
    assert passed_of(sends({"a.py": code})) == {("id", "id")}


CSHARP = """
using Confluent.Kafka;
using System.Collections.Concurrent;
record Trade(string Book, decimal Price, int Count);
record Total(string Book, decimal Sum);
class A {
  private readonly IProducer<string, Total> _producer;
  private readonly ConcurrentDictionary<string, Total> _last = new();
  BODY
}
"""


def test_a_query_of_csharp_is_what_its_methods_make(sends: Sends) -> None:
    body = """
  void Run(IConsumer<string, List<Trade>> consumer) {
    consumer.Subscribe("trades");
    var trades = consumer.Consume().Message.Value;
    var totals = from t in trades let worth = t.Price * t.Count where worth > 0
                 select new Total(t.Book, worth);
    foreach (var total in totals) _producer.Produce("totals", new Message<string, Total> { Value = total });
  }"""
    found = sends({"A.cs": CSHARP.replace("BODY", body)})

    assert fields_of(found, "totals").keys() == {"Book", "Sum"}


def test_what_a_method_of_csharp_sets_for_its_caller_is_followed(sends: Sends) -> None:
    body = """
  private bool TryPrice(Trade trade, out decimal price) {
    price = trade.Price * 2;
    return true;
  }
  void Run(Trade trade) {
    if (!TryPrice(trade, out var price)) return;
    _producer.Produce("totals", new Message<string, Total> { Value = new Total(trade.Book, price) });
  }"""
    found = sends({"A.cs": CSHARP.replace("BODY", body)})

    assert fields_of(found, "totals")["Sum"] == "*(2, in:0.Price)"


def test_what_goes_through_a_channel_of_go_is_followed(sends: Sends) -> None:
    code = """
package main
import "github.com/segmentio/kafka-go"
type Beat struct { Host string `json:"host"`; Load float64 `json:"load"` }
func relay(in <-chan Beat, w *kafka.Writer) {
	for b := range in {
		body, _ := json.Marshal(b)
		w.WriteMessages(ctx, kafka.Message{Topic: "beats", Value: body})
	}
}
func main() {
	beats := make(chan Beat, 10)
	go relay(beats, &kafka.Writer{})
	beats <- Beat{Host: hostname(), Load: load()}
}
"""
    assert fields_of(sends({"main.go": code}), "beats").keys() >= {"host", "load"}


def test_what_a_bus_of_the_language_is_given_reaches_its_handlers(sends: Sends) -> None:
    code = """
import { EventEmitter } from 'events';
import { Kafka } from 'kafkajs';
const bus = new EventEmitter();
const producer = new Kafka({}).producer();
bus.on('paid', (one) => producer.send({ topic: 'paid', messages: [{ value: JSON.stringify({ no: one.no }) }] }));
export function pay(order) {
  if (order.total > 0) bus.emit('paid', { no: order.id });
}
"""
    other = code.replace("no: order.id", "no: order.number")

    assert any(one.certain for one in compare(sends({"a.ts": code}), sends({"a.ts": other})))


def test_a_condition_before_a_bus_decides_what_its_handlers_send(sends: Sends) -> None:
    code = """
import mitt from 'mitt';
import { Kafka } from 'kafkajs';
const producer = new Kafka({}).producer();
const hub = new Hub();
hub.on('left', (id) => producer.send({ topic: 'left', messages: [{ value: id }] }));
export const leave = (user) => { hub.fire('left', user.id); };
"""
    other = code.replace("hub.fire(", "if (user.active) hub.fire(")

    assert any(one.certain for one in compare(sends({"a.ts": code}), sends({"a.ts": other})))


def test_a_lambda_of_kotlin_extends_the_object_that_its_type_says(sends: Sends) -> None:
    code = """
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.clients.producer.ProducerRecord
class Draft(val producer: KafkaProducer<String, Any>) {
    private var body: Map<String, Any> = emptyMap()
    fun body(value: Map<String, Any>) { body = value }
    fun post(topic: String) { producer.send(ProducerRecord(topic, body)) }
}
class Desk(private val producer: KafkaProducer<String, Any>) {
    private fun draft(build: Draft.(String) -> Unit) = Draft(producer).run { build("desk") }
    fun close(ticket: Ticket) = draft { name ->
        body(mapOf("id" to ticket.id, "by" to name))
        post("tickets")
    }
}
"""
    assert fields_of(sends({"A.kt": code}), "tickets").keys() >= {"id", "by"}


def test_a_value_of_kotlin_that_is_taken_under_a_condition_has_its_fields(sends: Sends) -> None:
    code = """
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.clients.producer.ProducerRecord
class A(private val producer: KafkaProducer<String, Any>) {
    fun on(reading: Reading) {
        val hot = reading.takeUnless { it.celsius < 40 } ?: return
        producer.send(ProducerRecord("hot", mapOf("at" to hot.at)))
    }
}
"""
    other = code.replace("< 40", "< 50")

    assert any(one.certain for one in compare(sends({"A.kt": code}), sends({"A.kt": other})))


def test_what_a_handler_returns_that_a_router_writes_is_sent(sends: Sends) -> None:
    code = """
package main
import (
	"encoding/json"
	"github.com/ThreeDotsLabs/watermill/message"
)
type Scan struct { Code string `json:"code"`; Gate int `json:"gate"` }
type Entry struct { Ticket string `json:"ticket"` }
func wire(r *message.Router, s message.Subscriber, p message.Publisher) {
	r.AddHandler("entries", "scans", s, "entries", p, func(m *message.Message) ([]*message.Message, error) {
		scan := Scan{}
		if err := json.Unmarshal(m.Payload, &scan); err != nil {
			return nil, err
		}
		body, err := json.Marshal(Entry{Ticket: scan.Code})
		return []*message.Message{message.NewMessage("id", body)}, err
	})
}
"""
    found = sends({"main.go": code})

    assert passed_of(found) == {("code", "ticket")}
    assert {topic for one in found.contracts for topic in one.topics} == {"entries"}


JAVA = """
import org.apache.kafka.clients.producer.*;
import java.util.*;
class A {
  private final Producer<String, String> producer;
  private final List<Runnable> later = new ArrayList<>();
  A(Producer<String, String> producer) { this.producer = producer; }
  BODY
}
"""


def test_a_method_of_an_object_that_is_named_is_called_with_each_element(sends: Sends) -> None:
    body = """void all(Set<String> names) {
      names.stream().map(name -> new ProducerRecord<String, String>("names", name)).forEach(producer::send);
    }"""
    found = sends({"A.java": JAVA.replace("BODY", body)})

    assert [one.topics for one in found.contracts] == [("names",)]


def test_a_function_that_is_kept_for_later_is_not_followed(sends: Sends) -> None:
    """Nothing says what it is called with, and under which conditions."""
    body = """
    private void flush() { producer.send(new ProducerRecord<>("out", "x")); }
    void plan() { later.add(this::flush); }"""

    assert sends({"A.java": JAVA.replace("BODY", body)}).is_opaque


def test_a_member_that_is_left_out_only_without_a_value_is_written(sends: Sends) -> None:
    body = """
  class Note {
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] public string? Text { get; set; }
    [JsonIgnore] public string? Secret { get; set; }
  }
  void Run(string text) =>
    _producer.Produce("notes", new Message<string, Note> { Value = new Note { Text = text, Secret = "s" } });"""

    assert fields_of(sends({"A.cs": CSHARP.replace("BODY", body)}), "notes").keys() == {"Text"}


def test_a_conversion_of_rust_makes_the_type_inside_of_a_result(sends: Sends) -> None:
    code = """
use rdkafka::producer::{FutureProducer, FutureRecord};
pub struct Raw { pub t: f64 }
#[derive(Serialize)]
pub struct Heat { pub celsius: f64 }
impl From<&Raw> for Heat {
    fn from(raw: &Raw) -> Self { Heat { celsius: raw.t / 10.0 } }
}
fn convert(raw: &Raw) -> Result<Option<Heat>, Error> { Ok(Some(raw.into())) }
pub async fn run(producer: FutureProducer, raw: Raw) {
    if let Some(heat) = convert(&raw).unwrap() {
        let body = serde_json::to_vec(&heat).unwrap();
        producer.send(FutureRecord::to("heat").key("k").payload(&body), None).await;
    }
}
"""
    assert fields_of(sends({"main.rs": code}), "heat").keys() == {"celsius"}


def test_an_operator_of_a_class_is_its_method(sends: Sends) -> None:
    code = """
from kafka import KafkaProducer
producer = KafkaProducer()
class Path:
    def __init__(self, text):
        self.text = text
    def __truediv__(self, other):
        return Path(f"{self.text}.{other}")
def moved(item):
    where = Path("stock") / item["shelf"]
    producer.send("moves", {"where": where.text})
"""
    assert fields_of(sends({"a.py": code}), "moves") == {"where": 'text("stock.", in:0.shelf)'}


def test_a_class_below_one_that_sends_is_made_by_the_framework_too(sends: Sends) -> None:
    """Its own members are those that the inherited method sees."""
    code = """
import { Kafka } from 'kafkajs';
export abstract class Feed<T> {
  protected abstract readonly name: string;
  private readonly out = new Kafka({}).producer();
  async push(one: T) { await this.out.send({ topic: this.name, messages: [{ value: JSON.stringify(one) }] }); }
}
export class Prices extends Feed<Price> { protected readonly name = 'prices'; }
export class Market {
  constructor(private readonly feed: Prices) {}
  async quote(symbol: string, bid: number) { await this.feed.push({ symbol, bid } as Price); }
}
"""
    assert fields_of(sends({"a.ts": code}), "prices").keys() >= {"symbol", "bid"}


def test_a_function_of_a_class_may_extend_another_class(sends: Callable[..., Endpoints]) -> None:
    code = """
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.clients.producer.ProducerRecord

data class Payment(val id: String, val cents: Long, val iban: String?)
data class Booking(val number: String, val amount: Double, val account: String)

class Booker(private val producer: KafkaProducer<String, String>) {
    fun handle(raw: String) {
        val payment: Payment = mapper.readValue(raw)
        val booking = payment.toBooking().copy(account = payment.iban?.takeLast(4) ?: "")
        producer.send(ProducerRecord("bookings", mapper.writeValueAsString(booking)))
    }
    private fun Payment.toBooking() = Booking(number = id, amount = cents / 100.0, account = "")
}

fun main() {
    val consumer = KafkaConsumer<String, String>(props)
    consumer.subscribe(listOf("payments"))
    val booker = Booker(KafkaProducer(props))
    for (record in consumer.poll(timeout)) booker.handle(record.value())
}
"""
    assert passed_of(sends({"Main.kt": code})) == {("id", "number"), ("cents", "amount"), ("iban", "account")}


def test_a_map_that_a_comprehension_makes_has_the_known_keys(sends: Callable[..., Endpoints]) -> None:
    code = """
import json
from confluent_kafka import Consumer, Producer

consumer = Consumer({"group.id": "g"})
producer = Producer({})
consumer.subscribe(["raw"])
while True:
    reading = json.loads(consumer.poll(1.0).value())
    clean = {"at": reading["ts"], **{key: reading[key] for key in ("site", "room")}}
    producer.produce("clean", json.dumps(clean))
"""
    assert passed_of(sends({"a.py": code})) == {("ts", "at"), ("site", "site"), ("room", "room")}


def test_a_text_in_a_record_of_a_stream_is_no_stream(sends: Callable[..., Endpoints]) -> None:
    code = """
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
class App {
  static class Click { public String page; }
  static class View { public String path; }
  void build(StreamsBuilder builder) {
    KStream<String, Click> clicks = builder.stream("clicks");
    clicks.mapValues(click -> { View v = new View(); v.path = click.page.split("#")[0]; return v; }).to("views");
  }
}
"""
    assert passed_of(sends({"App.java": code})) == {("page", "path")}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "application.yml": "spring.cloud.stream.bindings:\n  enrich-in-0.destination: contacts\n"
                "  enrich-out-0.destination: profiles\n",
                "App.kt": """
import org.springframework.cloud.stream.annotation.EnableBinding
import org.springframework.context.annotation.Bean
import java.util.function.Function
data class Contact(val id: Long, val last: String, val tags: List<String>)
data class Profile(val contact: Long, val vip: Boolean)
class App {
    @Bean
    fun enrich(): Function<Contact, Profile?> = Function { contact ->
        if (contact.last.isBlank()) return@Function null
        Profile(contact = contact.id, vip = "vip" in contact.tags)
    }
}
""",
            },
            {("id", "contact"), ("tags", "vip")},
        ),
        (
            {
                "Mails.cs": """
using DotNetCore.CAP;
public class Signup { public string Email { get; set; } }
public class Mail { public string To { get; set; } }
public class Mails : ICapSubscribe
{
    private readonly ICapPublisher bus;
    public Mails(ICapPublisher bus) { this.bus = bus; }
    [CapSubscribe("signups")]
    public async Task Handle(Signup signup) { await bus.PublishAsync("mails", new Mail { To = signup.Email }); }
}
"""
            },
            {("Email", "To")},
        ),
        (
            {
                "main.py": """
from quixstreams import Application
app = Application(broker_address="kafka:9092", consumer_group="g")
readings = app.topic("readings", value_deserializer="json")
alarms = app.topic("alarms")
def to_alarm(value):
    return {"machine": value["id"], "temp": value["temp"]}
sdf = app.dataframe(readings).filter(lambda v: v["temp"] > 70).apply(to_alarm).to_topic(alarms)
"""
            },
            {("id", "machine"), ("temp", "temp")},
        ),
        (
            {
                "Main.scala": """
import fs2.kafka._
import io.circe.parser.decode
import io.circe.syntax._
final case class Meter(serial: String)
final case class Bill(meter: String)
object Main {
  def run = KafkaConsumer.stream(settings).subscribeTo("meters").records.map { one =>
    decode[Meter](one.record.value) match {
      case Right(meter) => ProducerRecords.one(ProducerRecord("bills", "k", Bill(meter = meter.serial).asJson.noSpaces))
      case Left(_) => ProducerRecords(Nil)
    }
  }.through(KafkaProducer.pipe(producerSettings)).compile.drain
}
"""
            },
            {("serial", "meter")},
        ),
    ],
)
def test_what_a_stream_or_a_listener_makes_of_records(
    sends: Sends, files: dict[str, str], expected: set[tuple[str, str]]
) -> None:
    """Functions of streams that return early or nothing, and listeners of libraries that subscribe by a note."""
    found = sends(files)

    assert passed_of(found) == expected
    assert not any(one.opaque for one in found.contracts)


def test_what_a_library_makes_and_code_puts_keys_in_is_a_map(sends: Sends) -> None:
    code = """
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
class Router {
  private final ObjectMapper json = new ObjectMapper();
  private final KafkaProducer<String, String> producer = new KafkaProducer<>(props);
  void run(KafkaConsumer<String, String> consumer) throws Exception {
    consumer.subscribe(List.of("raw"));
    for (ConsumerRecord<String, String> one : consumer.poll(timeout)) {
      JsonNode event = json.readTree(one.value());
      ObjectNode out = json.createObjectNode();
      out.put("vehicle", event.get("vin").asText());
      out.put("speed", event.path("telemetry").path("kmh").asDouble() / 3.6);
      producer.send(new ProducerRecord<>("positions", json.writeValueAsString(out)));
    }
  }
}
"""
    assert passed_of(sends({"Router.java": code})) == {("vin", "vehicle"), ("telemetry.kmh", "speed")}


def test_what_is_done_with_a_failure_is_not_done_with_the_value(sends: Sends) -> None:
    """A record is what the value is; what a handler of the failure sends is sent if there is one."""
    rust = """
use rdkafka::producer::{BaseProducer, BaseRecord};
#[derive(serde::Serialize)]
struct Status { id: String }
fn publish(producer: &BaseProducer, status: &Status) -> Result<(), String> {
    let body = serde_json::to_vec(status).map_err(|e| e.to_string())?;
    producer.send(BaseRecord::to("status").payload(&body)).map_err(|(e, _)| e.to_string())
}
"""
    script = """
import { Kafka } from 'kafkajs';
const producer = new Kafka({ brokers: ['k:9092'] }).producer();
const send = (topic, value) => producer.send({ topic, messages: [{ value: JSON.stringify(value) }] });
export async function save(order) {
  const total = await price(order).catch((e) => { send('dead', { id: order.id }); return 0; });
  await send('orders', { id: order.id, total });
}
"""
    found = sends({"a.ts": script})

    assert fields_of(sends({"main.rs": rust}), "status").keys() == {"id"}
    assert fields_of(found, "orders").keys() == {"id", "total"}
    assert {one.guards for one in found.contracts if "dead" in one.topics} == {frozenset({"failure"})}


def test_records_are_read_with_an_object_that_a_lambda_extends(sends: Sends) -> None:
    code = """
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.clients.producer.*
data class Scan(val tag: String)
fun main() {
    val consumer = KafkaConsumer<String, String>(props).apply { subscribe(listOf("scans")) }
    val producer = KafkaProducer<String, String>(props)
    for (one in consumer.poll(timeout)) {
        val scan = Json.decodeFromString<Scan>(one.value())
        producer.send(ProducerRecord("tags", Json.encodeToString(mapOf("id" to scan.tag))))
    }
}
"""
    assert passed_of(sends({"Main.kt": code})) == {("tag", "id")}


def test_a_map_of_go_without_a_value_is_filled(sends: Sends) -> None:
    code = """
package main
import ("encoding/json"; "github.com/segmentio/kafka-go")
func run(r *kafka.Reader, w *kafka.Writer) {
	m, _ := r.ReadMessage(ctx)
	var event map[string]any
	if json.Unmarshal(m.Value, &event) != nil {
		return
	}
	body, _ := json.Marshal(map[string]any{"actor": event["user"]})
	w.WriteMessages(ctx, kafka.Message{Topic: "audit", Value: body})
}
func main() { run(kafka.NewReader(kafka.ReaderConfig{Topic: "events"}), &kafka.Writer{}) }
"""
    assert passed_of(sends({"main.go": code})) == {("user", "actor")}


PROFILE = """
using AutoMapper;
using Confluent.Kafka;
public class Update { public string Gate { get; set; } public int Delay { get; set; } public string Airline { get; set; } public string Note { get; set; } }
public class Line { public string Gate { get; set; } public string Status { get; set; } public string Carrier { get; set; } public string Note { get; set; } }
public class Boards : Profile
{
    public Boards()
    {
        CreateMap<Update, Line>()
            .ForMember(d => d.Status, o => o.MapFrom(s => s.Delay > 0 ? "delayed" : "on time"))
            .ForMember(d => d.Carrier, o => o.MapFrom(s => s.Airline))
            .ForMember(d => d.Note, o => o.Ignore());
    }
}
public class Worker
{
    private readonly IMapper mapper; private readonly IProducer<string, string> producer;
    public Worker(IMapper mapper, IProducer<string, string> producer) { this.mapper = mapper; this.producer = producer; }
    public void Run(IConsumer<string, string> consumer)
    {
        consumer.Subscribe("updates");
        var update = JsonSerializer.Deserialize<Update>(consumer.Consume().Message.Value);
        producer.Produce("board", new Message<string, string> { Value = JsonSerializer.Serialize(mapper.Map<Line>(update)) });
    }
}
"""  # noqa: E501  as classes of C# are written


def test_a_profile_says_what_members_are_mapped_from(sends: Sends) -> None:
    found = sends({"Board.cs": PROFILE})
    other = sends({"Board.cs": PROFILE.replace("s => s.Airline", "s => s.Gate")})

    assert passed_of(found) == {("Gate", "Gate"), ("Delay", "Status"), ("Airline", "Carrier")}
    assert any(one.certain for one in compare(found, other))


OWN_LIST = """
import json
from threading import Thread
from kafka import KafkaConsumer, KafkaProducer
producer = KafkaProducer()

def read():
    batch = []
    for message in KafkaConsumer("orders"):
        batch.append(json.loads(message.value)["id"])

def send(batch):
    for one in batch:
        producer.send("ids", json.dumps({"id": one}).encode())
"""


def test_what_a_function_keeps_in_a_list_of_its_own_is_not_what_others_send(sends: Sends) -> None:
    shared = OWN_LIST.replace("batch = []\n", "batch = []\n    Thread(target=send, args=(batch,)).start()\n")

    assert passed_of(sends({"a.py": OWN_LIST})) == set()
    assert passed_of(sends({"a.py": shared})) == {("id", "id")}


HANDED = {
    "C#": {
        "lib/Health.cs": """\
using Confluent.Kafka;
public class KafkaHealth : IHealthCheck {
  private readonly IProducer<Null, string> _producer;
  private readonly string _topic;
  public KafkaHealth(string topic) {
    _topic = topic;
    _producer = new ProducerBuilder<Null, string>(new ProducerConfig()).Build();
  }
  public async Task<Result> CheckAsync(Context context) {
    await _producer.ProduceAsync(_topic, new Message<Null, string> { Value = "test" });
    return Result.Healthy();
  }
}
""",
        "app/Program.cs": 'services.AddHealthChecks().AddCheck("kafka", new KafkaHealth("probe"));\n',
    },
    "Java": {
        "lib/Reporter.java": """\
package lib;
import org.apache.kafka.clients.producer.*;
import com.codahale.metrics.ScheduledReporter;
public class Reporter extends ScheduledReporter {
  private final KafkaProducer<String, String> producer = new KafkaProducer<>(settings());
  public void report(Gauges gauges) { producer.send(new ProducerRecord<>("probe", gauges.toString())); }
}
""",
        "app/Main.java": "package app;\nimport lib.Reporter;\nimport org.metrics.Registry;\nclass Main {\n"
        "  public static void main(String[] args) { Registry.global().start(new Reporter()); }\n}\n",
    },
}


@pytest.mark.parametrize("name", HANDED)
def test_a_library_calls_the_methods_of_objects_that_it_is_given(sends: Sends, name: str) -> None:
    own = [path for path in HANDED[name] if path.startswith("app/")]
    found = sends(HANDED[name], own=own)
    assert [one.topics for one in found.contracts] == [("probe",)]
    assert not found.unresolved


def test_an_object_that_the_program_does_not_make_is_not_called(sends: Sends) -> None:
    files = {**HANDED["C#"], "app/Program.cs": "services.AddHealthChecks();\n"}
    assert not sends(files, own=["app/Program.cs"]).contracts


BUS = """\
const { Kafka } = require('kafkajs')
const producer = new Kafka({}).producer()
const push = async (mail) => producer.send({ topic: 'mail', messages: [{ value: JSON.stringify(mail) }] })
module.exports = { push }
"""


@pytest.mark.parametrize(
    "line",
    [
        "const bus = require('@generics/bus')",
        "const bus = require('generics/bus')",
        "import * as bus from '#generics/bus.js'",
        "import { push } from '~/generics/bus'",
    ],
)
def test_imports_by_a_name_of_the_project_mean_its_files(sends: Sends, line: str) -> None:
    """As `paths` of jsconfig.json, `imports` of package.json and the module path of Node name directories."""
    call = "push" if "{" in line else "bus.push"
    found = sends(
        {"src/generics/bus.js": BUS, "src/a.js": f"{line}\nasync function f(to) {{ await {call}({{ to }}) }}\n"}
    )
    assert [[path for path, _ in one.shape.fields] for one in found.contracts if one.view == "f"] == [["to"]]


def test_a_package_with_the_name_of_a_file_is_none_of_the_project(sends: Sends) -> None:
    line = "import { push } from '@nestjs/bus'"
    found = sends(
        {"src/generics/bus.js": BUS, "src/a.js": f"{line}\nasync function f(to) {{ await push({{ to }}) }}\n"}
    )
    assert [one.view for one in found.contracts] == ["push"]


def test_a_class_that_a_module_exports_has_its_methods(sends: Sends) -> None:
    code = "const bus = require('@generics/bus')\nmodule.exports = class Mails {\n  static async welcome(user) {\n"
    code += "    await bus.push({ to: user.mail })\n  }\n}\n"
    user = "const Mails = require('./mails')\nmodule.exports.joined = async (user) => { await Mails.welcome(user) }\n"
    found = sends({"src/generics/bus.js": BUS, "src/mails.js": code, "src/users.js": user})
    inner = [one for one in found.contracts if one.view == "Mails.welcome"]
    assert [[path for path, _ in one.shape.fields] for one in inner] == [["to"]]
    assert any("Mails.welcome" in one.path and one.view != "Mails.welcome" for one in found.contracts)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/bus/out/orders.ts", "import { writer } from '..'"),
        ("src/bus/orders.ts", "import { writer } from '.'"),
        ("src/orders/orders.ts", "import { writer } from '../bus'"),
        ("src/orders/orders.ts", "import * as bus from '../bus/'\nconst writer = bus.writer"),
        ("src/bus/out/orders.js", "const { writer } = require('./../')"),
        ("src/bus/out/orders.js", "const bus = require('..')\nconst writer = bus.writer"),
    ],
)
def test_a_relative_import_means_the_file_at_its_path(sends: Sends, path: str, line: str) -> None:
    """A file of the same name in another directory may be nearer."""
    bus = "import { Kafka } from 'kafkajs'\nconst kafka = new Kafka({ brokers: [] })\nexport const writer = "
    files = {
        "src/bus/index.ts": bus + "kafka.producer()",
        "src/bus/out/index.ts": "export const writer = new Log()",
        "src/orders/bus/index.ts": "export const writer = new Log()",
        path: f"{line}\nexport async function placed(order) {{\n"
        "  await writer.send({ topic: 'orders', messages: [{ value: JSON.stringify({ id: order.id }) }] })\n}\n",
    }

    assert set(fields_of(sends(files), "orders")) == {"id"}


@pytest.mark.parametrize(
    ("handed", "called"),
    [
        ("export { publish } from './out'", "publish"),
        ("export { publish as announce } from './out'", "announce"),
        ("export * from './out'", "publish"),
        ("export * as out from './out'", "out.publish"),
        ("import { publish } from './out'\nexport { publish as tell }", "tell"),
        ("import { publish } from './out'\nexport { publish }", "publish"),
        ("export { default as send } from './plain'", "send"),
        ("import send from './plain'\nexport { send }", "send"),
        ("import { publish as announce } from './out'\nmodule.exports = { tell: announce }", "tell"),
    ],
)
def test_what_a_module_hands_on_is_what_it_has_from_another(sends: Sends, handed: str, called: str) -> None:
    client = "import { Kafka } from 'kafkajs'\nconst producer = new Kafka({ brokers: [] }).producer()\n"
    send = "(bill) => producer.send({ topic: 'bills', messages: [{ value: JSON.stringify({ sum: bill.sum }) }] })\n"
    files = {
        "lib/messaging/out.ts": f"{client}export const publish = {send}",
        "lib/messaging/plain.ts": f"{client}export default {send}",
        "lib/messaging/index.ts": handed,
        "app/bills.ts": f"import {{ {called.partition('.')[0]} }} from '../lib/messaging'\n"
        f"export async function close(order) {{ await {called}({{ sum: order.items.total }}) }}\n",
    }

    sums = {one.shape.fields[0][1].text for one in sends(files).contracts if one.view == "close"}

    assert sums == {"in:0.items.total"}


ASSEMBLED = {
    "main.go": """package main
func main() {
    boot := NewBoot(LoadConfig())
    boot.Start()
}
""",
    "boot.go": """package main
import (
    "google.golang.org/grpc"
    pb "example.com/shop/orders"
)
type Boot struct { conf *Config; api *Api }
func NewBoot(conf *Config) *Boot { return &Boot{conf: conf, api: &Api{}} }
func (b *Boot) Start() {
    sink, err := OpenSink(b.conf.Topic)
    if err != nil { panic(err) }
    b.wire(sink)
    server := grpc.NewServer()
    pb.RegisterOrdersServer(server, b.api)
}
func (b *Boot) wire(sink *Sink) { b.api = NewApi(sink) }
""",
    "config.go": """package main
import "os"
type Config struct { Topic string }
func LoadConfig() *Config { return &Config{Topic: os.Getenv("ORDERS_TOPIC")} }
""",
    "api.go": """package main
import (
    "context"
    pb "example.com/shop/orders"
)
type Api struct { sink *Sink }
func NewApi(sink *Sink) *Api { return &Api{sink: sink} }
func (a *Api) Place(ctx context.Context, in *pb.Order) (*pb.Empty, error) { return nil, a.sink.Put(in.Id) }
""",
    "sink.go": """package main
import "github.com/twmb/franz-go/pkg/kgo"
type Sink struct { client *kgo.Client; topic string }
func OpenSink(topic string) (*Sink, error) {
    client, err := kgo.NewClient(kgo.SeedBrokers("b"))
    if err != nil { return nil, err }
    return &Sink{client: client, topic: topic}, nil
}
func (s *Sink) Put(id string) error {
    s.client.Produce(ctx, &kgo.Record{Topic: s.topic, Value: []byte(id)}, nil)
    return nil
}
""",
    ".env": "ORDERS_TOPIC=orders-placed\n",
}


def test_an_object_that_a_library_calls_has_what_the_program_makes_it_of(sends: Sends) -> None:
    """No code calls the method that sends; what the object holds is known from where all of it begins."""
    found = sends(ASSEMBLED)

    assert {one.topics for one in found.contracts} == {("orders-placed",)}


@pytest.mark.parametrize(
    "made",
    [
        "Mono.fromCallable(() -> receiptOf(order))",
        "Mono.fromSupplier(() -> order.paid() ? receiptOf(order) : new Receipt(order.getId(), 0))",
        "CompletableFuture.supplyAsync(() -> { return receiptOf(order); }, executor)",
        "Uni.createFrom().item(() -> receiptOf(order))",
    ],
)
def test_what_a_function_makes_that_is_there_later_is_what_comes_of_it(sends: Sends, made: str) -> None:
    name = "thenAccept" if "Future" in made else "invoke" if "Uni" in made else "doOnNext"
    code = f"""
import io.smallrye.mutiny.Uni;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.*;
import reactor.core.publisher.Mono;
record Receipt(String id, long cents) {{}}
class Till {{
  private final Producer<String, String> producer;
  private final Mapper mapper;
  private Receipt receiptOf(Order order) {{ return new Receipt(order.getId(), order.getTotal()); }}
  void close(Order order) {{
    {made}.{name}(one -> producer.send(new ProducerRecord<>("receipts", mapper.write(one))));
  }}
}}
"""
    found = {field for one in sends({"Till.java": code}).contracts for field in one.shape.fields}

    texts = {"in:0.total", "0"} if "?" in made else {"in:0.total"}
    assert {(path, part.text) for path, part in found} == {("id", "in:0.id"), *(("cents", one) for one in texts)}


NOTED = {
    "Bus.cs": """
using System;
using System.Linq;
using System.Reflection;
using Confluent.Kafka;
public class StreamAttribute : Attribute {
  public StreamAttribute(string name) { Name = name; }
  public string Name { get; }
}
[Obsolete] [Stream("bills")] public class Bill { public string Id { get; set; } }
public class Bus {
  private readonly Lazy<IProducer<string, string>> _producer;
  public Bus(IFactory factory) { _producer = new Lazy<IProducer<string, string>>(() => factory.Build()); }
  public void Publish<T>(T message) {
    var stream = NOTE;
    _producer.Value.Produce(stream.Name, new Message<string, string> { Value = Json.Of(message) });
  }
}
public class Till { private readonly Bus bus; public void Close(string id) { bus.Publish(new Bill { Id = id }); } }
""",
    "Bus.java": """
import org.apache.kafka.clients.producer.*;
@interface Stream { String name(); }
@Deprecated @Stream(name = "bills") record Bill(String Id) {}
class Bus {
  private final Producer<String, String> producer;
  <T> void publish(T message) {
    Stream stream = NOTE;
    producer.send(new ProducerRecord<>(stream.name(), Json.of(message)));
  }
}
class Till { private final Bus bus; void close(String id) { bus.publish(new Bill(id)); } }
""",
    "Bus.kt": """
import org.apache.kafka.clients.producer.*
annotation class Stream(val name: String)
@Stream("bills") data class Bill(val Id: String)
class Bus(private val producer: Producer<String, String>) {
  fun <T : Any> publish(message: T) {
    val stream = NOTE
    producer.send(ProducerRecord(stream.name, Json.of(message)))
  }
}
class Till(private val bus: Bus) { fun close(id: String) { bus.publish(Bill(id)) } }
""",
}


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("Bus.cs", "typeof(T).GetCustomAttribute<StreamAttribute>()"),
        ("Bus.cs", "(StreamAttribute)Attribute.GetCustomAttribute(message.GetType(), typeof(StreamAttribute))!"),
        ("Bus.cs", "Attribute.GetCustomAttributes(message.GetType()).OfType<StreamAttribute>().Single()"),
        ("Bus.java", "message.getClass().getAnnotation(Stream.class)"),
        ("Bus.java", "AnnotationUtils.findAnnotation(message.getClass(), Stream.class)"),
        ("Bus.kt", "message::class.findAnnotation<Stream>()!!"),
        ("Bus.kt", "message.javaClass.getAnnotation(Stream::class.java)"),
        ("Bus.kt", "message::class.java.getAnnotation(Stream::class.java)"),
    ],
)
def test_code_that_reads_a_note_of_a_class_gets_what_is_in_it(sends: Sends, path: str, note: str) -> None:
    """The topic of a message may stand at its class."""
    found = sends({path: NOTED[path].replace("NOTE", note)})

    assert set(fields_of(found, "bills")) == {"Id"}


@pytest.mark.parametrize(
    "body",
    [
        "try:\n        bill = {'id': order.id}\n    except ValueError:\n        raise HTTPException(400)",
        "with session() as db:\n        try:\n            bill = {'id': order.id}\n        finally:\n            pass",
        "for _ in range(3):\n        if order.paid:\n            bill = {'id': order.id}",
        "if order.paid:\n        bill = {'id': order.id}\n    else:\n        bill = {'id': order.number}",
    ],
)
@pytest.mark.parametrize("is_method", [True, False])
def test_a_variable_of_python_is_one_of_the_whole_function(sends: Sends, body: str, *, is_method: bool) -> None:
    """A block of Python has no variables of its own."""
    function = f"def close(ORDER):\n    {body}\n    producer.send('bills', json.dumps(bill).encode())\n"
    function = function.replace("ORDER", "self, order" if is_method else "order")
    if is_method:
        function = "class Till:\n" + "".join(f"    {line}\n" for line in function.splitlines())
    code = f"import json\nfrom kafka import KafkaProducer\nproducer = KafkaProducer()\n\n\n{function}"

    assert set(fields_of(sends({"till.py": code}), "bills")) == {"id"}


@pytest.mark.parametrize(("kind", "is_sent"), [("com.example.house.Outbound", True), ("java.util.Queue", False)])
@pytest.mark.parametrize("path", ["Bills.java", "Bills.kt"])
def test_a_record_that_the_object_of_another_library_is_given_is_sent(
    sends: Sends, path: str, kind: str, *, is_sent: bool
) -> None:
    """What wraps a client is not known, and the record says where it goes."""
    simple = kind.rpartition(".")[2]
    java = f"""
import {kind};
import org.apache.kafka.clients.producer.ProducerRecord;
record Bill(long sum) {{}}
class Bills {{
  private final {simple}<String, Bill> outbound;
  void close(Order order) {{
    outbound.hand(new ProducerRecord<>("bills", order.getId(), new Bill(order.getTotal())));
  }}
}}
"""
    kotlin = f"""
import {kind}
import org.apache.kafka.clients.producer.ProducerRecord
data class Bill(val sum: Long)
class Bills(private val outbound: {simple}<String, Bill>) {{
  fun close(order: Order) {{ ProducerRecord("bills", order.id, Bill(order.total)).let {{ outbound.hand(it) }} }}
}}
"""
    found = sends({path: java if path.endswith(".java") else kotlin})

    assert set(fields_of(found, "bills")) == ({"sum"} if is_sent else set())


def test_a_method_that_a_library_implements_is_given_parts_of_a_record(sends: Sends) -> None:
    """Headers are not the value, and an object that the database returns is of the parameter's class."""
    code = """
import io.micronaut.configuration.kafka.annotation.*
import io.micronaut.messaging.annotation.*
data class Parcel(val code: String, val grams: Int)
@KafkaClient interface Parcels {
  @Topic("parcels")
  fun send(@KafkaKey depot: String, @MessageBody parcel: Parcel, @MessageHeader("Trace-Id") trace: String)
}
class Depot(private val parcels: Parcels, private val rows: Rows) {
  fun ship(code: String) { rows.find(code).ifPresent { parcels.send("north", it, newTrace()) } }
}
"""
    found = [one for one in sends({"Depot.kt": code}).contracts if one.topics == ("parcels",)]

    assert {path for one in found for path, _ in one.shape.fields} == {"code", "grams"}
    assert {dict(one.parts)["key"] for one in found} == {'"north"'}

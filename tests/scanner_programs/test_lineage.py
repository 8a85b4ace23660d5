"""Which field of what a program receives becomes which field of what it sends, in several languages and styles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "data" / "lineage").glob("*.json"))}


@pytest.mark.parametrize("texts", [True, False], ids=["to compare", "to scan"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_fields_are_followed_through_a_program(sends, name, texts) -> None:
    """No field is missed, and none is stated that does not reach the output, whatever a program is read for."""
    program = json.loads(PROGRAMS[name].read_text())
    found = sends(program["files"], texts=texts)
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
    assert [(one.topic, one.place) for one in found.received] == [("in", ("a.py", 4))]


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
    "a mapper that a library implements, with names, a method and lists": (
        "A.java",
        SPRING
        + """
        import org.mapstruct.*;
        import java.util.List;
        class A {
          private final KafkaTemplate<String, Bill> template; private final Mappings mappings;
          A(KafkaTemplate<String, Bill> template, Mappings mappings) {
            this.template = template; this.mappings = mappings;
          }
          @KafkaListener(topics = "in") void on(Order order) { template.send("out", mappings.bill(order)); }
        }
        @Mapper(componentModel = "spring")
        interface Mappings {
          @Mapping(target = "payer", source = "buyer.name")
          @Mapping(target = "label", source = "buyer", qualifiedByName = "label")
          @Mapping(target = "state", constant = "OPEN")
          Bill bill(Order order);
          @Mapping(target = "article", source = "sku")
          Position position(Line line);
          @Named("label") default String label(Buyer buyer) { return buyer.name() + buyer.town(); }
        }
        record Order(String no, Buyer buyer, List<Line> lines, String secret) {}
        record Buyer(String name, String town) {}
        record Line(String sku, int count) {}
        class Bill { public String no; public String payer; public String label; public String state;
          public List<Position> lines; }
        record Position(String article, int count) {}
        """,
        {
            *(("no", "no"), ("buyer.name", "payer"), ("buyer.name", "label"), ("buyer.town", "label")),
            *(("lines[].sku", "lines[].article"), ("lines[].count", "lines[].count")),
        },
    ),
    "a list of a class, a copy with changes and a nested record in C#": (
        "A.cs",
        """
        using Confluent.Kafka; using System.Text.Json;
        record Line(string Sku, int Count); record Buyer(string Name, string Mail);
        record Order(string Id, Buyer Buyer, List<Line> Lines, string State);
        class A {
          static void Main() {
            var consumer = new ConsumerBuilder<string, string>(c).Build(); consumer.Subscribe("in");
            var producer = new ProducerBuilder<string, string>(c).Build();
            while (true) {
              var order = JsonSerializer.Deserialize<Order>(consumer.Consume().Message.Value);
              if (order is { Lines.Count: > 0, Buyer: var buyer } known)
                producer.Produce("out", new Message<string, string> {
                  Value = JsonSerializer.Serialize(known with { State = "SEEN", Buyer = new(buyer.Mail, "none") }) });
            }
          }
        }
        """,
        {
            ("Id", "Id"),
            ("Buyer.Mail", "Buyer.Name"),
            ("Lines[].Sku", "Lines[].Sku"),
            ("Lines[].Count", "Lines[].Count"),
        },
    ),
    "a generator, and a context that gives the producer, in Python": (
        "a.py",
        """
import json
from contextlib import contextmanager
from confluent_kafka import Consumer, Producer
def records(topic):
    consumer = Consumer({})
    consumer.subscribe([topic])
    while True:
        message = consumer.poll(1)
        if message is None:
            continue
        yield json.loads(message.value())
@contextmanager
def producing():
    producer = Producer({})
    yield producer
    producer.flush()
with producing() as out:
    for record in records("in"):
        out.produce("out", value=json.dumps({"who": record["user"]["name"]}))
        """,
        {("user.name", "who")},
    ),
    "a class method that makes an object, and a table of handlers with their topics, in Python": (
        "a.py",
        """
import json
from dataclasses import asdict, dataclass
from confluent_kafka import Consumer, Producer
@dataclass
class Count:
    station: str
    votes: list
    @classmethod
    def parse(cls, raw): return cls(station=raw["st"], votes=raw.get("votes", []))
@dataclass
class Result:
    place: str
    total: int
    note: str = None
    def document(self): return {name: one for name, one in asdict(self).items() if one is not None}
class Counts:
    def handle(self, raw):
        count = Count.parse(raw)
        return Result(count.station, sum(v["n"] for v in count.votes))
class Others:
    def handle(self, raw): return Result(raw["name"], 0, raw["text"])
class Pipe:
    def __init__(self):
        self.consumer, self.producer = Consumer({}), Producer({})
        self.routes = {"in": (Counts(), "out"), "other": (Others(), "elsewhere")}
    def run(self):
        self.consumer.subscribe(list(self.routes))
        while True:
            message = self.consumer.poll(1.0)
            handler, target = self.routes[message.topic()]
            self.send(target, handler.handle(json.loads(message.value())))
    def send(self, topic, result):
        self.producer.produce(topic, value=json.dumps(result.document()))
Pipe().run()
        """,
        {("st", "place"), ("votes[].n", "total")},
    ),
    "a table of handlers by topic in TypeScript, and the rest of an object": (
        "a.ts",
        """
import { Kafka } from 'kafkajs';
const kafka = new Kafka({}); const producer = kafka.producer();
const consumer = kafka.consumer({ groupId: 'g' });
type Seat = { row: number; place: string };
interface Ticket { no: string; secret: string; seat: Seat; price: { cents: number } }
const strip = ({ secret, seat: { row: line = 0 }, ...rest }: Ticket) => ({ ...rest, line });
const handlers = { in: strip, other: (x: any) => x };
await consumer.subscribe({ topics: ['in', 'other'] });
await consumer.run({
  eachMessage: async ({ topic, message }) => {
    const made = handlers[topic](JSON.parse(message.value.toString()) as Ticket);
    if (topic === 'in') await producer.send({ topic: 'out', messages: [{ value: JSON.stringify(made) }] });
  },
});
        """,
        {("no", "no"), ("seat.row", "line"), ("price.cents", "price.cents")},
    ),
    "results with names, a struct inside a type and a generic function in Go": (
        "main.go",
        """
package main
import ("encoding/json"; "github.com/segmentio/kafka-go"; "context")
type In struct {
  ID string `json:"id"`; At struct { Lat float64 `json:"lat"` } `json:"at"`; Tags []string `json:"tags"`
}
type Out struct { Ref string `json:"ref"`; North float64 `json:"north"`; Count int `json:"count"` }
func convert(in In) (out Out, ok bool) {
  if in.ID == "" { return }
  out.Ref = in.ID
  out.North = in.At.Lat
  for range in.Tags { out.Count++ }
  ok = true
  return
}
func pipe[I any, O any](r *kafka.Reader, w *kafka.Writer, f func(I) (O, bool)) {
  for {
    m, _ := r.ReadMessage(context.Background())
    var in I
    json.Unmarshal(m.Value, &in)
    if out, ok := f(in); ok {
      b, _ := json.Marshal(out)
      w.WriteMessages(context.Background(), kafka.Message{Value: b})
    }
  }
}
func main() {
  pipe(kafka.NewReader(kafka.ReaderConfig{Topic: "in"}), &kafka.Writer{Topic: "out"}, convert)
}
        """,
        {("id", "ref"), ("at.lat", "north")},
    ),
    "a conversion, an optional value and members of another struct in Rust": (
        "main.rs",
        """
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::producer::{FutureProducer, FutureRecord};
use serde::{Deserialize, Serialize};
#[derive(Deserialize)] struct Raw { code: String, level: i64, note: Option<String> }
#[derive(Serialize)] struct Base { code: String }
#[derive(Serialize)] #[serde(rename_all = "UPPERCASE")]
struct Event { #[serde(flatten)] base: Base, text: String, urgent: bool, #[serde(skip)] raw: i64 }
impl From<Raw> for Event {
    fn from(r: Raw) -> Self {
        let Raw { code, level, note } = r;
        let text = format!("{code}: {}", note.unwrap_or("none".into()));
        Event { text, urgent: level > 3, raw: level, base: Base { code } }
    }
}
fn wanted(raw: Raw) -> Option<Event> { (raw.level > 1).then(|| raw.into()) }
async fn run(consumer: StreamConsumer, producer: FutureProducer) {
    consumer.subscribe(&["in"]).unwrap();
    loop {
        let m = consumer.recv().await.unwrap();
        if let Some(event) = wanted(serde_json::from_slice(m.payload().unwrap()).unwrap()) {
            producer.send(FutureRecord::to("out").key("k").payload(&serde_json::to_vec(&event).unwrap()), T).await;
        }
    }
}
        """,
        {("code", "code"), ("code", "TEXT"), ("note", "TEXT"), ("level", "URGENT")},
    ),
    "an extension, a flow and a nullable member in Kotlin": (
        "A.kt",
        """
import kotlinx.coroutines.flow.*
import kotlinx.serialization.*
import kotlinx.serialization.json.Json
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.clients.producer.*
@Serializable data class Ride(val id: String, val rider: Rider?, val km: List<Double>)
@Serializable data class Rider(@SerialName("full_name") val name: String)
@Serializable data class Fare(val ride: String, @SerialName("rider_name") val name: String?, val total: Double)
fun Ride.toFare() = Fare(id, rider?.name, km.sum() * 2)
fun rides(props: java.util.Properties, topic: String) = flow {
    val consumer = KafkaConsumer<String, String>(props)
    consumer.subscribe(listOf(topic))
    while (true) for (record in consumer.poll(D)) emit(Json.decodeFromString<Ride>(record.value()))
}
suspend fun main() {
    val producer = KafkaProducer<String, String>(java.util.Properties())
    rides(java.util.Properties(), "in").map { it.toFare() }.collect { fare ->
        producer.send(ProducerRecord("out", fare.ride, Json.encodeToString(fare)))
    }
}
        """,
        {("id", "ride"), ("rider.full_name", "rider_name"), ("km", "total")},
    ),
    "a for over optional values and a class with several cases in Scala": (
        "A.scala",
        """
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
case class Claim(no: String, parts: List[Part], holder: Option[String])
case class Part(price: Int)
case class Paid(claim: String, prices: List[Cost], to: String)
case class Cost(cents: Int)
object A {
  def pay(c: Claim): Option[Paid] = for {
    who <- c.holder
  } yield Paid(c.no, c.parts.map(p => Cost(p.price)), who)
  def main(args: Array[String]): Unit = {
    val consumer = new KafkaConsumer[String, String](null)
    val producer = new KafkaProducer[String, String](null)
    consumer.subscribe(java.util.Arrays.asList("in"))
    while (true) consumer.poll(D).forEach { record =>
      pay(Json.read[Claim](record.value())) match {
        case Some(paid) =>
          val text = Json.write(paid)
          producer.send(new ProducerRecord("out", paid.claim, text))
        case None => println("nothing")
      }
    }
  }
}
        """,
        {("no", "claim"), ("parts[].price", "prices[].cents"), ("holder", "to")},
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


def test_a_function_that_settings_bind_is_given_records(sends) -> None:
    """No client is named in the code: the settings say which topics the function takes from and gives to."""
    settings = """
spring.cloud:
  function.definition: bill
  stream.bindings:
    bill-in-0.destination: orders
    bill-out-0.destination: bills
    seen-in-0.destination: visits
"""
    code = """
import org.springframework.context.annotation.Bean
import java.util.function.*
data class Order(val no: String, val cents: Long)
data class Bill(val order: String, val euros: Double)
class Functions {
    @Bean fun bill(): Function<Order, Bill> = Function { order -> Bill(order.no, order.cents / 100.0) }
    @Bean fun seen(): Consumer<Order> = Consumer { println(it.no) }
}
"""
    found = sends({"application.yml": settings, "Functions.kt": code})

    assert {one.topic for one in found.received} == {"orders", "visits"}
    assert {(one.topic, one.field, one.target) for one in found.passed if one.target} == {
        ("orders", ("no",), "order"),
        ("orders", ("cents",), "euros"),
    }


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


def test_a_timer_runs_what_it_is_given(sends) -> None:
    """Classes of metrics may have the same name; those of another package are not meant."""
    code = """
import json, threading
from kafka import KafkaConsumer, KafkaProducer
producer = KafkaProducer()
for m in KafkaConsumer("in"):
    r = json.loads(m.value)
    threading.Timer(30.0, lambda: producer.send("out", {"a": r["a"]})).start()
"""
    java = """
import java.util.Timer;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
class Order { public String id; }
class Later {
    private final KafkaTemplate<String, String> template;
    private final Timer timer = new Timer();
    @KafkaListener(topics = "in") void on(Order order) {
        timer.schedule(() -> template.send("out", order.id), 30);
    }
}
"""
    for files in ({"a.py": code}, {"Later.java": java}):
        assert {(one.topic, one.topics) for one in sends(files).passed} == {("in", ("out",))}


@pytest.mark.parametrize("method", ["create({data: order})", "update({where: {id: 1}, data: {...order}})"])
def test_a_row_that_a_database_returns_has_the_values_and_more(sends, method) -> None:
    """The options of the call are none of its columns."""
    code = f"""
import {{Kafka}} from 'kafkajs';
export class Orders {{
  constructor(private readonly prisma: PrismaClient) {{ this.producer = new Kafka({{}}).producer(); }}
  async place(total: number) {{
    const order = {{total, state: 'new'}};
    const row = await this.prisma.order.{method};
    await this.producer.send({{topic: 'orders', messages: [{{value: JSON.stringify(row)}}]}});
  }}
}}
"""
    sent = [one for one in sends({"orders.ts": code}).contracts if one.topics]

    assert {name for one in sent for name, _ in one.shape.fields} == {"", "state", "total"}


def test_a_class_that_only_reads_knows_its_topic_from_how_it_is_made(sends) -> None:
    """The topic is a member, and what checks a record is none of its fields."""
    code = """
import {Kafka} from 'kafkajs';
export class Reader {
  private readonly topic = process.env.TOPIC ?? 'orders';
  constructor(private readonly store: Store) { this.consumer = new Kafka({}).consumer({groupId: 'g'}); }
  async onModuleInit() {
    await this.consumer.subscribe({topic: this.topic});
    await this.consumer.run({eachMessage: async ({message}) => { await this.handle(message); }});
  }
  async handle(message) {
    const parsed = orderSchema.safeParse(JSON.parse(message.value.toString()));
    if (parsed.success) { this.store.save({id: parsed.data.id, total: parsed.data.total}); }
  }
}
"""
    found = sends({"reader.ts": code})

    assert [one.topic for one in found.received] == ["orders"]
    assert {(one.topic, one.path) for one in found.used} == {("orders", ("id",)), ("orders", ("total",))}


@pytest.mark.parametrize("found", ['orElseThrow(() -> new Missing("no " + id))', "orElseThrow()", "get()"])
def test_what_is_looked_up_by_a_field_is_not_made_of_it(sends, found) -> None:
    """Nor of the text that says that it is missing."""
    code = f"""
import org.springframework.kafka.annotation.*;
import org.springframework.kafka.core.KafkaTemplate;
class Payload {{ private String id; public String getId() {{ return id; }} }}
class Order {{ private String id; private int price; }}
interface Repo extends CrudRepository<Order, String> {{
  default Order find(String id) {{ return findById(id).{found}; }}
}}
class Rest {{
  private final Repo repo; private final KafkaTemplate<String, Order> template;
  Rest(Repo repo, KafkaTemplate<String, Order> template) {{ this.repo = repo; this.template = template; }}
  @KafkaListener(topics = "in") public void on(Payload payload) {{ template.send("out", repo.find(payload.getId())); }}
}}
"""
    found = sends({"A.java": code})

    assert {name for one in found.contracts for name, _ in one.shape.fields} == {"id", "price"}
    assert [one for one in found.passed if one.target] == []


def test_a_bound_function_takes_messages_with_their_headers_and_returns_none(sends) -> None:
    """The payload is the value; what is returned when all is done is no record."""
    settings = """
spring.cloud:
  stream.bindings:
    route-in-0.destination: orders
    route-out-0.destination: other
"""
    code = """
import org.springframework.context.annotation.Bean;
import org.springframework.cloud.stream.function.StreamBridge;
import org.springframework.messaging.Message;
record Order(String id, String customer) {}
record Delivery(String order, String mail) {}
class Router {
    private final StreamBridge bridge;
    Router(StreamBridge bridge) { this.bridge = bridge; }
    @Bean Function<Flux<Message<Order>>, Mono<Void>> route() {
        return flux -> flux.map(m -> m.getPayload()).doOnNext(o -> send(o)).then();
    }
    private void send(Order order) {
        bridge.send("deliveries", new Delivery(order.id(), "%s@a.example".formatted(order.customer())));
    }
}
"""
    found = sends({"application.yml": settings, "Router.java": code})

    assert {(one.topic, one.field, one.topics, one.target, one.copied) for one in found.passed if one.target} == {
        ("orders", ("id",), ("deliveries",), "order", True),
        ("orders", ("customer",), ("deliveries",), "mail", False),
    }
    assert {topic for one in found.contracts for topic in one.topics} == {"deliveries"}


def test_a_topic_is_named_on_an_object_of_a_package_that_is_imported_as_a_whole(sends) -> None:
    code = """
package shop
import fs2.kafka._
object App {
  def run(settings: Settings) =
    Stream.eval(settings).flatMap(consumerStream(_)).evalTap(_.subscribeTo("orders")).flatMap(_.stream)
}
"""
    assert [one.topic for one in sends({"App.scala": code}).received] == ["orders"]


def test_a_call_that_names_no_known_topic_to_read_is_listed(sends) -> None:
    code = """
import zio.kafka.consumer.{Consumer, Subscription}
class Source(consumer: Consumer, conf: Conf) {
  def stream = consumer.plainStream(Subscription.topics(conf.topics.head, conf.topics.tail: _*), string, string)
}
"""
    found = sends({"Source.scala": code})

    assert not found.received
    assert {line for _, line in found.unnamed} == {4}

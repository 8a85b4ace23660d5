"""What values are followed through: tables, folds, decorators, channels, pipelines, containers; each in two styles."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

READ = """
import json
from kafka import KafkaConsumer, KafkaProducer
producer = KafkaProducer()
"""


def passed(found):
    return {
        (one.topic, ".".join(one.field), topic, one.target)
        for one in found.passed
        for topic in one.topics
        if one.target
    }


def parts(found):
    return {path: part.text for one in found.contracts for path, part in one.shape.fields}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "a.java",
            "import org.springframework.kafka.core.KafkaTemplate;\nrecord Order(String id) {{}}\n"
            "record Event(String type, Order data) {{}}\nclass S {{ KafkaTemplate<String, Event> template;\n"
            "  void send(Order order) {{ Order o = new Order(order.id());\n"
            '    template.send("t", new Event({}, o)); }} }}\n',
        ),
        (
            "a.py",
            READ + "class Order:\n    def __init__(self, id): self.id = id\n"
            "def send(id):\n    o = Order(id)\n    producer.send('t', value={{'type': {}, 'data': o.id}})\n",
        ),
    ],
)
def test_the_class_of_an_object_is_its_name_and_not_made_of_what_it_holds(sends, path, code) -> None:
    expression = {"a.java": "o.getClass().getSimpleName()", "a.py": "type(o).__name__"}[path]

    assert parts(sends({path: code.format(expression)}))["type"] == '"Order"'


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "a.ts",
            "import { Kafka } from 'kafkajs';\nconst kafka = new Kafka({});\nconst producer = kafka.producer();\n"
            "const consumer = kafka.consumer({ groupId: 'g' });\n"
            "async function main() {\n  await consumer.subscribe({ topic: 'in' });\n"
            "  await consumer.run({ eachMessage: async ({ message }) => {\n"
            "    const cart = JSON.parse(message.value.toString());\n"
            "    const lines = cart.lines.map((line) => ({ sku: line.sku, total: line.price * 2 }));\n"
            "    const sum = lines.reduce((before, line) => before + line.total, 0);\n"
            "    await producer.send({ topic: 'out', messages: [{ value: JSON.stringify({ sum }) }] });\n  } });\n}\n",
        ),
        (
            "a.py",
            READ.replace("import json\n", "import json\nfrom functools import reduce\n")
            + "for m in KafkaConsumer('in'):\n    cart = json.loads(m.value)\n"
            "    lines = [{'sku': x['sku'], 'total': x['price'] * 2} for x in cart['lines']]\n"
            "    producer.send('out', {'sum': reduce(lambda before, x: before + x['total'], lines, 0)})\n",
        ),
    ],
)
def test_a_sum_is_made_of_the_member_that_is_added_only(sends, path, code) -> None:
    assert passed(sends({path: code})) == {("in", "lines.[].price", "out", "sum")}


TABLES = {
    "a map of a literal": "HANDLERS = {'a': first, 'b': second}\n",
    "a comprehension": "LISTED = [('a', first), ('b', second)]\n"
    "HANDLERS = dict((name, each) for name, each in LISTED)\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_handler_in_a_table_is_given_the_records_of_its_topic(sends, name) -> None:
    code = (
        READ + "def first(r):\n    producer.send('out', {'x': r['one']})\n"
        "def second(r):\n    producer.send('out', {'x': r['two']})\n" + TABLES[name] + "def main():\n"
        "    consumer = KafkaConsumer()\n    consumer.subscribe(list(HANDLERS))\n    for m in consumer:\n"
        "        HANDLERS[m.topic](json.loads(m.value))\n"
    )
    assert passed(sends({"a.py": code})) == {("a", "one", "out", "x"), ("b", "two", "out", "x")}


def test_a_field_that_is_chosen_with_the_topic_comes_from_that_topic(sends) -> None:
    code = (
        READ + "def main():\n    for m in KafkaConsumer('a', 'b'):\n        r = json.loads(m.value)\n"
        "        made = {'x': r['one']} if m.topic == 'a' else {'x': r['two']}\n        producer.send('out', made)\n"
    )
    assert passed(sends({"a.py": code})) == {("a", "one", "out", "x"), ("b", "two", "out", "x")}


@pytest.mark.parametrize("place", ["bus.py", "handlers.py"])
def test_a_decorator_of_an_object_keeps_a_handler(sends, place) -> None:
    """The object is one of the file, or is imported from another one."""
    bus = READ + (
        "class Bus:\n    def __init__(self):\n        self.handlers = {}\n"
        "    def on(self, topic):\n        def keep(function):\n            self.handlers[topic] = function\n"
        "            return function\n        return keep\n"
        "    def run(self):\n        consumer = KafkaConsumer()\n        consumer.subscribe(list(self.handlers))\n"
        "        for m in consumer:\n            event = self.handlers[m.topic](json.loads(m.value))\n"
        "            producer.send('out', event)\n"
        "bus = Bus()\n"
    )
    handler = "@bus.on('in')\ndef handle(raw):\n    return {'x': raw['y']}\n"
    files = {"bus.py": bus}
    files[place] = files.get(place, "from bus import bus\n") + handler

    assert passed(sends(files)) == {("in", "y", "out", "x")}


def test_a_member_that_is_set_in_every_case_is_not_the_one_received(sends) -> None:
    code = (
        READ + "for m in KafkaConsumer('in'):\n    o = json.loads(m.value)\n    if o['price'] < 100:\n"
        "        o['status'] = 'A'\n    else:\n        o['status'] = 'B'\n"
        "    producer.send('out', {'status': o['status']})\n"
    )
    java = (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import org.springframework.kafka.annotation.KafkaListener;\n"
        "class Order { private String status; private int price; public int getPrice() { return price; }\n"
        "  public void setStatus(String s) { this.status = s; } }\n"
        'class S { KafkaTemplate<String, Order> template;\n  @KafkaListener(topics = "in") void on(Order o) {\n'
        '    if (o.getPrice() > 0) { if (o.getPrice() < 100) { o.setStatus("A"); } else { o.setStatus("B"); }\n'
        '      template.send("out", o); } } }\n'
    )
    found = passed(sends({"S.java": java}))

    assert passed(sends({"a.py": code})) == {("in", "price", "out", "status")}
    assert ("in", "status", "out", "status") not in found
    assert ("in", "price", "out", "status") in found


READERS = {
    "a.py": (
        READ
        + "for m in KafkaConsumer('in', group_id='g'):\n    producer.send('out', {'x': json.loads(m.value)['y']})\n",
        "group_id='g'",
        "group_id='g', fetch_max_wait_ms=5",
    ),
    "a.kt": (
        "import java.time.Duration\nimport org.apache.kafka.clients.consumer.KafkaConsumer\n"
        "import org.apache.kafka.clients.producer.KafkaProducer\n"
        "import org.apache.kafka.clients.producer.ProducerRecord\n"
        "class App(val consumer: KafkaConsumer<String, String>, val producer: KafkaProducer<String, String>) {\n"
        '  fun run() {\n    consumer.subscribe(listOf("in"))\n'
        "    for (r in consumer.poll(Duration.ofSeconds(1)))\n"
        '      producer.send(ProducerRecord("out", r.value().uppercase()))\n'
        "  }\n}\n",
        "ofSeconds(1)",
        "ofMillis(20)",
    ),
}


@pytest.mark.parametrize("path", READERS)
def test_how_records_are_read_is_no_part_of_what_is_sent(sends, path) -> None:
    code, old, new = READERS[path]

    assert compare(sends({path: code}), sends({path: code.replace(old, new)})) == []


def test_what_makes_values_of_records_is_part_of_what_is_sent(sends) -> None:
    code = READ + (
        "for m in KafkaConsumer('in', value_deserializer=lambda v: json.loads(v)):\n"
        "    producer.send('out', {'x': m.value['y']})\n"
    )
    other = code.replace("json.loads(v)", "json.loads(v)['data']")

    assert compare(sends({"a.py": code}), sends({"a.py": other}))


def test_a_default_in_an_injected_configuration_is_the_topic(sends) -> None:
    """A container is asked for an object by its class: the program makes one."""
    code = (
        "import org.apache.kafka.clients.producer.KafkaProducer\n"
        "import org.apache.kafka.clients.producer.ProducerRecord\n"
        "import org.koin.dsl.module\n"
        'data class Config(val bootstrap: String, val topic: String = "orders")\n'
        "class Sender(private val producer: KafkaProducer<String, String>, private val config: Config) {\n"
        "  fun send(text: String) { producer.send(ProducerRecord(config.topic, text)) }\n}\n"
        'val app = module {\n  single { Config("localhost") }\n  single { Sender(get(), get()) }\n}\n'
    )
    assert ("orders",) in {one.topics for one in sends({"a.kt": code}).contracts}


def test_a_default_of_a_topic_that_is_not_known_is_compared(sends) -> None:
    code = (
        "import org.apache.kafka.clients.producer.KafkaProducer\n"
        "import org.apache.kafka.clients.producer.ProducerRecord\n"
        'class Config(val bootstrap: String, val topic: String = "orders")\n'
        "class Sender(private val producer: KafkaProducer<String, String>, private val config: Config) {\n"
        "  fun send(text: String) { producer.send(ProducerRecord(config.topic, text)) }\n}\n"
    )
    assert compare(sends({"a.kt": code}), sends({"a.kt": code.replace('"orders"', '"bills"')}))


def test_an_envelope_with_a_payload_keeps_its_other_fields(sends) -> None:
    code = READ + "def fail(m):\n    producer.send('dead', value={'reason': 'x', 'payload': m.value})\n"

    assert set(parts(sends({"a.py": code}))) == {"reason", "payload"}


def test_maps_are_united_and_entries_may_be_missing(sends) -> None:
    python = READ + "def send(a, b):\n    bill = {'a': a} | {'b': b}\n    producer.send('t', value=bill)\n"
    script = (
        "import { Kafka } from 'kafkajs';\nconst producer = new Kafka({}).producer();\n"
        "export async function send(a, b) {\n  const value = JSON.stringify({ a, ...(b && { b: b.c }) });\n"
        "  await producer.send({ topic: 't', messages: [{ value }] });\n}\n"
    )
    assert set(parts(sends({"a.py": python}))) == {"a", "b"}
    assert set(parts(sends({"a.ts": script}))) == {"a", "b"}


def test_a_missing_part_of_a_text_is_not_empty(sends) -> None:
    """The name of a topic is not known if a part of it is missing."""
    code = READ + "def send(v):\n    name = None\n    producer.send(f'retry.{name}', value=v)\n"

    assert [one.topics for one in sends({"a.py": code}).contracts] == [()]


def test_a_sender_that_is_used_in_an_unknown_way_is_unresolved(sends) -> None:
    code = (
        "import fs2.kafka._\nclass P {\n  def run(s: ProducerSettings[IO, String, String]) =\n"
        "    stream.evalMap(KafkaProducer.unknown(s))\n}\n"
    )
    assert sends({"src/P.scala": code}).unresolved


CODEC = """import fs2.kafka._
import io.circe.Encoder
import io.circe.Json
import io.circe.syntax._
case class Order(id: String, total: Int)
object Codecs {
  implicit val encoder: Encoder[Order] = Encoder.instance { order =>
    Json.obj("order_id" -> order.id.asJson, "cents" -> order.total.asJson)
  }
}
class P(producer: KafkaProducer[IO, String, String]) {
  def send(order: Order) = producer.produceOne_("orders", order.id, order.asJson.noSpaces)
}
"""


def test_a_codec_of_the_program_says_how_a_class_is_written(sends) -> None:
    found = sends({"src/P.scala": CODEC})

    assert set(parts(found)) == {"order_id", "cents"}
    assert compare(found, sends({"src/P.scala": CODEC.replace('"cents"', '"euros"')}))


def test_a_function_with_types_in_brackets_is_one_of_the_program(sends) -> None:
    code = """package a
import "github.com/IBM/sarama"
type Event struct { ID string `json:"id"` }
type Emitter[T any] struct { producer sarama.SyncProducer; topic string }
func New[T any](producer sarama.SyncProducer, topic string) *Emitter[T] {
	return &Emitter[T]{producer: producer, topic: topic}
}
func (e *Emitter[T]) Emit(payload T) {
	body, _ := json.Marshal(payload)
	e.producer.SendMessage(&sarama.ProducerMessage{Topic: e.topic, Value: sarama.ByteEncoder(body)})
}
func main() {
	producer, _ := sarama.NewSyncProducer(nil, nil)
	out := New[Event](producer, "events")
	out.Emit(Event{ID: "1"})
}
"""
    found = sends({"a/main.go": code})

    assert (("events",), ("id",)) in {
        (one.topics, tuple(path for path, _ in one.shape.fields)) for one in found.contracts
    }


def test_values_that_conditions_exchange_again_and_again_are_simplified_once(sends) -> None:
    """Each value has both of the one before: without that, the work doubles with each exchange."""
    turns = "\n".join(f"    if ready and o.f{at}:\n        x, y = y, x" for at in range(60))
    code = f"""
from kafka import KafkaProducer
p = KafkaProducer()
def send(o, ready):
    x, y = o.a, o.b
{turns}
    if ready:
        p.send("t", {{"x": x}})
"""
    found = sends({"a.py": code})

    assert {topic for one in found.contracts for topic in one.topics} == {"t"}


@pytest.mark.parametrize(
    ("path", "first", "doubled", "send"),
    [
        (
            "a.ts",
            "const a0 = 'xxxxxxxxxx';\n",
            "const a{1} = `${{a{0}}}${{a{0}}}`;\n",
            "{topic: 't', messages: [{value: a40}]}",
        ),
        ("a.py", "a0 = 'xxxxxxxxxx'\n", "a{1} = f'{{a{0}}}{{a{0}}}'\n", "'t', a40"),
    ],
)
def test_a_text_that_doubles_without_end_stays_bounded(sends, path, first, doubled, send) -> None:
    """Forty lines would else make a text of ten million million letters."""
    clients = {
        "a.ts": "import {{ Kafka }} from 'kafkajs';\nconst producer = new Kafka({{}}).producer();\n"
        "{}async function f() {{ await producer.send({}); }}\n",
        "a.py": READ.replace("{", "{{").replace("}", "}}") + "{}producer.send({})\n",
    }
    code = clients[path].format(first + "".join(doubled.format(n, n + 1) for n in range(40)), send)
    found = sends({path: code})

    assert all(len(part.text) < 100_000 for one in found.contracts for _, part in one.shape.fields)


@pytest.mark.parametrize(
    ("path", "head", "use"),
    [
        (
            "db.go",
            'package main\nimport (\n  "context"\n  "database/sql"\n  "github.com/segmentio/kafka-go"\n)\n'
            "var conn *sql.DB\n"
            'func db() *sql.DB {\n  if conn == nil {\n    conn = sql.Open("postgres", "x")\n  }\n  return conn\n}\n',
            "func send{}(w *kafka.Writer) {{\n"
            '  w.WriteMessages(context.Background(), kafka.Message{{Topic: "t", Value: db().Query("{}")}})\n}}\n',
        ),
        (
            "db.py",
            READ + "import store\nconn = None\ndef db():\n    global conn\n    if conn is None:\n"
            "        conn = store.open('x')\n    return conn\n",
            "def send{}():\n    producer.send('t', db().query('{}'))\n",
        ),
    ],
)
def test_a_variable_that_is_set_at_its_first_use_has_one_value_however_often_it_is_used(sends, path, head, use) -> None:
    found = sends({path: head + "".join(use.format(at, at) for at in range(12))})

    texts = [part.text for one in found.contracts for _, part in one.shape.fields]
    assert len(texts) == 12
    assert max(map(len, texts)) < 200


@pytest.mark.parametrize(
    ("path", "head", "use"),
    [
        (
            "log.go",
            'package main\nimport (\n  "context"\n  "go.uber.org/zap"\n  "github.com/segmentio/kafka-go"\n)\n'
            "var level int\nfunc logger(name string) *zap.SugaredLogger {\n  {}\n"
            "  return zap.NewExample().Sugar().Named(name)\n}\n",
            'func send(w *kafka.Writer) {\n  logger("a").Infow("sent")\n'
            '  w.WriteMessages(context.Background(), kafka.Message{Topic: "t", Value: []byte("v")})\n}\n',
        ),
        (
            "Log.java",
            "import org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\n"
            "import org.springframework.kafka.core.KafkaTemplate;\nclass Log {\n"
            "  KafkaTemplate<String, String> template;\n  int level;\n"
            "  Logger logger(String name) { {} return LoggerFactory.getLogger(name); }\n",
            '  void send() { logger("a").info("sent"); template.send("t", "v"); }\n}\n',
        ),
    ],
)
def test_how_a_logger_is_made_is_not_followed(sends, path, head, use) -> None:
    """It has no part in what is sent, and is the same at each of many calls."""
    one, many = (sends({path: head.replace("{}", "level = 1; " * count) + use}) for count in (1, 50))

    assert one.contracts == many.contracts != []
    assert one.steps == many.steps


def test_a_function_that_sends_and_returns_a_logger_is_not_resolved(sends) -> None:
    code = (
        "import org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\n"
        "import org.springframework.kafka.core.KafkaTemplate;\nclass Log {\n  KafkaTemplate<String, String> template;\n"
        '  Logger logger(String name) { template.send("t", name); return LoggerFactory.getLogger(name); }\n'
        '  void run() { logger("a").info("sent"); }\n}\n'
    )
    tell = 'void tell(String name) { template.send("t", name); }'

    for text in (
        code,
        code.replace('template.send("t", name);', "tell(name);").replace("void run", f"{tell} void run"),
    ):
        assert sends({"Log.java": text}).unresolved


def test_a_method_that_is_awaited_gives_what_the_one_gives_that_returns_at_once(sends) -> None:
    code = (
        "using Confluent.Kafka;\nclass Rows {{\n  private readonly IProducer<string, string> producer;\n"
        "  public async Task Send(DbDataReader reader) {{\n"
        '    await producer.ProduceAsync("t", new Message<string, string> {{ Value = {} }});\n  }}\n}}\n'
    )
    before, same, other = (
        sends({"Rows.cs": code.format(value)})
        for value in (
            "reader.GetFieldValue<string>(0)",
            "await reader.GetFieldValueAsync<string>(0)",
            "reader.GetName(0)",
        )
    )

    assert compare(before, same) == []
    assert compare(before, other)

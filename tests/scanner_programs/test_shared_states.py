"""What functions share: who sets the members and variables that another function sends later."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

SHARED = {
    "list.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        " private List<String> units = new ArrayList<>();\n"
        ' void choose(Order order) { units.add(order.id() + "-x"); }\n'
        ' void send(Order order) { template.send("t", String.join(",", units)); }\n'
        "}\n"
    ),
    "map.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        " private final Map<String,String> units = new HashMap<>();\n"
        ' void choose(Order order) { units.put("a", order.id() + "-x"); }\n'
        ' void send(Order order) { template.send("t", units.get("a")); }\n'
        "}\n"
    ),
    "builder.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        " private final StringBuilder text = new StringBuilder();\n"
        ' void choose(Order order) { text.append(order.id() + "-x"); }\n'
        ' void send(Order order) { template.send("t", text.toString()); }\n'
        "}\n"
    ),
    "atomic.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.concurrent.atomic.*;\n"
        "record Order(String id) {}\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        ' private final AtomicReference<String> unit = new AtomicReference<>("kg");\n'
        ' void choose(Order order) { unit.set(order.id() + "-x"); }\n'
        ' void send(Order order) { template.send("t", unit.get()); }\n'
        "}\n"
    ),
    "setter.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        'class State { private String unit = "kg"; void setUnit(String u) { this.unit = u;\n'
        "   } String getUnit() { return unit; } }\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        " private final State state = new State();\n"
        ' void choose(Order order) { state.setUnit(order.id() + "-x"); }\n'
        ' void send(Order order) { template.send("t", state.getUnit()); }\n'
        "}\n"
    ),
    "static.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        'class State { static String unit = "kg"; }\n'
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        ' void choose(Order order) { State.unit = order.id() + "-x"; }\n'
        ' void send(Order order) { template.send("t", State.unit); }\n'
        "}\n"
    ),
    "count.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        " private int n = 1;\n"
        ' void choose(Order order) { n += order.id().length() + "-x".length(); }\n'
        ' void send(Order order) { template.send("t", "" + n); }\n'
        "}\n"
    ),
    "plus.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import java.util.*;\n"
        "record Order(String id) {}\n"
        "class Relay {\n"
        "  KafkaTemplate<String, String> template;\n"
        " private int n = 1;\n"
        ' void choose(Order order) { if (order.id().endsWith("-x")) n++; }\n'
        ' void send(Order order) { template.send("t", "" + n); }\n'
        "}\n"
    ),
    "dict.py": (
        "from kafka import KafkaProducer\n"
        "producer = KafkaProducer()\n"
        "units = {}\n"
        "def choose(order):\n"
        "    units['a'] = order.id + \"-x\"\n"
        "def send():\n"
        "    producer.send('t', units['a'])\n"
    ),
    "tuple.py": (
        "from kafka import KafkaProducer\n"
        "producer = KafkaProducer()\n"
        "class Relay:\n"
        "    def __init__(self):\n"
        "        self.unit = 'kg'\n"
        "        self.n = 1\n"
        "    def choose(self, order):\n"
        '        self.unit, self.n = order.id + "-x", 2\n'
        "    def send(self):\n"
        "        producer.send('t', self.unit)\n"
    ),
    "append.py": (
        "from kafka import KafkaProducer\n"
        "producer = KafkaProducer()\n"
        "units = []\n"
        "def choose(order):\n"
        '    units.append(order.id + "-x")\n'
        "def send():\n"
        "    producer.send('t', ','.join(units))\n"
    ),
    "update.py": (
        "from kafka import KafkaProducer\n"
        "producer = KafkaProducer()\n"
        "class Relay:\n"
        "    units = {}\n"
        "    def choose(self, order):\n"
        '        self.units.update(a=order.id + "-x")\n'
        "    def send(self):\n"
        "        producer.send('t', self.units['a'])\n"
    ),
    "tuple.go": (
        "package a\n"
        'import ("context"; "strings"; "github.com/segmentio/kafka-go")\n'
        'var unit, other = "kg", "b"\n'
        'func choose(name string) { unit, other = name + "-x", "c" }\n'
        "func send(w *kafka.Writer) {\n"
        '  w.WriteMessages(context.Background(), kafka.Message{Topic: "t", Value: []byte(unit)})\n'
        "}\n"
    ),
    "map.go": (
        "package a\n"
        'import ("context"; "strings"; "github.com/segmentio/kafka-go")\n'
        "var units = map[string]string{}\n"
        'func choose(name string) { units["a"] = name + "-x" }\n'
        "func send(w *kafka.Writer) {\n"
        '  w.WriteMessages(context.Background(), kafka.Message{Topic: "t", Value: []byte(units["a"])})\n'
        "}\n"
    ),
    "append.go": (
        "package a\n"
        'import ("context"; "strings"; "github.com/segmentio/kafka-go")\n'
        "var units []string\n"
        'func choose(name string) { units = append(units, name + "-x") }\n'
        "func send(w *kafka.Writer) {\n"
        '  w.WriteMessages(context.Background(), kafka.Message{Topic: "t", Value: []byte(strings.Join(units, ","))})\n'
        "}\n"
    ),
    "ptr.go": (
        "package a\n"
        'import ("context"; "strings"; "github.com/segmentio/kafka-go")\n'
        'var unit = "kg"\n'
        'func choose(name string) { p := &unit; *p = name + "-x" }\n'
        "func send(w *kafka.Writer) {\n"
        '  w.WriteMessages(context.Background(), kafka.Message{Topic: "t", Value: []byte(unit)})\n'
        "}\n"
    ),
    "push.ts": (
        'import { Kafka } from "kafkajs";\n'
        "const producer = new Kafka({}).producer();\n"
        "const units: string[] = [];\n"
        'export function choose(order) { units.push(order.id + "-x"); }\n'
        'export async function send() { await producer.send({ topic: "t", messages: [{\n'
        '   value: units.join(",") }] }); }\n'
    ),
    "index.ts": (
        'import { Kafka } from "kafkajs";\n'
        "const producer = new Kafka({}).producer();\n"
        'const units = { a: "kg" };\n'
        'export function choose(order) { units["a"] = order.id + "-x"; }\n'
        'export async function send() { await producer.send({ topic: "t", messages: [{ value: units.a }] }); }\n'
    ),
    "assign.ts": (
        'import { Kafka } from "kafkajs";\n'
        "const producer = new Kafka({}).producer();\n"
        'const units = { a: "kg" };\n'
        'export function choose(order) { Object.assign(units, { a: order.id + "-x" }); }\n'
        'export async function send() { await producer.send({ topic: "t", messages: [{ value: units.a }] }); }\n'
    ),
    "let.ts": (
        'import { Kafka } from "kafkajs";\n'
        "const producer = new Kafka({}).producer();\n"
        'let unit = "kg";\n'
        'export function choose(order) { [unit] = [order.id + "-x"]; }\n'
        'export async function send() { await producer.send({ topic: "t", messages: [{ value: unit }] }); }\n'
    ),
    "apply.kt": (
        "import org.springframework.kafka.core.KafkaTemplate\n"
        "data class Order(val id: String)\n"
        'class State { var unit = "kg" }\n'
        "class Relay(private val template: KafkaTemplate<String, String>) {\n"
        "  private val state = State()\n"
        '  fun choose(order: Order) { state.apply { unit = order.id + "-x" } }\n'
        '  fun send(order: Order) { template.send("t", state.unit) }\n'
        "}\n"
    ),
    "flow.kt": (
        "import org.springframework.kafka.core.KafkaTemplate\n"
        "import kotlinx.coroutines.flow.MutableStateFlow\n"
        "data class Order(val id: String)\n"
        "class Relay(private val template: KafkaTemplate<String, String>) {\n"
        '  private val unit = MutableStateFlow("kg")\n'
        '  fun choose(order: Order) { unit.value = order.id + "-x" }\n'
        '  fun send(order: Order) { template.send("t", unit.value) }\n'
        "}\n"
    ),
    "prop.cs": (
        "using Confluent.Kafka;\n"
        "class Relay {\n"
        "  private readonly IProducer<string, string> producer;\n"
        '  public string Unit { get; set; } = "kg";\n'
        '  public void Send(Order order) { producer.Produce("t", new Message<string, string> { Value = Unit }); }\n'
        "}\n"
        'class Chooser { Relay relay; void Choose(Order order) { relay.Unit = order.Name + "-x"; } }\n'
    ),
    "add.cs": (
        "using Confluent.Kafka;\n"
        "using System.Collections.Generic;\n"
        "class Relay {\n"
        "  private readonly IProducer<string, string> producer;\n"
        "  private readonly List<string> units = new();\n"
        '  public void Choose(Order order) { units.Add(order.Name + "-x"); }\n'
        '  public void Send(Order order) { producer.Produce("t", new Message<string, string> {\n'
        '   Value = string.Join(",", units) }); }\n'
        "}\n"
    ),
    "init.cs": (
        "using Confluent.Kafka;\n"
        'class State { public string Unit { get; set; } = "kg"; }\n'
        "class Relay {\n"
        "  private readonly IProducer<string, string> producer;\n"
        "  private State state = new State();\n"
        '  public void Choose(Order order) { state = new State { Unit = order.Name + "-x" }; }\n'
        '  public void Send(Order order) { producer.Produce("t", new Message<string, string> {\n'
        "   Value = state.Unit }); }\n"
        "}\n"
    ),
    "cell.rs": (
        "use rdkafka::producer::{FutureProducer, FutureRecord};\n"
        "use std::sync::Mutex;\n"
        "pub struct Relay { producer: FutureProducer, unit: Mutex<String> }\n"
        "impl Relay {\n"
        "  pub fn new(producer: FutureProducer) -> Self { Relay {\n"
        '   producer, unit: Mutex::new("kg".to_string()) } }\n'
        '  pub fn choose(&self, name: &str) { *self.unit.lock().unwrap() = format!("{}-x", name); }\n'
        "  pub async fn send(&self) { let u = self.unit.lock().unwrap().clone();\n"
        '   self.producer.send(FutureRecord::to("t").payload(&u).key("k"), None).await; }\n'
        "}\n"
    ),
    "field.rs": (
        "use rdkafka::producer::{FutureProducer, FutureRecord};\n"
        "pub struct Relay { producer: FutureProducer, unit: String }\n"
        "impl Relay {\n"
        '  pub fn new(producer: FutureProducer) -> Self { Relay { producer, unit: "kg".to_string() } }\n'
        '  pub fn choose(&mut self, name: &str) { self.unit = format!("{}-x", name); }\n'
        "  pub async fn send(&self) {\n"
        '   self.producer.send(FutureRecord::to("t").payload(&self.unit).key("k"), None).await; }\n'
        "}\n"
    ),
    "push.rs": (
        "use rdkafka::producer::{FutureProducer, FutureRecord};\n"
        "pub struct Relay { producer: FutureProducer, units: Vec<String> }\n"
        "impl Relay {\n"
        "  pub fn new(producer: FutureProducer) -> Self { Relay { producer, units: Vec::new() } }\n"
        '  pub fn choose(&mut self, name: &str) { self.units.push(format!("{}-x", name)); }\n'
        "  pub async fn send(&self) {\n"
        '   self.producer.send(FutureRecord::to("t").payload(&self.units.join(",")).key("k"), None).await; }\n'
        "}\n"
    ),
    "var.scala": (
        "import org.apache.kafka.clients.producer._\n"
        "class Relay(producer: KafkaProducer[String, String]) {\n"
        '  private var unit = "kg"\n'
        '  def choose(name: String): Unit = { unit = name + "-x" }\n'
        '  def send(): Unit = producer.send(new ProducerRecord[String, String]("t", unit))\n'
        "}\n"
    ),
    "buf.scala": (
        "import org.apache.kafka.clients.producer._\n"
        "import scala.collection.mutable\n"
        "class Relay(producer: KafkaProducer[String, String]) {\n"
        "  private val units = mutable.Map[String, String]()\n"
        '  def choose(name: String): Unit = { units += ("a" -> (name + "-x")) }\n'
        '  def send(): Unit = producer.send(new ProducerRecord[String, String]("t", units("a")))\n'
        "}\n"
    ),
    "upd.scala": (
        "import org.apache.kafka.clients.producer._\n"
        "import scala.collection.mutable\n"
        "class Relay(producer: KafkaProducer[String, String]) {\n"
        "  private val units = mutable.Map[String, String]()\n"
        '  def choose(name: String): Unit = { units("a") = name + "-x" }\n'
        '  def send(): Unit = producer.send(new ProducerRecord[String, String]("t", units("a")))\n'
        "}\n"
    ),
}
"""Programs in which one function sends what another one has set before, by the form in which it does."""


@pytest.mark.parametrize("path", SHARED)
def test_how_another_function_sets_what_is_sent_counts(sends, path: str) -> None:
    before, after = sends({path: SHARED[path]}), sends({path: SHARED[path].replace("-x", "-y")})

    assert compare(before, after)


FURTHER = {
    "java": " int further = 1;",
    "cs": " int further = 1;",
    "go": " further := 1; _ = further;",
    "rs": " let further = 1;",
    "ts": " const further = 1;",
    "kt": " val further = 1;",
    "scala": " val further = 1;",
}


@pytest.mark.parametrize("path", [path for path in SHARED if not path.endswith(".py")])
def test_what_else_that_function_does_does_not_count(sends, path: str) -> None:
    code = SHARED[path]
    at = code.index("{", code.lower().index("choose(")) + 1
    with_more = code[:at] + FURTHER[path.rpartition(".")[2]] + code[at:]

    assert compare(sends({path: code}), sends({path: with_more})) == []


def test_a_reason_to_leave_before_counts_and_one_behind_does_not(sends) -> None:
    code = SHARED["list.java"]
    at = code.index("units.add")
    end = code.index(";", at) + 1
    leaves = " if (order.id().isEmpty()) return; "

    assert compare(sends({"a.java": code}), sends({"a.java": code[:at] + leaves + code[at:]}))
    assert compare(sends({"a.java": code}), sends({"a.java": code[:end] + leaves + code[end:]})) == []

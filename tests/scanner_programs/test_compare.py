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


IDLE = {"src/lib.rs": "use rdkafka::producer::FutureRecord;\npub fn send(order: &Order) {}\n"}
CLASSES = {
    "a.py": "class Order:\n    id: str\n    lane: str\n    total: int\n",
    "a.go": "package a\n\ntype Order struct {\n\tID string\n\tLane string\n\tTotal int\n}\n",
    "A.java": "class Order {\n  String id;\n  String lane;\n  int total;\n}\n",
}


@pytest.mark.parametrize("path", CLASSES)
@pytest.mark.parametrize(
    ("edit", "is_known"),
    [
        (lambda lines: [*lines[:-2], lines[-2].replace("otal", "otalNet"), *lines[-2:]], True),
        (lambda lines: [*lines[:-3], *lines[-2:]], False),
        (lambda lines: [*lines[:-4], lines[-3], lines[-4], *lines[-2:]], False),
    ],
    ids=["a field is added", "a field is removed", "two fields change places"],
)
def test_a_class_that_only_gets_fields_is_the_same(sends, path, edit, is_known):
    """Also where nothing is known of what is sent."""
    text = CLASSES[path] if path != "a.py" else f"{CLASSES[path]}#\n"
    files = {**IDLE, path: text}
    after = "\n".join(edit(text.split("\n")[:-1])) + "\n"
    before, now = sends(files), sends({**files, path: after})
    assert before.is_opaque
    assert (compare(before, now) == []) is is_known


@pytest.mark.parametrize("unresolved", [[], [("", 0)]])
def test_a_missing_send_is_certain_only_if_all_code_was_evaluated(sends, unresolved):
    before, after = sends({"a.py": CODE}), sends({"a.py": edited(OTHERS["gone"])})
    after.unresolved += unresolved
    (one,) = [one for one in compare(before, after) if one.aspect == "gone"]
    assert one.certain is not bool(unresolved)


def test_a_logger_that_leaves_a_class_is_no_change(sends):
    app = (
        "import org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\n"
        "class App {\n  private Logger log = LoggerFactory.getLogger(App.class);\n  static int lanes = 1;\n}\n"
    )
    sender = (
        "import org.springframework.kafka.core.KafkaTemplate;\nclass Sender {\n  KafkaTemplate<String, String> t;\n"
        '  void send(String id) { t.send("orders", id); Runner.run(App.class); }\n}\n'
    )
    quiet = app.replace("  private Logger log = LoggerFactory.getLogger(App.class);\n", "")
    before, after = (sends({"Sender.java": sender, "App.java": text}) for text in (app, quiet))
    assert compare(before, after) == []


WRAPPED = {
    "A.java": "class A {\n  static M<String, Object> all(L<M<String, X>> of) { return new M<String, X>(of); }\n}\n",
    "a.rs": "fn all(of: Vec<Pair<String, Value>>) -> anyhow::Result<Pair<String, Value>> {\n    Ok(first(of))\n}\n",
    "A.cs": "class A {\n  static Bag<string, object> All(List<string> of) { return new Bag<string, object>(of); }\n}\n",
    "a.py": "def every(of: dict[str, Any], k: Callable[..., str]) -> dict[str, Any]:\n    return dict(of)\n",
    "A.kt": "fun all(of: List<Map<String, Any>>): Map<String, Any> { return first(of) }\n",
    "a.ts": "function all(of: Map<string, unknown>): Record<string, unknown> { return first(of); }\n",
}


@pytest.mark.parametrize("path", WRAPPED)
def test_a_type_on_two_lines_is_the_same_type(sends, path):
    """A formatter wraps long ones; here nothing else is known of what is sent."""
    text = WRAPPED[path]
    before, after = (sends({**IDLE, path: each}) for each in (text, text.replace(", ", ",\n        ")))
    assert before.is_opaque
    assert compare(before, after) == []


DOUBLED = "\n".join(f"    part{n + 1} = part{n}.plus(part{n}.size())" for n in range(14))


@pytest.mark.parametrize("use", ["value={'sum': combined(part14)}", "value=1 if combined(part14) else 0"])
def test_values_that_share_their_parts_are_compared_whole(sends, use):
    """Written out, this value has sixteen thousand parts: the two differ in the first of them."""
    code = f"{CODE}\ndef total(order):\n    part0 = order.first()\n{DOUBLED}\n    producer.send('sums', {use})\n"

    before, same, after = (sends({"app.py": text}) for text in (code, code, code.replace(".first()", ".last()")))

    assert compare(before, same) == []
    assert [one.certain for one in compare(before, after)] == [True]


EITHER = (("order.old", "order.older"), ("order.new", "order.newer"))


def test_each_way_in_which_a_field_is_set_is_compared(sends):
    code = f"{CODE}\ndef both(order):\n    producer.send('pairs', value=[{{'t': order.old}}, {{'t': order.new}}])\n"

    found = [compare(sends({"app.py": code}), sends({"app.py": code.replace(*edit)})) for edit in EITHER]

    assert [[(one.aspect, one.field) for one in listed] for listed in found] == [[("computed", "[].t")]] * 2


LOGGED = {
    "Log.kt": """import org.slf4j.Logger
class Log(private val inner: Logger) { fun info(text: String) = inner.info(text) }
""",
    "Sender.kt": """import org.apache.kafka.clients.producer.KafkaProducer
import other.records
class Sender(private val producer: KafkaProducer<String, String>, private val log: Log) {
    fun send(id: String) {
        producer.send(records.make(id))
    }
}
""",
}


def test_a_line_that_a_class_around_a_logger_writes_is_no_difference(sends):
    before = sends(LOGGED)
    logged = LOGGED["Sender.kt"].replace("        producer", '        log.info("sends $id")\n        producer')
    other = LOGGED["Sender.kt"].replace("        producer", "        check(id)\n        producer")

    assert before.is_opaque
    assert compare(before, sends({**LOGGED, "Sender.kt": logged})) == []
    assert compare(before, sends({**LOGGED, "Sender.kt": other}))


QUEUE = """import java.util.concurrent.*;
import org.apache.kafka.clients.producer.*;
class Sender {
    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
    private final KafkaProducer<String, String> producer;
    Sender(KafkaProducer<String, String> producer) { this.producer = producer; }
    void accept(String name, int amount) {
        waiting.put(name);
    }
    void work() {
        while (true) {
            String next = waiting.take();
            producer.send(new ProducerRecord<>("names", next));
        }
    }
}
"""
MAP = """import json
from kafka import KafkaProducer
producer = KafkaProducer()

def publish(parcel):
    data = parcel.model_dump()
    producer.send("parcels", json.dumps(data))

def main():
    publish(Parcel(id=read(), weight=measure()))

class Parcel:
    id: str
    weight: int
"""
SEALED = """import com.fasterxml.jackson.annotation.JsonTypeName
import org.springframework.kafka.core.KafkaTemplate

sealed class Change
@JsonTypeName("moved") class Moved(val to: String) : Change()
class Sender(private val template: KafkaTemplate<String, Change>) {
    fun publish(change: Change) { template.send("changes", change) }
}
"""
OPERATOR = """from kafka import KafkaProducer

class Feed:
    def __init__(self):
        self.producer = KafkaProducer()

    def __iadd__(self, row):
        self.producer.send("rows", value=row)
        return self

def run(row):
    feed = Feed()
    feed += {"id": row.id}
"""
ONE_LINE = """from kafka import KafkaProducer
held = None

def client():
    global held
    if held is None:
        held = KafkaProducer()
    return held

def publish(order):
    client().send("orders", value={"id": order.id})
"""
STARTED = """import org.apache.kafka.clients.producer.*;
class Main {
    public static void main(String[] args) {
        Runner.start(Worker.class);
        System.out.println("started");
    }
}
class Worker implements Runnable {
    public void run() { new KafkaProducer<String, String>(null).send(new ProducerRecord<>("beats", "alive")); }
}
"""
BY_NAME = """import fs2.kafka._
class Publisher(producer: KafkaProducer[IO, String, String]) {
  def publish(page: Page): IO[Unit] = producer.produceOne(ProducerRecord("pages", page.path, page.title))
  def all(page: Page, draft: Draft): IO[Unit] = publish(page)
}
"""
INDEXED = """package main

import "github.com/segmentio/kafka-go"

func send(w *kafka.Writer, rows []Row) {
	messages := make([]kafka.Message, len(rows))
	for i, row := range rows {
		messages[i] = kafka.Message{Topic: "rows", Key: []byte(row.ID), Value: []byte(row.Text)}
	}
	w.WriteMessages(ctx, messages...)
}
"""
HANDLED = """import org.axonframework.bus.Bus;
import org.springframework.kafka.core.KafkaTemplate;
record Paid(String id, long cents) {}
interface Handler<E> { void on(E event); }
class PaidHandler implements Handler<Paid> {
    private final KafkaTemplate<String, Paid> template;
    PaidHandler(KafkaTemplate<String, Paid> template) { this.template = template; }
    public void on(Paid event) { template.send("paid", event.id(), event); }
}
class Desk {
    private final Bus bus;
    Desk(Bus bus) { this.bus = bus; }
    void pay(Order order) {
        bus.publish(new Paid(order.id(), order.cents()));
    }
}
"""
HIDDEN = {
    "put in a queue under a condition": (
        "Sender.java",
        QUEUE,
        "        waiting.put(name);",
        "        if (amount > 0) waiting.put(name);",
    ),
    "an entry is taken out of a map": ("main.py", MAP, "()\n    producer", '()\n    data.pop("weight")\n    producer'),
    "the name of a class below": ("Sender.kt", SEALED, '"moved"', '"left"'),
    "a field of a class below": ("Sender.kt", SEALED, "class Moved(val to: String)", "class Moved"),
    "a condition before an operator": ("main.py", OPERATOR, "    feed +=", "    if row.ok:\n        feed +="),
    "a value behind an operator": ("main.py", OPERATOR, "row.id}", "row.key}"),
    "a send beside another call": ("main.py", ONE_LINE, "order.id}", "order.key}"),
    "nothing names a class": ("Main.java", STARTED, "        Runner.start(Worker.class);\n", ""),
    "an effect that is given": ("P.scala", BY_NAME, "= publish(page)", "= IO.whenA(draft.done)(publish(page))"),
    "an element by its index": ("main.go", INDEXED, "[]byte(row.ID)", "[]byte(row.Text)"),
    "a condition before a bus": ("Desk.java", HANDLED, "        bus.publish", "        if (order.ok()) bus.publish"),
    "a value that a bus gets": ("Desk.java", HANDLED, "order.cents()", "order.net()"),
}


@pytest.mark.parametrize("edit", HIDDEN)
def test_a_change_on_a_hidden_way_is_a_difference(sends, edit):
    path, code, old, new = HIDDEN[edit]
    assert old in code

    assert compare(sends({path: code}), sends({path: code.replace(old, new)}))


def test_an_added_declaration_of_another_setting_is_no_difference(sends):
    code = """import { Kafka } from 'kafkajs'
import { z } from 'zod'
const env = z.object({ TOPIC: z.string().default('rows') }).parse(process.env)
const producer = new Kafka({}).producer()
export const send = (id: string) => producer.send({ topic: env.TOPIC, messages: [{ value: id }] })
"""
    before, after = (sends({"a.ts": one}) for one in (code, code.replace(") })", "), PORT: z.string() })")))

    assert [one.topics for one in before.contracts] == [("rows",)]
    assert compare(before, after) == []


def test_an_option_has_the_default_of_its_class(sends):
    code = """using Confluent.Kafka;
using Microsoft.Extensions.Options;
public class Options { public string Topic { get; set; } = "rows"; }
public class Sender(IProducer<string, string> producer, IOptions<Options> options)
{
    public Task Send(string id) =>
        producer.ProduceAsync(options.Value.Topic, new Message<string, string> { Value = id });
}
"""

    assert [one.topics for one in sends({"a.cs": code}).contracts] == [("rows",)]


def test_texts_beside_types_name_topics_only_where_a_client_is_used(sends):
    row = 'class Store { Paid Read(Reader reader) { return reader.GetFieldValue<Paid>("paid"); } }\n'
    files = {
        "Paid.cs": "public class Paid { public string Id { get; set; } }\n",
        "Store.cs": row,
        "Send.cs": "using Confluent.Kafka;\nclass Send {\n  IProducer<Null, Paid> producer; Store store;\n"
        "  void Run(Paid paid) {\n    store.Read(null);\n"
        '    producer.Produce("sold", new Message<Null, Paid> { Value = paid });\n  }\n}\n',
    }
    other = {**files, "Store.cs": row.replace("GetFieldValue", "GetFieldValueAsync")}
    assert not [one for one in compare(sends(files), sends(other)) if one.aspect == "client"]


CONFLUENT = """\
using Confluent.Kafka;
class App {
  IProducer<string, string> producer;
  void Send(Order order) {
    producer.Produce("orders", new Message<string, string> {
      Value = System.Text.Json.JsonSerializer.Serialize(new { id = order.Id, total = order.Total }) });
  }
}
"""
SEGMENTIO = """\
package main

import (
	"encoding/json"
	"github.com/segmentio/kafka-go"
)

func Send(w *kafka.Writer, o Order) {
	b, _ := json.Marshal(map[string]string{"id": o.ID, "total": o.Total})
	w.WriteMessages(nil, kafka.Message{Topic: "orders", Value: b})
}
"""
CLIENTS = """\
import org.apache.kafka.clients.producer.*;
class App {
  KafkaProducer<String, java.util.Map<String, Object>> producer;
  void send(Order order) {
    java.util.Map<String, Object> m = new java.util.HashMap<>();
    m.put("id", order.id);
    producer.send(new ProducerRecord<>("orders", m));
  }
}
"""


@pytest.mark.parametrize(
    ("path", "code", "old", "new", "is_same"),
    [
        ("a.cs", CONFLUENT, "    producer.P", "#if NEVER\n#endif\n    producer.P", True),
        ("a.cs", CONFLUENT, "    producer.P", "#pragma warning disable X\n    producer.P", True),
        (
            "a.cs",
            CONFLUENT.replace("Total }) });", "Total }) });\n#endif"),
            "    producer.P",
            "#if NEVER\n    producer.P",
            False,
        ),
        ("a.cs", CONFLUENT.replace("  }\n}", "  }\n#endif\n}"), "  void Send", "#if NET9\n  void Send", False),
        ("a.cs", CONFLUENT + "#endif\n", "class App", "#if NET9\nclass App", False),
        ("a.go", SEGMENTIO, "package main", "// Package main sends.\n\npackage main", True),
        ("a.go", SEGMENTIO, "package main", "//go:build ignore\n\npackage main", False),
        ("a.go", SEGMENTIO, "package main", "// +build never\n\npackage main", False),
        ("a.java", CLIENTS, "    producer", "    // see \\u00e9\n    producer", True),
        ("a.java", CLIENTS, "    producer", "    // see \\u000a m.clear();\n    producer", False),
        ("a.java", CLIENTS, "    producer", "    /* \\u002a/ m.clear(); /* */\n    producer", False),
    ],
)
def test_what_a_compiler_leaves_out_is_a_difference(sends, path, code, old, new, is_same) -> None:
    """Directives, tags of a build and escapes in comments look like no code, and decide what is compiled."""
    before = sends({path: code.replace("\n#endif", "")})
    found = compare(before, sends({path: code.replace(old, new, 1)}))

    assert before.contracts
    assert (not found) is is_same


PATCHED = {
    "order.py": "class Order:\n    def to_dict(self):\n        return {'id': self.id, 'total': self.total}\n",
    "app.py": "import json\nfrom kafka import KafkaProducer\nfrom order import Order\nproducer = KafkaProducer()\n"
    "def send(order: Order):\n    producer.send('orders', json.dumps(order.to_dict()))\n",
}


@pytest.mark.parametrize(
    ("path", "more", "is_same"),
    [
        ("patches.py", "from order import Order\nOrder.to_dict = lambda self: {'id': self.id}\n", False),
        ("patches.py", "from order import Order\ndef slim(o):\n    return {'id': o.id}\nOrder.to_dict = slim\n", False),
        ("patches.py", "from order import Order\nOrder.version = 3\n", True),
        ("app.py", "producer.send = lambda *values: None\n", False),
        ("app.py", "send.retries = 3\n", True),
    ],
)
def test_a_method_that_a_statement_replaces_is_the_other_one(sends, path, more, is_same) -> None:
    """The class still has the method that it had."""
    after = PATCHED | {path: PATCHED.get(path, "") + more}

    assert (not compare(sends(PATCHED), sends(after))) is is_same


@pytest.mark.parametrize("old", ["order.sum()", "bill.sum()"])
def test_each_of_several_functions_with_one_name_is_compared(sends, old):
    files = {
        "Relay.java": """
import org.apache.kafka.clients.producer.*;
class Relay {
    void send(Producer<String, String> producer, String topic) { producer.send(new ProducerRecord<>(topic, "x")); }
}
""",
        "Texts.java": """
class Texts {
    String text(Order order) { return "order " + order.sum(); }
    String text(Bill bill) { return "bill " + bill.sum(); }
}
""",
    }
    changed = {**files, "Texts.java": files["Texts.java"].replace(old, old.replace("sum", "total"))}
    before, after = (sends(one).residue["Texts.java: Texts.text/1"][0] for one in (files, changed))
    assert before != after


@pytest.mark.parametrize(
    ("old", "new", "is_hit"), [("Waiting orders", "Orders", False), ("select id", "select code", True)]
)
def test_a_text_of_a_class_counts_if_code_on_the_way_names_it(sends, old: str, new: str, is_hit: bool) -> None:
    """A repository has texts for what is sent, and for other things."""
    code = (
        "using Confluent.Kafka;\nclass Orders {\n  private readonly Db db;\n"
        '  private const string _waiting = "select id from orders";\n'
        '  private const string _title = "Waiting orders";\n'
        "  public List<string> Waiting() { return db.Query(_waiting); }\n"
        "  public string Title() { return _title; }\n}\n"
        "class Relay {\n  private readonly IProducer<string, string> producer;\n  private readonly Orders orders;\n"
        "  public void Run() {\n    foreach (var one in orders.Waiting()) {\n"
        '      producer.Produce("t", new Message<string, string> { Value = one });\n    }\n  }\n}\n'
    )

    assert bool(compare(sends({"Relay.cs": code}), sends({"Relay.cs": code.replace(old, new)}))) is is_hit


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "main.rs",
            "use clap::Parser;\nuse rdkafka::producer::{FutureProducer, FutureRecord};\n#[derive(Parser)]\n"
            "struct Cli {\n  #[clap(long)]\n  topic: String,\n  #[clap(long)]\n  port: u16,\n}\n"
            'fn total(order: &Order) -> i32 { order.total + 1 }\nfn banner() -> String { String::from("a") }\n'
            "fn main() {\n  let args = Cli::parse();\n  let producer: FutureProducer = config().create().unwrap();\n"
            '  println!("{}", banner());\n  serve(banner());\n'
            "  let order = load();\n  producer.send(FutureRecord::to(&args.topic).payload(&total(&order)), 0);\n}\n",
        ),
        (
            "main.py",
            "import argparse\nfrom kafka import KafkaProducer\nproducer = KafkaProducer()\n"
            "parser = argparse.ArgumentParser()\nparser.add_argument('--topic')\nargs = parser.parse_args()\n"
            "def total(order):\n    return order.total + 1\ndef banner():\n    return 'a'\n"
            "def main(order):\n    serve(banner())\n    producer.send(args.topic, total(order))\n",
        ),
    ],
)
@pytest.mark.parametrize(
    ("old", "new", "is_hit"),
    [("total + 1", "total + 2", True), ("args.topic", "args.port", True), ('"a"', '"b"', False), ("'a'", "'b'", False)],
)
def test_a_topic_that_a_process_is_started_with_leaves_nothing_else_unknown(
    sends, path, code, old, new, is_hit
) -> None:
    """Only its name is not known: what is sent, and which setting it is, are compared as of any other."""
    if old in code:
        before, after = sends({path: code}), sends({path: code.replace(old, new)})

        assert before.contracts
        assert bool(compare(before, after)) is is_hit


def test_what_differs_in_a_condition_that_is_too_long_to_be_written_is_not_certain(sends) -> None:
    def conditions(count: int, last: str):
        test = " and ".join((*(f"order.line_{at}.is_ready()" for at in range(count)), last))
        code = f"from kafka import KafkaProducer\nproducer = KafkaProducer()\ndef send(order):\n    if check({test}):\n"
        return sends({"a.py": f"{code}        producer.send('t', order.id)\n"})

    few, many = (compare(conditions(count, "order.a"), conditions(count, "order.b")) for count in (2, 60))

    assert [(one.aspect, one.certain) for one in few] == [("condition", True)]
    assert [(one.aspect, one.certain) for one in many] == [("condition", False)]


def test_a_difference_in_what_is_not_written_of_a_long_value_is_not_certain(sends) -> None:
    def sent(count: int, last: str):
        parts = ", ".join((*(f"order.line_{at}.total()" for at in range(count)), last))
        code = "from kafka import KafkaProducer\nimport house\nproducer = KafkaProducer()\ndef send(order):\n"
        return sends({"a.py": f"{code}    producer.send('t', {{'id': house.packed({parts})}})\n"})

    few, many = (compare(sent(count, "order.a"), sent(count, "order.b")) for count in (2, 60))

    assert [(one.field, one.certain) for one in few] == [("id", True)]
    assert [(one.field, one.certain) for one in many] == [("id", False)]


LATER = {
    "a.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\nrecord Order(String id) {}\n"
        "class State { String topic; }\n"
        'class Chooser { State state; void choose(Order order) { state.topic = order.id() + "-x"; } }\n'
        "class Relay {\n  KafkaTemplate<String, String> template; State state;\n"
        "  void send(Order order) { template.send(state.topic, order.id()); } }\n"
    ),
    "a.py": (
        "from kafka import KafkaProducer\nproducer = KafkaProducer()\nclass State:\n    topic: str\n"
        "class Relay:\n    def __init__(self, state: State):\n        self.state = state\n"
        '    def choose(self, order):\n        self.state.topic = order.name + "-x"\n'
        "    def send(self, order):\n        producer.send(self.state.topic, order.id)\n"
    ),
    "a.go": (
        'package a\nimport ("context"; "github.com/segmentio/kafka-go")\ntype state struct { topic string }\n'
        'var current state\nfunc choose(name string) { current.topic = name + "-x" }\n'
        "func send(w *kafka.Writer, id string) {\n"
        "  w.WriteMessages(context.Background(), kafka.Message{Topic: current.topic, Value: []byte(id)})\n}\n"
    ),
    # a member that is set without a word for its object
    "a.cs": (
        "using Confluent.Kafka;\nclass Relay {\n  private readonly IProducer<string, string> producer;\n"
        '  private string topic;\n  public void Choose(Order order) { topic = order.Name + "-x"; }\n'
        "  public void Send(Order order) {\n"
        "    producer.Produce(topic, new Message<string, string> { Value = order.Id });\n  }\n}\n"
    ),
}


@pytest.mark.parametrize("path", LATER)
def test_a_topic_that_code_sets_later_is_not_one_of_the_start(sends, path: str) -> None:
    before, after = sends({path: LATER[path]}), sends({path: LATER[path].replace('"-x"', '"-y"')})

    assert before.unresolved
    assert compare(before, after)


SET = {
    "a.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\nrecord Order(String id) {}\nclass Relay {\n"
        '  KafkaTemplate<String, String> template;\n  private String unit = "kg";\n'
        '  void choose(Order order) { unit = order.id() + "-x"; }\n'
        '  void send(Order order) { template.send("t", unit); }\n}\n'
    ),
    "a.kt": (
        "import org.springframework.kafka.core.KafkaTemplate\ndata class Order(val id: String)\n"
        "class Relay(private val template: KafkaTemplate<String, String>) {\n"
        '  private var unit: String = "kg"\n  fun choose(order: Order) { unit = order.id + "-x" }\n'
        '  fun send(order: Order) { template.send("t", unit) }\n}\n'
    ),
    "a.ts": (
        'import { Kafka } from "kafkajs";\nconst producer = new Kafka({}).producer();\nexport class Relay {\n'
        '  private unit = "kg";\n  choose(order) { this.unit = order.id + "-x"; }\n'
        '  async send() { await producer.send({ topic: "t", messages: [{ value: this.unit }] }); }\n}\n'
    ),
    # a variable of the file
    "a.py": (
        "from kafka import KafkaProducer\nproducer = KafkaProducer()\nunit = 'kg'\ndef choose(order):\n"
        "    global unit\n    unit = order.id + \"-x\"\ndef send():\n    producer.send('t', unit)\n"
    ),
}


@pytest.mark.parametrize("path", SET)
def test_what_another_function_sets_of_what_is_sent_counts(sends, path: str) -> None:
    """The value that it begins with is not the one that it has later."""
    before = sends({path: SET[path]})
    other = SET[path].replace("unit", "size").replace('"t", size', '"t", "v"').replace("'t', size", "'t', 'v'")
    other = other.replace("value: this.size", 'value: "v"')

    assert compare(before, sends({path: SET[path].replace('"-x"', '"-y"')}))
    assert compare(sends({path: other}), sends({path: other.replace('"-x"', '"-y"')})) == []


GENERATED_LOGS = {
    "Log.cs": (
        "using Microsoft.Extensions.Logging;\nstatic partial class Log {\n"
        '    [LoggerMessage(Level = LogLevel.Information, Message = "sends {id}")]\n'
        "    public static partial void Sending(ILogger logger, string id);\n}\n"
    ),
    "Sender.cs": (
        "using Confluent.Kafka;\nusing Microsoft.Extensions.Logging;\nclass Sender {\n"
        "    private readonly IProducer<string, string> producer; private readonly ILogger log;\n"
        "    public void Send(string id) {\n        Log.Sending(log, id);\n"
        "        producer.Produce(Names.Topic(), new Message<string, string> { Value = id });\n    }\n}\n"
    ),
}


def test_a_line_that_a_library_writes_for_a_method_is_no_difference(sends):
    """The method has no body: its note says that the library implements it by a log line (.NET, JBoss Logging)."""
    before = sends(GENERATED_LOGS)
    code = GENERATED_LOGS["Sender.cs"]

    assert before.is_opaque
    assert (
        compare(before, sends({**GENERATED_LOGS, "Sender.cs": code.replace("        Log.Sending(log, id);\n", "")}))
        == []
    )
    assert compare(before, sends({**GENERATED_LOGS, "Sender.cs": code.replace("Value = id", 'Value = id + "!"')}))


def test_records_of_a_consumer_do_not_send(sends):
    code = (
        "using Confluent.Kafka;\nclass Reader {\n    private readonly IConsumer<string, string> consumer;\n"
        '    public void Run() { consumer.Subscribe("orders"); Take(consumer.Consume().Message); }\n'
        "    private void Take(Message<string, string> message) { Store.Add(message.Value); }\n}\n"
    )

    assert not sends({"Reader.cs": code}).unresolved


def test_a_template_of_a_text_without_values_is_that_text(sends):
    code = GENERATED_LOGS["Sender.cs"].replace("Value = id", 'Value = Names.Of("all")')
    sides = (sends({"Sender.cs": one}) for one in (code, code.replace('"all"', '$"all"')))

    assert compare(*sides) == []

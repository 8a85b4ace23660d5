"""How values are written: constants of enumerations, headers of records, valid values, constants of types."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare
from scanner_programs.guards import settings_named
from scanner_programs.ir import Kind
from scanner_programs.values import Apply, Const, Get, Input

ENUMERATIONS = {
    "a.java": (
        (
            "import org.springframework.kafka.core.KafkaTemplate;\n"
            "import com.fasterxml.jackson.annotation.*;\n"
            'enum Level { @JsonProperty("low") LOW, HIGH }\n'
            "record Stock(String id, Level level) {}\n"
            "class R { KafkaTemplate<String, Stock> t;\n"
            ' void send(String id, int n) { t.send("x", new Stock(id, n > 1 ? Level.HIGH : Level.LOW)); } }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "b.java": (
        (
            "import org.springframework.kafka.core.KafkaTemplate;\n"
            "import com.fasterxml.jackson.annotation.*;\n"
            'enum Level { LOW("l"), HIGH("h"); private final String c; Level(String c) { this.c = c;\n'
            "   } @JsonValue String code() { return c; } }\n"
            "record Stock(String id, Level level) {}\n"
            "class R { KafkaTemplate<String, Stock> t;\n"
            ' void send(String id, int n) { t.send("x", new Stock(id, n > 1 ? Level.HIGH : Level.LOW)); } }\n'
        ),
        '"l"',
        '"lo"',
    ),
    "c.kt": (
        (
            "import org.springframework.kafka.core.KafkaTemplate\n"
            "import kotlinx.serialization.*\n"
            '@Serializable enum class Level { @SerialName("low") LOW, HIGH }\n'
            "@Serializable data class Stock(val id: String, val level: Level)\n"
            "class R(val t: KafkaTemplate<String, Stock>) {\n"
            ' fun send(id: String, level: Level) { t.send("x", Stock(id, level)) } }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "d.cs": (
        (
            "using Confluent.Kafka;\n"
            "using System.Runtime.Serialization;\n"
            'enum Level { [EnumMember(Value = "low")] Low, High }\n'
            "record Stock(string Id, Level Level);\n"
            "class R { IProducer<string, Stock> p;\n"
            ' void Send(string id, Level level) { p.Produce("x", new Message<string, Stock> {\n'
            "   Value = new Stock(id, level) }); } }\n"
        ),
        '"low"',
        '"lo"',
    ),
    "e.py": (
        (
            "from kafka import KafkaProducer\n"
            "from pydantic import BaseModel\n"
            "from enum import Enum\n"
            "class Level(str, Enum):\n"
            '    LOW = "low"\n'
            '    HIGH = "high"\n'
            "class Stock(BaseModel):\n"
            "    id: str\n"
            "    level: Level\n"
            "p = KafkaProducer()\n"
            "def send(id, level: Level):\n"
            '    p.send("x", Stock(id=id, level=level).model_dump_json())\n'
        ),
        '"low"',
        '"lo"',
    ),
    "f.ts": (
        (
            'import { Kafka } from "kafkajs";\n'
            'enum Level { Low = "low", High = "high" }\n'
            "interface Stock { id: string; level: Level }\n"
            "const p = new Kafka({}).producer();\n"
            "export async function send(id: string, level: Level) { const s: Stock = { id, level };\n"
            '   await p.send({ topic: "x", messages: [{ value: JSON.stringify(s) }] }); }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "g.rs": (
        (
            "use rdkafka::producer::{FutureProducer, FutureRecord};\n"
            "use serde::Serialize;\n"
            "#[derive(Serialize)]\n"
            '#[serde(rename_all = "snake_case")]\n'
            "pub enum Level { Low, High }\n"
            "#[derive(Serialize)]\n"
            "pub struct Stock { id: String, level: Level }\n"
            "pub async fn send(p: &FutureProducer, id: String, n: i32) { let s = Stock {\n"
            "   id, level: if n > 1 { Level::High } else { Level::Low } };\n"
            '   p.send(FutureRecord::to("x").payload(&serde_json::to_vec(&s).unwrap()).key("k"), None).await; }\n'
        ),
        "snake_case",
        "UPPERCASE",
    ),
    "h.go": (
        (
            "package a\n"
            'import ("context"; "encoding/json"; "github.com/segmentio/kafka-go")\n'
            "type Level int\n"
            "const ( Low Level = iota; High )\n"
            'func (l Level) MarshalText() ([]byte, error) { if l == Low { return []byte("low"), nil };\n'
            '   return []byte("high"), nil }\n'
            "type Stock struct { ID string; Level Level }\n"
            "func send(w *kafka.Writer, id string, l Level) { b, _ := json.Marshal(Stock{ID: id, Level: l});\n"
            '   w.WriteMessages(context.Background(), kafka.Message{Topic: "x", Value: b}) }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "i.scala": (
        (
            "import org.apache.kafka.clients.producer._\n"
            "import io.circe.syntax._\n"
            "sealed trait Level\n"
            "object Level { case object Low extends Level; case object High extends Level\n"
            " implicit val enc: io.circe.Encoder[Level] = io.circe.Encoder.encodeString.contramap {\n"
            '   case Low => "low"; case High => "high" } }\n'
            "case class Stock(id: String, level: Level)\n"
            "class R(p: KafkaProducer[String, String]) {\n"
            '   def send(id: String, level: Level) = p.send(new ProducerRecord("x", Stock(id,\n'
            "   level).asJson.noSpaces)) }\n"
        ),
        '"low"',
        '"lo"',
    ),
    "j.rs": (
        (
            "use rdkafka::producer::{FutureProducer, FutureRecord};\n"
            "use serde::Serialize;\n"
            "#[derive(Serialize)]\n"
            'pub enum Level { #[serde(rename = "low")] Low, High }\n'
            "#[derive(Serialize)]\n"
            "pub struct Stock { id: String, levels: Vec<Level> }\n"
            "pub async fn send(p: &FutureProducer, id: String, levels: Vec<Level>) {\n"
            "   let s = Stock { id, levels };\n"
            '   p.send(FutureRecord::to("x").payload(&serde_json::to_vec(&s).unwrap()).key("k"), None).await; }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "k.scala": (
        (
            "import org.apache.kafka.clients.producer._\n"
            "import zio.json._\n"
            "enum Level(val code: String):\n"
            '  case Low extends Level("low")\n'
            '  case High extends Level("high")\n'
            "case class Stock(id: String, level: String)\n"
            "class R(p: KafkaProducer[String, String]) {\n"
            '   def send(id: String, level: Level) = p.send(new ProducerRecord("x", Stock(id, level.code).toJson)) }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "m.java": (
        (
            "import org.springframework.kafka.core.KafkaTemplate;\n"
            'enum Level { LOW("low"), HIGH("high"); private final String code;\n'
            "  Level(String code) { this.code = code; }\n  String code() { return code; } }\n"
            "record Stock(String id, String level) {}\n"
            "class R { KafkaTemplate<String, Stock> t;\n"
            '  void send(String id, Level level) { t.send("x", new Stock(id, level.code())); } }\n'
        ),
        '"low"',
        '"lo"',
    ),
    "l.cs": (
        (
            "using Confluent.Kafka;\n"
            "enum Level { Low = 1, High = 2 }\n"
            "record Stock(string Id, int Level);\n"
            "class R { IProducer<string, Stock> p;\n"
            ' void Send(string id, Level level) { p.Produce("x", new Message<string, Stock> {\n'
            "   Value = new Stock(id, (int)level) }); } }\n"
        ),
        "Low = 1",
        "Low = 3",
    ),
}
"""Programs that send a constant, what says how it is written, and something else in its place."""


@pytest.mark.parametrize("path", ENUMERATIONS)
def test_how_a_constant_is_written_counts(sends, path: str) -> None:
    code, before, after = ENUMERATIONS[path]

    assert compare(sends({path: code}), sends({path: code.replace(before, after)}))


def test_a_further_constant_is_no_difference(sends) -> None:
    code, _, _ = ENUMERATIONS["e.py"]
    more = code.replace('    HIGH = "high"\n', '    HIGH = "high"\n    NONE = "none"\n')

    assert compare(sends({"a.py": code}), sends({"a.py": more})) == []


def test_a_constant_that_is_gone_may_matter(sends) -> None:
    code, _, _ = ENUMERATIONS["e.py"]
    found = compare(sends({"a.py": code}), sends({"a.py": code.replace('    LOW = "low"\n', "")}))

    assert ("level", False) in [(one.field, one.certain) for one in found]


HEADERS = {
    "a.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import org.apache.kafka.clients.producer.ProducerRecord;\n"
        "class R {\n"
        "  KafkaTemplate<String, String> t;\n"
        "  void send(String k, String v) {\n"
        '    ProducerRecord<String, String> r = new ProducerRecord<>("t", k, v);\n'
        '    r.headers().add("source", "x".getBytes());\n'
        "    t.send(r);\n"
        "  }\n"
        "}\n"
    ),
    "made_elsewhere.java": (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        "import org.apache.kafka.clients.producer.ProducerRecord;\n"
        "class R {\n"
        "  KafkaTemplate<String, String> t;\n"
        '  void send(String k, String v) { for (String x : v.split(",")) { t.send(record(k, x)).join(); } }\n'
        "  ProducerRecord<String, String> record(String k, String v) {\n"
        '    ProducerRecord<String, String> record = new ProducerRecord<>("t", k, v);\n'
        '    record.headers().add("source", "x".getBytes());\n'
        "    return record;\n"
        "  }\n"
        "}\n"
    ),
    "a.go": (
        "package a\n"
        'import ("github.com/ThreeDotsLabs/watermill/message")\n'
        "func send(p message.Publisher, k string, v []byte) error {\n"
        '  msg := message.NewMessage("id", v)\n'
        '  msg.Metadata.Set("source", k)\n'
        '  return p.Publish("t", msg)\n'
        "}\n"
    ),
    "index.go": (
        "package a\n"
        'import ("github.com/ThreeDotsLabs/watermill/message")\n'
        "func send(p message.Publisher, k string, v []byte) error {\n"
        '  msg := message.NewMessage("id", v)\n'
        '  msg.Metadata["source"] = k\n'
        '  return p.Publish("t", msg)\n'
        "}\n"
    ),
}
"""Programs that give a record a header by a part of it."""


@pytest.mark.parametrize("path", HEADERS)
def test_what_a_part_of_a_record_is_given_counts(sends, path: str) -> None:
    before, after = sends({path: HEADERS[path]}), sends({path: HEADERS[path].replace('"source"', '"origin"')})

    assert [one.aspect for one in compare(before, after)] == ["headers"]


RUST = """\
use rdkafka::producer::{FutureProducer, FutureRecord};
use serde::Serialize;
pub trait Outbound: Serialize { const SCHEMA: &'static str; }
#[derive(Serialize)]
pub struct Paid { id: String }
impl Outbound for Paid { const SCHEMA: &'static str = "paid/1"; }
async fn deliver<E: Outbound>(p: &FutureProducer, event: &E) {
    p.send(FutureRecord::to("t").payload(&serde_json::to_vec(event).unwrap()).key(E::SCHEMA), None).await;
}
pub async fn pay(p: &FutureProducer, id: String) { deliver(p, &Paid { id }).await; }
"""


def test_a_constant_of_what_a_function_is_generic_in_is_known(sends) -> None:
    before, after = sends({"a.rs": RUST}), sends({"a.rs": RUST.replace("paid/1", "paid/2")})

    assert [(one.aspect, one.certain) for one in compare(before, after)] == [("key", True)]


VALID = """\
import { Kafka } from "kafkajs";
import { z } from "zod";
const schema = z.object({ id: z.string().min(1), rooms: z.number().default(1), note: z.string().optional() });
const p = new Kafka({}).producer();
export async function send(raw: unknown) {
  const r = schema.safeParse(raw);
  if (!r.success) return;
  const value = JSON.stringify({ id: r.data.id, rooms: r.data.rooms });
  await p.send({ topic: "x", messages: [{ value }] });
}
"""


@pytest.mark.parametrize(
    ("before", "after", "aspects"),
    [
        ("default(1)", "default(2)", {"computed"}),
        ("min(1)", "min(3)", {"computed", "condition"}),
        ("note: z", "more: z.string().optional(), note: z", set()),
        ("note: z", "more: z.string().max(3), note: z", {"condition"}),
    ],
)
def test_what_a_schema_makes_of_a_value_counts(sends, before: str, after: str, aspects: set[str]) -> None:
    found = compare(sends({"a.ts": VALID}), sends({"a.ts": VALID.replace(before, after)}))

    assert {one.aspect for one in found} == aspects


def test_the_names_that_a_setting_may_have_are_those_that_no_parameter_brings() -> None:
    settings, given = Input("settings"), Input("0")
    values = [Get(settings, "loan_days"), Get(given, "name"), Apply("property", None, (Const(Kind.TEXT, "app.units"),))]

    assert settings_named(values) == {"loan_days", "app.units"}

"""Results and partial calls: what is there of an Either or an Option, and functions that get arguments in turn."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

SCALA = """
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
case class Raw(id: String, kind: String, size: Int)
case class Bad(why: String)
sealed abstract class Kind(val factor: Int)
object Kind {
  case object Plus extends Kind(1)
  case object Minus extends Kind(-1)
  def parse(text: String): Either[Bad, Kind] = text match {
    case "p" => Right(Plus)
    case "m" => Right(Minus)
    case other => Left(Bad(other))
  }
}
case class Line(id: String, amount: Int, shop: String)
object Line {
  def of(shop: String)(raw: Raw, kind: Kind): Line = Line(raw.id, raw.size * kind.factor, shop)
}
class Lines(producer: KafkaProducer[String, Line], shop: String) {
  private val line = Line.of(shop)
  def read(raw: Raw): Either[Bad, Line] =
    for {
      kind <- Kind.parse(raw.kind)
      size <- Either.cond(raw.size > 0, raw.size, Bad("size"))
    } yield line(raw, kind)
  def send(raw: Raw): Unit = read(raw) match {
    case Right(found) => producer.send(new ProducerRecord("lines", found.id, found))
    case Left(_) => ()
  }
}
"""


def only(found):
    [contract] = {(one.topic, one.shape.fields, one.guards): one for one in found.contracts}.values()
    return contract


def fields(contract):
    return {path: part.text for path, part in contract.shape.fields}


def test_a_record_is_what_a_chain_of_results_has_if_none_of_them_failed(sends) -> None:
    found = fields(only(sends({"a.scala": SCALA})))

    assert found["id"] == "in:0.id"
    assert found["amount"] == 'if(==("p", in:0.kind), *(1, in:0.size), *(-1, in:0.size))'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("object Minus extends Kind(-1)", "object Minus extends Kind(1)"),
        ("raw.size > 0", "raw.size > 5"),
        ('case "m" => Right(Minus)', 'case "m" => Right(Plus)'),
        ("Line(raw.id, raw.size", "Line(raw.kind, raw.size"),
    ],
)
def test_what_a_result_is_made_of_is_part_of_the_record(sends, before: str, after: str) -> None:
    assert before in SCALA

    assert compare(sends({"a.scala": SCALA}), sends({"a.scala": SCALA.replace(before, after)}))


STREAM = """
import org.apache.pekko.kafka.scaladsl.Producer
import org.apache.pekko.stream.scaladsl.{Flow, Source}
import org.apache.kafka.clients.producer.ProducerRecord
case class Raw(id: String, size: Int)
object Checks {
  def check(raw: Raw): Option[Raw] = Option.when(raw.size > 0)(raw)
}
object Main extends App {
  val steps = Flow[Raw].map(Checks.check).STEP.map(r => new ProducerRecord("t", r.id, r.size))
  Source.queue[Raw](8).via(steps).runWith(Producer.plainSink(ProducerSettings(system, new StringSerializer)))
}
"""
STEPS = ("collect { case Some(found) => found }", "mapConcat(_.toList)", "collect { case Some(kept) => kept }")


def test_steps_that_leave_out_what_is_missing_are_the_same(sends) -> None:
    base = sends({"a.scala": STREAM.replace("STEP", STEPS[0])})
    contract = only(base)

    assert contract.topics == ("t",)
    assert any("<(0, " in one for one in contract.guards)
    assert [compare(base, sends({"a.scala": STREAM.replace("STEP", one)})) for one in STEPS] == [[], [], []]


def test_the_serializer_that_a_sink_is_made_with_is_part_of_what_it_writes(sends) -> None:
    code = STREAM.replace("STEP", STEPS[0])

    assert compare(sends({"a.scala": code}), sends({"a.scala": code.replace("StringSerializer", "AvroSerializer")}))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "a.java",
            "import org.apache.kafka.clients.producer.*;\nclass S {\n  KafkaProducer<String, String> producer;\n"
            '  void send(String id) {\n    ProducerRecord<String, String> r = new ProducerRecord<>("t", id, id);\n'
            '    r.headers().add("kind", id.getBytes());\n    producer.send(r);\n  }\n}\n',
        ),
        (
            "a.kt",
            "import org.apache.kafka.clients.producer.*\n"
            "class S(private val producer: Producer<String, String>) {\n"
            "  private fun made(id: String): ProducerRecord<String, String> {\n"
            '    val r = ProducerRecord("t", id, id)\n    r.headers().add("kind", id.toByteArray())\n'
            "    return r\n  }\n"
            "  fun send(id: String) {\n    producer.send(made(id))\n  }\n}\n",
        ),
    ],
)
def test_headers_that_are_added_to_a_record_are_part_of_it(sends, path: str, code: str) -> None:
    [found] = compare(sends({path: code}), sends({path: code.replace('"kind"', '"sort"')}))

    assert (found.aspect, found.certain) == ("headers", True)


SUMS = {
    "a.py": (
        "from confluent_kafka import Producer\nproducer = Producer({})\ndef total(lines):\n    SUM\n"
        "def send(lines):\n    if not lines:\n        return\n    producer.produce('t', value=total(lines))\n",
        "return sum(line.price for line in lines if not line.free)",
        "found = 0\n    for line in lines:\n        if not line.free:\n"
        "            found += line.price\n    return found",
    ),
    "a.kt": (
        "import org.springframework.kafka.core.KafkaTemplate\ndata class Line(val price: Int, val free: Boolean)\n"
        "class S(private val template: KafkaTemplate<String, Int>) {\n"
        "    private fun total(lines: List<Line>): Int {\n        SUM\n    }\n"
        '    fun send(lines: List<Line>) { template.send("t", total(lines)) }\n}\n',
        "return lines.sumOf { it.price }",
        "var found = 0\n        for (line in lines) {\n"
        "            found += line.price\n        }\n        return found",
    ),
}


@pytest.mark.parametrize("path", SUMS)
def test_a_sum_is_the_same_as_a_loop_that_adds(sends, path: str) -> None:
    code, first, second = SUMS[path]
    base = sends({path: code.replace("SUM", first)})

    assert compare(base, sends({path: code.replace("SUM", second)})) == []
    assert compare(base, sends({path: code.replace("SUM", second.replace("+= line.price", "+= 1"))}))
    assert compare(base, sends({path: code.replace("SUM", second.replace("found = 0", "found = 1"))}))

"""Streams of Scala: what holds a consumer, chunks, and imports that begin beside the file's own package."""

from __future__ import annotations

from scanner_programs.compare import compare

CODE = """
package shop
package labels

import fs2.kafka._
import metrics.KafkaCounters

case class Parcel(id: String, grams: Int)
case class Label(parcel: String, heavy: Boolean)

class Relay[F[_]: Async](settings: ConsumerSettings[F, String, Parcel], out: ProducerSettings[F, String, Label]) {
  def run: Resource[F, fs2.Stream[F, Unit]] =
    KafkaConsumer.resource(settings).evalTap(_.subscribeTo("parcels")).map {
      _.stream.parEvalMap(4) { one => store(one.record.value.grams) }
    }
  def publish(labels: List[Label]): Resource[F, fs2.Stream[F, Unit]] =
    KafkaProducer.resource(out).map { producer =>
      fs2.Stream.emits(labels)
        .map(one => ProducerRecord("labels", one.parcel, one))
        .chunkN(100)
        .parEvalMapUnordered(2) { chunk => producer.produce(chunk).flatTap(_ => count(chunk.size)).void }
    }
}
"""
COUNTERS = "package shop.labels.metrics\nobject KafkaCounters { val sent = Counter.build().register() }\n"


def test_the_elements_of_a_stream_have_the_fields_of_what_it_is_made_of(sends) -> None:
    found = sends({"labels/Relay.scala": CODE, "labels/metrics/KafkaCounters.scala": COUNTERS})

    assert {path for one in found.contracts for path, _ in one.shape.fields} == {"parcel", "heavy"}
    assert [one.topics for one in found.contracts] == [("labels",)]


def test_what_a_stream_of_records_is_taken_from_is_no_record(sends) -> None:
    """`stream` is a member of the consumer that a resource holds."""
    found = sends({"labels/Relay.scala": CODE, "labels/metrics/KafkaCounters.scala": COUNTERS})

    assert {(one.topic, ".".join(one.path)) for one in found.used} == {("parcels", "grams")}


def test_an_import_of_the_programs_own_package_is_no_library(sends) -> None:
    found = sends({"labels/Relay.scala": CODE, "labels/metrics/KafkaCounters.scala": COUNTERS})

    assert found.unknown == {}
    assert not found.is_opaque


def test_an_object_that_a_program_makes_a_stream_of_decides_no_condition(sends) -> None:
    """It is an example of what may come; which members it has, and what they are, is known."""
    code = (
        "import fs2.Stream\nimport fs2.kafka._\ncase class Box(id: String, grams: Int, open: Boolean)\n"
        'object Boxes { val all: List[Box] = List(Box("a", 3, open = false)) }\n'
        "class Relay(producer: KafkaProducer[IO, String, Int]) {\n"
        '  def record(box: Box) = ProducerRecord("boxes", box.id, {})\n'
        "  def run = Stream.emits(Boxes.all).map(record).evalMap(one => producer.produceOne(one).flatten)\n}\n"
    )
    before, other, more = (
        sends({"Relay.scala": code.replace("{})\n", f"{value})\n")})
        for value in ("box.grams", "if (box.open) 0 else box.grams", "box.grams + 1")
    )

    assert before.contracts
    assert compare(before, other)
    assert compare(before, more)


LAYERS = {
    "claims/Settings.scala": (
        "package claims\nimport com.typesafe.config.ConfigFactory\nimport zio.*\n"
        "final case class Settings(topic: String)\nobject Settings:\n"
        "  val live: ZLayer[Any, Throwable, Settings] = ZLayer.fromZIO(ZIO.attempt {\n"
        '    Settings(ConfigFactory.load().getConfig("claims").getString("topics.registered"))\n  })\n'
    ),
    "claims/Claims.scala": (
        "package claims\nimport org.apache.kafka.clients.producer.ProducerRecord\nimport zio.*\n"
        "import zio.kafka.producer.Producer\nimport zio.kafka.serde.Serde\n"
        'enum Cause(val code: String):\n  case Water extends Cause("WTR")\n  case Fire extends Cause("FIR")\n'
        "object Cause:\n  def parse(text: String): Option[Cause] = Cause.values.find(_.toString == text)\n"
        "final case class Claims(producer: Producer, settings: Settings):\n"
        "  def register(id: String, cause: String): Task[Unit] =\n"
        "    for\n      found <- ZIO.fromOption(Cause.parse(cause))\n"
        "      _ <- producer.produce(settings.topic, id, found.code, Serde.string, Serde.string)\n    yield ()\n"
        "  def repeat(record: ProducerRecord[String, String]): Task[Unit] =\n"
        "    producer.produce(record, Serde.string, Serde.string).unit\n"
    ),
    "application.conf": 'claims { topics { registered = "claims.registered" } }\n',
}


def test_a_layer_makes_the_object_of_its_type_and_the_package_tells_the_client(sends) -> None:
    found = {one.view: one.topics for one in sends(LAYERS).contracts if not one.inner}

    assert found["Claims.register"] == ("claims.registered",)


def test_what_a_constant_of_an_enumeration_is_made_with_is_part_of_the_record(sends) -> None:
    path = "claims/Claims.scala"
    changed = {**LAYERS, path: LAYERS[path].replace('"FIR"', '"FIRE"')}

    assert compare(sends(LAYERS), sends(changed))

"""A call that is given a test and fails unless it holds decides whether what follows is sent."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare
from scanner_programs.endpoints import endpoints_of
from tests.scanner_programs.conftest import program_of

_FORMS = {
    "guava": (
        "A.java",
        "import com.google.common.base.Preconditions;\n"
        "import org.apache.kafka.clients.producer.*;\n"
        "class A { KafkaProducer<String,String> p; void send(int n, String v) { "
        'Preconditions.checkArgument(n > LEAST, "bad"); p.send(new ProducerRecord<>("t", v)); } }',
    ),
    "imported checkState": (
        "A.java",
        "import static com.google.common.base.Preconditions.checkState;\n"
        "import org.apache.kafka.clients.producer.*;\n"
        "class A { KafkaProducer<String,String> p; void send(int n, String v) { checkState(n > LEAST); "
        'p.send(new ProducerRecord<>("t", v)); } }',
    ),
    "require of Kotlin": (
        "A.kt",
        "import org.apache.kafka.clients.producer.*\n"
        "class A(val p: KafkaProducer<String,String>) { fun send(n: Int, v: String) { require(n > "
        'LEAST) { "bad" }\n'
        ' p.send(ProducerRecord("t", v)) } }',
    ),
    "check of Kotlin": (
        "A.kt",
        "import org.apache.kafka.clients.producer.*\n"
        "class A(val p: KafkaProducer<String,String>) { fun send(n: Int, v: String) { check(n > LEAST)\n"
        ' p.send(ProducerRecord("t", v)) } }',
    ),
    "require of Scala": (
        "A.scala",
        "import org.apache.kafka.clients.producer._\n"
        "class A(p: KafkaProducer[String,String]) { def send(n: Int, v: String): Unit = { require(n > LEAST)\n"
        ' p.send(new ProducerRecord("t", v)) } }',
    ),
    "a library of TypeScript": (
        "a.ts",
        'import { Kafka } from "kafkajs";\n'
        'import invariant from "tiny-invariant";\n'
        "const p = new Kafka({}).producer();\n"
        'export async function send(n: number, v: string) { invariant(n > LEAST, "bad"); await '
        'p.send({topic: "t", messages: [{value: v}]}); }',
    ),
    "assert of Node": (
        "a.ts",
        'import { Kafka } from "kafkajs";\n'
        'import assert from "node:assert";\n'
        "const p = new Kafka({}).producer();\n"
        "export async function send(n: number, v: string) { assert(n > LEAST); await p.send({topic: "
        '"t", messages: [{value: v}]}); }',
    ),
    "assert of Python": (
        "a.py",
        "from confluent_kafka import Producer\n"
        "p = Producer({})\n"
        "def send(n, v):\n"
        "    assert n > LEAST\n"
        '    p.produce("t", v)\n',
    ),
    "a house's library": (
        "a.py",
        "from confluent_kafka import Producer\n"
        "from house import ensure\n"
        "p = Producer({})\n"
        "def send(n, v):\n"
        '    ensure(n > LEAST, "bad")\n'
        '    p.produce("t", v)\n',
    ),
    "an unknown class": (
        "A.cs",
        "using Confluent.Kafka;\n"
        "using Dawn;\n"
        "class A { IProducer<string,string> p; void Send(int n, string v) { Throw.IfFalse(n > LEAST); "
        'p.Produce("t", new Message<string,string>{Value = v}); } }',
    ),
    "a class of errors in .NET": (
        "A.cs",
        "using Confluent.Kafka;\n"
        "using System;\n"
        "class A { IProducer<string,string> p; void Send(int n, string v) { "
        'ArgumentOutOfRangeException.ThrowIfLessThan(n, LEAST); p.Produce("t", new '
        "Message<string,string>{Value = v}); } }",
    ),
    "assert! of Rust": (
        "a.rs",
        "use rdkafka::producer::{FutureProducer,FutureRecord};\n"
        "pub async fn send(p: &FutureProducer, n: i32, v: String) { assert!(n > LEAST); "
        'p.send(FutureRecord::to("t").key("k").payload(&v), Timeout::Never).await; }',
    ),
    "ensure! of Rust": (
        "a.rs",
        "use rdkafka::producer::{FutureProducer,FutureRecord};\n"
        "pub async fn send(p: &FutureProducer, n: i32, v: String) -> anyhow::Result<()> { "
        'anyhow::ensure!(n > LEAST, "bad"); p.send(FutureRecord::to("t").key("k").payload(&v), '
        "Timeout::Never).await; Ok(()) }",
    ),
    "a library of Go": (
        "a.go",
        "package a\n"
        'import ("github.com/IBM/sarama"; "x.org/must")\n'
        "func Send(p sarama.SyncProducer, n int, v string) { must.True(n > LEAST); "
        'p.SendMessage(&sarama.ProducerMessage{Topic: "t", Value: sarama.StringEncoder(v)}) }',
    ),
    "an effect that fails, in cats": (
        "A.scala",
        "import cats.effect.IO\n"
        "import fs2.kafka._\n"
        "class A(p: KafkaProducer[IO,String,String]) { def send(n: Int, v: String): IO[Unit] = for { _ "
        '<- IO.raiseWhen(n > LEAST)(new Exception("x"))\n'
        ' _ <- p.produceOne(ProducerRecord("t", "k", v)) } yield () }',
    ),
    "an operator of cats": (
        "A.scala",
        "import cats.effect.IO\n"
        "import fs2.kafka._\n"
        "class A(p: KafkaProducer[IO,String,String]) { def send(n: Int, v: String): IO[Unit] = "
        'IO.raiseUnless(n > LEAST)(new Exception("x")) *> p.produceOne(ProducerRecord("t", "k", v)).void }',
    ),
    "an effect that fails, in ZIO": (
        "A.scala",
        "import zio.*\n"
        "import zio.kafka.producer.Producer\n"
        "import zio.kafka.serde.Serde\n"
        "class R(p: Producer) {\n"
        " def send(n: Int, v: String) = for {\n"
        '   _ <- ZIO.when(n > LEAST)(ZIO.fail("x"))\n'
        '   _ <- p.produce("t", "k", v, Serde.string, Serde.string)\n'
        " } yield () }\n",
    ),
    "an effect that is filtered": (
        "A.scala",
        "import zio.*\n"
        "import zio.kafka.producer.Producer\n"
        "import zio.kafka.serde.Serde\n"
        "class R(p: Producer) {\n"
        " def send(n: Int, v: String) = for {\n"
        '   _ <- ZIO.succeed(n).filterOrFail(_ > LEAST)("x")\n'
        '   _ <- p.produce("t", "k", v, Serde.string, Serde.string)\n'
        " } yield () }\n",
    ),
    "an effect of one's own": (
        "A.scala",
        "import zio.*\n"
        "import zio.kafka.producer.Producer\n"
        "import zio.kafka.serde.Serde\n"
        "class R(p: Producer) {\n"
        ' def check(n: Int): IO[String, Unit] = if (n > LEAST) ZIO.unit else ZIO.fail("x")\n'
        ' def send(n: Int, v: String) = check(n) *> p.produce("t", "k", v, Serde.string, Serde.string) }\n',
    ),
    "ensure in Kotlin": (
        "A.kt",
        "import arrow.core.raise.*\n"
        "import org.apache.kafka.clients.producer.*\n"
        "class A(val p: KafkaProducer<String,String>) { fun send(n: Int, v: String) = either<String, "
        'Unit> { ensure(n > LEAST) { "bad" }\n'
        ' p.send(ProducerRecord("t", v)) } }',
    ),
}
_JAVA = (
    "import com.google.common.base.Preconditions; import org.slf4j.Logger; import java.util.Objects;\n"
    "import org.apache.kafka.clients.producer.*;\n"
    "class A { KafkaProducer<String,String> p; Logger log;\n"
    '  void send(int n, String v) { CODE p.send(new ProducerRecord<>("t", v)); } }'
)
_KOTLIN = (
    "import org.apache.kafka.clients.producer.*\n"
    "class A(val p: KafkaProducer<String,String>) { fun send(n: Int, v: String?) { CODE\n"
    '  p.send(ProducerRecord("t", v)) } }'
)
_PYTHON = 'from confluent_kafka import Producer\np = Producer({})\ndef send(n, v):\n    CODE\n    p.produce("t", v)\n'
_RUST = (
    "use rdkafka::producer::{FutureProducer,FutureRecord};\n"
    "pub async fn send(p: &FutureProducer, n: i32, v: String) -> anyhow::Result<()> { CODE\n"
    '  p.send(FutureRecord::to("t").key("k").payload(&v), Timeout::Never).await; Ok(()) }'
)


def _aspects(name: str, before: str, after: str) -> list[str]:
    return [one.aspect for one in compare(*(endpoints_of(program_of({name: text})) for text in (before, after)))]


@pytest.mark.parametrize("form", _FORMS)
def test_a_test_that_a_call_fails_without_is_a_condition(form: str) -> None:
    name, code = _FORMS[form]
    aspects = _aspects(name, code.replace("LEAST", "0"), code.replace("LEAST", "77"))
    assert set(aspects) == {"condition"}


@pytest.mark.parametrize("form", _FORMS)
def test_a_call_that_is_the_same_is_no_difference(form: str) -> None:
    name, code = _FORMS[form]
    assert not _aspects(name, code.replace("LEAST", "0"), "\n" + code.replace("LEAST", "0"))


@pytest.mark.parametrize(
    ("name", "code", "before", "after"),
    [
        ("A.java", _JAVA, "", 'Objects.requireNonNull(v, "v");'),
        ("A.java", _JAVA, 'Preconditions.checkArgument(n > 0, "a");', 'Preconditions.checkArgument(n > 0, "b");'),
        ("A.java", _JAVA, "", 'log.info("x {}", n > 0);'),
        ("A.kt", _KOTLIN, 'if (n <= 0) throw IllegalArgumentException("x")', 'require(n > 0) { "x" }'),
        ("A.kt", _KOTLIN, "", "require(v != null)"),
        ("a.py", _PYTHON, "pass", "assert isinstance(v, str)"),
        ("a.py", _PYTHON, "if n <= 0: raise ValueError(n)", "assert n > 0, n"),
        ("a.rs", _RUST, 'if n <= 0 { return Err(anyhow::anyhow!("x")); }', 'anyhow::ensure!(n > 0, "y");'),
        ("a.rs", _RUST, "", "debug_assert!(n > 0);"),
    ],
)
def test_what_only_makes_sure_is_no_condition(name: str, code: str, before: str, after: str) -> None:
    assert not _aspects(name, code.replace("CODE", before), code.replace("CODE", after))


def test_the_serializers_that_a_send_is_given_are_parts_of_it() -> None:
    name, code = _FORMS["an effect that fails, in ZIO"]
    other = code.replace("Serde.string)", "Serde.string.contramap[String](_.trim))")
    assert _aspects(name, code, other) == ["valueserializer"]


def test_an_effect_that_fails_where_a_test_holds_not_is_the_same_as_one_that_fails_where_it_does() -> None:
    name, code = _FORMS["an effect that fails, in ZIO"]
    other = code.replace("ZIO.when(n > LEAST)", "ZIO.unless(n <= LEAST)")
    assert other != code
    assert not _aspects(name, code.replace("LEAST", "0"), other.replace("LEAST", "0"))

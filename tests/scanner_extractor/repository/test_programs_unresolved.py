"""Source files that use a Kafka client without a resolved topic."""

from __future__ import annotations

import pytest

from scanner_model.declarations import UNRESOLVED_USE, UnreadFile

SILENT = {
    "a.py": "from confluent_kafka import Consumer\n\n\ndef run(client: Consumer, handle):\n    handle(client)\n",
    "A.java": "import org.apache.kafka.clients.consumer.KafkaConsumer;\nclass A { KafkaConsumer<String, String> c; }\n",
    "a.go": 'package a\n\nimport (\n\tkafka "example.com/kafka-client/v2"\n)\n\nfunc f(c kafka.Reader) { g(c) }\n',
    "a.ts": "import { Kafka } from 'kafkajs';\nexport const client = (k: Kafka) => wrap(k);\n",
}


def unresolved(reading):
    return [(file.name, file.reason) for file in reading.of(UnreadFile) if file.kind == UNRESOLVED_USE]


@pytest.mark.parametrize("path", SILENT)
def test_a_file_that_imports_a_client_without_a_recognized_call_is_listed(read_repository, path):
    """Tests are left out."""
    ((name, reason),) = unresolved(read_repository({path: SILENT[path], f"tests/{path}": SILENT[path]}))
    assert name == path
    assert "imports a Kafka client" in reason


def test_calls_without_a_resolved_topic_are_counted_with_the_first_lines(read_repository):
    calls = "".join(f"    consumer.subscribe(topics_of({number}))\n" for number in range(5))
    text = f"from confluent_kafka import Consumer\n\n\ndef run(consumer, topics_of):\n{calls}"
    assert unresolved(read_repository({"a.py": text})) == [
        ("a.py", "the topic is not resolved in 5 calls of a Kafka client: line 5, 6, 7, …")
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "from kafka.errors import KafkaError\n\nERRORS = (KafkaError,)\n"),
        ("a.py", 'from kafka import KafkaConsumer\n\nconsumer = KafkaConsumer("orders")\n'),
        ("a.go", 'package a\n\nimport "example.com/kafka/avro"\n\nvar s = avro.Schema{}\n'),
        (
            "kafka/helpers.go",
            'package a\n\nimport (\n\t"testing"\n\n\t"example.com/kafka"\n)\n\nfunc f(c kafka.Reader) { g(c) }\n',
        ),
        ("event/mocks/a.go", 'package a\n\nimport "example.com/kafka"\n\nfunc f(c kafka.Reader) { g(c) }\n'),
        ("A.java", "import org.apache.kafka.common.serialization.Serde;\nclass A { Serde<String> serde; }\n"),
    ],
)
def test_a_file_with_resolved_topics_or_without_a_client_is_not_listed(read_repository, path, text):
    assert unresolved(read_repository({path: text})) == []


WRAPPED = {
    "package.json": '{"name": "mail"}',
    "bus/client.ts": "import { Kafka } from 'kafkajs'\nexport const kafka = new Kafka({ brokers: [] })\n"
    "export const producer = kafka.producer()\n",
    "bus/publisher.ts": "import { producer } from './client'\nimport type { ProducerRecord } from 'kafkajs'\n"
    "export class Publisher {\n  async produce(record: ProducerRecord) { await producer.send(record) }\n}\n",
    "mail.ts": "import { Publisher } from './bus/publisher'\nimport { Message } from 'kafkajs'\n"
    "export class Mail {\n  constructor(private readonly publisher: Publisher) {}\n"
    "  async greet(user) {\n    const messages: Message[] = [{ value: JSON.stringify({ id: user.id }) }]\n"
    "    const record = { topic: TOPIC, messages }\n    await this.publisher.produce(record)\n  }\n}\n",
}


def test_a_call_that_leads_to_a_send_with_a_known_topic_is_resolved(read_repository):
    """The file that only makes the client is covered by what is sent with it."""
    files = {path: text.replace("TOPIC", "'mails'") for path, text in WRAPPED.items()}

    assert unresolved(read_repository(files)) == []


def test_a_call_that_leads_to_a_send_without_a_known_topic_is_listed(read_repository):
    files = {path: text.replace("TOPIC", "user.topic") for path, text in WRAPPED.items()}

    assert "mail.ts" in {name for name, _ in unresolved(read_repository(files))}


PRINTER = """package labels
import com.google.gson.Gson
import org.springframework.kafka.core.KafkaTemplate
import org.springframework.stereotype.Service
data class Label(val code: String)
@Service
class Printer(private val printing: KafkaTemplate<String, String>) {
    fun print(label: Label) {
        printing.%s(label.code, Gson().toJson(label))
    }
}
"""


def test_a_send_without_a_topic_is_listed(read_repository):
    """A container may set the topic of a template later: no flow is known, which is said."""
    found = unresolved(read_repository({"src/main/kotlin/Printer.kt": PRINTER % "sendDefault"}))
    assert found == [
        ("src/main/kotlin/Printer.kt", "the topic is not resolved in 1 call of a Kafka client: line 9"),
    ]


def test_a_method_that_sends_nothing_is_no_send_without_a_topic(read_repository):
    found = unresolved(read_repository({"src/main/kotlin/Printer.kt": PRINTER % "setMicrometerTags"}))
    assert all("the topic is not resolved" not in reason for _, reason in found)

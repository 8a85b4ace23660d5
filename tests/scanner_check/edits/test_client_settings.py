"""Settings of readers in code: another group, offset or deserializer is reported, whatever language it is in."""

from __future__ import annotations

import pytest

from scanner_check.edits.client_settings import words_of_code
from scanner_check.knowledge.clients import Meaning, meaning_of
from scanner_check.model import Verdict
from scanner_check.rows.files import NOT_JUDGED
from scanner_check.rows.table import row_of

JAVA = """package b;
import org.springframework.kafka.annotation.KafkaListener;
class In {
  @KafkaListener(topics = "prices", groupId = "web")
  void on(double price) { System.out.println(price); }
}
"""
PROPERTIES = """package b;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
class In {
  void go() {
    Properties p = new Properties();
    p.put(ConsumerConfig.GROUP_ID_CONFIG, "web");
    p.put("auto.offset.reset", "earliest");
    KafkaConsumer<String, String> consumer = new KafkaConsumer<>(p);
    consumer.subscribe(List.of("prices"));
  }
}
"""
PYTHON = """from kafka import KafkaConsumer

for message in KafkaConsumer("prices", group_id="web", auto_offset_reset="earliest"):
    print(message.value)
"""
DICTIONARY = """from confluent_kafka import Consumer

consumer = Consumer({"group.id": "web", "isolation.level": "read_committed"})
consumer.subscribe(["prices"])
"""
SCRIPT = """import { Kafka } from 'kafkajs';
const consumer = new Kafka({ brokers: ['k:9092'] }).consumer({ groupId: 'web' });
consumer.subscribe({ topic: 'prices' });
"""
GO = """package main
import "github.com/segmentio/kafka-go"
func main() {
\tr := kafka.NewReader(kafka.ReaderConfig{Topic: "prices", GroupID: "web", MinBytes: 1})
\tr.Close()
}
"""
BUILDS = {
    "java/pom.xml": "<project><artifactId>java</artifactId></project>",
    "py/requirements.txt": "kafka-python\nconfluent-kafka\n",
    "ts/package.json": '{"dependencies": {"kafkajs": "2"}}',
    "go/go.mod": "module go\nrequire github.com/segmentio/kafka-go v0.4.0\n",
}


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("java/In.java", JAVA, '"web"', '"web2"'),
        ("java/In.java", PROPERTIES, '"web"', '"web2"'),
        ("java/In.java", PROPERTIES, "earliest", "latest"),
        ("py/a.py", PYTHON, '"web"', '"web2"'),
        ("py/a.py", PYTHON, ', auto_offset_reset="earliest"', ""),
        ("py/a.py", DICTIONARY, "read_committed", "read_uncommitted"),
        ("ts/a.ts", SCRIPT, "'web'", "'web2'"),
        ("go/main.go", GO, '"web"', '"web2"'),
    ],
)
def test_another_setting_of_a_reader_is_unknown_at_its_line(path, text, old, new, check):
    changed = text.replace(old, new)
    report = check({path: changed}, {**BUILDS, path: text})
    lines = [number for number, line in enumerate(changed.splitlines(), 1) if line not in text.splitlines()]

    assert report.verdict is Verdict.UNKNOWN
    assert [finding.place.line for finding in report.findings if row_of(finding) is NOT_JUDGED] == lines


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("py/a.py", PYTHON, 'group_id="web"', 'client_id="c", max_poll_records=5, group_id="web"'),
        (
            "py/a.py",
            PYTHON,
            'group_id="web", auto_offset_reset="earliest"',
            'auto_offset_reset="earliest", group_id="web"',
        ),
        ("go/main.go", GO, "MinBytes: 1", "MinBytes: 2"),
        ("py/a.py", PYTHON, PYTHON, "print('nothing is read here')\n"),
        ("java/In.java", JAVA, "System.out", "System.err"),
    ],
)
def test_how_a_reader_runs_and_a_reader_that_is_gone_are_fine(path, text, old, new, check):
    assert check({path: text.replace(old, new)}, {**BUILDS, path: text}).verdict is Verdict.FINE


STREAMS = """import org.apache.kafka.streams.*;
import java.util.*;
public class S {
  public static void main(String[] a) {
    Properties p = new Properties();
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, "counter");
    p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    StreamsBuilder b = new StreamsBuilder();
    b.stream("clicks").to("clean");
    new KafkaStreams(b.build(), p).start();
  }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"), [("CONFIG, 2", "CONFIG, 4", Verdict.FINE), ('"counter"', '"other"', Verdict.UNKNOWN)]
)
def test_a_constant_is_known_by_the_setting_that_it_names(old, new, verdict, check):
    base = {**BUILDS, "java/S.java": STREAMS}

    assert check({"java/S.java": STREAMS.replace(old, new)}, base).verdict is verdict


@pytest.mark.parametrize("name", ["group.id", "groupId", "group_id", "GroupID", "GROUP_ID_CONFIG"])
def test_a_setting_is_known_however_code_writes_it(name):
    assert meaning_of(words_of_code(name)) is Meaning.READERS


SETTINGS_CLASS = {
    "pyproject.toml": '[project]\nname = "audit"\ndependencies = ["confluent-kafka"]\n',
    "audit/settings.py": "from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n"
    '    audit_group: str = "web"\n    page_size: int = 10\n\n\nsettings = Settings()\n',
    "audit/main.py": "from confluent_kafka import Consumer\n\nfrom audit.settings import settings\n\n"
    'consumer = Consumer({"group.id": settings.audit_group})\nconsumer.subscribe(["prices"])\n'
    "print(consumer.poll(1), settings.page_size)\n",
}
CONSTANT = {
    "app/go.mod": "module app\n\nrequire github.com/segmentio/kafka-go v0.4.47\n",
    "app/names.go": 'package main\n\nconst readerGroup = "web"\nconst title = "Prices"\n',
    "app/main.go": 'package main\n\nimport "github.com/segmentio/kafka-go"\n\nfunc main() {\n'
    '\tkafka.NewReader(kafka.ReaderConfig{Topic: "prices", GroupID: readerGroup})\n\tprintln(title)\n}\n',
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "path", "old", "new", "expected"),
    [
        (SETTINGS_CLASS, "audit/settings.py", '"web"', '"web-2"', Verdict.UNKNOWN),
        (SETTINGS_CLASS, "audit/settings.py", "int = 10", "int = 20", Verdict.FINE),
        (CONSTANT, "app/names.go", '"web"', '"web-2"', Verdict.UNKNOWN),
        (CONSTANT, "app/names.go", '"Prices"', '"All prices"', Verdict.FINE),
    ],
)
def test_named_value_by_which_code_reads_counts_wherever_it_is(check, files, path, old, new, expected) -> None:
    assert check({path: files[path].replace(old, new)}, files).verdict is expected

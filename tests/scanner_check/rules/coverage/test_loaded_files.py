"""A file that a Kafka program names in its code is a part of that program, whatever its form is."""

from __future__ import annotations

import pytest

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

JAVA = {
    "feed/pom.xml": "<project><artifactId>feed</artifactId></project>",
    "feed/src/main/java/feed/Feed.java": """package feed;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
class Feed {
  private final KafkaProducer<String, String> producer;
  private final Query query;
  void run() {
    for (String row : query.rows()) {
      producer.send(new ProducerRecord<>("feed.rows", row));
    }
  }
}
""",
    "feed/src/main/java/feed/Query.java": """package feed;
class Query {
  private static final String FILE = "classpath:queries/rows.sql";
  java.util.List<String> rows() { return Database.all(Resources.text(FILE)); }
}
""",
    "feed/src/main/java/feed/Page.java": """package feed;
class Page {
  String html() { return Resources.text("pages/about.vm"); }
}
""",
    "feed/src/main/resources/queries/rows.sql": "SELECT id, total FROM orders WHERE paid\n",
    "feed/src/main/resources/pages/about.vm": "<p>About</p>\n",
}
PYTHON = {
    "mail/requirements.txt": "kafka-python==2.0\n",
    "mail/main.py": """import json, os
from pathlib import Path
from kafka import KafkaConsumer, KafkaProducer
from jinja2 import Environment, FileSystemLoader

HERE = Path(__file__).parent
NAMES = json.loads((HERE / "mapping.json").read_text())
TEXTS = Environment(loader=FileSystemLoader("templates/"))
producer = KafkaProducer()
for record in KafkaConsumer("orders"):
    row = {NAMES[name]: value for name, value in json.loads(record.value).items()}
    producer.send("mails", TEXTS.get_template(row["kind"] + ".j2").render(row).encode())
""",
    "mail/mapping.json": '{\n  "customer_no": "customer",\n  "kind_of_mail": "kind"\n}\n',
    "mail/templates/thanks.j2": "Thank you, {{ customer }}\n",
    "mail/other/thanks.j2": "Thank you, {{ customer }}\n",
}
READER = {
    "audit/requirements.txt": "kafka-python==2.0\n",
    "audit/main.py": 'from kafka import KafkaConsumer\nHEAD = open("head.txt").read()\n'
    'for record in KafkaConsumer("orders"):\n    print(HEAD, record.value)\n',
    "audit/head.txt": "orders:\n",
}


@pytest.mark.parametrize(
    ("files", "path", "new", "names"),
    [
        (JAVA, "feed/src/main/resources/queries/rows.sql", "SELECT id FROM orders\n", ("feed", "feed.rows")),
        (PYTHON, "mail/mapping.json", '{\n  "customer_no": "customer",\n  "sort": "kind"\n}\n', ("mail", "mails")),
        (PYTHON, "mail/templates/thanks.j2", "Dear {{ customer }}\n", ("mail", "mails")),
    ],
)
def test_file_that_a_program_loads_is_unknown_for_its_topics(check, files, path: str, new: str, names) -> None:
    report = check({path: new}, files)

    assert report.verdict is Verdict.UNKNOWN
    (finding,) = [one for one in report.findings if one.counts]
    assert finding.place.file == path
    assert all(name in f"{finding.target} {finding.what}" for name in names)


@pytest.mark.parametrize(
    ("files", "path", "new"),
    [
        (JAVA, "feed/src/main/resources/pages/about.vm", "<p>About us</p>\n"),
        (PYTHON, "mail/other/thanks.j2", "Dear {{ customer }}\n"),
        (PYTHON, "mail/mapping.json", '{"customer_no": "customer", "kind_of_mail": "kind"}\n'),
        (READER, "audit/head.txt", "all orders:\n"),
    ],
)
def test_file_that_no_sending_code_loads_is_fine(check, files, path: str, new: str) -> None:
    """Code of the same program that has nothing to do with Kafka may load files, too."""
    assert check({path: new}, files).verdict is Verdict.FINE

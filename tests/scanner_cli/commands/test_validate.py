"""`scanner validate`: what it shows, and when it fails."""

import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path


def test_findings_are_shown_with_their_next_step(scanned, scanner) -> None:
    """The findings of a rule stand together, and the next step is said once."""
    result = scanner("validate", "--dictionary", scanned.dictionary)

    assert result.status == 0
    assert "topic-without-schema" in result.out
    assert result.out.count("→ register one") == 1
    assert result.out.count("warning topic-without-schema") == 1


def test_strict_fails_where_there_is_a_finding(scanned, scanner) -> None:
    """So that a pipeline can stop on it; a rule that finds nothing does not."""
    assert scanner("validate", "--strict", "--dictionary", scanned.dictionary).status == 3
    assert scanner("validate", "--strict", "--rule", "failed-table", "--dictionary", scanned.dictionary).status == 0


def test_unknown_rule_is_refused_with_the_nearest(scanned, scanner) -> None:
    """A typing error must not look like a clean result."""
    result = scanner("validate", "--rule", "failed-conector", "--dictionary", scanned.dictionary)

    assert result.status == 2
    assert "failed-connector" in result.err


def test_findings_as_json_name_all_their_members(scanned, scanner) -> None:
    """Documented in docs/json.md."""
    result = scanner("validate", "--format", "json", "--dictionary", scanned.dictionary)

    assert {tuple(finding) for finding in result.json} == {("cluster", "severity", "rule", "where", "what", "hint")}


def test_flows_that_do_not_fit_are_findings_until_they_do(scanner, tmp_path) -> None:
    """`scanner dictionary dataflow` reports what `validate` and the stored findings contain."""
    shop, stored = tmp_path / "shop", tmp_path / "d.db"
    shop.mkdir()
    config = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "topics": "orders",
        "connection.url": "jdbc:postgresql://dw:5432/dw",
        "table.name.format": "facts",
        "auto.evolve": "false",
    }
    (shop / "sink.json").write_text(json.dumps({"name": "dw", "config": config}))
    (shop / "table.sql").write_text("CREATE TABLE facts (id BIGINT);")
    (shop / "more.ksql").write_text(
        "CREATE STREAM s (id BIGINT, vat INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='AVRO');\n"
        "CREATE STREAM t AS SELECT id, vat FROM s;"
    )
    fields = [{"name": "id", "type": "long"}, {"name": "total", "type": "long"}]

    def rules() -> dict[str, list[str]]:
        schema = {"type": "record", "name": "Order", "fields": fields}
        (shop / "orders-value.avsc").write_text(json.dumps(schema))
        assert scanner("extract", "--from", shop, "--dictionary", stored).status in (0, 3)
        assert scanner("dataflow", "--dictionary", stored).status == 0
        found = scanner("validate", "--format", "json", "--dictionary", stored).json
        with closing(sqlite3.connect(stored)) as conn:
            rows = conn.execute("SELECT rule, what FROM finding ORDER BY ordinal").fetchall()
        assert rows == [(row["rule"], row["what"]) for row in found]
        return {
            rule: [row["where"] for row in found if row["rule"] == rule] for rule in ("unknown-column", "column-misfit")
        }

    assert rules() == {"unknown-column": ["topic orders"], "column-misfit": ["job dw"]}
    fields[1]["name"] = "vat"
    (shop / "table.sql").write_text("CREATE TABLE facts (id BIGINT, vat BIGINT);")
    assert rules() == {"unknown-column": [], "column-misfit": []}


BROKEN = {
    "templates/sink.json": '{"name": "{{ name }}", "config": {{ config | tojson }}}',
    "orders.avsc": '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "strng"}]}',
    "customers.avsc": '{"type": "record", "name": "Customer", "fields": [{"name": "mail", "type": "string"}]}',
    "consumer.py": "from kafka import KafkaConsumer\nconsumer = KafkaConsumer(topics_of(customer), group_id='x')\n",
    "producer.py": "from kafka import KafkaConsumer\nconsumer = KafkaConsumer(topics_of(order), group_id='y')\n",
    "twice.json": '{"name": "twice", "config": {"_c": 1, "_c": 2, "connector.class": "com.example.Unknown"}}',
    "again.json": '{"name": "again", "config": {"_c": 1, "_c": 2, "connector.class": "com.example.Unknown"}}',
}
POINTER = re.compile(r"(?:warning|error): (?P<rule>[a-z-]+): (?P<where>[^:]+): .*`scanner (?P<command>[^`]+)`")
PLACES = re.compile(r"warning: (?P<where>[^ ]+):\d+:\d+.*more places?: see `scanner (?P<command>[^`]+)`")


def test_each_pointer_of_a_scan_prints_what_it_points_to(scanner, tmp_path) -> None:
    """A command that answers "no findings" costs more than no pointer: the reader believes it."""
    shop, stored = tmp_path / "shop", tmp_path / "d.db"
    for name, text in BROKEN.items():
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text(text)
    printed = scanner("scan", shop, "--dictionary", stored).err
    pointers = [*POINTER.finditer(printed), *PLACES.finditer(printed)]

    assert len(pointers) >= 3, printed
    assert "see `scanner changes --problems`" in printed
    assert scanner("changes", "--problems", "--format", "json", "--dictionary", stored).json
    for pointer in pointers:
        answer = scanner(*shlex.split(pointer["command"]), "--format", "csv", "--dictionary", stored)
        assert answer.status == 0
        assert pointer["where"] in answer.out, pointer[0]


def test_hint_of_a_failed_connector_prints_its_trace(scanner, tmp_path) -> None:
    stored = tmp_path / "d.db"
    retail = Path(__file__).parents[3] / "examples/retail"
    scanner("scan", "--config", retail / "cluster.json", "--replay", retail / "capture", "--dictionary", stored)
    found = scanner("validate", "--rule", "failed-connector", "--format", "json", "--dictionary", stored).json
    command = re.search(r"`scanner ([^`]+)`", found[0]["hint"])[1]
    (job,) = scanner(*shlex.split(command), "--dictionary", stored).json

    assert f"connector {job['name']}" == found[0]["where"]
    assert "Tolerance exceeded in error handler" in json.dumps(job)

"""Two commits are compared as all that their files declare, without a dictionary."""

from __future__ import annotations

import json
import subprocess

import pytest

from scanner_api.change_check.check import check_commits
from scanner_api.change_check.model import Verdict
from scanner_model.errors import InputInvalid

KSQL = (
    "CREATE STREAM orders (id INT, total DOUBLE) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');\n"
    "CREATE STREAM big AS SELECT id, total FROM orders;\n"
)
SINK = json.dumps(
    {
        "name": "s3",
        "config": {
            "connector.class": "io.confluent.connect.s3.S3SinkConnector",
            "topics": "BIG",
            "s3.bucket.name": "b",
        },
    }
)
SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "int"}, {"name": "total", "type": "double"}],
}
BASE = {
    "topics.sh": "kafka-topics --create --topic orders\n",
    "a.ksql": KSQL,
    "sink.json": SINK,
    "orders-value.avsc": json.dumps(SCHEMA),
    "README.md": "one",
    ".env": "A=b",
}


@pytest.fixture
def check(tmp_path):
    """Return a function that checks the change from BASE to other files (None deletes one)."""

    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    def commit(files: dict[str, str | None]) -> None:
        for name, text in files.items():
            file = tmp_path / name
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        git("add", "-A")
        git("commit", "-qm", "x", "--allow-empty")

    def run(files: dict[str, str | None], base: dict[str, str] = BASE):
        git("init", "-q")
        commit(dict(base))
        commit(files)
        return check_commits("HEAD~1...HEAD", directory=tmp_path)

    return run


def rules(report) -> set[tuple[str, str]]:
    return {(finding.rule, finding.item) for finding in report.findings if finding.counts}


def test_a_column_that_is_dropped_hits_who_uses_it(check):
    report = check({"a.ksql": KSQL.replace("SELECT id, total", "SELECT id")})
    assert report.verdict is Verdict.IMPACT
    lost = {finding.item: finding for finding in report.findings if finding.rule == "column-lost"}
    assert lost.keys() == {"BIG.TOTAL", "topics/BIG.TOTAL"}
    assert lost["BIG.TOTAL"].place.file == "a.ksql"
    assert "s3" in {hit.name for hit in lost["BIG.TOTAL"].affected}


def test_a_field_that_is_dropped_from_a_schema_hits_who_uses_it(check):
    report = check({"orders-value.avsc": json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]})})
    assert ("column-removed", "total") in rules(report)
    (finding,) = (finding for finding in report.findings if finding.rule == "column-removed")
    assert "CSAS_BIG" in {hit.name for hit in finding.affected}


def test_a_topic_that_is_renamed_where_it_is_read_has_no_writer(check):
    report = check({"sink.json": SINK.replace("BIG", "LARGE")})
    assert report.verdict is Verdict.IMPACT
    assert ("input-without-writer", "LARGE") in rules(report)


def test_a_topic_that_is_renamed_where_it_is_written_or_declared_hits_its_readers(check):
    report = check({"a.ksql": KSQL.replace("STREAM big AS", "STREAM big WITH (KAFKA_TOPIC='x') AS")})
    assert ("output-lost", "BIG") in rules(report)
    (finding,) = (finding for finding in report.findings if finding.rule == "output-lost")
    assert "s3" in {hit.name for hit in finding.affected}


def test_a_topic_that_is_not_created_any_more_is_used(check):
    report = check({"topics.sh": "kafka-topics --create --topic order\n"})
    assert report.verdict is Verdict.IMPACT
    assert ("topic-gone", "orders") in rules(report)


def test_a_statement_that_moves_to_another_file_changes_nothing(check):
    report = check({"a.ksql": KSQL.splitlines()[0], "b.ksql": KSQL.splitlines()[1]})
    assert report.verdict is Verdict.FINE
    assert {file.file for file in report.files} == {"a.ksql", "b.ksql"}


def test_a_change_that_nothing_reads_is_unknown_and_says_why(check):
    report = check({"README.md": "two", "logo.png": "x"})
    assert report.verdict is Verdict.UNKNOWN
    assert {finding.rule for finding in report.findings} == {"nothing-checked"}
    assert {skipped.file for skipped in report.skipped} == {"README.md", "logo.png"}
    assert all(skipped.why for skipped in report.skipped)


def test_a_changed_file_that_cannot_be_read_is_unknown(check):
    report = check({"chart/topic.yaml": "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nname: {{ .Values.t }}\n"})
    assert report.verdict is Verdict.UNKNOWN
    assert "not-read" in {finding.rule for finding in report.findings}


def test_a_change_of_a_connector_that_is_not_understood_is_unknown(check):
    unknown = SINK.replace("io.confluent.connect.s3.S3SinkConnector", "com.acme.Unknown")
    report = check({"sink.json": unknown.replace('"b"', '"c"')}, {**BASE, "sink.json": unknown})
    assert report.verdict is Verdict.UNKNOWN


def test_a_commit_that_is_not_there_is_refused(check, tmp_path):
    check({})
    with pytest.raises(InputInvalid):
        check_commits("nothing...HEAD", directory=tmp_path)


def test_a_table_that_is_not_declared_any_more_is_used(check):
    source = json.dumps(
        {
            "name": "cdc",
            "config": {
                "connector.class": "io.debezium.connector.mysql.MySqlConnector",
                "database.hostname": "db",
                "topic.prefix": "p",
                "table.include.list": "shop.users",
            },
        }
    )
    ddl = "CREATE TABLE shop.users (id INT PRIMARY KEY);"
    report = check({"ddl.sql": ddl.replace("users", "people")}, {**BASE, "ddl.sql": ddl, "cdc.json": source})
    assert ("table-gone", "shop.users") in rules(report)

"""A small repository, and commits of it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

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


def git(directory: Path, *arguments: str) -> None:
    """Run git as somebody."""
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    subprocess.run(command, cwd=directory, check=True, capture_output=True)


def commit_all(directory: Path) -> None:
    """Commit all that is in a work tree."""
    git(directory, "add", "-A")
    git(directory, "commit", "-qm", "x", "--allow-empty")


def new_repository(directory: Path) -> Path:
    """Make a repository in *directory* with one commit of BASE."""
    directory.mkdir()
    git(directory, "init", "-q")
    for name, text in BASE.items():
        (directory / name).write_text(text, encoding="utf-8")
    commit_all(directory)
    return directory


def rules(report: Any) -> set[tuple[str, str]]:
    """Return rule and item of the findings that count."""
    return {(finding.rule, finding.item) for finding in report.findings if finding.counts}

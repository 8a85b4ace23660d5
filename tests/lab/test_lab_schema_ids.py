"""Schema ids of records against real servers: SCANNER_LAB_KAFKA and SCANNER_LAB_APICURIO name a broker and a registry.

Tests write to both. Which bytes a broker sends, and that no group comes of reading them, only a real one can show.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

BROKER, SERVER = os.environ.get("SCANNER_LAB_KAFKA", ""), os.environ.get("SCANNER_LAB_APICURIO", "")
TOPIC, SUBJECT = "scanner.lab-shipments", "com.acme.lab.Shipment"
PLANTED = b"PLANTED-7f3a"
REGISTRY = f"{SERVER}/apis/ccompat/v7"
SCHEMA = {"type": "record", "name": SUBJECT, "fields": [{"name": "id", "type": "string"}]}

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not (BROKER and SERVER), reason="needs SCANNER_LAB_KAFKA and SCANNER_LAB_APICURIO"),
]


@pytest.fixture(scope="module", autouse=True)
def written() -> str:
    """Register a subject that is named after its record, write records with its id, and give the id."""
    body = json.dumps({"schema": json.dumps(SCHEMA)}).encode()
    request = urllib.request.Request(f"{REGISTRY}/subjects/{SUBJECT}/versions", body)
    request.add_header("Content-Type", "application/vnd.schemaregistry.v1+json")
    with urllib.request.urlopen(request, timeout=20) as answer:
        number = int(json.load(answer)["id"])
    admin = AdminClient({"bootstrap.servers": BROKER})
    if TOPIC not in admin.list_topics(timeout=10).topics:
        admin.create_topics([NewTopic(TOPIC, num_partitions=2, replication_factor=1)])[TOPIC].result()
    producer = Producer({"bootstrap.servers": BROKER})
    for partition in range(2):
        value = b"\0" + number.to_bytes(4, "big") + PLANTED
        producer.produce(TOPIC, value, key=PLANTED, partition=partition, headers=[("trace", PLANTED)])
    producer.flush(10)
    return str(number)


def scan(directory: Path, **members: Any) -> tuple[Path, str]:
    """Scan into a dictionary of *directory*; give its path, and what was printed."""
    document = {
        "cluster": "ids",
        "brokers": BROKER.split(","),
        "kafka": {},
        "schema_registries": [{"type": "apicurio", "url": REGISTRY}],
    }
    (directory / "cluster.json").write_text(json.dumps(document | members), "utf-8")
    capture = ("--capture", str(directory / f"capture-{len(members)}"))
    shown = run(directory, "--verbose", "scan", "--no-graph", "--config", "cluster.json", *capture)
    return directory / "scanner.db", shown


def run(directory: Path, *arguments: str) -> str:
    command = [str(Path(sys.executable).parent / "scanner"), *arguments]
    variables = {**os.environ, "SCANNER_DICTIONARY": "scanner.db"}
    done = subprocess.run(
        command, cwd=directory, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (0, 3), done.stderr
    return done.stdout + done.stderr


def test_record_named_subject_is_bound_by_its_id_and_no_byte_of_a_record_is_kept(tmp_path: Path, written: str) -> None:
    """Before it stands unbound; dictionary, captures and output are searched for what was planted."""
    where = ("query", "--broker", BROKER.partition(",")[0], "--topic", TOPIC)
    before = scan(tmp_path)[1] + run(tmp_path, *where)
    after = scan(tmp_path, observe_schema_ids={"topics": [TOPIC], "records": 2})[1] + run(tmp_path, *where)
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]

    assert f"no schema describes the topic {TOPIC!r}" in before
    assert f"{SUBJECT} version 1, id {written}" in after
    assert f"observed: schema id {written} in use, partition " in after
    assert "versions in use: 1" in after
    assert not [text for text in (*kept, (before + after).encode()) if PLANTED in text]


def test_check_names_the_topic_and_no_group_comes_of_a_scan(tmp_path: Path) -> None:
    """Nothing is committed."""
    scan(tmp_path, observe_schema_ids={"topics": [TOPIC], "records": 2})
    groups = AdminClient({"bootstrap.servers": BROKER}).list_consumer_groups().result().valid

    assert f"a scan reads 4 records at most: the newest 2 of each of 2 partitions of 1 topics ({TOPIC})" in run(
        tmp_path, "check", "--config", "cluster.json"
    )
    assert "scanner" not in {group.group_id for group in groups}

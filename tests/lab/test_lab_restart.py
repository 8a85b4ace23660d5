"""A broker that was restarted a moment ago: it answers, and does not list the groups that it has not loaded yet."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.history import known_groups
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import read_kafka
from scanner_model.errors import ScannerError
from scanner_model.kafka import ConsumerGroup
from scanner_model.scan import SourceStatus

pytestmark = pytest.mark.lab

NAME, ADDRESS = "kafka-restarted", "127.0.0.1:29692"
TOPICS, GROUPS = 40, 40
RESTARTS = 10
KNOWN = frozenset(f"group-{number}" for number in range(GROUPS))
_PATIENCE, _ATTEMPTS = 60, 60
_LAB = Path(__file__).with_name("lab.py")


def _lab(command: str) -> None:
    subprocess.run([sys.executable, str(_LAB), command, NAME], check=True)


@pytest.fixture(scope="module")
def config(lab) -> Iterator[str]:
    """Run a broker with topics and groups, and give its cluster.json; it ends with the tests."""
    lab.needs("kafka-1")
    _lab("serve")
    try:
        _fill()
        yield str(_config(lab))
    finally:
        _lab("kill")


def _fill() -> None:
    admin = AdminClient({"bootstrap.servers": ADDRESS})
    names = [f"topic-{number}" for number in range(TOPICS)]
    existing = admin.list_topics(timeout=_PATIENCE).topics
    missing = [NewTopic(name, 1, 1) for name in names if name not in existing]
    futures = admin.create_topics(missing, request_timeout=_PATIENCE) if missing else {}
    for future in futures.values():
        future.result(_PATIENCE)
    for number in range(GROUPS):
        _commit(admin, f"group-{number}", names[number])


def _commit(admin: AdminClient, group: str, topic: str) -> None:
    """Give *group* an offset; the first request makes the offsets topic, and is repeated until that has a leader."""
    offsets = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 0)])
    for _ in range(_ATTEMPTS):
        (future,) = admin.alter_consumer_group_offsets([offsets], request_timeout=5).values()
        if not future.exception() and not any(partition.error for partition in future.result().topic_partitions):
            return
        time.sleep(1)
    pytest.fail(f"{group} was not given an offset")


def _config(lab) -> Path:
    file = lab.directory / "restarted.json"
    file.write_text(json.dumps({"cluster": "restarted", "brokers": [ADDRESS], "kafka": {}}), "utf-8")
    return file


def _groups(address: str) -> frozenset[str]:
    """Return the groups that are not marked as deleted."""
    engine = open_dictionary(address)
    with engine.connect() as conn:
        return known_groups(conn, "restarted")


def _status(lab, config: str, address: str) -> str:
    """Scan, and return the status of the brokers; the exit status follows from it."""
    report = lab.directory / "restarted-report.json"
    command = ("scan", "--no-graph", "--config", config, "--dictionary", address, "--quiet", "--report", str(report))
    exit_status = lab.run(*command).returncode
    (cluster,) = json.loads(report.read_text("utf-8"))
    (outcome,) = (item for item in cluster["sources"] if item["kind"] == "kafka")
    assert exit_status == {"read": 0, "partial": 3}[outcome["status"]]
    return str(outcome["status"])


def _readings() -> Iterator[tuple[SourceStatus, frozenset[str]]]:
    """Read the broker again and again from the moment its port opens, until an answer is whole.

    This runs in the test's process: a new program would start too late to see groups being loaded. No group is known
    from an earlier scan, so that the broker's own answers have to show whether its list is complete.
    """
    settings = KafkaSettings(brokers=(ADDRESS,), timeout=5)
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if not _is_open():
            time.sleep(0.005)
            continue
        try:
            result = read_kafka(settings, lambda *_: None)
        except ScannerError:
            continue
        yield result.outcome.status, frozenset(str(group.name) for group in result.of(ConsumerGroup))
        if result.outcome.status is SourceStatus.READ:
            return


def _is_open() -> bool:
    host, _, port = ADDRESS.partition(":")
    with socket.socket() as connection:
        return connection.connect_ex((host, int(port))) == 0


def test_scan_just_after_a_restart_loses_no_group(lab, config, capsys) -> None:
    """A reading that is not partial lists every group."""
    address = f"sqlite:///{lab.directory}/restarted.db"
    assert _status(lab, config, address) == "read"
    assert _groups(address) == KNOWN

    for number in range(1, RESTARTS + 1):
        _lab("end")
        with subprocess.Popen([sys.executable, str(_LAB), "serve", NAME]) as start:
            readings = list(_readings())
        assert start.returncode == 0

        with capsys.disabled():
            shown = [(str(status), len(groups)) for status, groups in readings]
            sys.stdout.write(f"\nrestart {number}: {shown}\n")
        assert [groups for status, groups in readings if status is SourceStatus.READ] == [KNOWN]
        assert _status(lab, config, address) == "read"
        assert _groups(address) == KNOWN

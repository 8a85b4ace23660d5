"""A broker that was restarted a moment ago: it answers, and does not list the groups that it has not loaded yet."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.history import known_groups

pytestmark = pytest.mark.lab

NAME, ADDRESS = "kafka-restarted", "127.0.0.1:29692"
TOPICS, GROUPS, RESTARTS = 300, 40, 10
_AT_ONCE, _PATIENCE, _ATTEMPTS = 100, 120, 60
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
    for start in range(0, len(missing), _AT_ONCE):
        for future in admin.create_topics(missing[start : start + _AT_ONCE], request_timeout=_PATIENCE).values():
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
    command = ("extract", "--config", config, "--dictionary", address, "--quiet", "--report", str(report))
    exit_status = lab.run(*command).returncode
    (cluster,) = json.loads(report.read_text("utf-8"))
    (outcome,) = (item for item in cluster["sources"] if item["kind"] == "kafka")
    assert exit_status == {"read": 0, "partial": 3}[outcome["status"]]
    return str(outcome["status"])


def test_scan_just_after_a_restart_loses_no_group(lab, config, capsys) -> None:
    """Whether the broker was ended or killed: what it does not list yet is not deleted, and the next scan is whole."""
    address, choices = f"sqlite:///{lab.directory}/restarted.db", Random(4)
    assert _status(lab, config, address) == "read"
    known = {f"group-{number}" for number in range(GROUPS)}
    assert _groups(address) == known

    statuses = []
    for _ in range(RESTARTS):
        _lab(choices.choice(("end", "kill")))
        _lab("serve")
        statuses.append(_status(lab, config, address))
        assert _groups(address) == known, statuses

    assert _status(lab, config, address) == "read"
    with capsys.disabled():
        sys.stdout.write(f"\n{RESTARTS} restarts: {statuses.count('partial')} scans partial, 0 groups gone\n")

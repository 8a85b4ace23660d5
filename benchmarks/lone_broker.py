"""A Kafka broker for one row of figures: on free ports, with data that go with the directory; it knows topics only."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

# At the end: the lab has modules of the same name as some of the benchmarks.
sys.path.append(str(Path(__file__).parents[1] / "tests" / "lab"))

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from kafka_rows import java, properties_text
from places import CACHE, HOST

_CLASSPATH = ("-cp", f"{CACHE}/kafka/*")
_CLUSTER_ID = "c2Nhbm5lci1iZW5jaC0wMDAx"
_PATIENCE = 60
_AT_ONCE = 100


@contextmanager
def broker(directory: Path, topics: Sequence[str]) -> Iterator[str]:
    """Run the lab's Kafka by itself, holding *topics* of one partition; give its address.

    Raises subprocess.CalledProcessError where it cannot be prepared, TimeoutError where it does not answer.
    """
    directory.mkdir()
    address, controller = _free_address(), _free_address()
    file = directory / "server.properties"
    file.write_text(properties_text(_settings(address, controller, directory)), "utf-8")
    format_ = java("256m", *_CLASSPATH, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", str(file))
    subprocess.run(format_, check=True, capture_output=True)
    with (directory / "broker.log").open("wb") as output:
        process = subprocess.Popen(
            java("512m", *_CLASSPATH, "kafka.Kafka", str(file)), stdout=output, stderr=output, cwd=directory
        )
    try:
        admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
        _wait_for(admin)
        for at in range(0, len(topics), _AT_ONCE):
            for future in admin.create_topics([NewTopic(name, 1, 1) for name in topics[at : at + _AT_ONCE]]).values():
                future.result(_PATIENCE)
        yield address
    finally:
        process.kill()
        process.wait()


def _settings(address: str, controller: str, directory: Path) -> dict[str, object]:
    return {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{address},CONTROLLER://{controller}",
        "advertised.listeners": f"PLAINTEXT://{address}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": directory / "logs",
        "offsets.topic.replication.factor": 1,
        "offsets.topic.num.partitions": 1,
        "auto.create.topics.enable": "false",
    }


def _free_address() -> str:
    with socket.socket() as bound:
        bound.bind((HOST, 0))
        return f"{HOST}:{bound.getsockname()[1]}"


def _wait_for(admin: AdminClient) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            if admin.list_topics(timeout=2).brokers:
                return
        except KafkaException:
            time.sleep(0.2)
    raise TimeoutError(f"the broker did not answer in {_PATIENCE} s")

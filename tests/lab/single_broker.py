"""A Kafka broker (KRaft) that is a cluster of its own, beside the installation, whose topics tests and example know."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

import credentials
import places
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from kafka_rows import java, properties_text
from places import CACHE, HOST
from rows import Server, listens

_CLASSPATH = f"{CACHE}/kafka/*"


def single_broker(
    name: str,
    ports: tuple[int, int],
    *,
    more: Mapping[str, object] | None = None,
    users: Collection[str] = (),
    needs: tuple[str, ...] = ("kafka",),
) -> Server:
    """Return the row of a broker at *ports*: its plain listener's, and its controller's.

    *more* are settings beside or instead of its own, *users* are those who come by SCRAM-SHA-512, with one password.
    """
    return Server(
        name=name,
        port=ports[0],
        needs=needs,
        prepare=lambda: _prepare(name, _settings(name, ports) | dict(more or {}), users),
        command=lambda: java("384m", "-cp", _CLASSPATH, "kafka.Kafka", str(_file(name))),
        ready=lambda: _answers(ports[0]),
    )


def _settings(name: str, ports: tuple[int, int]) -> dict[str, object]:
    plain, controller = ports
    return {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{HOST}:{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{HOST}:{plain},CONTROLLER://{HOST}:{controller}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{plain}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": places.data(name) / "logs",
        "offsets.topic.replication.factor": 1,
        "offsets.topic.num.partitions": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.num.partitions": 1,
        "transaction.state.log.min.isr": 1,
        "share.coordinator.state.topic.replication.factor": 1,
        "share.coordinator.state.topic.num.partitions": 1,
        "share.coordinator.state.topic.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        "auto.create.topics.enable": "false",
        # Otherwise an idle controller writes a record twice a second, most of what an idle broker costs.
        "metadata.max.idle.interval.ms": 0,
    }


def _prepare(name: str, settings: dict[str, object], users: Collection[str]) -> None:
    file = _file(name)
    if (places.data(name) / "logs" / "meta.properties").is_file():
        return
    file.write_text(properties_text(settings), "utf-8")
    with places.log(name).open("ab") as output:
        subprocess.run(_format(name, file, users), check=True, stdout=output, stderr=output)


def _file(name: str) -> Path:
    return places.data(name) / "server.properties"


def _format(name: str, file: Path, users: Collection[str]) -> list[str]:
    cluster = base64.urlsafe_b64encode(name.encode().ljust(16, b"-")[:16]).decode().rstrip("=")
    logins = (f"SCRAM-SHA-512=[name={user},password={credentials.password('clients')}]" for user in users)
    scram = [part for login in logins for part in ("--add-scram", login)]
    command = ("-cp", _CLASSPATH, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(file))
    return [*java("256m", *command), *scram]


def _answers(port: int) -> bool:
    if not listens(port):
        return False
    try:
        return bool(AdminClient({"bootstrap.servers": f"{HOST}:{port}"}).list_topics(timeout=3).brokers)
    except KafkaException:
        return False

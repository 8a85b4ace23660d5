"""Two Kafka brokers (KRaft) with three listeners each, and a Connect worker beside them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import credentials
import places
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from places import CACHE, HOST
from rows import Server, answers, listens

_CLUSTER_ID = "c2Nhbm5lci1sYWItMDAwMQ"
_CLASSPATH = f"{CACHE}/kafka/*"
_CONNECT_CLASSPATH = f"{CACHE}/connect/*"
WORKER = "org.apache.kafka.connect.cli.ConnectDistributed"
_LISTENERS = {1: (places.KAFKA_1, places.KAFKA_1_EXTERNAL, places.KAFKA_1_SASL),
              2: (places.KAFKA_2, places.KAFKA_2_EXTERNAL, places.KAFKA_2_SASL)}  # fmt: skip


def properties_text(settings: dict[str, object]) -> str:
    """Return *settings* as a Java properties file."""
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def java(memory: str, *arguments: str) -> list[str]:
    """Return the command of a JVM that takes no more than *memory* of heap."""
    return ["java", f"-Xmx{memory}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *arguments]


def _broker(node: int) -> dict[str, object]:
    plain, external, sasl = _LISTENERS[node]
    controller = f",CONTROLLER://{HOST}:{places.KAFKA_CONTROLLER}" if node == 1 else ""
    return {
        "process.roles": "broker,controller" if node == 1 else "broker",
        "node.id": node,
        "controller.quorum.voters": f"1@{HOST}:{places.KAFKA_CONTROLLER}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{HOST}:{plain},EXTERNAL://{HOST}:{external},SASL://{HOST}:{sasl}{controller}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{plain},EXTERNAL://localhost:{external},SASL://localhost:{sasl}",
        "listener.security.protocol.map": ("PLAINTEXT:PLAINTEXT,EXTERNAL:PLAINTEXT,SASL:SASL_SSL,CONTROLLER:PLAINTEXT"),
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.sasl.scram-sha-512.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
        # Plain listeners may do everything; over SASL one user may, and the other what his ACLs say.
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:ANONYMOUS;User:{credentials.USER}",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": credentials.broker_keys(),
        "log.dirs": places.data(f"kafka-{node}") / "logs",
        "offsets.topic.replication.factor": 1,
        "offsets.topic.num.partitions": 5,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.num.partitions": 3,
        "transaction.state.log.min.isr": 1,
        "share.coordinator.state.topic.replication.factor": 1,
        "share.coordinator.state.topic.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        "auto.create.topics.enable": "false",
        # Otherwise an idle controller writes a record twice a second, most of what an idle broker costs.
        "metadata.max.idle.interval.ms": 0,
    }


def _prepare(node: int) -> None:
    file = _file(node)
    if (places.data(f"kafka-{node}") / "logs" / "meta.properties").is_file():
        return
    file.write_text(properties_text(_broker(node)), "utf-8")
    users = ((credentials.USER, "kafka"), (credentials.LIMITED, "limited"))
    login = "SCRAM-SHA-512=[name={},password={}]"
    scram = [part for user, name in users for part in ("--add-scram", login.format(user, credentials.password(name)))]
    command = java("256m", "-cp", _CLASSPATH, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", str(file))
    with places.log(f"kafka-{node}").open("ab") as output:
        subprocess.run(
            [*command, *scram],
            check=True,
            stdout=output,
            stderr=output,
        )


def _file(node: int) -> Path:
    return places.data(f"kafka-{node}") / "server.properties"


def _two_brokers() -> bool:
    if not listens(places.KAFKA_2):
        return False
    try:
        return len(AdminClient({"bootstrap.servers": places.PLAINTEXT}).list_topics(timeout=3).brokers) == 2
    except KafkaException:
        return False


def worker_settings(brokers: str, url: str, *, group: str) -> dict[str, object]:
    """Return the settings of a Connect worker whose topics have names that begin with *group*."""
    topics = {
        f"{kind}.storage.{name}": value
        for kind in ("config", "offset", "status")
        for name, value in (("topic", f"{group}-{kind}s"), ("replication.factor", 1))
    }
    return {
        "bootstrap.servers": brokers,
        "group.id": f"{group}-lab",
        "listeners": url,
        "rest.advertised.host.name": HOST,
        "plugin.discovery": "service_load",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        **topics,
        "offset.storage.partitions": 3,
        "status.storage.partitions": 1,
        "offset.flush.interval.ms": 2000,
    }


def _prepare_connect() -> None:
    more = {
        "plugin.path": CACHE / "plugins",
        "status.storage.topic": "connect-status",
        "config.providers": "directory",
        "config.providers.directory.class": "org.apache.kafka.common.config.provider.DirectoryConfigProvider",
    }
    settings = worker_settings(places.PLAINTEXT, places.CONNECT_URL, group="connect") | more
    (places.data("connect") / "worker.properties").write_text(properties_text(settings), "utf-8")


ROWS = (
    Server(
        name="kafka-1",
        port=places.KAFKA_1,
        needs=("kafka",),
        prepare=lambda: _prepare(1),
        command=lambda: java("512m", "-cp", _CLASSPATH, "kafka.Kafka", str(_file(1))),
        ready=lambda: listens(places.KAFKA_1),
    ),
    Server(
        name="kafka-2",
        port=places.KAFKA_2,
        needs=("kafka",),
        after=("kafka-1",),
        prepare=lambda: _prepare(2),
        command=lambda: java("384m", "-cp", _CLASSPATH, "kafka.Kafka", str(_file(2))),
        ready=_two_brokers,
    ),
    Server(
        name="connect",
        port=places.CONNECT,
        needs=("connect", "plugins"),
        after=("kafka-2",),
        prepare=_prepare_connect,
        command=lambda: java(
            "768m", "-cp", _CONNECT_CLASSPATH, WORKER, str(places.data("connect") / "worker.properties")
        ),
        ready=lambda: answers(f"{places.CONNECT_URL}/connectors"),
    ),
)

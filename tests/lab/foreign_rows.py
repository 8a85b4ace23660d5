"""A consumer of OpenLineage events that others wrote: Data.Rentgen, with a Kafka broker and a database of its own."""

from __future__ import annotations

import subprocess

import places
import postgres_rows
import psycopg
from clients import run
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_rows import java, properties_text
from places import CACHE, HOST, TREE
from psycopg import sql
from rows import Server, Step, answers, listens

_KAFKA = "kafka-lineage"
_CLUSTER_ID = "c2Nhbm5lci1sYWItMDAwMg"
_CLASSPATH = f"{CACHE}/kafka/*"
_DATABASE = "rentgen"
TOPIC, MALFORMED = "input.runs", "input.runs__malformed"
"""What it consumes, and where it puts what it cannot read: the names that it has by default."""


def _broker() -> dict[str, object]:
    """Return the settings of a broker of its own: the installation's topics stay those that tests and example know."""
    return {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{HOST}:{places.LINEAGE_CONTROLLER}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{places.LINEAGE_BROKER},CONTROLLER://{HOST}:{places.LINEAGE_CONTROLLER}",
        "advertised.listeners": f"PLAINTEXT://{places.LINEAGE_BROKER}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": places.data(_KAFKA) / "logs",
        "offsets.topic.replication.factor": 1,
        "offsets.topic.num.partitions": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "share.coordinator.state.topic.replication.factor": 1,
        "share.coordinator.state.topic.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        "auto.create.topics.enable": "false",
    }


def _prepare() -> None:
    file = places.data(_KAFKA) / "server.properties"
    if (places.data(_KAFKA) / "logs" / "meta.properties").is_file():
        return
    file.write_text(properties_text(_broker()), "utf-8")
    command = java("256m", "-cp", _CLASSPATH, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", str(file))
    with places.log(_KAFKA).open("ab") as output:
        subprocess.run(command, check=True, stdout=output, stderr=output)


def _topics() -> str:
    admin = AdminClient({"bootstrap.servers": places.LINEAGE_BROKER})
    known = admin.list_topics(timeout=20).topics
    missing = [NewTopic(name, 1, 1) for name in (TOPIC, MALFORMED) if name not in known]
    for future in admin.create_topics(missing).values() if missing else ():
        future.result(20)
    return f"{TOPIC}, {MALFORMED}"


def _answers() -> bool:
    if not listens(places.LINEAGE_KAFKA):
        return False
    try:
        return bool(AdminClient({"bootstrap.servers": places.LINEAGE_BROKER}).list_topics(timeout=3).brokers)
    except KafkaException:
        return False


def _tables() -> str:
    with psycopg.connect(postgres_rows.url("postgres"), autocommit=True) as connection:
        known = {name for (name,) in connection.execute("select datname from pg_database")}
        if _DATABASE not in known:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(_DATABASE)))
    run("rentgen", "rentgen.py", "tables")
    return _DATABASE


def _rentgen(part: str) -> list[str]:
    return [str(CACHE / "rentgen" / "bin" / "python"), str(TREE / "rentgen.py"), part]


ROWS: tuple[Server | Step, ...] = (
    Server(
        name=_KAFKA,
        port=places.LINEAGE_KAFKA,
        needs=("kafka", "rentgen"),
        prepare=_prepare,
        command=lambda: java("384m", "-cp", _CLASSPATH, "kafka.Kafka", str(places.data(_KAFKA) / "server.properties")),
        ready=_answers,
    ),
    Step(name="lineage-topics", after=(_KAFKA,), run=_topics),
    Step(name="rentgen-tables", needs=("rentgen",), run=_tables),
    Server(
        name="rentgen-consumer",
        port=places.RENTGEN_CONSUMER,
        after=("lineage-topics", "rentgen-tables"),
        command=lambda: _rentgen("consumer"),
        ready=lambda: answers(f"http://{HOST}:{places.RENTGEN_CONSUMER}/internal/healthcheck/liveness"),
    ),
    Server(
        name="rentgen-server",
        port=places.RENTGEN,
        after=("rentgen-tables",),
        command=lambda: _rentgen("server"),
        ready=lambda: answers(f"{places.RENTGEN_URL}/monitoring/ping"),
    ),
)

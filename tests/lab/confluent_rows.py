"""Confluent Schema Registry and ksqlDB as they are built from their source, with a broker and a Connect worker."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import places
import requests
import seed_registry
from confluent_kafka.admin import AdminClient, NewTopic
from kafka_rows import WORKER, java, properties_text, worker_settings
from places import CACHE, HOST
from rows import Server, Step, answers
from single_broker import single_broker

BROKER, REGISTRY, WORKERS, KSQLDB = "kafka-systems", "confluent-registry", "connect-systems", "ksqldb"
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
_STATEMENTS = seed_registry.INSTALLATION / "ksqldb.sql"
_TOPICS = ("orders", "customers", "payments", "audit-lines")
_PATIENCE = 60.0
_EARLIEST = {"ksql.streams.auto.offset.reset": "earliest"}


def _file(name: str) -> Path:
    return places.data(name) / f"{name}.properties"


def _write(name: str, settings: dict[str, object]) -> None:
    _file(name).write_text(properties_text(settings), "utf-8")


def _prepare_registry() -> None:
    settings: dict[str, object] = {
        "listeners": places.CONFLUENT_URL,
        "host.name": HOST,
        "kafkastore.bootstrap.servers": f"PLAINTEXT://{places.SYSTEMS_BROKER}",
        "kafkastore.topic": "_schemas",
        "kafkastore.topic.replication.factor": 1,
        "kafkastore.init.timeout.ms": 300_000,
        "kafkastore.timeout.ms": 60_000,
        "schema.registry.group.id": REGISTRY,
        "leader.eligibility": "true",
        "mode.mutability": "true",
    }
    _write(REGISTRY, settings)


def _registry() -> list[str]:
    classpath = f"{CACHE}/schema-registry/*:{CACHE}/schema-registry/lib/*"
    main = "io.confluent.kafka.schemaregistry.rest.SchemaRegistryMain"
    return java("512m", _QUIET, "-cp", classpath, main, str(_file(REGISTRY)))


def _prepare_ksqldb() -> None:
    data = places.data(KSQLDB)
    settings: dict[str, object] = {
        "listeners": places.REAL_KSQLDB_URL,
        "bootstrap.servers": places.SYSTEMS_BROKER,
        "ksql.service.id": "lab_",
        "ksql.schema.registry.url": places.CONFLUENT_URL,
        "ksql.connect.url": places.SYSTEMS_CONNECT_URL,
        "ksql.streams.state.dir": data / "state",
        "ksql.extension.dir": data / "extensions",
        "ksql.logging.processing.topic.auto.create": "true",
        "ksql.logging.processing.stream.auto.create": "true",
        "ksql.logging.processing.topic.replication.factor": 1,
        "ksql.internal.topic.replicas": 1,
        "ksql.streams.replication.factor": 1,
        "ksql.streams.num.stream.threads": 1,
        "ksql.headers.columns.enabled": "true",
        "confluent.support.metrics.enable": "false",
    }
    _write(KSQLDB, settings)


def _ksqldb() -> list[str]:
    # No wildcard for its own jar: functions are searched for in elements of the class path by their name.
    (engine,) = (CACHE / "ksqldb").glob("ksqldb-engine-*.jar")
    main = "io.confluent.ksql.rest.server.KsqlServerMain"
    return java("1200m", _QUIET, "-cp", f"{engine}:{CACHE}/ksqldb/lib/*", main, str(_file(KSQLDB)))


def _ksqldb_is_ready() -> bool:
    """Return whether ksqlDB takes statements: it answers before it has read those of its last run."""
    try:
        return bool(requests.get(f"{places.REAL_KSQLDB_URL}/healthcheck", timeout=5).json()["serverState"] == "READY")
    except (requests.RequestException, KeyError):
        return False


def seeded(url: str, *without: str) -> str:
    """Register the installation's schemas in a registry that checks compatibility, which one of them breaks."""
    requests.put(f"{url}/config", json={"compatibility": "NONE"}, timeout=30).raise_for_status()
    return seed_registry.seed(url, without)


def _topics() -> str:
    admin = AdminClient({"bootstrap.servers": places.SYSTEMS_BROKER})
    known = admin.list_topics(timeout=20).topics
    missing = [NewTopic(name, 1, 1) for name in _TOPICS if name not in known]
    for future in admin.create_topics(missing).values() if missing else ():
        future.result(20)
    return f"{len(missing)} made"


def statements() -> list[str]:
    """Return the statements that ksqlDB runs, one a line."""
    return _STATEMENTS.read_text("utf-8").splitlines()


def _run_statements() -> str:
    """Run the statements in a server that has none of them yet, and pause one of its queries."""
    if any(item["name"] == "ALL_EVENTS" for item in _ask("SHOW STREAMS;")[0]["streams"]):
        return "already there"
    for statement in statements():
        _ask(statement)
    (paused,) = (item["id"] for item in _ask("SHOW QUERIES;")[0]["queries"] if "PAUSED" in item["id"])
    _ask(f"PAUSE {paused};")
    return f"{len(statements())} statements, 1 query paused"


def _ask(statement: str) -> Any:
    """Return the answer to *statement*; a server that has just started answers after a while."""
    deadline = time.monotonic() + _PATIENCE
    body = {"ksql": statement, "streamsProperties": _EARLIEST}
    while (answer := requests.post(f"{places.REAL_KSQLDB_URL}/ksql", json=body, timeout=60)).status_code == 503:
        if time.monotonic() > deadline:
            break
        time.sleep(1)
    if not answer.ok:
        raise RuntimeError(f"{answer.status_code} {statement[:60]}: {answer.text[:300]}")
    return answer.json()


def _prepare_connect() -> None:
    _write(WORKERS, worker_settings(places.SYSTEMS_BROKER, places.SYSTEMS_CONNECT_URL, group=WORKERS))


def _put_connectors() -> str:
    files = places.data(WORKERS)
    (files / "audit.log").write_text("login eva\nlogout eva\n", "utf-8")
    connectors = {
        "audit-log": {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
                      "file": str(files / "audit.log"), "topic": "audit-lines"},
        "payments-to-file": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
                             "file": str(files / "payments.txt"), "topics": "ksql.payments,hot"},
    }  # fmt: skip
    for name, config in connectors.items():
        url = f"{places.SYSTEMS_CONNECT_URL}/connectors/{name}/config"
        requests.put(url, json=config | {"tasks.max": "1"}, timeout=60).raise_for_status()
    return f"{len(connectors)}"


ROWS: tuple[Server | Step, ...] = (
    single_broker(
        BROKER,
        (places.SYSTEMS_KAFKA, places.SYSTEMS_CONTROLLER),
        more={
            "listeners": (
                f"PLAINTEXT://{places.SYSTEMS_BROKER},PROXIED://{HOST}:{places.SYSTEMS_PROXIED},"
                f"CONTROLLER://{HOST}:{places.SYSTEMS_CONTROLLER}"
            ),
            # A test puts itself between scanner and the second listener.
            "advertised.listeners": f"PLAINTEXT://{places.SYSTEMS_BROKER},PROXIED://{HOST}:{places.SYSTEMS_PROXY}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
        },
    ),
    Step(name="system-topics", after=(BROKER,), run=_topics),
    Server(
        name=REGISTRY,
        port=places.CONFLUENT_REGISTRY,
        needs=("schema-registry",),
        after=(BROKER,),
        prepare=_prepare_registry,
        command=_registry,
        ready=lambda: answers(f"{places.CONFLUENT_URL}/subjects"),
    ),
    Step(name="confluent-schemas", after=(REGISTRY,), run=lambda: seeded(places.CONFLUENT_URL)),
    Server(
        name=WORKERS,
        port=places.SYSTEMS_CONNECT,
        needs=("connect",),
        after=(BROKER,),
        prepare=_prepare_connect,
        command=lambda: java("384m", _QUIET, "-cp", f"{CACHE}/connect/*", WORKER, str(_file(WORKERS))),
        ready=lambda: answers(f"{places.SYSTEMS_CONNECT_URL}/connectors"),
    ),
    Server(
        name=KSQLDB,
        port=places.REAL_KSQLDB,
        needs=("ksqldb",),
        after=("confluent-schemas", "system-topics"),
        prepare=_prepare_ksqldb,
        command=_ksqldb,
        ready=_ksqldb_is_ready,
    ),
    Step(name="ksqldb-statements", after=(KSQLDB,), run=_run_statements),
    Step(name="system-connectors", after=(WORKERS, "ksqldb-statements"), run=_put_connectors),
)

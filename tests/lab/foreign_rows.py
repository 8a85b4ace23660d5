"""A consumer of OpenLineage events that others wrote: Data.Rentgen, with a Kafka broker and a database of its own."""

from __future__ import annotations

import places
import postgres_rows
import psycopg
from clients import run
from confluent_kafka.admin import AdminClient, NewTopic
from places import CACHE, HOST, TREE
from psycopg import sql
from rows import Server, Step, answers
from single_broker import single_broker

_KAFKA = "kafka-lineage"
_DATABASE = "rentgen"
TOPIC, MALFORMED = "input.runs", "input.runs__malformed"
"""What it consumes, and where it puts what it cannot read: the names that it has by default."""


def _topics() -> str:
    admin = AdminClient({"bootstrap.servers": places.LINEAGE_BROKER})
    known = admin.list_topics(timeout=20).topics
    missing = [NewTopic(name, 1, 1) for name in (TOPIC, MALFORMED) if name not in known]
    for future in admin.create_topics(missing).values() if missing else ():
        future.result(20)
    return f"{TOPIC}, {MALFORMED}"


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
    single_broker(_KAFKA, (places.LINEAGE_KAFKA, places.LINEAGE_CONTROLLER), needs=("kafka", "rentgen")),
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

"""A dictionary of ten million columns, by bulk inserts straight into its tables; the same bytes each time."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from installation import SEED
from measure import sized
from sqlalchemy import Connection, Table

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.engine.rows import insert_rows
from scanner_dictionary.schema import tables as t

BROKER = "kafka-1:9092"
TOPICS = sized(100_000)
COLUMNS = sized(10_000_000)
_VERSIONS = 2
_WIDE = COLUMNS // TOPICS // _VERSIONS

_KEYS = 500
"""Definitions that the keys of all topics share."""

_TIME = "2024-02-29T00:00:00.000+00:00"
_TYPES = ("string", "long", "int", "double", "boolean", "bytes")


def topic_name(number: int) -> str:
    """Return the name of a topic."""
    return f"shop.area-{number % 97}.events-{number:06d}"


def subject(number: int) -> str:
    """Return the subject of a topic's value."""
    return f"{topic_name(number)}-value"


def schema_id(number: int, version: int) -> str:
    """Return the registry's id of a version of a topic's value."""
    return str(10_000 + number * _VERSIONS + version)


def build(file: Path, topics: int = TOPICS) -> None:
    """Fill a new dictionary at *file*: one cluster, each topic with a shared key and two versions of its value.

    A topic has a hundred columns.
    """
    engine = open_dictionary(str(file))
    with writing(engine) as conn:
        _insert(conn, t.cluster, [{"id": 1, "name": "bench", "kafka_cluster_id": ""}])
        _insert(conn, t.scan, [{"id": 1, "cluster_id": 1, "started": _TIME, "finished": _TIME, **_SCAN}])
        _insert(conn, t.source, [{"id": 1, "cluster_id": 1, "name": "schema_registry:http://registry:8081", **_SOURCE}])
        _insert(conn, t.broker, [{"id": 1, "cluster_id": 1, "address": BROKER, "first_seen": 1, "last_seen": 1}])
        _insert(conn, t.registry, [{"id": 1, "cluster_id": 1, "url": "http://registry:8081", **_REGISTRY}])
        _insert(conn, t.topic, map(_topic, range(topics)))
        _insert(conn, t.schema_definition, map(_definition, range(1, _KEYS + topics * _VERSIONS + 1)))
        _insert(conn, t.topic_schema, _links(topics))
        insert_rows(conn, t.schema_column, _columns(topics))
    engine.dispose()


_SCANS = {"source_id": 1, "first_seen": 1, "last_seen": 1}
_SCAN = {
    "mode": "full",
    "status": "read",
    **dict.fromkeys(("added", "changed", "gone", "returned", "stale", "refused"), 0),
}
_SOURCE = {"kind": "schema_registry", "last_queried": 1, "last_read": 1, "stale_reason": ""}
_REGISTRY = {"kind": "confluent", "environment": "", "server_version": "", **_SCANS}


def _insert(conn: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    rest = iter(rows)
    first = next(rest)
    insert_rows(conn, table, (tuple(row.values()) for row in (first, *rest)), tuple(first))


def _topic(number: int) -> dict[str, Any]:
    name = topic_name(number)
    attributes = {"is_internal": False, "config": "{}", "description": "", "tags": "[]"}
    return {"id": number + 1, "cluster_id": 1, "name": name, **attributes, **_SCANS}


def _definition(id_: int) -> dict[str, Any]:
    count = 2 if id_ <= _KEYS else _WIDE
    text = f'{{"type":"record","name":"Row{id_}","fields":[]}}'
    cells = {"format": "AVRO", "name": f"Row{id_}", "schema_text": text, "problems": "[]", "tags": "[]"}
    return {"id": id_, "fingerprint": f"{id_:064x}", **cells, "column_count": count, "first_seen": 1}


def _links(topics: int) -> Iterator[dict[str, Any]]:
    for number in range(topics):
        key = {"definition_id": number % _KEYS + 1, "version": 1, "schema_id": str(number % _KEYS + 1)}
        yield _link(number, 0, "key", {**key, "is_current": True})
        for version in range(1, _VERSIONS + 1):
            id_ = _KEYS + number * _VERSIONS + version
            value = {"definition_id": id_, "version": version, "schema_id": schema_id(number, version)}
            yield _link(number, version, "value", {**value, "is_current": version == _VERSIONS})


def _link(number: int, at: int, role: str, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number * (_VERSIONS + 1) + at + 1,
        "topic_id": number + 1,
        "schema_role": role,
        "registry_id": 1,
        "context": ".",
        "subject": f"{topic_name(number)}-{role}",
        **state,
        "deleted": False,
        "strategy": "topic",
        "evidence": "subject by strategy topic",
        "confidence": "confirmed",
        **_SCANS,
    }


def _columns(topics: int) -> Iterator[tuple[Any, ...]]:
    """List the cells of every column in the order of the table; a hundred different lists of columns, in turn."""
    chance = random.Random(SEED)
    shapes = [[_described(chance, at) for at in range(_WIDE)] for _ in range(100)]
    for id_ in range(1, _KEYS + topics * _VERSIONS + 1):
        for ordinal, cells in enumerate(shapes[id_ % 100][: 2 if id_ <= _KEYS else _WIDE]):
            yield id_, ordinal, *cells


def _described(chance: random.Random, at: int) -> tuple[Any, ...]:
    name = f"field_{chance.randrange(1000)}_{at}"
    nullable, doc = chance.random() < 0.4, f"What the sender calls {name}."
    cells = (1, f'["{name}"]', name, chance.choice(_TYPES), None, nullable, "null" if nullable else None, doc)
    return *cells, None, None, None, None, None

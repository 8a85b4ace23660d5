"""The installation's connectors: CDC, JDBC, files, MirrorMaker 2, with transforms; and one that fails on purpose."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

import places
import requests
from places import HOST, STATE
from rows import Step

BROKEN = "orders-as-json"
_PATIENCE = 90.0
_SMT = "org.apache.kafka.connect.transforms"
_TEXT = "org.apache.kafka.connect.storage.StringConverter"
_JSON = "org.apache.kafka.connect.json.JsonConverter"
# What Flink writes says nothing of its own types, which a JDBC sink has to know.
_ENRICHED = {
    "type": "struct",
    "fields": [
        {"field": "order_id", "type": "string"},
        {"field": "placed_at", "type": "string", "optional": True},
        {"field": "customer_name", "type": "string", "optional": True},
        {"field": "customer_email", "type": "string", "optional": True},
        {"field": "total", "type": "double", "optional": True},
    ],
}
_SECRETS = f"{STATE}/secrets"


def _connectors() -> Mapping[str, Mapping[str, str]]:
    files = places.data("connect")
    postgres = {
        "database.hostname": HOST,
        "database.port": str(places.POSTGRES),
        "database.user": "postgres",
        "database.password": f"${{directory:{_SECRETS}:postgres}}",
        "database.dbname": "shop",
    }
    creation = {"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "1"}
    return {
        "shop-cdc": {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "tasks.max": "1",
            **postgres,
            **creation,
            "topic.prefix": "shop",
            "plugin.name": "pgoutput",
            "slot.name": "lab",
            "publication.autocreate.mode": "filtered",
            "table.include.list": "public.customers,public.orders",
            "column.exclude.list": "public.orders.note",
            "decimal.handling.mode": "string",
            "transforms": "unwrap,route",
            "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
            "transforms.unwrap.add.fields": "op,source.ts_ms",
            "transforms.route.type": f"{_SMT}.RegexRouter",
            "transforms.route.regex": r"shop\.public\.(.*)",
            "transforms.route.replacement": "cdc.$1",
        },
        "shop-raw": {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "tasks.max": "1",
            **postgres,
            **creation,
            "topic.prefix": "raw",
            "plugin.name": "pgoutput",
            "slot.name": "raw",
            "publication.name": "raw",
            "publication.autocreate.mode": "filtered",
            "table.include.list": "public.orders",
        },
        "warehouse-customers": {
            "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
            "tasks.max": "1",
            "topics": "cdc.customers",
            "connection.url": f"jdbc:postgresql://{HOST}:{places.POSTGRES}/warehouse",
            "connection.username": "postgres",
            "connection.password": f"${{directory:{_SECRETS}:postgres}}",
            "insert.mode": "upsert",
            "primary.key.mode": "record_key",
            "schema.evolution": "basic",
            "collection.name.format": "crm_customers",
            "transforms": "slim",
            "transforms.slim.type": f"{_SMT}.ReplaceField$Value",
            "transforms.slim.exclude": "born",
            "transforms.slim.renames": "name:full_name",
        },
        "warehouse-orders": {
            "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
            "tasks.max": "1",
            "topics": "orders-enriched",
            "connection.url": f"jdbc:postgresql://{HOST}:{places.POSTGRES}/warehouse",
            "connection.username": "postgres",
            "connection.password": f"${{directory:{_SECRETS}:postgres}}",
            "insert.mode": "upsert",
            "primary.key.mode": "record_value",
            "primary.key.fields": "order_id",
            "schema.evolution": "basic",
            "collection.name.format": "order_facts",
            "key.converter": _TEXT,
            "value.converter": _JSON,
            "value.converter.schema.content": json.dumps(_ENRICHED),
            "transforms": "names",
            "transforms.names.type": f"{_SMT}.ReplaceField$Value",
            "transforms.names.renames": "customer_email:email,total:amount",
        },
        "audit-log": {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            "tasks.max": "1",
            "file": str(files / "audit.log"),
            "topic": "audit-lines",
            "transforms": "wrap,stamp",
            "transforms.wrap.type": f"{_SMT}.HoistField$Value",
            "transforms.wrap.field": "line",
            "transforms.stamp.type": f"{_SMT}.InsertField$Value",
            "transforms.stamp.static.field": "host",
            "transforms.stamp.static.value": "shop-1",
        },
        "clicks-to-file": {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
            "tasks.max": "1",
            "topics": "clicks",
            "file": str(files / "clicks.txt"),
            "key.converter": _TEXT,
            "value.converter": _JSON,
            "value.converter.schemas.enable": "false",
            "transforms": "drop",
            "transforms.drop.type": f"{_SMT}.ReplaceField$Value",
            "transforms.drop.exclude": "ms",
        },
        "orders-to-dr": {
            "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
            "tasks.max": "1",
            "source.cluster.alias": "retail",
            "target.cluster.alias": "dr",
            "source.cluster.bootstrap.servers": places.PLAINTEXT,
            "target.cluster.bootstrap.servers": places.EXTERNAL,
            "topics": "orders,payments",
            # Source and target are one cluster here: heartbeats would be copied again and again.
            "heartbeats.replication.enabled": "false",
            "replication.factor": "1",
            "offset-syncs.topic.replication.factor": "1",
            "sync.topic.acls.enabled": "false",
        },
        "dr-heartbeat": {
            "connector.class": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector",
            "tasks.max": "1",
            "source.cluster.alias": "retail",
            "target.cluster.alias": "dr",
            "source.cluster.bootstrap.servers": places.PLAINTEXT,
            "target.cluster.bootstrap.servers": places.EXTERNAL,
            "heartbeats.topic.replication.factor": "1",
        },
        BROKEN: {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
            "tasks.max": "1",
            "topics.regex": "orders|returns",
            "file": str(files / "orders.txt"),
            "key.converter": _TEXT,
            "value.converter": _JSON,
        },
    }


def _put() -> str:
    (places.data("connect") / "audit.log").write_text("login eva\nlogout eva\n", "utf-8")
    wanted = _connectors()
    for name, config in wanted.items():
        answer = requests.put(f"{places.CONNECT_URL}/connectors/{name}/config", json=config, timeout=60)
        if not answer.ok:
            raise RuntimeError(f"{name}: {answer.status_code} {answer.text[:400]}")
    deadline = time.monotonic() + _PATIENCE
    while wrong := {name: state for name in wanted if (state := _state(name)) != _wanted_state(name)}:
        if time.monotonic() > deadline:
            raise RuntimeError(f"not as wanted: {wrong}")
        time.sleep(1)
    return f"{len(wanted)}, one of them failed on purpose"


def _wanted_state(name: str) -> str:
    return "FAILED" if name == BROKEN else "RUNNING"


def _state(name: str) -> str:
    """Return the state of a connector's first task; its own where it has none yet."""
    answer = requests.get(f"{places.CONNECT_URL}/connectors/{name}/status", timeout=10)
    if not answer.ok:
        return "UNKNOWN"
    reported = answer.json()
    return reported["tasks"][0]["state"] if reported["tasks"] else "NO TASK"


ROWS = (Step(name="connectors", after=("connect", "databases", "records"), run=_put),)

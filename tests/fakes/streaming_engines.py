"""RisingWave and Materialize by their system tables: rows as they answer them, and SQLite that selects from them.

The shapes and texts are those of source and documentation, not of a running server. RisingWave 3.0:
`src/frontend/src/catalog/system_catalog/rw_catalog`, `src/sqlparser/tests/testdata/create.yaml`, `e2e_test`;
1.3: the same without the columns of OLDER. Materialize 26: "System catalog", `builtin_table_updates.rs` of the adapter.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scanner_extractor.systems.databases.engines.session import EngineSession, Row
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import SourceUnreachable

SECRET = "marked-secret-8271"
Tables = Mapping[str, Sequence[Row]]

_BROKER = "k-1:9092"
_WITH = (
    f"connector = 'kafka', properties.bootstrap.server = '{_BROKER}', topic = '{{topic}}', "
    f"properties.sasl.password = '{SECRET}'"
)


def _props(topic: str, **more: str) -> dict[str, Any]:
    """Return `connector_props`: secrets by name, all else as it was written, passwords too."""
    plain = {"connector": "kafka", "topic": topic, "properties.bootstrap.server": _BROKER, **more}
    plain["properties.sasl.password"] = SECRET
    shown: dict[str, Any] = {name: {"type": "plaintext", "value": value} for name, value in plain.items()}
    return shown | {"properties.sasl.username": {"type": "secret", "value": {"value": "kafka_user"}}}


def _source(number: int, name: str, definition: str, topic: str, **more: Any) -> Row:
    words = {"id": number, "name": name, "schema_id": 2, "connector": "KAFKA", "associated_table_id": None}
    return {**words, "definition": definition, "connector_props": _props(topic), **more}


def _rw_columns(relation: int, *columns: tuple[str, str], keys: Iterable[str] = (), hidden: str = "") -> list[Row]:
    listed = [(name, type_, False) for name, type_ in columns] + ([(hidden, "serial", True)] if hidden else [])
    return [
        {
            "relation_id": relation,
            "name": name,
            "position": position,
            "is_hidden": is_hidden,
            "is_primary_key": name in keys or is_hidden,
            "is_generated": False,
            "is_nullable": name not in keys,
            "data_type": type_,
        }
        for position, (name, type_, is_hidden) in enumerate(listed, 1)
    ]


_ORDERS = (
    ("id", "bigint"),
    ("customer", 'struct<name character varying, "Home Town" character varying>'),
    ("tags", "character varying[]"),
    ("total", "numeric"),
    ("day", "date"),
    ("_rw_kafka_key", "bytea"),
    ("ts", "timestamp with time zone"),
)
_ORDERS_SQL = (
    'CREATE SOURCE orders (id BIGINT, customer STRUCT<name CHARACTER VARYING, "Home Town" CHARACTER VARYING>, '
    "tags CHARACTER VARYING[], total NUMERIC, day DATE AS ts::DATE, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
    f"INCLUDE key INCLUDE timestamp AS ts WITH ({_WITH.format(topic='shop.orders')}) FORMAT PLAIN ENCODE JSON"
)
_CUSTOMERS_SQL = (
    f"CREATE TABLE customers (id BIGINT, name CHARACTER VARYING, PRIMARY KEY (id)) "
    f"WITH ({_WITH.format(topic='cdc.customers')}) FORMAT DEBEZIUM ENCODE AVRO (schema.registry = 'http://sr:8081')"
)
_SINK_SQL = f"CREATE SINK big_sink FROM big WITH ({_WITH.format(topic='shop.big')}, type = 'append-only')"
_QUERY_SINK_SQL = (
    "CREATE SINK upserted AS SELECT id, total * 2 AS twice FROM big "
    f"WITH ({_WITH.format(topic='shop.twice')}, primary_key = 'id') FORMAT UPSERT ENCODE JSON KEY ENCODE TEXT"
)

RISINGWAVE: Tables = {
    "rw_catalog.rw_schemas": [{"id": 2, "name": "public"}, {"id": 3, "name": "rw_catalog"}, {"id": 9, "name": "ops"}],
    "rw_catalog.rw_sources": [
        _source(11, "orders", _ORDERS_SQL, "shop.orders"),
        _source(12, "customers", _CUSTOMERS_SQL, "cdc.customers", associated_table_id=21),
        _source(
            13,
            "pg",
            f"CREATE SOURCE pg WITH (connector = 'postgres-cdc', hostname = 'db', password = '{SECRET}')",
            "",
            connector="POSTGRES-CDC",
            connector_props={"connector": {"type": "plaintext", "value": "postgres-cdc"}},
        ),
    ],
    "rw_catalog.rw_tables": [
        {"id": 21, "name": "customers", "schema_id": 2, "definition": _CUSTOMERS_SQL},
        {"id": 22, "name": "collected", "schema_id": 2, "definition": "CREATE TABLE collected (id BIGINT)"},
    ],
    "rw_catalog.rw_materialized_views": [
        {
            "id": 31,
            "name": "big",
            "schema_id": 2,
            "definition": (
                "CREATE MATERIALIZED VIEW big (id, total, who) AS SELECT o.id, o.total, c.name "
                "FROM orders AS o JOIN customers AS c ON o.id = c.id EMIT ON WINDOW CLOSE"
            ),
        }
    ],
    "rw_catalog.rw_views": [
        # The names that a view was created with are not in its text.
        {
            "id": 32,
            "name": "towns",
            "schema_id": 2,
            "definition": 'CREATE VIEW towns AS SELECT (customer)."Home Town" FROM orders',
        },
        {
            "id": 33,
            "name": "windows",
            "schema_id": 2,
            "definition": (
                "CREATE VIEW windows AS SELECT window_start, sum(total) AS total "
                "FROM TUMBLE(orders, ts, INTERVAL '1' MINUTE) GROUP BY window_start"
            ),
        },
    ],
    "rw_catalog.rw_sinks": [
        {
            "id": 41,
            "name": "big_sink",
            "schema_id": 2,
            "connector": "KAFKA",
            "definition": _SINK_SQL,
            "connector_props": _props("shop.big", type="append-only"),
        },
        {
            "id": 42,
            "name": "upserted",
            "schema_id": 2,
            "connector": "KAFKA",
            "definition": _QUERY_SINK_SQL,
            "connector_props": _props("shop.twice"),
        },
        {
            "id": 43,
            "name": "into_table",
            "schema_id": 9,
            "connector": "TABLE",
            "definition": "CREATE SINK into_table INTO public.collected AS SELECT id FROM public.big "
            "WITH (type = 'upsert')",
            "connector_props": {"connector": {"type": "plaintext", "value": "table"}},
        },
    ],
    "rw_catalog.rw_columns": [
        *_rw_columns(11, *_ORDERS, hidden="_row_id"),
        *_rw_columns(13, ("payload", "jsonb"), hidden="_row_id"),
        *_rw_columns(21, ("id", "bigint"), ("name", "character varying"), keys=("id",)),
        *_rw_columns(22, ("id", "bigint"), hidden="_row_id"),
        *_rw_columns(31, ("id", "bigint"), ("total", "numeric"), ("who", "character varying"), hidden="orders._row_id"),
        *_rw_columns(32, ("town", "character varying")),
        *_rw_columns(33, ("window_start", "timestamp with time zone"), ("total", "numeric")),
        *_rw_columns(41, ("id", "bigint"), ("total", "numeric"), ("who", "character varying")),
        *_rw_columns(42, ("id", "bigint"), ("twice", "numeric")),
        *_rw_columns(43, ("id", "bigint")),
    ],
    "rw_catalog.rw_description": [
        {"objoid": 21, "classoid": 7, "objsubid": None, "description": "All who bought"},
        {"objoid": 21, "classoid": 7, "objsubid": 1, "description": None},
        {"objoid": 21, "classoid": 7, "objsubid": 2, "description": "as written on the bill"},
        {"objoid": 22, "classoid": 7, "objsubid": None, "description": None},
    ],
}
_RELATIONS = ("sources", "tables", "materialized_views", "views", "sinks")
RISINGWAVE = {
    **RISINGWAVE,
    "rw_catalog.rw_relations": [
        {"id": row["id"], "name": row["name"], "schema_id": row["schema_id"]}
        for kind in _RELATIONS
        for row in RISINGWAVE[f"rw_catalog.rw_{kind}"]
    ],
}
OLDER = frozenset(
    {"associated_table_id", "connector_props", "is_generated", "is_hidden", "is_nullable", "is_primary_key"}
)


def older(tables: Tables, lacking: Iterable[str] = OLDER, without: Iterable[str] = ()) -> Tables:
    """Return tables as an older version has them: *lacking* columns, *without* tables."""
    left_out = set(lacking)
    kept = {name: rows for name, rows in tables.items() if name not in without}
    return {
        name: [{key: row[key] for key in row if key not in left_out} for row in rows] for name, rows in kept.items()
    }


_BIG = '[u11 AS "materialize"."public"."big"]'


def _mz(identity: str, name: str, **more: Any) -> Row:
    return {"id": identity, "oid": 20_000, "schema_id": "u3", "name": name, "owner_id": "u1", **more}


def _mz_source(identity: str, name: str, sql: str, type_: str = "kafka", connection: str | None = "u1") -> Row:
    return _mz(identity, name, type=type_, connection_id=connection, create_sql=sql, redacted_create_sql=_redacted(sql))


def _redacted(sql: str) -> str:
    return re.sub(r"'[^']*'", "'<REDACTED>'", sql)


def _mz_columns(identity: str, *columns: tuple[str, str]) -> list[Row]:
    # The driver does not know the type uint8, and passes it as a text.
    return [
        {"id": identity, "name": name, "position": str(position), "nullable": True, "type": type_}
        for position, (name, type_) in enumerate(columns, 1)
    ]


_KAFKA = 'FROM KAFKA CONNECTION [u1 AS "materialize"."public"."kafka"]'
_CSR = 'USING CONFLUENT SCHEMA REGISTRY CONNECTION [u2 AS "materialize"."public"."csr"]'
_INTO = 'INTO KAFKA CONNECTION [u1 AS "materialize"."public"."kafka"]'

MATERIALIZE: Tables = {
    "mz_catalog.mz_databases": [{"id": "u1", "name": "materialize"}, {"id": "u2", "name": "other"}],
    "mz_catalog.mz_schemas": [
        {"id": "u3", "database_id": "u1", "name": "public"},
        {"id": "u4", "database_id": "u1", "name": "ops"},
        {"id": "u5", "database_id": "u2", "name": "public"},
        {"id": "s1", "database_id": None, "name": "mz_catalog"},
    ],
    "mz_catalog.mz_kafka_connections": [{"id": "u1", "brokers": [_BROKER], "sink_progress_topic": "_mz-progress"}],
    "mz_catalog.mz_kafka_sources": [
        {"id": "u6", "group_id_prefix": "materialize-us-u6", "topic": "shop.orders"},
        {"id": "u7", "group_id_prefix": "materialize-us-u7", "topic": "cdc.customers"},
        {"id": "u8", "group_id_prefix": "materialize-us-u8", "topic": "shop.events"},
    ],
    "mz_catalog.mz_kafka_sinks": [{"id": "u14", "topic": "shop.big"}],
    "mz_internal.mz_kafka_source_tables": [{"id": "u9", "topic": '"shop.events"', "envelope_type": "none"}],
    "mz_internal.mz_comments": [
        {"id": "u9", "object_type": "table", "object_sub_id": None, "comment": "What happened"},
        {"id": "u9", "object_type": "table", "object_sub_id": 1, "comment": "the event"},
    ],
    "mz_catalog.mz_sources": [
        _mz_source(
            "u6",
            "orders",
            f'CREATE SOURCE "materialize"."public"."orders" IN CLUSTER [u1] {_KAFKA} (TOPIC = \'shop.orders\') '
            f"FORMAT AVRO {_CSR} INCLUDE KEY AS message_key, PARTITION, OFFSET AS at, HEADER 'trace' AS trace BYTES "
            'ENVELOPE NONE EXPOSE PROGRESS AS [u5 AS "materialize"."public"."orders_progress"]',
        ),
        _mz_source(
            "u7",
            "customers",
            f"CREATE SOURCE customers IN CLUSTER [u1] {_KAFKA} (TOPIC = 'cdc.customers') FORMAT AVRO {_CSR} "
            "ENVELOPE DEBEZIUM",
        ),
        _mz_source("u8", "events_source", f"CREATE SOURCE events_source {_KAFKA} (TOPIC = 'shop.events')"),
        _mz_source("u5", "orders_progress", "CREATE SUBSOURCE orders_progress", type_="progress", connection=None),
    ],
    "mz_catalog.mz_tables": [
        _mz(
            "u9",
            "events",
            source_id="u8",
            create_sql='CREATE TABLE events FROM SOURCE [u8 AS "materialize"."public"."events_source"] '
            '(REFERENCE = "shop.events") FORMAT JSON',
        ),
        _mz("u10", "plain", source_id=None, create_sql='CREATE TABLE plain (id [s20 AS "pg_catalog"."int4"])'),
    ],
    "mz_catalog.mz_views": [
        _mz(
            "u12",
            "kinds",
            definition='SELECT "data"->>\'kind\' FROM [u9 AS "materialize"."public"."events" VERSION 1] '
            "OPTIONS (LIMIT INPUT GROUP SIZE = 1000);",
        )
    ],
    "mz_catalog.mz_materialized_views": [
        _mz(
            "u11",
            "big",
            definition='SELECT "o"."id", "o"."total"::[s20 AS "pg_catalog"."int4"] AS "total", "c"."name" AS "who" '
            'FROM [u6 AS "materialize"."public"."orders"] AS "o" '
            'JOIN [u7 AS "materialize"."public"."customers"] AS "c" '
            'ON "o"."id" = "c"."id";',
        )
    ],
    "mz_catalog.mz_sinks": [
        _mz_source(
            "u14",
            "big_sink",
            f'CREATE SINK "materialize"."ops"."big_sink" IN CLUSTER [u1] FROM {_BIG} {_INTO} (TOPIC = \'shop.big\') '
            f"KEY (id) NOT ENFORCED FORMAT AVRO {_CSR} ENVELOPE DEBEZIUM",
        )
        | {"schema_id": "u4"}
    ],
    "mz_catalog.mz_columns": [
        *_mz_columns(
            "u6",
            *(("message_key", "bytea"), ("id", "bigint"), ("total", "numeric"), ("tags", "text[]")),
            *(("partition", "integer"), ("at", "uint8"), ("trace", "bytea")),
        ),
        *_mz_columns("u7", ("id", "bigint"), ("name", "text")),
        *_mz_columns("u9", ("data", "jsonb")),
        *_mz_columns("u10", ("id", "integer")),
        *_mz_columns("u11", ("id", "bigint"), ("total", "integer"), ("who", "text")),
        *_mz_columns("u12", ("kind", "text")),
    ],
}
MATERIALIZE = {
    **MATERIALIZE,
    "mz_catalog.mz_objects": [
        {"id": row["id"], "name": row["name"], "schema_id": row["schema_id"]}
        for kind in _RELATIONS
        for row in MATERIALIZE[f"mz_catalog.mz_{kind}"]
    ],
}


def selecting(tables: Tables) -> Callable[[str], list[Row]]:
    """Return a function that answers statements over *tables* as an engine does; it raises for a table it lacks."""
    connection = sqlite3.connect(":memory:")
    for schema in sorted({name.partition(".")[0] for name in tables}):
        connection.execute(f"ATTACH ':memory:' AS {schema}")
    for name, rows in tables.items():
        plain = sorted({key for row in rows for key, value in row.items() if not isinstance(value, dict | list)})
        plain = plain or ["id", "name", "schema_id"]
        connection.execute(f"CREATE TABLE {name} (row_number, {', '.join(plain)})")
        marks = ", ".join("?" * (1 + len(plain)))
        values = [(number, *(row.get(key) for key in plain)) for number, row in enumerate(rows)]
        connection.executemany(f"INSERT INTO {name} ({', '.join(('row_number', *plain))}) VALUES ({marks})", values)

    def rows_of(statement: str) -> list[Row]:
        try:
            cursor = connection.execute(statement)
        except sqlite3.Error as error:
            # As RisingWave refuses a table that it does not have.
            raise SourceUnreachable(str(error).replace("no such table:", "table or source not found:")) from error
        names = [column[0] for column in cursor.description]
        answers = [dict(zip(names, row, strict=True)) for row in cursor]
        listed = next(iter(re.findall(r"^SELECT \* FROM (\S+)", statement)), "")
        return [tables[listed][answer["row_number"]] for answer in answers] if listed else answers

    return rows_of


def engine_session(url: str, tables: Tables) -> EngineSession:
    """Return a session with an engine that has *tables*."""
    settings = DatabaseSettings(name="stream", url=url)
    return EngineSession(settings=settings, location=Location.of(settings), rows=selecting(tables))


_TYPES = {bool: "boolean", int: "bigint", str: "text", list: "text[]", dict: "jsonb"}


def loading(tables: Tables) -> Iterable[tuple[str, Sequence[Any]]]:
    """Yield the statements, with their values, that make *tables* in PostgreSQL, which speaks the engines' protocol."""
    for schema in sorted({name.partition(".")[0] for name in tables}):
        yield f"CREATE SCHEMA {schema}", ()
    for name, rows in tables.items():
        types = {key: _TYPES[type(value)] for row in rows for key, value in row.items() if value is not None}
        listed = {key: types.get(key, "text") for row in rows for key in row}
        yield f"CREATE TABLE {name} ({', '.join(f'{key} {type_}' for key, type_ in listed.items())})", ()
        for row in rows:
            marks = ", ".join("%s::jsonb" if listed[key] == "jsonb" else "%s" for key in row)
            values = [json.dumps(value) if isinstance(value, dict) else value for value in row.values()]
            yield f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", values

"""Seeded generators of hostile inputs for `fuzz.py`: pieces of good ones, cut, nested, doubled and given bad names."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dataflow_generator.connectors import CONNECTORS

Json = Any
Dice = random.Random

_NAMES = (
    *("orders", "a.b-value", "", ".", "..", "a/b", "заказы", "\U0001f600", "\ud800", "a\0b", "\x1b[2J", "\u202e"),
    *("=1+1", "'; DROP TABLE x;--", "${env:X}", "a" * 300, "\n", "\\", '"', "$[0]", "#/definitions/a", "__proto__"),
    *("\x9b31m", "%s", "-1", "1e400", "null", "\ufeff", "(a+)+$", "[" * 50, "${file:/x:y}", "int", "record"),
)
_SCALARS: Sequence[Any] = (
    None,
    True,
    False,
    0,
    -1,
    2**63,
    -(2**70),
    1.5,
    1e308,
    float("nan"),
    "",
    "string",
    "null",
    [],
    {},
)
_AVRO: Sequence[Json] = (
    *("null", "boolean", "int", "long", "string", "bytes", "R", "a.R"),
    {"type": "array", "items": "string"},
    {"type": "map", "values": "long"},
    {"type": "enum", "name": "E", "symbols": ["A"]},
    {"type": "fixed", "name": "F", "size": 16},
    {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 9},
)
_JSON_SCHEMA = (
    *("$ref", "type", "properties", "items", "allOf", "anyOf", "oneOf", "not", "if", "then", "$defs", "definitions"),
    *("required", "enum", "const", "pattern", "patternProperties", "additionalProperties", "$id", "$anchor", "title"),
    *("dependentSchemas", "prefixItems", "unevaluatedProperties", "format", "default", "$dynamicRef", "$schema"),
)
_PROTO = """syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
message Order { string id = 1; repeated Line lines = 2; map<string, int64> m = 3; oneof x { int32 a = 4; bytes b = 5; }
  message Line { double price = 1 [deprecated = true]; } google.protobuf.Timestamp at = 6; reserved 7, 9 to 11; }
enum Kind { NONE = 0; }
extend Order { optional string more = 100; }
"""
_PROTO_PIECES = (
    *(
        "message A {",
        "}",
        "{" * 100,
        "oneof o {",
        "map<",
        "repeated ",
        " = 1;",
        "/*",
        "//",
        '"',
        "reserved ",
        "0x",
        "\0",
    ),
    *(
        "import public ",
        "option (a) = {",
        "extensions 1 to max;",
        "group G = 1 {",
        "stream ",
        ";" * 50,
        "-",
        "é",
        "\\x",
    ),
)
_VALUES = (
    *("orders", "orders,a.b", ".*", "(a|b)+", "(.*)*x", "true", "false", "0", "-1", "", " ", ",", "a:b", "a:b:c,d:e"),
    *("jdbc:postgresql://h:5432/db", "jdbc:sqlserver://h;databaseName=d", "jdbc:oracle:thin:@//h/s", "jdbc:", "://"),
    *("SELECT * FROM a JOIN b ON a.i=b.i", "SELECT " + "(" * 60, "$1-$2", "${topic}", "$0", "s3://b/p", '{"a":', "[]"),
    *(
        "mongodb://u:p@h/d",
        "org.apache.kafka.connect.transforms.RegexRouter",
        "io.debezium.transforms.ByLogicalTableRouter",
    ),
)
_SETTINGS = (
    *("topics", "topics.regex", "topic.prefix", "table.include.list", "table.whitelist", "query", "connection.url"),
    *(
        "database.server.name",
        "database.dbname",
        "database.names",
        "topic",
        "kafka.topic",
        "s3.bucket.name",
        "collection",
    ),
    *(
        "table.name.format",
        "transforms",
        "transforms.a.type",
        "transforms.a.regex",
        "transforms.a.replacement",
        "tasks.max",
    ),
    *(
        "transforms.a.renames",
        "transforms.a.exclude",
        "predicates",
        "predicates.p.type",
        "transforms.a.predicate",
        "pipeline",
    ),
    *(
        "iceberg.tables",
        "topics.dir",
        "connection.uri",
        "gcs.bucket.name",
        "topic.creation.default.partitions",
        "mirrors",
    ),
    *(
        "source.cluster.alias",
        "replication.policy.separator",
        "replication.policy.class",
        "topic2table.map",
        "copy.existing",
    ),
)
_EVENT: Mapping[str, Json] = {
    "eventTime": "2026-01-02T03:04:05Z",
    "eventType": "COMPLETE",
    "producer": "https://example.com/p",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0190a2d2-0000-7000-8000-000000000000", "facets": {}},
    "job": {
        "namespace": "n",
        "name": "j",
        "facets": {"sql": {"_producer": "p", "_schemaURL": "s", "query": "SELECT 1"}},
    },
    "inputs": [{"namespace": "kafka://b:9092", "name": "orders", "facets": {"schema": {"fields": [{"name": "a"}]}}}],
    "outputs": [
        {
            "namespace": "file",
            "name": "/x",
            "facets": {
                "columnLineage": {
                    "fields": {"a": {"inputFields": [{"namespace": "kafka://b:9092", "name": "orders", "field": "a"}]}}
                }
            },
        }
    ],
}
_HEADS = (
    *(
        b"Content-Length: -1\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
    ),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"A" * 70_000,
    ),
    *(
        b"Expect: 100-continue\r\n",
        b"Connection: keep-alive\r\n",
        b"Content-Type: text/\xff\r\n",
        b": x\r\n",
        b"\0: \0\r\n",
        b" folded\r\n",
    ),
    *(b"Authorization: Bearer \xe9\r\n", b"Host: \r\n", b"Content-Encoding: br\r\n", b"X: " + b"y" * 9_000 + b"\r\n"),
)
_LINES = (
    *(
        b"POST /api/v1/lineage HTTP/1.1\r\n",
        b"POST /api/v1/lineage HTTP/1.0\r\n",
        b"GET /health HTTP/1.1\r\n",
        b"GET / HTTP/9.9\r\n",
    ),
    *(
        b"PUT /api/v1/lineage HTTP/1.1\r\n",
        b"POST /../../etc/passwd HTTP/1.1\r\n",
        b"POST\r\n",
        b"\x16\x03\x01\x02\0\x01\0\r\n",
    ),
    *(
        b"POST /api/v1/lineage\xff HTTP/1.1\r\n",
        b"POST " + b"/a" * 40_000 + b" HTTP/1.1\r\n",
        b"\r\n\r\n",
        b"HEAD /health HTTP/1.1\r\n",
    ),
)


def schemas(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield formats with texts: of Avro, JSON Schema, Protobuf, and JSON payloads."""
    dice = random.Random(seed)
    makers = (("AVRO", _avro), ("JSON", _json_schema), ("PROTOBUF", _proto), ("JSON_PAYLOAD", _value))
    for _ in range(count):
        name, make = dice.choice(makers)
        built = make(dice, dice.choice((2, 4, 6, 40)))
        text = built if isinstance(built, str) and name == "PROTOBUF" else _written(dice, built)
        yield name, _cut(dice, text)


def connectors(count: int, seed: int) -> Iterator[Mapping[str, str]]:
    """Yield settings of connectors: of a known class mostly, each a few good and bad values."""
    dice = random.Random(seed)
    classes = [*CONNECTORS, "com.acme.Unknown", ""]
    for _ in range(count):
        names = dice.sample(_SETTINGS, dice.randint(1, 12))
        yield {"connector.class": dice.choice(classes)} | {name: _setting(dice) for name in names}


def registry_answers(count: int, seed: int) -> Iterator[Mapping[str, bytes]]:
    """Yield registries: what they answer by the path of a request."""
    dice = random.Random(seed)
    for _ in range(count):
        rows = [_row(dice) for _ in range(dice.randint(0, 6))]
        names = [row.get("subject", "x") if isinstance(row, dict) else row for row in rows]
        answers = {"/schemas": rows, "/subjects": names, "/subjects/orders/versions": [1, dice.choice(_SCALARS)]}
        answers["/subjects/orders/versions/1"] = _row(dice)
        if dice.random() < 0.3:
            del answers["/schemas"]
        yield {path: _written(dice, item).encode("utf-8", "backslashreplace") for path, item in answers.items()}


def events(count: int, seed: int) -> Iterator[str | bytes]:
    """Yield texts of OpenLineage events with members exchanged, nested, and broken."""
    dice = random.Random(seed)
    for _ in range(count):
        text = _cut(dice, _written(dice, _changed(dice, _EVENT)))
        yield text if dice.random() < 0.5 else text.encode("utf-8", "surrogatepass")


def requests(count: int, seed: int) -> Iterator[bytes]:
    """Yield raw HTTP requests, most of them no good."""
    dice = random.Random(seed)
    for body in events(count, seed):
        raw = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
        length = b"Content-Length: %d\r\n" % len(raw) if dice.random() < 0.8 else b""
        heads = b"".join(dice.choices(_HEADS, k=dice.choice((0, 0, 0, 1, 2))))
        line = _LINES[0] if dice.random() < 0.7 else dice.choice(_LINES)
        request = line + b"Host: a\r\n" + heads + length + b"\r\n" + raw
        if dice.random() < 0.1:
            at = dice.randrange(len(request))
            request = request[:at] + bytes(dice.choices(range(256), k=3)) + request[at + 3 :]
        yield request if dice.random() < 0.9 else request[: dice.randrange(len(request))]


def _avro(dice: Dice, levels: int) -> Json:
    if levels <= 0 or dice.random() < 0.3:
        return dice.choice(_AVRO) if dice.random() < 0.9 else dice.choice(_SCALARS)
    below = [_avro(dice, levels - dice.choice((1, 1, 2))) for _ in range(1 if levels > 8 else dice.randint(1, 3))]
    match dice.randrange(4):
        case 0:
            return below
        case 1:
            return {"type": "array", "items": below[0]}
        case 2:
            return {"type": below[0]}
        case _:
            fields = [{"name": dice.choice(_NAMES), "type": item, "default": dice.choice(_SCALARS)} for item in below]
            return {"type": "record", "name": dice.choice(("R", "a.R", *_NAMES)), "fields": fields}


def _json_schema(dice: Dice, levels: int) -> Json:
    if levels <= 0:
        return dice.choice((*_SCALARS, {"$ref": "#"}, {"$ref": "#/$defs/a"}, {"type": "object"}, {"type": ["a", 1]}))
    result: dict[str, Json] = {}
    for word in dice.choices(_JSON_SCHEMA, k=1 if levels > 8 else dice.randint(1, 4)):
        below = _json_schema(dice, levels - dice.choice((1, 2, 3)))
        result[word] = dice.choice((below, [below], {dice.choice((*_NAMES, "a")): below}, dice.choice(_NAMES)))
    return result


def _proto(dice: Dice, levels: int) -> str:
    text = _PROTO
    for _ in range(dice.randint(1, levels)):
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.choice((0, 1, 5, 40)))
        piece = dice.choice(
            (dice.choice(_PROTO_PIECES), text[start:end] * dice.choice((2, 30)), "", dice.choice(_NAMES))
        )
        text = text[:start] + piece + text[end:]
    return text


def _value(dice: Dice, levels: int) -> Json:
    if levels <= 0 or dice.random() < 0.2:
        return dice.choice((*_SCALARS, *_NAMES))
    below = [_value(dice, levels - 1) for _ in range(1 if levels > 8 else dice.randint(0, 4))]
    return below if dice.random() < 0.4 else {dice.choice(_NAMES): item for item in below}


def _row(dice: Dice) -> Json:
    kind, make = dice.choice((("AVRO", _avro), ("JSON", _json_schema), ("PROTOBUF", _proto)))
    built = make(dice, 3)
    row = {
        "subject": dice.choice(("orders", "orders-value", *_NAMES)),
        "version": dice.choice((1, 2, 3, *_SCALARS)),
        "id": dice.choice((1, 2, *_SCALARS)),
        "schemaType": kind,
        "schema": built if isinstance(built, str) else _written(dice, built),
        "references": [{"name": dice.choice(_NAMES), "subject": "orders", "version": dice.choice((1, *_SCALARS))}],
        "metadata": dice.choice((*_SCALARS, {"properties": {dice.choice(_NAMES): "x"}, "tags": {"**": ["PII"]}})),
        "ruleSet": _value(dice, 2),
        "deleted": dice.choice(_SCALARS),
    }
    for name in dice.sample(list(row), dice.randint(0, 3)):
        row[name] = dice.choice((*_SCALARS, *_NAMES))
    return row if dice.random() < 0.95 else dice.choice(_SCALARS)


def _changed(dice: Dice, value: Json) -> Json:
    """Return a copy of *value* in which a few members are something else."""
    if dice.random() < 0.06:
        return _value(dice, dice.choice((0, 2, 3, 30)))
    if isinstance(value, dict):
        members = {key: _changed(dice, item) for key, item in value.items() if dice.random() > 0.03}
        return members | ({dice.choice(_NAMES): _value(dice, 2)} if dice.random() < 0.1 else {})
    if isinstance(value, list):
        return [_changed(dice, item) for item in value] * dice.choice((1, 1, 1, 1, 1, 0, 30))
    return dice.choice((*_SCALARS, *_NAMES)) if dice.random() < 0.04 else value


def _setting(dice: Dice) -> str:
    value = dice.choice((*_VALUES, *_NAMES))
    if dice.random() < 0.2:
        value = dice.choice((",", ".", "|", "", ":")).join(dice.choices((*_VALUES, *_NAMES), k=dice.choice((2, 5, 60))))
    return _cut(dice, value)


def _written(dice: Dice, value: Json) -> str:
    return json.dumps(value, ensure_ascii=dice.random() < 0.5)


def _cut(dice: Dice, text: str) -> str:
    """Return *text*, one time in ten with something cut out of it or put into it."""
    if not text or dice.random() < 0.9:
        return text
    at = dice.randrange(len(text))
    return text[:at] + dice.choice(("", *_NAMES, "[" * 2_000, '{"a":' * 500)) + text[at + dice.choice((0, 1, 20)) :]

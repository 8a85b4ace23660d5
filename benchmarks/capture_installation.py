"""A made-up capture of a registry of any size, as `scanner scan --replay` reads it; seeded, skewed, with references.

`python benchmarks/capture_installation.py VERSIONS DIR` writes `DIR/capture` and `DIR/cluster.json`, which replays it.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from installation import SEED, topic_name

Json = dict[str, Any]

URL = "http://registry:8081"
CLUSTER = {"cluster": "bench", "brokers": ["kafka:9092"], "schema_registries": [{"type": "confluent", "url": URL}]}
LARGE = 100_000
"""Versions from which one subject has MOST versions, and one schema WIDEST fields."""

MOST, WIDEST = 10_000, 50_000
_PAGE = 1000
_KEYS = 300
_SHARED = 5
_WORDS = ("customer", "order", "amount", "status", "country", "reference", "channel", "region", "total", "unit", "tax")
_ENDINGS = ("id", "code", "name", "at", "count", "flag", "rate", "note")
_PLAIN = ("string", "long", "int", "double", "boolean", "bytes")
_JSON = {"string": "string", "long": "integer", "int": "integer", "double": "number", "boolean": "boolean"}


def write(versions: int, directory: Path) -> None:
    """Write a capture of so many versions: the list in bulk, and the same once more with deleted ones."""
    capture = directory / "capture"
    source = capture / "schema_registry-http-registry-8081"
    source.mkdir(parents=True)
    _save(directory / "cluster.json", CLUSTER)
    _save(capture / "capture.json", {"format": 1, "cluster": CLUSTER["cluster"], "tool": "benchmark"})
    rest, at = islice(rows(versions), versions), 0
    while page := list(islice(rest, _PAGE)):
        _answer(source, at, page)
        at += len(page)
    _answer(source, at, [])
    _save(source / "associations.json", {"request": _request("/associations/subjects/" + _first(versions)), **_UNKNOWN})


def rows(versions: int) -> Iterator[Json]:
    """List schema rows as `GET /schemas` does, more than enough of them: shared types, then topic after topic."""
    skewed = (_many(), [_wide()]) if versions >= LARGE else ()
    topics = (_topic(number) for number in range(versions))
    for id_, row in enumerate(chain(_shared_types(), *skewed, chain.from_iterable(topics)), 1):
        yield {"id": id_, **row}


def _first(versions: int) -> str:
    return quote(min(row["subject"] for row in islice(rows(versions), versions)), safe="")


_UNKNOWN = {"status": 404, "headers": {"content-type": "application/json"}, "body": '{"error_code":404}'}


def _answer(directory: Path, at: int, page: list[Json]) -> None:
    body = json.dumps(page, separators=(",", ":"))
    answer = {"status": 200, "headers": {"content-type": "application/json"}, "body": body}
    for number, more in enumerate(([], [("deleted", "true")])):
        query = urlencode([("subjectPrefix", ":*:"), ("offset", at), ("limit", _PAGE), *more], quote_via=quote, safe="")
        _save(directory / f"page-{at:09d}-{number}.json", {"request": _request(f"/schemas?{query}"), **answer})


def _request(path: str) -> Json:
    return {"method": "GET", "url": URL + path, "body": ""}


def _save(file: Path, content: Json) -> None:
    file.write_text(json.dumps(content), encoding="utf-8")


def _shared_types() -> Iterator[Json]:
    """List the types that others refer to: an address has a country of its own version."""
    for number in range(1, _SHARED + 1):
        symbols = ["DE", "FR", "IT"][: 1 + number % 3]
        country = {"type": "enum", "name": "shop.common.Country", "symbols": symbols, "doc": f"{number}"}
        yield _row("shop.common.Country", number, country)
        fields = [_field(random.Random(f"{SEED}/address/{at}"), at) for at in range(4 + number)]
        fields.append({"name": "country", "type": "shop.common.Country"})
        address = {"type": "record", "name": "shop.common.Address", "fields": fields}
        yield _row("shop.common.Address", number, address, _reference("shop.common.Country", number))


def _many() -> Iterator[Json]:
    """List the subject that a job registers again each time it starts."""
    chance = random.Random(f"{SEED}/many")
    fields = [_field(chance, at) for at in range(10)]
    for version in range(1, MOST + 1):
        yield _row("shop.many.v1-value", version, _record("Many", [*fields, _added(version)]))


def _wide() -> Json:
    chance = random.Random(f"{SEED}/wide")
    return _row("shop.wide.v1-value", 1, _record("Wide", [_field(chance, at) for at in range(WIDEST)]))


def _topic(number: int) -> Iterator[Json]:
    """List a topic's versions: a shared key, and values that each add a field."""
    chance = random.Random(f"{SEED}/{number}")
    key = _record(f"Key{number % _KEYS}", [{"name": "id", "type": "string"}, {"name": "tenant", "type": "int"}])
    yield _row(f"{topic_name(number)}-key", 1, key)
    fields = [_field(chance, at) for at in range(max(2, round(chance.lognormvariate(1.8, 0.6))))]
    write_value = _json_value if number % 10 == 9 else _avro_value
    for version in range(1, 1 + min(200, max(1, round(chance.lognormvariate(1.7, 1.0))))):
        yield write_value(number, version, [*fields, *(_added(at) for at in range(2, version + 1)[-6:])])


def _avro_value(number: int, version: int, fields: list[Json]) -> Json:
    subject = f"{topic_name(number)}-value"
    lines = _record("Line", fields[:2])
    inner = [{"name": "lines", "type": {"type": "array", "items": lines}}] if number % 3 == 0 else []
    if number % 7:
        return _row(subject, version, _record(f"Value{number}", [*fields, *inner]))
    sent = {"name": "sent_to", "type": "shop.common.Address"}
    address = _reference("shop.common.Address", number % _SHARED + 1)
    return _row(subject, version, _record(f"Value{number}", [*fields, sent, *inner]), address)


def _json_value(number: int, version: int, fields: list[Json]) -> Json:
    properties = {
        field["name"]: {"type": _JSON.get(str(field["type"]), "string"), "description": field.get("doc", "")}
        for field in fields
    }
    schema = {"type": "object", "title": f"Value{number}", "properties": properties}
    return {**_row(f"{topic_name(number)}-value", version, schema), "schemaType": "JSON"}


def _row(subject: str, version: int, schema: Json, *references: Json) -> Json:
    row: Json = {"subject": subject, "version": version}
    if references:
        row["references"] = list(references)
    return {**row, "schema": json.dumps(schema, separators=(",", ":"))}


def _reference(name: str, version: int) -> Json:
    return {"name": name, "subject": name, "version": version}


def _record(name: str, fields: list[Json]) -> Json:
    return {"type": "record", "name": name, "namespace": "shop", "fields": fields}


def _field(chance: random.Random, at: int) -> Json:
    name = f"{chance.choice(_WORDS)}_{chance.choice(_ENDINGS)}_{at}"
    kind = chance.choice(_PLAIN)
    doc = f"The {name.replace('_', ' ')} as the sender knows it."
    if chance.random() < 0.4:
        return {"name": name, "type": ["null", kind], "default": None, "doc": doc}
    return {"name": name, "type": kind, "doc": doc}


def _added(version: int) -> Json:
    return {"name": f"added_{version}", "type": ["null", "string"], "default": None}


if __name__ == "__main__":
    write(int(sys.argv[1].replace("_", "")), Path(sys.argv[2]))

"""A synthetic installation of any size, the same for the same seed: topics with realistic key and value schemas."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

SEED = 20_240_229
"""Where every random choice of the benchmarks starts."""

_DOMAINS = ("orders", "payments", "customers", "shipments", "inventory", "pricing", "returns", "marketing")
_EVENTS = ("created", "changed", "cancelled", "confirmed", "settled", "requested", "archived", "corrected")
_WORDS = ("customer", "order", "amount", "status", "country", "reference", "channel", "region", "total", "unit", "tax")
_ENDINGS = ("id", "code", "name", "at", "count", "flag", "rate", "note")
_PLAIN = ("string", "long", "int", "double", "boolean", "bytes")


def topic_name(number: int) -> str:
    """Return the name of a topic: dots and dashes, as installations have them."""
    event = _EVENTS[number // len(_DOMAINS) % len(_EVENTS)]
    return f"shop.{_DOMAINS[number % len(_DOMAINS)]}.{event}-{number:06d}.v1"


def key_schema(number: int) -> str:
    """Write a key: a record of two fields."""
    fields = [{"name": "id", "type": "string"}, {"name": "tenant", "type": "int"}]
    return _text({"type": "record", "name": f"Key{number}", "namespace": "shop.bench", "fields": fields})


def value_schema(number: int, version: int = 1) -> str:
    """Write a value: some thirty columns in four levels, about 3.4 KB; each version adds one field."""
    chance = random.Random(f"{SEED}/{number}")
    fields = [_field(chance, at) for at in range(14)]
    fields[3:3] = [
        _member("occurred_at", {"type": "long", "logicalType": "timestamp-millis"}, "When it happened."),
        _member("state", {"type": "enum", "name": "State", "symbols": ["NEW", "OPEN", "DONE"]}, "Where it stands."),
        _member("price", {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}, "With tax."),
        _member("address", _record("Address", [_field(chance, at) for at in range(5)]), "Where it goes."),
        _member("lines", {"type": "array", "items": _record("Line", _lines(chance))}, "What was ordered."),
        _member("labels", {"type": "map", "values": "string"}, "Free text of the sender."),
    ]
    fields += [{"name": f"added_{at}", "type": ["null", "string"], "default": None} for at in range(1, version)]
    return _text({**_record(f"Value{number}", fields), "namespace": "shop.bench", "doc": "An event of the shop."})


def schemas(topics: int, versions: int = 1) -> Iterator[tuple[str, int, str]]:
    """List subject, version and text of every schema of *topics* topics; keys have one version."""
    for number in range(topics):
        yield f"{topic_name(number)}-key", 1, key_schema(number)
        for version in range(1, versions + 1):
            yield f"{topic_name(number)}-value", version, value_schema(number, version)


def _lines(chance: random.Random) -> list[Json]:
    sizes = _record("Size", [_field(chance, at) for at in range(2)])
    return [*(_field(chance, at) for at in range(3)), _member("size", ["null", sizes], "Of one piece.")]


def _field(chance: random.Random, at: int) -> Json:
    name = f"{chance.choice(_WORDS)}_{chance.choice(_ENDINGS)}_{at}"
    kind = chance.choice(_PLAIN)
    doc = f"The {name.replace('_', ' ')} as the sending system knows it."
    return (
        {**_member(name, ["null", kind], doc), "default": None} if chance.random() < 0.4 else _member(name, kind, doc)
    )


def _member(name: str, kind: object, doc: str) -> Json:
    return {"name": name, "type": kind, "doc": doc}


def _record(name: str, fields: list[Json]) -> Json:
    return {"type": "record", "name": name, "fields": fields}


def _text(schema: Json) -> str:
    return json.dumps(schema, separators=(",", ":"))

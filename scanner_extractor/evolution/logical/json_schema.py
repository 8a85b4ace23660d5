"""JSON Schema → logical types, as Confluent's registry converts it: Kafka Connect's properties refine the types.

Drafts after 7, `confluent:union`, and keywords beside a `$ref` are not interpreted: the schema is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scanner_extractor.evolution.differences import Effort, SchemaText
from scanner_extractor.evolution.json_schema.nodes import UNKNOWN, Node, Schemas, is_reference
from scanner_extractor.evolution.logical.types import (
    BYTES,
    TEXTS,
    Kind,
    LogicalSchema,
    LogicalType,
    Member,
    NotDecided,
    NotLogical,
    map_of,
    text_of,
    timed,
    union_of,
)
from scanner_extractor.formats.json_schema.references import Located

Json = Any

_NUMBERS = {
    "int8": Kind.TINYINT,
    "int16": Kind.SMALLINT,
    "int32": Kind.INT,
    "int64": Kind.BIGINT,
    "float32": Kind.FLOAT,
    "float64": Kind.DOUBLE,
}
_CONNECT = "org.apache.kafka.connect.data."
_PRECISION, _SCALE, _MILLIS = 38, 18, 3
"""What decimals and times that do not state them have."""
_NUMERIC = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT, Kind.FLOAT, Kind.DOUBLE)
_BESIDE_REFERENCES = frozenset({"$ref", "$comment", "description", "examples", "readOnly", "writeOnly", "deprecated"})
_UNREAD = ("confluent:union", "confluent:enum", "logical.key.length")
_INTEGER_LENGTH = 10
_SPACE = re.compile(r"(?![\u00a0\u2007\u202f])[\s\x00-\x1f\x7f-\x9f]")


class _Part(NamedTuple):
    """A schema, *raw* as it is written (None: it is a part of the one around it), with its own properties."""

    node: Node
    raw: Json
    notes: Mapping[str, Json]


def logical_schema(schema: SchemaText) -> LogicalSchema:
    """Return the logical types of a JSON Schema.

    Raises NotLogical without one, NotDecided if that is unknown, InputInvalid for invalid JSON, TooMuchEffort.
    """
    return _Conversion(Schemas(schema)).run()


class _Conversion:
    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._named: dict[str, LogicalType] = {}
        self._targets: dict[str, Json] = {}
        self._places: dict[int, Located] = {}
        self._effort = Effort()

    def run(self) -> LogicalSchema:
        if self._schemas.texts.root.resource.dialect.modern:
            raise NotDecided("a draft of JSON Schema after 7")
        raw = self._schemas.texts.root.schema
        self._places[id(raw)] = self._schemas.texts.root
        root = self._type(_Part(self._schemas.root, raw, _notes(raw)), nullable=False)
        return LogicalSchema(root=root, named=self._named)

    def _type(self, part: _Part, *, nullable: bool) -> LogicalType:
        self._effort.spend(1)
        if is_reference(part.raw):
            return self._reference(part, nullable=nullable)
        for word in _UNREAD:
            if word in part.notes:
                raise NotDecided(f"the property {word}")
        match part.node.kind:
            case "object":
                return self._object(part, nullable=nullable)
            case "array":
                return self._array(part, nullable=nullable)
            case "anyOf" | "oneOf":
                return self._union(part, nullable=nullable)
            case "allOf":
                return self._conjunction(part, nullable=nullable)
        return _value(part, nullable=nullable)

    def _reference(self, part: _Part, *, nullable: bool) -> LogicalType:
        """Return a reference; the registry knows its target by the last part of the text of it."""
        if part.raw.keys() - _BESIDE_REFERENCES:
            raise NotDecided("keywords beside a $ref")
        text, place = part.raw["$ref"], self._places[id(part.raw)]
        target = self._schemas.texts.follow(text, place) if isinstance(text, str) else None
        if target is None:
            raise NotDecided(f"the reference {text} leads to no text that is known")
        marker = next((marker for marker in ("/$defs/", "/definitions/") if marker in text), None)
        tail = text.partition(marker)[2] if marker else ""
        name = tail if tail and "/" not in tail else text
        if self._targets.setdefault(name, target.schema) is not target.schema:
            raise NotDecided(f"two targets of references have the name {name}")
        if name not in self._named:
            self._named[name] = LogicalType(kind=Kind.STRUCT)
            self._places[id(target.schema)] = target
            inner = _Part(self._schemas.node(target), target.schema, _notes(target.schema))
            self._named[name] = self._type(inner, nullable=False)
        return LogicalType(kind=Kind.REFERENCE, nullable=nullable, name=name)

    def _parts(self, node: Node) -> list[_Part]:
        own = [_Part(part, None, {}) for part in node.own]
        return own + [self._inner(node, member) for member in node.members]

    def _inner(self, node: Node, raw: Json) -> _Part:
        place = self._schemas.texts.child(raw, node.place)
        self._places[id(raw)] = place
        return _Part(self._schemas.node(place), raw, _notes(raw))

    def _union(self, part: _Part, *, nullable: bool) -> LogicalType:
        parts = self._parts(part.node)
        branches = [each for each in parts if is_reference(each.raw) or each.node.kind != "null"]
        has_null = len(branches) < len(parts)
        if len(branches) == 1:
            return self._type(branches[0], nullable=nullable or has_null)
        names = [_named(each.notes.get("title", f"connect_union_field_{n}")) for n, each in enumerate(branches)]
        types = [self._type(each, nullable=True) for each in branches]
        return union_of(list(zip(names, types, strict=True)), nullable=nullable or has_null)

    def _conjunction(self, part: _Part, *, nullable: bool) -> LogicalType:
        """Return what the registry takes an `allOf` for: all properties, or the one part that tells the type."""
        parts = self._parts(part.node)
        kinds = {each.node.kind: each for each in parts if not is_reference(each.raw)}
        if kinds.keys() & {"if", "not"}:
            raise NotLogical("a condition")
        properties: dict[str, tuple[_Part, bool]] = {}
        for each in parts:
            self._collect(each, properties, set())
        if properties:
            return self._struct(properties, nullable=nullable)
        combined = [each for each in parts if each.node.is_combined and not is_reference(each.raw)]
        if len(combined) > 1:
            raise NotDecided("several combinations of schemas in one")
        if combined:
            return self._type(combined[0], nullable=nullable)
        if "string" in kinds and "number" in kinds and not kinds.keys() & {"enum", "const"}:
            return self._type(kinds["number"], nullable=nullable)
        for kind in ("string", "number") if kinds.keys() & {"enum", "const"} else ():
            if kind in kinds:
                return self._type(kinds[kind], nullable=nullable)
        return self._type(_other_than_object(parts), nullable=nullable)

    def _collect(self, part: _Part, properties: dict[str, tuple[_Part, bool]], seen: set[int]) -> None:
        self._effort.spend(1)
        node = part.node
        if node.kind in (UNKNOWN, "reference"):
            raise NotDecided("a reference inside allOf")
        if id(node) in seen:
            return
        seen.add(id(node))
        if node.kind == "allOf":
            for inner in self._parts(node):
                self._collect(inner, properties, seen)
        elif node.kind == "object":
            properties.update(self._properties(node))

    def _properties(self, node: Node) -> Iterator[tuple[str, tuple[_Part, bool]]]:
        required = node.body.get("required")
        for name, raw in (node.body.get("properties") or {}).items():
            yield name, (self._inner(node, raw), isinstance(required, list) and name in required)

    def _object(self, part: _Part, *, nullable: bool) -> LogicalType:
        if part.notes.get("connect.type") != "map":
            return self._struct(dict(self._properties(part.node)), nullable=nullable)
        values = part.node.body.get("additionalProperties")
        if not isinstance(values, dict):
            raise NotLogical("a map without the type of its values")
        value = self._type(self._inner(part.node, values), nullable=False)
        multiset = part.notes.get("flink.type") == "multiset"
        return map_of(LogicalType(kind=Kind.VARCHAR), value, multiset=multiset, nullable=nullable)

    def _array(self, part: _Part, *, nullable: bool) -> LogicalType:
        if "items" not in part.node.body:
            raise NotLogical("an array without one type of its elements")
        items = self._inner(part.node, part.node.body["items"])
        if part.notes.get("connect.type") != "map" or is_reference(items.raw) or items.node.kind != "object":
            return LogicalType(kind=Kind.ARRAY, nullable=nullable, inner=self._type(items, nullable=False))
        fields = {name: inner for name, (inner, _) in self._properties(items.node)}
        if not fields.keys() >= {"key", "value"}:
            raise NotLogical("a map of entries without a key or a value")
        key, value = (self._type(fields[name], nullable=False) for name in ("key", "value"))
        return map_of(key, value, multiset=part.notes.get("flink.type") == "multiset", nullable=nullable)

    def _struct(self, properties: Mapping[str, tuple[_Part, bool]], *, nullable: bool) -> LogicalType:
        places = {name: part.notes.get("connect.index") for name, (part, _) in properties.items()}
        if any(place is not None and type(place) is not int for place in places.values()):
            raise NotDecided("a connect.index that is not an integer")

        def order(name: str) -> tuple[bool, int, bytes]:
            return places[name] is None, places[name] or 0, name.encode("utf-16-be", "surrogatepass")

        members = []
        for name in sorted(properties, key=order):
            part, required = properties[name]
            column = self._type(part, nullable=not required)
            has_default = self._has_default(part, column)
            members.append(Member(name=_named(name), type=column, has_default=has_default))
        return LogicalType(kind=Kind.STRUCT, nullable=nullable, members=tuple(members))

    def _has_default(self, part: _Part, type: LogicalType) -> bool:
        """Return whether the registry takes a property's default; it drops one that it cannot convert."""
        default = part.notes.get("default")
        if default is None or type.kind is Kind.REFERENCE:
            return False
        if type.members and type.members[0].branch:
            type = type.members[0].type
        if isinstance(default, str) and type.kind in (Kind.CHAR, Kind.VARCHAR, Kind.ENUM):
            return True
        if isinstance(default, bool) or not isinstance(default, int | float):
            doubtful = (Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ, *BYTES)
            if isinstance(default, str) and type.kind in doubtful:
                raise NotDecided("the default of a time, decimal or bytes")
            return isinstance(default, bool) and type.kind is Kind.BOOLEAN
        return type.kind in (*_NUMERIC, Kind.DECIMAL, Kind.TIMESTAMP_LTZ)


def _notes(raw: Json) -> Mapping[str, Json]:
    notes = raw if isinstance(raw, dict) else {}
    for word in ("connect.type", "title"):
        if not isinstance(notes.get(word, ""), str):
            raise NotDecided(f"{word} is not a text")
    return notes


def _named(name: str) -> str:
    if not name or _SPACE.search(name):
        raise NotLogical(f"the name {name!r} is empty, or has white space in it")
    return name


def _other_than_object(parts: Iterable[_Part]) -> _Part:
    """Return the part of two beside which the keywords of an object say nothing; raises NotLogical without one."""
    listed = list(parts)
    objects = [part for part in listed if part.node.kind == "object" and not is_reference(part.raw)]
    others = [part for part in listed if part not in objects]
    if len(objects) == len(others) == 1:
        body = objects[0].node.body
        is_array = others[0].node.kind == "array" and not is_reference(others[0].raw)
        if "type" not in body or (is_array and not body.get("required")):
            return others[0]
    raise NotLogical("a combination of types")


def _value(part: _Part, *, nullable: bool) -> LogicalType:
    match part.node.kind:
        case "any":
            return LogicalType(kind=Kind.VARIANT, nullable=nullable)
        case "boolean":
            return LogicalType(kind=Kind.BOOLEAN, nullable=nullable)
        case "enum":
            return _enum(part.node.body["enum"], nullable=nullable)
        case "number":
            return _number(part, nullable=nullable)
        case "string":
            return _text(part, nullable=nullable)
        case "false" | "const" | "not" | "if" | "null":
            raise NotLogical(f"{part.node.kind} as a type")
    raise NotDecided(f"a schema of the kind {part.node.kind}")


def _enum(values: Json, *, nullable: bool) -> LogicalType:
    if not isinstance(values, list) or any(isinstance(value, dict | list | float) for value in values):
        raise NotDecided("an enum of other values than texts and integers")
    if None in values:
        raise NotLogical("an enum with null")
    for value in values:
        _named(str(value))
    return LogicalType(kind=Kind.ENUM, nullable=nullable)


def _text(part: _Part, *, nullable: bool) -> LogicalType:
    body, kinds, prefix = part.node.body, TEXTS, "m"
    if part.notes.get("connect.type") == "bytes":
        body, kinds, prefix = part.notes, BYTES, "flink.m"
    least, most = (body.get(f"{prefix}{end}") for end in ("inLength", "axLength"))
    if any(size is not None and type(size) is not int for size in (least, most)):
        raise NotDecided("a length that is not an integer")
    return text_of(least, most, kinds, nullable=nullable)


def _number(part: _Part, *, nullable: bool) -> LogicalType:
    connect, title = part.notes.get("connect.type"), part.notes.get("title", "")
    if connect is None:
        kind = Kind.BIGINT if part.node.body.get("type") == "integer" else Kind.DOUBLE
        return LogicalType(kind=kind, nullable=nullable)
    if connect == "bytes" and title == f"{_CONNECT}Decimal":
        return _decimal(part.notes.get("connect.parameters", {}), nullable=nullable)
    if connect not in _NUMBERS:
        raise NotLogical(f"a number of the Connect type {connect}")
    if (connect, title) == ("int32", f"{_CONNECT}Date"):
        return LogicalType(kind=Kind.DATE, nullable=nullable)
    local = part.notes.get("flink.type") == "timestamp"
    times = {("int32", f"{_CONNECT}Time"): Kind.TIME, ("int64", f"{_CONNECT}Timestamp"): Kind.TIMESTAMP_LTZ}
    kind = times.get((connect, title), Kind.TIMESTAMP if connect == "int64" and local else _NUMBERS[connect])
    if kind in _NUMERIC:
        return LogicalType(kind=kind, nullable=nullable)
    digits = part.notes.get("flink.precision", _MILLIS)
    if type(digits) is not int:
        raise NotDecided("a precision that is not an integer")
    return timed(kind, digits, nullable=nullable)


def _decimal(given: Json, *, nullable: bool) -> LogicalType:
    sizes = [_PRECISION, _SCALE]
    for number, name in enumerate(("connect.decimal.precision", "scale")):
        text = given.get(name) if isinstance(given, dict) else 0
        if text is not None and not (isinstance(text, str) and text.isascii() and text.isdigit()):
            raise NotDecided("a decimal whose precision or scale is not a text of digits")
        sizes[number] = int(text) if text and len(text) < _INTEGER_LENGTH else sizes[number]
    return LogicalType(kind=Kind.DECIMAL, nullable=nullable, size=sizes[0], scale=sizes[1])

"""Avro schema → logical types, as Confluent's registry converts it.

Properties that change the conversion and are rare in schemas that people write (`flink.*`, `logical.*`, Connect's maps
of entries, names for the branches of a union) are not interpreted: the schema is not decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scanner_extractor.evolution.avro import AvroNames, AvroType, fields_of
from scanner_extractor.evolution.differences import Effort, SchemaText
from scanner_extractor.evolution.logical.types import (
    Kind,
    LogicalSchema,
    LogicalType,
    Member,
    NotDecided,
    NotLogical,
)

Json = Any

_PLAIN = {"boolean": Kind.BOOLEAN, "float": Kind.FLOAT, "double": Kind.DOUBLE, "string": Kind.VARCHAR}
_INTEGERS = {"int8": Kind.TINYINT, "int16": Kind.SMALLINT}
_TEMPORAL: Mapping[tuple[str, str], tuple[Kind, int]] = {
    ("int", "date"): (Kind.DATE, 0),
    ("int", "time-millis"): (Kind.TIME, 3),
    ("long", "time-micros"): (Kind.TIME, 6),
    ("long", "timestamp-millis"): (Kind.TIMESTAMP_LTZ, 3),
    ("long", "timestamp-micros"): (Kind.TIMESTAMP_LTZ, 6),
    ("long", "timestamp-nanos"): (Kind.TIMESTAMP_LTZ, 9),
    ("long", "local-timestamp-millis"): (Kind.TIMESTAMP, 3),
    ("long", "local-timestamp-micros"): (Kind.TIMESTAMP, 6),
    ("long", "local-timestamp-nanos"): (Kind.TIMESTAMP, 9),
}
_PRECISION, _SCALE = 10, 0
"""What a decimal that does not state them has."""
_VARIANT, _MAP_ENTRY = "confluent.type.Variant", "io.confluent.connect.avro.MapEntry"
_DAY = {3: 86_400_000, 6: 86_400_000_000}
"""Precision of a TIME → its values in a day."""


def logical_schema(schema: SchemaText) -> LogicalSchema:
    """Return the logical types of an Avro schema.

    Raises NotLogical without one, NotDecided if that is unknown, InputInvalid for invalid JSON, TooMuchEffort.
    """
    return _Conversion(AvroNames.of(schema)).run()


class _Conversion:
    def __init__(self, names: AvroNames) -> None:
        self._names = names
        self._named: dict[str, LogicalType] = {}
        self._effort = Effort()

    def run(self) -> LogicalSchema:
        root = self._type(self._names.body, "")
        return LogicalSchema(root=root, named=self._named)

    def _type(self, body: Json, space: str, *, nullable: bool = False) -> LogicalType:
        self._effort.spend(1)
        if isinstance(body, list):
            return self._union(body, space)
        if isinstance(body, dict) and not isinstance(body.get("type"), str):
            return self._type(body.get("type"), space, nullable=nullable)
        written = self._names.type_of(body, space)
        properties = body if isinstance(body, dict) else {}
        _check_properties(properties)
        match written.kind:
            case "record" | "enum":
                return self._reference(written, nullable=nullable)
            case "array":
                inner = self._items(written.body.get("items"), written.namespace)
                return LogicalType(kind=Kind.ARRAY, nullable=nullable, inner=inner)
            case "map":
                inner = self._type(written.body.get("values"), written.namespace)
                return LogicalType(kind=Kind.MAP, nullable=nullable, inner=inner)
            case "fixed":
                _check_properties(written.body)
                return _decimal(written.body, nullable=nullable) or _fixed(written.body, nullable=nullable)
            case "bytes":
                plain = LogicalType(kind=Kind.VARBINARY, nullable=nullable)
                return _decimal(properties, nullable=nullable) or plain
            case "null":
                raise NotLogical("a type that is always null")
            case "?":
                raise NotDecided(f"the type {written.body} is defined in no text that is known")
        return _primitive(written.kind, properties, nullable=nullable)

    def _items(self, body: Json, space: str) -> LogicalType:
        item = self._names.type_of(body, space)
        if item.kind == "record" and (item.full_name == _MAP_ENTRY or "connect.internal.type" in item.body):
            raise NotDecided("a map as a list of entries")
        return self._type(body, space)

    def _reference(self, written: AvroType, *, nullable: bool) -> LogicalType:
        name = written.full_name
        if name not in self._named:
            _check_properties(written.body)
            if name == _VARIANT:
                raise NotDecided("a variant")
            self._named[name] = LogicalType(kind=Kind.STRUCT)  # for references inside itself
            self._named[name] = LogicalType(kind=Kind.ENUM) if written.kind == "enum" else self._struct(written)
        return LogicalType(kind=Kind.REFERENCE, nullable=nullable, name=name)

    def _struct(self, record: AvroType) -> LogicalType:
        members = tuple(self._member(field, record.inner_namespace) for field in fields_of(record))
        if len({member.name for member in members}) < len(members):
            raise NotDecided("two fields of one name")
        return LogicalType(kind=Kind.STRUCT, members=members)

    def _member(self, field: Mapping[str, Json], space: str) -> Member:
        type = self._type(field.get("type"), space)
        if "confluent:union" in field:
            raise NotDecided(f"the names of the branches of {field['name']}")
        default = field.get("default")
        if default is not None and not self._converts(default, type):
            raise NotDecided(f"the default of {field['name']}")
        return Member(name=field["name"], type=type, has_default="default" in field, null_default=default is None)

    def _union(self, body: list[Json], space: str) -> LogicalType:
        branches = [(branch, self._names.type_of(branch, space)) for branch in body]
        others = [(branch, written) for branch, written in branches if written.kind != "null"]
        nullable = len(others) < len(branches)
        if len(others) == 1:
            return self._type(others[0][0], space, nullable=nullable)
        names = list(_branch_names(written for _, written in others))
        if len(set(names)) < len(names):
            raise NotDecided("two branches of one name")
        types = (self._type(branch, space) for branch, _ in others)
        members = tuple(Member(name=name, type=type, branch=True) for name, type in zip(names, types, strict=True))
        return LogicalType(kind=Kind.STRUCT, nullable=nullable, members=members)

    def _converts(self, default: Json, type: LogicalType) -> bool:
        """Return whether the registry certainly converts a *default*; it rejects a schema with one that it cannot."""
        self._effort.spend(1)
        match type.kind:
            case Kind.DECIMAL:
                return isinstance(default, str) and default != ""
            case Kind.TIME:
                return isinstance(default, int) and 0 <= default < _DAY[type.size]
            case Kind.ARRAY if isinstance(default, list) and type.inner:
                return all(self._converts(item, type.inner) for item in default)
            case Kind.MAP if isinstance(default, dict) and type.inner:
                return all(self._converts(item, type.inner) for item in default.values())
            case Kind.STRUCT if type.members:
                return self._converts(default, type.members[0].type)
        return type.kind not in (Kind.ARRAY, Kind.MAP)


def _branch_names(branches: Iterator[AvroType]) -> Iterator[str]:
    """Yield the names of a union's branches: the simple ones; full ones with `_` where two have the same."""
    written = list(branches)
    simple = [_names_of(branch) for branch in written]
    counts = Counter(name for name, _ in simple)
    yield from (full.replace(".", "_") if counts[name] > 1 else name for name, full in simple)


def _names_of(branch: AvroType) -> tuple[str, str]:
    if branch.kind in ("record", "enum", "fixed"):
        return branch.simple_name, branch.full_name
    return branch.kind, branch.kind


def _check_properties(properties: Mapping[str, Json]) -> None:
    for name in properties:
        if name.startswith(("flink.", "logical.", "connect.internal.")):
            raise NotDecided(f"the property {name}")
    if str(properties.get("logicalType", "")).lower() in ("map", "variant"):
        raise NotDecided(f"the logical type {properties['logicalType']}")


def _primitive(kind: str, properties: Mapping[str, Json], *, nullable: bool) -> LogicalType:
    if kind in _PLAIN:
        return LogicalType(kind=_PLAIN[kind], nullable=nullable)
    logical = properties.get("logicalType")
    if isinstance(logical, str):
        to, size = _TEMPORAL.get((kind, logical.lower()), (Kind.INT if kind == "int" else Kind.BIGINT, 0))
        return LogicalType(kind=to, nullable=nullable, size=size)
    connect = properties.get("connect.type")
    if kind == "int" and connect is not None:
        if str(connect).lower() not in _INTEGERS:
            raise NotDecided(f"an int of the Connect type {connect}")
        return LogicalType(kind=_INTEGERS[str(connect).lower()], nullable=nullable)
    return LogicalType(kind=Kind.INT if kind == "int" else Kind.BIGINT, nullable=nullable)


def _decimal(body: Mapping[str, Json], *, nullable: bool) -> LogicalType | None:
    if str(body.get("logicalType", "")).lower() != "decimal":
        return None
    precision, scale = body.get("precision", _PRECISION), body.get("scale", _SCALE)
    if not isinstance(precision, int) or not isinstance(scale, int):
        raise NotDecided("a decimal whose precision or scale is not a number")
    return LogicalType(kind=Kind.DECIMAL, nullable=nullable, size=precision, scale=scale)


def _fixed(body: Mapping[str, Json], *, nullable: bool) -> LogicalType:
    if not isinstance(body.get("size"), int):
        raise NotDecided("a fixed whose size is not a number")
    return LogicalType(kind=Kind.BINARY, nullable=nullable, size=body["size"])

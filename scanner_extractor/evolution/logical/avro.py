"""Avro schema → logical types, as Confluent's registry converts it.

Names for the branches of a union, and lengths of a map's keys, are not interpreted: the schema is not decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scanner_extractor.evolution.avro import AvroNames, AvroType, fields_of
from scanner_extractor.evolution.differences import Effort, SchemaText
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
)

Json = Any

_PLAIN = {"boolean": Kind.BOOLEAN, "float": Kind.FLOAT, "double": Kind.DOUBLE}
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
_DAY = {"int": 86_400_000, "long": 86_400_000_000}
"""Type of a TIME → its values in a day."""
_MILLIS = 3
_WIDENED = ("time-micros", "timestamp-nanos", "local-timestamp-nanos")
"""Logical types to which a property may give more digits than they have."""


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
                return self._array(written, nullable=nullable)
            case "map":
                value = self._type(written.body.get("values"), written.namespace)
                multiset = written.body.get("flink.type") == "multiset"
                return map_of(LogicalType(kind=Kind.VARCHAR), value, multiset=multiset, nullable=nullable)
            case "fixed":
                return _decimal(written.body, nullable=nullable) or _fixed(written.body, nullable=nullable)
            case "bytes":
                plain = text_of(None, _integer(properties, "flink.maxLength"), BYTES, nullable=nullable)
                return _decimal(properties, nullable=nullable) or plain
            case "string":
                return _text(properties, nullable=nullable)
        return _primitive(written, properties, nullable=nullable)

    def _array(self, written: AvroType, *, nullable: bool) -> LogicalType:
        """Return an array, or the map that a list of records with `key` and `value` stands for."""
        items = written.body.get("items")
        entry = self._names.type_of(items, written.namespace)
        is_entry = entry.kind == "record" and (
            entry.full_name == _MAP_ENTRY or entry.body.get("connect.internal.type") == "MapEntry"
        )
        if str(written.body.get("logicalType", "")).lower() == "map":
            raise NotDecided("the logical type map")
        if not is_entry:
            return LogicalType(kind=Kind.ARRAY, nullable=nullable, inner=self._type(items, written.namespace))
        fields = {field["name"]: field.get("type") for field in fields_of(entry)}
        if fields.keys() != {"key", "value"}:
            raise NotLogical("a map of entries without a key or a value")
        key, value = (self._type(fields[name], entry.inner_namespace) for name in ("key", "value"))
        return map_of(key, value, multiset=written.body.get("flink.type") == "multiset", nullable=nullable)

    def _reference(self, written: AvroType, *, nullable: bool) -> LogicalType:
        name = written.full_name
        if name == _VARIANT:
            raise NotDecided("a variant")
        if name not in self._named:
            _check_properties(written.body)
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
        members = tuple(
            Member(name=name, type=type, branch=True, hidden=True) for name, type in zip(names, types, strict=True)
        )
        return LogicalType(kind=Kind.STRUCT, nullable=nullable, members=members)

    def _converts(self, default: Json, type: LogicalType) -> bool:
        """Return whether the registry certainly converts a *default*; it rejects a schema with one that it cannot."""
        self._effort.spend(1)
        match type.kind:
            case Kind.DECIMAL:
                return isinstance(default, str) and default != ""
            case Kind.TIME:
                return isinstance(default, int) and 0 <= default < _DAY["int" if type.size <= _MILLIS else "long"]
            case Kind.ARRAY if isinstance(default, list) and type.inner:
                return all(self._converts(item, type.inner) for item in default)
            case Kind.MAP if isinstance(default, dict) and type.inner:
                return all(self._converts(item, type.inner) for item in default.values())
            case Kind.STRUCT if type.members:
                return self._converts(default, type.members[0].type)
        return type.kind not in (Kind.ARRAY, Kind.MAP, Kind.MULTISET)


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
    for name in ("logical.key.length", "logical.key.type"):
        if name in properties:
            raise NotDecided(f"the property {name}")
    if str(properties.get("logicalType", "")).lower() == "variant":
        raise NotDecided("a variant")


def _integer(properties: Mapping[str, Json], name: str) -> int | None:
    value = properties.get(name)
    if value is not None and type(value) is not int:
        raise NotDecided(f"the property {name} is not an integer")
    return value


def _text(properties: Mapping[str, Json], *, nullable: bool) -> LogicalType:
    return text_of(
        _integer(properties, "flink.minLength"), _integer(properties, "flink.maxLength"), TEXTS, nullable=nullable
    )


def _primitive(written: AvroType, properties: Mapping[str, Json], *, nullable: bool) -> LogicalType:
    kind = written.kind
    if kind == "null":
        raise NotLogical("a type that is always null")
    if kind == "?":
        raise NotDecided(f"the type {written.body} is defined in no text that is known")
    if kind in _PLAIN:
        return LogicalType(kind=_PLAIN[kind], nullable=nullable)
    logical = properties.get("logicalType")
    plain = Kind.INT if kind == "int" else Kind.BIGINT
    if isinstance(logical, str):
        to, size = _TEMPORAL.get((kind, logical.lower()), (plain, 0))
        if size:
            return timed(to, _precision(properties, logical.lower(), size), nullable=nullable)
        return LogicalType(kind=to, nullable=nullable)
    connect = properties.get("connect.type")
    if kind == "int" and isinstance(connect, str):
        if connect.lower() not in _INTEGERS:
            raise NotLogical(f"an int of the Connect type {connect}")
        return LogicalType(kind=_INTEGERS[connect.lower()], nullable=nullable)
    return LogicalType(kind=plain, nullable=nullable)


def _precision(properties: Mapping[str, Json], logical: str, inherent: int) -> int:
    """Return the digits of a time: those that a property gives it, which the others may only reduce."""
    given = properties.get("flink.precision")
    if isinstance(given, bool) or not isinstance(given, int | float):
        return inherent
    if given > inherent and logical not in _WIDENED:
        raise NotLogical(f"{given} digits for {logical}")
    return int(given)


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

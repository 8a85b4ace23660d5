"""Protobuf schema → logical types, as Confluent's registry converts it: the first message, fields before oneofs.

Editions, groups, `flink.wrapped` and `logical.default` are not interpreted: the schema is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from scanner_extractor.evolution.differences import Effort, SchemaText
from scanner_extractor.evolution.logical.types import (
    BYTES,
    LONGEST,
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
from scanner_extractor.formats.protobuf.declarations import Declared, Field, Label, Message, Presence, Scopes, declared
from scanner_extractor.formats.protobuf.files import MAIN, gather

_SCALARS: Mapping[str, Kind] = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), Kind.INT),
    **dict.fromkeys(("uint32", "fixed32", "int64", "uint64", "sint64", "fixed64", "sfixed64"), Kind.BIGINT),
    "float": Kind.FLOAT,
    "double": Kind.DOUBLE,
    "bool": Kind.BOOLEAN,
    "string": Kind.VARCHAR,
    "bytes": Kind.VARBINARY,
}
_SMALL = {"int8": Kind.TINYINT, "int16": Kind.SMALLINT}
_WRAPPERS: Mapping[str, Kind] = {
    f"google.protobuf.{name}Value": _SCALARS[name.lower()]
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
} | {"confluent.type.Variant": Kind.VARIANT}
_NANOSECONDS = "9"
_PRECISION, _SCALE = 10, 0
"""What a decimal that does not state them has."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")


def logical_schema(schema: SchemaText) -> LogicalSchema:
    """Return the logical types of a Protobuf schema.

    Raises NotLogical without one, NotDecided if that is unknown, TooMuchEffort.
    """
    return _Conversion(schema).run()


class _Conversion:
    def __init__(self, schema: SchemaText) -> None:
        self._registered = {MAIN, *schema.references}
        self._files = gather(schema.text, schema.references.get).parsed
        self._scopes = Scopes(self._files)
        self._named: dict[str, LogicalType] = {}
        self._open: set[str] = set()
        self._effort = Effort()

    def run(self) -> LogicalSchema:
        main = self._files[MAIN]
        declarations = [each for each in declared(MAIN, main) if isinstance(each.body, Message)]
        count = sum(isinstance(body, Message) for body in main.types)
        if not count and any(imported.public for imported in main.imports):
            raise NotDecided("the types of a public import")
        if not count:
            raise NotLogical("the file has no message")
        if any(file in self._registered and parsed.problems for file, parsed in self._files.items()):
            raise NotDecided("a part of the text is not read")
        root = declarations[0]
        if root.name in _WRAPPERS:
            return LogicalSchema(root=LogicalType(kind=_WRAPPERS[root.name], nullable=True), named={})
        for number, message in enumerate(declarations):
            try:
                self._define(message)
            except NotLogical as error:
                if number < count:
                    raise
                raise NotDecided(f"{message.name}: {error}") from error  # it counts if it is used, or marked so
        return LogicalSchema(root=LogicalType(kind=Kind.REFERENCE, name=root.name), named=self._named)

    def _define(self, message: Declared) -> None:
        """Convert a message once; one inside itself is named, if its text is registered."""
        if message.name in self._open and message.file not in self._registered:
            raise NotLogical(f"{message.name} contains itself")
        if message.name in self._named or not isinstance(message.body, Message):
            return
        if self._files[message.file].edition:
            raise NotDecided("an edition of Protobuf")
        self._open.add(message.name)
        self._named[message.name] = LogicalType(kind=Kind.STRUCT)
        fields = message.body.fields
        plain = [self._member(field, message) for field in fields if not field.oneof]
        oneofs = dict.fromkeys(field.oneof for field in fields if field.oneof)
        unions = [self._oneof(name, message) for name in oneofs]
        self._named[message.name] = LogicalType(kind=Kind.STRUCT, members=(*plain, *unions))
        self._open.remove(message.name)

    def _member(self, field: Field, message: Declared) -> Member:
        type = self._field(field, message)
        if "logical.default" in dict(field.params):
            raise NotDecided(f"the default of {field.name}")
        empty = type.kind in (Kind.ARRAY, Kind.MAP, Kind.MULTISET) and not type.nullable
        return Member(name=field.name, type=type, has_default=field.default is not None or empty)

    def _oneof(self, name: str, message: Declared) -> Member:
        fields = [field for field in _fields(message) if field.oneof == name]
        branches = [(field.name, self._field(field, message)) for field in fields]
        return Member(name=name, type=union_of(branches, nullable=True, hidden=False), hidden=True)

    def _field(self, field: Field, message: Declared) -> LogicalType:
        self._effort.spend(1)
        params = dict(field.params)
        if params.get("flink.wrapped", "").lower() == "true":
            raise NotDecided(f"the wrapper {field.name}")
        written = None if field.type in _SCALARS else self._scopes.find(field.type, message)
        if field.type not in _SCALARS and written is None:
            raise NotDecided(f"the type {field.type} is declared in no text that is known")
        if written and written.name == f"{message.name}.{field.type}" and field.name == field.type.lower():
            raise NotDecided(f"{field.name}, which may be a group")
        of_message = written is not None and isinstance(written.body, Message)
        many = field.label in (Label.REPEATED, Label.MAP)
        nullable = params["flink.notNull"].lower() != "true" if "flink.notNull" in params else of_message and not many
        if field.label is Label.MAP or (field.label is Label.REPEATED and written and _is_entry(written)):
            key, value = self._entry(field, message, written)
            return map_of(key, value, multiset=params.get("flink.type") == "multiset", nullable=nullable)
        if many:
            return LogicalType(kind=Kind.ARRAY, nullable=nullable, inner=self._single(field, written, nullable=False))
        return self._single(field, written, nullable=nullable or self._is_optional(field, message))

    def _is_optional(self, field: Field, message: Declared) -> bool:
        proto2 = self._files[message.file].presence is Presence.EXPLICIT
        return field.label is Label.OPTIONAL or (proto2 and field.label is Label.NONE)

    def _entry(self, field: Field, message: Declared, written: Declared | None) -> Iterator[LogicalType]:
        """Yield the types of a map's keys and values; a list of messages with both is a map, too."""
        if field.label is Label.MAP:
            plain = replace(field, label=Label.NONE, params=())
            yield self._field(replace(plain, type=field.key), message)
            yield self._field(plain, message)
        elif written:
            fields = {each.name: each for each in _fields(written) if not each.oneof}
            if "key" not in fields:
                raise NotDecided(f"the keys of {field.name}, which are a oneof")
            yield self._field(fields["key"], written)
            yield self._field(fields["value"], written)

    def _single(self, field: Field, written: Declared | None, *, nullable: bool) -> LogicalType:
        if written is None:
            return _scalar(field, nullable=nullable)
        if not isinstance(written.body, Message):
            return LogicalType(kind=Kind.ENUM, nullable=nullable)
        if written.name in _WRAPPERS:
            return LogicalType(
                kind=_WRAPPERS[written.name], nullable=nullable or _WRAPPERS[written.name] != Kind.VARIANT
            )
        known = _well_known(written.name, dict(field.params), nullable=nullable)
        if known:
            return known
        self._define(written)
        return LogicalType(kind=Kind.REFERENCE, nullable=nullable, name=written.name)


def _fields(message: Declared) -> tuple[Field, ...]:
    return message.body.fields if isinstance(message.body, Message) else ()


def _is_entry(message: Declared) -> bool:
    """Return whether a message is one of a map's entries to the registry: by its name, and two fields or oneofs."""
    plain = [field.name for field in _fields(message) if not field.oneof]
    oneofs = {field.oneof for field in _fields(message) if field.oneof}
    named = message.body.name.endswith("Entry") and "value" in plain
    return named and len(plain) + len(oneofs) == len(("key", "value")) and ("key" in plain or "key" in oneofs)


def _scalar(field: Field, *, nullable: bool) -> LogicalType:
    params, kind = dict(field.params), _SCALARS[field.type]
    if kind in (Kind.VARCHAR, Kind.VARBINARY):
        most = _integer(params.get("flink.maxLength", str(LONGEST)))
        least = _integer(params.get("flink.minLength", "-1"))
        kinds = TEXTS if kind is Kind.VARCHAR else BYTES
        return text_of(least if least > 0 else None, most, kinds, nullable=nullable)
    if kind is Kind.INT:
        kind = _SMALL.get(params.get("connect.type", ""), kind)
    return LogicalType(kind=kind, nullable=nullable)


def _well_known(name: str, params: Mapping[str, str], *, nullable: bool) -> LogicalType | None:
    digits = params.get("flink.precision", _NANOSECONDS)
    match name:
        case "google.type.Date":
            return LogicalType(kind=Kind.DATE, nullable=nullable)
        case "google.type.TimeOfDay":
            return timed(Kind.TIME, _integer(digits), nullable=nullable)
        case "google.protobuf.Timestamp":
            kind = Kind.TIMESTAMP if params.get("flink.type") == "timestamp" else Kind.TIMESTAMP_LTZ
            return timed(kind, _integer(digits), nullable=nullable)
        case "confluent.type.Decimal":
            sizes = [_number(params.get("precision"), _PRECISION), _number(params.get("scale"), _SCALE)]
            if min(sizes) < 0:
                raise NotDecided("a decimal of negative size")
            return LogicalType(kind=Kind.DECIMAL, nullable=nullable, size=sizes[0], scale=sizes[1])
    return None


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise NotLogical(f"{text!r} is not a length or precision")
    return int(text)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and _INTEGER.fullmatch(text) else otherwise

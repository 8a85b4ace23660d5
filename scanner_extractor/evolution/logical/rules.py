"""The rules of Flink and Iceberg for logical types: whether one type reads what was written as another.

Both compare by names, so that an alias does not help. Iceberg here is version 2 of its table format, which stores no
defaults, and which finds a column by its place and name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from scanner_extractor.evolution.differences import Difference, Effort
from scanner_extractor.evolution.logical.types import NESTED, Kind, LogicalSchema, LogicalType, Member
from scanner_model.columns import MAP_VALUE, ColumnPath, element

FLINK, ICEBERG = "Flink", "Iceberg"
_Broken = tuple[str, ColumnPath, str, str]
"""Engine, path, rule, reason."""

_READ_BY_FLINK: Mapping[Kind, frozenset[Kind]] = {
    Kind.TINYINT: frozenset((Kind.SMALLINT, Kind.INT, Kind.BIGINT, Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE)),
    Kind.SMALLINT: frozenset((Kind.INT, Kind.BIGINT, Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE)),
    Kind.INT: frozenset((Kind.BIGINT, Kind.DECIMAL, Kind.DOUBLE)),
    Kind.BIGINT: frozenset((Kind.DECIMAL,)),
    Kind.FLOAT: frozenset((Kind.DOUBLE,)),
    Kind.BINARY: frozenset((Kind.VARBINARY,)),
    Kind.CHAR: frozenset((Kind.VARCHAR, Kind.ENUM)),
    Kind.VARCHAR: frozenset((Kind.ENUM,)),
    Kind.ENUM: frozenset((Kind.VARCHAR,)),
}
"""Written kind → further kinds that Flink reads it as without loss."""

_READ_BY_ICEBERG = {"INT": "BIGINT", "FLOAT": "DOUBLE"}
_OF_ICEBERG = {Kind.TINYINT: "INT", Kind.SMALLINT: "INT", Kind.ENUM: "VARCHAR", Kind.CHAR: "VARCHAR"}
_VARYING = (Kind.VARCHAR, Kind.VARBINARY, Kind.ENUM)
_MAPS = (Kind.MAP, Kind.MULTISET)
_DIGITS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INT: 10, Kind.BIGINT: 19}
_FINEST, _MOST_DIGITS = 6, 38
"""Digits of a second that Iceberg stores, and of a decimal that both do."""
_ABSENT = "data written before it was added have no value for it"


def compared(reader: LogicalSchema, writer: LogicalSchema) -> Iterator[Difference]:
    """Yield why *reader* does not read the data of *writer* in Flink or Iceberg; raises TooMuchEffort."""
    yield from _merged(_Comparison(reader, writer).types(reader.root, writer.root, ()))


def invalid(schema: LogicalSchema) -> Iterator[Difference]:
    """Yield why Flink or Iceberg cannot have a table of *schema*, whatever was before it; raises TooMuchEffort."""
    yield from _merged(_Validation(schema).check(schema.root, ()))


def is_recursive(schema: LogicalSchema) -> bool:
    """Return whether a type of *schema* contains itself."""
    return any(rule == "CYCLIC_TYPE" for _, _, rule, _ in _Validation(schema).check(schema.root, ()))


def _merged(broken: Iterator[_Broken]) -> Iterator[Difference]:
    engines: dict[tuple[ColumnPath, str, str], list[str]] = {}
    for engine, path, rule, why in broken:
        engines.setdefault((path, rule, why), []).append(engine)
    for (path, rule, why), by in engines.items():
        yield Difference(path, rule, f"{why} ({' and '.join(dict.fromkeys(by))})")


def _of_both(path: ColumnPath, rule: str, why: str) -> Iterator[_Broken]:
    yield FLINK, path, rule, why
    yield ICEBERG, path, rule, why


class _Comparison:
    """Compares pairs of types. A pair of named types is compared once; types that contain themselves are excluded."""

    def __init__(self, reader: LogicalSchema, writer: LogicalSchema) -> None:
        self._reader = reader
        self._writer = writer
        self._compared = set[tuple[str, str]]()
        self._effort = Effort()

    def types(self, reader: LogicalType, writer: LogicalType, path: ColumnPath) -> Iterator[_Broken]:
        self._effort.spend(1)
        if reader.kind is writer.kind is Kind.REFERENCE:
            if (reader.name, writer.name) in self._compared:
                return
            self._compared.add((reader.name, writer.name))
        ours, theirs = self._reader.resolved(reader), self._writer.resolved(writer)
        if ours.kind in NESTED or theirs.kind in NESTED:
            yield from self._nested(ours, theirs, path)
        else:
            yield from _primitives(ours, theirs, path)

    def _nested(self, reader: LogicalType, writer: LogicalType, path: ColumnPath) -> Iterator[_Broken]:
        why = f"{writer.shown} is not read as {reader.shown}"
        if reader.kind in _MAPS and writer.kind in _MAPS:
            broken = self._maps(reader, writer, path)
            if reader.kind is not writer.kind:
                yield FLINK, path, "TYPE_MISMATCH", why
                broken = (each for each in broken if each[0] == ICEBERG)
            yield from broken
        elif reader.kind is not writer.kind:
            yield from _of_both(path, "TYPE_MISMATCH", why)
        elif reader.kind is Kind.STRUCT:
            yield from self._members(reader.members, writer.members, path)
        else:
            yield from self._inner(reader.inner, writer.inner, (*path, element()))

    def _inner(self, reader: LogicalType | None, writer: LogicalType | None, path: ColumnPath) -> Iterator[_Broken]:
        if reader and writer:
            if writer.nullable and not reader.nullable:
                yield FLINK, path, "NULLABLE_TO_NON_NULLABLE", "written data may hold null"
            yield from self.types(reader, writer, path)

    def _maps(self, reader: LogicalType, writer: LogicalType, path: ColumnPath) -> Iterator[_Broken]:
        """Compare two maps: Flink compares keys as any value, and Iceberg takes the same only."""
        if not self._same_in_iceberg(reader.keys, writer.keys):
            yield ICEBERG, path, "MAP_KEY_TYPE_MISMATCH", "Iceberg's maps keep the type of their keys"
        known = self._compared.copy()  # of what is compared here, Iceberg's rules were not
        yield from (broken for broken in self._inner(reader.keys, writer.keys, path) if broken[0] == FLINK)
        self._compared = known
        yield from self._inner(reader.inner, writer.inner, (*path, MAP_VALUE))

    def _same_in_iceberg(self, reader: LogicalType, writer: LogicalType) -> bool:
        self._effort.spend(1)
        ours, theirs = self._reader.resolved(reader), self._writer.resolved(writer)
        if ours.kind in _MAPS and theirs.kind in _MAPS:
            return self._same_in_iceberg(ours.keys, theirs.keys) and self._same_inside(ours, theirs)
        if ours.kind in NESTED or theirs.kind in NESTED:
            return ours.kind is theirs.kind and self._same_inside(ours, theirs)
        sizes = (ours.size, ours.scale) == (theirs.size, theirs.scale)
        return _class_of(ours) == _class_of(theirs) and (sizes or ours.kind not in (Kind.DECIMAL, Kind.BINARY))

    def _same_inside(self, reader: LogicalType, writer: LogicalType) -> bool:
        if [member.name for member in reader.members] != [member.name for member in writer.members]:
            return False
        pairs = [(ours.type, theirs.type) for ours, theirs in zip(reader.members, writer.members, strict=True)]
        if reader.inner and writer.inner:
            pairs.append((reader.inner, writer.inner))
        return all(self._same_in_iceberg(*pair) for pair in pairs)

    def _members(self, reader: tuple[Member, ...], writer: tuple[Member, ...], path: ColumnPath) -> Iterator[_Broken]:
        written = {member.name: member for member in writer}
        for member in reader:
            inside = (*path, *member.steps)
            if member.name in written:
                yield from self._both(member, written[member.name], inside)
                yield from self.types(member.type, written[member.name].type, inside)
            else:
                yield from self._added(member, inside)
        yield from _moved(reader, writer, path)
        kept = {member.name for member in reader}
        for member in writer:
            if member.name not in kept:
                why = f"Iceberg's column of {member.name} would be lost"
                yield ICEBERG, (*path, *member.steps), "FIELD_DELETED", why

    def _added(self, member: Member, path: ColumnPath) -> Iterator[_Broken]:
        if not member.nullable and not (member.has_default and not member.null_default):
            yield FLINK, path, "REQUIRED_FIELD_ADDED", f"it is neither nullable nor has a default: {_ABSENT}"
        if not member.nullable and not self._is_optional_container(member):
            yield ICEBERG, path, "REQUIRED_FIELD_ADDED", f"it is not nullable, and Iceberg stores no default: {_ABSENT}"

    def _is_optional_container(self, member: Member) -> bool:
        return member.has_default and self._reader.resolved(member.type).kind in (Kind.ARRAY, *_MAPS)

    def _both(self, reader: Member, writer: Member, path: ColumnPath) -> Iterator[_Broken]:
        if writer.nullable and not reader.nullable:
            yield FLINK, path, "NULLABLE_TO_NON_NULLABLE", "written data may hold null"
            if not self._is_optional_container(reader):
                yield ICEBERG, path, "NULLABLE_TO_NON_NULLABLE", "written data may hold null"
        had, has = (member.has_default and not member.null_default for member in (writer, reader))
        if had and not has and not writer.nullable and not reader.nullable:
            yield FLINK, path, "NON_NULLABLE_DEFAULT_REMOVED", "rows may lack it, and it has no default any more"


def _moved(reader: tuple[Member, ...], writer: tuple[Member, ...], path: ColumnPath) -> Iterator[_Broken]:
    places = {member.name: place for place, member in enumerate(writer)}
    for before, member in pairwise(member for member in reader if member.name in places):
        if places[member.name] < places[before.name]:
            why = f"{member.name} is behind {before.name} now, and Iceberg's columns keep their order"
            yield ICEBERG, (*path, *member.steps), "FIELD_REORDERED", why


def _primitives(reader: LogicalType, writer: LogicalType, path: ColumnPath) -> Iterator[_Broken]:
    why = f"{writer.shown} is not read as {reader.shown} without loss"
    if not _flink_reads(reader, writer):
        yield FLINK, path, "UNSUPPORTED_TYPE_CHANGE", why
    if not _iceberg_reads(reader, writer):
        yield ICEBERG, path, "UNSUPPORTED_TYPE_CHANGE", why


def _flink_reads(reader: LogicalType, writer: LogicalType) -> bool:
    if reader.kind is Kind.DECIMAL and writer.kind in _DIGITS:
        return reader.size - reader.scale >= _DIGITS[writer.kind]
    if reader.kind is writer.kind:
        sizes = reader.size == writer.size or reader.kind is Kind.DECIMAL or reader.kind in _VARYING
        return sizes and _same_unit(reader, writer) and _is_long_enough(reader, writer)
    return reader.kind in _READ_BY_FLINK.get(writer.kind, ()) and _is_long_enough(reader, writer)


def _is_long_enough(reader: LogicalType, writer: LogicalType) -> bool:
    """Return whether a text or bytes of varying length, 0 for any, holds all that was written."""
    if reader.kind not in _VARYING or reader.size == 0:
        return True
    return reader.size >= writer.size and not (writer.kind in _VARYING and writer.size == 0)


def _iceberg_reads(reader: LogicalType, writer: LogicalType) -> bool:
    ours, theirs = _class_of(reader), _class_of(writer)
    return (ours == theirs and _same_unit(reader, writer)) or _READ_BY_ICEBERG.get(theirs) == ours


def _same_unit(reader: LogicalType, writer: LogicalType) -> bool:
    """Return whether decimals have one scale and no fewer digits, and binaries one length."""
    if reader.kind is writer.kind is Kind.DECIMAL:
        return reader.scale == writer.scale and reader.size >= writer.size
    return reader.kind is not Kind.BINARY or reader.size == writer.size


def _class_of(type: LogicalType) -> str:
    """Return the type of Iceberg: small integers are integers, enums texts, and the digits of a time do not count."""
    fine = type.kind in (Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ) and type.size > _FINEST
    return f"{type.kind} of nanoseconds" if fine else _OF_ICEBERG.get(type.kind, str(type.kind))


class _Validation:
    """Checks each type that the root reaches; a named one once."""

    def __init__(self, schema: LogicalSchema) -> None:
        self._schema = schema
        self._checked = set[str]()
        self._open: list[str] = []
        self._effort = Effort()

    def check(self, type: LogicalType, path: ColumnPath) -> Iterator[_Broken]:
        self._effort.spend(1)
        if type.kind is Kind.REFERENCE:
            yield from self._named(type.name, path)
        elif type.kind is Kind.STRUCT:
            yield from _names(type.members, path)
            for member in type.members:
                yield from self.check(member.type, (*path, *member.steps))
        elif type.inner:
            if type.key:
                yield from self.check(type.key, path)
            yield from self.check(type.inner, (*path, element() if type.kind is Kind.ARRAY else MAP_VALUE))
        else:
            yield from _representable(type, path)

    def _named(self, name: str, path: ColumnPath) -> Iterator[_Broken]:
        if name in self._open:
            yield from _of_both(path, "CYCLIC_TYPE", f"{name} contains itself, which no table does")
        if name in self._checked:
            return
        self._checked.add(name)
        self._open.append(name)
        yield from self.check(self._schema.named[name], path)
        self._open.pop()


def _names(members: tuple[Member, ...], path: ColumnPath) -> Iterator[_Broken]:
    if not members:
        yield ICEBERG, path, "EMPTY_STRUCT", "a record has no field, or a union no type"
    known: dict[str, str] = {}
    for member in members:
        first = known.setdefault(member.name.lower(), member.name)
        if first != member.name:
            why = f"{first} and {member.name} differ in letter case only"
            yield ICEBERG, path, "FIELD_NAME_CASE_COLLISION", why


def _representable(type: LogicalType, path: ColumnPath) -> Iterator[_Broken]:
    if type.kind is Kind.DECIMAL and not 1 <= type.size <= _MOST_DIGITS:
        why = f"{type.shown}: a decimal has 1 to {_MOST_DIGITS} digits"
        yield from _of_both(path, "PRECISION_OUT_OF_RANGE", why)
    if type.kind is Kind.DECIMAL and not 0 <= type.scale <= type.size:
        yield from _of_both(path, "SCALE_OUT_OF_RANGE", f"{type.shown}: the scale is above the precision, or negative")
    if type.kind in (Kind.BINARY, Kind.CHAR) and type.size < 1:
        yield from _of_both(path, "LENGTH_OUT_OF_RANGE", f"{type.kind} without a length")
    if type.kind is Kind.VARIANT:
        yield ICEBERG, path, "UNREPRESENTABLE_TYPE", "a value of any type, which Iceberg stores from version 3 on"
    if "nanoseconds" in _class_of(type):
        yield ICEBERG, path, "UNREPRESENTABLE_TYPE", f"{type.shown}: Iceberg stores microseconds"

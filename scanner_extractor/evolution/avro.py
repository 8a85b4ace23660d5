"""Avro's schema resolution (specification 1.12): whether a reader's schema reads what a writer's schema wrote.

Sources: Avro specification, "Schema Resolution" and "Aliases"; the words for differences are those of Avro's
`SchemaIncompatibilityType`, which Confluent's registry returns. Logical types are not compared, as there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scanner_extractor.evolution.differences import Difference, Effort, Rules, SchemaText, undecided, within
from scanner_extractor.formats.limits import read_json
from scanner_model.columns import MAP_VALUE, element

Json = Any

_PROMOTED: Mapping[str, frozenset[str]] = {
    "int": frozenset(("long", "float", "double")),
    "long": frozenset(("float", "double")),
    "float": frozenset(("double",)),
    "string": frozenset(("bytes",)),
    "bytes": frozenset(("string",)),
}
"""Written type → further types that read it."""

_PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
_NAMED = frozenset(("record", "error", "enum", "fixed"))


def differences(reader: SchemaText, writer: SchemaText, _rules: Rules) -> tuple[Difference, ...]:
    """Return why *reader* does not read the data of *writer*; empty where it reads all of it.

    Raises InputInvalid for invalid JSON, TooMuchEffort where the comparison takes too many steps.
    """
    ours, theirs = AvroNames.of(reader), AvroNames.of(writer)
    return _Resolution(ours, theirs).check(ours.root, theirs.root)


def removed_symbols(reader: SchemaText, writer: SchemaText) -> Iterator[Difference]:
    """Yield the columns whose enum lost a symbol that the writer's has; a reader with a default reads that instead.

    A registry accepts the default, but who compares with the symbol finds it no more. Raises as `differences`.
    """
    texts = {name: _without_defaults(text) for name, text in reader.references.items()}
    for found in differences(SchemaText(_without_defaults(reader.text), texts), writer, Rules()):
        if found.rule == "MISSING_ENUM_SYMBOLS":
            yield replace(found, why=found.why.removesuffix(_NO_DEFAULT))


def _without_defaults(text: str) -> str:
    """Return a schema whose enums have no defaults."""
    document = read_json(text)
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and value.get("type") == "enum":
            value.pop("default", None)
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return json.dumps(document)


_NO_DEFAULT = ", and has no default"


@dataclass(frozen=True, slots=True)
class AvroType:
    """A type: its *kind* (a primitive's name, `record`, `union`, …), JSON, and the namespace around it."""

    kind: str
    body: Json
    namespace: str = ""

    @property
    def full_name(self) -> str:
        """Return the name of a named type with its namespace."""
        return _full(self.body, self.namespace)

    @property
    def simple_name(self) -> str:
        """Return the name of a named type without its namespace."""
        return self.full_name.rpartition(".")[2]

    @property
    def inner_namespace(self) -> str:
        """Return the namespace for names inside."""
        return self.full_name.rpartition(".")[0] if self.kind in _NAMED else self.namespace

    @property
    def shown(self) -> str:
        """Return the type for messages."""
        return self.full_name if self.kind in _NAMED else self.kind

    def aliases(self) -> frozenset[str]:
        """Return the full names that a named type also has."""
        space = self.inner_namespace
        return frozenset(name if "." in name or not space else f"{space}.{name}" for name in _texts(self.body))


def _texts(body: Json) -> list[str]:
    listed = body.get("aliases") if isinstance(body, dict) else None
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def _full(body: Json, namespace: str) -> str:
    name = str(body.get("name", ""))
    space = str(body.get("namespace", namespace))
    return name if "." in name or not space else f"{space}.{name}"


@dataclass(slots=True)
class AvroNames:
    """The types of one schema by full name, those of its references too; *body* is the JSON of its text."""

    body: Json = None
    root: AvroType = field(default_factory=lambda: AvroType("null", "null"))
    types: dict[str, AvroType] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: SchemaText) -> AvroNames:
        """Read the types that the text and its references define."""
        names = cls()
        for text in schema.references.values():
            names._define(read_json(text), "")
        names.body = read_json(schema.text)
        names._define(names.body, "")
        names.root = names.type_of(names.body, "")
        return names

    def _define(self, body: Json, namespace: str) -> None:
        waiting = [(body, namespace)]
        while waiting:
            value, space = waiting.pop()
            if isinstance(value, list):
                waiting += [(member, space) for member in value]
            elif isinstance(value, dict):
                kind = value.get("type")
                if isinstance(kind, str) and kind in _NAMED and "name" in value:
                    defined = AvroType("record" if kind == "error" else kind, value, space)
                    self.types.setdefault(defined.full_name, defined)
                    space = defined.inner_namespace
                waiting += [(value[key], space) for key in ("type", "items", "values", "fields") if key in value]

    def type_of(self, body: Json, namespace: str) -> AvroType:
        """Return the type that *body* writes: a name, an object, or the list of a union's branches."""
        if isinstance(body, list):
            return AvroType("union", body, namespace)
        if isinstance(body, dict):
            kind = body.get("type")
            if not isinstance(kind, str):
                return self.type_of(kind, namespace)
            if kind in _NAMED:
                return self.types.get(_full(body, namespace), AvroType(kind, body, namespace))
            return AvroType(kind, body, namespace) if kind in ("array", "map") else self.type_of(kind, namespace)
        name = str(body)
        if name in _PRIMITIVES:
            return AvroType(name, body, namespace)
        qualified = f"{namespace}.{name}" if namespace and "." not in name else name
        return self.types.get(qualified) or self.types.get(name) or AvroType("?", name, namespace)


class _Resolution:
    """Compares pairs of types. Paths are relative to the pair."""

    def __init__(self, reader: AvroNames, writer: AvroNames) -> None:
        self._reader = reader
        self._writer = writer
        self._known: dict[tuple[int, int], tuple[Difference, ...]] = {}
        self._effort = Effort()

    def check(self, reader: AvroType, writer: AvroType) -> tuple[Difference, ...]:
        """Return why *reader* does not read *writer*.

        A pair of records is compared once: inside itself it reads itself, elsewhere its first difference is repeated.
        """
        self._effort.spend(1)
        pair = (id(reader.body), id(writer.body))
        if reader.kind != "record" or writer.kind != "record":
            return self._of_kinds(reader, writer)
        if pair in self._known:
            return self._known[pair][:1]
        self._known[pair] = ()
        self._known[pair] = self._of_kinds(reader, writer)
        return self._known[pair]

    def _of_kinds(self, reader: AvroType, writer: AvroType) -> tuple[Difference, ...]:
        if "?" in (reader.kind, writer.kind):
            missing = reader if reader.kind == "?" else writer
            return (undecided(f"the type {missing.body} is defined in no text that is known"),)
        if writer.kind == "union":
            branches = (self._writer.type_of(body, writer.namespace) for body in writer.body)
            return tuple(difference for branch in branches for difference in self.check(reader, branch))
        if reader.kind == "union":
            return self._one_of(reader, writer)
        if reader.kind != writer.kind:
            read = reader.kind in _PROMOTED.get(writer.kind, ())
            return () if read else (Difference((), "TYPE_MISMATCH", f"{writer.shown} is not read as {reader.shown}"),)
        if reader.kind in ("array", "map"):
            member, step = ("items", element()) if reader.kind == "array" else ("values", MAP_VALUE)
            inner = self._reader.type_of(reader.body.get(member), reader.namespace)
            written = self._writer.type_of(writer.body.get(member), writer.namespace)
            return within(step, self.check(inner, written))
        return self._named(reader, writer) if reader.kind in _NAMED else ()

    def _one_of(self, reader: AvroType, writer: AvroType) -> tuple[Difference, ...]:
        """Return why no branch of the union *reader* reads *writer*: the record of its name says most."""
        missing = Difference((), "MISSING_UNION_BRANCH", f"no branch of the reader's union reads {writer.shown}")
        closest: tuple[Difference, ...] = (missing,)
        for branch in (self._reader.type_of(body, reader.namespace) for body in reader.body):
            differences = self.check(branch, writer)
            if not any(difference.certain for difference in differences):
                return differences
            if branch.kind == writer.kind == "record" and _same_name(branch, writer):
                closest = differences
        return closest

    def _named(self, reader: AvroType, writer: AvroType) -> tuple[Difference, ...]:
        if not _same_name(reader, writer):
            what = f"{writer.full_name} is called {reader.full_name}, and no alias says so"
            return (Difference((), "NAME_MISMATCH", what),)
        if reader.kind == "fixed":
            return tuple(_size(reader, writer))
        return tuple(_symbols(reader, writer) if reader.kind == "enum" else self._fields(reader, writer))

    def _fields(self, reader: AvroType, writer: AvroType) -> Iterator[Difference]:
        written = {field["name"]: field for field in fields_of(writer)}
        for reader_field in fields_of(reader):
            source = next(
                (written[name] for name in (reader_field["name"], *_texts(reader_field)) if name in written), None
            )
            kind = self._reader.type_of(reader_field.get("type"), reader.inner_namespace)
            if source is not None:
                theirs = self._writer.type_of(source.get("type"), writer.inner_namespace)
                yield from within(reader_field["name"], self.check(kind, theirs))
            elif "default" not in reader_field:
                what = "the reader's field has no default, and the written data lack it"
                # The library takes an enum's own default for a mismatch of types.
                rule = "TYPE_MISMATCH" if "default" in _body(kind) else "READER_FIELD_MISSING_DEFAULT_VALUE"
                yield Difference((reader_field["name"],), rule, what)


def _body(kind: AvroType) -> dict[str, Json]:
    return kind.body if kind.kind == "enum" else {}


def fields_of(record: AvroType) -> list[dict[str, Json]]:
    """Return the fields of a record that have a name."""
    listed = record.body.get("fields")
    fields = listed if isinstance(listed, list) else []
    return [field for field in fields if isinstance(field, dict) and isinstance(field.get("name"), str)]


def _same_name(reader: AvroType, writer: AvroType) -> bool:
    """Return whether both have one name: namespaces do not count, an alias of the reader does."""
    return reader.simple_name == writer.simple_name or writer.full_name in reader.aliases()


def _size(reader: AvroType, writer: AvroType) -> Iterator[Difference]:
    ours, theirs = reader.body.get("size"), writer.body.get("size")
    if ours != theirs:
        yield Difference((), "FIXED_SIZE_MISMATCH", f"the size of {reader.shown} differs: {theirs} and {ours}")


def _symbols(reader: AvroType, writer: AvroType) -> Iterator[Difference]:
    known = reader.body.get("symbols", ())
    missing = [str(symbol) for symbol in writer.body.get("symbols", ()) if symbol not in known]
    if missing and "default" not in reader.body:
        what = f"the reader's enum {reader.shown} lacks {', '.join(missing)}{_NO_DEFAULT}"
        yield Difference((), "MISSING_ENUM_SYMBOLS", what)

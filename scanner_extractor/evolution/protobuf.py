"""Protobuf's evolution as Confluent's registry judges it, by field numbers.

Sources: protobuf.dev, "Updating A Message Type"; recorded answers of a registry 8.3.1 and the rules of 8.4 and 8.5,
whose words the differences have. Enums, names of fields, added and removed fields are no difference. Before 8.4, a
field that left a oneof that stays was a removal, and types of fields that moved into or out of oneofs did not count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scanner_extractor.evolution.differences import Difference, Rules, SchemaText, undecided
from scanner_extractor.formats.protobuf.declarations import Declared, Enum, Field, Label, Message, Scopes, declared
from scanner_extractor.formats.protobuf.files import MAIN, gather
from scanner_extractor.formats.protobuf.parser import parse_proto
from scanner_model.columns import ColumnPath

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("string", "bytes"), "text"),
    **dict.fromkeys(("fixed32", "sfixed32"), "fixed32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "fixed64"),
    "float": "float",
    "double": "double",
}
"""Scalar type → the group of types that read each other."""

_WRITTEN_LABELS = (Label.OPTIONAL, Label.REQUIRED, Label.REPEATED)


def differences(reader: SchemaText, writer: SchemaText, rules: Rules) -> tuple[Difference, ...]:
    """Return why *reader* does not read the data of *writer*; empty where it does. Nothing is raised.

    If a part of either text is not read, nothing is certain: what differs may be in that part.
    """
    old, new = _Schema(writer), _Schema(reader)
    found = tuple(_Comparison(old, new, rules).compare())
    unread = [problem for schema in (old, new) for problem in schema.main.problems]
    if not unread:
        return found
    why = undecided(f"a part of a schema is not read: {unread[0].where}: {unread[0].what}")
    return (why, *(replace(difference, certain=False) for difference in found))


def removed_symbols(reader: SchemaText, writer: SchemaText) -> Iterator[Difference]:
    """Yield the fields whose enum lost or renamed a symbol that the writer's has; no registry rejects it.

    Readers of JSON, and engines that read enums as text, have its name.
    """
    old, new = _Schema(writer), _Schema(reader)
    paths = new.paths()
    for name, before in old.types.items():
        after = new.types.get(name)
        fields = _by_number(after) if after is not None and isinstance(after.body, Message) else {}
        for number, field in _by_number(before).items():
            if number in fields and after is not None:
                gone = _lost(old.find(field.type, before), new.find(fields[number].type, after))
                if gone:
                    path = (*paths.get(name, (name,)), fields[number].name)
                    yield Difference(path, "ENUM_SYMBOLS_REMOVED", f"the reader lacks the values {', '.join(gone)}")


def _lost(before: Declared | None, after: Declared | None) -> list[str]:
    if before is None or after is None or not (isinstance(before.body, Enum) and isinstance(after.body, Enum)):
        return []
    return [name for name, number in before.body.values if (name, number) not in after.body.values]


class _Schema:
    """The declarations of one schema, with those of its references."""

    def __init__(self, schema: SchemaText) -> None:
        self.main = parse_proto(schema.text)
        self._files = gather(schema.text, schema.references.get).parsed
        self._scopes = Scopes(self._files)
        self.types = {self._local(declaration.name): declaration for declaration in declared(MAIN, self.main)}

    def _local(self, name: str) -> str:
        package = self.main.package
        return name.removeprefix(f"{package}.") if package else name

    def paths(self) -> Mapping[str, ColumnPath]:
        """Return the shortest path to each message from the first one; one that is not reached has none."""
        top = [body for body in self.main.types if isinstance(body, Message)]
        paths: dict[str, ColumnPath] = {top[0].name: ()} if top else {}
        waiting = deque(paths)
        while waiting:
            name = waiting.popleft()
            scope = self.types[name]
            for field in scope.body.fields if isinstance(scope.body, Message) else ():
                declaration = None if field.type in _KINDS else self.find(field.type, scope)
                target = self._local(declaration.name) if declaration else ""
                if target in self.types and target not in paths:
                    paths[target] = (*paths[name], field.name)
                    waiting.append(target)
        return paths

    def find(self, type_name: str, scope: Declared) -> Declared | None:
        """Return what *type_name* means inside *scope*; None where no file declares it."""
        return self._scopes.find(type_name, scope)

    def local_name(self, declaration: Declared) -> str:
        """Return the name of a declaration without its file's package."""
        package = self._files[declaration.file].package
        return declaration.name.removeprefix(f"{package}.") if package else declaration.name

    def kind(self, type_name: str, scope: Declared) -> str:
        """Return the group of a scalar or enum, `message` for a message."""
        if scalar := _KINDS.get(type_name):
            return scalar
        declaration = self.find(type_name, scope)
        return "varint" if declaration and isinstance(declaration.body, Enum) else "message"


@dataclass(frozen=True, slots=True)
class _Messages:
    """One message in both schemas, with its path in the reader's."""

    old: Declared
    new: Declared
    path: ColumnPath


class _Comparison:
    def __init__(self, old: _Schema, new: _Schema, rules: Rules) -> None:
        self._old = old
        self._new = new
        self._rules = rules
        self._imported: set[tuple[str, str]] = set()

    def compare(self) -> Iterator[Difference]:
        """Yield what the reader, the new schema, does not read of the old one's data."""
        before, after = self._old.main.package, self._new.main.package
        if before != after:
            yield Difference((), "PACKAGE_CHANGED", f"the package was {before!r} and is {after!r}")
        paths = self._new.paths()
        for name, message in self._old.types.items():
            if not isinstance(message.body, Message):
                continue
            replacement = self._new.types.get(name)
            if replacement is None or not isinstance(replacement.body, Message):
                yield Difference((), "MESSAGE_REMOVED", f"the message {name} is gone")
            else:
                yield from self._message(_Messages(message, replacement, paths.get(name, (name,))))

    def _message(self, pair: _Messages) -> Iterator[Difference]:
        before, after = _by_number(pair.old), _by_number(pair.new)
        yield from _moved_into_oneofs(pair, before, after)
        removed = _left_by_name if self._rules.before_8_4 else _removed_from_oneofs
        yield from removed(pair, before, after)
        for number in sorted(before.keys() | after.keys()):
            old, new = before.get(number), after.get(number)
            if old and new:
                if old.oneof == new.oneof or not self._rules.before_8_4:
                    yield from self._field(pair, old, new)
            elif old and old.label is Label.REQUIRED:
                what = "data without it do not parse for readers that require it"
                yield Difference((*pair.path, old.name), "REQUIRED_FIELD_REMOVED", what)
            elif new and new.label is Label.REQUIRED:
                what = "the reader requires it, and written data lack it"
                yield Difference((*pair.path, new.name), "REQUIRED_FIELD_ADDED", what)

    def _field(self, pair: _Messages, old: Field, new: Field) -> Iterator[Difference]:
        path = (*pair.path, new.name)
        if (old.label is Label.MAP) != (new.label is Label.MAP):
            yield Difference(path, "FIELD_KIND_CHANGED", "a map is not read as another type, or the reverse")
            return
        yield from self._types(pair, path, (old.type, new.type))
        if old.label is Label.MAP:
            yield from self._types(pair, path, (old.key, new.key))
        numeric = self._old.kind(old.type, pair.old) not in ("text", "message")
        labels = [field.label for field in (old, new)]
        if numeric and labels[0] != labels[1] and all(label in _WRITTEN_LABELS for label in labels):
            yield Difference(path, "FIELD_NUMERIC_LABEL_CHANGED", f"it was {labels[0]} and is {labels[1]}")

    def _types(self, pair: _Messages, path: ColumnPath, types: tuple[str, str]) -> Iterator[Difference]:
        before, after = self._old.kind(types[0], pair.old), self._new.kind(types[1], pair.new)
        if before != after:
            word = "KIND" if "message" in (before, after) else "SCALAR_KIND"
            yield Difference(path, f"FIELD_{word}_CHANGED", f"{types[0]} is not read as {types[1]}")
        elif before == "message":
            yield from self._named_types(pair, path, types)

    def _named_types(self, pair: _Messages, path: ColumnPath, types: tuple[str, str]) -> Iterator[Difference]:
        before, after = self._old.find(types[0], pair.old), self._new.find(types[1], pair.new)
        if before is None or after is None:
            missing = types[0] if before is None else types[1]
            yield undecided(f"the type {missing} is declared in no text that is known", path)
            return
        names = self._old.local_name(before), self._new.local_name(after)
        if names[0] != names[1]:
            yield Difference(path, "FIELD_NAMED_TYPE_CHANGED", f"{names[0]} is not read as {names[1]}")
        elif {before.file, after.file} != {MAIN} and (before.name, after.name) not in self._imported:
            self._imported.add((before.name, after.name))
            yield from self._with_nested(_Messages(before, after, path))

    def _with_nested(self, pair: _Messages) -> Iterator[Difference]:
        """Compare messages that are not both of the schema's own text, and what is declared inside them."""
        yield from self._message(pair)
        for body in pair.old.body.types if isinstance(pair.old.body, Message) else ():
            before, after = self._old.find(body.name, pair.old), self._new.find(body.name, pair.new)
            if before is None or not isinstance(body, Message):
                continue
            if after is None or after.name != f"{pair.new.name}.{body.name}" or not isinstance(after.body, Message):
                yield Difference(pair.path, "MESSAGE_REMOVED", f"the message {before.name} is gone")
            else:
                yield from self._with_nested(_Messages(before, after, pair.path))


_Fields = Mapping[int, Field]


def _moved_into_oneofs(pair: _Messages, before: _Fields, after: _Fields) -> Iterator[Difference]:
    """Compare membership in oneofs: what was independent may not exclude each other now."""
    for name, numbers in _members(after).items():
        known = [number for number in numbers if number in before]
        moved = [after[number].name for number in known if not before[number].oneof]
        others = {before[number].oneof for number in known} - {""}
        if len(moved) > 1:
            what = f"{', '.join(moved)} were independent, and exclude each other in the oneof {name}"
            yield Difference((*pair.path, moved[0]), "MULTIPLE_FIELDS_MOVED_TO_ONEOF", what)
        elif len(moved) + len(others) > 1:
            what = f"the members of the oneof {name} were independent: setting one now clears the others"
            yield Difference((*pair.path, *moved[:1]), "FIELD_MOVED_TO_EXISTING_ONEOF", what)


def _removed_from_oneofs(pair: _Messages, before: _Fields, after: _Fields) -> Iterator[Difference]:
    """Yield the members of oneofs that are gone, but for a oneof that is gone with all of them."""
    kept = _members(after).keys()
    for name, numbers in _members(before).items():
        if name in kept or any(number in after for number in numbers):
            for number in (number for number in numbers if number not in after):
                what = f"the member of the oneof {name} is gone: its readers lose which one was set"
                yield Difference((*pair.path, before[number].name), "ONEOF_FIELD_REMOVED", what)


def _left_by_name(pair: _Messages, before: _Fields, after: _Fields) -> Iterator[Difference]:
    """Yield the fields that a oneof of the same name does not have any more (until 8.3)."""
    kept = _members(after)
    for name, numbers in _members(before).items():
        for number in (number for number in numbers if name in kept and number not in kept[name]):
            what = f"the oneof {name} has no such member: its readers lose which one was set"
            yield Difference((*pair.path, before[number].name), "ONEOF_FIELD_REMOVED", what)


def _members(fields: Mapping[int, Field]) -> dict[str, list[int]]:
    members: dict[str, list[int]] = {}
    for number, field in fields.items():
        if field.oneof:
            members.setdefault(field.oneof, []).append(number)
    return members


def _by_number(message: Declared) -> dict[int, Field]:
    return {field.number: field for field in message.body.fields} if isinstance(message.body, Message) else {}

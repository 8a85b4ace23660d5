"""Edits of schema texts, one field at a time: a copy beside it, another type, a default, or the text without it.

Avro and JSON Schema are written again as JSON; a .proto text keeps its other lines. What is added is optional, because
records that were written before do not have it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from scanner_model.columns import ELEMENT, MAP_VALUE, ColumnPath, field_name, is_branch, path_name
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load

if TYPE_CHECKING:
    from scanner_extractor.formats.protobuf.declarations import Field, Message

Json = Any

_AVRO_NAMED = ("record", "error", "enum", "fixed")
_AVRO_ZERO: Mapping[str, Json] = {
    **dict.fromkeys(("int", "long"), 0),
    **dict.fromkeys(("float", "double"), 0.0),
    **dict.fromkeys(("string", "bytes"), ""),
    "boolean": False,
    "array": [],
    "map": {},
    "null": None,
}
"""The default of a type that means no value; records and enums have none."""
_COMPOSED = ("allOf", "anyOf", "oneOf")


class Edited(NamedTuple):
    """A schema text after an edit, and the part that the edit adds; *added* is empty if it adds nothing."""

    text: str
    added: str = ""


def with_field(format: str, text: str, path: ColumnPath, name: str, type: str = "") -> Edited:
    """Return the schema with an optional field called *name* beside the one at *path*, of *type* or of the same type.

    Raises InputInvalid if the text does not declare the path (a reference may), or already has such a field.
    """
    return _EDITORS[format].add(text, path, name, type) if format in _EDITORS else _unknown(format)


def without_field(format: str, text: str, path: ColumnPath) -> Edited:
    """Return the schema without the field at *path*; raises InputInvalid if the text does not declare it."""
    return _EDITORS[format].drop(text, path) if format in _EDITORS else _unknown(format)


def with_type(format: str, text: str, path: ColumnPath, type: str) -> Edited:
    """Return the schema with *type* for the field at *path*; raises InputInvalid if the text does not declare it."""
    return _EDITORS[format].retype(text, path, type) if format in _EDITORS else _unknown(format)


def with_default(format: str, text: str, path: ColumnPath) -> Edited:
    """Return the schema with a default for the field at *path*: old readers then read records without it.

    Only Avro needs one. The text is as it was if the field has a default, or a type without an empty value.
    """
    if format != "AVRO":
        return Edited(text)
    schema = load_text(text)
    field = _avro_place(schema, path).field
    kind = field["type"][0] if isinstance(field["type"], list) and field["type"] else field["type"]
    kind = kind.get("type") if isinstance(kind, dict) else kind
    if "default" in field or not isinstance(kind, str) or kind not in _AVRO_ZERO:
        return Edited(text)
    field["default"] = _AVRO_ZERO[kind]
    return Edited(_written(schema), json.dumps(field))


def key_schema(format: str, text: str, paths: Sequence[ColumnPath], name: str) -> str:
    """Return the schema of a key that has the fields at *paths*; a single one of Avro or JSON is the key itself.

    Raises InputInvalid if the text does not declare one of them.
    """
    return _EDITORS[format].key(text, paths, name) if format in _EDITORS else _unknown(format)


def _unknown(format: str) -> Any:  # noqa: ANN401 - it never returns
    raise InputInvalid(f"schemas in {format} are not edited", hint="Avro, JSON Schema and Protobuf are")


def _missing(path: ColumnPath) -> InputInvalid:
    hint = "if a referenced schema declares it, plan the change of a topic with that schema"
    return InputInvalid(f"the schema itself does not declare {path_name(path)}", where="CHANGE", hint=hint)


def _taken(name: str) -> InputInvalid:
    return InputInvalid(f"there is a field {name} already", where="CHANGE", hint="choose another name")


def _written(schema: Json) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _parsed_type(type: str) -> Json:
    """Return a type that is written as JSON, else its name."""
    with suppress(ValueError):
        return load_text(type)
    return type


class _Place(NamedTuple):
    """A field of Avro, its position among the fields of its record, and the name space of that record."""

    fields: list[Json]
    at: int
    space: str

    @property
    def field(self) -> dict[str, Json]:
        field: dict[str, Json] = self.fields[self.at]
        return field


def _avro_place(schema: Json, path: ColumnPath) -> _Place:
    named = dict(_avro_named(schema, ""))
    found = next(_avro_places(schema, path, "", named), None)
    if found is None:
        raise _missing(path)
    return found


def _avro_named(schema: Json, space: str) -> Iterator[tuple[str, Json]]:
    """Yield the types that a text defines by their full names."""
    if isinstance(schema, list):
        for branch in schema:
            yield from _avro_named(branch, space)
    elif isinstance(schema, dict):
        kind = schema.get("type")
        if kind in _AVRO_NAMED and isinstance(schema.get("name"), str):
            full = _full_name(schema, space)
            space = full.rpartition(".")[0]
            yield full, schema
        parts = [field.get("type") for field in schema.get("fields", ()) if isinstance(field, dict)]
        inner = kind if isinstance(kind, dict | list) else None
        for part in (*parts, schema.get("items"), schema.get("values"), inner):
            yield from _avro_named(part, space)


def _full_name(schema: Mapping[str, Json], space: str) -> str:
    name = str(schema["name"])
    space = str(schema.get("namespace", space))
    return name if "." in name or not space else f"{space}.{name}"


def _avro_places(schema: Json, path: ColumnPath, space: str, named: Mapping[str, Json]) -> Iterator[_Place]:
    """Yield the fields that *path* leads to, through unions, arrays, maps and names of types in the text."""
    for inner, rest, within in _avro_inside(schema, path, space, named):
        yield from _avro_places(inner, rest, within, named) if rest else ()
    if isinstance(schema, dict) and schema.get("type") in _RECORDS:
        space = _full_name(schema, space).rpartition(".")[0] if "name" in schema else space
        for at, field in enumerate(schema.get("fields", ())):
            if field.get("name") == field_name(path[0]):
                yield from [] if path[1:] else [_Place(schema["fields"], at, space)]
                yield from _avro_places(field.get("type"), path[1:], space, named) if path[1:] else ()


_RECORDS = ("record", "error")


def _avro_inside(
    schema: Json, path: ColumnPath, space: str, named: Mapping[str, Json]
) -> Iterator[tuple[Json, ColumnPath, str]]:
    """Yield the types that a type refers to or is made of, each with what remains of *path* and its name space."""
    if isinstance(schema, str):
        full = next((name for name in (schema, f"{space}.{schema}") if name in named), "")
        yield from [(named[full], path, full.rpartition(".")[0])] if full else []
    elif isinstance(schema, list):
        chosen = [branch for branch in schema if f"<{_branch_name(branch, space, named)}>" == path[0]]
        yield from ((branch, path[1:], space) for branch in chosen)
        yield from ((branch, path, space) for branch in schema if not is_branch(path[0]))
    elif isinstance(schema, dict) and (kind := schema.get("type")) not in _RECORDS:
        mark, member = {"array": (ELEMENT, "items"), "map": (MAP_VALUE, "values")}.get(str(kind), ("", ""))
        if mark:
            yield from [(schema.get(member), path[1:], space)] if path[0] == mark else []
        else:
            yield kind, path, space


def _branch_name(branch: Json, space: str, named: Mapping[str, Json]) -> str:
    if isinstance(branch, dict):
        return _full_name(branch, space) if "name" in branch else str(branch.get("type"))
    return str(branch) if str(branch) in named or f"{space}.{branch}" not in named else f"{space}.{branch}"


def _avro_add(text: str, path: ColumnPath, name: str, type: str) -> Edited:
    schema = load_text(text)
    place = _avro_place(schema, path)
    if any(field.get("name") == name for field in place.fields):
        raise _taken(name)
    kind = _parsed_type(type) if type else _by_name(place.field["type"], place.space)
    branches = [branch for branch in (kind if isinstance(kind, list) else [kind]) if branch != "null"]
    kept = {} if type else {key: value for key, value in place.field.items() if key not in _OF_FIELD}
    added = {"name": name, "type": ["null", *branches], "default": None, **deepcopy(kept)}
    place.fields.insert(place.at + 1, added)
    return Edited(_written(schema), json.dumps(added, ensure_ascii=False))


_OF_FIELD = ("name", "type", "default", "aliases")
"""Members that a copy of a field has of its own; documentation and tags are those of the field."""


def _by_name(schema: Json, space: str) -> Json:
    """Return a type that refers to the types it would define again."""
    if isinstance(schema, list):
        return [_by_name(branch, space) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") in _AVRO_NAMED and "name" in schema:
        return _full_name(schema, space)
    return {
        key: _by_name(value, space) if key in ("type", "items", "values") else value for key, value in schema.items()
    }


def _avro_drop(text: str, path: ColumnPath) -> Edited:
    schema = load_text(text)
    place = _avro_place(schema, path)
    removed = place.fields.pop(place.at)
    defined = dict(_avro_named(removed.get("type"), place.space))
    for definition in defined.items():
        _define_again(schema, "", definition)
    return Edited(_written(schema))


def _define_again(schema: Json, space: str, definition: tuple[str, Json]) -> bool:
    """Put *definition* where its name is first used; return whether it is used."""
    full, body = definition
    if isinstance(schema, dict) and schema.get("type") in ("record", "error") and "name" in schema:
        space = _full_name(schema, space).rpartition(".")[0]
    if isinstance(schema, dict) and _full_name_or_empty(schema, space) == full:
        return True
    slots = list(schema) if isinstance(schema, dict) else range(len(schema)) if isinstance(schema, list) else ()
    for slot in slots:
        value = schema[slot]
        if isinstance(value, str) and slot != "name" and value in (full, full.removeprefix(f"{space}.")):
            if isinstance(schema, list) or slot in ("type", "items", "values"):
                schema[slot] = {**body, "name": full.rpartition(".")[2], "namespace": full.rpartition(".")[0]}
                return True
        elif isinstance(value, dict | list) and slot != "default" and _define_again(value, space, definition):
            return True
    return False


def _full_name_or_empty(schema: Mapping[str, Json], space: str) -> str:
    return _full_name(schema, space) if schema.get("type") in _AVRO_NAMED and "name" in schema else ""


def _avro_retype(text: str, path: ColumnPath, type: str) -> Edited:
    schema = load_text(text)
    place = _avro_place(schema, path)
    place.field["type"] = _parsed_type(type)
    if "default" in place.field and isinstance(place.field["type"], str):
        place.field["default"] = _AVRO_ZERO.get(place.field["type"], place.field["default"])
    return Edited(_written(schema), json.dumps(place.field, ensure_ascii=False))


def _avro_key(text: str, paths: Sequence[ColumnPath], name: str) -> str:
    schema = load_text(text)
    named = dict(_avro_named(schema, ""))
    fields = []
    for path in paths:
        place = _avro_place(schema, path)
        kind = place.field["type"]
        branches = [branch for branch in (kind if isinstance(kind, list) else [kind]) if branch != "null"]
        defined = [_defined(branch, place.space, named) for branch in branches]
        fields.append({"name": field_name(path[-1]), "type": defined[0] if len(defined) == 1 else defined})
    if len(fields) == 1:
        return _written(fields[0]["type"])
    return _written({"type": "record", "name": name, "fields": fields})


def _defined(schema: Json, space: str, named: Mapping[str, Json]) -> Json:
    """Return the definition of a type that is named, with its full name; another type as it is."""
    full = next((name for name in (schema, f"{space}.{schema}") if isinstance(schema, str) and name in named), "")
    if not full:
        return deepcopy(schema)
    return {**deepcopy(named[full]), "name": full.rpartition(".")[2], "namespace": full.rpartition(".")[0]}


def _json_place(schema: Json, path: ColumnPath) -> tuple[dict[str, Json], str]:
    """Return the object that declares the last name of *path* among its properties, and the name."""
    found = next(_json_places(schema, path, schema), None)
    if found is None:
        raise _missing(path)
    return found


def _json_places(node: Json, path: ColumnPath, root: Json, deep: int = 0) -> Iterator[tuple[dict[str, Json], str]]:
    if not isinstance(node, dict) or not path or deep > _DEEPEST:
        return
    first, rest, deeper = path[0], path[1:], deep + 1
    target = node.get("$ref")
    if isinstance(target, str) and target.startswith("#"):
        yield from _json_places(_pointed(root, target[1:]), path, root, deeper)
    name = field_name(first)
    properties = node.get("properties")
    if name is not None and isinstance(properties, dict) and name in properties:
        yield from _json_places(properties[name], rest, root, deeper) if rest else [(node, name)]
    if first in (ELEMENT, MAP_VALUE):
        yield from _json_places(node.get("items" if first == ELEMENT else "additionalProperties"), rest, root, deeper)
    for member in (member for word in _COMPOSED for member in node.get(word, ())):
        if is_branch(first) and isinstance(member, dict) and f"<{member.get('title')}>" == first:
            yield from _json_places(member, rest, root, deeper)
        elif not is_branch(first):
            yield from _json_places(member, path, root, deeper)


_DEEPEST = 64
"""Steps through references and compositions: a schema may refer to itself."""


def _pointed(root: Json, pointer: str) -> Json:
    for part in pointer.split("/")[1:]:
        root = root.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(root, dict) else None
    return root


def _json_add(text: str, path: ColumnPath, name: str, type: str) -> Edited:
    schema = load_text(text)
    parent, old = _json_place(schema, path)
    if name in parent["properties"]:
        raise _taken(name)
    added = _json_type(type) if type else deepcopy(parent["properties"][old])
    items = [(key, value) for key, value in parent["properties"].items()]
    at = [key for key, _ in items].index(old) + 1
    parent["properties"] = dict([*items[:at], (name, added), *items[at:]])
    return Edited(_written(schema), json.dumps({name: added}, ensure_ascii=False))


def _json_type(type: str) -> Json:
    parsed = _parsed_type(type)
    return {"type": parsed} if isinstance(parsed, str | list) else parsed


def _json_drop(text: str, path: ColumnPath) -> Edited:
    schema = load_text(text)
    parent, name = _json_place(schema, path)
    del parent["properties"][name]
    if name in parent.get("required", ()):
        parent["required"] = [other for other in parent["required"] if other != name]
        if not parent["required"]:
            del parent["required"]
    return Edited(_written(schema))


def _json_retype(text: str, path: ColumnPath, type: str) -> Edited:
    schema = load_text(text)
    parent, name = _json_place(schema, path)
    old = parent["properties"][name]
    kept = old if isinstance(old, dict) and "$ref" not in old else {}
    parent["properties"][name] = {**kept, **_json_type(type)}
    return Edited(_written(schema), json.dumps({name: parent["properties"][name]}, ensure_ascii=False))


def _json_key(text: str, paths: Sequence[ColumnPath], name: str) -> str:
    schema = load_text(text)
    head = {"$schema": schema["$schema"]} if "$schema" in schema else {}
    properties = {}
    for path in paths:
        parent, field = _json_place(schema, path)
        properties[field] = parent["properties"][field]
    if len(properties) == 1:
        return _written({**head, **next(iter(properties.values()))})
    return _written({**head, "title": name, "type": "object", "required": list(properties), "properties": properties})


class _ProtoPlace(NamedTuple):
    """A field of a .proto text, its message, and where its statement starts and ends."""

    message: Message
    field: Field
    start: int
    end: int


def _proto_place(text: str, path: ColumnPath) -> _ProtoPlace:
    parse = load("scanner_extractor.formats.protobuf.parser:parse_proto")
    kind = load("scanner_extractor.formats.protobuf.declarations:Message")
    statement_end = load("scanner_extractor.formats.protobuf.tokens:statement_end")
    file = parse(text)
    by_name: dict[str, list[Message]] = {}
    waiting = [body for body in file.types if isinstance(body, kind)]
    first = waiting[:1]
    while waiting:
        message = waiting.pop()
        by_name.setdefault(message.name, []).append(message)
        waiting += [body for body in message.types if isinstance(body, kind)]
    names = [name for segment in path if (name := field_name(segment)) is not None]
    messages, found = first, None
    for name in names:
        found = next(((m, f) for m in messages for f in m.fields if f.name == name), None)
        messages = by_name.get(found[1].type.rpartition(".")[2], []) if found else []
    if found is None:
        raise _missing(path)
    start = max(text.rfind(mark, 0, found[1].offset) for mark in (";", "{", "}", "\n")) + 1
    return _ProtoPlace(*found, start, statement_end(text, found[1].offset))


def _proto_add(text: str, path: ColumnPath, name: str, type: str) -> Edited:
    place = _proto_place(text, path)
    if any(field.name == name for field in place.message.fields):
        raise _taken(name)
    label = "" if type else place.field.label.value
    kind = f"map<{place.field.key}, {place.field.type}>" if label == "map" else type or place.field.type
    label = f"{label} " if label in ("optional", "repeated") else "optional " if label == "required" else ""
    added = f"{label}{kind} {name} = {_free_number(place.message)};"
    at, indent = place.end, re.match(r"[ \t]*", text[place.start :])
    if place.field.oneof:
        at, indent = text.index("}", place.end) + 1, None
    end = text.find("\n", at)
    end = len(text) if end < 0 or text[at:end].strip().startswith(("}", "/*")) else end
    end = at if text[at:end].strip() and not text[at:end].strip().startswith("//") else end
    return Edited(f"{text[:end]}\n{indent[0] if indent else '  '}{added}{text[end:]}", added)


def _free_number(message: Message) -> int:
    """Return the number after the highest that a message uses or reserves; `max` reserves all, so below 2^29."""
    ranges = (*message.reserved.numbers, *message.extensions.numbers)
    used = [*(field.number for field in message.fields), *(last for _, last in ranges if last < _MOST_NUMBER)]
    number = max(used, default=0) + 1
    return 20_000 if 19_000 <= number < 20_000 else number


_MOST_NUMBER = 2**29 - 1


def _proto_drop(text: str, path: ColumnPath) -> Edited:
    place = _proto_place(text, path)
    reserved = f'reserved {place.field.number}; reserved "{place.field.name}";'
    if not place.field.oneof:
        indent = re.match(r"[ \t]*", text[place.start :])
        return Edited(f"{text[: place.start]}{indent[0] if indent else ''}{reserved}{text[place.end :]}", reserved)
    closed = text.index("}", place.end) + 1
    return Edited(f"{text[: place.start]}{text[place.end : closed]}\n  {reserved}{text[closed:]}", reserved)


def _proto_retype(text: str, path: ColumnPath, type: str) -> Edited:
    place = _proto_place(text, path)
    head, tail = text[place.start : place.field.offset], text[place.field.offset : place.end]
    at = head.rindex(place.field.type)
    changed = head[:at] + type + head[at + len(place.field.type) :] + tail
    return Edited(text[: place.start] + changed + text[place.end :], changed.strip())


def _proto_key(text: str, paths: Sequence[ColumnPath], name: str) -> str:
    lines = []
    for number, path in enumerate(paths, 1):
        field = _proto_place(text, path).field
        if field.label in ("repeated", "map"):
            raise InputInvalid(f"{field.name} has several values", where="CHANGE", hint="choose fields with one value")
        lines.append(f"  {field.type} {field.name} = {number};")
    package = load("scanner_extractor.formats.protobuf.parser:parse_proto")(text).package
    head = ['syntax = "proto3";', *([f"package {package};"] if package else []), ""]
    return "\n".join([*head, f"message {name} {{", *lines, "}", ""])


class _Editor(NamedTuple):
    add: Callable[[str, ColumnPath, str, str], Edited]
    drop: Callable[[str, ColumnPath], Edited]
    retype: Callable[[str, ColumnPath, str], Edited]
    key: Callable[[str, Sequence[ColumnPath], str], str]


_EDITORS: Mapping[str, _Editor] = {
    "AVRO": _Editor(_avro_add, _avro_drop, _avro_retype, _avro_key),
    "JSON": _Editor(_json_add, _json_drop, _json_retype, _json_key),
    "PROTOBUF": _Editor(_proto_add, _proto_drop, _proto_retype, _proto_key),
}
"""Format, as registries name it → how its texts are edited."""

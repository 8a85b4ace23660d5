"""Why a format's own parser rejects a schema text, with the place: an invalid text is registered by no registry.

Sources: Avro specification 1.12, "Schema Declaration" and "Names"; the Protobuf language specifications; the
metaschemas of JSON Schema. A type that another text may declare is not a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from jsonschema.validators import Draft7Validator, validator_for

from scanner_extractor.evolution.differences import SchemaText
from scanner_extractor.formats.avro.names import NAMED, PRIMITIVES, NamedTypes
from scanner_extractor.formats.limits import read_json
from scanner_extractor.formats.protobuf.declarations import Message, Scopes, declared
from scanner_extractor.formats.protobuf.files import MAIN, gather
from scanner_extractor.formats.protobuf.reader import SCALARS
from scanner_extractor.schemas.references import lookup_in
from scanner_model.documents.json_positions import JsonPath, parse_with_positions
from scanner_model.errors import InputInvalid

_POSITION = re.compile(r"(?<!\d)(\d++):(\d++)$")
_MEMBERS = {
    "record": "fields",
    "error": "fields",
    "enum": "symbols",
    "fixed": "size",
    "array": "items",
    "map": "values",
}
_DEEPEST = 200


class Rejection(NamedTuple):
    """Why a text is invalid, and where: *line* and *column* count from 1."""

    line: int
    column: int
    why: str


def rejection(format: str, schema: SchemaText) -> Rejection | None:
    """Return the first reason why the parser of *format* rejects a text; None if it does not, or is not known to."""
    try:
        return next(_FORMATS[format](schema), None) if format in _FORMATS else None
    except InputInvalid as error:
        place = _POSITION.search(error.where)
        return Rejection(int(place[1]) if place else 1, int(place[2]) if place else 1, error.what)
    except RecursionError:
        return None


def _json(schema: SchemaText) -> Iterator[Rejection]:
    value = read_json(schema.text)
    if not isinstance(value, dict):
        return
    validator = validator_for(value, default=Draft7Validator)
    for error in validator(validator.META_SCHEMA).iter_errors(value):
        yield _at(schema.text, tuple(error.absolute_path), error.message)


def _avro(schema: SchemaText) -> Iterator[Rejection]:
    if re.fullmatch(r"\s*[\w.]+\s*", schema.text):
        return  # registries also have a type's bare name
    root = read_json(schema.text)
    if isinstance(root, dict) and "type" not in root:
        return  # a protocol, or another document
    names = NamedTypes(root, lookup_in("AVRO", schema.references))
    for path, why in _invalid_types(root, "", names, (), 0):
        yield _at(schema.text, path, why)


def _invalid_types(
    value: Any,  # noqa: ANN401 - JSON
    namespace: str,
    names: NamedTypes,
    path: JsonPath,
    depth: int,
) -> Iterator[tuple[JsonPath, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if value not in PRIMITIVES and "." not in value and names.find(value, namespace) is None:
            similar = get_close_matches(value.lower(), sorted(PRIMITIVES), n=1, cutoff=0.6)
            if value in _MEMBERS:
                yield path, f"the type {value!r} without its {_MEMBERS[value]!r}"
            elif similar:
                yield path, f"no schema defines the type {value!r}; did you mean {similar[0]!r}?"
    elif isinstance(value, list):
        for number, branch in enumerate(value):
            yield from _invalid_types(branch, namespace, names, (*path, number), depth + 1)
    elif isinstance(value, dict):
        yield from _invalid_object(value, namespace, names, path, depth)
    else:
        yield path, f"{value!r} is not a type"


def _invalid_object(
    value: Mapping[str, Any], namespace: str, names: NamedTypes, path: JsonPath, depth: int
) -> Iterator[tuple[JsonPath, str]]:
    word = value.get("type")
    if not isinstance(word, str) or word not in _MEMBERS:
        yield from _invalid_types(word, namespace, names, (*path, "type"), depth + 1)
        return
    if word in NAMED and not isinstance(value.get("name"), str):
        yield path, f"a type {word!r} without a name"
    inside = value.get(_MEMBERS[word])
    if inside is None or (_MEMBERS[word] in ("fields", "symbols") and not isinstance(inside, list)):
        yield path, f"the type {word!r} without its {_MEMBERS[word]!r}"
    elif word in ("array", "map"):
        yield from _invalid_types(inside, namespace, names, (*path, _MEMBERS[word]), depth + 1)
    elif _MEMBERS[word] == "fields":
        own = names.defined(value, namespace).namespace
        known: set[str] = set()
        for number, field in enumerate(inside):
            at = (*path, "fields", number)
            if not isinstance(field, dict) or not isinstance(field.get("name"), str):
                yield at, "a field without a name"
            elif field["name"] in known:
                yield at, f"the field {field['name']!r} is defined twice"
            else:
                known.add(field["name"])
                yield from _invalid_types(field.get("type"), own, names, (*at, "type"), depth + 1)


def _protobuf(schema: SchemaText) -> Iterator[Rejection]:
    files = gather(schema.text, schema.references.get)
    text, main = files.texts[MAIN], files.parsed[MAIN]
    for problem in main.problems:
        place = _POSITION.search(problem.where)
        yield Rejection(int(place[1]) if place else 1, int(place[2]) if place else 1, problem.what)
    scopes = Scopes(files.parsed)
    is_complete = not files.problems and not any(parsed.problems for parsed in files.parsed.values())
    for type_ in declared(MAIN, main):
        numbers: dict[int, str] = {}
        for field in type_.body.fields if isinstance(type_.body, Message) else ():
            first = numbers.setdefault(field.number, field.name)
            if first != field.name:
                why = f"the fields {first!r} and {field.name!r} of {type_.name} have the same number {field.number}"
                yield _at_offset(text, field.offset, why)
            if is_complete and field.type not in SCALARS and scopes.find(field.type, type_) is None:
                yield _at_offset(text, field.offset, f"no file declares the type {field.type!r} of {field.name!r}")


def _at_offset(text: str, offset: int, why: str) -> Rejection:
    return Rejection(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), why)


def _at(text: str, path: JsonPath, why: str) -> Rejection:
    try:
        line, column = parse_with_positions(text, "").position(path)
    except InputInvalid:
        return Rejection(1, 1, why)
    return Rejection(line, column, why)


_FORMATS: Mapping[str, Callable[[SchemaText], Iterator[Rejection]]] = {
    "AVRO": _avro,
    "JSON": _json,
    "PROTOBUF": _protobuf,
}

"""The formats of files that users pass: a connector's configuration in several forms, the format of a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid

Json = Any

_LINE = re.compile(r"\s*(?P<key>(?:[^\\=:\s]|\\.)+)\s*[=:\s]?\s*(?P<value>.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_HINT = "pass {name, config}, the config alone, or a .properties file"


@dataclass(frozen=True, slots=True)
class ConnectorFile:
    """A connector as a file describes it; *type* is source or sink as a worker reports it, else empty."""

    name: str
    values: Mapping[str, Json]
    type: str = ""


def connector_file(file: str, text: str) -> ConnectorFile:
    """Parse *text*; raises InputInvalid for anything but a configuration. No message quotes any of it."""
    stem = PurePath(file).stem if file != "-" else ""
    if not text.lstrip().startswith(("{", "[")):
        values = dict(_properties(text))
        if not values or "\0" in text:
            raise InputInvalid("is not a connector configuration", where=file, hint=_HINT)
        return ConnectorFile(str(values.get("name") or stem), values)
    try:
        document = load_text(text)
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}:{error.colno}"
        raise InputInvalid(f"is not JSON: {error.msg}", where=where, hint=_HINT) from error
    except ValueError as error:  # too many levels or values
        raise InputInvalid(f"cannot be read: {error}", where=file, hint=_HINT) from error
    return _from_json(document, file, stem)


def _from_json(document: Json, file: str, stem: str) -> ConnectorFile:
    match document:
        case {"info": dict(info)}:  # the response of GET /connectors?expand=info
            return _from_json(info, file, stem)
        case {"config": dict() | list() as config}:
            name, kind = document.get("name"), document.get("type")
            values = _values(config)
            return ConnectorFile(str(name or values.get("name") or stem), values, kind if isinstance(kind, str) else "")
        case dict() if (
            len(document) == 1 and isinstance(wrapped := next(iter(document.values())), dict) and "info" in wrapped
        ):
            return _from_json(wrapped, file, next(iter(document)))
        case dict() | list():
            values = _values(document)
            if values and not all(isinstance(value, dict | list) for value in values.values()):
                return ConnectorFile(str(values.get("name") or stem), values)
    raise InputInvalid("is not a connector configuration", where=file, hint=_HINT)


def _values(config: Json) -> Mapping[str, Json]:
    """Return the settings of a configuration, also of a list of `{config, value}` or `{name, value}`."""
    if isinstance(config, dict):
        return config
    pairs = (row for row in config if isinstance(row, dict) and "value" in row)
    return {str(row.get("config", row.get("name", ""))): row["value"] for row in pairs}


def _properties(text: str) -> Iterator[tuple[str, str]]:
    """Parse Java properties: comments, continued lines, escapes, and `=`, `:` or a space between key and value."""
    line = ""
    for part in re.split(r"\r\n|\r|\n", text):
        if not line and re.match(r"\s*[#!]", part):
            continue
        line += part.lstrip()
        if re.search(r"(?:^|[^\\])(?:\\\\)*\\$", part):
            line = line[:-1]
            continue
        if match := _LINE.fullmatch(line):
            yield _unescaped(match["key"]), _unescaped(match["value"])
        line = ""


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _LETTERS.get(match[2], match[2]), text)


_BY_ENDING = {
    ".avsc": "AVRO",
    ".avro": "AVRO",
    ".proto": "PROTOBUF",
    ".ndjson": "JSON_PAYLOAD",
    ".jsonl": "JSON_PAYLOAD",
}
_PROTO = re.compile(r"^[^\S\n]*(?:syntax|edition|package|import|message|enum|option|extend|service)\b", re.MULTILINE)
_NAMED = {"record", "error", "enum", "fixed"}
_AVRO_ONLY = {*_NAMED, "map", "int", "long", "float", "double", "bytes"}
_AVRO_WORDS = {*_AVRO_ONLY, "null", "boolean", "string", "array"}
_AVRO_TEXT = re.compile(r'"type"\s*:\s*"(?:record|error|enum|fixed)"')


def format_of(name: str, text: str) -> str:
    """Return the format of a schema by its file's *name*, or if that is not enough by its *text*."""
    ending = PurePath(name).suffix.lower()
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    try:
        return "AVRO" if _is_avro(load_text(text)) else "JSON"
    except (ValueError, RecursionError):
        return _format_of_invalid(text)


def schema_in(name: str, text: str) -> tuple[str, str]:
    """Return the schema in a file, and its format: that in a registry's answer, the types of a protocol, no comments.

    Comments are those that Avro's parser for Java accepts. Raises InputInvalid for a JSON object without any word of a
    schema: it describes something else.
    """
    ending = PurePath(name).suffix.lower()
    plain = _without_comments(text) if ending in (".avsc", ".avpr") else text
    try:
        value = load_text(plain)
    except (ValueError, RecursionError):
        return text, format_of(name, text)
    match value:
        case {"schema": str(inner), **about} if about.keys() & {"id", "subject", "schemaType", "version"}:
            kind = str(about.get("schemaType") or "AVRO")
            return inner, kind
        case {"protocol": str(), "types": [*types]}:
            namespace = {"namespace": value["namespace"]} if isinstance(value.get("namespace"), str) else {}
            return json.dumps([namespace | one if isinstance(one, dict) else one for one in types]), "AVRO"
        case dict() if value and _SCHEMA_WORDS.isdisjoint(value):
            hint = "a JSON Schema has `type`, `properties`, `$ref` or another keyword of a schema"
            raise InputInvalid("is not a schema", where=name, hint=hint)
    return plain, format_of(name, plain)


_SCHEMA_WORDS = frozenset(
    (
        *("$schema", "$id", "$ref", "$defs", "definitions", "type", "properties", "items", "enum", "const", "allOf"),
        *("anyOf", "oneOf", "not", "if", "required", "patternProperties", "additionalProperties", "title"),
        *("description", "default", "minimum", "maximum", "pattern", "format", "$comment", "$dynamicRef", "minLength"),
        *("maxLength", "prefixItems", "contains", "propertyNames", "unevaluatedProperties", "examples"),
    )
)
"""Words of JSON Schema and Avro: a schema that is an object has at least one."""


def _without_comments(text: str) -> str:
    """Return JSON without comments, with blanks in their place, so that positions stay."""
    pieces: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            pieces.append(text[at : end + 1])
            at = end + 1
        elif text.startswith(("//", "/*"), at):
            mark = "\n" if text[at + 1] == "/" else "*/"
            end = text.find(mark, at + 2)
            end = len(text) if end < 0 else end + (0 if mark == "\n" else 2)
            pieces.append("".join(sign if sign == "\n" else " " for sign in text[at:end]))
            at = end
        else:
            pieces.append(text[at])
            at += 1
    return "".join(pieces)


def _format_of_invalid(text: str) -> str:
    """Guess the intended format of a text that is not JSON, so that the right parser reports its problems."""
    word = text.strip()
    if not word.startswith(("{", "[", '"')):
        return "PROTOBUF" if _PROTO.search(text) else "AVRO" if word in _AVRO_WORDS else "JSON"
    return "AVRO" if _AVRO_TEXT.search(text) and '"$schema"' not in text else "JSON"


def _is_avro(schema: Json) -> bool:
    match schema:
        case str() | list():
            return True  # a name or a union; a JSON Schema is an object or a boolean
        case {"$schema": _}:
            return False
        case {"type": str(kind), "items": items} if kind == "array":
            return isinstance(items, str) or (isinstance(items, dict) and _is_avro(items))
        case {"type": dict(inner)}:
            return _is_avro(inner)
        case {"type": str(kind)}:
            return kind in _AVRO_ONLY
        case _:
            return False

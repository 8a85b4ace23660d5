"""A connector's configuration as people hand it over: a REST body, a bare object, or a .properties file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from scanner_model.errors import InputInvalid

Json = Any

_LINE = re.compile(r"\s*(?P<key>(?:[^\\=:\s]|\\.)+)\s*[=:\s]?\s*(?P<value>.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_HINT = "hand over {name, config}, the config alone, or a .properties file"


@dataclass(frozen=True, slots=True)
class ConnectorFile:
    """What a file tells of a connector; *type* is what a worker says of it, empty where it was not asked."""

    name: str
    values: Mapping[str, Json]
    type: str = ""


def connector_file(file: str, text: str) -> ConnectorFile:
    """Read *text*; raises InputInvalid for what is no configuration. No message repeats any of it."""
    stem = PurePath(file).stem if file != "-" else ""
    if not text.lstrip().startswith(("{", "[")):
        values = dict(_properties(text))
        if not values or "\0" in text:
            raise InputInvalid("is no connector configuration", where=file, hint=_HINT)
        return ConnectorFile(str(values.get("name") or stem), values)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}:{error.colno}"
        raise InputInvalid(f"is not JSON: {error.msg}", where=where, hint=_HINT) from error
    except RecursionError as error:
        raise InputInvalid("nests too deeply", where=file, hint=_HINT) from error
    return _from_json(document, file, stem)


def _from_json(document: Json, file: str, stem: str) -> ConnectorFile:
    match document:
        case {"info": dict(info)}:  # as GET /connectors?expand=info answers
            return _from_json(info, file, stem)
        case {"config": dict() | list() as config}:
            name, kind = document.get("name"), document.get("type")
            values = _values(config)
            return ConnectorFile(str(name or values.get("name") or stem), values, kind if isinstance(kind, str) else "")
        case dict() if (
            len(document) == 1 and isinstance(whole := next(iter(document.values())), dict) and "info" in whole
        ):
            return _from_json(whole, file, next(iter(document)))
        case dict() | list():
            values = _values(document)
            if values and not all(isinstance(value, dict | list) for value in values.values()):
                return ConnectorFile(str(values.get("name") or stem), values)
    raise InputInvalid("is no connector configuration", where=file, hint=_HINT)


def _values(config: Json) -> Mapping[str, Json]:
    """Take a configuration, also one that is a list of `{config, value}` or `{name, value}`."""
    if isinstance(config, dict):
        return config
    pairs = (row for row in config if isinstance(row, dict) and "value" in row)
    return {str(row.get("config", row.get("name", ""))): row["value"] for row in pairs}


def _properties(text: str) -> Iterator[tuple[str, str]]:
    """Read Java's properties: comments, continued lines, escapes, and `=`, `:` or a space between key and value."""
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

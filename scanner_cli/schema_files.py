"""A schema file as people hand it over: read as text, and its format told from its name and content."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Any

import click

from scanner_model.errors import InputInvalid

Json = Any

_MOST = 64 * 1024 * 1024
_BY_ENDING = {
    ".avsc": "AVRO",
    ".avro": "AVRO",
    ".proto": "PROTOBUF",
    ".ndjson": "JSON_PAYLOAD",
    ".jsonl": "JSON_PAYLOAD",
}
_PROTO = re.compile(r"^\s*(?:syntax|edition|package|import|message|enum|option|extend|service)\b", re.MULTILINE)
_NAMED = {"record", "error", "enum", "fixed"}
_AVRO_ONLY = {*_NAMED, "map", "int", "long", "float", "double", "bytes"}
_AVRO_WORDS = {*_AVRO_ONLY, "null", "boolean", "string", "array"}
_AVRO_TEXT = re.compile(r'"type"\s*:\s*"(?:record|error|enum|fixed)"')


def schema_text(name: str, what: str = "schema") -> str:
    """Read a file, or standard input for `-`; raises InputInvalid for one that is no text of a schema's size.

    *what* is what the user was to hand over.
    """
    try:
        with click.open_file(name, "rb") as file:
            raw: bytes = file.read(_MOST + 1)
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=name, hint=f"save the {what} as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "no file can have this name"
        raise InputInvalid(f"cannot be read: {reason}", where=name, hint=f"name a {what} file") from error
    if len(raw) > _MOST:
        raise InputInvalid(f"is larger than {_MOST // 2**20} MiB", where=name, hint=f"name a {what} file")
    return text


def format_of(name: str, text: str) -> str:
    """Tell the format of a schema from its file's *name*, and where that leaves it open from its *text*."""
    ending = PurePath(name).suffix.lower()
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    try:
        return "AVRO" if _is_avro(json.loads(text)) else "JSON"
    except (ValueError, RecursionError):
        return _of_broken(text)


def _of_broken(text: str) -> str:
    """Guess what a text that is not JSON was meant to be, so that its problems are told by the right reader."""
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

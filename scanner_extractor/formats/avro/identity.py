"""One form of an Avro schema for all its spellings, so that texts of one schema are one definition.

Registries print a schema in their own spelling: Apicurio's Confluent-compatible API and Confluent's registry as
Avro's library does (names short inside their namespace, members in another order), Karapace with sorted members.
Source: Avro 1.12, `Schema.toString`. Everything that columns depend on stays: documentation, defaults, aliases, the
order of fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scanner_extractor.formats.avro.names import NAMED, PRIMITIVES
from scanner_extractor.formats.limits import read_json
from scanner_model.errors import InputInvalid

Json = Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=64)  # many schemas refer to one
def spelled_alike(text: str) -> str:
    """Return a form of an Avro schema that is the same for texts that differ in spelling only; other texts as given."""
    try:
        return _ENCODER.encode(_schema(read_json(text), ""))
    except (InputInvalid, RecursionError):
        return text


def _schema(schema: Json, space: str) -> Json:
    if isinstance(schema, str):
        return _name(schema, space)
    if isinstance(schema, list):
        return [_schema(branch, space) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if kind in NAMED and isinstance(schema.get("name"), str):
        return _named(schema, space)
    if len(schema) == 1 and "type" in schema:
        return _schema(kind, space)
    inner = {"array": "items", "map": "values"}.get(kind) if isinstance(kind, str) else "type"
    return {key: _schema(value, space) if key == inner else value for key, value in schema.items()}


def _named(schema: Mapping[str, Json], enclosing: str) -> Json:
    written, own = schema["name"], schema.get("namespace")
    space = written.rpartition(".")[0] if "." in written else own if isinstance(own, str) else enclosing
    form = {key: value for key, value in schema.items() if key != "namespace"}
    form["name"] = _qualified(written, space)
    if isinstance(schema.get("fields"), list):
        form["fields"] = [_field(field, space) for field in schema["fields"]]
    return _with_aliases(form, space)


def _field(field: Json, space: str) -> Json:
    if not isinstance(field, dict):
        return field
    form = {key: _schema(value, space) if key == "type" else value for key, value in field.items()}
    if form.get("order") == "ascending":
        del form["order"]
    return _with_aliases(form, "")


def _with_aliases(form: dict[str, Json], space: str) -> dict[str, Json]:
    """Return *form* without an empty list of aliases and documentation that is null, which no library prints."""
    if "aliases" not in form and form.get("doc", "") is not None:  # as nearly all
        return form
    aliases = form.get("aliases")
    if isinstance(aliases, list):
        form["aliases"] = [_qualified(alias, space) if isinstance(alias, str) else alias for alias in aliases]
    return {
        key: value
        for key, value in form.items()
        if not ((key == "aliases" and not value) or (key == "doc" and value is None))
    }


def _name(name: str, space: str) -> str:
    return name if name in PRIMITIVES else _qualified(name, space)


def _qualified(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"

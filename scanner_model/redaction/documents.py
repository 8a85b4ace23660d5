"""Masking of JSON documents and connector configurations."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any

from scanner_model.redaction.names import NO_EXTRA, ExtraNames, is_plain_value, is_secret_name, words
from scanner_model.redaction.statements import SQL_ENDS, is_secret_setting, mask_statement, names_columns
from scanner_model.redaction.texts import has_hint, mask_text
from scanner_model.redaction.urls import OnSecret, mask_path
from scanner_model.redaction.values import MASK, is_reference

Json = Any

SCHEMA_MEMBERS = frozenset({"schema", "schemaText", "SchemaDefinition", "content"})
"""Members whose text is a schema: a field *named* password is not a secret, so it stays byte for byte."""
STATEMENT_MEMBERS = frozenset(
    {"statement", "statementText", "queryString", "ksql", "sql", "creation_statement", "query"}
)
"""Members whose text is SQL, where only a quoted value can be a secret: `ON a.token=b.token` is a join."""
_NAMED_BY_COLUMNS = frozenset(
    {"properties", "patternProperties", "definitions", "$defs", "dependentRequired", "dependentSchemas", "dependencies"}
    | {"fields", "columns", "columnMetrics", "columnStatistics", "columnLineage"}
)
"""Members whose own members are called after columns: an object under `password` there describes that column."""
_TAGS = "tags"
_OFFSETS = "offsets"
"""The member whose own members are called after topics."""
_DESCRIPTION = frozenset(
    {
        "type",
        "$ref",
        "properties",
        "items",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "format",
        "default",
    }
    | {"description", "inputFields", "inputs", "dataType", "maxLength", "minLength", "nullCount", "required", "pattern"}
)
"""Members that identify the description of a column: it has one of them."""
_PAIR_MEMBERS = ("name", "key", "config")
_CONNECTOR = frozenset({"info", "status", "topics"})
"""What Connect's answers have under the name of a connector."""
_DBT = re.compile(r"(?:model|seed|snapshot|source|exposure|analysis|test|operation)\.[\w.-]+")
"""What dbt calls its nodes by."""

_ALIAS = re.compile(r"(?:transforms|predicates)\.[^.]+\.")
_HEADER = re.compile(
    r"(?P<key>(?<![\w-])(?P<name>[\w-]{1,100})[\"']?\s{0,9}[:=]\s{0,9}[\"']?)(?P<value>[^,;|\r\n\"']+)"
)
_SHORT_OPTION = re.compile(r"(?:^|\s)-[pPua]\s?[^\s-]")
_HARMLESS_HEADER = re.compile(
    r"(?i)accept[\w-]*|content-[\w-]+|user-agent|host|connection|cache-control|pragma|date|from|origin|via|x-request-id"
)
_PROGRAM_WORDS = frozenset(
    {"config", "configuration", "conf", "yaml", "yml", "xml", "ini", "args", "arg", "arguments", "opts", "options"}
    | {"command", "cmd", "script", "env", "environment"}
)
"""Words at the end of a setting's name that holds a whole configuration or command line."""
_HOOK_WORDS = frozenset({"webhook", "webhooks", "hook", "bot"})


def mask_config(
    config: Mapping[str, Json],
    passwords: Collection[str] = (),
    extra: ExtraNames = NO_EXTRA,
    on_secret: OnSecret | None = None,
) -> dict[str, Json]:
    """Return the configuration of a connector with its secrets hidden; *on_secret* is called with each of them.

    By name, by what the value is, and where it is one of *passwords*, which the plug-ins themselves declare. A
    reference to a secret (`${file:…}`) stays. Names of topics, tables and columns stay, whatever they are called.
    """
    return {key: _setting(key, value, key in passwords, extra, on_secret) for key, value in config.items()}


def mask_json(value: Json, extra: ExtraNames = NO_EXTRA, *, inside: str = "") -> Json:
    """Return a copy of *value* with its secrets hidden: under a secret key, in a name/value pair, inside a text.

    Schema texts stay byte for byte; a connector's configuration is judged as such. Under a secret key texts, numbers,
    lists and objects are hidden, but for what describes a column of that name. *inside* is the member that has *value*.
    Properties that a list `sensitive` beside them names are hidden too.
    """
    if isinstance(value, dict):
        if isinstance(value.get("connector.class"), str):
            return mask_config(value, extra=extra)
        hidden = _is_secret_pair(value, extra)
        listed = mask_sensitive(value)
        return {key: _member(key, item, hidden and key == "value", inside, extra) for key, item in listed.items()}
    if isinstance(value, list):
        return _list(value, extra)
    return mask_text(value, extra) if isinstance(value, str) else value


def mask_sensitive(metadata: Mapping[str, Json]) -> dict[str, Json]:
    """Return the metadata of a schema with the values masked of those `properties` that its list `sensitive` names."""
    named, properties = metadata.get("sensitive"), metadata.get("properties")
    if not isinstance(named, list) or not isinstance(properties, dict):
        return dict(metadata)
    return {**metadata, "properties": {name: MASK if name in named else value for name, value in properties.items()}}


def _list(values: list[Json], extra: ExtraNames) -> list[Json]:
    """Hide the secrets of a list; in one of arguments that which follows an option (`["--password", "x"]`)."""
    masked = [mask_json(item, extra) for item in values]
    for number, (option, item) in enumerate(pairwise(values), start=1):
        if isinstance(option, str) and option[:1] == "-" and isinstance(item, str) and is_secret_name(option, extra):
            masked[number] = MASK if item else item
    return masked


def _member(key: str, value: Json, hidden: bool, inside: str, extra: ExtraNames) -> Json:
    if isinstance(value, dict | list):
        named_by_data = _describes_column(value, inside) or _describes_object(key, value)
        if hidden or (is_secret_name(key, extra) and not named_by_data):
            return _all_hidden(value)
        return mask_json(value, extra, inside=key)
    if not isinstance(value, str):
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if plain and (hidden or (inside != _OFFSETS and is_secret_name(key, extra))) else value
    if key in SCHEMA_MEMBERS:
        return value
    if hidden or is_secret_name(key, extra):
        return MASK if value else value
    return mask_statement(value, extra) if key in STATEMENT_MEMBERS else mask_text(value, extra)


def _describes_column(value: Json, inside: str) -> bool:
    if inside == _TAGS:  # of a data contract: what fields are tagged with, by their full names
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    if inside not in _NAMED_BY_COLUMNS:
        return False
    if isinstance(value, list):  # names of other columns
        return inside.startswith("depend")
    return (
        not value or bool(_DESCRIPTION & value.keys()) or all(isinstance(item, int | float) for item in value.values())
    )


def _describes_object(key: str, value: Json) -> bool:
    """Check whether *key* is the name of a connector or the id of a dbt node, whatever words it contains."""
    if isinstance(value, dict) and value and value.keys() <= _CONNECTOR:
        return all(isinstance(item, dict | list) for item in value.values())
    return _DBT.fullmatch(key) is not None


def _all_hidden(value: Json) -> Json:
    match value:
        case dict():
            return {key: _all_hidden(item) for key, item in value.items()}
        case list():
            return [_all_hidden(item) for item in value]
        case bool() | None | "":
            return value
        case _:
            return MASK


def _setting(key: str, value: Json, declared: bool, extra: ExtraNames, on_secret: OnSecret | None) -> Json:
    name = _ALIAS.sub("", key, count=1)  # an alias is the user's own word
    if not isinstance(value, str):
        return _member(name, value, declared, "", extra)
    if not value or is_reference(value):
        return value
    shown = MASK if declared or is_secret_setting(name, value, extra) else _inside(name, value, extra, on_secret)
    if on_secret and shown != value:
        _collect(value, shown, on_secret)
    return shown


def _inside(name: str, value: str, extra: ExtraNames, on_secret: OnSecret | None) -> str:
    """Hide secrets inside the value of a setting that is not secret itself."""
    parts = words(name)
    last = parts[-1:]
    if names_columns(name):
        return value
    if SQL_ENDS & set(last):
        return mask_statement(value, extra)
    if _HOOK_WORDS & set(parts) and "://" in value:
        return mask_path(value, on_secret)
    if {"header", "headers"} & set(parts):
        value = _HEADER.sub(lambda match: _header(match, on_secret), value)
    text = mask_text(value, extra, on_secret)
    masks_all = _PROGRAM_WORDS & set(last) and (text != value or _may_hold_secret(value, extra))
    return MASK if masks_all else text


def _may_hold_secret(program: str, extra: ExtraNames) -> bool:
    """Check whether a configuration or a command line has a word of secrets in it, or an option such as `-p`."""
    has_parts = any(sign in program for sign in " =:<{\n")
    return has_parts and (has_hint(program.lower(), extra) or bool(_SHORT_OPTION.search(program)))


def _header(match: re.Match[str], on_secret: OnSecret | None) -> str:
    if _HARMLESS_HEADER.fullmatch(match["name"]):
        return match[0]
    if on_secret:
        on_secret(match["value"].strip())
    return match["key"] + MASK


def _collect(value: str, shown: str, on_secret: OnSecret) -> None:
    """Report a value that is hidden whole, and the secrets inside it, which an error message may quote alone."""
    if shown == MASK and not is_plain_value(value):
        inner: list[str] = []
        mask_text(value, on_secret=inner.append)
        if "\n" not in value and ":" in value and "://" not in value and " " not in value:
            inner.append(value.partition(":")[2])
        for secret in inner:
            on_secret(secret)
        if not inner or len(value) <= _LONGEST_WHOLE:
            on_secret(value)


_LONGEST_WHOLE = 64


def _is_secret_pair(value: dict[str, Json], extra: ExtraNames) -> bool:
    return "value" in value and any(
        isinstance(name := value.get(member), str) and is_secret_name(name, extra) for member in _PAIR_MEMBERS
    )

"""Redact secrets in incoming events, before any other part of the program sees them."""

from __future__ import annotations

import json
from functools import lru_cache
from math import isfinite
from typing import Any

from scanner_model.documents.json_input import check_depth, check_size, storable_json
from scanner_model.redaction import is_secret_name, mask_config, mask_json, mask_statement, mask_text, mask_url

Json = Any

LARGEST_FACET = 1 << 20
"""The longest JSON of a facet that is stored; a longer one, such as a logical plan, is replaced by its length."""

_LINEAGE = frozenset({"columnLineage", "lineage", "schema", "symlinks"})
"""Facets that are stored at any length, because lineage is read from them."""
_CACHED = 16_384
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_LISTS = ("environmentVariables", "executionParameters", "configs")
_TEXTS = {"sql": "query"}


def parsed(text: str | bytes) -> Json:
    """Parse JSON; a number that JSON cannot represent (NaN, 1e400) becomes its text, and NUL in a text U+FFFD.

    Raises what `json.loads` raises, and ValueError for more values or levels than an event may have.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    check_size(raw)
    value = json.loads(text, parse_constant=str, parse_float=_number)
    if b"\\u" not in raw:
        return value
    check_depth(value)
    return storable_json(value).value


def canonical(value: Json) -> str:
    """Serialize JSON canonically: the same text for the same value."""
    return _ENCODER.encode(value)


def clean_facet(name: str, facet: Json) -> Json:
    """Return a facet without secrets: by key, in name/value pairs, in URLs and texts, and in settings.

    Column names are never redacted; in SQL, only quoted values of secret properties are.
    """
    if not isinstance(facet, dict):
        return mask_json(facet)
    hidden = mask_json({name: facet})[name] if is_secret_name(name) else {}
    cleaned = {key: hidden[key] if hidden and key[:1] != "_" else _clean(name, key, facet[key]) for key in facet}
    if name not in _LINEAGE and (size := len(canonical(cleaned))) > LARGEST_FACET:
        return {key: value for key, value in cleaned.items() if key in ("_producer", "_schemaURL")} | {"_omitted": size}
    return cleaned


@lru_cache(maxsize=_CACHED)
def clean_text(text: str) -> str:
    """Return a name or a URI with secrets redacted."""
    return mask_text(text) if "=" in text or ":" in text or "@" in text else text


@lru_cache(maxsize=_CACHED)
def clean_namespace(text: str) -> str:
    """Return a namespace without credentials; in Azure stores, a container before `@` is a part of the name."""
    scheme, slashes, rest = text.partition("://")
    if slashes and scheme.lower() in ("abfs", "abfss", "wasb", "wasbs") and ":" not in rest.partition("@")[0]:
        return text
    return mask_url(text)


def _number(text: str) -> float | str:
    number = float(text)
    return number if isfinite(number) else text


def _clean(facet: str, key: str, value: Json) -> Json:
    if isinstance(value, str) and _TEXTS.get(facet) == key:
        return mask_statement(value)
    if isinstance(value, list) and key in _LISTS:
        return [_pair(item) for item in value]
    if (
        isinstance(value, dict)
        and "value" not in value
        and not is_secret_name(key)
        and all(map(_is_text, value.values()))
    ):
        return mask_config(value)
    return mask_json({key: value})[key]


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _pair(item: Json) -> Json:
    if not isinstance(item, dict):
        return mask_json(item)
    name = item.get("name", item.get("key"))
    cleaned = mask_json(item)
    if isinstance(name, str) and "value" in item:
        cleaned["value"] = mask_config({name: item["value"]})[name]
    return cleaned

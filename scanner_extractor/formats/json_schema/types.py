"""Types from the keywords of one JSON Schema: stated, implied, refined. References are ignored."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ANY = "any"
NULL = "null"

_IMPLIED = {
    "object": (
        "additionalProperties",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "maxProperties",
        "minProperties",
        "patternProperties",
        "properties",
        "propertyNames",
        "required",
        "unevaluatedProperties",
    ),
    "array": (
        "additionalItems",
        "contains",
        "items",
        "maxItems",
        "minItems",
        "prefixItems",
        "unevaluatedItems",
        "uniqueItems",
    ),
    "string": (
        "contentEncoding",
        "contentMediaType",
        "maxLength",
        "minLength",
        "pattern",
    ),
    "number": (
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maximum",
        "minimum",
        "multipleOf",
    ),
}
"""Types that a schema without `type` means, by the keywords that apply to that type only."""

_NUMBER_FORMATS = {"decimal": "number", "double": "number", "float": "number"}
_INTEGER_FORMATS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))

_CONNECT = "org.apache.kafka.connect.data."
_CONNECT_CLASSES = {"Date": "date", "Time": "time-millis", "Timestamp": "timestamp-millis"}
_CONNECT_TYPES = frozenset({"bytes", "float32", "float64", "int16", "int32", "int64", "int8"})
_DEBEZIUM = "io.debezium."


@dataclass(frozen=True, slots=True)
class Claim:
    """The non-null types that a schema allows, and whether it allows null."""

    types: tuple[str, ...]
    null: bool


def claim(schema: dict[str, Any]) -> Claim | None:
    """Read what `type`, `enum` and `const` allow; None: they are not there, so anything is.

    Where `type` stands, it decides on null (an `enum` beside it can only take away). `nullable` is OpenAPI's.
    """
    stated = _stated(schema.get("type"))
    values = _value_types(schema)
    words = stated or values
    if not words:
        return None
    allowed = [word for word in words if any(_fits(value, word) for value in values)] if stated and values else words
    types = tuple(word for word in allowed if word != NULL) or tuple(word for word in words if word != NULL)
    return Claim(types, NULL in words or schema.get("nullable") is True)


def implied_type(schema: dict[str, Any]) -> str | None:
    """Return the type implied by the other keywords; None if absent."""
    for word, keywords in _IMPLIED.items():
        if any(keyword in schema for keyword in keywords):
            return word
    kind = schema.get("format")
    if not isinstance(kind, str):
        return None
    return "integer" if kind in _INTEGER_FORMATS else _NUMBER_FORMATS.get(kind, "string")


def narrowed(types: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return what both allow (an integer is a number); where they contradict each other, the first stands."""
    both = [word for own in types for word in _common(own, others)]
    return tuple(dict.fromkeys(both)) or types


def compatible(types: Iterable[str], allowed: tuple[str, ...]) -> bool:
    """Return whether a value of one of *types* can be of one of the *allowed* ones."""
    pairs = ((word, other) for word in types for other in allowed)
    return any(ANY in pair or _fits(*pair) or _fits(*reversed(pair)) for pair in pairs)


def logical_type(schema: dict[str, Any]) -> str | None:
    """Read what refines the type: a Connect or Debezium class, `format`, Connect's own type, or a length."""
    title = schema.get("title")
    if isinstance(title, str) and title.startswith((_CONNECT, _DEBEZIUM)):
        name = title.removeprefix(_CONNECT)
        return _decimal(schema.get("connect.parameters")) if name == "Decimal" else _CONNECT_CLASSES.get(name, title)
    refined = schema.get("format")
    if isinstance(refined, str) and refined:
        return refined
    refined = schema.get("connect.type")
    return refined if isinstance(refined, str) and refined in _CONNECT_TYPES else _text_of_length(schema)


def _text_of_length(schema: dict[str, Any]) -> str | None:
    """Return `varchar(10)` for a text of at most 10 characters, `char(10)` for one of just as many."""
    longest = schema.get("maxLength")
    if type(longest) is not int or (claim(schema) or Claim(("string",), null=False)).types != ("string",):
        return None
    return f"char({longest})" if schema.get("minLength") == longest else f"varchar({longest})"


def json_text(value: object) -> str | None:
    """Write a default as JSON; None where it is nested more deeply than can be written."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None


def _stated(words: object) -> tuple[str, ...]:
    """Return the type names of `type`; an empty name states nothing."""
    listed = words if isinstance(words, list) else [words]
    return tuple(dict.fromkeys(word for word in listed if isinstance(word, str) and word))


def _value_types(schema: dict[str, Any]) -> tuple[str, ...]:
    if "const" in schema:
        return (_word(schema["const"]),)
    values = schema.get("enum")
    return tuple(dict.fromkeys(map(_word, values))) if isinstance(values, list) else ()


def _word(value: object) -> str:
    match value:
        case None:
            return NULL
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _fits(word: str, allowed: str) -> bool:
    return word == allowed or (word == "integer" and allowed == "number") or (word == "map" and allowed == "object")


def _common(word: str, others: tuple[str, ...]) -> list[str]:
    if any(_fits(word, other) for other in others):
        return [word]
    return [other for other in others if _fits(other, word)]


def _decimal(parameters: object) -> str:
    # Both are text in what Connect writes. Without them: the precision and scale that Confluent's own reader assumes.
    members = parameters if isinstance(parameters, dict) else {}
    return f"decimal({members.get('connect.decimal.precision', 38)},{members.get('scale', 18)})"

"""JSON Schema validation errors as messages; values of the document are shown only through *shown*."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

Step = str | int
JsonPath = tuple[Step, ...]
Shown = Callable[[JsonPath], str]
"""Return the value at a path as shown to users."""

ErrorMessage = tuple[JsonPath, str, str]
"""Path, message, and a hint (or empty)."""


class SchemaError(Protocol):
    """The parts that we use of `jsonschema.ValidationError`."""

    validator: Any
    validator_value: Any
    instance: Any
    schema: Any
    context: Any

    @property
    def absolute_path(self) -> Sequence[Step]:
        """Return the path of the value that is wrong."""

    @property
    def relative_schema_path(self) -> Sequence[Step]:
        """Return the path of the keyword below the schema that was tried; its first step is the branch's number."""


_KINDS: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "null": "null",
}
_LIMITS = {
    "minimum": "must be at least {}",
    "exclusiveMinimum": "must be more than {}",
    "maximum": "must be at most {}",
    "exclusiveMaximum": "must be less than {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} entries",
    "maxItems": "must have at most {} entries",
    "minProperties": "must have at least {} members",
    "maxProperties": "must have at most {} members",
    "const": "must be {!r}",
}
_MISSES = {
    "pattern": "{} has an invalid format",
    "uniqueItems": "{} holds an entry twice",
    "not": "{} is not allowed here",
}


def error_messages(error: SchemaError, shown: Shown) -> Iterator[ErrorMessage]:
    """Yield one message for each thing to correct."""
    path = tuple(error.absolute_path)
    match error.validator:
        case "additionalProperties" | "unevaluatedProperties" if isinstance(error.instance, dict):
            yield from _unknown(error, path)
        case "required" if isinstance(error.instance, dict):
            yield from _missing(error, path)
        case "dependentRequired" if isinstance(error.instance, dict):
            yield from _incomplete(error, path)
        case "anyOf" | "oneOf" if error.context:
            yield from _no_branch(error, path, shown)
        case _:
            yield path, _what(error, shown(path)), _hint(error)


def closest_match(name: str, known: Sequence[str]) -> str:
    """Return a hint with the most similar known names; empty where none is similar."""
    candidates = get_close_matches(name, known, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, candidates))}?" if candidates else ""


def quoted(value: object) -> str:
    """Return *value* as JSON on one short line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def _unknown(error: SchemaError, path: JsonPath) -> Iterator[ErrorMessage]:
    known = list(error.schema.get("properties", {}))
    for key in sorted(set(error.instance) - set(known)):
        hint = closest_match(key, known) or (f"known values: {', '.join(known)}" if known else "")
        yield (*path, key), f"unknown member {key!r}", hint


def _missing(error: SchemaError, path: JsonPath) -> Iterator[ErrorMessage]:
    for name in error.validator_value:
        if name not in error.instance:
            about = error.schema.get("properties", {}).get(name, {})
            hint = str(about.get("description", "")) if isinstance(about, dict) else ""
            yield path, f"{name!r} is missing", hint


def _incomplete(error: SchemaError, path: JsonPath) -> Iterator[ErrorMessage]:
    for name, needed in error.validator_value.items():
        for other in needed if name in error.instance else ():
            if other not in error.instance:
                yield path, f"{name!r} needs {other!r} beside it", ""


def _no_branch(error: SchemaError, path: JsonPath, shown: Shown) -> Iterator[ErrorMessage]:
    """Yield messages of the branch that fits best; where no branch accepts the type, name the accepted types."""
    branches: dict[Step, list[SchemaError]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    fitting = [inner for inner in branches.values() if not any(_wrong_type(cause, path) for cause in inner)]
    if fitting:
        for inner in min(fitting, key=_distance):
            yield from error_messages(inner, shown)
    else:
        types = [cause for inner in branches.values() for cause in inner if _wrong_type(cause, path)]
        yield (
            path,
            _wrong(error.instance, list(dict.fromkeys(kind for cause in types for kind in _expected(cause)))),
            _hint(error),
        )


def _wrong_type(error: SchemaError, path: JsonPath) -> bool:
    return bool(error.validator == "type" and tuple(error.absolute_path) == path)


def _distance(errors: Sequence[SchemaError]) -> tuple[bool, int, int]:
    other_kind = any(error.validator in ("const", "enum") for error in errors)
    return other_kind, -max(len(error.absolute_path) for error in errors), len(errors)


def _expected(error: SchemaError) -> list[str]:
    types = error.validator_value
    return [_TYPES.get(name, name) for name in ([types] if isinstance(types, str) else types)]


def _wrong(instance: object, kinds: Sequence[str]) -> str:
    return f"{_KINDS.get(type(instance), 'a value')} stands where {' or '.join(kinds)} is expected"


def _what(error: SchemaError, shown: str) -> str:
    keyword, value = error.validator, error.validator_value
    if keyword == "type":
        return _wrong(error.instance, _expected(error))
    if keyword == "enum":
        return f"{shown} is not one of {', '.join(map(quoted, value))}"
    if keyword in ("minLength", "minItems", "minProperties") and value == 1:
        return "must not be empty"
    if keyword in _LIMITS:
        return _LIMITS[keyword].format(value)
    if keyword == "oneOf":
        return f"{shown} fits more than one of the forms allowed here"
    if keyword == "format":
        return f"{shown} is not a {value}"
    return _MISSES.get(keyword, "{} is not valid here").format(shown)


def _hint(error: SchemaError) -> str:
    schema = error.schema if isinstance(error.schema, dict) else {}
    if error.validator == "enum" and isinstance(error.instance, str):
        known = [value for value in error.validator_value if isinstance(value, str)]
        return closest_match(error.instance, known) or str(schema.get("description", ""))
    return str(schema.get("description", ""))

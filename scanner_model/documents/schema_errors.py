"""JSON Schema validation errors as messages; values of the document are shown only through *shown*."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from difflib import get_close_matches
from operator import ge, gt, le, lt
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


_SILENT = frozenset(("title", "description", "examples", "default", "$schema", "$id", "$comment", "$defs"))
_BESIDE = frozenset(("then", "else", "properties"))
"""Keywords that others read: `if`, and `additionalProperties`."""
Rule = Callable[[Any, Any, Mapping[str, Any], "SchemaReader"], "bool | None"]


class SchemaReader:
    """Judges values by a schema without its validator, which takes longer to import than most files to be read.

    It knows the keywords that our own schemas have. *formats* are the checks of texts; other formats allow any text.
    """

    def __init__(self, root: Mapping[str, Any], formats: Mapping[str, Callable[[str], bool]]) -> None:
        self._root = root
        self.formats = formats

    def judge(self, value: Any) -> bool | None:  # noqa: ANN401  any JSON
        """Return whether *value* is valid by the root schema; None where only the validator can tell."""
        return self.fits(value, self._root)

    def fits(self, value: Any, schema: Any) -> bool | None:  # noqa: ANN401
        """Return whether *value* is valid by *schema*, a part of the root schema."""
        if isinstance(schema, bool):
            return schema
        rules = ((_RULES.get(key), rule) for key, rule in schema.items() if key not in _SILENT | _BESIDE)
        judged = (None if known is None else known(value, rule, schema, self) for known, rule in rules)
        own = self.all_fit(value, schema["properties"]) if "properties" in schema else True
        return _all((own, *judged))

    def all_fit(self, value: Any, properties: Mapping[str, Any]) -> bool | None:  # noqa: ANN401
        """Return whether the members of *value* that *properties* has are valid; True for other values."""
        members = value if isinstance(value, dict) else {}
        return _all(self.fits(members[name], properties[name]) for name in properties if name in members)

    def referenced(self, reference: str) -> Any:  # noqa: ANN401
        """Return the part of the root schema that *reference* names; None if it is of a form that is not known."""
        part: Any = self._root if reference.startswith("#/") else None
        for step in reference.split("/")[1:]:
            part = part.get(step) if isinstance(part, dict) else None
        return part


def _all(judged: Iterable[bool | None]) -> bool | None:
    known = tuple(judged)
    return False if False in known else None if None in known else True


def _any(judged: Iterable[bool | None]) -> bool | None:
    known = tuple(judged)
    return True if True in known else None if None in known else False


def _kind(value: Any, kinds: Any, _schema: Mapping[str, Any], _reader: SchemaReader) -> bool | None:  # noqa: ANN401
    if isinstance(value, float):  # a whole one may be an integer
        return None
    return _KIND_NAMES[type(value)].isdisjoint((kinds,) if isinstance(kinds, str) else kinds) is False


def _equal(value: Any, wanted: Sequence[Any]) -> bool | None:  # noqa: ANN401
    return value in wanted if isinstance(value, str) else None  # 1, 1.0 and true have rules of their own


def _additional(value: Any, rule: Any, schema: Mapping[str, Any], reader: SchemaReader) -> bool | None:  # noqa: ANN401
    members = value if isinstance(value, dict) else {}
    return _all(reader.fits(members[name], rule) for name in members.keys() - schema.get("properties", {}).keys())


def _condition(value: Any, rule: Any, schema: Mapping[str, Any], reader: SchemaReader) -> bool | None:  # noqa: ANN401
    follows = {True: schema.get("then", True), False: schema.get("else", True)}
    is_met = reader.fits(value, rule)
    return reader.fits(value, follows[is_met]) if is_met is not None else None


def _needed(value: Any, rule: Any, _schema: Mapping[str, Any], _reader: SchemaReader) -> bool | None:  # noqa: ANN401
    members = value if isinstance(value, dict) else {}
    return all(one in members for name, needed in rule.items() if name in members for one in needed)


def _dependent(value: Any, rule: Any, _schema: Mapping[str, Any], reader: SchemaReader) -> bool | None:  # noqa: ANN401
    members = value if isinstance(value, dict) else {}
    return _all(reader.fits(value, inside) for name, inside in rule.items() if name in members)


def _reference(value: Any, rule: Any, _schema: Mapping[str, Any], reader: SchemaReader) -> bool | None:  # noqa: ANN401
    part = reader.referenced(rule)
    return None if part is None else reader.fits(value, part)


def _size(kind: type[Sized], holds: Callable[[int, Any], bool]) -> Rule:
    return lambda value, rule, _schema, _reader: not isinstance(value, kind) or holds(len(value), rule)


def _number(holds: Callable[[Any, Any], bool]) -> Rule:
    return lambda value, rule, _schema, _reader: type(value) not in (int, float) or holds(value, rule)


def _unique(value: Any, rule: Any, _schema: Mapping[str, Any], _reader: SchemaReader) -> bool | None:  # noqa: ANN401
    if not rule or not isinstance(value, list):
        return True
    return len(set(value)) == len(value) if all(isinstance(one, str) for one in value) else None


_KIND_NAMES: Mapping[type, frozenset[str]] = {
    dict: frozenset(("object",)),
    list: frozenset(("array",)),
    str: frozenset(("string",)),
    bool: frozenset(("boolean",)),
    int: frozenset(("integer", "number")),
    type(None): frozenset(("null",)),
}
_RULES: Mapping[str, Rule] = {
    "$ref": _reference,
    "type": _kind,
    "enum": lambda value, rule, _schema, _reader: _equal(value, rule),
    "const": lambda value, rule, _schema, _reader: _equal(value, (rule,)),
    "required": lambda value, rule, _schema, _reader: not isinstance(value, dict) or set(rule) <= value.keys(),
    "additionalProperties": _additional,
    "propertyNames": lambda value, rule, _schema, reader: _all(
        reader.fits(name, rule) for name in (value if isinstance(value, dict) else ())
    ),
    "items": lambda value, rule, _schema, reader: _all(
        reader.fits(item, rule) for item in (value if isinstance(value, list) else ())
    ),
    "anyOf": lambda value, rule, _schema, reader: _any(reader.fits(value, branch) for branch in rule),
    "allOf": lambda value, rule, _schema, reader: _all(reader.fits(value, branch) for branch in rule),
    "not": lambda value, rule, _schema, reader: {True: False, False: True, None: None}[reader.fits(value, rule)],
    "if": _condition,
    "dependentRequired": _needed,
    "dependentSchemas": _dependent,
    "pattern": lambda value, rule, _schema, _reader: not isinstance(value, str) or re.search(rule, value) is not None,
    "format": lambda value, rule, _schema, reader: (
        not isinstance(value, str) or rule not in reader.formats or reader.formats[rule](value)
    ),
    "minLength": _size(str, ge),
    "maxLength": _size(str, le),
    "minItems": _size(list, ge),
    "maxItems": _size(list, le),
    "minProperties": _size(dict, ge),
    "maxProperties": _size(dict, le),
    "minimum": _number(ge),
    "maximum": _number(le),
    "exclusiveMinimum": _number(gt),
    "exclusiveMaximum": _number(lt),
    "uniqueItems": _unique,
}
"""Whether a value fits a keyword, by the keyword: JSON Schema 2020-12 without what our schemas do not have."""

"""JSON Schema's rules: whether each document that one schema allows is allowed by another (drafts 4 to 2020-12).

`nullable` of a column means not required, or null allowed; where a text uses both, what cannot be decided is unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from scanner_dictionary.compatibility.changes import Judgement, broken, fine, objects, unclear
from scanner_dictionary.compatibility.column_pairs import (
    NULL,
    Alternative,
    ColumnContext,
    alternatives,
    is_branch,
    is_mark,
    read_all,
)
from scanner_model.schemas import Definition

_ANY = "any"
_OPENNESS = ("additionalProperties", "unevaluatedProperties")
_LIMITS = frozenset(
    {"additionalItems", "const", "contains", "dependencies", "dependentRequired", "dependentSchemas", "else", "enum"}
    | {"exclusiveMaximum", "exclusiveMinimum", "if", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum"}
    | {"minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "pattern"}
    | {"patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedItems", "uniqueItems"}
)
"""Keywords that refuse values of the right type."""

_FOREIGN = re.compile(r'"\$ref"\s*:\s*"(?!#)')


def reads(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    """Return whether the reader's property allows what the writer's allows."""
    if writer.column is None:
        return _unwritten(reader, writer)
    if reader.column is None:
        return _undeclared(reader, writer)
    if reader.column.recursive != writer.column.recursive:
        return unclear("a recursion begins or ends here, and columns show it only once")
    wanted, written = (
        alternatives(side_column.side, side_column.existing, Alternative) for side_column in (reader, writer)
    )
    return read_all(wanted, written, _allows)


def compare_definitions(reader: Definition, writer: Definition) -> tuple[Judgement, ...]:
    """Compare the keywords that no column shows, such as `enum` and `pattern`."""
    same = sorted(_limits(reader.text)) == sorted(_limits(writer.text))
    return () if same else (unclear("keywords that limit values differ (enum, pattern, maximum, …)"),)


def _unwritten(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    column = reader.existing
    if is_branch(column):
        return fine()
    if is_mark(column):
        return unclear("elements without a type may be anything")
    if not column.nullable:
        return broken("required, and data may lack it")
    if _mentions_null(reader.text):
        return unclear("it may be required, though it may be null")
    if _openness(writer.text) == {False}:
        return fine("optional")
    return unclear("data that was open to other properties may hold it with another type")


def _undeclared(reader: ColumnContext, writer: ColumnContext) -> Judgement:
    column = writer.existing
    if is_branch(column) and reader.above is not None:
        written = alternatives(writer.side, column, Alternative)
        finding = read_all(alternatives(reader.side, reader.above, Alternative), written, _allows)
        return finding if finding.verdict is not fine().verdict else unclear("another branch may allow it")
    if is_mark(column):
        return fine("elements without a type may be anything")
    match sorted(_openness(reader.text)):
        case [] | [True]:
            return fine("readers are open to other properties")
        case [False]:
            return broken("readers are closed to other properties")
    return unclear("readers are closed to other properties in some places")


def _allows(reader: Alternative, writer: Alternative) -> Judgement:
    if _ANY in (reader.word, writer.word):
        return fine() if reader.word == _ANY else broken(f"anything is not {reader.word}")
    if {reader.word, writer.word} == {"object", "map"}:
        return unclear("an object's properties may not be of the type of a map's values")
    if reader.word == writer.word:
        return fine() if reader.logical == writer.logical else _refined(reader, writer)
    if (writer.word, reader.word) == ("integer", "number"):
        return fine("an integer is a number")
    if writer.word == NULL:
        return broken("null, or no value, is not allowed")
    return broken(f"{writer.word} is not {reader.word}")


def _refined(reader: Alternative, writer: Alternative) -> Judgement:
    return unclear(f"{writer.logical or 'a plain value'} is read as {reader.logical or 'a plain value'}")


@lru_cache(maxsize=8)  # it is the same for every column of a text
def _mentions_null(text: str) -> bool:
    return NULL in text or "nullable" in text or bool(_FOREIGN.search(text))


@lru_cache(maxsize=8)
def _openness(text: str) -> frozenset[bool]:
    """Return whether the text's objects with properties are open to others: all, none, some (both)."""
    openness = frozenset(_is_open(schema) for schema in objects(text) if isinstance(schema.get("properties"), dict))
    return frozenset({True, False}) if _FOREIGN.search(text) else openness


def _is_open(schema: dict[str, object]) -> bool:
    return not any(schema.get(keyword) is False for keyword in _OPENNESS)


def _limits(text: str) -> Iterator[str]:
    for schema in objects(text):
        for keyword in sorted(_LIMITS & schema.keys()):
            yield f"{keyword} {json.dumps(schema[keyword], sort_keys=True)}"

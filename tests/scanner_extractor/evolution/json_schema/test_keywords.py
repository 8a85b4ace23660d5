"""JSON Schema's keywords one by one: what Confluent's registry finds where they are added, removed or changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scanner_extractor.evolution import Difference, Rules, SchemaText, differences

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
OBJECT, ARRAY = {"type": "object"}, {"type": "array"}
MODERN = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def found(before: Any, after: Any, **references: str) -> tuple[Difference, ...]:
    old, new = (SchemaText(json.dumps(schema), references) for schema in (before, after))
    return differences("JSON", new, old)


def rules(before: Any, after: Any) -> set[str]:
    return {difference.rule for difference in found(before, after)}


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [
        (OBJECT, OBJECT | {"propertyNames": {"pattern": "^a"}}, "", ""),
        (ARRAY, ARRAY | {"contains": STRING}, "", ""),
        (OBJECT, OBJECT | {"if": {"required": ["a"]}, "then": {"required": ["b"]}}, "TYPE_CHANGED", ""),
        (OBJECT, OBJECT | {"patternProperties": {"^a": STRING}}, "", ""),
        (OBJECT, OBJECT | {"dependencies": {"a": ["b"]}}, "DEPENDENCY_ARRAY_ADDED", ""),
        (OBJECT, OBJECT | {"dependencies": {"a": STRING}}, "DEPENDENCY_SCHEMA_ADDED", ""),
        (OBJECT | MODERN, OBJECT | MODERN | {"dependentRequired": {"a": ["b"]}}, "DEPENDENCY_ARRAY_ADDED", ""),
        (OBJECT | MODERN, OBJECT | MODERN | {"dependentSchemas": {"a": OBJECT}}, "DEPENDENCY_SCHEMA_ADDED", ""),
        (OBJECT | MODERN, OBJECT | MODERN | {"unevaluatedProperties": False}, "UNEVALUATED_PROPERTIES_REMOVED", ""),
        (ARRAY | MODERN, ARRAY | MODERN | {"unevaluatedItems": STRING}, "UNEVALUATED_ITEMS_NARROWED", ""),
        (OBJECT, OBJECT | {"unevaluatedProperties": False, "dependentRequired": {"a": ["b"]}}, "", ""),
        (ARRAY, ARRAY | {"minContains": 2}, "MIN_CONTAINS_ADDED", ""),
        (ARRAY, ARRAY | {"additionalItems": False}, "ADDITIONAL_ITEMS_REMOVED", ""),
        (ARRAY | {"items": STRING}, ARRAY | {"items": STRING, "additionalItems": False}, "", ""),
        (OBJECT, OBJECT | {"not": {"required": ["a"]}}, "TYPE_CHANGED", ""),
        (STRING, STRING | {"minimum": 0}, "TYPE_CHANGED", ""),
        (STRING, STRING | {"enum": ["a"]}, "TYPE_CHANGED", ""),
        ({}, {"format": "date"}, "TYPE_CHANGED", ""),
        ({}, {"dependencies": {}}, "TYPE_CHANGED", ""),
        (NUMBER, {"type": ["integer", "number"]}, "", "TYPE_CHANGED"),
        (OBJECT, {"type": ["object", "number"], "minimum": 5}, "", "TYPE_CHANGED"),
        (STRING | {"connect.type": "bytes"}, NUMBER | {"connect.type": "bytes"}, "", ""),
        ({"properties": {}}, {"properties": {"a": {}}}, "", ""),
        (
            {"properties": {}, "definitions": {"any": {}}},
            {"properties": {"a": {"$ref": "#/definitions/any"}}, "definitions": {"any": {}}},
            "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
            "",
        ),
    ],
)
def test_what_is_added_and_removed(before: Any, after: Any, added: str, removed: str) -> None:
    """An added keyword mostly refuses data; a removed one never does. Drafts until 7 do not know the newer ones."""
    assert rules(before, after) == ({added} if added else set())
    assert rules(after, before) == ({removed} if removed else set())


def with_base(kind: dict[str, str]) -> dict[str, Any]:
    definitions = {"Base": {"type": "object", "properties": {"at": kind}}}
    return OBJECT | {
        "properties": {"id": STRING},
        "allOf": [{"$ref": "#/definitions/Base"}],
        "definitions": definitions,
    }


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (with_base(STRING), with_base(INTEGER), "COMBINED_TYPE_SUBSCHEMAS_CHANGED"),
        (
            {"type": ["string", "null"], "anyOf": [{"maxLength": 5}, {"type": "null"}]},
            {"type": ["string", "null"], "anyOf": [{"maxLength": 3}, {"type": "null"}]},
            "COMBINED_TYPE_SUBSCHEMAS_CHANGED",
        ),
        ({"patternProperties": {"^a": STRING}}, {"patternProperties": {"^a": INTEGER}}, ""),
        (INTEGER | {"not": {"minimum": 5}}, INTEGER | {"not": {"minimum": 10}}, ""),
        (INTEGER | {"not": {"minimum": 10}}, INTEGER | {"not": {"minimum": 5}}, "COMBINED_TYPE_SUBSCHEMAS_CHANGED"),
        ({"not": {"minimum": 10}}, {"not": {"minimum": 5}}, "NOT_TYPE_EXTENDED"),
        (NUMBER | {"multipleOf": 0.3}, NUMBER | {"multipleOf": 0.1}, ""),
        (OBJECT | {"dependencies": {"a": ["b", "c"]}}, OBJECT | {"dependencies": {"a": ["b"]}}, ""),
        (
            OBJECT | {"dependencies": {"a": ["b"]}},
            OBJECT | {"dependencies": {"a": ["b", "c"]}},
            "DEPENDENCY_ARRAY_EXTENDED",
        ),
        (OBJECT | {"dependencies": {"a": STRING}}, OBJECT | {"dependencies": {"a": INTEGER}}, "TYPE_CHANGED"),
        (ARRAY | {"minContains": 1}, ARRAY | {"minContains": 2}, "MIN_CONTAINS_INCREASED"),
        ({"enum": [1]}, {"enum": [True, 2]}, "ENUM_ARRAY_NARROWED"),
    ],
)
def test_what_is_changed(before: Any, after: Any, rule: str) -> None:
    """Parts are paired with parts of their kind, and a negation counts in reverse."""
    assert rules(before, after) == ({rule} if rule else set())


SHORT, LONG = {"items": [STRING]}, {"items": [STRING, INTEGER]}
CLOSED, STRINGS, INTEGERS = {"additionalItems": False}, {"additionalItems": STRING}, {"additionalItems": INTEGER}


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (SHORT, LONG, "ITEM_ADDED_TO_OPEN_CONTENT_MODEL"),
        (SHORT, {"items": [STRING, {}]}, ""),
        (SHORT | CLOSED, LONG | CLOSED, ""),
        (SHORT | INTEGERS, LONG | INTEGERS, ""),
        (SHORT | STRINGS, LONG | STRINGS, "ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL"),
        (LONG, SHORT, ""),
        (LONG | CLOSED, SHORT | CLOSED, "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL"),
        (LONG | INTEGERS, SHORT | INTEGERS, ""),
        (LONG, {"items": [STRING, STRING]}, "TYPE_CHANGED"),
    ],
)
def test_tuples_are_compared_by_position(before: dict[str, Any], after: dict[str, Any], rule: str) -> None:
    """What stands behind a tuple decides whether it may grow or shrink."""
    modern = [{"prefixItems": schema["items"]} | named(schema) for schema in (before, after)]

    assert rules(before, after) - {"TYPE_CHANGED"} == {rule} - {"", "TYPE_CHANGED"}
    assert bool(found(before, after)) == bool(found(*modern)) == bool(rule)


def named(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what draft 2020-12 writes for the elements behind a tuple."""
    behind = {"items": schema["additionalItems"]} if "additionalItems" in schema else {}
    return ARRAY | MODERN | behind


def test_pattern_closes_the_content_model() -> None:
    """The schema of the first matching pattern stands for a property; nothing stands for the others."""
    before = OBJECT | {"patternProperties": {"^n": INTEGER}}

    assert rules(before, before | {"properties": {"n1": INTEGER}}) == set()
    assert rules(before, before | {"properties": {"x": INTEGER}}) == set()
    assert "TYPE_CHANGED" in rules(before, before | {"properties": {"n1": STRING}})


@pytest.mark.parametrize("pattern", ["(", "^(a|aa)+$"])
def test_pattern_that_cannot_be_evaluated_is_undecided(pattern: str) -> None:
    """One is no pattern for us, the other would take years."""
    before = OBJECT | {"patternProperties": {pattern: INTEGER}}
    (difference,) = found(before, before | {"properties": {"a" * 200 + "b": STRING}})

    assert not difference.certain


def test_recursive_change_is_found_from_every_side() -> None:
    """A pair inside itself is first taken to agree: what was concluded from that must not stay."""

    def tree(kind: dict[str, str]) -> dict[str, Any]:
        node = {"type": "object", "properties": {"next": {"oneOf": [{"$ref": "#"}, {"type": "null"}]}, "value": kind}}
        return {"oneOf": [{"$ref": "#/definitions/node"}, {"type": "null"}], "definitions": {"node": node}}

    assert rules(tree(STRING), tree(INTEGER)) == {"COMBINED_TYPE_SUBSCHEMAS_CHANGED"}
    assert not rules(tree(STRING), tree(STRING))


def test_change_behind_two_references_is_undecided() -> None:
    """The registry does not look there, so it accepts what readers do not read."""
    before, after = (
        {"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}, "b": kind}}
        for kind in (STRING, INTEGER)
    )

    assert [difference.certain for difference in found(before, after)] == [False]
    assert rules(before, STRING) == {"TYPE_CHANGED"}


def test_dynamic_reference_is_undecided() -> None:
    """What it leads to depends on the way there."""
    schema = MODERN | {"properties": {"a": {"$dynamicRef": "#node"}}}

    assert [difference.certain for difference in found(schema, schema)] == [False]


@pytest.mark.parametrize(
    ("before", "after", "strict"),
    [
        (OBJECT, OBJECT | {"properties": {"a": STRING}}, "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL"),
        (
            OBJECT | {"properties": {"a": STRING}, "additionalProperties": False},
            OBJECT | {"additionalProperties": False},
            "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL",
        ),
        (OBJECT, OBJECT | {"additionalProperties": False}, "ADDITIONAL_PROPERTIES_REMOVED"),
    ],
)
def test_lenient_policy_accepts_changes_of_the_content_model(before: Any, after: Any, strict: str) -> None:
    """What a validator would refuse, a team that evolves open models by agreement does not."""
    old, new = (SchemaText(json.dumps(schema)) for schema in (before, after))

    assert {difference.rule for difference in differences("JSON", new, old)} == {strict}
    assert not differences("JSON", new, old, Rules(lenient=True))


def test_lenient_policy_refuses_another_type() -> None:
    """Only the content model is lenient."""
    old, new = (SchemaText(json.dumps({"properties": {"a": kind}})) for kind in (STRING, INTEGER))

    assert differences("JSON", new, old, Rules(lenient=True))

"""Any JSON Schema, sensible or not: never an exception, no two columns with one path, parents first."""

from __future__ import annotations

import json

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.formats.json_schema.reader import json_schema_fields
from scanner_model.columns import ParsedSchema, field_segment

NAMES = st.sampled_from(["a", "b", "id", "x.y", "[]", "{}", "<a>", "$ref", ""])
WORDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
REFERENCES = st.sampled_from(
    [
        "#",
        "#/definitions/a",
        "#/definitions/b",
        "#/$defs/b",
        "#a",
        "other.json",
        "other.json#/definitions/a",
        "x",
        "#/%",
    ]
)
ODD = st.one_of(st.none(), st.integers(), st.text(max_size=3), st.lists(st.integers(), max_size=2))


def _schemas(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    listed = st.lists(inner, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    keywords: dict[str, st.SearchStrategy[object]] = {
        "type": st.one_of(WORDS, st.lists(WORDS, max_size=3)),
        "$ref": REFERENCES,
        "$dynamicRef": REFERENCES,
        "$recursiveRef": st.just("#"),
        "$dynamicAnchor": st.just("a"),
        "$recursiveAnchor": st.booleans(),
        "$id": st.sampled_from(["other.json", "urn:x", "#a", "http://[bad"]),
        "$schema": st.sampled_from(
            ["http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2020-12/schema"]
        ),
        "properties": named,
        "definitions": named,
        "patternProperties": named,
        "dependentSchemas": named,
        "required": st.lists(NAMES, max_size=2),
        "items": st.one_of(inner, listed),
        "prefixItems": listed,
        "additionalProperties": inner,
        "allOf": listed,
        "anyOf": listed,
        "oneOf": listed,
        "if": inner,
        "then": inner,
        "enum": st.lists(st.one_of(ODD, st.booleans()), max_size=3),
        "title": st.sampled_from(["A", "A>`", "a.b"]),
        "connect.type": st.sampled_from(["map", "int8"]),
        "connect.index": st.integers(0, 3),
    }
    return st.one_of(
        st.fixed_dictionaries({}, optional=keywords),
        st.dictionaries(st.sampled_from(sorted(keywords)), ODD, max_size=3),
        st.sampled_from([{"$ref": "#/definitions/a"}, {"$ref": "#"}]),
    )


SCHEMAS = st.recursive(st.one_of(st.booleans(), st.builds(lambda word: {"type": word}, WORDS)), _schemas, max_leaves=14)


def read(schema: object, other: object = True) -> ParsedSchema:
    return json_schema_fields(json.dumps(schema), {"other.json": json.dumps(other)}.get, None)


@examples(250)
@given(SCHEMAS, SCHEMAS)
def test_any_schema_gives_columns_with_paths_of_their_own_and_parents_first(schema: object, other: object) -> None:
    """A dictionary stores one row a path, and a child needs its parent; only an object at the root has no row."""
    paths = [column.path for column in read(schema, other).columns]

    assert len(set(paths)) == len(paths)
    seen = {()}
    for path in paths:
        assert path[:-1] in seen
        seen.add(path)


@examples(100)
@given(SCHEMAS)
def test_same_schema_gives_the_same_columns(schema: object) -> None:
    """What was read first must not change what is read after it."""
    assert read(schema) == read(schema)


@examples(100)
@given(SCHEMAS)
def test_reference_means_what_it_refers_to(schema: object) -> None:
    """Moving a definition elsewhere changes no type of a plain place, and makes no column disappear."""
    plain = st_free_of_references(schema)
    inline = read({"properties": {"f": plain}})
    referred = read({"properties": {"f": {"$ref": "#/definitions/z"}}, "definitions": {"z": plain}})

    assert [(column.path, column.type) for column in referred.columns] == [
        (column.path, column.type) for column in inline.columns
    ]


def st_free_of_references(schema: object) -> object:
    """Return *schema* without the keywords whose meaning depends on where it stands."""
    moved = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema", "connect.index")
    if isinstance(schema, dict):
        return {key: st_free_of_references(value) for key, value in schema.items() if key not in moved}
    return [st_free_of_references(value) for value in schema] if isinstance(schema, list) else schema


@examples(60)
@given(st.dictionaries(st.text(max_size=4), WORDS, max_size=6))
def test_every_property_is_a_column_under_its_own_name(properties: dict[str, str]) -> None:
    """Names are opaque and any text."""
    columns = read({"properties": {name: {"type": word} for name, word in properties.items()}}).columns

    assert [(column.path, column.type) for column in columns] == [
        ((field_segment(name),), word) for name, word in properties.items()
    ]


@examples(100)
@given(st.text(alphabet='{}[]":,atyp e$refonOf01\\ud8', max_size=40))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    """What cannot be read becomes a problem."""
    parsed = json_schema_fields(text, lambda _name: text, None)

    assert parsed.columns or parsed.problems or text.strip().startswith("{")

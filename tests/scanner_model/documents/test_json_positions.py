"""Places in JSON texts, and a validator's errors in plain words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from scanner_model.documents.json_positions import (
    PositionedJson,
    closest_match,
    json_path,
    parse_with_positions,
    schema_problems,
)
from scanner_model.errors import InputInvalid, Problem

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=15,
)


def reported(schema: Any, value: Any) -> list[str]:
    """List `path what (hint)` of every problem of *value*, written on one line."""
    document = parse_with_positions(json.dumps(value), "f")
    errors = Draft202012Validator(schema).iter_errors(document.value)
    return [str(problem).partition(" ")[2] for problem in schema_problems(errors, document)]


@given(JSON, st.sampled_from([None, 1, "\t"]))
def test_every_value_is_placed_where_it_starts(value, indent):
    """Whatever the layout: reading on from the place gives the value."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    document = parse_with_positions(text, "f")
    lines = text.split("\n")

    for path, (line, column) in document.positions.items():
        rest = "\n".join(lines[line - 1 :])[column - 1 :]
        assert json.JSONDecoder().raw_decode(rest)[0] == document.at(path)


def test_place_is_line_and_column_as_editors_count():
    """From 1, and a byte order mark counts nothing."""
    document = parse_with_positions('\ufeff{\r\n  "a": [1,\n {"b c": 2}]}', "f.json")

    assert document.where(("a", 1, "b c")) == 'f.json:3:10 $.a[1]["b c"]'
    assert document.where(("a", 1, "missing")) == "f.json:3:2 $.a[1].missing"


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ('{"a": 1,}', "f:1:", "comma"),
        ("", "f:1:1", ""),
        ('{"a": \n tru}', "f:2:2", ""),
        ("[1] 2", "f:1:5", ""),
    ],
)
def test_text_that_is_not_json_is_refused_with_its_place(text, where, hint):
    """A comma too many is the commonest slip, and the message of the library does not say so."""
    with pytest.raises(InputInvalid) as caught:
        parse_with_positions(text, "f")

    assert caught.value.where.startswith(where)
    assert hint in caught.value.hint


@pytest.mark.parametrize("text", ["[" * 250 + "]" * 250, "[" * 100_000, '{"a":' * 201 + "1" + "}" * 201])
def test_deep_nesting_is_refused_and_not_a_crash(text):
    """Nobody writes it by hand, and every later walk may recurse."""
    with pytest.raises(InputInvalid):
        parse_with_positions(text, "f")


def test_member_written_twice_is_a_problem_at_the_second():
    """JSON keeps the last one silently."""
    document = parse_with_positions('{"a": 1,\n "a": 2}', "f")

    assert list(schema_problems(iter(()), document)) == [
        Problem("f:2:7 $.a", "'a' is written twice", "keep one of them")
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [((), "$"), (("a", 0, "b_1"), "$.a[0].b_1"), (("a.b", "", 'q"'), '$["a.b"][""]["q\\""]'), (("ü",), '$["\\u00fc"]')],
)
def test_path_is_written_as_people_do(path, text):
    """Odd keys are quoted, so that the path can be pasted."""
    assert json_path(path) == text


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "string"}, 1, "a number stands where text is expected"),
        ({"type": ["array", "null"]}, True, "true or false stands where a list or null is expected"),
        (
            {"type": "integer", "description": "Count."},
            1.5,
            "a number stands where a whole number is expected (Count.)",
        ),
        ({"enum": ["avro", "json"]}, "avor", """"avor" is not one of "avro", "json" (did you mean 'avro'?)"""),
        ({"enum": [1, 2]}, 3, "3 is not one of 1, 2"),
        ({"const": "a"}, "b", "must be 'a'"),
        ({"minLength": 1}, "", "must not be empty"),
        ({"minItems": 2}, [1], "must have at least 2 entries"),
        ({"maximum": 5}, 6, "must be at most 5"),
        ({"exclusiveMinimum": 0}, 0, "must be more than 0"),
        ({"pattern": "^a"}, "b", '"b" has an invalid format'),
        ({"uniqueItems": True}, [1, 1], "[1, 1] holds an entry twice"),
        ({"not": {}}, 1, "1 is not allowed here"),
        ({"multipleOf": 2}, 3, "3 is not valid here"),
        ({"oneOf": [{}, {}]}, 1, "1 fits more than one of the forms allowed here"),
        (False, 1, "1 is not valid here"),
    ],
)
def test_validators_words_become_plain_ones(schema, value, expected):
    """`is not of type` and Python's repr are for programmers."""
    assert reported(schema, value) == [f"$: {expected}"]


def test_missing_members_are_named_one_by_one_with_what_they_mean():
    """The description reports what to write."""
    schema = {"required": ["a", "b", "c"], "properties": {"a": {"description": "The A."}, "c": True}}

    assert reported(schema, {"b": 1}) == ["$: 'a' is missing (The A.)", "$: 'c' is missing"]


def test_unknown_members_get_the_nearest_name_or_all():
    """A typo is likelier than an invention."""
    schema = {"properties": {"broker": {}, "topic": {}}, "additionalProperties": False}

    assert reported(schema, {"brokers": 1, "zzz": 2}) == [
        "$.brokers: unknown member 'brokers' (did you mean 'broker'?)",
        "$.zzz: unknown member 'zzz' (known values: broker, topic)",
    ]


def test_member_that_needs_another_states_which():
    """`dependentRequired` has its own words in every library."""
    assert reported({"dependentRequired": {"a": ["b"]}}, {"a": 1}) == ["$: 'a' needs 'b' beside it"]


def test_choice_between_types_names_the_types():
    """Not every branch's own complaint."""
    schema = {"anyOf": [{"type": "string"}, {"type": "array"}]}

    assert reported(schema, 1) == ["$: a number stands where text or a list is expected"]


def test_choice_complains_about_the_branch_that_fits_best():
    """The one with the same constant, however much is wrong in it."""
    schema = {
        "oneOf": [
            {"type": "string"},
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["y"]},
        ]
    }

    assert reported(schema, {"kind": "b"}) == ["$: 'y' is missing"]
    assert reported(schema, {"kind": "b", "y": 1}) == ["$.y: a number stands where text is expected"]


def test_problems_stand_in_the_order_of_the_file_and_once():
    """A validator's order is that of its schema."""
    schema = {"properties": {"z": {"type": "string"}, "a": {"allOf": [{"type": "string"}, {"type": "string"}]}}}

    assert [line.partition(":")[0] for line in reported(schema, {"a": 1, "z": 1})] == ["$.a", "$.z"]


def test_problem_shows_the_document_that_was_handed_in_not_the_value_validated():
    """What was validated may hold secrets from the environment."""
    document = PositionedJson({"a": "${A}"}, {(): (1, 1), ("a",): (1, 7)}, "f")
    errors = Draft202012Validator({"properties": {"a": {"enum": ["x"]}}}).iter_errors({"a": "hunter2"})

    (problem,) = schema_problems(errors, document)

    assert problem.what == '"${A}" is not one of "x"'


def test_long_value_is_cut():
    """A problem is a line."""
    assert len(reported({"pattern": "^a"}, "b" * 500)[0]) < 100


def test_nothing_near_gives_no_hint():
    """A far-fetched guess is worse than none."""
    assert closest_match("zebra", ["broker"]) == ""


def test_document_of_very_many_values_is_refused() -> None:
    """Each value is kept with its place."""
    with pytest.raises(InputInvalid, match="too large"):
        parse_with_positions("[" + "0," * 2_000_001 + "0]", "x")

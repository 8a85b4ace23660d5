"""What sample payloads in JSON say about a topic's columns."""

from __future__ import annotations

import json

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.formats.json_payload import json_payload_fields
from scanner_model.columns import Column, ParsedSchema


def read(text: str) -> ParsedSchema:
    return json_payload_fields(text, lambda _: None, None)


def samples(*documents: object) -> tuple[Column, ...]:
    return read("\n".join(map(json.dumps, documents))).columns


def shown(columns: tuple[Column, ...]) -> list[tuple[str, str, bool]]:
    return [(column.name, column.type, column.nullable) for column in columns]


@pytest.mark.parametrize(
    "text", ['[{"a": 1}, {"a": null}]', '{"a": 1}\n\n{"a": null}\n', '\ufeff{"a": 1}\r\n{"a": null}']
)
def test_samples_may_stand_in_an_array_or_one_a_line(text: str) -> None:
    """Tools export both."""
    assert shown(read(text).columns) == [("a", "integer", True)]


def test_one_document_may_be_spread_over_lines() -> None:
    """A pretty-printed document is one sample, not many broken ones."""
    assert shown(read('{\n "a": {\n  "b": true\n }\n}').columns) == [
        ("a", "object", False),
        ("a.b", "boolean", False),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", [("", "integer", False)]),
        ("null", [("", "null", True)]),
        ("[]", [("", "array", False)]),
        ('[1, {"a": 2}]', [("", "array", False), ("[]", "union", False)]),
        ('{"a": 1}\nnull', [("", "object", True), ("a", "integer", False)]),
    ],
)
def test_payload_that_is_no_object_has_a_root_column(text: str, expected: list[tuple[str, str, bool]]) -> None:
    """Keys are often plain values, and a tombstone is null."""
    assert shown(read(text).columns)[: len(expected)] == expected


def test_member_absent_from_a_sample_is_nullable_and_keeps_its_place() -> None:
    """Order is that of first appearance."""
    assert shown(samples({"b": 1, "a": 1}, {"c": 1, "a": 2})) == [
        ("b", "integer", True),
        ("a", "integer", False),
        ("c", "integer", True),
    ]


def test_member_of_an_object_is_measured_by_that_object() -> None:
    """Where the object is absent, its members are neither there nor missing."""
    assert shown(samples({"o": {"x": 1}}, {})) == [("o", "object", True), ("o.x", "integer", False)]


def test_elements_of_all_arrays_are_merged() -> None:
    """An empty array says nothing about its elements."""
    assert shown(samples({"t": []}, {"t": [{"x": 1}, {"x": 2, "y": None}]})) == [
        ("t", "array", False),
        ("t.[]", "object", False),
        ("t.[].x", "integer", False),
        ("t.[].y", "null", True),
    ]


def test_integers_and_fractions_are_numbers() -> None:
    """A serializer writes 1.0 as 1."""
    assert shown(samples({"p": 1}, {"p": 1.5})) == [("p", "number", False)]


def test_plain_kinds_that_differ_make_one_leaf() -> None:
    """As in every format: nothing lies below the branches."""
    assert samples({"a": "x"}, {"a": 1}, {"a": None}) == (
        Column(path=("a",), type="union", nullable=True, branches=("string", "integer")),
    )


def test_kinds_with_columns_of_their_own_are_distinguished() -> None:
    """Each sample has one of them, so every branch is nullable."""
    assert shown(samples({"a": {"x": 1}}, {"a": "s"}, {"a": [True]})) == [
        ("a", "union", False),
        ("a.<object>", "object", True),
        ("a.<object>.x", "integer", False),
        ("a.<string>", "string", True),
        ("a.<array>", "array", True),
        ("a.<array>.[]", "boolean", False),
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2024-02-29"], "date"),
        (["2023-02-29"], None),
        (["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.123456+02:00"], "date-time"),
        (["2024-01-02 03:04"], "date-time"),
        (["2024-01-02T25:04:05Z"], None),
        (["03:04:05"], "time"),
        (["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"], "uuid"),
        (["2024-01-02", "2024-01-02T03:04:05Z"], None),
        (["2024-01-02", "n/a", "2024-01-02"], None),
        (["20240102"], None),
    ],
)
def test_format_is_reported_where_every_text_has_it(values: list[str], expected: str | None) -> None:
    """One exception means that consumers must expect any text."""
    assert [column.logical_type for column in samples(*({"f": value} for value in values))] == [expected]


@pytest.mark.parametrize("text", ["", "{", "nope", '{"a": 1', '{\n"a": 1,\n}', "[" * 5000])
def test_text_that_is_no_json_gives_a_problem_and_no_columns(text: str) -> None:
    """A broken sample must not end a scan."""
    parsed = read(text)

    assert (parsed.columns, len(parsed.problems)) == ((), 1)


def test_line_that_is_no_json_is_reported_and_the_others_are_read() -> None:
    """A log of samples may be cut anywhere."""
    parsed = read('{"a": 1}\n{"a":\n{"b": 2}')

    assert shown(parsed.columns) == [("a", "integer", True), ("b", "integer", True)]
    assert [problem.where for problem in parsed.problems] == ["line 2"]


def test_many_broken_lines_are_counted() -> None:
    """Twenty examples say as much as a thousand."""
    parsed = read('{"a": 1}\n' + "x\n" * 50)

    assert len(parsed.problems) == 21
    assert parsed.problems[-1].what == "30 more lines are not JSON"


def test_no_problem_reports_a_sample_s_value() -> None:
    """Payloads are data; only their shape may leave this reader."""
    parsed = read(
        '{"card": 1}\n{"card": "4111-1111',
    )

    assert "4111" not in "".join(map(str, parsed.problems))


def test_sample_nested_beyond_the_limit_is_a_problem() -> None:
    """Generated samples may nest without end."""
    parsed = read('{"a":' * 1500 + "1" + "}" * 1500)

    assert (len(parsed.columns), len(parsed.problems)) == (0, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.[]<>`", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@examples(60)
@given(st.lists(JSON, min_size=1, max_size=4))
def test_order_of_samples_changes_the_order_of_columns_only(documents: list[object]) -> None:
    """Whichever sample came first, the same is known."""
    forth, back = samples(*documents), samples(*reversed(documents))

    assert sorted((c.name, c.type, c.nullable, c.logical_type or "", sorted(c.branches)) for c in forth) == sorted(
        (c.name, c.type, c.nullable, c.logical_type or "", sorted(c.branches)) for c in back
    )

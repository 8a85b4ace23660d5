"""JSON is read up to a limit of nesting, and what cannot be read has a line and column."""

from __future__ import annotations

import pytest

from scanner_extractor.formats import read_columns
from scanner_extractor.formats.limits import read_json
from scanner_model.documents.json_input import DEEPEST_SHARED
from scanner_model.errors import InputInvalid

WRONG = ["1,", "1 2", '{"a" 1}', '{"a":1,}', "{1:2}", '{"a":}', "[1", '{"a":1', '"', "nul", "[}", '{"a":[}', "]"]


def test_text_nests_up_to_the_limit() -> None:
    """The answer does not depend on the version of Python, whose own limits differ."""
    assert read_json("[" * (DEEPEST_SHARED - 1) + "]" * (DEEPEST_SHARED - 1))

    with pytest.raises(InputInvalid, match="more than 800 levels"):
        read_json("[" * (DEEPEST_SHARED + 1) + "]" * (DEEPEST_SHARED + 1))


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_text_is_refused(wrong: str) -> None:
    """With its line and column."""
    with pytest.raises(InputInvalid, match="not JSON"):
        read_json(wrong)


def test_what_is_wrong_has_line_and_column() -> None:
    """People mend text by its place."""
    with pytest.raises(InputInvalid) as caught:
        read_json('{\n  "a": ?\n}')

    assert caught.value.where == "2:8"


@pytest.mark.parametrize("text", ["", "[" * 5000 + "]" * 5000, "9" * 5000])
def test_what_nobody_needs_is_refused(text: str) -> None:
    """Depth and digits beyond reason are a refusal, not a crash."""
    with pytest.raises(InputInvalid):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"a\ud800"', "a\ufffd"),
        (r'"\udc00\uD800b"', "\ufffd\ufffdb"),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\\ud800"', r"\ud800"),
        ('"\ud800"', "\ufffd"),
        ("\ufeff1", 1),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept(text: str, expected: object) -> None:
    """Only the half cannot be stored; a backslash before it makes it plain text."""
    assert read_json(text) == expected


@pytest.mark.parametrize(
    ("format", "text", "where"),
    [
        ("AVRO", '{"type": "record", "name": "A",\n "fields": [],\n "name": "B"}', "3:10 $.name"),
        ("JSON", '{"properties": {"a": {"type": "string", "type": "null"}}}', "1:49 $.properties.a.type"),
    ],
)
def test_a_member_that_a_schema_has_twice_is_a_problem_with_its_position(format: str, text: str, where: str) -> None:
    """A registry and a client may read different ones of the two."""
    problems = read_columns(format, text, {}.get).problems

    assert [problem.where for problem in problems if "twice" in problem.what] == [where]

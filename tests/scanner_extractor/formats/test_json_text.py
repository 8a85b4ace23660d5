"""JSON of any depth is read as the standard library reads it, and what cannot be read has a place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner_extractor.formats.json_text import read_json
from scanner_model.errors import InputInvalid

DEPTH = 1500
"""More than the standard library reads."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def inside(value: object) -> object:
    """Return what stands in as many lists as DEPTH."""
    for _ in range(DEPTH):
        assert isinstance(value, list)
        (value,) = value
    return value


@settings(max_examples=50, deadline=None)
@given(JSON, st.sampled_from([None, 1, "\t"]))
def test_deep_text_is_read_like_shallow_text(value: object, indent: int | str | None) -> None:
    """The fallback must not differ from the library in anything but depth."""
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\ud800", "")

    assert inside(read_json("[" * DEPTH + text + " \n]" * DEPTH)) == read_json(text)


@pytest.mark.parametrize(
    "wrong",
    ["1,", "1 2", '{"a" 1}', '{"a":1,}', "{1:2}", '{"a":}', "[1", '{"a":1', '"', "nul", "[}", '{"a":[}', "]"],
)
def test_wrong_text_is_refused_at_any_depth(wrong: str) -> None:
    """What the library refuses in shallow text is refused in deep text too."""
    with pytest.raises(InputInvalid):
        read_json(wrong)
    with pytest.raises(InputInvalid):
        read_json("[" * DEPTH + wrong + "]" * DEPTH)


def test_text_after_the_document_is_refused_at_any_depth() -> None:
    """Two documents are not one."""
    with pytest.raises(InputInvalid) as caught:
        read_json("[" * DEPTH + "]" * DEPTH + "x")

    assert caught.value.where == f"1:{2 * DEPTH + 1}"


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

"""Expressions: plain paths are read without a library, and give what the library gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpath import finditer

from scanner_extractor.repository.topic_files.expressions import matches

PATHS = [
    "$",
    "$.a",
    "$.a.b",
    "$.*",
    "$[*]",
    "$.a[*].b",
    "$['a']",
    "$['a'].*",
    "$.a | $.b",
    "$ | $[*]",
    "$.a.b | $.c[*]",
]
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize("path", PATHS)
@given(document=st.lists(VALUES, max_size=3) | st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3))
def test_plain_paths_match_what_the_library_matches(path, document):
    found = [(match.value, match.keys) for match in matches(path, document)]

    assert found == [(match.obj, tuple(match.parts)) for match in finditer(path, document)]


def test_a_match_has_the_line_of_its_member_and_what_contains_it():
    from scanner_extractor.repository.yaml_documents import parse_yaml

    (document,) = parse_yaml("a:\n  b:\n    c: 1\n")
    (match,) = matches("$.a.b.c", document.value)

    assert (match.line, match.holder) == (3, {"c": "1"})

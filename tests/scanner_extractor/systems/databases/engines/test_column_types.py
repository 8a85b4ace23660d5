"""Types as the engines write them, with what is inside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.catalogs.column_types import Part, columns_of
from scanner_extractor.systems.databases.engines.definitions import engine_type


def unfolded(text: str) -> list[tuple[str, str]]:
    return [(".".join(column.path), column.type) for column in columns_of([Part(segment="c", shape=engine_type(text))])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("character varying", [("c", "character varying")]),
        ("integer[]", [("c", "array"), ("c.[]", "integer")]),
        (
            'struct<"A b" integer, tags character varying[], inner struct<x double precision>>',
            [
                *(("c", "struct"), ("c.A b", "integer"), ("c.tags", "array"), ("c.tags.[]", "character varying")),
                *(("c.inner", "struct"), ("c.inner.x", "double precision")),
            ],
        ),
        ("map(character varying,struct<n integer>)", [("c", "map"), ("c.{}", "struct"), ("c.{}.n", "integer")]),
        ("struct<a integer>[]", [("c", "array"), ("c.[]", "struct"), ("c.[].a", "integer")]),
        ("struct<integer>", [("c", "struct<integer>")]),
        ("", [("c", "")]),
    ],
)
def test_types_are_unfolded(text, expected) -> None:
    """A struct is written without commas between a name and its type; one without names is its text."""
    assert unfolded(text) == expected


def test_size_refines_the_type() -> None:
    """`vector(3)` is a vector."""
    shape = engine_type("vector(3)")

    assert (shape.word, shape.logical) == ("vector", "vector(3)")


@given(st.text(alphabet='struc<map(,)>[]" ab', max_size=80))
def test_any_text_is_a_type(text) -> None:
    """One that cannot be parsed keeps its text."""
    assert unfolded(text)


def test_nesting_is_followed_to_a_limit() -> None:
    """A type is what a server sends."""
    assert len(unfolded("integer" + "[]" * 500)) <= 101
    assert len(unfolded("struct<a " * 3_000 + "integer" + ">" * 3_000)) == 1

"""Hive's type texts: whatever is written in a catalog gives columns, or stays as it is written."""

from __future__ import annotations

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.catalogs.column_types import Part, Shape, columns_of, hive_shape, known_shape


def columns(text: str) -> list[tuple[str, str]]:
    return [(c.name, c.logical_type or c.type) for c in columns_of([Part(segment="r", shape=known_shape(text))])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bigint", ["bigint"]),
        ("decimal(10, 2)", ["decimal(10,2)"]),
        ("timestamp with local time zone", ["timestamp with local time zone"]),
        ("array<int>", ["array", "r.[] int"]),
        ("map<string,struct<x:varchar(3)>>", ["map", "r.{} struct", "r.{}.x varchar(3)"]),
        ("struct<>", ["struct"]),
        (
            "struct<a:int,b:array<struct<c:decimal(10,2)>>>",
            ["struct", "r.a int", "r.b array", "r.b.[] struct", "r.b.[].c decimal(10,2)"],
        ),
        ("struct < a : int , b : array < int > > ", ["struct", "r.a int", "r.b array", "r.b.[] int"]),
        ("STRUCT<a:INT>", ["STRUCT", "r.a INT"]),
        ("struct<`a:b`:int,`c``d`:int>", ["struct", "r.a:b int", "r.`c``d` int"]),
        ("struct<a.b:int,[]:int>", ["struct", "r.`a.b` int", "r.`[]` int"]),
        ("uniontype<int,decimal(3,1)>", ["uniontype"]),
        (
            "struct<a int(11), `b c` array<struct<d varchar(3)>>>",
            ["struct", "r.a int(11)", "r.b c array", "r.b c.[] struct", "r.b c.[].d varchar(3)"],
        ),
        ("map<varchar(5),struct<a: int>>", ["map", "r.{} struct", "r.{}.a int"]),
    ],
)
def test_types_unfold_into_columns(text: str, expected: list[str]) -> None:
    """Parents before what is in them; a name that looks like a mark, or holds a dot, is quoted."""
    head, *rest = columns(text)

    assert [head[1], *(" ".join(item) for item in rest)] == expected


def test_comments_and_not_null_of_fields_are_read() -> None:
    """Engines write them into the type's text, quotes and commas in them too."""
    shape = hive_shape("struct<a:int NOT NULL COMMENT 'the shop''s, really',b:string comment \"x>y\">")

    assert shape
    assert [(part.segment, part.nullable, part.doc) for part in shape.parts] == [
        ("a", False, "the shop's, really"),
        ("b", True, "x>y"),
    ]


def test_union_names_its_branches() -> None:
    """A column of it may be either."""
    shape = hive_shape("uniontype<int,decimal(3,1)>")

    assert shape == Shape(word="uniontype", branches=("int", "decimal(3,1)"))


@pytest.mark.parametrize(
    "text", ["", "array<int", "array<int>>", "map<int>", "struct<a>", "array<int,int>", "a<b>", "1"]
)
def test_what_is_no_type_stays_as_it_is_written(text: str) -> None:
    """A column of a type that nobody knows is a column."""
    assert hive_shape(text) is None
    assert known_shape(text) == Shape(word=text)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("array<" * 50_000 + "int" + ">" * 50_000, 0),
        ("struct<" + ",".join(f"c{n}:array<int>" for n in range(20_000)) + ">", 20_000),
        ("struct<" + " " * 500_000, 0),
        ("struct<a:" + "b " * 200_000, 0),
    ],
    ids=["deep", "wide", "spaces", "words"],
)
def test_deep_and_long_types_take_neither_the_stack_nor_the_day(text: str, parts: int, calls) -> None:
    """Anybody may write anything into a catalog."""
    shapes: list[Shape | None] = []
    counted = calls(lambda: shapes.append(hive_shape(text)))

    assert [len(shape.parts) if shape else 0 for shape in shapes] == [parts]
    assert counted.total() < 10_000 + 5 * len(text)


@examples(200)
@given(st.text(alphabet="struct<ay>map:,`'( )1in\\\"", max_size=60))
def test_any_text_gives_a_shape(text: str) -> None:
    """Catalogs hold what engines wrote, and some are not ours to know."""
    columns = list(columns_of([Part(segment="r", shape=known_shape(text))]))

    assert columns[0].path == ("r",)

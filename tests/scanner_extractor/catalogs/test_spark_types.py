"""Spark's types as JSON, as Databricks and Spark's own tables in Glue hold them."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.catalogs.column_types import Part, columns_of, spark_shape


def field(name: str, kind: object, **more: object) -> dict[str, object]:
    return {"name": name, "type": kind, "nullable": True, "metadata": {}, **more}


def test_structures_arrays_and_maps_unfold() -> None:
    """With what may be null, and what people said of a field."""
    inner = {"type": "struct", "fields": [field("c", "decimal(8,2)", nullable=False, metadata={"comment": "cents"})]}
    items = {"type": "array", "elementType": inner, "containsNull": False}
    tags = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
    text = json.dumps(field("r", {"type": "struct", "fields": [field("items", items), field("tags", tags)]}))
    shape = spark_shape(text)

    assert shape
    assert [
        (c.name, c.logical_type or c.type, c.nullable, c.doc) for c in columns_of([Part(segment="r", shape=shape)])
    ] == [
        ("r", "struct", True, None),
        ("r.items", "array", True, None),
        ("r.items.[]", "struct", False, None),
        ("r.items.[].c", "decimal(8,2)", False, "cents"),
        ("r.tags", "map", True, None),
        ("r.tags.{}", "string", True, None),
    ]


def test_type_alone_and_user_defined_type_are_read() -> None:
    """Unity's open-source server writes the type without a field around it."""
    user = {"type": "udt", "class": "a.Point", "sqlType": {"type": "array", "elementType": "double"}}

    assert [spark_shape(json.dumps(kind)).word for kind in ("long", user)] == ["long", "array"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["", "{", "1", '""', '{"type": 1}', '{"type": "array"}', '{"type": "new"}', '{"name": "a"}', "[" * 100_000]
)
def test_what_is_no_type_is_none(text: str) -> None:
    """The catalog's own word is shown then."""
    assert spark_shape(text) is None


def test_type_nested_too_deeply_is_none() -> None:
    """No stack is that deep."""
    text = '{"type":"array","elementType":' * 300 + '"int"' + "}" * 300

    assert spark_shape(text) is None

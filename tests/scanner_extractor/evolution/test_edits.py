"""Tests for edits of schema texts: what is parsed after an edit, and which levels of compatibility it passes."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.evolution import SchemaText, differences
from scanner_extractor.evolution.edits import key_schema, with_default, with_field, with_type, without_field
from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in
from scanner_model.columns import ColumnPath, field_name, parse_path, path_name
from scanner_model.errors import InputInvalid

AVRO = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "fields": [
            {"name": "id", "type": "string", "doc": "its number"},
            {"name": "total", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
            {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}},
            {"name": "last", "type": ["null", "State"], "default": None},
            {
                "name": "lines",
                "type": {
                    "type": "array",
                    "items": {"type": "record", "name": "Line", "fields": [{"name": "sku", "type": "string"}]},
                },
            },
            {"name": "extra", "type": {"type": "map", "values": ["null", "Line"]}, "default": {}},
            {
                "name": "means",
                "type": [
                    {"type": "record", "name": "Card", "fields": [{"name": "token", "type": "string"}]},
                    {"type": "record", "name": "Cash", "fields": [{"name": "token", "type": "int"}]},
                ],
            },
        ],
    }
)
JSON = json.dumps(
    {
        "type": "object",
        "required": ["id"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "string"},
            "buyer": {"$ref": "#/definitions/Person"},
            "lines": {"type": "array", "items": {"$ref": "#/definitions/Line"}},
        },
        "definitions": {
            "Person": {"type": "object", "additionalProperties": False, "properties": {"mail": {"type": "string"}}},
            "Line": {"type": "object", "additionalProperties": False, "properties": {"sku": {"type": "string"}}},
        },
    }
)
PROTOBUF = """syntax = "proto3";
package shop;
message Order {
  reserved 9 to 11;
  string id = 1; // its number; not the customer's
  repeated Line lines = 2 [deprecated = true];
  map<string, int32> stock = 3;
  oneof means { string card = 4; int64 cash = 5; }
  message Line { string sku = 1; }
}
"""
TEXTS = {"AVRO": AVRO, "JSON": JSON, "PROTOBUF": PROTOBUF}


def columns(format: str, text: str) -> dict[ColumnPath, str]:
    parsed = read_columns(format, text, lookup_in(format, {}), None)
    assert not parsed.problems
    return {column.path: column.type for column in parsed.columns if "{}" not in column.path[:-1]}


FIELDS = [
    (format, path_name(path))
    for format, text in TEXTS.items()
    for path in columns(format, text)
    if field_name(path[-1]) is not None
]


@pytest.mark.parametrize(("format", "name"), FIELDS)
def test_a_copy_comes_beside_a_field_and_then_takes_its_place(format, name) -> None:
    """Whatever is below the field is below its copy, also types that only the old field defined."""
    before, old = columns(format, TEXTS[format]), parse_path(name)
    new = (*old[:-1], "copy")

    both = with_field(format, TEXTS[format], old, "copy")
    alone = without_field(format, both.text, old).text

    assert {*columns(format, both.text)} > {*before}
    assert "copy" in both.added
    assert columns(format, alone) == {
        (*new, *path[len(old) :]) if path[: len(old)] == old else path: type for path, type in before.items()
    }


@pytest.mark.parametrize(("format", "name"), FIELDS)
def test_readers_of_either_schema_read_what_is_written_with_the_other_while_both_fields_live(format, name) -> None:
    both = with_field(format, TEXTS[format], parse_path(name), "copy").text
    before = SchemaText(TEXTS[format])

    assert not differences(format, SchemaText(both), before)
    if format != "JSON":  # a closed content model: an old reader refuses the new property
        assert not differences(format, before, SchemaText(both))


@pytest.mark.parametrize("name", ["id", "total", "lines", "extra", "last", "lines.[].sku"])
def test_a_default_lets_old_readers_do_without_the_field(name) -> None:
    given = with_default("AVRO", AVRO, parse_path(name)).text
    gone = without_field("AVRO", given, parse_path(name)).text

    assert not differences("AVRO", SchemaText(given), SchemaText(AVRO))
    assert not differences("AVRO", SchemaText(given), SchemaText(gone))


@pytest.mark.parametrize(
    ("format", "name", "type", "expected"),
    [
        ("AVRO", "id", "bytes", "bytes"),
        ("AVRO", "total", '{"type": "array", "items": "long"}', "array"),
        ("JSON", "id", "integer", "integer"),
        ("JSON", "lines.[].sku", '{"type": "number"}', "number"),
        ("PROTOBUF", "id", "bytes", "bytes"),
        ("PROTOBUF", "lines.[].sku", "int64", "int64"),
    ],
)
def test_a_field_gets_another_type(format, name, type, expected) -> None:
    path = parse_path(name)

    assert columns(format, with_type(format, TEXTS[format], path, type).text)[path] == expected
    assert columns(format, with_field(format, TEXTS[format], path, "copy", type).text)[(*path[:-1], "copy")] == expected


@pytest.mark.parametrize(
    ("format", "names", "expected"),
    [
        ("AVRO", ["id"], {(): "string"}),
        ("AVRO", ["last"], {(): "enum"}),
        ("AVRO", ["id", "lines.[].sku"], {("id",): "string", ("sku",): "string"}),
        ("JSON", ["id"], {(): "string"}),
        ("JSON", ["id", "buyer.mail"], {("id",): "string", ("mail",): "string"}),
        ("PROTOBUF", ["id", "cash"], {("id",): "string", ("cash",): "int64"}),
    ],
)
def test_a_key_has_the_types_of_its_fields(format, names, expected) -> None:
    key = key_schema(format, TEXTS[format], [parse_path(name) for name in names], "OrderKey")

    assert columns(format, key) == expected


@pytest.mark.parametrize("format", TEXTS)
def test_what_the_text_does_not_declare_and_what_it_has_already_is_an_error(format) -> None:
    with pytest.raises(InputInvalid, match="does not declare nowhere"):
        without_field(format, TEXTS[format], ("nowhere",))
    with pytest.raises(InputInvalid, match="a field id already"):
        with_field(format, TEXTS[format], ("lines",), "id")


def test_a_number_that_a_message_reserves_is_not_used_again() -> None:
    added = with_field("PROTOBUF", PROTOBUF, ("id",), "copy").added
    dropped = without_field("PROTOBUF", PROTOBUF, ("stock",)).text

    assert added == "string copy = 12;"
    assert 'reserved 3; reserved "stock";' in dropped


def test_a_plugin_format_is_not_edited() -> None:
    with pytest.raises(InputInvalid, match="THRIFT"):
        with_field("THRIFT", "", ("id",), "copy")

"""The format of a schema file, told from its name and its content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_api.input_files import format_of

CASES = [
    ("a.avsc", "{}", "AVRO"),
    ("a.proto", "", "PROTOBUF"),
    ("A.PROTO", "", "PROTOBUF"),
    ("a.jsonl", "{}", "JSON_PAYLOAD"),
    ("a.json", '{"type": "record", "name": "A", "fields": []}', "AVRO"),
    ("a.json", '{"type": {"type": "enum", "name": "A", "symbols": []}}', "AVRO"),
    ("a.json", '["null", "string"]', "AVRO"),
    ("a.json", '"string"', "AVRO"),
    ("a.json", '{"type": "array", "items": "string"}', "AVRO"),
    ("a.json", '{"type": "array", "items": {"type": "record", "name": "A", "fields": []}}', "AVRO"),
    ("a.json", '{"type": "map", "values": "long"}', "AVRO"),
    ("a.json", '{"type": "record", "name": "A", "fields": [', "AVRO"),
    ("a.json", '{"type": "array", "items": {"type": "string"}}', "JSON"),
    ("a.json", '{"type": "array", "items": [{"type": "string"}]}', "JSON"),
    ("a.json", '{"properties": {"type": {"const": "record"}, "x": {"type": "record"}}}', "JSON"),
    ("a.json", '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "record"}', "JSON"),
    ("a.json", '{"type": ["null", "string"]}', "JSON"),
    ("a.json", "true", "JSON"),
    ("a.json", "{", "JSON"),
    ("a.json", '{"$schema": "x", "properties": {"type": {"type": "record"}', "JSON"),
    ("a.json", "[" * 100_000, "JSON"),
    ("-", "string", "AVRO"),
    ("-", "hello", "JSON"),
    ("-", 'syntax = "proto3";', "PROTOBUF"),
    ("-", "// money\nmessage Money {}", "PROTOBUF"),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES)
def test_format_is_detected_from_name_and_text(name, text, expected) -> None:
    """Every registry hands out texts without saying what they are."""
    assert format_of(name, text) == expected


@given(st.text())
def test_any_text_has_a_format(text) -> None:
    """Its reader tells what is wrong with it."""
    assert format_of("-", text) in {"AVRO", "JSON", "PROTOBUF"}

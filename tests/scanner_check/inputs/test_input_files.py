"""The format of a schema file, told from its name and its content."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_check.inputs.input_files import format_of, schema_in
from scanner_model.errors import InputInvalid

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


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '{"subject": "t-value", "version": 1, "id": 3, "schema": "\\"int\\""}', ('"int"', "AVRO")),
        ("-", '{"schemaType": "PROTOBUF", "id": 1, "schema": "message A {}"}', ("message A {}", "PROTOBUF")),
        ("a.avpr", '{"protocol": "P", "namespace": "a", "types": []}', ("[]", "AVRO")),
        (
            "a.avsc",
            '// "x"\n{"type": "int" /* {\n */, "doc": "// no"}',
            ('      \n{"type": "int"     \n   , "doc": "// no"}', "AVRO"),
        ),
        ("a.proto", "message A {}", ("message A {}", "PROTOBUF")),
        ("a.json", '{"type": "object"}', ('{"type": "object"}', "JSON")),
        ("a.json", "{}", ("{}", "JSON")),
    ],
)
def test_the_schema_in_a_file_is_found(name: str, text: str, expected: tuple[str, str]) -> None:
    """A registry's answer, a protocol and a file with comments hold one."""
    assert schema_in(name, text) == expected


@pytest.mark.parametrize(
    "text", ['{"openapi": "3.0.0", "info": {}}', '{"kind": "Deployment"}', '{"name": "a", "config": {}}']
)
def test_an_object_that_describes_something_else_is_refused(text: str) -> None:
    with pytest.raises(InputInvalid, match="is not a schema"):
        schema_in("a.json", text)


@given(text=st.text(max_size=300))
def test_any_text_has_a_schema_or_is_refused(text: str) -> None:
    with suppress(InputInvalid):
        assert schema_in("a.avsc", text)[1]

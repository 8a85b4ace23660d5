"""A text is rejected for what its format's own parser rejects, at the place, and for nothing else."""

from __future__ import annotations

import pytest

from scanner_extractor.evolution import SchemaText, rejection

RECORD = '{"type": "record", "name": "R", "fields": [{"name": "e",\n"type": %s}]}'
MESSAGE = 'syntax = "proto3";\nmessage R {\n  string e = 1;\n  %s\n}\n'
OBJECT = '{"type": "object", "properties": {\n"e": %s}}'


@pytest.mark.parametrize(
    ("format", "text", "place", "word"),
    [
        ("AVRO", RECORD % '"strng"', (2, 9), "string"),
        ("AVRO", RECORD % '["null", "Integer"]', (2, 18), "int"),
        ("AVRO", RECORD % '{"type": "array", "items": "Double"}', (2, 36), "double"),
        ("AVRO", RECORD % '{"type": "enum", "name": "E"}', (2, 9), "symbols"),
        ("AVRO", RECORD % "3", (2, 9), "type"),
        ("AVRO", RECORD % '"int"},\n{"name": "e", "type": "int"', (3, 1), "twice"),
        ("AVRO", '{"type": "record" "name": "R"}', (1, 19), "JSON"),
        ("PROTOBUF", MESSAGE % "int32 n = 2", (5, 1), ";"),
        ("PROTOBUF", MESSAGE % "int32 n = 1;", (4, 9), "number 1"),
        ("PROTOBUF", MESSAGE % "map<string, strng> n = 2;", (4, 22), "strng"),
        ("PROTOBUF", MESSAGE % "message In { int n = 1; }", (4, 20), "int"),
        ("JSON", OBJECT % '{"type": "strng"}', (2, 15), "strng"),
        ("JSON", OBJECT % '{"required": true}', (2, 19), "array"),
        ("JSON", OBJECT % "3", (2, 6), "3"),
        ("JSON", '{"type" "object"}', (1, 9), "JSON"),
    ],
)
def test_an_invalid_text_is_rejected_at_its_place(format: str, text: str, place: tuple[int, int], word: str) -> None:
    found = rejection(format, SchemaText(text))

    assert found is not None
    assert ((found.line, found.column), word in found.why) == (place, True)


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("AVRO", RECORD % '"Money"'),
        ("AVRO", RECORD % '"com.acme.Strng"'),
        ("AVRO", RECORD % '{"type": "map", "values": ["null", {"type": "string", "logicalType": "x"}]}'),
        ("AVRO", '"string"'),
        ("AVRO", '[{"type": "fixed", "name": "F", "size": 3}, "F"]'),
        ("PROTOBUF", 'import "other.proto";\n' + MESSAGE % "Other n = 2;"),
        ("PROTOBUF", MESSAGE % "google.protobuf.Timestamp at = 2;".replace("google.protobuf.Timestamp", "R")),
        ("JSON", OBJECT % '{"type": ["string", "null"], "anything": 3}'),
        ("JSON", "true"),
        ("THRIFT", "struct R {"),
    ],
)
def test_what_another_text_may_declare_is_no_reason(format: str, text: str) -> None:
    assert rejection(format, SchemaText(text)) is None


def test_a_type_of_a_reference_is_known() -> None:
    other = '{"type": "enum", "name": "Strin", "symbols": ["A"]}'

    assert rejection("AVRO", SchemaText(RECORD % '"Strin"')) is not None
    assert rejection("AVRO", SchemaText(RECORD % '"Strin"', {"any": other})) is None

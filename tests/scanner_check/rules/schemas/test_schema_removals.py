"""Edits of schema files that break a reader or a writer, beyond another type: none of them is fine."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from scanner_check.model import Verdict
from scanner_check.rows.schemas import SYMBOLS_REMOVED
from scanner_check.rows.table import row_of

pytestmark = pytest.mark.slow

DRAFT = "https://json-schema.org/draft/2020-12/schema"
NUMBERS = count()
STATE = {"type": "enum", "name": "State", "symbols": ["OPEN", "PAID", "SHIPPED"]}
ADDRESS = {"type": "record", "name": "Address", "fields": [{"name": "street", "type": "string"}]}
CENTS = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}


def record(*fields: dict[str, Any], **more: Any) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": [field("id", "long"), *fields], **more})


def field(name: str, type: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type, **more}


def logical(name: str) -> dict[str, str]:
    return {"type": "long", "logicalType": name}


AVRO = {
    "required field removed": (record(field("a", "int")), record()),
    "field with a default removed": (record(field("a", "int", default=0)), record()),
    "nested field removed": (
        record(field("to", ADDRESS | {"fields": [*ADDRESS["fields"], field("city", "string")]})),
        record(field("to", ADDRESS)),
    ),
    "required field added": (record(), record(field("a", "int"))),
    "field renamed": (record(field("a", "int")), record(field("b", "int"))),
    "field renamed with a default": (record(field("a", "int", default=0)), record(field("b", "int", default=0))),
    "letter case of a field": (record(field("total", "int")), record(field("Total", "int"))),
    "record renamed": (record(), record(name="Sale")),
    "nested record renamed": (record(field("to", ADDRESS)), record(field("to", ADDRESS | {"name": "Place"}))),
    "enum renamed": (record(field("s", STATE)), record(field("s", STATE | {"name": "Status"}))),
    "symbol removed": (record(field("s", STATE)), record(field("s", STATE | {"symbols": ["OPEN", "PAID"]}))),
    "symbol renamed": (
        record(field("s", STATE)),
        record(field("s", STATE | {"symbols": ["OPEN", "PAYED", "SHIPPED"]})),
    ),
    "branch removed": (record(field("u", ["int", "string", "boolean"])), record(field("u", ["int", "string"]))),
    "null removed": (record(field("a", ["null", "int"])), record(field("a", "int"))),
    "size of a fixed": (
        record(field("f", {"type": "fixed", "name": "F", "size": 8})),
        record(field("f", {"type": "fixed", "name": "F", "size": 9})),
    ),
    "unit of a time": (
        record(field("t", logical("timestamp-millis"))),
        record(field("t", logical("timestamp-micros"))),
    ),
    "logical type removed": (record(field("t", logical("timestamp-millis"))), record(field("t", "long"))),
    "scale of a decimal": (record(field("a", CENTS)), record(field("a", CENTS | {"scale": 3}))),
    "items of an array": (
        record(field("a", {"type": "array", "items": ADDRESS})),
        record(field("a", {"type": "array", "items": "string"})),
    ),
    "array to map": (
        record(field("a", {"type": "array", "items": "int"})),
        record(field("a", {"type": "map", "values": "int"})),
    ),
    "enum alone loses a symbol": (json.dumps(STATE), json.dumps(STATE | {"symbols": ["OPEN"]})),
}


def shape(properties: dict[str, Any], **more: Any) -> str:
    own = {
        "$schema": DRAFT,
        "title": "Order",
        "type": "object",
        "properties": {"id": {"type": "integer"}, **properties},
    }
    return json.dumps(own | more)


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
JSON = {
    "required property removed": (shape({"a": TEXT}, required=["a"]), shape({})),
    "property removed": (shape({"a": TEXT}), shape({})),
    "property removed from a closed model": (
        shape({"a": TEXT}, additionalProperties=False),
        shape({}, additionalProperties=False),
    ),
    "property renamed": (shape({"a": TEXT}), shape({"b": TEXT})),
    "property required": (shape({"a": TEXT}), shape({"a": TEXT}, required=["a"])),
    "required property added": (shape({}), shape({"a": TEXT}, required=["a"])),
    "property no longer required": (shape({"a": TEXT}, required=["a"]), shape({"a": TEXT})),
    "model closed": (shape({"a": TEXT}), shape({"a": TEXT}, additionalProperties=False)),
    "value removed": (shape({"s": {"enum": ["OPEN", "PAID"]}}), shape({"s": {"enum": ["OPEN"]}})),
    "value renamed": (shape({"s": {"enum": ["OPEN", "PAID"]}}), shape({"s": {"enum": ["OPEN", "PAYED"]}})),
    "enum added": (shape({"s": TEXT}), shape({"s": TEXT | {"enum": ["OPEN"]}})),
    "constant": (shape({"s": {"const": "A"}}), shape({"s": {"const": "B"}})),
    "null removed": (shape({"a": {"type": ["string", "null"]}}), shape({"a": TEXT})),
    "shorter": (shape({"a": TEXT | {"maxLength": 9}}), shape({"a": TEXT | {"maxLength": 5}})),
    "smaller": (shape({"a": NUMBER | {"maximum": 9}}), shape({"a": NUMBER | {"maximum": 5}})),
    "larger": (shape({"a": NUMBER | {"minimum": 1}}), shape({"a": NUMBER | {"minimum": 5}})),
    "multiple": (shape({"a": NUMBER}), shape({"a": NUMBER | {"multipleOf": 5}})),
    "pattern": (shape({"a": TEXT | {"pattern": "^a"}}), shape({"a": TEXT | {"pattern": "^b"}})),
    "format": (shape({"a": TEXT | {"format": "date"}}), shape({"a": TEXT | {"format": "date-time"}})),
    "fewer items": (
        shape({"a": {"type": "array", "items": TEXT}}),
        shape({"a": {"type": "array", "items": TEXT, "maxItems": 3}}),
    ),
    "items": (shape({"a": {"type": "array", "items": TEXT}}), shape({"a": {"type": "array", "items": NUMBER}})),
    "branch removed": (shape({"a": {"oneOf": [TEXT, NUMBER]}}), shape({"a": {"oneOf": [TEXT]}})),
    "definition": (
        shape({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"type": "object", "properties": {"x": TEXT}}}}),
        shape({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"type": "object", "properties": {"y": TEXT}}}}),
    ),
    "dependent property": (shape({"a": TEXT}), shape({"a": TEXT}, dependentRequired={"a": ["id"]})),
    "names of properties": (shape({}), shape({}, propertyNames={"pattern": "^[a-z]+$"})),
    "condition": (shape({"a": TEXT}), shape({"a": TEXT}, **{"if": {"required": ["a"]}, "then": {"required": ["id"]}})),
}


def proto(body: str, head: str = "") -> str:
    return f'syntax = "proto3";\n{head}\n{body}\n'


ORDER = "message Order {{ int64 id = 1; {} }}"


def message(fields: str) -> str:
    return proto(ORDER.format(fields))


STATES = "enum State {{ NONE = 0; {} }} message Order {{ State state = 1; }}"
API = "message A {{ int64 id = 1; }} message B {{ int64 id = 1; }} service Orders {{ {} }}"
PROTOBUF = {
    "field removed": (message("string a = 2;"), message("")),
    "field removed and reserved": (message("string a = 2;"), message('reserved 2; reserved "a";')),
    "number": (message("string a = 2;"), message("string a = 3;")),
    "numbers exchanged": (message("string a = 2; string b = 3;"), message("string b = 2; string a = 3;")),
    "field renamed": (message("string a = 2;"), message("string b = 2;")),
    "JSON name": (message("string a = 2;"), message('string a = 2 [json_name = "z"];')),
    "repeated": (message("string a = 2;"), message("repeated string a = 2;")),
    "not repeated any more": (message("repeated string a = 2;"), message("string a = 2;")),
    "into a oneof": (
        message("string a = 2; string b = 3;"),
        message("oneof choice { string a = 2; string b = 3; }"),
    ),
    "member of a oneof removed": (
        message("oneof choice { string a = 2; string b = 3; }"),
        message("oneof choice { string a = 2; }"),
    ),
    "value of a map": (message("map<string, string> a = 2;"), message("map<string, int64> a = 2;")),
    "reserved number free again": (message("reserved 2;"), message("")),
    "reserved number used": (message("reserved 2;"), message("string a = 2;")),
    "reserved name free again": (message('reserved "a";'), message("")),
    "extension range": ('syntax = "proto2";\nmessage Order { optional int64 id = 1; extensions 100 to 199; }\n',
                        'syntax = "proto2";\nmessage Order { optional int64 id = 1; extensions 100 to 109; }\n'),
    "required": ('syntax = "proto2";\nmessage Order { optional int64 id = 1; }\n',
                 'syntax = "proto2";\nmessage Order { required int64 id = 1; }\n'),
    "syntax": ('syntax = "proto2";\nmessage Order { optional int64 id = 1; }\n',
               'syntax = "proto3";\nmessage Order { int64 id = 1; }\n'),
    "message removed": (proto("message Order { int64 id = 1; } message Line { int64 id = 1; }"), message("")),
    "field of another message removed": (
        proto("message Order { int64 id = 1; } message Sent { int64 id = 1; string code = 2; }"),
        proto("message Order { int64 id = 1; } message Sent { int64 id = 1; }"),
    ),
    "field of another message renamed": (
        proto("message Order { int64 id = 1; } message Sent { int64 id = 1; string code = 2; }"),
        proto("message Order { int64 id = 1; } message Sent { int64 id = 1; string number = 2; }"),
    ),
    "message renamed": (message(""), proto("message Sale { int64 id = 1; }")),
    "nested message removed": (message("message Line { int64 id = 1; }"), message("")),
    "package": (proto(ORDER.format(""), "package shop;"), proto(ORDER.format(""), "package store;")),
    "symbol removed": (proto(STATES.format("OPEN = 1; PAID = 2;")), proto(STATES.format("OPEN = 1;"))),
    "symbol renumbered": (proto(STATES.format("OPEN = 1; PAID = 2;")), proto(STATES.format("OPEN = 1; PAID = 3;"))),
    "symbol renamed": (proto(STATES.format("OPEN = 1; PAID = 2;")), proto(STATES.format("OPEN = 1; PAYED = 2;"))),
    "enum removed": (proto("enum State { NONE = 0; } message Order { int64 id = 1; }"), message("")),
    "enum alone loses a symbol": (proto("enum State { NONE = 0; OPEN = 1; }"), proto("enum State { NONE = 0; }")),
    "reserved symbol free again": (
        proto("enum State { NONE = 0; reserved 2; }"),
        proto("enum State { NONE = 0; }"),
    ),
    "service removed": (
        proto(API.format("rpc Get (A) returns (B);")),
        proto("message A { int64 id = 1; } message B { int64 id = 1; }"),
    ),
    "call removed": (
        proto(API.format("rpc Get (A) returns (B); rpc Put (B) returns (A);")),
        proto(API.format("rpc Get (A) returns (B);")),
    ),
    "call renamed": (proto(API.format("rpc Get (A) returns (B);")), proto(API.format("rpc Fetch (A) returns (B);"))),
    "call's request": (proto(API.format("rpc Get (A) returns (B);")), proto(API.format("rpc Get (B) returns (B);"))),
    "call's answer": (proto(API.format("rpc Get (A) returns (B);")), proto(API.format("rpc Get (A) returns (A);"))),
    "call streams": (
        proto(API.format("rpc Get (A) returns (B);")),
        proto(API.format("rpc Get (A) returns (stream B);")),
    ),
}  # fmt: skip
EDITS = [
    *(("order.avsc", name, *texts) for name, texts in AVRO.items()),
    *(("order.schema.json", name, *texts) for name, texts in JSON.items()),
    *(("order.proto", name, *texts) for name, texts in PROTOBUF.items()),
]


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [(file, before, after) for file, _, before, after in EDITS],
    ids=[f"{file}: {name}" for file, name, _, _ in EDITS],
)
def test_a_breaking_edit_is_not_fine(check, file: str, before: str, after: str) -> None:
    report = check({file: after}, {file: before, "README.md": f"example {next(NUMBERS)}"})

    assert report.verdict is not Verdict.FINE
    assert [examined.file for examined in report.files] == [file]


AVRO_PARTS = {"address.avsc": json.dumps(ADDRESS), "order.avsc": record(field("to", "Address"))}
JSON_PARTS = {
    "address.schema.json": json.dumps(
        {"$schema": DRAFT, "title": "Address", "type": "object", "properties": {"a": TEXT}}
    ),
    "order.schema.json": shape({"to": {"$ref": "address.schema.json"}}),
}
PROTO_PARTS = {
    "address.proto": proto("message Address { string street = 1; }"),
    "order.proto": proto("message Order { Address to = 1; }", 'import "address.proto";'),
}


@pytest.mark.parametrize(
    ("files", "changed", "text"),
    [
        (AVRO_PARTS, "address.avsc", None),
        (AVRO_PARTS, "address.avsc", json.dumps(ADDRESS | {"fields": []})),
        (AVRO_PARTS, "address.avsc", json.dumps(ADDRESS | {"name": "Place"})),
        (AVRO_PARTS, "order.avsc", None),
        (JSON_PARTS, "address.schema.json", None),
        (JSON_PARTS, "address.schema.json", json.dumps({"$schema": DRAFT, "title": "Address", "type": "object"})),
        (JSON_PARTS, "order.schema.json", None),
        (PROTO_PARTS, "address.proto", None),
        (PROTO_PARTS, "address.proto", proto("message Address { }")),
        (PROTO_PARTS, "address.proto", proto("message Place { string street = 1; }")),
        (PROTO_PARTS, "order.proto", None),
    ],
)
def test_a_breaking_edit_of_one_of_two_files_is_not_fine(check, files, changed, text) -> None:
    """The other one refers to it, or is referred to."""
    report = check({changed: text}, {**files, "README.md": f"example {next(NUMBERS)}"})

    assert report.verdict is not Verdict.FINE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (message("oneof choice { string a = 2; }"), message("oneof choice { string a = 2; string b = 3; }")),
        (proto(STATES.format("OPEN = 1;")), proto(STATES.format("OPEN = 1; PAID = 2;"))),
        (message(""), message("string note = 2;")),
        (message(""), proto("message Order { int64 id = 1; } message Line { int64 id = 1; }")),
    ],
)
def test_an_addition_that_readers_of_protobuf_skip_is_fine(check, before: str, after: str) -> None:
    """An old reader skips a field whose number it does not know, in a oneof or outside."""
    report = check({"order.proto": after}, {"order.proto": before})

    assert report.verdict is Verdict.FINE


def test_an_enum_alone_that_loses_a_symbol_is_reported_as_such(check) -> None:
    before, after = PROTOBUF["enum alone loses a symbol"]
    report = check({"order.proto": after}, {"order.proto": before})

    assert {row_of(finding) for finding in report.findings if finding.counts} == {SYMBOLS_REMOVED}

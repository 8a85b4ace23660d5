"""Breaking edits of schemas in every form: none of them is fine, whatever is known about the readers."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

DRAFT = "https://json-schema.org/draft/2020-12/schema"
AVRO_TYPES = ("string", "int", "boolean", "bytes")
JSON_TYPES = ("string", "integer", "boolean")
PROTO_TYPES = ("string", "int64", "bool", "bytes")
NUMBERS = count()


def avro(form: str, name: str, kind: str) -> str:
    types: dict[str, Any] = {
        "primitive": kind,
        "array": {"type": "array", "items": kind},
        "map": {"type": "map", "values": kind},
        "union": ["null", kind],
    }
    field: dict[str, Any] = {"name": name, "type": types.get(form, kind)}
    if form in ("nested", "nested in array"):
        inner = {"type": "record", "name": "Inner", "fields": [{"name": name, "type": kind}]}
        field = {"name": "inner", "type": inner if form == "nested" else {"type": "array", "items": inner}}
    is_record = form not in ("primitive", "array")
    return json.dumps({"type": "record", "name": "Order", "fields": [field]} if is_record else types[form])


def json_schema(form: str, name: str, kind: str) -> str:
    body = {"type": "object", "properties": {name: {"type": kind}}}
    forms: dict[str, Any] = {
        "object": body,
        "array": {"type": "array", "items": body},
        "anyOf": {"anyOf": [body, {"type": "object", "properties": {"other": {"type": "string"}}}]},
        "allOf": {"allOf": [body, {"type": "object", "properties": {"other": {"type": "string"}}}]},
        "map": {"type": "object", "additionalProperties": {"type": kind}},
        "$defs": {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}, "$defs": {"X": body}},
        "primitive": {"type": kind},
    }
    return json.dumps({"$schema": DRAFT, "title": "Order", **forms[form]})


def protobuf(form: str, name: str, kind: str) -> str:
    forms = {
        "field": f"message Order {{ {kind} {name} = 1; }}",
        "repeated": f"message Order {{ repeated {kind} {name} = 1; }}",
        "map": f"message Order {{ map<string, {kind}> {name} = 1; }}",
        "oneof": f"message Order {{ oneof choice {{ {kind} {name} = 1; bytes other = 2; }} }}",
        "nested": f"message Order {{ message Inner {{ {kind} {name} = 1; }} Inner inner = 1; }}",
        "enum alone": f"enum State {{ NONE = 0; {name.upper()}_{kind.upper()} = 1; }}",
    }
    return f'syntax = "proto3";\n{forms[form]}\n'


def as_yaml(form: str, name: str, kind: str) -> str:
    return yaml.safe_dump(json.loads(json_schema(form, name, kind)), sort_keys=False)


JSON_FORMS = ("object", "array", "anyOf", "allOf", "map", "$defs", "primitive")
AVRO_FORMS = ("primitive", "array", "map", "union", "nested", "nested in array")
PROTO_FORMS = ("field", "repeated", "map", "oneof", "nested", "enum alone")
FORMS = [
    *(
        ("order.avsc", avro, form, AVRO_TYPES)
        for form in ("primitive", "array", "map", "union", "nested", "nested in array")
    ),
    *(("order.schema.json", json_schema, form, JSON_TYPES) for form in JSON_FORMS),
    *(("order.schema.yaml", as_yaml, form, JSON_TYPES) for form in JSON_FORMS),
    *(
        ("order.proto", protobuf, form, PROTO_TYPES)
        for form in ("field", "repeated", "map", "oneof", "nested", "enum alone")
    ),
]


@pytest.mark.parametrize(
    ("file", "write", "form", "kinds"), FORMS, ids=[f"{file} {form}" for file, _, form, _ in FORMS]
)
@settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_another_type_is_not_fine(check, file, write, form, kinds, data) -> None:
    name = data.draw(st.from_regex(r"[a-z]{3,8}", fullmatch=True))
    before, after = data.draw(st.lists(st.sampled_from(kinds), min_size=2, max_size=2, unique=True))

    base = {file: write(form, name, before), "README.md": f"example {next(NUMBERS)}"}
    report = check({file: write(form, name, after)}, base)

    assert report.verdict is not Verdict.FINE
    assert [examined.file for examined in report.files] == [file]

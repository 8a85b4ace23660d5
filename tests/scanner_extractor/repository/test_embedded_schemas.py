"""Schemas in texts of source code and documents."""

from __future__ import annotations

import json

import pytest

from scanner_model.declarations import UnreadFile
from scanner_model.schemas import SchemaVersion

RECORD = '{"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "id", "type": "string"}]}'
ESCAPED = RECORD.replace('"', '\\"')


def versions(reading):
    versions = reading.of(SchemaVersion)
    return {str(version.subject): json.loads(version.text) for version in versions}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("A.java", f'class A {{ static final String S = "{ESCAPED[:40]}"\n    + "{ESCAPED[40:]}"; }}'),
        ("A.java", f'class A {{ String s = """\n{RECORD}\n"""; }}'),
        ("a.kt", f'val s = """{RECORD}""".trimIndent()'),
        ("a.py", f"SCHEMA = '''{RECORD}'''\n"),
        ("a.py", f"SCHEMA = (\n  '{RECORD[:30]}'\n  '{RECORD[30:]}')\n"),
        ("a.go", f"const schema = `{RECORD}`\n"),
        ("a.ts", f"const schema = parse(`{RECORD}`);\n"),
        ("a.rs", f'let s = r#"{RECORD}"#;'),
    ],
)
def test_a_text_that_is_a_schema_is_one(read_repository, path, code):
    reading = read_repository({f"src/{path}": code})

    assert versions(reading) == {"shop.Order": json.loads(RECORD)}
    assert reading.schema_files == {f"src/{path}": ("shop.Order",)}


def test_a_schema_is_of_the_topic_that_its_record_is_called_after(read_repository):
    script = "kafka-topics --create --topic orders --bootstrap-server k:1\n"

    assert set(versions(read_repository({"a.go": f"const s = `{RECORD}`\n", "t.sh": script}))) == {"orders-value"}


def test_a_file_of_the_same_type_precedes_a_copy_in_code(read_repository):
    file = RECORD.replace('"fields": [', '"doc": "An order", "fields": [')
    reading = read_repository({"a.go": f"const s = `{RECORD}`\n", "order.avsc": file})

    (schema,) = versions(reading).values()
    assert schema["doc"] == "An order"


def test_a_text_that_is_put_together_at_run_time_is_unread(read_repository):
    template = RECORD.replace("Order", "${name}").replace('"string"', "${type}")
    (unread,) = read_repository({"a.ts": f"\nconst s = `{template}`;\n"}).of(UnreadFile)

    assert (unread.name, unread.kind) == ("a.ts", "schema in code")
    assert unread.reason.startswith("line 2")


def test_tests_and_other_texts_are_left_out(read_repository):
    reading = read_repository(
        {
            "src/test/java/ATest.java": f'class ATest {{ String s = """{RECORD}"""; }}',
            "a.py": 'print(\'the schema has "type": "record"\')\n',
            "b.py": "SCHEMA = {'type': 'record', 'name': 'A', 'fields': []}\n",
        }
    )

    assert not versions(reading)
    assert not reading.of(UnreadFile)


@pytest.mark.parametrize(
    ("path", "text", "subject"),
    [
        ("cm.yaml", f"kind: ConfigMap\ndata:\n  orders-value.avsc: |\n    {RECORD}\n", "orders-value"),
        (
            "play.yml",
            f"- hosts: all\n  tasks:\n  - uri:\n      body:\n        schema: {json.dumps(RECORD)}\n",
            "shop.Order",
        ),
        ("ci.yml", f"steps:\n- with:\n    subject: orders-value\n    text: {json.dumps(RECORD)}\n", "orders-value"),
        ("postman.json", json.dumps({"item": [{"request": {"body": {"raw": RECORD}}}]}), "shop.Order"),
    ],
)
def test_a_text_of_a_document_that_is_a_schema_is_one(read_repository, path, text, subject):
    """Whatever the form of a document is: a schema is known by its own content."""
    assert set(versions(read_repository({path: text}))) == {subject}


def test_a_text_of_a_document_that_a_form_reads_is_not_read_twice(read_repository):
    text = json.dumps({"subject": "orders-value", "schema": RECORD})

    assert set(versions(read_repository({"request.json": text}))) == {"orders-value"}


def test_a_file_of_protobuf_in_a_document_is_a_schema(read_repository):
    text = 'data:\n  o.proto: |\n    syntax = "proto3";\n    message Order { string id = 1; }\n'
    (version,) = read_repository({"cm.yaml": text}).of(SchemaVersion)

    assert (version.subject, version.format) == ("Order", "PROTOBUF")


def test_a_schema_in_the_settings_of_a_connector_is_one_of_its_settings(read_repository):
    config = {"connector.class": "io.confluent.kafka.connect.datagen.DatagenConnector", "schema.string": RECORD}

    assert not versions(read_repository({"c.json": json.dumps({"name": "gen", "config": config})}))


def test_a_request_to_a_registry_in_a_config_map_is_the_schema_in_it(read_repository):
    request = json.dumps({"schema": RECORD})
    text = f"kind: ConfigMap\ndata:\n  orders-value.json: |\n    {request}\n"

    assert set(versions(read_repository({"cm.yaml": text}))) == {"orders-value"}

"""Schemas that scripts, requests, workflows and programs register: the subject of each file."""

from __future__ import annotations

import json

import pytest

from scanner_model.declarations import Declaration
from scanner_model.schemas import SchemaVersion

RECORD = '{"type": "record", "name": "Thing", "fields": [{"name": "id", "type": "long"}]}'
ANSWER = json.dumps({"schema": RECORD})
FILES = {"schemas/thing.avsc": RECORD, "schemas/thing.json": ANSWER}


def subjects(reading) -> set[str]:
    return {str(version.subject) for version in reading.of(SchemaVersion)}


COMMANDS = {
    "curl with a file": "curl -X POST -d @schemas/thing.json http://sr:8081/subjects/orders-value/versions",
    "curl with a pipe": "jq -Rs '{schema: .}' schemas/thing.avsc | curl -d @- $SR/subjects/orders-value/versions",
    "curl with a substitution": (
        'curl --json "{\\"schema\\": $(jq -Rs . < schemas/thing.avsc)}" $SR/subjects/orders-value/versions'
    ),
    "variable": (
        "BODY=$(jq -n --rawfile s schemas/thing.avsc '{schema: $s}')\n"
        'curl -d "$BODY" "$SR/subjects/orders-value/versions"'
    ),
    "curl with a body": f"curl -d '{ANSWER}' http://sr:8081/subjects/orders-value/versions",
    "here-document": f"curl -d @- http://sr/subjects/orders-value/versions <<'EOF'\n{ANSWER}\nEOF",
    "httpie": "http POST sr:8081/subjects/orders-value/versions schema=@schemas/thing.avsc",
    "confluent": "confluent schema-registry schema create --subject orders-value --schema schemas/thing.avsc",
    "rpk": "rpk registry schema create orders-value --schema schemas/thing.avsc",
    "AWS CLI": "aws glue create-schema --schema-name orders-value --schema-definition file://schemas/thing.avsc",
    "Apicurio": (
        "curl -H 'X-Registry-ArtifactId: orders-value' --data-binary @schemas/thing.avsc "
        "$URL/apis/registry/v2/groups/g/artifacts"
    ),
    "loop over files": (
        'for f in schemas/*.avsc; do\n curl -d @$f "$SR/subjects/orders-$(basename $f .avsc)/versions"\ndone'
    ),
    "cut of a variable": 'f=schemas/thing.avsc\nn=${f##*/}\ncurl -d @$f "$SR/subjects/${n%.avsc}-value/versions"',
    "function": 'register() { curl -d @"$2" "$SR/subjects/$1/versions"; }\nregister orders-value schemas/thing.json',
}
NAMES = {"loop over files": "orders-thing", "cut of a variable": "thing-value"}


@pytest.mark.parametrize(("name", "text"), COMMANDS.items(), ids=COMMANDS)
def test_a_command_registers_a_schema_under_its_subject(name, text, read_repository):
    reading = read_repository({**FILES, "register.sh": f"#!/bin/bash\n{text}\n"})

    assert NAMES.get(name, "orders-value") in subjects(reading)


def test_commands_of_workflows_makefiles_and_request_files_register_too(read_repository):
    command = COMMANDS["confluent"]
    workflow = f"jobs:\n  a:\n    steps:\n    - run: {command}\n"
    request = (
        f"### one\nPOST {{{{h}}}}/subjects/b-value/versions\nAccept: */*\n\n{ANSWER}\n\n### two\nGET {{{{h}}}}/x\n"
    )
    files = {
        **FILES,
        ".github/workflows/schemas.yml": workflow,
        "Makefile": f"register:\n\t{command.replace('orders', 'm')}\n",
        "api.http": request,
        "other.http": "PUT http://sr/subjects/c-value/versions\n\n< ./schemas/thing.json\n",
    }

    assert {"orders-value", "m-value", "b-value", "c-value"} <= subjects(read_repository(files))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "Makefile",
            "N := 3\n\ntopics: # all\n\t@kafka-topics --create --topic orders --partitions 3 \\\n\t  --x\n",
        ),
        ("justfile", 'b := "k:9092"\n\ntopics:\n    @rpk topic create orders -p 3 -X brokers={{ b }}\n'),
        ("dev.just", 'name := "orders"\n\ntopics b:\n    rpk topic create {{name}} -p 3\n'),
    ],
)
def test_commands_of_recipes_are_found_on_their_lines(name, text, read_repository):
    (topic,) = read_repository({name: text}).of(Declaration)

    assert (topic.name, topic.place) == ("orders", f"{name}:4")


def test_a_command_that_asks_or_deletes_registers_nothing(read_repository):
    text = (
        "curl -X DELETE $SR/subjects/orders-value/versions/1\n"
        "curl $SR/subjects/orders-value/versions/latest | jq . > a.json\n"
    )

    assert subjects(read_repository({"register.sh": text})) == set()


def test_the_level_that_a_command_sets_is_that_of_the_subject(read_repository):
    text = 'curl -X PUT -d \'{"compatibility": "FULL"}\' http://sr/config/orders-value\n'
    reading = read_repository({"schemas/orders-value.avsc": RECORD, "a.sh": text})

    assert {version.compatibility for version in reading.of(SchemaVersion)} == {"FULL"}


PROGRAMS = {
    "register.py": """
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
client = SchemaRegistryClient({"url": "http://sr"})
def register():
    with open("schemas/thing.avsc") as file:
        client.register_schema("orders-value", Schema(file.read(), "AVRO"))
""",
    "requests.py": """
import requests
body = {"schema": open("schemas/thing.avsc").read()}
requests.post(URL + "/subjects/orders-value/versions", json=body)
""",
    "table.py": """
SCHEMAS = {"orders-value": "schemas/thing.avsc", "other-value": "schemas/missing.avsc"}
for subject, path in SCHEMAS.items(): register(subject, path)
""",
    "register.js": """
const schema = fs.readFileSync('schemas/thing.avsc', 'utf8')
await registry.register({ type: SchemaType.AVRO, schema }, { subject: 'orders-value' })
""",
    "main.go": """
package main
func main() {
  b, _ := os.ReadFile("schemas/thing.avsc")
  client.CreateSchema("orders-value", string(b), srclient.Avro)
}
""",
}


@pytest.mark.parametrize(("name", "text"), PROGRAMS.items(), ids=PROGRAMS)
def test_a_program_registers_the_file_that_it_names_beside_the_subject(name, text, read_repository):
    assert subjects(read_repository({"schemas/thing.avsc": RECORD, name: text})) == {"orders-value"}


def test_a_program_with_several_subjects_and_files_in_one_place_registers_none(read_repository):
    text = "a = ['orders-value', 'bills-value', 'schemas/thing.avsc', 'schemas/other.avsc']\nregister(a)\n"
    reading = read_repository(
        {"schemas/thing.avsc": RECORD, "schemas/other.avsc": RECORD.replace("Thing", "O"), "a.py": text}
    )

    assert subjects(reading) == {"Thing", "O"}


def test_a_schema_that_a_registered_one_refers_to_is_no_version_of_its_subject(read_repository):
    """The request names the files of its references, too."""
    reference = '{name: "part.proto", subject: "part.proto", version: 1}'
    command = (
        f"jq -Rs '{{schemaType: \"PROTOBUF\", schema: ., references: [{reference}]}}' whole.proto |"
        " curl -d @- $SR/subjects/orders-value/versions"
    )
    whole = 'syntax = "proto3"; import "part.proto"; message Whole { Part part = 1; }'
    part = 'syntax = "proto3"; message Part { string id = 1; }'
    reading = read_repository({"reg.sh": command, "whole.proto": whole, "part.proto": part})
    versions = [version for version in reading.of(SchemaVersion) if version.subject == "orders-value"]
    assert ["Whole" in version.text for version in versions] == [True]

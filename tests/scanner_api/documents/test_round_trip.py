"""Documents that are exported and read again as a source."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft201909Validator

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import topics
from scanner_api.questions.topic_schemas import topic_schemas
from scanner_model.columns import Column

pytestmark = pytest.mark.slow

ODCS = Draft201909Validator(json.loads((Path(__file__).parent / "data/odcs-3.2.0.schema.json").read_text("utf-8")))


def scanned(directory: Path) -> Dictionary:
    """Scan a directory of documents, without any server."""
    config = directory.parent / "cluster.json"
    cluster = {"cluster": "retail", "repositories": [{"path": directory.name}]}
    config.write_text(json.dumps(cluster), encoding="utf-8")
    dictionary = scanner_api.open_dictionary(directory.parent / "again.db", create=True)
    scanner_api.scan([config], dictionary)
    return dictionary


def columns(dictionary: Dictionary, topic: str) -> list[tuple[str, str, int | None, tuple[Column, ...]]]:
    """Return the columns of the topic's current schemas."""
    answers = topic_schemas(dictionary, topic=topic, cluster="retail")
    return sorted((answer.role, answer.subject, answer.version, answer.columns) for answer in answers)


def test_contracts_bring_back_topics_tags_documentation_and_columns(retail: Dictionary, tmp_path: Path) -> None:
    """Everything that a contract holds, of every topic."""
    scanner_api.export(retail, tmp_path / "contracts", format="odcs")
    again = scanned(tmp_path / "contracts")
    known = [row for row in topics(retail) if not row.internal]

    assert [(row.name, row.tags, row.description) for row in topics(again)] == [
        (row.name, row.tags, row.description) for row in known
    ]
    for row in known:
        assert columns(again, row.name) == columns(retail, row.name)


def test_owner_of_a_contract_is_that_of_the_topic_and_of_the_next_export(tmp_path: Path) -> None:
    """It is stored as those of stream catalogs are, so every list and filter has it."""
    (tmp_path / "contracts").mkdir()
    contract = {"kind": "DataContract", "team": {"name": "shop"}, "schema": [{"name": "a", "physicalType": "topic"}]}
    (tmp_path / "contracts/a.json").write_text(json.dumps(contract), encoding="utf-8")
    again, exported = scanned(tmp_path / "contracts"), io.StringIO()
    scanner_api.export(again, exported, format="odcs")

    assert [row.owner for row in topics(again, owner="shop")] == ["shop"]
    assert yaml.safe_load(exported.getvalue())["team"]["name"] == "shop"


@pytest.mark.parametrize("topic", ["orders", "customers", "payments", "shipments", "returns"])
def test_asyncapi_brings_back_schemas(retail: Dictionary, tmp_path: Path, topic: str) -> None:
    """The texts are the registry's; one that refers to another subject's has fewer columns."""
    (tmp_path / "api").mkdir()
    scanner_api.export(retail, tmp_path / "api", format="asyncapi")
    again = columns(scanned(tmp_path / "api"), topic)
    known = [each for each in columns(retail, topic) if each[0] == "value"]

    assert [each[:3] for each in again] == [each[:3] for each in known]


def test_edits_of_a_contract_are_read_and_stay_on_the_next_export(retail: Dictionary, tmp_path: Path) -> None:
    """An owner, a tag, a text and a column that people add: read as facts, and written as they stand."""
    directory = tmp_path / "contracts"
    scanner_api.export(retail, directory, format="odcs")
    file = directory / "retail/orders.odcs.yaml"
    contract = yaml.safe_load(file.read_text("utf-8"))
    contract |= {"team": {"name": "shop", "members": [{"username": "ann", "role": "steward"}]}, "tags": ["gold"]}
    contract |= {"description": {"purpose": "Orders of the shop.", "usage": "ask first"}, "domain": "retail"}
    value = next(each for each in contract["schema"] if each["name"] == "orders")
    field = next(each for each in value["properties"] if each["name"] == "id")
    field |= {
        "description": "The number on the bill.",
        "tags": ["key"],
        "quality": [{"type": "text", "description": "x"}],
    }
    file.write_text(yaml.safe_dump(contract, sort_keys=False), "utf-8")
    again = scanned(directory)

    (row,) = [each for each in topics(again) if each.name == "orders"]
    described = {column.name: column for _, _, _, listed in columns(again, "orders") for column in listed}
    assert (row.owner, row.tags, row.description) == ("shop", ("gold",), "Orders of the shop.")
    assert (described["id"].doc, described["id"].tags) == ("The number on the bill.", ("key",))
    scanner_api.export(again, directory, format="odcs")
    written = yaml.safe_load(file.read_text("utf-8"))
    kept = next(each for each in written["schema"] if each["name"] == "orders")["properties"]
    assert {name: written[name] for name in ("team", "tags", "description", "domain")} == {
        name: contract[name] for name in ("team", "tags", "description", "domain")
    }
    assert next(each for each in kept if each["name"] == "id") | field == next(
        each for each in kept if each["name"] == "id"
    )


LAST4 = {"name": "last4", "type": "string", "confluent:tags": ["P I I"]}
PAID_AT = {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}
ODD_AVRO = {
    "type": "record",
    "name": "Node",
    "namespace": "shop.v1",
    "doc": "",
    "fields": [
        {"name": "id", "type": {"type": "fixed", "name": "Id", "size": 16}, "doc": ""},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
        {"name": "next", "type": ["null", "Node"], "default": None},
        {"name": "children", "type": {"type": "array", "items": "Node"}},
        {"name": "attributes", "type": {"type": "map", "values": ["null", "string", "long"]}},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["A", "B"]}, "default": "A"},
        {
            "name": "pay",
            "type": [
                "null",
                {"type": "record", "name": "Card", "fields": [LAST4]},
                {"type": "record", "name": "Cash", "fields": [PAID_AT]},
            ],
        },
        {"name": "n" * 300, "type": "string", "doc": "#: 'quoted' \"text\" \n- of\ttwo lines: {yes}"},
    ],
}
ODD_PROTO = """
syntax = "proto3";
package shop.v1;
message Pay {
  oneof how { string iban = 1; Card card = 2; }
  repeated Card others = 3;
  map<string, Card> by_name = 4;
  optional int64 at = 5;
  State state = 6;
  Pay next = 7;
  enum State { NONE = 0; DONE = 1; }
  message Card { string last4 = 1; }
}
"""
ODD_JSON = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Person",
    "allOf": [
        {"type": "object", "properties": {"vor name": {"type": "string"}}, "required": ["vor name"]},
        {"type": "object", "properties": {"größe.cm": {"type": ["number", "null"]}, "": {"type": "string"}}},
    ],
    "type": "object",
    "properties": {
        "kind": {"enum": ["a", 1, None]},
        "either": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"x": {"type": "integer"}}}]},
        "self": {"$ref": "#"},
        "tags": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "boolean"}}},
        "на имя": {"type": "string", "description": ""},
        "true": {"type": "string", "const": "null"},
        "1e3": {"type": "string"},
        "@key": {"type": "string"},
        "a.b[c]<d>": {"type": "object", "properties": {"{e}": {"type": "string"}}},
    },
}


@pytest.fixture
def odd(tmp_path: Path) -> Dictionary:
    """Return a dictionary with what documents may stumble over: names, texts, and every form of a type."""
    place = tmp_path / "odd"
    place.mkdir()
    (place / "node.avsc").write_text(json.dumps(ODD_AVRO), "utf-8")
    (place / "pay.proto").write_text(ODD_PROTO, "utf-8")
    (place / "person.json").write_text(json.dumps(ODD_JSON), "utf-8")
    names = {"a.b-c_D": "node.avsc", "T" * 249: "pay.proto", "NO": "person.json"}
    listed = [
        {"name": name, "schemas": [{"file": file, "subject": f"{name[:20]} ü-value", "version": 1}]}
        for name, file in names.items()
    ]
    key = {"role": "key", "type": "string", "format": "TEXT"}
    listed.append({"name": "plain", "schemas": [key, {"columns": ["x y", "ß"]}]})
    (place / "manual.json").write_text(json.dumps({"topics": listed}), "utf-8")
    config = {"cluster": "retail", "brokers": "localhost:9092", "manual_input": ["manual.json"]}
    (place / "cluster.json").write_text(json.dumps(config), "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "odd.db", create=True)
    scanner_api.scan([place / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)
    return dictionary


def test_odd_names_and_types_come_back_from_valid_contracts(odd: Dictionary, tmp_path: Path) -> None:
    """Recursion, unions, maps, oneof, allOf, empty and long texts, names of other scripts."""
    scanner_api.export(odd, tmp_path / "contracts", format="odcs")
    held = [yaml.safe_load(file.read_text("utf-8")) for file in sorted((tmp_path / "contracts").rglob("*.yaml"))]
    again = scanned(tmp_path / "contracts")

    assert [(each["name"], error.message) for each in held for error in ODCS.iter_errors(each)] == []
    assert len(held) == 4
    for row in topics(odd):
        assert columns(odd, row.name)
        assert columns(again, row.name) == columns(odd, row.name)


def test_odd_names_and_types_come_back_from_an_asyncapi_document(odd: Dictionary, tmp_path: Path) -> None:
    """The keys of components are those that AsyncAPI takes; a text such as 1e3 is a name there, no number."""
    (tmp_path / "api").mkdir()
    scanner_api.export(odd, tmp_path / "api", format="asyncapi")
    (file,) = (tmp_path / "api").rglob("*.yaml")
    keys = yaml.safe_load(file.read_text("utf-8"))["components"]["messages"]
    again = scanned(tmp_path / "api")

    assert len(keys) == 4
    assert all(re.fullmatch(r"[a-zA-Z0-9._-]+", key) for key in keys)
    for row in topics(odd):
        known = [each for each in columns(odd, row.name) if each[0] == "value"]
        assert row.name == "plain" or columns(again, row.name) == known


def test_names_that_have_one_key_in_asyncapi_are_both_there(tmp_path: Path) -> None:
    listed = [{"file": "a.avsc", "subject": subject, "version": 1, "record": "A"} for subject in ("s x", "s_x")]
    (tmp_path / "a.avsc").write_text(json.dumps({"type": "record", "name": "A", "fields": []}), "utf-8")
    (tmp_path / "manual.json").write_text(json.dumps({"topics": [{"name": "t", "schemas": listed}]}), "utf-8")
    config = {"cluster": "retail", "brokers": "localhost:9092", "manual_input": ["manual.json"]}
    (tmp_path / "cluster.json").write_text(json.dumps(config), "utf-8")
    dictionary, stream = scanner_api.open_dictionary(tmp_path / "d.db", create=True), io.StringIO()
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.export(dictionary, stream, format="asyncapi")
    messages = yaml.safe_load(stream.getvalue())["components"]["messages"]

    assert sorted(each["x-subject"] for each in messages.values()) == ["s x", "s_x"]

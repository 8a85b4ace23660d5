"""Documents that are exported and read again as a source."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import yaml

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import topics
from scanner_api.questions.topics import topic_schemas
from scanner_model.columns import Column


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

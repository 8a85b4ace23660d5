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

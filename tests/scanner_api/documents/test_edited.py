"""A contract that people edited, exported again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.documents.edited import with_edits
from scanner_model.contracts import custom
from scanner_model.errors import InputInvalid

WRITTEN = {
    "id": "urn:kafka:retail:orders",
    "version": "2.0.0",
    "schema": [
        {
            "name": "orders",
            "customProperties": custom(version=2),
            "properties": [
                {"name": "id", "physicalType": "long", "required": True},
                {"name": "email", "physicalType": "string", "tags": ["PII"], "description": "by the schema"},
            ],
        }
    ],
}


def edited(held: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    lost: list[str] = []
    return with_edits(WRITTEN, held, lost.append), lost


def test_what_people_wrote_stays() -> None:
    """Texts, members of the standard that no source knows, tags and properties of other vendors."""
    own = {"property": "steward", "value": "ann"}
    email = {"name": "email", "description": "for receipts", "classification": "restricted", "tags": ["gdpr"]}
    quality = [{"type": "text", "description": "never empty"}]
    schema = {"name": "orders", "quality": quality, "customProperties": [own], "properties": [email]}
    contract, lost = edited({"domain": "sales", "version": "3.1.0", "schema": [schema]})
    (table,) = contract["schema"]

    assert (contract["domain"], contract["version"], contract["id"]) == ("sales", "3.1.0", WRITTEN["id"])
    assert (table["quality"], table["customProperties"]) == (quality, [*custom(version=2), own])
    assert table["properties"][1] == email | {"physicalType": "string", "tags": ["PII", "gdpr"]}
    assert lost == []


def test_facts_are_those_of_the_export() -> None:
    """A column that is not required any more, a new type, an older version."""
    held = {"name": "email", "required": True, "physicalType": "bytes", "transformLogic": "IDENTITY"}
    contract, _ = edited({"version": "1.0.0", "schema": [{"name": "orders", "properties": [held]}]})
    email = contract["schema"][0]["properties"][1]

    assert contract["version"] == "2.0.0"
    assert email == WRITTEN["schema"][0]["properties"][1]  # type: ignore[index]


def test_column_that_no_schema_has_any_more_is_named() -> None:
    """People may have described it: version control has the text."""
    _, lost = edited({"schema": [{"name": "orders", "properties": [{"name": "phone"}]}]})

    assert lost == ["schema[orders].properties[phone]"]


def test_text_of_people_stays_where_the_source_has_one_too() -> None:
    """A description has members: the purpose of the source must not replace theirs."""
    written = {"description": {"purpose": "by the source"}, "team": {"name": "shop", "members": [{"username": "shop"}]}}
    held = {"description": {"purpose": "by people", "usage": "ask"}, "team": {"members": [{"username": "ann"}]}}

    assert with_edits(written, held, list[str]().append) == {
        "description": {"purpose": "by people", "usage": "ask"},
        "team": {"name": "shop", "members": [{"username": "ann"}]},
    }


@pytest.mark.parametrize(
    ("member", "own"),
    [
        (
            "customProperties",
            [{"property": "version", "value": "theirs"}, {"property": "a"}, {"property": "a", "value": 2}],
        ),
        ("slaProperties", [{"property": "retention", "value": 9, "element": "orders.id"}, {"value": 1}, {"value": 2}]),
        ("authoritativeDefinitions", [{"url": "https://wiki/orders", "type": "businessDefinition"}]),
    ],
)
def test_elements_of_people_stay_beside_those_of_the_export(member: str, own: list[Any]) -> None:
    """One of the same name is another element, and names may be there twice or not at all."""
    facts = {
        "customProperties": custom(version=2),
        "slaProperties": [{"property": "retention", "value": 1, "unit": "ms"}],
        "authoritativeDefinitions": [{"url": "https://sr/subjects/orders/versions/2", "type": "implementation"}],
    }[member]
    older = [{"url": "https://sr/subjects/orders/versions/1", "type": "implementation"}] if "Def" in member else []
    contract = with_edits({member: facts}, {member: [*older, *own]}, list[str]().append)

    assert contract == {member: [*facts, *own]}
    assert with_edits({}, {member: own}, list[str]().append) == {member: own}


def test_export_into_a_directory_keeps_the_edits(retail: Dictionary, tmp_path: Path) -> None:
    """And a third export changes nothing."""
    scanner_api.export(retail, tmp_path, format="odcs", cluster="retail")
    file = tmp_path / "retail/orders.odcs.yaml"
    contract = yaml.safe_load(file.read_text("utf-8"))
    contract |= {"description": {"usage": "ask first"}, "team": {"name": "shop"}, "price": {"priceAmount": 9.95}}
    file.write_text(yaml.safe_dump(contract), encoding="utf-8")
    scanner_api.export(retail, tmp_path, format="odcs")
    once = file.read_bytes()
    again = yaml.safe_load(once)
    scanner_api.export(retail, tmp_path, format="odcs")

    assert again == contract
    assert file.read_bytes() == once


def test_file_that_is_no_contract_is_not_overwritten(retail: Dictionary, tmp_path: Path) -> None:
    """It may be damaged while somebody edits it."""
    scanner_api.export(retail, tmp_path, format="odcs")
    file = tmp_path / "retail/orders.odcs.yaml"
    file.write_text("kind: [", encoding="utf-8")

    with pytest.raises(InputInvalid, match="not a contract"):
        scanner_api.export(retail, tmp_path, format="odcs")
    assert file.read_text("utf-8") == "kind: ["

"""Registries with Confluent's API by three makers, and the schemas that `seed_registry` registered in each."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_model.scan import SourceStatus
from scanner_model.schemas import SchemaVersion

pytestmark = pytest.mark.lab

MAKERS = {"confluent": "confluent", "karapace": "karapace", "axonops": "confluent"}
"""The type in cluster.json of each maker's registry."""
KSQLDB = "payments.named-value"
"""A subject that ksqlDB registers for one of its streams."""


def _read(lab, maker: str) -> Reading:
    row = "confluent-schemas" if maker == "confluent" else f"{maker}-schemas"
    lab.needs(row)
    settings = RegistrySettings(type=MAKERS[maker], http=HttpSettings(url=lab.told["systems"][maker]))
    with Http(settings.http, settings.source) as http:
        return REGISTRIES[MAKERS[maker]].read(settings, http, no_progress)


def _registered(lab, maker: str) -> set[tuple[str, int, str, int]]:
    """Return the versions that were registered: subject, number, format, references."""
    told = lab.told["systems"]
    return {tuple(version) for version in told["versions"] if version[0] not in told["without"].get(maker, ())}


@pytest.mark.parametrize("maker", MAKERS)
def test_registry_has_every_version_that_was_registered(lab, maker) -> None:
    """With its format and references; one version was deleted softly."""
    result = _read(lab, maker)

    listed = {(str(v.subject), v.version, str(v.format), len(v.references)) for v in result.of(SchemaVersion)}
    read = {version for version in listed if version[0] != KSQLDB}
    deleted = {(str(v.subject), v.version) for v in result.of(SchemaVersion) if v.deleted}
    assert result.outcome.status is SourceStatus.READ
    assert read == _registered(lab, maker)
    assert deleted == {tuple(lab.told["systems"]["deleted"])}


@pytest.mark.parametrize("maker", ["karapace", "axonops"])
def test_registry_returns_the_texts_that_confluent_s_returns(lab, maker) -> None:
    """Each writes schemas in its own form and order; Confluent's leaves comments of Protobuf out."""
    texts = [{(str(v.subject), v.version): _compact(v.text) for v in _read(lab, name).of(SchemaVersion)}
             for name in ("confluent", maker)]  # fmt: skip

    expected = {(subject, number) for subject, number, *_ in _registered(lab, maker)}
    assert texts[1] == {key: text for key, text in texts[0].items() if key in expected}


def _compact(text: str) -> str:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return " ".join(sorted(re.findall(r"\w+", re.sub(r"//.*", "", text))))
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("maker", MAKERS)
def test_scan_of_the_registry_finds_the_columns(lab, maker) -> None:
    """The whole way, with the topics of the broker."""
    lab.needs("confluent-schemas" if maker == "confluent" else f"{maker}-schemas", "system-topics")
    told = lab.told["systems"]
    config = lab.directory / f"{maker}.json"
    registry = {"type": MAKERS[maker], "url": told[maker]}
    config.write_text(
        json.dumps({"cluster": maker, "brokers": [told["broker"]], "kafka": {}, "schema_registries": [registry]})
    )
    address = f"sqlite:///{lab.directory}/{maker}.db"

    lab.scanner("scan", "--config", str(config), "--dictionary", address, "--quiet")

    (item, *_) = json.loads(lab.scanner("query", "--topic", "orders", "--subject", "orders-value", "--dictionary",
                                        address, "--format", "json"))  # fmt: skip
    assert {"ship_to.street", "id"} & {".".join(column["path"]) for column in item["columns"]}

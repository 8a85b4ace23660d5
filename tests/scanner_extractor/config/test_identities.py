"""Stored identities of sources and push targets: another one would make everything that was read before stale."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.registries import REGISTRIES

URL = "https://user:word@Host.Example/api/"
PROFILE, ENDPOINT = {"region": "r", "profile": "p"}, {"region": "r", "endpoint_url": "https://E.example/"}
WITH_LOGIN = {"region": "r", "endpoint_url": "https://user:word@E.example/"}


@pytest.fixture
def read(tmp_path):
    """Read a cluster.json with one source in a section."""

    def settings(section: str, item: dict[str, object]):
        file = tmp_path / "cluster.json"
        file.write_text(json.dumps({"cluster": "retail", "brokers": "kafka-1", section: [item]}))
        return read_cluster_file(file, {}, tuple(REGISTRIES))

    return settings


@pytest.mark.parametrize(
    ("item", "identity"),
    [
        *(({"type": name, "url": URL}, "https://host.example/api") for name in REGISTRIES.own if name != "glue"),
        ({"type": "confluent", "url": URL, "context": "eu"}, "https://host.example/api/contexts/.eu"),
        ({"type": "confluent", "url": "http://x/contexts/%2Eeu/"}, "http://x/contexts/.eu"),
        ({"type": "karapace", "url": "http://x/contexts/eu/"}, "http://x/contexts/eu"),
        ({"type": "glue", "glue": {"region": "r"}}, "glue:r"),
        ({"type": "glue", "glue": PROFILE}, "glue:r:p"),
        ({"type": "glue", "glue": ENDPOINT}, "glue:https://E.example/"),
        ({"type": "glue", "glue": WITH_LOGIN}, "glue:https://E.example/"),
        ({"type": "glue", "glue": PROFILE | {"registries": ["b", "a", "a"]}}, "glue:r:p:a,b"),
    ],
)
def test_registries_keep_their_identity(read, item, identity) -> None:
    """It has no credentials, whatever the address had."""
    assert read("schema_registries", item).registries[0].source == f"schema_registry:{identity}"


@pytest.mark.parametrize(
    ("item", "identity"),
    [
        *(
            ({"type": name, "url": URL}, f"{name}:https://host.example/api")
            for name in ("unity", "clickhouse", "iceberg", "druid", "pinot")
        ),
        ({"type": "unity", "url": URL, "name": "lake"}, "lake"),
        ({"type": "unity", "url": URL, "warehouse": "w", "catalogs": ["c"]}, "unity:https://host.example/api"),
        ({"type": "iceberg", "url": URL, "warehouse": "s3://w/"}, "iceberg:https://host.example/api:s3://w/"),
        ({"type": "glue"} | PROFILE, "glue:r:p"),
        ({"type": "glue", "account": "123456789012"} | PROFILE, "glue:r:p:123456789012"),
        ({"type": "glue", "account": "123456789012"} | ENDPOINT, "glue:https://E.example/:123456789012"),
        ({"type": "datazone", "domain": "dzd_1"} | PROFILE, "datazone:r:p:dzd_1"),
        ({"type": "datazone", "domain": "dzd_1"} | ENDPOINT, "datazone:https://E.example/:dzd_1"),
        ({"type": "datazone", "domain": "dzd_1"} | WITH_LOGIN, "datazone:https://E.example/:dzd_1"),
        ({"type": "google", "projects": ["b", "a", "a"], "location": "eu"}, "google:a,b"),
    ],
)
def test_catalogs_keep_their_identity(read, item, identity) -> None:
    """It has no credentials, whatever the address had."""
    assert read("catalogs", item).catalogs[0].source == f"catalog:{identity}"


@pytest.mark.parametrize(
    ("item", "identity"),
    [
        ({"target": "datahub", "url": URL, "environment": "DEV"}, "datahub https://host.example/api"),
        ({"target": "openmetadata", "url": URL}, "openmetadata https://host.example/api"),
        ({"target": "unity", "url": URL}, "unity https://host.example/api"),
        (
            {"target": "google", "parent": "projects/p/locations/eu"},
            "google https://datalineage.googleapis.com projects/p/locations/eu",
        ),
        ({"target": "glue"} | PROFILE, "glue https://glue.r.amazonaws.com p"),
        ({"target": "glue"} | ENDPOINT, "glue https://e.example"),
        ({"target": "datazone", "domain": "dzd_1"} | PROFILE, "datazone https://datazone.r.amazonaws.com dzd_1 p"),
    ],
)
def test_push_targets_keep_their_identity(read, item, identity) -> None:
    """The journal of pushes is stored by it."""
    assert read("push", item).push[0].address == identity

"""Pushes after scans, and what the configuration must say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from datahub_server import DataHubServer
from push_world import Catalog, installation, settings

from scanner_api.push.run import push_after_scan, push_settings
from scanner_model.errors import InputInvalid, ScannerError


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Return an empty DataHub, and a configuration that pushes into it after each scan."""
    made = Catalog(
        DataHubServer(), settings("datahub"), installation(tmp_path), lambda request: "batch" not in request.url
    )
    config = json.loads((tmp_path / "c.json").read_text())
    entry = {"target": "datahub", "url": "http://catalog:1", "after_scan": True}
    (tmp_path / "c.json").write_text(json.dumps(config | {"push": [entry]}))
    return made


def test_catalogs_are_pushed_into_after_a_scan(catalog: Catalog) -> None:
    notes: list[str] = []
    file = catalog.world.directory / "c.json"

    for _ in range(2):
        push_after_scan([file], catalog.world.dictionary, notes.append, catalog.network)

    assert notes == ["pushed into datahub: run 1, 6 written"]


def test_catalog_that_refuses_something_is_reported(catalog: Catalog) -> None:
    catalog.server.refused = frozenset({"bill"})

    with pytest.raises(ScannerError, match="datahub: 1 refused"):
        push_after_scan([catalog.world.directory / "c.json"], catalog.world.dictionary, network=catalog.network)


@pytest.mark.parametrize("target", ["openmetadata", "datahubb"])
def test_target_that_is_not_configured_is_an_error(catalog: Catalog, target: str) -> None:
    with pytest.raises(InputInvalid):
        push_settings([str(catalog.world.directory / "c.json")], target)


def test_configured_target_is_found(catalog: Catalog) -> None:
    assert push_settings([str(catalog.world.directory / "c.json")], "datahub").address == "datahub http://catalog:1"

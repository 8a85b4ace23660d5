"""A connector that is declared in a file and changed by hand on a real worker."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

pytestmark = pytest.mark.lab

NAME, KEY, CHANGED = "warehouse-customers", "consumer.override.max.poll.records", "321"
_SECONDS = 30


@pytest.fixture(scope="module")
def address(lab) -> str:
    """Return the address of the connector's configuration on the worker."""
    lab.needs("connectors")
    (connect,) = json.loads(lab.config().read_text("utf-8"))["connect"]
    return f"{connect['url']}/connectors/{NAME}/config"


@pytest.fixture(scope="module")
def config(address) -> dict[str, str]:
    """Return the configuration as it runs."""
    answer = requests.get(address, timeout=_SECONDS)
    answer.raise_for_status()
    settings: dict[str, str] = answer.json()
    return settings


@pytest.fixture
def drift(lab, config, tmp_path: Path) -> Callable[[int], list[dict[str, Any]]]:
    """Declare the connector as it runs; return what scans worker and file, and then compares them."""
    settings = {key: value for key, value in config.items() if key not in ("name", "connector.class", "tasks.max")}
    resource = {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaConnector",
        "metadata": {"name": NAME, "labels": {"strimzi.io/cluster": "lab"}},
        "spec": {"class": config["connector.class"], "tasksMax": int(config["tasks.max"]), "config": settings},
    }
    (tmp_path / "connector.yaml").write_text(yaml.safe_dump(resource), "utf-8")
    cluster = lab.config(files=[{"name": "deploy", "path": str(tmp_path / "connector.yaml")}])
    dictionary = ("--dictionary", f"sqlite:///{tmp_path / 'drift.db'}")

    def compared(expected: int) -> list[dict[str, Any]]:
        lab.scanner("scan", "--no-graph", "--config", str(cluster), *dictionary, "--only", "connect,files", "--quiet")
        answer = lab.scanner("drift", "--kind", "connector", "--format", "json", *dictionary, expected=expected)
        rows: list[dict[str, Any]] = json.loads(answer)
        return [row for row in rows if row["name"] == NAME]

    return compared


def test_connector_that_was_changed_by_hand_is_named_with_its_key(address, config, drift) -> None:
    """And is as declared again once it is set back; the others run and are not declared, which is status 6."""
    assert drift(6) == []
    try:
        requests.put(address, json=config | {KEY: CHANGED}, timeout=_SECONDS).raise_for_status()
        (row,) = drift(6)
    finally:
        requests.put(address, json=config, timeout=_SECONDS).raise_for_status()

    assert (row["drift"], row["source"]) == ("differs", "connect:lab")
    assert row["differences"] == [{"key": KEY, "declared": None, "running": CHANGED}]
    assert row["place"].endswith("connector.yaml:1")
    assert drift(6) == []

"""The installation's connectors as a real worker reports them."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def connectors(query) -> dict[str, Any]:
    """List the connectors by name."""
    return {item["name"]: item for item in query("connectors")}


def test_each_connector_is_reported_with_its_plugin(connectors) -> None:
    """Kind and version are the worker's words."""
    cdc = connectors["shop-cdc"]

    assert (cdc["source"], cdc["kind"], cdc["state"]) == ("connect:lab", "source", "RUNNING")
    assert cdc["class"] == "io.debezium.connector.postgresql.PostgresConnector"
    assert cdc["version"].endswith(".Final")
    assert connectors["warehouse-customers"]["kind"] == "sink"


def test_topics_are_those_after_the_transforms(connectors) -> None:
    """Two connectors read one table; one of them routes what it writes."""
    assert set(connectors["shop-cdc"]["topics"]) == {"cdc.customers", "cdc.orders"}
    assert connectors["shop-raw"]["topics"] == ["raw.public.orders"]
    assert "retail.orders" in connectors["orders-to-dr"]["topics"]


def test_failed_task_is_reported_though_the_connector_runs(query) -> None:
    """It cannot read Avro as JSON."""
    (failed,) = query("connectors", "--failed")

    assert (failed["name"], failed["state"]) == ("orders-as-json", "RUNNING")
    assert [task["state"] for task in failed["tasks"]] == ["FAILED"]
    assert "DataException" in failed["tasks"][0]["trace"]


def test_reference_to_a_password_stays(connectors) -> None:
    """It says where the secret is, and the worker answers it unresolved."""
    assert connectors["shop-cdc"]["config"]["database.password"].startswith("${directory:")


def test_worker_is_queried_little(lab) -> None:
    """For the worker, for all connectors at once, once for each class, and once for each connector's topics."""
    lab.needs("connectors")
    report = lab.directory / "connect.json"
    lab.scanner(
        *("scan", "--no-graph", "--config", str(lab.config()), "--dictionary", f"sqlite:///{lab.directory}/connect.db"),
        *("--only", "connect", "--report", str(report), "--quiet"),
    )

    (source,) = [item for item in json.loads(report.read_text())[0]["sources"] if item["kind"] == "connect"]
    assert source["requests"] <= 2 + 16 + source["received"]

"""A field removed from a schema: what the check foretells, and what the real jobs then do."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

pytestmark = pytest.mark.lab

SUBJECT = "cdc.orders-value"
CONNECTOR = "shop-cdc"
EXCLUDED = "column.exclude.list"
_PATIENCE = 60.0
_PAYLOAD = {
    "id": {"type": "string", "format": "uuid"},
    "customer_id": {"type": "integer"},
    "placed_at": {"type": "string", "format": "date-time"},
    "total": {"type": "string"},
}


def _schema(*removed: str) -> str:
    """Return the JSON Schema of the topic's values, as Connect's converter writes them, a property a line."""
    payload = {name: kind for name, kind in _PAYLOAD.items() if name not in removed}
    document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Order",
        "type": "object",
        "properties": {"payload": {"type": "object", "properties": payload, "required": ["id", "customer_id"]}},
    }
    return json.dumps(document, indent=1)


def _register(lab, schema: str) -> Any:
    url = f"{lab.told['registry']}/subjects/{SUBJECT}/versions"
    answer = requests.post(url, json={"schemaType": "JSON", "schema": schema}, timeout=30)
    assert answer.ok, answer.text
    return answer.json()["id"]


@pytest.fixture(scope="module")
def address(lab, tmp_path_factory) -> Iterator[str]:
    """Register a schema of the captured orders, scan, import the events of Spark and generate the graph."""
    lab.needs("connectors", "flink-sql", "spark-report")
    _register(lab, _schema())
    location = f"sqlite:///{tmp_path_factory.mktemp('change')}/dictionary.db"
    lab.scanner("scan", "--no-graph", "--config", str(lab.config()), "--dictionary", location, "--quiet")
    lab.scanner("openlineage", "import", lab.told["events"], "--dictionary", location)
    lab.scanner("dataflow", "--dictionary", location)
    yield location
    requests.delete(f"{lab.told['registry']}/subjects/{SUBJECT}", timeout=30)


@pytest.fixture
def proposed(tmp_path) -> Path:
    """Return a file named as the subject, in which `total` is gone."""
    file = tmp_path / f"{SUBJECT}.json"
    file.write_text(_schema("total"), "utf-8")
    return file


@pytest.fixture
def configured(lab) -> Iterator[Callable[..., None]]:
    """Return a function that changes the connector's configuration; it is set back afterwards."""
    url = f"{lab.told['connect']}/connectors/{CONNECTOR}"
    before = requests.get(f"{url}/config", timeout=10).json()

    def configure(**changes: str) -> None:
        """Stop the connector first: else its old task may still deliver what the new configuration excludes."""
        requests.put(f"{url}/stop", timeout=10).raise_for_status()
        _wait(lambda: not requests.get(f"{url}/status", timeout=10).json()["tasks"])
        requests.put(f"{url}/config", json=before | changes, timeout=60).raise_for_status()
        requests.put(f"{url}/resume", timeout=10).raise_for_status()
        _wait(lambda: _states(f"{url}/status") == ["RUNNING", "RUNNING"])

    yield configure
    configure()


def _states(url: str) -> list[str]:
    status = requests.get(url, timeout=10).json()
    return [status["connector"]["state"], *(task["state"] for task in status["tasks"])]


def _wait(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + _PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.3)
    return result


def _removal(lab, proposed: Path, address: str) -> Any:
    """Return the finding of the removed field; the only one with an effect."""
    report = json.loads(
        lab.scanner("check-change", str(proposed), "--dictionary", address, "--format", "json", "--fail-on", "none")
    )
    (finding,) = [item for item in report["findings"] if item["verdict"] == "impact"]
    return finding


def test_a_removed_field_is_traced_to_spark_s_table_before_it_is_removed(lab, address, proposed) -> None:
    """Flink's statement, the sink's column and Spark's column, each with what says so."""
    finding = _removal(lab, proposed, address)

    affected = {(item["name"].rpartition("/")[2], item["path"] or ""): item for item in finding["affected"]}
    assert (finding["rule"], finding["item"], finding["target"]) == (
        "column-removed",
        "payload.total",
        f"subject {SUBJECT}",
    )
    assert affected["retail.sql:2", ""]["kind"] == "job"
    assert affected["warehouse.public.order_facts", "amount"]["use"] == "computes"
    assert "warehouse-orders" in affected["warehouse.public.order_facts", "amount"]["through"]
    assert affected["default.spent_by_customer", "spent"]["kind"] == "column"
    assert all(item["evidence"] for item in affected.values())


def test_the_exit_status_says_that_somebody_is_hit(lab, address, proposed) -> None:
    """As a pull request sees it."""
    options = ("--compatibility", "none", "--fail-on", "impact")

    answer = lab.scanner("check-change", str(proposed), "--dictionary", address, *options, expected=6)

    assert "payload.total is removed" in answer


def test_the_jobs_lose_what_was_foretold(lab, address, proposed, configured) -> None:
    """The schema is registered, Debezium no longer writes the field: the amount of a new order is empty."""
    _register(lab, proposed.read_text("utf-8"))
    configured(**{EXCLUDED: "public.orders.note,public.orders.total"})
    order = str(uuid.uuid4())

    with psycopg.connect(lab.told["postgres"]["shop"]) as shop:
        shop.execute("insert into orders values (%s, 3, now(), 42.50, null)", (order,))

    assert _wait(lambda: _stored(lab, order)) == ("Zoe", "zoe@acme.example", None)


def _stored(lab, order: str) -> Any:
    wanted = "select customer_name, email, amount from order_facts where order_id = %s"
    with psycopg.connect(lab.told["postgres"]["warehouse"], autocommit=True) as warehouse:
        return warehouse.execute(wanted, (order,)).fetchone()

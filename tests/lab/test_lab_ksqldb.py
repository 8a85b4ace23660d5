"""ksqlDB as it is built from its source: what scanner stores of it is what the server runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def scanned(lab) -> str:
    """Scan broker, registry, Connect and ksqlDB, with the graph, and return the dictionary's address."""
    lab.needs("ksqldb-statements", "system-connectors", "confluent-schemas")
    told = lab.told["systems"]
    config = {
        "cluster": "ksql",
        "brokers": [told["broker"]],
        "kafka": {},
        "schema_registries": [{"type": "confluent", "url": told["confluent"]}],
        "connect": [{"name": "systems", "url": told["connect"]}],
        "ksqldb": [{"url": told["ksqldb"]}],
    }
    file = lab.directory / "ksqldb.json"
    file.write_text(json.dumps(config), "utf-8")
    address = f"sqlite:///{lab.directory}/ksqldb.db"
    lab.scanner("scan", "--config", str(file), "--dictionary", address, "--quiet")
    return address


@pytest.fixture(scope="module")
def queries(lab) -> list[Any]:
    """Return the queries as the server describes them."""
    lab.needs("ksqldb-statements")
    body = {"ksql": "SHOW QUERIES EXTENDED;", "streamsProperties": {}}
    answer = requests.post(f"{lab.told['systems']['ksqldb']}/ksql", json=body, timeout=60)
    return answer.json()[0]["queryDescriptions"]


@pytest.fixture(scope="module")
def topics(lab) -> dict[str, str]:
    """Return the topic of each stream and table."""
    result = {}
    for kind in ("STREAMS", "TABLES"):
        body = {"ksql": f"SHOW {kind};", "streamsProperties": {}}
        answer = requests.post(f"{lab.told['systems']['ksqldb']}/ksql", json=body, timeout=60).json()
        result |= {item["name"]: item["topic"] for item in answer[0][kind.lower()]}
    return result


def test_queries_read_and_write_the_topics_that_the_server_reports(lab, scanned, queries, topics) -> None:
    """Every query, the paused one and the one that inserts too."""
    assert len(queries) == 5
    for query in queries:
        answer = _lineage(lab, scanned, query["id"], "--depth", "1")
        ends = {
            (edge["kind"], edge["source" if edge["kind"] == "reads" else "target"].rpartition("/")[2])
            for edge in answer["edges"]
            if edge["kind"] in {"reads", "writes"}
        }
        expected = {("reads", topics[name]) for name in query["sources"]}
        assert ends == expected | {("writes", topics[name]) for name in query["sinks"]}, query["id"]


def test_columns_are_traced_through_join_and_aggregation(lab, scanned) -> None:
    """Down to the column of the topic, with what the engine does to it."""
    named = _steps(_lineage(lab, scanned, "payments.named", "--upstream", "--columns", "--depth", "2"))
    paid = _steps(_lineage(lab, scanned, "paid.per.method", "--upstream", "--columns", "--depth", "2"))

    assert ("ksql.customers.ADDRESS.STREET", "payments.named.STREET") in named
    assert ("ksql.payments.PAID", "payments.named.DOUBLED") in named
    assert ("ksql.payments.PAID", "paid.per.method.TOTAL") in paid


def test_key_that_is_one_struct_is_the_whole_key(lab, scanned) -> None:
    """ksqlDB does not wrap a single key column: PLANT is a field of the record's key."""
    steps = _steps(_lineage(lab, scanned, "hot", "--upstream", "--columns", "--depth", "2"))

    assert any(source == "ksql.sensors.PLANT" or source.endswith("@key.PLANT") for source, _ in steps), steps


def test_internal_topics_of_the_server_are_marked(lab, scanned) -> None:
    """Changelogs, repartitions and the command topic would be topics without schema."""
    findings = lab.scanner("validate", "--dictionary", scanned)

    assert "_confluent-ksql" not in findings


def _lineage(lab, address: str, node: str, *more: str) -> Any:
    return json.loads(lab.scanner("lineage", node, *more, "--format", "json", "--dictionary", address))


def _steps(answer: Any) -> set[tuple[str, str]]:
    short = {node["id"]: ".".join([node["name"], *(node["path"] or ())]) for node in answer["nodes"]}
    return {(short[edge["source"]], short[edge["target"]]) for edge in answer["edges"] if edge["kind"] == "column-flow"}

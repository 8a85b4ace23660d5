"""A cluster.json of two lines: found, scanned, stored, replayed; and what keys that are missing leave behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

KEY, SECRET, OWN = "CLOUDKEY", "cloud-secret-9f8e7d", "own-secret-1a2b3c"
WITHOUT_SERVERS = ("--skip", "schema_registry,ksqldb,flink")

Scan = Callable[..., Any]


@pytest.fixture
def fake_cloud(cloud) -> Any:
    """Return an environment with two clusters that have a topic of the same name."""
    connectors = {
        "to-lake": {
            "id": {"id": "lcc-9", "id_type": "ID"},
            "info": {
                "name": "to-lake",
                "type": "sink",
                "config": {"connector.class": "S3_SINK", "topics": "orders", "kafka.api.secret": "****"},
            },
            "status": {"connector": {"state": "RUNNING", "worker_id": "to-lake", "trace": ""}, "tasks": []},
        }
    }
    first = cloud.Cluster(
        id="lkc-1",
        topics=(cloud.Topic(name="orders"), cloud.Topic(name="eu.orders")),
        groups=("billing",),
        mirrors={"eu.orders": ("from-eu", "orders")},
        connectors=connectors,
        offsets={"to-lake": ("orders",)},
        tables=({"spec": {"display_name": "orders", "table_formats": ["DELTA"]}, "status": {"phase": "RUNNING"}},),
    )
    second = cloud.Cluster(id="lkc-2", topics=(cloud.Topic(name="orders", partitions=48),))
    entities = tuple(
        {
            "typeName": "kafka_topic",
            "guid": cluster,
            "classificationNames": [tag],
            "attributes": {"qualifiedName": f"lsrc-1:{cluster}:orders", "owner": owner, "description": f"Of {owner}."},
        }
        for cluster, tag, owner in (("lkc-1", "PII", "sales"), ("lkc-2", "PUBLIC", "web"))
    )
    rows = ({"timestamp": "2026-05-02T07:00:00Z", "metric.topic": "orders", "value": 8123.0},)
    return cloud.Cloud(
        environments=(cloud.Environment(id="env-a", clusters=(first, second)),),
        entities=entities,
        figures={"received_bytes": rows},
        keys={"cloud": f"{KEY}:{SECRET}"},
    )


@pytest.fixture
def scan(scanner, cloud, fake_cloud, tmp_path, monkeypatch) -> Scan:
    """Scan `lkc-1` (or another) of the fake organization, over REST only: the fake speaks no Kafka protocol."""
    monkeypatch.setenv("SCANNER_DICTIONARY", f"sqlite:///{tmp_path / 'd.db'}")
    login = {"basic": {"user": KEY, "password": SECRET}}
    plane = {"auth": {"bearer": {"token": OWN}}}

    def run_scan(*arguments: object, cluster: str = "lkc-1", name: str = "billing", **planes: Any) -> Any:
        with cloud.serving(fake_cloud) as url:
            # A token opens REST and not the protocol, which would leave this machine.
            known = {"kafka": plane, "schema_registry": plane, "metrics": {"url": url}} | planes
            settings = {"url": url, "auth": login, "cluster": cluster, **known}
            (tmp_path / "cluster.json").write_text(json.dumps({"cluster": name, "confluent_cloud": settings}))
            return scanner("extract", "--config", tmp_path / "cluster.json", *arguments)

    return run_scan


def test_two_lines_of_configuration_describe_a_complete_cluster(scan, scanner) -> None:
    """Topics, owner, mirrored topic, connector, table and figure, from one id and a key."""
    result = scan(*WITHOUT_SERVERS)

    assert result.status == 0, result.err
    rows = {row["name"]: row for row in scanner("topics", "--format", "json").json}
    assert (rows["orders"]["partitions"], rows["orders"]["tags"], rows["orders"]["owner"]) == (6, ["PII"], "sales")
    assert rows["orders"]["description"] == "Of sales."
    assert scanner("jobs", "--kind", "connector", "--format", "json").json[0]["topics"] == ["dlq-lcc-9", "orders"]


def test_every_address_of_the_cluster_finds_it(scan, scanner) -> None:
    """Id, bootstrap address with and without protocol, CRN."""
    host = "lkc-1.eu-central-1.aws.example.org"
    crn = (
        "crn://confluent.cloud/organization=0a1b2c3d-0000-0000-0000-000000000001/environment=env-a/cloud-cluster=lkc-1"
    )
    names = ("lkc-1", host, f"SASL_SSL://{host.upper()}:9092", crn)
    scan(*WITHOUT_SERVERS)
    answers = [scanner("query", "--broker", name, "--topic", "orders", "--format", "json").json for name in names]

    assert answers == [[], [], [], []]


def test_two_clusters_with_one_topic_name_stay_two_topics(scan, scanner) -> None:
    """Each with its own partitions, tags and owner."""
    scan(*WITHOUT_SERVERS)
    scan(*WITHOUT_SERVERS, cluster="lkc-2", name="web")

    rows = scanner("topics", "orders", "--format", "json").json
    topics = {(row["cluster"], row["name"]): (row["partitions"], row["tags"]) for row in rows}
    assert topics["billing", "orders"] == (6, ["PII"])
    assert topics["web", "orders"] == (48, ["PUBLIC"])


def test_plane_without_a_key_is_unavailable_and_the_rest_is_stored(scan, scanner) -> None:
    """With the reason and the next step; nothing goes out with a key that cannot fit."""
    result = scan("--skip", "ksqldb,flink", kafka={}, schema_registry={})

    assert result.status == 3
    assert "no key for this plane (kafka)" in result.err
    assert "confluent_cloud.schema_registry.auth" in result.err
    assert scanner("jobs", "--kind", "connector", "--format", "json").json[0]["name"] == "to-lake"


def test_key_that_is_lost_leaves_what_was_known(scan, scanner) -> None:
    """Tags and topics stay, stale; none is deleted."""
    scan(*WITHOUT_SERVERS)
    scan(*WITHOUT_SERVERS, kafka={}, schema_registry={})

    rows = scanner("topics", "--format", "json").json
    assert {(row["name"], row["stale"], row["owner"]) for row in rows} == {
        ("orders", True, "sales"),
        ("eu.orders", True, ""),
    }


def test_control_plane_that_refuses_leaves_the_last_scan(scan, scanner, fake_cloud) -> None:
    """Then nothing is found, and nothing is requested; the report has the reason."""
    scan(*WITHOUT_SERVERS)
    fake_cloud.refused = {"/org": 401, "/cmk": 401}

    result = scan(*WITHOUT_SERVERS)
    assert result.status == 1
    assert "credentials refused" in result.err
    assert len(scanner("topics", "--format", "json").json) == 2


def test_only_names_kinds_that_are_found_later(scan, fake_cloud) -> None:
    """Discovery runs in any case, because without it there is nothing to choose from."""
    result = scan("--only", "tableflow")

    assert result.status == 0
    planes = {request.split()[1].split("/")[1] for request in fake_cloud.asked}
    assert planes == {"org", "cmk", "srcm", "ksqldbcm", "fcpm", "tableflow"}


def test_skipped_discovery_finds_nothing(scan, fake_cloud) -> None:
    """Without discovery, only the configured sources exist."""
    scan("--skip", "confluent_cloud")

    assert fake_cloud.asked == []


def test_replay_of_a_capture_returns_the_same(scan, scanner, tmp_path) -> None:
    """Discovery is captured like any source; no network, no key, no secret in it."""
    scan(*WITHOUT_SERVERS, "--capture", tmp_path / "capture")
    first = scanner("topics", "--format", "csv").out
    files = [file.read_text() for file in (tmp_path / "capture").rglob("*.json")]

    again = ("--config", tmp_path / "cluster.json", "--replay", tmp_path / "capture", *WITHOUT_SERVERS)
    assert scanner("extract", *again, "--dictionary", tmp_path / "other.db").status == 0
    assert scanner("topics", "--format", "csv", "--dictionary", tmp_path / "other.db").out == first
    assert not [text for text in files if SECRET in text or OWN in text]


def test_enriching_requests_discovery_and_metrics_only(scan, fake_cloud) -> None:
    """What was extracted stays as fresh as it was."""
    scan(*WITHOUT_SERVERS)
    fake_cloud.asked.clear()

    assert scan(*WITHOUT_SERVERS, "--mode", "enrich").status == 0
    planes = {request.split()[1].split("/")[1] for request in fake_cloud.asked}
    assert planes == {"org", "cmk", "srcm", "ksqldbcm", "fcpm", "v2"}


def test_check_reports_the_state_of_each_plane(scan, scanner, cloud, fake_cloud, tmp_path) -> None:
    """One line each, and none for what does not exist."""
    scan(*WITHOUT_SERVERS)
    fake_cloud.refused = {"/tableflow": 403}
    with cloud.serving(fake_cloud) as url:
        file: Path = tmp_path / "cluster.json"
        document = json.loads(file.read_text())
        document["confluent_cloud"] |= {"url": url, "metrics": {"url": url}, "schema_registry": {}}
        file.write_text(json.dumps(document))
        rows = scanner("check", "--config", file, "--format", "json").json

    checks = {(row["source"].partition(":")[0], row["tried"], row["answer"]) for row in rows}
    assert checks == {
        ("confluent_cloud", "find the cluster", "ok"),
        ("schema_registry", "look for a key", "refused"),
        ("stream_catalog", "look for a key", "refused"),
        ("connect", "list connectors", "ok"),
        ("kafka_rest", "list topics", "ok"),
        ("tableflow", "list tables of topics", "refused"),
        ("metrics", "query a metric", "ok"),
    }


def test_lineage_takes_the_clusters_own_id(scan, scanner) -> None:
    """Confluent's own tools name clusters so."""
    addresses = ("lkc-1", "kafka://lkc-1", "lkc-1.eu-central-1.aws.example.org:9092")
    scan(*WITHOUT_SERVERS)
    scanner("dataflow")
    results = [scanner("lineage", f"{address}/orders", "--format", "json") for address in addresses]

    assert [result.status for result in results] == [0, 0, 0]
    assert {result.json["root"].rpartition("/")[2] for result in results} == {"orders"}

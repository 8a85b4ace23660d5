"""`scanner validate --drift`, and what else deployment files alone are good for: no server is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

CONNECTOR = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata: {name: lake, labels: {strimzi.io/cluster: main}}
spec:
  class: io.confluent.connect.jdbc.JdbcSinkConnector
  tasksMax: 2
  config: {topics: orders, connection.url: "jdbc:postgresql://db:5432/shop", table.name.format: "o_${topic}"}
"""
TOPICS = """\
topics:
  orders: {partitions: 3, replication: 1}
services:
  billing: {type: application, consumes: [orders], produces: [paid]}
"""


@pytest.fixture
def deployed(tmp_path, scanner):
    """Scan deployment files beside other members of cluster.json; return the arguments that name the dictionary."""

    def scan(**members: Any) -> tuple[str, ...]:
        (tmp_path / "deploy").mkdir(exist_ok=True)
        (tmp_path / "deploy" / "lake.yaml").write_text(CONNECTOR)
        (tmp_path / "deploy" / "topics.yaml").write_text(TOPICS)
        document = {"cluster": "shop", "brokers": ["kafka-1"], "files": [{"path": "deploy"}]} | members
        (tmp_path / "cluster.json").write_text(json.dumps(document))
        dictionary = ("--dictionary", f"sqlite:///{tmp_path / 'd.db'}")
        scanner("extract", "--config", tmp_path / "cluster.json", *dictionary)
        return dictionary

    return scan


@pytest.fixture
def changed_by_hand(connect):
    """Serve a Connect cluster whose connector has another number of tasks than its file; return its address."""
    config = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "tasks.max": "1",
        "topics": "orders",
        "connection.url": "jdbc:postgresql://db:5432/shop",
        "table.name.format": "o_${topic}",
    }
    with connect.serving(connect.Connect(installation=(connect.Kept(name="lake", config=config),))) as url:
        yield url


def test_without_a_server_it_is_unknown_what_runs(deployed, scanner) -> None:
    """And nothing is called missing."""
    dictionary = deployed()
    result = scanner("validate", "--drift", *dictionary)

    assert result.status == 7
    assert "2 declared; 0 drift, 2 unknown" in result.err
    assert "deploy/lake.yaml:1" in result.out


def test_without_files_nothing_is_declared(scanned, scanner) -> None:
    """An empty answer would look like the best one."""
    result = scanner("validate", "--drift", "--dictionary", scanned.dictionary)

    assert result.status == 7
    assert "name deployment files as `files`" in result.err


def test_unknown_cluster_is_refused(scanned, scanner) -> None:
    """With the nearest name."""
    assert scanner("validate", "--drift", "--cluster", "nowhere", "--dictionary", scanned.dictionary).status == 4


def test_key_that_was_changed_by_hand_is_named(deployed, scanner, changed_by_hand) -> None:
    """What `scanner validate --drift` is for: where it stands, what it should be, what it is."""
    dictionary = deployed(connect=[{"name": "main", "url": changed_by_hand}])
    result = scanner("validate", "--drift", "--kind", "connector", "--format", "json", *dictionary)
    rows = {row["name"]: row for row in result.json}

    assert result.status == 6
    assert rows["lake"]["drift"] == "differs"
    assert rows["lake"]["differences"] == [{"key": "tasks.max", "declared": "2", "running": "1"}]
    assert rows["lake"]["place"] == "deploy/lake.yaml:1"


def test_table_has_a_line_for_each_key(deployed, scanner, changed_by_hand) -> None:
    """A row of a table has one key."""
    dictionary = deployed(connect=[{"name": "main", "url": changed_by_hand}])
    lines = [line.split() for line in scanner("validate", "--drift", *dictionary).out.splitlines()]

    assert [
        "shop",
        "connector",
        "lake",
        "differs",
        "tasks.max",
        "2",
        "1",
        "deploy/lake.yaml:1",
        "connect:main",
    ] in lines


def test_graph_of_files_alone_has_programs_and_connectors(deployed, scanner) -> None:
    """Before anything runs."""
    dictionary = deployed()
    assert scanner("dataflow", *dictionary).status == 0
    edges = scanner("lineage", "orders", "--both", "--format", "json", *dictionary).json["edges"]

    ends = {(edge["source"].rpartition(" ")[2], edge["kind"], edge["target"].rpartition(" ")[2]) for edge in edges}
    assert any(kind == "reads" and target.endswith("lake") for _, kind, target in ends)
    assert any(kind == "reads" and target.endswith("billing") for _, kind, target in ends)
    assert any(kind == "writes" and target.endswith("o_orders") for _, kind, target in ends)


def test_connector_of_a_pull_request_is_read_before_it_runs(deployed, scanner, tmp_path) -> None:
    """Compared with the file that was scanned; a new one beside it is no mistake."""
    dictionary = deployed()
    scanner("dataflow", *dictionary)
    proposed = tmp_path / "proposed.yaml"
    proposed.write_text(CONNECTOR.replace("o_$", "p_$") + "---\n" + CONNECTOR.replace("lake", "second"))
    result = scanner("check", proposed, "--format", "json", "--fail-on", "none", *dictionary)

    rules = {(finding["rule"], finding["target"]) for finding in result.json["findings"]}
    assert ("output-lost", "connector lake") in rules
    assert ("output-gained", "connector second") in rules


def test_declared_objects_are_listed_with_their_state(deployed, scanner) -> None:
    """`scanner jobs` and `scanner topics` say where they are from."""
    dictionary = deployed()

    assert "DECLARED" in scanner("jobs", "--kind", "connector", *dictionary).out
    assert "files:deploy" in scanner("topics", *dictionary).out


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ([{"path": "nothing/*.yaml"}], "matches no .yaml, .yml or .json file"),
        ([{"path": "deploy"}, {"path": "deploy"}], "this source is named twice"),
        ([{"name": "a"}], "'path' is missing"),
        ([{"path": "deploy", "kind": "strimzi"}], "unknown member 'kind'"),
    ],
)
def test_wrong_setting_is_refused_with_its_place(deployed, scanner, tmp_path, files, what) -> None:
    """Before anything is read."""
    dictionary = deployed(files=files)
    result = scanner("extract", "--config", tmp_path / "cluster.json", *dictionary)

    assert result.status == 2
    assert what in result.err
    assert "$.files" in result.err

"""`scanner jobs` over the responses of a fake Connect cluster, from the first request to the last column."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TRACE = "X: cannot reach jdbc:db2://h/d:user=u;password=zqTRACEzq;\n\tat y"
CONFIG = {"connector.class": "com.acme.Sink", "topics": "orders", "db.password": "zqPASSzq", "u": "http://a:zqURLzq@h"}


@pytest.fixture
def home(connect, scanner, tmp_path) -> Path:
    """Return a directory where a Connect cluster was scanned: cluster.json, dictionary.db, capture, report.json."""
    states = ("RUNNING", "FAILED")
    failed = connect.Kept(name="orders-sink", config=CONFIG, tasks=states, trace=TRACE, topics=("orders",))
    server = connect.Connect(installation=(failed, connect.Kept(name="audit", config=CONFIG, tasks=())))
    with connect.serving(server) as url:
        sources = [{"name": "main", "url": url}]
        document = {"cluster": "shop", "brokers": ["k:1"], "connect": sources}
        (tmp_path / "cluster.json").write_text(json.dumps(document))
        result = scanner(
            "extract",
            *("--config", tmp_path / "cluster.json", "--dictionary", tmp_path / "dictionary.db"),
            *("--capture", tmp_path / "capture", "--report", tmp_path / "report.json", "--only", "connect"),
        )
    (tmp_path / "said.txt").write_text(result.out + result.err)
    assert result.status == 0
    return tmp_path


@pytest.fixture
def list_connectors(scanner, home):
    """Run `scanner jobs` on that dictionary."""
    return lambda *arguments: scanner("jobs", "--kind", "connector", *arguments, "--dictionary", home / "dictionary.db")


def test_table_shows_states_and_errors(list_connectors) -> None:
    """The first line of the trace is what an operator searches for."""
    lines = list_connectors().out.splitlines()

    assert lines[0].split()[2:] == ["NAME", "KIND", "CLASS", "STATE", "TASKS", "FAILED", "TOPICS", "ERROR"]
    assert lines[1].split() == [
        "shop",
        "connect:main",
        "audit",
        "sink",
        "com.acme.Sink",
        "RUNNING,",
        "no",
        "tasks",
        "0",
    ]
    assert lines[2].split()[2:6] == ["orders-sink", "sink", "com.acme.Sink", "RUNNING,"]
    assert "RUNNING, 1 of 2 tasks FAILED  2      1       orders" in lines[2]
    assert lines[2].endswith("X: cannot reach jdbc:db2://h/d:user=u;password=********;")


def test_only_failed_ones_or_those_that_fit_are_listed(list_connectors) -> None:
    """People with five hundred connectors look for three."""
    assert [row["name"] for row in list_connectors("--failed", "--format", "json").json] == ["orders-sink"]
    assert [row["name"] for row in list_connectors("aud*", "--format", "json").json] == ["audit"]


def test_each_task_has_a_line(list_connectors) -> None:
    """Which of forty tasks failed, and where."""
    rows = list(csv.DictReader(io.StringIO(list_connectors("--tasks", "--format", "csv").out)))

    assert [(row["name"], row["task"], row["state"]) for row in rows] == [
        ("orders-sink", "0", "RUNNING"),
        ("orders-sink", "1", "FAILED"),
    ]


def test_document_has_configuration_and_traces(list_connectors) -> None:
    """Programs get everything, the secrets apart."""
    (row,) = list_connectors("orders", "--format", "json").json

    assert row["config"]["db.password"] == "********"
    assert row["config"]["u"] == "http://h"
    assert row["topics"] == ["orders"]
    assert row["tasks"][1]["trace"].endswith("\n\tat y")


def test_cluster_that_is_not_known_is_named(list_connectors) -> None:
    """With the nearest known one."""
    result = list_connectors("--cluster", "shopp")

    assert result.status == 4
    assert "shop" in result.err


def test_report_counts_connectors(home) -> None:
    """What was requested and received."""
    (report,) = json.loads((home / "report.json").read_text())

    assert report["counts"] == {"connectors": 2}
    assert [(source["source"], source["kind"], source["received"]) for source in report["sources"]] == [
        ("connect:main", "connect", 2)
    ]


def test_no_secret_is_in_any_file_that_a_scan_leaves(home) -> None:
    """Dictionary, capture, report, and the output on the terminal."""
    left = [path for path in home.rglob("*") if path.is_file() and path.name != "cluster.json"]

    assert {"dictionary.db", "report.json", "said.txt", "capture.json"} <= {path.name for path in left}
    assert not [path for path in left if b"zq" in path.read_bytes()]


def test_check_tries_the_worker_and_the_list(connect, scanner, tmp_path) -> None:
    """Before a first scan."""
    with connect.serving(connect.Connect()) as url:
        document = {"cluster": "shop", "brokers": ["k:1"], "connect": [{"url": url}]}
        (tmp_path / "cluster.json").write_text(json.dumps(document))
        rows = scanner("check", "--config", tmp_path / "cluster.json", "--format", "json").json

    assert [(row["tried"], row["answer"]) for row in rows] == [("reach a worker", "ok"), ("list connectors", "ok")]

"""Sources of clients that are not configured, or are empty, leave no trace: dictionary and graph are the same bytes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from scanner_cli.main import run

pytestmark = pytest.mark.slow

RETAIL = Path(__file__).parents[2] / "examples" / "retail"
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^'\",\s]*")
_SECONDS = re.compile(rb"(?<=, )\d+\.\d+(?=, )")
_OF_CLIENTS = re.compile(rb"INSERT INTO .?(?:client_use|application_identity|acl_rule|acl_authorizer)")


def written(directory: Path, members: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return the dictionary as a SQL script, but for times, and the graph of the example with *members* added."""
    shutil.copytree(RETAIL, directory)
    file = directory / "cluster.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | members), "utf-8")
    dictionary = ("--dictionary", str(directory / "dictionary.db"))
    replay = ("--config", str(file), "--replay", str(directory / "capture"))
    script, graph = directory / "dictionary.sql", directory / "flow"
    assert run(["extract", *replay, "--quiet", *dictionary]) == 0
    assert run(["dataflow", *dictionary, "--output", str(graph)]) == 0
    assert run(["dictionary", "export", "--format", "h2", "-o", str(script), *dictionary]) == 0
    return _SECONDS.sub(b"0", _TIME.sub(b"TIME", script.read_bytes())), (graph / "graph.json").read_bytes()


def test_scan_without_sources_of_clients_is_as_before(tmp_path) -> None:
    """Each of them is off until it is configured."""
    without = written(tmp_path / "without", {})
    empty = written(tmp_path / "empty", {"prometheus": []})

    assert len(without[0]) > 100_000
    assert _OF_CLIENTS.search(without[0]) is None
    assert empty == without


def test_names_of_applications_alone_change_no_flow(tmp_path) -> None:
    """A mapping says who a client would be; that there is one, other sources say."""
    without = written(tmp_path / "without", {})
    named = written(tmp_path / "named", {"applications": {"orders-service": {"client.id": ["orders-*"]}}})

    assert named[1] == without[1]

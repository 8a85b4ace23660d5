"""What fails in the installation is on the home after the next scan: a failed task, and a source that is stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from chromium import SCANNER, SIZE, chromium, program, serving, settle

pytestmark = pytest.mark.lab

_NAME = "orders-once-more"
_STOPPED = "fake-ksqldb"
_PATIENCE = 90.0
_LAB = Path(__file__).with_name("lab.py")
_OF_TEXT = "org.apache.kafka.connect.storage.StringConverter"
_OF_JSON = "org.apache.kafka.connect.json.JsonConverter"


@pytest.fixture(scope="module")
def homes(lab) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the home shows before and after a connector fails and a source is stopped, each after one scan."""
    lab.needs("records", "connectors", _STOPPED)
    address = f"sqlite:///{lab.directory}/home.db"
    before = _scanned(lab, address)
    with _failing(lab), _stopped():
        return before, _scanned(lab, address, expected=3)


def test_a_failed_task_is_an_error_with_the_first_line_of_its_trace(homes) -> None:
    """The worker calls the connector RUNNING; it stopped at its first record."""
    before, after = homes
    (failed,) = [error for error in after["errors"] if _NAME in error["where"]]

    assert not [error for error in before["errors"] if _NAME in error["where"]]
    assert "FAILED: org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded" in failed["what"]
    assert "\n" not in failed["what"]
    assert _NAME in {node["name"] for node in after["failed"]}


def test_a_source_that_does_not_answer_is_stale_and_its_facts_stay(homes) -> None:
    """An outage is no deletion."""
    before, after = homes
    stale = [source["source"] for source in after["state"]["stale"]]

    assert before["state"]["stale"] == []
    assert [source.partition(":")[0] for source in stale] == ["ksqldb"]
    assert after["statements"] == before["statements"] > 0


def test_the_page_shows_both_on_top(homes) -> None:
    """In its header, too, which every page has."""
    if program() is None:
        pytest.skip("needs Chromium")
    text, about = homes[1]["text"], homes[1]["about"]

    for words in (f"connector {_NAME}", "Tolerance exceeded", "ksqldb:", "was not read by the last scan of"):
        assert words in text
    assert "1 stale source" in about
    assert "error" in about


def _scanned(lab, address: str, expected: int = 0) -> dict[str, Any]:
    """Scan, generate the graph, and return what the home is made of, and its page."""
    lab.scanner(
        "scan", "--no-graph", "--config", str(lab.config()), "--dictionary", address, "--quiet", expected=expected
    )
    lab.scanner("dataflow", "--dictionary", address)
    with serving(SCANNER, address) as url:
        api = f"{url}/api/v1"
        return {
            "errors": requests.get(f"{api}/findings?severity=error", timeout=_PATIENCE).json()["items"],
            "failed": requests.get(f"{api}/nodes?failed=true", timeout=_PATIENCE).json()["items"],
            "state": requests.get(f"{api}/state", timeout=_PATIENCE).json(),
            "statements": len(requests.get(f"{api}/statements?source=ksqldb", timeout=_PATIENCE).json()["items"]),
            **(_page(url) if program() else {}),
        }


def _page(url: str) -> dict[str, str]:
    with chromium() as browser:
        page = browser.new_context(viewport=SIZE).new_page()
        page.goto(url)
        settle(page)
        return {"text": page.locator("main").inner_text(), "about": page.locator("#about").inner_text()}


@contextmanager
def _failing(lab) -> Iterator[None]:
    """Have a connector that reads Avro as JSON, and so fails at its first record."""
    at = f"{lab.told['connect']}/connectors/{_NAME}"
    config = {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
        "tasks.max": "1",
        "topics": "orders",
        "file": f"{lab.told['state']}/data/connect/again.txt",
        "key.converter": _OF_TEXT,
        "value.converter": _OF_JSON,
    }
    requests.put(f"{at}/config", json=config, timeout=_PATIENCE).raise_for_status()
    try:
        _wait(lambda: _task_states(at) == ["FAILED"])
        yield
    finally:
        requests.delete(at, timeout=_PATIENCE)


def _task_states(at: str) -> list[str]:
    """Return the states of the connector's tasks; none until the worker knows it."""
    status = requests.get(f"{at}/status", timeout=_PATIENCE).json()
    return [task["state"] for task in status.get("tasks", ())]


@contextmanager
def _stopped() -> Iterator[None]:
    """End a server, and start it again afterwards."""
    subprocess.run([sys.executable, str(_LAB), "kill", _STOPPED], check=True)
    try:
        yield
    finally:
        subprocess.run([sys.executable, str(_LAB), "serve", _STOPPED], check=True)


def _wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.5)

"""The installation scanned again: with a source down, and for figures only."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.lab


@pytest.fixture
def address(lab) -> str:
    """Return a dictionary with one scan without figures."""
    lab.needs("connectors", "records")
    file = lab.directory / "again.db"
    file.unlink(missing_ok=True)
    _scan(lab, f"sqlite:///{file}", "--mode", "extract")
    return f"sqlite:///{file}"


def _scan(lab, address: str, *options: str, expected: int = 0, **changes: Any) -> None:
    config = ("--config", str(lab.config(**changes)), "--dictionary", address)
    lab.scanner("scan", "--no-graph", *config, *options, "--quiet", expected=expected)


def _ask(lab, address: str, *arguments: str) -> Any:
    return json.loads(lab.scanner(*arguments, "--dictionary", address, "--format", "json"))


def test_a_source_that_is_down_loses_nothing(lab, address) -> None:
    """Nothing listens where the worker was: what it reported stays, and is marked."""
    texts = {"name": "lab", "url": "http://127.0.0.1:1"}
    before = _ask(lab, address, "connectors")

    _scan(lab, address, expected=3, connect=[texts])

    assert _ask(lab, address, "connectors") == [item | {"stale": True} for item in before]
    (down,) = [item for item in _ask(lab, address, "scans", "2") if item["status"] != "read"]
    assert (down["source"], down["status"]) == ("connect:lab", "unavailable")
    assert "stale-source" in {item["rule"] for item in _ask(lab, address, "validate")}


def test_figures_are_queried_beside_the_stored_scan(lab, address) -> None:
    """No source is queried again, and nothing of theirs changes."""
    before = _ask(lab, address, "topics")

    _scan(lab, address, "--mode", "enrich")

    answers = {item["kind"]: item["status"] for item in _ask(lab, address, "scans", "2")}
    assert answers.pop("metrics") == "read"
    assert set(answers.values()) == {"kept"}
    assert _ask(lab, address, "topics") == before

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
    lab.scanner("extract", *config, *options, "--quiet", expected=expected)


def _ask(lab, address: str, *arguments: str) -> Any:
    return json.loads(lab.scanner(*arguments, "--dictionary", address, "--format", "json"))


def test_a_source_that_is_down_loses_nothing(lab, address) -> None:
    """Nobody listens where the worker was: what it told stays, and is marked."""
    gone = {"name": "lab", "url": "http://127.0.0.1:1"}
    before = _ask(lab, address, "connectors")

    _scan(lab, address, expected=3, connect=[gone])

    assert _ask(lab, address, "connectors") == [one | {"stale": True} for one in before]
    (down,) = [each for each in _ask(lab, address, "scans", "2") if each["status"] != "read"]
    assert (down["source"], down["status"]) == ("connect:lab", "unavailable")
    assert "stale-source" in {each["rule"] for each in _ask(lab, address, "validate")}


def test_figures_are_queried_beside_the_stored_scan(lab, address) -> None:
    """No source is asked again, and nothing of theirs changes."""
    before = _ask(lab, address, "topics")

    _scan(lab, address, "--mode", "enrich")

    answers = {each["kind"]: each["status"] for each in _ask(lab, address, "scans", "2")}
    assert answers.pop("metrics") == "read"
    assert set(answers.values()) == {"kept"}
    assert _ask(lab, address, "topics") == before

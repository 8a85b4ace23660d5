"""Fakes that tests of the library share: servers, and the context of a monitor."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scanner_api.monitoring.loop import MonitorContext
from scanner_model.errors import SourceObjected, SourceUnreachable

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class World:
    """The context of a monitor: a clock that a test sets, and a catalog that accepts events or not."""

    at: datetime = NOON
    away: bool = False
    unwanted: frozenset[str] = frozenset()
    events: list[dict[str, Any]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def send(self, event: dict[str, Any]) -> None:
        if self.away:
            raise SourceUnreachable("nobody answers", where="catalog")
        if event["eventType"] in self.unwanted:
            raise SourceObjected("no such thing", where="catalog", status=400)
        self.events.append(event)

    def context(self) -> MonitorContext:
        return MonitorContext(
            now=lambda: self.at,
            draw=lambda low, high: low,
            send=self.send,
            notify=self.messages.append,
            refused=lambda line, _: self.refused.append(line),
        )

    @property
    def states(self) -> list[str]:
        return [event["eventType"] for event in self.events]


@pytest.fixture
def world() -> World:
    """Return the clock and the target of a monitor."""
    return World()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Return the path of a monitor's state."""
    return tmp_path / "monitor.json"


@pytest.fixture(scope="session")
def connect() -> ModuleType:
    """Load the fake Connect server."""
    return import_module("connect_server")


@pytest.fixture(scope="session")
def flink() -> ModuleType:
    """Load the fake Flink server."""
    return import_module("flink_server")


@pytest.fixture(scope="session")
def ksql() -> ModuleType:
    """Load the fake ksqlDB server."""
    return import_module("ksqldb_server")

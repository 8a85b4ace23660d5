"""Events of a made-up producer, as JSON and read."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from dataflow_generator.openlineage.events import InvalidEvent, read_event
from scanner_model.openlineage import LineageEvent


@pytest.fixture(scope="session")
def producer() -> ModuleType:
    """Load the producer of events."""
    return import_module("lineage_producer")


@pytest.fixture(scope="session")
def read() -> Callable[[Any], LineageEvent]:
    """Read an event that must be one."""

    def event(document: Any) -> LineageEvent:
        event = read_event(json.dumps(document))
        assert not isinstance(event, InvalidEvent), event.problems
        return event

    return event

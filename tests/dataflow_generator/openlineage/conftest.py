"""Events of a made-up producer, as JSON and read."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dataflow_generator.openlineage.events import InvalidEvent, read_event
from scanner_model.openlineage import LineageEvent

FAKES = Path(__file__).parents[2] / "fakes"


@pytest.fixture(scope="session")
def producer() -> ModuleType:
    """Load the producer of events."""
    spec = importlib.util.spec_from_file_location("lineage_producer", FAKES / "lineage_producer.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def read() -> Callable[[Any], LineageEvent]:
    """Read an event that must be one."""

    def event(document: Any) -> LineageEvent:
        event = read_event(json.dumps(document))
        assert not isinstance(event, InvalidEvent), event.problems
        return event

    return event

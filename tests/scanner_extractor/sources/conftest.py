"""The fake Connect server, which is a program and no part of a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FAKE = Path(__file__).parents[2] / "fakes" / "connect_server.py"


@pytest.fixture(scope="session")
def connect() -> ModuleType:
    """Load the fake Connect server."""
    spec = importlib.util.spec_from_file_location("connect_server_for_sources", FAKE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

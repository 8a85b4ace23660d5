"""The fake servers, which are programs and no part of a package."""

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
    return _program(FAKE)


@pytest.fixture(scope="session")
def flink() -> ModuleType:
    """Load the fake Flink server."""
    return _program(FAKE.with_name("flink_server.py"))


def _program(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{path.stem}_for_sources", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

"""The fake servers, which are programs and no part of a package."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def connect() -> ModuleType:
    """Load the fake Connect server."""
    return import_module("connect_server")


@pytest.fixture(scope="session")
def flink() -> ModuleType:
    """Load the fake Flink server."""
    return import_module("flink_server")

"""The bundled example as a dictionary with its graph, and clients of the application over it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_server.app import Parts, application
from scanner_server.options import ServerOptions

LOCAL, NOTHING = ServerOptions(), Parts()
EXAMPLE = Path(__file__).parents[2] / "examples/retail"


@pytest.fixture(scope="session")
def retail_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scan the example once; tests must not write into this file."""
    file = tmp_path_factory.mktemp("retail") / "retail.db"
    dictionary = scanner_api.open_dictionary(file, create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return file


@pytest.fixture
def retail(retail_file: Path) -> Dictionary:
    """Return the scanned example, to be read only."""
    return scanner_api.open_dictionary(retail_file)


@pytest.fixture
def own_retail(retail_file: Path, tmp_path: Path) -> Dictionary:
    """Return a copy of the scanned example that a test may change."""
    return scanner_api.open_dictionary(shutil.copy(retail_file, tmp_path / "retail.db"))


@pytest.fixture
def client_of() -> Iterator[Callable[..., TestClient]]:
    """Return a function that starts the application over a dictionary, and returns a client of it."""
    with ExitStack() as stack:

        def client(dictionary: Dictionary, options: ServerOptions = LOCAL, parts: Parts = NOTHING) -> TestClient:
            app = application(dictionary, options, parts)
            return stack.enter_context(TestClient(app, base_url="http://localhost", raise_server_exceptions=False))

        yield client


@pytest.fixture(scope="session")
def session_client(retail_file: Path) -> Iterator[TestClient]:
    """Return one client of the example for all tests that only read."""
    with TestClient(application(scanner_api.open_dictionary(retail_file)), base_url="http://localhost") as client:
        yield client

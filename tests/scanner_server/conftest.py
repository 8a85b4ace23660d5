"""The bundled example as a dictionary with its graph, and clients of the application over it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path

import changing_installation as changing
import pytest
from starlette.testclient import TestClient

import scanner_api
from dataflow_generator.build.store import generate
from scanner_api.dictionary import Dictionary, open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_server.app import Parts, application
from scanner_server.options import ServerOptions
from scanner_server.workers import Workers

LOCAL, NOTHING = ServerOptions(), Parts()
EXAMPLE = Path(__file__).parents[2] / "examples/retail"


@pytest.fixture
def in_threads(retail: Dictionary) -> Workers:
    """Return workers over the example that start no process, which would take a second or two."""
    return Workers(retail, ServerOptions(heavy=0))


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


DOUBLED = changing.installation(queries=[("0", "1", "ID, AMOUNT * 2 AS AMOUNT")])


@pytest.fixture(scope="session")
def changed(tmp_path_factory) -> Dictionary:
    """Return a dictionary of three scans: a query is changed in the second, the third has no graph."""
    dictionary = open_dictionary(tmp_path_factory.mktemp("changed") / "dictionary.db", create=True)
    for number, state in enumerate((changing.installation(), DOUBLED, DOUBLED), 1):
        engine = dictionary.writing()
        at = datetime(2026, 1, number, 12, tzinfo=UTC)
        write_scan(engine, changing.scan_of(state), started=at, finished=at)
        if number < 3:
            generate(engine)
        engine.dispose()
    return dictionary


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """Return a directory on a file system of 8 MiB."""
    directory = tmp_path / "disk"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(directory)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs root with the right to mount a file system")
    yield directory
    subprocess.run(["umount", "-l", str(directory)], check=True)


@pytest.fixture
def fill() -> Callable[[Path], Path]:
    """Return a function that writes a file until its disk has no room, and returns the file."""

    def filled(disk: Path) -> Path:
        filler = disk / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as out:
            while out.write(b"x" * 512):
                continue
        assert os.statvfs(disk).f_bavail == 0
        return filler

    return filled

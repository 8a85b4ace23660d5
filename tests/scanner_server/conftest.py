"""The bundled example as a dictionary with its graph, and clients of the application over it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import changing_installation as changing
import pytest
from chromium import SCANNER, SIZE, chromium, program, serving, settle
from starlette.testclient import TestClient
from waiting import PATIENCE

import scanner_api
from dataflow_generator.build.store import generate
from scanner_api.dictionary import Dictionary, open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_server.app import Parts, application
from scanner_server.options import ServerOptions
from scanner_server.workers import Workers

LOCAL, NOTHING = ServerOptions(heavy=0), Parts()
"""In threads: a process for heavy answers takes two seconds to start."""

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
    with TestClient(
        application(scanner_api.open_dictionary(retail_file), LOCAL), base_url="http://localhost"
    ) as client:
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


@pytest.fixture(scope="module")
def history(retail_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the example again: a column flow is removed and a job added; and again: Connect cannot be read."""
    place = tmp_path_factory.mktemp("history") / "retail"
    shutil.copytree(EXAMPLE, place)
    dictionary = scanner_api.open_dictionary(shutil.copy(retail_file, place / "retail.db"))
    legacy = place / "manual/legacy.json"
    document = json.loads(legacy.read_text())
    del document["flows"][0]["columns"][1]
    document["flows"].append({"from": "returns", "to": "reviews", "job": "ask-for-review"})
    legacy.write_text(json.dumps(document))
    for lost in (False, True):
        if lost:
            shutil.rmtree(place / "capture/connect-lab")
        scanner_api.scan([place / "cluster.json"], dictionary, replay=place / "capture")
        scanner_api.generate(dictionary)
    return dictionary


@pytest.fixture(scope="module")
def retail_alone(retail_file: Path) -> Dictionary:
    """Return the example as it was scanned first."""
    return scanner_api.open_dictionary(retail_file)


@pytest.fixture(scope="module")
def address(history: Dictionary) -> Iterator[str]:
    """Serve the example with its history."""
    with serving(SCANNER, history.url) as url:
        urlopen(f"{url}/api/v1/impact?node=orders", timeout=PATIENCE).close()  # starts the process of slow questions
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium; skips where it is not installed."""
    pytest.importorskip("playwright", reason="needs playwright")
    if program() is None:
        pytest.skip("no Chromium on this machine; Debian: apt-get install chromium")
    with chromium() as browser:
        yield browser.new_context(viewport=SIZE)


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Return a function that opens an address of the server; a message on the console fails the test."""
    messages: list[str] = []
    with ExitStack() as stack:

        def opened(path: str = "/flow") -> Any:
            page = browser.new_page()
            page.set_default_timeout(1000 * PATIENCE)
            stack.callback(page.close)
            page.on("console", lambda message: messages.append(message.text))
            page.on("pageerror", lambda error: messages.append(str(error)))
            page.goto(path if "://" in path.partition("#")[0] else f"{address}{path}")
            settle(page)
            return page

        yield opened
    assert messages == []

"""`scanner push` as a process against a catalog on a port: streams, exit status, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from datahub_server import DataHubServer
from push_world import installation

pytestmark = pytest.mark.process

TOKEN = "t0ken-that-is-secret"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        status, answer = self.server.catalog.answer(self.command, self.path, body)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            status, answer = 401, {"message": "who are you?"}
        text = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_DELETE = _answer  # noqa: N815 - named by http.server

    def log_message(self, *_: object) -> None:
        """Write no log."""


class _Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        self.catalog = DataHubServer()
        super().__init__(("127.0.0.1", 0), _Handler)


class Installation:
    """A graph in *directory*, and the catalog that it is pushed into."""

    def __init__(self, directory: Path, server: _Server) -> None:
        installation(directory)
        self.directory, self.catalog = directory, server.catalog
        entry = {
            "target": "datahub",
            "url": f"http://127.0.0.1:{server.server_port}",
            "auth": {"bearer": {"token": "${CATALOG_TOKEN}"}},
        }
        config = json.loads((directory / "c.json").read_text())
        (directory / "c.json").write_text(json.dumps(config | {"push": [entry]}))

    def run(self, *options: str, status: int = 0, token: str = TOKEN) -> tuple[str, str]:
        """Run `scanner push datahub`, and return what it wrote to stdout and stderr."""
        place = ["--config", str(self.directory / "c.json"), "--dictionary", str(self.directory / "d.db")]
        done = subprocess.run(
            [sys.executable, "-c", "from scanner_cli.main import main; main()", "push", "datahub", *place, *options],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={"CATALOG_TOKEN": token, "PATH": "", "COLUMNS": "200"},
        )
        assert done.returncode == status, done.stderr
        assert token not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout, done.stderr


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installation]:
    """Yield a graph, and a catalog on a port of its own."""
    server = _Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Installation(tmp_path, server)
    server.shutdown()
    server.server_close()


def test_push_is_planned_done_and_undone(installed: Installation) -> None:
    table, summary = installed.run("--dry-run")
    assert "POST /openapi/v3/entity/dataset" in table
    assert "6 to create, 0 to change, 0 to remove, 0 unchanged" in summary
    plan: dict[str, Any] = json.loads(installed.run("--dry-run", "--format", "json")[0])
    assert {step["action"] for step in plan["steps"]} == {"create"}
    assert installed.catalog.entities == {}

    done = json.loads(installed.run("--format", "json")[0])
    assert (done["run"], done["created"], done["stopped"]) == (1, 6, None)
    assert "6 unchanged" in installed.run()[1]

    assert "6 removed" in installed.run("--undo", "1")[1]
    assert installed.catalog.entities == {}
    installed.run("--undo", "1", status=2)


def test_partial_refusal_has_a_status_of_its_own(installed: Installation) -> None:
    installed.catalog.refused = frozenset({"bill"})

    _, summary = installed.run(status=3)

    assert "refused: dataJob" in summary
    assert "1 refused" in summary


def test_wrong_token_is_an_error_and_not_shown(installed: Installation) -> None:
    installed.run(status=1, token="another-t0ken-that-is-wrong")

    assert installed.catalog.entities == {}


def test_name_in_the_catalog_is_explained(installed: Installation) -> None:
    table, _ = installed.run("--explain", "orders")
    document = json.loads(installed.run("--explain", "orders", "--format", "json")[0])

    assert "urn:li:dataset:(urn:li:dataPlatform:kafka,orders,PROD)" in table
    assert document["name"] == "urn:li:dataset:(urn:li:dataPlatform:kafka,orders,PROD)"
    assert "exclude each other" in installed.run("--explain", "orders", "--undo", "1", status=2)[1]

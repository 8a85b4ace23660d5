"""`scanner watch`, `scanner serve` and `scanner serve --mcp` as commands: options, messages, exit statuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write a cluster.json whose only source is a file."""
    (tmp_path / "manual.json").write_text('{"version": 1, "topics": [{"name": "a"}]}')
    file = tmp_path / "cluster.json"
    file.write_text('{"cluster": "shop", "brokers": ["k:9092"], "manual_input": ["manual.json"]}')
    return file


def test_one_scan_for_an_external_scheduler(scanner, config, tmp_path) -> None:
    """It stores the scan and the graph, and keeps up to which scan changes were posted."""
    said = scanner("watch", "--once", "--config", config, "--dictionary", tmp_path / "d.db", "--webhook", "http://x:1")

    assert (said.status, said.out, said.err) == (0, "", "")
    assert json.loads((tmp_path / "d.db.watch.json").read_text()) == {"scans": {"shop": 1}, "pending": []}
    assert scanner("lineage", "a", "--dictionary", tmp_path / "d.db").status == 0


def test_a_scan_that_fails_ends_with_status_1(scanner, config, tmp_path) -> None:
    """A scheduler learns it."""
    (tmp_path / "manual.json").unlink()
    said = scanner("watch", "--once", "--config", config, "--dictionary", tmp_path / "d.db")

    assert said.status == 1
    assert said.err.startswith("warning: scan: ")


@pytest.mark.parametrize("every", ["0s", "soon", "", "1w", "-5m"])
def test_a_time_that_is_none_is_refused(scanner, config, every) -> None:
    """The message shows how to write one."""
    said = scanner("watch", "--config", config, "--every", every)

    assert said.status == 2
    assert "write 30s, 15m or 6h" in said.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "set SCANNER_TOKEN"),
        (["--tls-cert", "chain.pem"], "TLS needs both files"),
        (["--token-file", "/nowhere/token"], "--token-file /nowhere/token: cannot be read"),
        (["--port", "99999"], "--port"),
    ],
)
def test_a_server_that_cannot_start_reports_why(scanner, options, message) -> None:
    """One line, and status 2."""
    said = scanner("serve", *options)

    assert said.status == 2
    assert message in said.err
    assert said.err.count("\n") == 1


def test_an_empty_token_file_is_refused(scanner, tmp_path) -> None:
    """Else the server would be open to everybody."""
    (tmp_path / "token").write_text("\n")
    said = scanner("serve", "--token-file", tmp_path / "token")

    assert (said.status, "the file is empty" in said.err) == (2, True)


def test_mcp_without_a_dictionary_reports_it(scanner, tmp_path) -> None:
    """The host shows what the command wrote to its error output."""
    said = scanner("mcp", "--dictionary", tmp_path / "none.db")

    assert (said.status, said.out) == (1, "")
    assert "the dictionary does not exist" in said.err


@pytest.mark.process
def test_a_library_that_is_missing_is_named(tmp_path) -> None:
    """The extra is optional."""
    program = "import sys; sys.modules['mcp'] = None; from scanner_cli.main import main; main()"
    command = [sys.executable, "-c", program, "mcp", "--dictionary", str(tmp_path / "none.db")]
    said = subprocess.run(command, capture_output=True, text=True, check=False)

    assert said.returncode == 2
    assert (
        said.stderr
        == "error: the server needs libraries that are not installed (pip install 'kafka-lineage-scanner[server]')\n"
    )

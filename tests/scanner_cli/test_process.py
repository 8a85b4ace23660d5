"""The program as a process: pipes, signals, locales, and streams that are closed or full."""

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from scanner_cli.output.progress import progress_on
from scanner_model.names import SourceId

pytestmark = pytest.mark.process

SCANNER = [sys.executable, "-c", "from scanner_cli.main import main; main()"]


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "assistant", "version": "1"},
}
"""The parameters of an assistant's first request."""


def process(*arguments: str, **settings: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*SCANNER, *arguments], stdin=subprocess.DEVNULL, capture_output=True, **settings)


def test_a_schema_is_read_from_a_pipe() -> None:
    """A pipe has no name, so the format is detected from the text."""
    text = b'\xef\xbb\xbfsyntax = "proto3";\r\nmessage Order { int64 id = 1; }'
    done = subprocess.run([*SCANNER, "explain", "schema", "-", "--format", "json"], input=text, capture_output=True)

    assert json.loads(done.stdout)["columns"][0]["name"] == "id"


def test_a_scan_waits_for_another_writer_and_is_stored(own_dictionary, tmp_path) -> None:
    """What it read must not be thrown away; the same holds for the other commands that write."""
    (tmp_path / "flows.json").write_text(process("manual-input", "example").stdout.decode())
    config = {"cluster": "retail", "brokers": ["b:9092"], "manual_input": ["flows.json"]}
    (tmp_path / "cluster.json").write_text(json.dumps(config))
    line = [*SCANNER, "extract", "--config", str(tmp_path / "cluster.json"), "--dictionary", str(own_dictionary)]
    with closing(sqlite3.connect(own_dictionary, isolation_level=None)) as other:
        before = other.execute("SELECT count(*) FROM scan").fetchall()[0][0]
        other.execute("BEGIN IMMEDIATE")
        gave_up = subprocess.run([*line, "--lock-timeout", "0"], stdin=subprocess.DEVNULL, capture_output=True)
        with subprocess.Popen([*line, "--quiet"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as waiting:
            message = waiting.stderr.readline()
            other.execute("ROLLBACK")
            waiting.stderr.read()
        stored = other.execute("SELECT count(*) FROM scan").fetchall()[0][0] - before

    assert (gave_up.returncode, waiting.returncode, stored) == (1, 0, 1)
    assert b"--lock-timeout" in gave_up.stderr
    assert message.startswith(b"waiting up to 600 s for ")


@pytest.mark.parametrize("program", ["entry", "main"])
def test_what_a_scan_writes_is_its_users_alone(program, tmp_path) -> None:
    """A careless umask must not show a dictionary, a capture or a report to others."""
    (tmp_path / "flows.json").write_bytes(process("manual-input", "example").stdout)
    config = {"cluster": "retail", "brokers": ["b:9092"], "manual_input": ["flows.json"]}
    (tmp_path / "cluster.json").write_text(json.dumps(config))
    out = tmp_path / "out"
    out.mkdir()
    code = f"import os; os.umask(0); from scanner_cli.{program} import main; main()"
    options = ("--dictionary", out / "d.db", "--capture", out / "new" / "capture", "--report", out / "report.json")
    line = [sys.executable, "-c", code, "extract", "--config", tmp_path / "cluster.json", *options]
    subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    modes = {path.relative_to(out).as_posix(): path.stat().st_mode & 0o777 for path in out.rglob("*")}

    assert {"d.db", "new", "new/capture", "report.json"} <= modes.keys()
    assert {oct(mode) for name, mode in modes.items() if (out / name).is_file()} == {"0o600"}
    assert {oct(mode) for name, mode in modes.items() if (out / name).is_dir()} == {"0o700"}


@pytest.mark.smoke
def test_ctrl_c_ends_a_scan_at_once_and_stores_nothing(fake, own_dictionary, tmp_path) -> None:
    """The threads that wait for a slow server do not keep the program alive."""
    before = own_dictionary.read_bytes()
    file = tmp_path / "slow.json"
    with fake.serving(fake.Registry(delay=3600.0)) as registry:
        sources = [{"type": "confluent", "url": registry.url}]
        file.write_text(json.dumps({"cluster": "slow", "brokers": ["s:1"], "schema_registries": sources}))
        line = [*SCANNER, "extract", "--config", str(file), "--dictionary", str(own_dictionary)]
        with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as scan:
            wait_until(lambda: registry.log)
            scan.send_signal(signal.SIGINT)
            _, stderr = scan.communicate(timeout=PATIENCE)

    assert scan.returncode == 1
    assert stderr.strip().startswith("interrupted: ")
    assert own_dictionary.read_bytes() == before


def test_ctrl_c_ends_a_check_with_the_status_of_a_failure(own_dictionary, tmp_path) -> None:
    """Not with 0, which would say that the change breaks nothing."""
    git, started = tmp_path / "git", tmp_path / "started"
    git.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep {PATIENCE}\n", encoding="utf-8")
    git.chmod(0o755)
    line = [*SCANNER, "check", "--git", "a..b", "--dictionary", str(own_dictionary)]
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as check:
        wait_until(started.exists)
        check.send_signal(signal.SIGINT)
        _, stderr = check.communicate(timeout=PATIENCE)

    assert check.returncode == 1
    assert stderr.strip().startswith("interrupted: ")


SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


def ended(running: subprocess.Popen[str], number: int) -> tuple[int, str]:
    """Send a signal; return the exit status and what the program wrote to stderr after it."""
    running.send_signal(number)
    _, stderr = running.communicate(timeout=PATIENCE)
    return running.returncode, stderr


@SIGNALS
@pytest.mark.parametrize("command", [("serve",), ("openlineage", "listen")], ids=["serve", "listen"])
def test_a_signal_ends_a_server_as_it_should_end(command, number, own_dictionary) -> None:
    """It is how a service manager ends it, so it is no failure: also right after the address is known."""
    line = [*SCANNER, *command, "--port", "0", "--dictionary", str(own_dictionary)]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as running:
        address = running.stderr.readline()
        status, stderr = ended(running, number)

    assert ("http://" in address, status, "Traceback" in stderr) == (True, 0, False), stderr


@SIGNALS
def test_a_signal_ends_the_watch(number, tmp_path) -> None:
    (tmp_path / "flows.json").write_bytes(process("manual-input", "example").stdout)
    config = {"cluster": "retail", "brokers": ["b:9092"], "manual_input": ["flows.json"]}
    (tmp_path / "cluster.json").write_text(json.dumps(config))
    line = [*SCANNER, "watch", "--config", "cluster.json", "--dictionary", "d.db"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as running:
        wait_until((tmp_path / "d.db").exists)
        status, stderr = ended(running, number)

    assert (status, "scans" in stderr) == (0, True), stderr


def test_an_assistant_that_ended_is_no_failure_of_its_server(own_dictionary) -> None:
    """Its host shows what the server writes to stderr, and a traceback looks like a fault of the server."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*SCANNER, "mcp", "--dictionary", str(own_dictionary)], **pipes, text=True) as server:
        server.stdout.close()
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.close()
        written = server.stderr.read()

    assert (server.returncode, written) == (0, "")


@pytest.mark.parametrize("moment", ["scanner_cli.main", "click", "scanner_cli.console"])
def test_ctrl_c_during_the_imports_is_reported_in_one_line(moment) -> None:
    """A traceback of the imports is of no use to the user."""
    entry = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["scripts"]["scanner"]
    module, _, function = entry.partition(":")
    code = f"""import signal, sys
class Pressed:
    def find_spec(self, name, *_):
        if name == {moment!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Pressed())
from {module} import {function}
{function}()"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("interrupted: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_the_answer_is_utf8_in_every_locale(locale, dictionary) -> None:
    """A timer runs without one."""
    done = process("topics", "--format", "json", *dictionary, env={**os.environ, **locale})

    assert done.returncode == 0
    assert json.loads(done.stdout)[2]["description"] == "温度"


def test_a_reader_that_has_seen_enough_is_no_failure(dictionary) -> None:
    """As in `scanner topics | head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*SCANNER, "topics", *dictionary], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_reported(dictionary) -> None:
    """A truncated answer must not look whole."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*SCANNER, "topics", *dictionary], stdout=full, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (1, b"error: standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("command", "closing", "status"),
    [
        ("topics", ">&-", 0),
        ("topics --cluster nobody", "2>&-", 4),
        ("dictionary export --format h2 -o -", ">&- 2>&-", 0),
        ("dictionary info", "<&- >&- 2>&-", 0),
    ],
)
def test_closed_streams_change_no_status(command, closing, status, dictionary) -> None:
    """Some supervisors close them; the dictionary, opened next, must not get their numbers."""
    program = f'"{sys.executable}" -c "from scanner_cli.main import main; main()"'
    line = f"{program} {command} {' '.join(dictionary)} {closing}"

    assert subprocess.run(["/bin/sh", "-c", line], capture_output=True).returncode == status


def test_verbose_logs_what_is_ours_only(scanned, tmp_path) -> None:
    """Loggers of libraries would write addresses with their credentials."""
    replay = scanned.replay(tmp_path / "d.db")
    done = process("--verbose", *replay, "--quiet", text=True)

    assert done.returncode == 0
    assert "urllib3" not in done.stderr


class Terminal(io.StringIO):
    """Looks like a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_moves_a_bar_for_each_source_on_a_terminal() -> None:
    """A long scan shows that it goes on."""
    terminal = Terminal()
    with progress_on(terminal, quiet=False) as progress:
        progress(SourceId("schema_registry:http://sr"), 0, None)
        progress(SourceId("schema_registry:http://sr"), 3, 10)

    assert "schema_registry:http://sr" in terminal.getvalue()


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO(), False), (Terminal(), True), (None, False)])
def test_progress_is_silent_elsewhere(stream, quiet) -> None:
    """A log file is no terminal."""
    with progress_on(stream, quiet=quiet) as progress:
        progress(SourceId("kafka:a"), 1, 2)

    assert stream is None or stream.getvalue() == ""

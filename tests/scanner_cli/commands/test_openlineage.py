"""`scanner openlineage`: importing files, and a listener as a process that is killed and started again."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import Empty, Queue

import pytest
from waiting import PATIENCE, wait_until

SCANNER = [sys.executable, "-c", "from scanner_cli.main import main; main()"]
CLIENTS = 8


@pytest.fixture(scope="module")
def producer():
    """Load the producer of events."""
    return import_module("lineage_producer")


@pytest.fixture
def import_files(scanner, tmp_path):
    """Return what imports files into a dictionary of its own."""

    def run_import(*files: object):
        return scanner("openlineage", "import", *files, "--dictionary", tmp_path / "d.db", "--format", "json")

    return run_import


def test_events_become_a_path_in_the_graph(import_files, scanner, producer, tmp_path) -> None:
    """From a file to the lineage of a column."""
    spark = producer.run_event(
        inputs=[producer.dataset("kafka://k-1", "orders")],
        outputs=[
            producer.dataset(
                "s3a://lake", "/paid/", columnLineage=producer.lineage("kafka://k-1:9092", "orders", id="id")
            )
        ],
    )
    (tmp_path / "events.ndjson.gz").write_bytes(gzip.compress(json.dumps(spark).encode()))
    dictionary = ("--dictionary", tmp_path / "d.db")

    assert import_files(tmp_path / "events.ndjson.gz").status == 0
    assert scanner("dataflow", *dictionary).status == 0
    lineage = scanner("lineage", "s3://lake/paid", "--upstream", "--columns", "--format", "json", *dictionary).json
    assert [(edge["source"], edge["target"]) for edge in lineage["edges"] if edge["kind"] == "column-flow"] == [
        ("column:kafka://k-1:9092/orders#id", "column:s3://lake/paid#id")
    ]


def test_invalid_events_are_counted_reported_and_kept_in_a_file(import_files, producer, tmp_path) -> None:
    """The rest is stored; importing again changes nothing."""
    good = producer.run_event(run_facets={"env": producer.facet(password="hidden-word")})
    future = good | {"schemaURL": "https://openlineage.io/spec/9-0-0/OpenLineage.json#/$defs/RunEvent"}
    lines = [json.dumps(good), "{broken password=hidden-word", json.dumps(good), json.dumps(future), '{"a": 1}']
    (tmp_path / "events.ndjson").write_text("\n".join(lines))
    result = import_files(tmp_path / "events.ndjson")
    rejected = (tmp_path / "d.db.rejected.ndjson").read_text()

    assert result.status == 3
    assert result.json == {
        "format_version": 1,
        "received": 5,
        "stored": 2,
        "repeated": 1,
        "refused": 2,
        "future": 1,
        "rejected": str(tmp_path / "d.db.rejected.ndjson"),
    }
    assert [json.loads(line)["where"].rpartition(":")[2] for line in rejected.splitlines()] == ["2", "5"]
    assert "refused: " in result.err
    assert "hidden-word" not in rejected + result.err + (tmp_path / "d.db").read_bytes().decode("latin-1")
    assert import_files(tmp_path / "events.ndjson").json["stored"] == 0


@pytest.mark.parametrize("text", ["", "nothing of this is an event", "[]"])
def test_files_without_a_single_event_are_invalid(import_files, tmp_path, text) -> None:
    """The wrong file was named."""
    (tmp_path / "notes.txt").write_text(text)

    assert import_files(tmp_path / "notes.txt").status == 2
    assert import_files(tmp_path / "nothing").status == 2


def test_a_file_that_is_cut_off_costs_only_what_is_missing(import_files, producer, tmp_path) -> None:
    """What was read of it, and all of the others, is stored."""
    lines = "".join(json.dumps(producer.run_event(run=str(number))) + "\n" for number in range(50))
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "a.gz").write_bytes(gzip.compress(lines.encode())[:-8])
    (tmp_path / "events" / "b.json").write_text(json.dumps(producer.run_event(run="last")))
    result = import_files(tmp_path / "events")

    assert (result.status, result.json["stored"]) == (3, 51)
    assert "a.gz: cannot be decompressed" in result.err


@pytest.mark.process
def test_events_come_through_a_pipe(producer, tmp_path) -> None:
    """As in `zcat events.gz | scanner openlineage import -`."""
    line = [*SCANNER, "openlineage", "import", "-", "--dictionary", str(tmp_path / "d.db")]
    done = subprocess.run(line, input=json.dumps(producer.run_event()).encode(), capture_output=True, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"1 events: 1 stored" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("--host", "0.0.0.0"), "--host 0.0.0.0"),
        (("--token-file", "nothing"), "--token-file nothing"),
        (("--rejected", "no/such/dir/x"), "--rejected no/such/dir/x"),
    ],
)
def test_a_listener_that_would_be_open_or_blind_does_not_start(
    scanner, tmp_path, monkeypatch, arguments, where
) -> None:
    """Others must not be able to write lineage without a token."""
    monkeypatch.chdir(tmp_path)
    result = scanner("openlineage", "listen", *arguments, "--dictionary", tmp_path / "d.db")

    assert result.status == 2
    assert where in result.err


def http_request(port: int, method: str, path: str, body: bytes = b"") -> dict:
    """Query a listener again until it answers."""

    def answer() -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer abc", "Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        except OSError:
            return {}
        finally:
            connection.close()

    return wait_until(answer)


def test_a_listener_stores_what_it_acknowledged_and_ends_on_a_signal(scanner, producer, tmp_path) -> None:
    """With the token of a file, which the list of processes does not show."""
    (tmp_path / "token").write_text("abc\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answers: list[dict] = []

    def client() -> None:
        answers.append(http_request(port, "POST", "/api/v1/lineage", json.dumps(producer.run_event()).encode()))
        answers.append(http_request(port, "GET", "/health"))
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=client, daemon=True).start()
    options = ("--token-file", tmp_path / "token", "--spool", tmp_path / "spool", "--dictionary", tmp_path / "d.db")
    result = scanner("openlineage", "listen", "--port", port, *options)

    assert result.status == 0
    assert answers[0] == {"status": "success"}
    assert answers[1]["status"] == "ok"
    assert "1 received, 1 stored" in result.err


class Clients:
    """Posts events from many threads, each again until it is answered."""

    def __init__(self, events: list[bytes]) -> None:
        self.waiting: Queue[bytes] = Queue()
        self.statuses: Counter[int] = Counter()
        self.acknowledged: set[bytes] = set()
        self.port = 0
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(CLIENTS)]
        for event in events:
            self.waiting.put(event)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(120)

    def _run(self) -> None:
        while True:
            try:
                event = self.waiting.get_nowait()
            except Empty:
                return
            status = wait_until(partial(self._final_status, event))
            with self._lock:
                self.statuses[status] += 1
                if status == 201:
                    self.acknowledged.add(event)

    def _final_status(self, event: bytes) -> int:
        """Post an event; return 0 where it is to be posted again."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            headers = {"Content-Type": "application/json", "Authorization": "Bearer abc"}
            connection.request("POST", "/api/v1/lineage", event, headers)
            status = connection.getresponse().status
            return 0 if status == 503 else status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


def listening(directory: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a listener on any free port, and give its port."""
    line = [*SCANNER, "openlineage", "listen", "--port", "0", "--dictionary", str(directory / "d.db")]
    environment = {**os.environ, "SCANNER_OPENLINEAGE_TOKEN": "abc"}
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, cwd=directory, env=environment)
    assert process.stderr
    return process, int(process.stderr.readline().rpartition(":")[2].partition("/")[0])


@pytest.mark.process
def test_nothing_acknowledged_is_lost_and_nothing_doubled_when_a_listener_is_killed(producer, tmp_path) -> None:
    """Half-way through, with broken and repeated events among them, and clients that go on trying."""
    events = [json.dumps(producer.run_event(run=str(number), job=f"j{number % 7}")).encode() for number in range(280)]
    clients = Clients([*events, *events[::20], *[b'{"eventType": "START"}'] * 14])
    process, clients.port = listening(tmp_path)
    clients.start()
    wait_until(lambda: sum(clients.statuses.values()) >= 100)
    process.kill()
    process.wait()
    answered = sum(clients.statuses.values())
    process, clients.port = listening(tmp_path)
    clients.join()
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=PATIENCE)

    with sqlite3.connect(tmp_path / "d.db") as conn:
        runs = [row[0] for row in conn.execute("SELECT run_id FROM lineage_run")]
        (journal,) = conn.execute("SELECT count(*) FROM lineage_event").fetchone()
    assert answered < 294
    assert clients.statuses == {201: 294, 400: 14}
    assert clients.acknowledged == set(events)
    assert sorted(runs) == sorted(producer.run_id(str(number)) for number in range(280))
    assert journal == 280
    assert len((tmp_path / "d.db.rejected.ndjson").read_text().splitlines()) >= 14
    assert process.returncode == 0, stderr
    assert not list((tmp_path / "d.db.spool").glob("*.ndjson"))

"""Events over openlineage-python's transports: a real socket, refusals, a target that is gone, configuration."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dataflow_generator.openlineage import facets as f
from dataflow_generator.openlineage.delivery import Delivered, Emitter, deliver, http_transport
from dataflow_generator.openlineage.run_events import ToldDataset, ToldJob, ToldRun, job_event, run_event, run_id
from scanner_model.errors import InputInvalid, SourceObjected, SourceRefused, SourceUnreachable

AT = "2026-03-01T10:00:00+00:00"
TOPIC = ToldDataset(namespace="kafka://k:9092", name="orders", facets={"datasetType": f.dataset_type("TOPIC")})


class Target(ThreadingHTTPServer):
    """Takes events, but for jobs whose name is a status: these are answered with it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Target

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = json.loads(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
        self.server.asked.append((self.path, self.headers.get("Authorization", "")))
        name = event["job"]["name"]
        status = int(name) if name.isdecimal() else 201
        if status == 201:
            self.server.taken.append(event)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def target() -> Iterator[Target]:
    with Target() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def told(name: str) -> dict[str, Any]:
    return job_event(ToldJob(namespace="n", name=name, inputs=(TOPIC,), outputs=(TOPIC,)), AT, "urn:test:1")


def emitter(target: Target, token: str = "") -> Emitter:
    return Emitter(http_transport(f"http://127.0.0.1:{target.server_port}", token), say=list, show=list)


def test_events_arrive_as_they_were_made(target) -> None:
    """With the token; the library adds its own version to runs, and nothing to anything else."""
    run = ToldRun(id=run_id(AT, "j"), state="RUNNING", facets={"processing_engine": f.processing_engine("x", "1", "1")})
    tagged = ToldJob(namespace="n", name="j", facets={"tags": f.tags(["a=b"])}, outputs=(TOPIC,))
    sent = deliver([told("one"), run_event(run, tagged, AT, "urn:test:1")], emitter(target, "abc"), pytest.fail)
    runs = target.taken[1]

    assert sent == Delivered(sent=2)
    assert target.asked == [("/api/v1/lineage", "Bearer abc")] * 2
    assert target.taken[0]["job"] == told("one")["job"]
    assert (runs["run"]["runId"], sorted(runs["run"]["facets"])) == (run.id, ["processing_engine", "tags"])
    assert "sourceCodeLocation" not in runs["job"]["facets"]


def test_refused_event_does_not_stop_the_others(target) -> None:
    """It is told, with the answer's status."""
    refused: list[tuple[str, Exception]] = []
    events = [told("400"), told("fine")]
    sent = deliver(events, emitter(target), lambda event, error: refused.append((event["job"]["name"], error)))

    assert (sent.sent, sent.refused, sent.stopped) == (1, 1, None)
    assert [(name, type(error)) for name, error in refused] == [("400", SourceObjected)]


@pytest.mark.parametrize(("status", "error"), [("401", SourceRefused), ("404", SourceUnreachable)])
def test_target_that_takes_nothing_stops_it(status, error, target) -> None:
    """Ten thousand more would be answered alike."""
    sent = deliver([told("one"), told(status), told("two")], emitter(target), pytest.fail)

    assert (sent.sent, sent.refused, type(sent.stopped)) == (1, 0, error)


def test_failure_shows_no_secret() -> None:
    """The library puts the address into what it says."""
    transport = {"type": "http", "url": "http://me:hidden-word@127.0.0.1:9", "retry": {"total": 0}}
    stopped = deliver([told("one")], Emitter(transport, say=list, show=list), pytest.fail).stopped

    assert isinstance(stopped, SourceUnreachable)
    assert "hidden-word" not in str(stopped)


def test_console_shows_events_where_it_is_told_to() -> None:
    """The library only logs them, which nobody sees."""
    shown: list[str] = []
    deliver([told("one")], Emitter({"type": "console"}, say=list, show=shown.append), pytest.fail)

    assert [json.loads(text)["job"]["name"] for text in shown] == ["one"]


def test_configuration_of_the_library_is_used(tmp_path, monkeypatch) -> None:
    """Whoever has one needs no option."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "file")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH", str(tmp_path / "x.ndjson"))
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__APPEND", "true")
    sent = deliver([told("one"), told("two")], Emitter(None, say=list, show=list), pytest.fail)

    assert sent.sent == 2
    assert len((tmp_path / "x.ndjson").read_text().splitlines()) == 2


@pytest.mark.parametrize("transport", [None, {"type": "nonsense"}, {"type": "file"}])
def test_transport_that_cannot_be_is_refused_at_once(transport, tmp_path, monkeypatch) -> None:
    """Nothing configured, too: the library would print to a log that nobody reads."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InputInvalid):
        Emitter(transport, say=list, show=list)


def test_address_may_name_the_endpoint() -> None:
    """As people copy it."""
    assert http_transport("https://m:5000/lineage/in/") == {
        "type": "http",
        "url": "https://m:5000",
        "endpoint": "lineage/in",
    }

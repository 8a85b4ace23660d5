"""Events over openlineage-python's transports: a real socket, refusals, a target that is gone, configuration."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dataflow_generator.openlineage.emit import run_events as f
from dataflow_generator.openlineage.emit.delivery import DeliveryResult, Emitter, copied, deliver, http_transport
from dataflow_generator.openlineage.emit.run_events import (
    DatasetEntry,
    JobEntry,
    RunEntry,
    job_event,
    run_event,
    run_id,
)
from scanner_model.errors import InputInvalid, SourceObjected, SourceRefused, SourceUnreachable

AT = "2026-03-01T10:00:00+00:00"
TOPIC = DatasetEntry(namespace="kafka://k:9092", name="orders", facets={"datasetType": f.dataset_type("TOPIC")})


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
        self.send_header("Location", "/login")
        self.send_header("Content-Type", "text/html; charset=utf-8" if status == 200 else "application/json")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Report nothing."""


@pytest.fixture
def target() -> Iterator[Target]:
    with Target() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def reported(name: str) -> dict[str, Any]:
    return job_event(JobEntry(namespace="n", name=name, inputs=(TOPIC,), outputs=(TOPIC,)), AT, "urn:test:1")


def emitter(target: Target, token: str = "") -> Emitter:
    return Emitter(http_transport(f"http://127.0.0.1:{target.server_port}", token), notify=list, show=list)


def test_events_arrive_as_they_were_made(target) -> None:
    """With the token; the library adds its own version to runs, and nothing to anything else."""
    run = RunEntry(
        id=run_id(AT, "j"), state="RUNNING", facets={"processing_engine": f.processing_engine("x", "1", "1")}
    )
    tagged = JobEntry(namespace="n", name="j", facets={"tags": f.tags(["a=b"])}, outputs=(TOPIC,))
    sent = deliver([reported("one"), run_event(run, tagged, AT, "urn:test:1")], emitter(target, "abc"), pytest.fail)
    runs = target.taken[1]

    assert sent == DeliveryResult(sent=2, missed={})
    assert target.asked == [("/api/v1/lineage", "Bearer abc")] * 2
    assert target.taken[0]["job"] == reported("one")["job"]
    assert (runs["run"]["runId"], sorted(runs["run"]["facets"])) == (run.id, ["processing_engine", "tags"])
    assert "sourceCodeLocation" not in runs["job"]["facets"]


def test_refused_event_does_not_stop_the_others(target) -> None:
    """It is reported, with the answer's status."""
    refused: list[tuple[str, Exception]] = []
    events = [reported("400"), reported("fine")]
    sent = deliver(events, emitter(target), lambda event, error: refused.append((event["job"]["name"], error)))

    assert (sent.sent, sent.refused, sent.stopped) == (1, 1, None)
    assert [(name, type(error)) for name, error in refused] == [("400", SourceObjected)]


@pytest.mark.parametrize(
    ("status", "error"),
    [("401", SourceRefused), ("404", SourceUnreachable), ("302", SourceUnreachable), ("200", SourceUnreachable)],
)
def test_target_that_takes_nothing_stops_it(status, error, target) -> None:
    """Ten thousand more would be answered alike; to be led to a page, or to get one, is not to be heard."""
    sent = deliver(
        [reported("one"), reported(status), reported("two"), reported("three")], emitter(target), pytest.fail
    )

    assert (sent.sent, sent.refused, sent.unsent, type(sent.stopped)) == (1, 0, 3, error)
    assert len(target.taken) == 1


def test_failure_shows_no_secret() -> None:
    """The library puts the address into what it says."""
    transport = {"type": "http", "url": "http://me:hidden-word@127.0.0.1:9", "retry": {"total": 0}}
    stopped = deliver([reported("one")], Emitter(transport, notify=list, show=list), pytest.fail).stopped

    assert isinstance(stopped, SourceUnreachable)
    assert "hidden-word" not in str(stopped)


def test_target_that_does_not_listen_is_reported_in_plain_words() -> None:
    """No class of a library, no object; the address is what people look at next."""
    transport = {"type": "http", "url": "http://127.0.0.1:9", "retry": {"total": 0}}
    stopped = deliver([reported("a")], Emitter(transport, notify=list, show=list), list).stopped

    assert stopped
    assert stopped.what == "http://127.0.0.1:9/api/v1/lineage: connection refused"
    assert stopped.hint


def test_target_that_speaks_no_tls_is_reported_so(target) -> None:
    """An `s` too many is the usual reason."""
    transport = {"type": "http", "url": f"https://127.0.0.1:{target.server_port}", "retry": {"total": 0}}
    stopped = deliver([reported("a")], Emitter(transport, notify=list, show=list), list).stopped

    assert stopped
    assert stopped.what.endswith("/api/v1/lineage: it does not speak TLS on this port")


def test_console_shows_events_where_it_is_reported_to() -> None:
    """The library only logs them, which nobody sees."""
    shown: list[str] = []
    deliver([reported("one")], Emitter({"type": "console"}, notify=list, show=shown.append), pytest.fail)

    assert [json.loads(text)["job"]["name"] for text in shown] == ["one"]


def test_configuration_of_the_library_is_used(tmp_path, monkeypatch) -> None:
    """Whoever has one needs no option."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "file")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__LOG_FILE_PATH", str(tmp_path / "x.ndjson"))
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__APPEND", "true")
    sent = deliver([reported("one"), reported("two")], Emitter(None, notify=list, show=list), pytest.fail)

    assert sent.sent == 2
    assert len((tmp_path / "x.ndjson").read_text().splitlines()) == 2


@pytest.mark.parametrize("transport", [None, {"type": "nonsense"}, {"type": "file"}])
def test_transport_that_cannot_be_is_refused_at_once(transport, tmp_path, monkeypatch) -> None:
    """Nothing configured, too: the library would print to a log that nobody reads."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InputInvalid):
        Emitter(transport, notify=list, show=list)


def test_address_may_name_the_endpoint() -> None:
    """As people copy it."""
    result = http_transport("https://m:5000/lineage/in/")

    assert (result["url"], result["endpoint"]) == ("https://m:5000", "lineage/in")


def test_configured_credentials_go_to_no_other_address(target, monkeypatch) -> None:
    """What a configuration holds is for the server that it names."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__AUTH", '{"type": "api_key", "apiKey": "hidden-word"}')
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__CUSTOM_HEADERS", '{"Authorization": "Bearer hidden-word"}')
    for token in ("", "abc"):
        deliver([reported("one")], emitter(target, token), pytest.fail)

    assert [token for _, token in target.asked] == ["", "Bearer abc"]


def test_settings_are_not_used_up(target) -> None:
    """The library takes members out of them, and the next call needs them."""
    transport = {"type": "composite", "transports": [{"type": "console", "name": "a", "priority": 1}]}
    for _ in range(2):
        assert deliver([reported("one")], Emitter(copied(transport), notify=list, show=list), pytest.fail).sent == 1

    assert transport["transports"][0] == {"type": "console", "name": "a", "priority": 1}


def composite(*transports: dict[str, Any], **more: Any) -> Emitter:
    return Emitter({"type": "composite", "transports": list(transports)} | more, notify=list, show=list)


def web(target: Target | None, name: str) -> dict[str, Any]:
    port = target.server_port if target else 9
    return {"type": "http", "name": name, "url": f"http://127.0.0.1:{port}", "retry": {"total": 0}}


def test_transport_of_several_that_is_away_is_counted_and_left_out(target) -> None:
    """Each try takes seconds, and the others wait for it."""
    sent = deliver([reported("one"), reported("two")], composite(web(None, "away"), web(target, "here")), pytest.fail)

    assert (sent.sent, sent.missed, sent.stopped) == (2, {"away": 2}, None)
    assert len(target.taken) == 2


def test_transport_of_several_that_refuses_one_event_gets_the_next(target, tmp_path) -> None:
    """The file has both."""
    file = {"type": "file", "name": "file", "log_file_path": str(tmp_path / "e"), "append": True}
    sent = deliver([reported("422"), reported("two")], composite(web(target, "here"), file), pytest.fail)

    assert (sent.sent, sent.refused, sent.missed) == (2, 0, {"here": 1})
    assert [event["job"]["name"] for event in target.taken] == ["two"]
    assert len((tmp_path / "e").read_text().splitlines()) == 2


def test_event_that_all_of_several_refuse_is_refused(target) -> None:
    """And one that nobody can take stops it."""
    refused: list[object] = []
    sent = deliver(
        [reported("400"), reported("one")],
        composite(web(target, "a"), web(target, "b")),
        lambda *item: refused.append(item),
    )
    away = deliver([reported("one")], composite(web(None, "a"), web(None, "b")), pytest.fail)

    assert (sent.sent, sent.refused, len(refused)) == (1, 1, 1)
    assert (away.sent, away.unsent, type(away.stopped)) == (0, 1, SourceUnreachable)


def test_first_failure_counts_where_the_others_shall_not_go_on(target) -> None:
    """`continue_on_failure` is false; what the refusing one said is kept."""
    refused: list[SourceObjected] = []
    emitter = composite(web(target, "a"), {"type": "console"}, continue_on_failure=False)
    deliver([reported("413")], emitter, lambda _, error: refused.append(error))

    assert [error.status for error in refused] == [413]


def test_second_of_two_takes_over_and_nothing_is_missed(target) -> None:
    """`continue_on_success` is false: one of them is enough."""
    emitter = composite(web(None, "away"), web(target, "here"), continue_on_success=False)
    sent = deliver([reported("one"), reported("two")], emitter, pytest.fail)

    assert (sent.sent, sent.missed, sent.stopped) == (2, {}, None)


def test_disabled_library_sends_nothing_and_does_not_claim_to(monkeypatch) -> None:
    """Whoever set the variable wants it so; whoever forgot it must see it."""
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")

    assert deliver(
        [reported("one")], Emitter({"type": "console"}, notify=list, show=list), pytest.fail
    ) == DeliveryResult(unsent=1)


def test_file_that_cannot_be_written_stops_it(tmp_path) -> None:
    """A directory has its name."""
    transport = {"type": "file", "log_file_path": str(tmp_path), "append": True}
    sent = deliver([reported("one"), reported("two")], Emitter(transport, notify=list, show=list), pytest.fail)

    assert (sent.sent, sent.unsent, type(sent.stopped)) == (0, 2, SourceUnreachable)


@pytest.mark.parametrize("flush", [True, False])
def test_broker_that_nobody_answers_at_loses_nothing_silently(flush) -> None:
    """Without flushing after each event, the end reports."""
    config = {"bootstrap.servers": "127.0.0.1:9", "message.timeout.ms": 50, "log_level": 0}
    transport = {"type": "kafka", "topic": "lineage", "config": config, "flush": flush}
    sent = deliver([reported("one"), reported("two")], Emitter(transport, notify=list, show=list), pytest.fail)

    assert isinstance(sent.stopped, SourceUnreachable)
    assert (sent.sent, sent.unsent) == (0, 2)

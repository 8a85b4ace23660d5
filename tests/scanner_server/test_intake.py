"""OpenLineage events over the server: on disk before they are acknowledged, bounded, refused with the reason."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from starlette.requests import Request
from starlette.responses import Response

from scanner_api.event_intake import EventReceiver, Reply
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.schema import tables as t
from scanner_server.app import Parts
from scanner_server.bodies import AT_ONCE, Bodies
from scanner_server.problems import Refused

EVENTS = "/api/v1/lineage"
JSON = {"content-type": "application/json"}


def event(job: str = "load") -> dict[str, object]:
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "01941f29-7c00-7000-8000-000000000001"},
        "job": {"namespace": "test", "name": job},
        "inputs": [{"namespace": "kafka://k:9092", "name": "orders"}],
        "outputs": [],
    }


@pytest.fixture
def receiver(own_retail, tmp_path) -> Iterator[EventReceiver]:
    """Return a receiver of events for a dictionary of its own; bodies may have 100 kB."""
    receiver = EventReceiver(
        own_retail, spool=tmp_path / "spool", rejected=tmp_path / "no.ndjson", largest_body=100_000
    )
    yield receiver
    receiver.close()


@pytest.fixture
def client(own_retail, receiver, client_of):
    """Return a client of the application with intake."""
    return client_of(own_retail, parts=Parts(intake=receiver))


def stored_jobs(url: str) -> list[str]:
    with open_dictionary(url).connect() as conn:
        return sorted(
            conn.scalars(t.openlineage.lineage_job.select().with_only_columns(t.openlineage.lineage_job.c.name))
        )


def test_an_acknowledged_event_is_on_disk_and_then_in_the_dictionary(client, receiver, own_retail) -> None:
    """It is stored also if the process ends at once after the response."""
    answer = client.post(EVENTS, json=event())
    spooled = receiver.counts()["spool_bytes"] > 0 or stored_jobs(own_retail.url) == ["load"]
    receiver.close()

    assert answer.status_code == 201
    assert spooled
    assert stored_jobs(own_retail.url) == ["load"]


def test_without_intake_events_are_refused(session_client) -> None:
    """The server changes nothing unless that is switched on."""
    answer = session_client.post(EVENTS, json=event())

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_method_that_is_not_allowed_is_answered_with_those_that_are(client) -> None:
    """Events are posted to a path whose lineage is also read."""
    answer = client.put(EVENTS, json=event())

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")


@pytest.mark.parametrize("path", [EVENTS, f"{EVENTS}/batch"])
def test_a_batch_reports_each_refused_event(client, path) -> None:
    """The others of it are stored."""
    answer = client.post(path, json=[event("a"), {"job": 1}, event("b")])

    assert answer.status_code == 200
    assert answer.json()["summary"] == {"received": 3, "successful": 2, "failed": 1, "retriable": 0}


def test_a_refused_event_is_kept_with_the_reason(client, tmp_path) -> None:
    """Nothing that was sent is lost."""
    answer = client.post(EVENTS, json={"job": {"namespace": "x"}})

    assert answer.status_code == 400
    assert "producer" in answer.json()["error"]
    assert "producer" in (tmp_path / "no.ndjson").read_text()


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"[" + b"1," * 60_000 + b"1]", JSON, 413),
        (gzip.compress(b" " * 200_000, mtime=0), {**JSON, "content-encoding": "gzip"}, 413),
        (b"no gzip", {**JSON, "content-encoding": "gzip"}, 400),
        (gzip.compress(b"{}", mtime=0)[:-5], {**JSON, "content-encoding": "gzip"}, 400),
        (b"{}", {**JSON, "content-encoding": "br"}, 415),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {**JSON, "sec-fetch-site": "cross-site"}, 403),
        (b"{}", {**JSON, "host": "evil.example"}, 403),
    ],
)
def test_a_body_that_is_not_taken_is_refused(client, body, headers, status) -> None:
    """Bodies are bounded also when they are inflated, and a web page cannot send any."""
    assert client.post(EVENTS, content=body, headers=headers).status_code == status


def test_a_chunked_body_that_grows_too_large_is_refused(client) -> None:
    """Its length is not announced."""
    answer = client.post(EVENTS, content=(b" " * 60_000 for _ in range(3)), headers=JSON)

    assert answer.status_code == 413


def test_a_packed_event_is_stored(client, receiver, own_retail) -> None:
    """OpenLineage's transport may compress."""
    body = gzip.compress(json.dumps(event("packed")).encode())
    answer = client.post(EVENTS, content=body, headers={**JSON, "content-encoding": "gzip"})
    receiver.close()

    assert answer.status_code == 201
    assert stored_jobs(own_retail.url) == ["packed"]


def test_an_event_that_cannot_be_written_is_not_acknowledged(own_retail, client_of, tmp_path) -> None:
    """A full disk must not look like success; the client sends the event again."""
    spool = tmp_path / "spool"
    receiver = EventReceiver(own_retail, spool=spool, rejected=tmp_path / "no.ndjson")
    client = client_of(own_retail, parts=Parts(intake=receiver))
    spool.chmod(0o700)
    _block_segments(spool)
    answer = client.post(EVENTS, json=event())
    health = client.get("/health").json()

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert health["status"] == "degraded"
    assert "cannot be written" in health["problems"][0]
    receiver.close()
    assert stored_jobs(own_retail.url) == []


def _block_segments(spool: Path) -> None:
    """Put a directory where each of the next segments would be: opening them fails, as on a broken disk."""
    for number in range(1, 50):
        (spool / f"{number:010}.ndjson").mkdir()


def test_events_of_a_receiver_that_died_are_stored_by_the_next(own_retail, client_of, tmp_path) -> None:
    """What was acknowledged is stored, whatever happens to the process."""
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    (spool / "0000000001.ndjson").write_text(json.dumps(event("earlier")) + "\n" + '{"half of an ev')
    EventReceiver(own_retail, spool=spool, rejected=tmp_path / "no.ndjson").close()

    assert stored_jobs(own_retail.url) == ["earlier"]


def test_too_many_bodies_at_once_are_refused_for_now(own_retail, client_of) -> None:
    """Each may have many megabytes."""
    entered, may_end = threading.Semaphore(0), threading.Event()

    class Slow:
        largest_body = 1_000

        def refusal(self, headers):
            return None

        def too_large(self):
            return Reply(status=413, body={})

        def receive(self, pieces, headers, *, where):
            entered.release()
            may_end.wait(20)
            return Reply(status=201, body={})

        def problems(self):
            return []

        def counts(self):
            return {}

    client = client_of(own_retail, parts=Parts(intake=Slow()))
    statuses: list[int] = []
    senders = [
        threading.Thread(target=lambda: statuses.append(client.post(EVENTS, content=b"{}", headers=JSON).status_code))
        for _ in range(16)
    ]
    for sender in senders:
        sender.start()
    for _ in senders:
        entered.acquire()
    others = client.get("/api/v1/state").status_code
    may_end.set()
    for sender in senders:
        sender.join()

    assert others == 200
    assert statuses == [201] * 16


def request_of(*pieces: bytes, endless: bool = False) -> Request:
    """Return a request whose body comes in *pieces*; *endless*: a byte comes now and then after them."""
    rest = list(pieces)

    async def receive() -> dict[str, object]:
        await anyio.sleep(0.01)
        return {"type": "http.request", "body": rest.pop(0) if rest else b" ", "more_body": endless or bool(rest)}

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


def test_a_body_that_does_not_come_ends_the_request() -> None:
    """A client that sends a byte a minute must not keep a place."""

    async def run() -> Response:
        with pytest.raises(Refused) as refused:
            await Bodies(1_000, seconds=0.05).read(request_of(endless=True))
        return refused.value.response

    answer = anyio.run(run)

    assert (answer.status_code, answer.headers["connection"]) == (408, "close")


def test_slow_large_bodies_hold_up_no_small_ones_and_large_ones_wait_for_a_place() -> None:
    """Only those of which much is in memory are counted."""
    large, bodies = b"x" * 70_000, Bodies(100_000, seconds=0.8, patience=0.05)
    statuses: list[int] = []

    async def read_slowly() -> None:
        with pytest.raises(Refused) as refused:
            await bodies.read(request_of(large, endless=True))
        statuses.append(refused.value.response.status_code)

    async def run() -> list[bytes] | None:
        async with anyio.create_task_group() as group:
            for _ in range(AT_ONCE + 1):
                group.start_soon(read_slowly)
            await anyio.sleep(0.1)
            return await bodies.read(request_of(b"small"))

    assert b"".join(anyio.run(run) or ()) == b"small"
    assert statuses == [503] + [408] * AT_ONCE

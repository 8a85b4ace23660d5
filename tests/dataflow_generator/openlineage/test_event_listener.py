"""The listener over real sockets: spool, storing, back-pressure, and an orderly end."""

import gzip
import http.client
import json
import socket
import threading
import time

import pytest

from dataflow_generator.openlineage.keeping import Keeping
from dataflow_generator.openlineage.listener import Listener
from dataflow_generator.openlineage.receiving import BATCH, EVENTS, HEALTH, Rules
from dataflow_generator.openlineage.spool import Spool, SpoolFull, whole_lines
from scanner_dictionary.event_writer import EventSummary
from scanner_model.errors import DictionaryUnusable, InputInvalid


@pytest.fixture
def spool(tmp_path):
    """Give an empty spool."""
    made = Spool(tmp_path / "spool", tmp_path / "aside.ndjson")
    yield made
    made.close()


@pytest.fixture
def listener(spool):
    """Give a listener on any free port, which wants the token `abc`."""
    made = Listener(("127.0.0.1", 0), spool, Rules(token="abc", largest=100_000), lambda: {"status": "ok"})
    made.start()
    yield made
    made.stop()


@pytest.fixture
def ask(listener):
    """Give what asks the listener over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=60)

    def asked(method: str, path: str, body: bytes = b"", **headers: str):
        given = {"Authorization": "Bearer abc", "Content-Type": "application/json"} | headers
        connection.request(method, path, body, given)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")

    yield asked
    connection.close()


def kept(spool: Spool) -> list[str]:
    return [line for file in spool.closed() for line in whole_lines(file)]


def test_events_are_on_the_disk_when_they_are_answered(ask, spool, told) -> None:
    """One, a batch, packed: over one connection."""
    one, two, three = (json.dumps(told.run_event(run=name)).encode() for name in "abc")

    assert ask("POST", EVENTS, one) == (201, {"status": "success"})
    assert ask("POST", BATCH, b"[" + two + b"]")[0] == 201
    assert ask("POST", EVENTS, gzip.compress(three), **{"Content-Encoding": "gzip"})[0] == 201
    assert [json.loads(line)["run"]["runId"] for line in kept(spool)] == [told.run_id(name) for name in "abc"]


def test_a_broken_event_is_answered_with_the_reason_and_kept_aside(ask, spool, tmp_path) -> None:
    """The connection goes on."""
    status, said = ask("POST", EVENTS, b'{"eventType": "START"}')

    assert (status, kept(spool)) == (400, [])
    assert "'producer' is missing" in said["error"]
    assert json.loads((tmp_path / "aside.ndjson").read_text())["event"] == {"eventType": "START"}
    assert ask("GET", HEALTH) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", EVENTS, {"Authorization": "Bearer no"}, 401),
        ("POST", "/api/v1/nothing", {}, 404),
        ("GET", EVENTS, {}, 405),
        ("PUT", EVENTS, {}, 501),
        ("POST", EVENTS, {"Content-Encoding": "gzip"}, 400),
    ],
)
def test_other_requests_are_answered_in_json(ask, method, path, headers, status) -> None:
    """And the connection is closed, so that a body is not taken for the next request."""
    found, said = ask(method, path, b"{}", **headers)

    assert found == status
    assert said["error"]


def test_a_body_that_is_too_large_is_refused(ask) -> None:
    """Before it is read."""
    assert ask("POST", EVENTS, b"[" + b" " * 100_000 + b"]")[0] == 413


def test_what_is_no_http_is_answered_and_what_goes_away_is_forgotten(listener, ask) -> None:
    """Port scanners ask everybody."""
    with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as raw:
        raw.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert b"400" in raw.recv(100)
    with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as raw:
        raw.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nContent-Length: 50\r\nAuthorization: Bearer abc\r\n\r\n{")

    assert ask("GET", HEALTH)[0] == 200


def test_a_full_spool_asks_clients_to_come_back(tmp_path, told) -> None:
    """Nothing is acknowledged that is not kept."""
    full = Spool(tmp_path / "full", tmp_path / "aside", largest=0)
    full.keep(("x",))
    listener = Listener(("127.0.0.1", 0), full, Rules(), dict)
    listener.start()
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=60)
    connection.request("POST", EVENTS, json.dumps(told.run_event()))
    response = connection.getresponse()

    assert (response.status, response.headers["Retry-After"]) == (503, "1")
    listener.stop()
    full.close()


def test_a_port_that_is_taken_is_told(listener, spool) -> None:
    """With the address, and what next."""
    with pytest.raises(InputInvalid) as error:
        Listener(("127.0.0.1", listener.port), spool, Rules(), dict)

    assert error.value.where == f"127.0.0.1:{listener.port}"


def test_ipv6_is_listened_at(spool) -> None:
    """`--host ::1` is a loopback address, too."""
    try:
        listener = Listener(("::1", 0), spool, Rules(), lambda: {"status": "ok"})
    except InputInvalid:
        pytest.skip("this machine has no IPv6")
    listener.start()
    connection = http.client.HTTPConnection("::1", listener.port, timeout=60)
    connection.request("GET", HEALTH)

    assert connection.getresponse().status == 200
    listener.stop()


def test_a_line_cut_off_by_a_crash_is_left_out_and_the_rest_is_found_again(tmp_path) -> None:
    """It was never acknowledged; the next listener writes another segment."""
    first = Spool(tmp_path / "spool", tmp_path / "aside")
    first.keep(("a", "b"))
    first.close()
    (file,) = (tmp_path / "spool").glob("*.ndjson")
    file.write_bytes(file.read_bytes() + b'{"half":')
    second = Spool(tmp_path / "spool", tmp_path / "aside")
    second.keep(("c",))

    assert kept(second) == ["a", "b", "c"]
    second.close()


def test_two_listeners_do_not_share_a_spool(spool) -> None:
    """One would store and remove what the other writes."""
    with pytest.raises(InputInvalid):
        Spool(spool.directory, spool.directory / "aside")


def test_too_many_who_wait_are_turned_away(tmp_path) -> None:
    """A queue without an end would only hide that the disk is too slow."""
    spool = Spool(tmp_path / "spool", tmp_path / "aside", waiting=1)
    results: list[str] = []

    def keep() -> None:
        try:
            spool.keep(("x",))
            results.append("kept")
        except SpoolFull:
            results.append("full")

    with spool._turn:  # the disk takes its time
        threads: list[threading.Thread] = []
        while "full" not in results:
            threads.append(threading.Thread(target=keep))
            threads[-1].start()
            threads[-1].join(0.05)
            assert len(threads) < 20
    for thread in threads:
        thread.join()

    assert results.count("full") == 1
    assert results.count("kept") == len(threads) - 1
    spool.close()


def test_what_the_dictionary_does_not_take_stays_in_the_spool(spool, told, tmp_path) -> None:
    """It is told once, and stored when the dictionary is back."""
    spool.keep((json.dumps(told.run_event()), "no event"))
    down = [True]
    said: list[str] = []

    def store(events):
        if down[0]:
            raise DictionaryUnusable("the dictionary is in use", where="d.db")
        return EventSummary(len(events), 0)

    keeping = Keeping(spool, store, tmp_path / "aside.ndjson", said.append)
    keeping.store_all()
    keeping.store_all()
    trouble = keeping.trouble
    down[0] = False
    keeping.store_all()

    assert "in use" in trouble
    assert len(said) == 1
    assert (keeping.taken.stored, keeping.taken.refused, keeping.trouble) == (1, 1, "")
    assert spool.size() == 0


def test_storing_goes_on_by_itself_until_it_is_stopped(spool, told, tmp_path) -> None:
    """And what is there at the end is stored before it ends."""
    keeping = Keeping(spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside", print)
    keeping.start()
    spool.keep((json.dumps(told.run_event()),))
    end = time.monotonic() + 60
    while not keeping.taken.stored and time.monotonic() < end:
        time.sleep(0.02)
    spool.keep((json.dumps(told.run_event("START")),))
    keeping.stop()

    assert keeping.taken.stored == 2


def test_a_disk_that_keeps_nothing_is_told_and_nothing_half_written_stays(tmp_path) -> None:
    """Whoever waited sends it again, to a disk with room."""
    spool = Spool(tmp_path / "spool", tmp_path / "no" / "aside")
    with pytest.raises(SpoolFull) as error:
        spool.keep(("a",), ("refused",))

    assert "does not keep" in str(error.value)
    spool.close()


def test_too_many_connections_are_turned_away(spool) -> None:
    """Each would take a thread."""
    listener = Listener(("127.0.0.1", 0), spool, Rules(), dict, connections=1)
    listener.start()
    with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as first:
        first.sendall(b"GET /health HTTP/1.1\r\n\r\n")
        assert first.recv(100).startswith(b"HTTP/1.1 200")
        with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as second:
            assert second.recv(100).startswith(b"HTTP/1.1 503")
    listener.stop()

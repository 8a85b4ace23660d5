"""The listener over real sockets: spool, storing, back-pressure, and an orderly end."""

import gzip
import http.client
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time

import pytest

from dataflow_generator.openlineage.intake.importer import SpoolImporter
from dataflow_generator.openlineage.intake.listener import Deadlines, Listener
from dataflow_generator.openlineage.intake.requests import BATCH, EVENTS, HEALTH, Rules
from dataflow_generator.openlineage.intake.spool import Spool, SpoolFull, whole_lines
from scanner_dictionary.write.events import EventSummary
from scanner_model.errors import DictionaryUnusable, InputInvalid


@pytest.fixture
def spool(tmp_path):
    """Return an empty spool."""
    spool = Spool(tmp_path / "spool", tmp_path / "aside.ndjson")
    yield spool
    spool.close()


@pytest.fixture
def listener(spool):
    """Return a listener on any free port, which wants the token `abc`."""
    listener = Listener(("127.0.0.1", 0), spool, Rules(token="abc", largest=100_000), lambda: {"status": "ok"})
    listener.start()
    yield listener
    listener.stop()


@pytest.fixture
def send(listener):
    """Return what asks the listener over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=60)

    def requests(method: str, path: str, body: bytes = b"", **headers: str):
        given = {"Authorization": "Bearer abc", "Content-Type": "application/json"} | headers
        connection.request(method, path, body, given)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")

    yield requests
    connection.close()


def stored(spool: Spool) -> list[str]:
    return [line for file in spool.closed() for line in whole_lines(file)]


def test_events_are_on_the_disk_when_they_are_answered(send, spool, producer) -> None:
    """One, a batch, packed: over one connection."""
    content, two, three = (json.dumps(producer.run_event(run=name)).encode() for name in "abc")

    assert send("POST", EVENTS, content) == (201, {"status": "success"})
    assert send("POST", BATCH, b"[" + two + b"]")[0] == 201
    assert send("POST", EVENTS, gzip.compress(three), **{"Content-Encoding": "gzip"})[0] == 201
    assert [json.loads(line)["run"]["runId"] for line in stored(spool)] == [producer.run_id(name) for name in "abc"]


def test_a_broken_event_is_answered_with_the_reason_and_kept_aside(send, spool, tmp_path) -> None:
    """The connection goes on."""
    status, output = send("POST", EVENTS, b'{"eventType": "START"}')

    assert (status, stored(spool)) == (400, [])
    assert "'producer' is missing" in output["error"]
    assert json.loads((tmp_path / "aside.ndjson").read_text())["event"] == {"eventType": "START"}
    assert send("GET", HEALTH) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", EVENTS, {"Authorization": "Bearer no"}, 401),
        ("POST", "/api/v1/nothing", {}, 404),
        ("GET", EVENTS, {}, 405),
        ("PUT", EVENTS, {}, 405),
        ("POST", EVENTS, {"Content-Encoding": "gzip"}, 400),
    ],
)
def test_other_requests_are_answered_in_json(send, method, path, headers, status) -> None:
    """And the connection is closed, so that a body is not taken for the next request."""
    result, output = send(method, path, b"{}", **headers)

    assert result == status
    assert output["error"]


def test_a_body_that_is_too_large_is_refused(send) -> None:
    """Before it is read."""
    assert send("POST", EVENTS, b"[" + b" " * 100_000 + b"]")[0] == 413


def test_what_is_no_http_is_answered_and_what_goes_away_is_forgotten(listener, send) -> None:
    """Port scanners ask everybody."""
    with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as raw:
        raw.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert b"400" in raw.recv(100)
    with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as raw:
        raw.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nContent-Length: 50\r\nAuthorization: Bearer abc\r\n\r\n{")

    assert send("GET", HEALTH)[0] == 200


def test_a_full_spool_queries_clients_to_come_back(tmp_path, producer) -> None:
    """Nothing is acknowledged that is not kept."""
    full = Spool(tmp_path / "full", tmp_path / "aside", largest=0)
    full.append(("x",))
    listener = Listener(("127.0.0.1", 0), full, Rules(), dict)
    listener.start()
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=60)
    connection.request("POST", EVENTS, json.dumps(producer.run_event()), {"Content-Type": "application/json"})
    response = connection.getresponse()

    assert (response.status, response.headers["Retry-After"]) == (503, "1")
    listener.stop()
    full.close()


def test_a_port_that_is_taken_is_reported(listener, spool) -> None:
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
    first.append(("a", "b"))
    first.close()
    (file,) = (tmp_path / "spool").glob("*.ndjson")
    file.write_bytes(file.read_bytes() + b'{"half":')
    second = Spool(tmp_path / "spool", tmp_path / "aside")
    second.append(("c",))

    assert stored(second) == ["a", "b", "c"]
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
            spool.append(("x",))
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


def test_what_the_dictionary_does_not_take_stays_in_the_spool(spool, producer, tmp_path) -> None:
    """It is reported once, and stored when the dictionary is back."""
    spool.append((json.dumps(producer.run_event()), "no event"))
    down = [True]
    output: list[str] = []

    def store(events):
        if down[0]:
            raise DictionaryUnusable("the dictionary is in use", where="d.db")
        return EventSummary(len(events), 0)

    keeping = SpoolImporter(spool, store, tmp_path / "aside.ndjson", output.append)
    keeping.store_all()
    keeping.store_all()
    error = keeping.error
    down[0] = False
    keeping.store_all()

    assert "in use" in error
    assert len(output) == 1
    assert (keeping.result.stored, keeping.result.refused, keeping.error) == (1, 1, "")
    assert spool.size() == 0


def test_storing_goes_on_by_itself_until_it_is_stopped(spool, producer, tmp_path) -> None:
    """And what is there at the end is stored before it ends."""
    keeping = SpoolImporter(spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside", print)
    keeping.start()
    spool.append((json.dumps(producer.run_event()),))
    end = time.monotonic() + 60
    while not keeping.result.stored and time.monotonic() < end:
        time.sleep(0.02)
    spool.append((json.dumps(producer.run_event("START")),))
    keeping.stop()

    assert keeping.result.stored == 2


def test_a_disk_that_keeps_nothing_is_reported_and_nothing_half_written_stays(tmp_path) -> None:
    """Whoever waited sends it again, to a disk with room."""
    spool = Spool(tmp_path / "spool", tmp_path / "no" / "aside")
    keeping = SpoolImporter(spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside", print)
    with pytest.raises(SpoolFull) as error:
        spool.append(("a",), ("refused",))

    assert "cannot be written to disk" in str(error.value)
    assert "cannot be written" in "".join(keeping.problems())
    spool.append(("a",))
    assert keeping.problems() == []
    spool.close()


HEAD = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def connected(listener: Listener) -> socket.socket:
    return socket.create_connection(("127.0.0.1", listener.port), timeout=60)


def answer(raw: socket.socket) -> bytes:
    """Read until the listener closes the connection."""
    return b"".join(iter(lambda: raw.recv(65_536), b""))


def drip(raw: socket.socket) -> None:
    """Send a byte now and then."""
    for _ in range(10_000):
        raw.sendall(b" ")
        time.sleep(0.005)


@pytest.fixture
def listening(spool):
    """Build listeners without a token; each is stopped at the end."""
    built: list[Listener] = []

    def started(**options) -> Listener:
        built.append(Listener(("127.0.0.1", 0), spool, Rules(), dict, **options))
        built[-1].start()
        return built[-1]

    yield started
    for item in built:
        item.stop()


def test_a_connection_that_is_waited_for_makes_room_for_another_client(listening) -> None:
    """Connections that are held open and say nothing must not keep others out."""
    listener = listening(connections=2)
    with connected(listener) as first, connected(listener) as second:
        for item in (first, second):
            item.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert item.recv(1000).startswith(b"HTTP/1.1 200")
        with connected(listener) as third:
            third.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")

            assert third.recv(1000).startswith(b"HTTP/1.1 200")
            waiting, _, _ = select.select([first, second], [], [], 60)
            assert [answer(item) for item in waiting] == [b""]


def test_a_client_is_turned_away_where_all_wait_for_answers(tmp_path, producer) -> None:
    """Nobody who sent a whole request is disconnected for another one."""
    spool = Spool(tmp_path / "spool", tmp_path / "aside")
    listener = Listener(("127.0.0.1", 0), spool, Rules(), dict, connections=1)
    listener.start()
    body = json.dumps(producer.run_event()).encode()
    with connected(listener) as first:
        with spool._turn:  # the disk takes its time
            first.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            while not spool._queue.unfinished_tasks:
                time.sleep(0.001)
            with connected(listener) as second:
                assert second.recv(100).startswith(b"HTTP/1.1 503")
        assert first.recv(100).startswith(b"HTTP/1.1 201")
    listener.stop()
    spool.close()


@pytest.mark.parametrize("started", [b"", b"POST /api", HEAD, HEAD + b"Content-Length: 9\r\n\r\n{"])
def test_a_client_that_never_ends_its_request_is_disconnected(listening, started) -> None:
    """However far it came."""
    listener = listening(deadlines=Deadlines(idle=0.05, request=0.05, drain=0.05))
    with connected(listener) as raw:
        raw.sendall(started)
        got = answer(raw)

    assert got.startswith(b"HTTP/1.1 408") if started else got == b""


def test_a_client_that_drips_has_one_deadline_for_its_whole_request(listening) -> None:
    """A byte now and then must not keep a connection open for ever."""
    listener = listening(deadlines=Deadlines(request=0.2, drain=0.05))
    with connected(listener) as raw:
        raw.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        with pytest.raises(OSError):  # noqa: PT011 - reset, or a broken pipe
            drip(raw)


@pytest.mark.parametrize(
    "request_bytes",
    [
        HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
        HEAD + b"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
        HEAD.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ],
    ids=["two lengths", "length and chunks", "space before colon", "chunk size", "folded", "chunks of HTTP/1.0"],
)
def test_a_request_that_two_servers_could_read_differently_ends_its_connection(listening, request_bytes) -> None:
    """What follows it must not be taken for a request (request smuggling)."""
    with connected(listening()) as raw:
        raw.sendall(request_bytes + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = answer(raw)

    assert got.startswith(b"HTTP/1.1 400")
    assert got.count(b"HTTP/1.1") == 1


def test_a_question_about_health_with_a_body_ends_its_connection(listening) -> None:
    """The body would look like the next request."""
    with connected(listening()) as raw:
        raw.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\n" + HEAD)

        assert answer(raw).count(b"HTTP/1.1") == 1


def test_a_client_that_waits_for_leave_to_send_its_body_gets_it(listening, producer) -> None:
    """As curl does for larger bodies."""
    body = json.dumps(producer.run_event()).encode()
    with connected(listening()) as raw:
        raw.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert raw.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        raw.sendall(body)

        assert raw.recv(1000).startswith(b"HTTP/1.1 201")


def test_a_segment_that_cannot_be_read_is_set_aside_and_reported_and_the_others_are_stored(spool, producer, tmp_path):
    """A disk's error or another user's file must not end the storing of events in silence."""
    (spool.directory / "0000000000.ndjson").symlink_to("/nowhere")
    os.mkfifo(spool.directory / "0000000000.5.ndjson")
    spool.append((json.dumps(producer.run_event()),))
    output: list[str] = []
    keeping = SpoolImporter(
        spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside.ndjson", output.append
    )

    assert keeping.store_all()
    assert (keeping.result.stored, len(output)) == (1, 2)
    assert "2 unreadable segments" in "".join(keeping.problems())
    assert keeping.store_all()
    assert len(output) == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_storing_thread_that_ended_is_reported(spool, producer, tmp_path) -> None:
    """Even after an error that nobody thought of."""
    ended = threading.Event()

    def store(_):
        ended.set()
        raise SystemExit  # ends a thread without a word

    keeping = SpoolImporter(spool, store, tmp_path / "aside.ndjson", print)
    spool.append((json.dumps(producer.run_event()),))
    keeping.start()
    assert ended.wait(10)
    keeping._thread.join(10)

    assert "has ended" in "".join(keeping.problems())


def test_a_disk_that_takes_a_part_of_a_write_acknowledges_nothing_of_it(tmp_path) -> None:
    """The kernel reports no error then; a limit on the size of files does what a full disk does."""
    code = """
import resource, sys
from pathlib import Path
from dataflow_generator.openlineage.intake.spool import Spool, SpoolFull, whole_lines
spool = Spool(Path(sys.argv[1]), Path(sys.argv[1]) / "aside")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
kept = []
for number in range(9):
    try:
        spool.append((f"{number}" * 300,))
        kept.append(f"{number}" * 300)
    except SpoolFull:
        print("refused", number)
found = [line for file in spool.closed() for line in whole_lines(file)]
assert found == kept, (found, kept)
"""
    process = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)

    assert process.stdout.splitlines() == ["refused 3", "refused 7"]


def test_a_spool_that_everyone_can_write_into_is_refused(tmp_path) -> None:
    """Others could put events into it, or take them out."""
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool").chmod(0o777)

    with pytest.raises(InputInvalid, match="everyone can write"):
        Spool(tmp_path / "spool", tmp_path / "aside")

"""What a request deserves, and bodies off a stream: no sockets here."""

import gzip
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataflow_generator.openlineage.intake.listener import BodyBroken, BodyTooLarge, read_body
from dataflow_generator.openlineage.intake.requests import (
    BATCH,
    BATCHED,
    ELEMENTS,
    EVENTS,
    HEALTH,
    Head,
    Rules,
    admit,
    decide,
)

JSON = {"content-type": "application/json", "content-length": "2"}


def head(method: str = "POST", path: str = EVENTS, **headers: str) -> Head:
    """Build a head; an empty header is left out."""
    given = JSON | {name.replace("_", "-"): value for name, value in headers.items()}
    return Head(method=method, path=path, headers={name: value for name, value in given.items() if value})


@pytest.mark.parametrize(
    ("requests", "status"),
    [
        (head(), None),
        (head(path=EVENTS + "/"), None),
        (head(path=BATCH + "?a=b"), None),
        (head(content_type="application/vnd.x+json; charset=utf-8"), None),
        (head(content_encoding="gzip", content_length="", transfer_encoding="chunked"), None),
        (head(path="/"), 404),
        (head("GET"), 405),
        (head(content_type="text/plain"), 415),
        (head(content_type=""), 415),
        (head(transfer_encoding="chunked"), 400),
        (head(content_length="", transfer_encoding="gzip, chunked"), 501),
        (head(content_length="1_0"), 400),
        (head(content_length="+1"), 400),
        (head(content_length="2, 2"), 400),
        (head(content_encoding="br"), 415),
        (head(content_length=""), 411),
        (head(content_length="-1"), 400),
        (head(content_length="1" * 30), 413),
        (head(content_length="17"), 413),
    ],
)
def test_a_request_is_judged_by_its_head(requests, status) -> None:
    """Nothing of its body is read before."""
    reply = admit(requests, Rules(largest=16))

    assert (reply and reply.status) == status
    assert reply is None or reply.body["error"]


@pytest.mark.parametrize(
    ("sent", "allowed"),
    [
        ("Bearer abc", True),
        ("bearer abc", True),
        ("Bearer abcd", False),
        ("Basic abc", False),
        ("", False),
        ("Bearer ☃", False),
    ],
)
def test_only_the_token_opens(sent, allowed) -> None:
    """A client without it learns nothing but that one is wanted."""
    reply = admit(head(authorization=sent), Rules(token="abc"))

    assert (reply is None) == allowed
    assert allowed or (reply.status, reply.headers["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"host": "127.0.0.1:5000"}, True),
        ({"host": "localhost:5000"}, True),
        ({"host": "LOCALHOST."}, True),
        ({"host": "[::1]:5000"}, True),
        ({"host": "scanner.internal"}, True),
        ({"host": "attacker.example:5000"}, False),
        ({"host": "127.0.0.1.attacker.example"}, False),
        ({"host": "127.0.0.1@attacker.example"}, False),
        ({"host": "localhost, attacker.example"}, False),
        ({"origin": "http://localhost:5000"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, True),
    ],
)
@pytest.mark.parametrize("path", [EVENTS, HEALTH])
def test_a_web_page_cannot_send_events_or_read_health_without_a_token(headers, allowed, path) -> None:
    """Neither from its own site nor by a name of its own that leads to this machine (DNS rebinding)."""
    requests = head("GET" if path == HEALTH else "POST", path, **{k.replace("-", "_"): v for k, v in headers.items()})
    reply = admit(requests, Rules(hosts=frozenset({"scanner.internal"})))

    assert (reply.status if reply else None) == (None if allowed else 403)


def test_a_token_stands_for_host_and_origin() -> None:
    """No page knows it; a proxy in front has any name."""
    requests = head(authorization="Bearer abc", host="lineage.example", origin="https://lineage.example")

    assert admit(requests, Rules(token="abc")) is None


@pytest.mark.parametrize(
    "body", [b"[" + b"{}," * (ELEMENTS // 3 + 1) + b"{}]", b"[" + b"1," * BATCHED + b"1]"], ids=["values", "events"]
)
def test_a_body_of_too_many_values_is_refused_before_it_becomes_objects(body) -> None:
    """Five million empty objects took 7.8 GB, and none of them is an event."""
    judged = decide(body, where="h")

    assert (judged.reply.status, judged.accepted, judged.refused) == (413, (), ())


def test_the_token_is_not_shown() -> None:
    """A representation lands in logs."""
    assert "abc" not in repr(Rules(token="abc"))


def test_one_event_is_kept_without_secrets_and_answered_with_201(producer) -> None:
    """Every transport of OpenLineage expects it."""
    body = json.dumps(producer.run_event(run_facets={"acme": producer.facet(password="hidden-word")})).encode()
    judged = decide(body, where="http 127.0.0.1")

    assert (judged.reply.status, len(judged.accepted), judged.refused) == (201, 1, ())
    assert "hidden-word" not in judged.accepted[0]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[", b'"a"', b"{}"])
def test_a_body_that_is_no_event_is_kept_aside_and_answered_with_the_reason(body) -> None:
    """Whoever sends it must learn it, and nothing is lost."""
    judged = decide(body, where="http ::1")

    assert (judged.reply.status, judged.accepted, len(judged.refused)) == (400, (), 1)
    assert judged.reply.body["error"]
    assert json.loads(judged.refused[0])["where"] == "http ::1"


@pytest.mark.parametrize(("good", "bad", "status"), [(2, 0, 201), (1, 1, 200), (0, 2, 400), (0, 0, 201)])
def test_a_batch_reports_how_many_were_taken_and_which_were_not(producer, good, bad, status) -> None:
    """As OpenLineage's API describes it."""
    judged = decide(json.dumps([*[producer.run_event()] * good, *["no event"] * bad]).encode(), where="h")

    assert judged.reply.status == status
    assert judged.reply.body["summary"] == {"received": good + bad, "successful": good, "failed": bad, "retriable": 0}
    assert [item["index"] for item in judged.reply.body["failed_events"]] == list(range(good, good + bad))


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: json.dumps([text, {text: text}]).encode()))
def test_any_body_is_answered_and_nothing_of_it_is_lost(body) -> None:
    """Whatever is sent is kept or kept aside."""
    judged = decide(body, where="h")

    assert judged.reply.status in (200, 201, 400)
    assert judged.accepted or judged.refused or json.loads(body) == []


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x;name=value\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\nTrailer: x\r\n\r\n"


CHUNKED = {"transfer-encoding": "chunked"}
ODD_SIZES = (b"+5", b"-5", b" 5", b"5 ", b"0_5", b"0x5", b"", b";a", b"5;" + b"a" * 500, b"F" * 17, b"5\r", b"5;\x00")
PACKED = {"content-encoding": "gzip"}


def of_length(data: bytes, **more: str) -> tuple[bytes, dict[str, str]]:
    return data, {"content-length": str(len(data))} | more


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        of_length(b"hello"),
        (chunked(b"he", b"llo"), CHUNKED),
        of_length(gzip.compress(b"hello", mtime=0), **PACKED),
        of_length(gzip.compress(b"he", mtime=0) + gzip.compress(b"llo", mtime=0), **PACKED),
        (chunked(gzip.compress(b"hello", mtime=0)[:7], gzip.compress(b"hello", mtime=0)[7:]), CHUNKED | PACKED),
    ],
)
def test_a_body_is_read_in_every_form(data, headers) -> None:
    """Clients in Java send chunks, the one in Python packs."""
    stream = io.BytesIO(data + b"next request")

    assert read_body(stream, headers, 5) == b"hello"
    assert stream.read() == b"next request"


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        of_length(b"hello!"),
        (chunked(b"hel", b"lo!"), CHUNKED),
        of_length(gzip.compress(b"0" * 1_000_000, mtime=0), **PACKED),
        (b"ffffffffff\r\n", CHUNKED),
        (b"0\r\n" + b"a: b\r\n" * 100, CHUNKED),
    ],
)
def test_a_body_that_is_too_large_is_not_read_to_its_end(data, headers) -> None:
    """A small packed body may unpack to gigabytes."""
    with pytest.raises(BodyTooLarge):
        read_body(io.BytesIO(data), headers, 5)


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"hel", {"content-length": "5"}),
        (b"2\r\nhello\r\n0\r\n\r\n", CHUNKED),
        (b"zz\r\n", CHUNKED),
        *((size + b"\r\nhello\r\n0\r\n\r\n", CHUNKED) for size in ODD_SIZES),
        (b"5\nhello\r\n0\r\n\r\n", CHUNKED),
        (b"5\r\nhello\n0\r\n\r\n", CHUNKED),
        (b"5\r\nhello\r\n0\r\nno trailer\r\n\r\n", CHUNKED),
        (b"5\r\nhello\r\n0\r\n", CHUNKED),
        of_length(gzip.compress(b"hello", mtime=0) + b"more", **PACKED),
        (b"", CHUNKED),
        of_length(b"hello", **PACKED),
        of_length(gzip.compress(b"hello", mtime=0)[:-9], **PACKED),
    ],
)
def test_a_broken_body_is_reported(data, headers) -> None:
    """The client went away, or counts badly."""
    with pytest.raises(BodyBroken):
        read_body(io.BytesIO(data), headers, 100)

"""What a request deserves, and bodies off a stream: no sockets here."""

import gzip
import json

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.openlineage.requests import (
    BATCHED,
    ELEMENTS,
    BodyBroken,
    BodyTooLarge,
    admit,
    decide,
    whole_body,
)

JSON = {"content-type": "application/json", "content-length": "2"}


def head(**headers: str) -> dict[str, str]:
    """Build a head; an empty header is left out."""
    given = JSON | {name.replace("_", "-"): value for name, value in headers.items()}
    return {name: value for name, value in given.items() if value}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (head(), None),
        (head(content_type="application/vnd.x+json; charset=utf-8"), None),
        (head(content_encoding="gzip", content_length="", transfer_encoding="chunked"), None),
        (head(content_type="text/plain"), 415),
        (head(content_type=""), 415),
        (head(content_encoding="br"), 415),
        (head(content_length=""), 411),
        (head(content_length="1" * 30), 413),
        (head(content_length="17"), 413),
    ],
)
def test_a_request_is_judged_by_its_head(headers, status) -> None:
    """Nothing of its body is read before."""
    reply = admit(headers, 16)

    assert (reply and reply.status) == status
    assert reply is None or reply.body["error"]


@pytest.mark.parametrize(
    "body", [b"[" + b"{}," * (ELEMENTS // 3 + 1) + b"{}]", b"[" + b"1," * BATCHED + b"1]"], ids=["values", "events"]
)
def test_a_body_of_too_many_values_is_refused_before_it_becomes_objects(body) -> None:
    """Five million empty objects took 7.8 GB, and none of them is an event."""
    judged = decide(body, where="h")

    assert (judged.reply.status, judged.accepted, judged.refused) == (413, (), ())


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


@examples(100)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: json.dumps([text, {text: text}]).encode()))
def test_any_body_is_answered_and_nothing_of_it_is_lost(body) -> None:
    """Whatever is sent is kept or kept aside."""
    judged = decide(body, where="h")

    assert judged.reply.status in (200, 201, 400)
    assert judged.accepted or judged.refused or json.loads(body) == []


PACKED = {"content-encoding": "gzip"}


@pytest.mark.parametrize(
    ("pieces", "headers"),
    [
        ([b"he", b"llo"], {}),
        ([gzip.compress(b"hello", mtime=0)], PACKED),
        ([gzip.compress(b"he", mtime=0) + gzip.compress(b"llo", mtime=0)], {"content-encoding": " X-GZIP"}),
        ([gzip.compress(b"hello", mtime=0)[:7], gzip.compress(b"hello", mtime=0)[7:]], PACKED),
    ],
)
def test_a_body_is_read_in_every_form(pieces, headers) -> None:
    """The client in Python packs."""
    assert whole_body(pieces, headers, 5) == b"hello"


@pytest.mark.parametrize(
    ("pieces", "headers"),
    [([b"hel", b"lo!"], {}), ([gzip.compress(b"0" * 1_000_000, mtime=0)], PACKED)],
)
def test_a_body_that_is_too_large_is_not_read_to_its_end(pieces, headers) -> None:
    """A small packed body may unpack to gigabytes."""
    with pytest.raises(BodyTooLarge):
        whole_body(pieces, headers, 5)


@pytest.mark.parametrize(
    "piece", [gzip.compress(b"hello", mtime=0) + b"more", b"hello", gzip.compress(b"hello", mtime=0)[:-9]]
)
def test_a_broken_body_is_reported(piece) -> None:
    """The client went away, or packs badly."""
    with pytest.raises(BodyBroken):
        whole_body([piece], PACKED, 100)

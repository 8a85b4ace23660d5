"""Importing OpenLineage events with the library."""

from __future__ import annotations

import gzip
import io
import json

import pytest

from scanner_api import import_events, open_dictionary
from scanner_api.event_intake import EventReceiver
from scanner_model.errors import InputInvalid

EVENT = {
    "eventTime": "2026-01-02T03:04:05Z",
    "producer": "urn:test",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
    "job": {"namespace": "shop", "name": "nightly"},
}


@pytest.fixture
def dictionary(tmp_path):
    return open_dictionary(tmp_path / "d.db", create=True)


def test_events_of_standard_input_are_imported(dictionary) -> None:
    """A program passes its own stream."""
    stream = io.BytesIO(f"{json.dumps(EVENT)}\n".encode())

    assert import_events(dictionary, ["-"], stdin=stream).counts.stored == 1
    with pytest.raises(InputInvalid):
        import_events(dictionary, ["-"])


def test_a_truncated_file_is_an_error_of_the_result(dictionary, tmp_path) -> None:
    """The readable part of it, and every other file, is stored."""
    packed = gzip.compress(f"{json.dumps(EVENT)}\n".encode() * 2)
    (tmp_path / "a.ndjson.gz").write_bytes(packed[:-6])
    (tmp_path / "b.ndjson").write_text(json.dumps(EVENT | {"job": {"namespace": "shop", "name": "hourly"}}))
    result = import_events(dictionary, [tmp_path / "a.ndjson.gz", tmp_path / "b.ndjson"])

    assert ["a.ndjson.gz" in error.where for error in result.errors] == [True]
    assert result.counts.stored >= 1
    assert result.rejected is None


def test_only_the_first_refused_events_are_notified(dictionary, tmp_path) -> None:
    """The file has all of them."""
    messages: list[str] = []
    (tmp_path / "e.ndjson").write_text('{"a": 1}\n' * 12)
    result = import_events(dictionary, [tmp_path / "e.ndjson"], notify=messages.append)

    assert (result.counts.refused, len(messages)) == (12, 10)
    assert result.rejected
    assert len(result.rejected.read_text().splitlines()) == 12


def test_event_from_the_future_is_refused(dictionary, tmp_path) -> None:
    """The latest event counts: it would replace every event until then."""
    messages: list[str] = []
    (tmp_path / "e.ndjson").write_text(json.dumps(EVENT | {"eventTime": "9999-12-31T00:00:00Z"}))

    result = import_events(dictionary, [tmp_path / "e.ndjson"], notify=messages.append)

    assert (result.counts.stored, result.counts.refused) == (0, 1)
    assert "in the future" in messages[0]


def test_receiver_refuses_an_event_from_the_future(dictionary) -> None:
    receiver = EventReceiver(dictionary)
    body = json.dumps(EVENT | {"eventTime": "9999-12-31T00:00:00Z"}).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body))}

    reply = receiver.receive([body], headers, where="test")

    assert receiver.close() == []
    assert reply.status == 400

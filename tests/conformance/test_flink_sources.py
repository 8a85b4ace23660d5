"""Every kind of Flink server: a new one is tested the moment it enters its table."""

from __future__ import annotations

import json

import pytest

from scanner_api.configuration import State, probe_sources
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.section import KINDS
from scanner_extractor.systems.flink.settings import SQL_FILES, FlinkSettings
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.names import ClusterName
from scanner_model.scan import SourceStatus as Answered
from scanner_model.streaming_sql import StreamingStatement

KNOWN = pytest.mark.parametrize("kind", sorted(FLINK_SOURCES))
EMPTY = {"data": [], "metadata": {"next": None}, "items": [], "jobs": [], "productName": "Flink", "version": "2"}


def settings(kind: str) -> FlinkSettings:
    return FlinkSettings(type=kind, http=HttpSettings(url="http://f"), organization="o", environment="e")


def read(kind: str, exchange: Transport) -> Reading:
    with Http(settings(kind).http, settings(kind).source, exchange=exchange) as http:
        return FLINK_SOURCES[kind].read(settings(kind), http, no_progress)


def answering(status: int, body: str) -> Transport:
    return lambda request: Response(status=status, body=body.encode())


def test_cluster_json_takes_the_kinds_of_the_table_and_files() -> None:
    """A kind that nobody can name would be dead, one without a reader a crash."""
    assert sorted(KINDS) == sorted([*FLINK_SOURCES, SQL_FILES])


@KNOWN
@pytest.mark.parametrize(
    ("status", "error"),
    [(401, SourceRefused), (403, SourceRefused), (404, NotFound), (429, SourceUnreachable), (503, SourceUnreachable)],
)
def test_status_states_what_an_operator_does_next(kind, status, error) -> None:
    """And never that there is nothing."""
    with pytest.raises(error):
        read(kind, answering(status, "{}"))


@KNOWN
@pytest.mark.parametrize(
    "body", ["<html>502</html>", "", "{", "[]", "{}", "null", '{"data": {}, "items": {}, "jobs": {}}']
)
def test_another_answer_is_not_taken_for_an_empty_one(kind, body) -> None:
    """A login page answers 200."""
    with pytest.raises(PayloadUnexpected):
        read(kind, answering(200, body))


@KNOWN
def test_empty_server_is_read(kind) -> None:
    """Nothing there is an answer."""
    reading = read(kind, answering(200, json.dumps(EMPTY)))

    assert (reading.outcome.status, reading.outcome.kind, reading.problems) == (Answered.READ, "flink", ())
    assert (reading.outcome.received, reading.outcome.source) == (0, settings(kind).source)


@KNOWN
def test_list_without_an_end_is_given_up(kind) -> None:
    """A page that always names another one must not keep a scan for ever."""
    requests: list[str] = []

    def endless(request: Request) -> Response:
        requests.append(request.url)
        following = {"next": f"http://f/x?page_token={len(requests)}"}
        items = [{"name": "a", "metadata": {"name": "a"}, "spec": {"statement": "SELECT 1"}}]
        return Response(
            status=200, body=json.dumps(EMPTY | {"metadata": following, "data": items, "items": items}).encode()
        )

    reading = read(kind, endless)

    assert len(requests) < 200
    assert len(reading.of(StreamingStatement)) <= 1 + len(reading.problems)


@KNOWN
def test_check_never_raises(kind) -> None:
    """It reports what is wrong in a line."""
    for status, body in ((200, "{}"), (401, ""), (500, "<html>"), (200, "[")):
        chosen = Settings(cluster=ClusterName("c"), brokers=(), file=None, flink=(settings(kind),))  # type: ignore[arg-type]
        rows = list(probe_sources(chosen, probe=lambda _: "", exchange=answering(status, body)))

        assert rows
        assert rows[-1].state is not State.OK


@KNOWN
def test_source_that_goes_away_in_the_middle_keeps_what_is_whole(kind) -> None:
    """Each later request fails; the first was answered."""
    requests: list[str] = []

    def failing(request: Request) -> Response:
        requests.append(request.url)
        if len(requests) > 1:
            raise SourceUnreachable("gone")
        page = EMPTY | {"metadata": {"next": "http://f/x?page_token=1"}, "jobs": [{"jid": "a"}]}
        items = [{"name": "a", "metadata": {"name": "a"}, "spec": {"statement": "SELECT 1"}}]
        return Response(status=200, body=json.dumps(page | {"data": items, "items": items}).encode())

    try:
        reading = read(kind, failing)
    except ScannerError:
        pytest.fail("what was read is lost")

    assert reading.outcome.status == (Answered.PARTIAL if len(requests) > 1 else Answered.READ)

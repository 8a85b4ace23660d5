"""Who uses topics on Confluent Cloud, by a data set that is not documented: it costs nothing else where it fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.confluent_cloud.metrics import read_metrics
from scanner_extractor.systems.confluent_cloud.settings import MetricsSettings
from scanner_model.clients import ClientUse
from scanner_model.scan import SourceStatus

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)
Answers = dict[str, tuple[int, Any]]


def row(topic: str, client: str, value: Any = 3.0) -> dict[str, Any]:
    return {"timestamp": "2026-05-02T07:00:00Z", "metric.topic": topic, "metric.client_id": client, "value": value}


def server(answers: Answers, asked: list[str]) -> Callable[[Request], Response]:
    """Return a transport that answers queries of the data set `dataflow` by metric, and others with nothing."""

    def send(request: Request) -> Response:
        dataset = urlsplit(request.url).path.split("/")[3]
        metric = json.loads(request.body or "{}")["aggregations"][0]["metric"].rpartition("/")[2]
        asked.append(f"{dataset} {metric}")
        status, found = answers.get(metric, (200, [])) if dataset == "dataflow" else (200, [])
        body = {"data": found, "meta": {}} if status == 200 else {"errors": [{"detail": "no"}]}
        return Response(status=status, headers={}, body=json.dumps(body).encode())

    return send


def read(answers: Answers, *, clients: bool = True, asked: list[str] | None = None) -> Reading:
    settings = MetricsSettings(http=HttpSettings(url="https://telemetry"), cluster="lkc-1", clients=clients)
    requests: list[str] = [] if asked is None else asked
    http = Http(settings.http, settings.source, exchange=server(answers, requests))
    return read_metrics(settings, http, no_progress, now=NOON)


def test_received_records_were_written_and_sent_ones_read() -> None:
    """The words are the cluster's."""
    reading = read({"received_records": (200, [row("a", "shop")]), "sent_records": (200, [row("a", "audit")])})

    assert [(use.topic, use.direction, use.identities) for use in reading.of(ClientUse)] == [
        ("a", "reads", (("client.id", "audit"),)),
        ("a", "writes", (("client.id", "shop"),)),
    ]
    assert (reading.of(ClientUse)[0].started, reading.of(ClientUse)[0].ended) == (
        "2026-05-01T12:00:00+00:00",
        "2026-05-02T12:00:00+00:00",
    )


def test_default_client_and_client_that_moved_nothing_are_left_out() -> None:
    """Neither names a use."""
    rows = [row("a", "producer-1"), row("a", "idle", 0.0), row("", "shop"), row("a", "")]

    assert read({"received_records": (200, rows)}).of(ClientUse) == ()


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_data_set_that_is_not_there_costs_nothing_else(status) -> None:
    """It is not documented, and may vanish."""
    reading = read({"received_records": (status, None), "sent_records": (200, [row("a", "audit")])})

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert len(reading.of(ClientUse)) == 1
    assert "received_records of the data set dataflow" in reading.outcome.reason


def test_it_is_not_asked_unless_it_is_wanted() -> None:
    """A scan without it sends the requests that it sent before."""
    asked: list[str] = []
    read({}, clients=False, asked=asked)

    assert {line.partition(" ")[0] for line in asked} == {"cloud"}

"""Prometheus: what is asked, what an answer means, and answers that are refused, absent, empty or half."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.prometheus.client import PROFILES, prometheus_probes, query_text, read_prometheus
from scanner_extractor.systems.prometheus.settings import MetricProfile, PrometheusSettings
from scanner_model.catalogs import Metric
from scanner_model.clients import ClientUse, Direction
from scanner_model.errors import ScannerError, SourceRefused
from scanner_model.scan import SourceStatus

NOON = 1_790_000_000.5
SETTINGS = PrometheusSettings(http=HttpSettings(url="http://prometheus:9090"), selector='cluster="eu"', window="1d")
JMX = "kafka_producer_producer_topic_metrics_record_send_total"
GROUPS, LAG = "kafka_consumergroup_current_offset", "kafka_consumergroup_lag"
Answer = dict[str, Any] | int


def series(value: str = "12", **labels: str) -> dict[str, Any]:
    return {"metric": labels, "value": [NOON, value]}


def vector(*rows: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "vector", "result": list(rows)}, **others}


def server(answers: dict[str, Answer], other: Answer | None = None) -> Callable[[Request], Response]:
    """Return a transport that answers by the metric in the query; a number is a failure's status."""

    def send(request: Request) -> Response:
        address = urlsplit(request.url)
        if not address.path.endswith("/api/v1/query"):
            return Response(status=404, headers={}, body=b"404 page not found")
        query = parse_qs(address.query)["query"][0]
        named = next((answer for metric, answer in answers.items() if f"{metric}{{" in query), None)
        answer = named if named is not None else vector() if other is None else other
        if isinstance(answer, int):
            body = {"status": "error", "errorType": "execution", "error": "too many samples"}
            return Response(status=answer, headers={}, body=json.dumps(body).encode())
        return Response(status=200, headers={}, body=json.dumps(answer).encode())

    return send


def read(answers: dict[str, Answer], other: Answer | None = None, settings: PrometheusSettings = SETTINGS) -> Reading:
    return read_prometheus(settings, Http(settings.http, settings.source, exchange=server(answers, other)), no_progress)


def test_counters_are_added_up_by_client_and_what_did_not_grow_is_left_out() -> None:
    """The server aggregates a million series; a counter outlives the last record."""
    profile = MetricProfile(name="", metric="m", direction=Direction.WRITES, labels=(("client_id", "client.id"),))

    assert query_text(profile, SETTINGS) == 'sum by (topic,client_id) (increase(m{cluster="eu"}[1d])) > 0'


def test_client_that_wrote_within_the_window_is_a_use() -> None:
    """With the window, its names, and the records."""
    (use,) = read({JMX: vector(series(topic="orders", client_id="shop-1", application="shop", job="pods"))}).of(
        ClientUse
    )

    assert (use.topic, use.direction, use.amount, use.window) == ("orders", Direction.WRITES, 12.0, "1d")
    assert use.identities == (("application", "shop"), ("client.id", "shop-1"), ("workload", "pods"))
    assert (use.started, use.ended) == ("2026-09-20T14:13:20+00:00", "2026-09-21T14:13:20+00:00")


def test_jmx_exporter_without_rules_names_its_metrics_without_total() -> None:
    """What version 1.0.1 exports of a Java producer (Kafka 4.3) by its default format, as Prometheus 2.42 answers."""
    labels = {"client_id": "orders-service", "job": "orders", "topic": "shop.orders"}
    metric = "kafka_producer_producer_topic_metrics_record_send"
    (use,) = read({metric: vector(series("1009.5", **labels))}).of(ClientUse)

    assert (use.topic, use.direction, use.metric) == ("shop.orders", Direction.WRITES, metric)
    assert use.identities == (("client.id", "orders-service"), ("workload", "orders"))


def test_default_client_id_is_left_out_and_counted_where_nothing_else_names_the_client() -> None:
    """`producer-1` is every program's."""
    rows = series(topic="a", client_id="producer-1"), series(topic="b", client_id="producer-1", namespace="x", job="y")
    reading = read({JMX: vector(*rows)})

    assert [(use.topic, use.identities) for use in reading.of(ClientUse)] == [("b", (("workload", "x/y"),))]
    assert "1 pairs name no client" in reading.problems[-1].what
    assert reading.outcome.status is SourceStatus.READ


def test_greedy_rule_of_the_exporter_is_cleaned() -> None:
    """Its pattern takes the topic into the client id."""
    (use,) = read({JMX: vector(series(topic="orders", client_id="shop-1, topic=orders"))}).of(ClientUse)

    assert use.identities == (("client.id", "shop-1"),)


def test_lag_and_records_of_groups_are_metrics() -> None:
    """A group's exporter knows no producer."""
    answers = {
        GROUPS: vector(series(topic="a", consumergroup="g")),
        LAG: vector(series("3", topic="a", consumergroup="g")),
    }
    reading = read(answers)

    assert [(metric.name, metric.object_name, metric.amount) for metric in reading.of(Metric)] == [
        ("consumed_records", "g", 12.0),
        ("consumer_lag_offsets", "g", 3.0),
    ]
    assert [(use.direction, use.identities) for use in reading.of(ClientUse)] == [(Direction.READS, (("group", "g"),))]


def test_refused_server_is_no_server_without_clients() -> None:
    """Nothing is deleted for that."""
    with pytest.raises(SourceRefused):
        read({}, 401)


def test_query_that_fails_makes_the_result_partial() -> None:
    """What the others found stays, and what failed is named."""
    reading = read({JMX: 422, GROUPS: vector(series(topic="a", consumergroup="g"))})

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert len(reading.of(ClientUse)) == 1
    assert JMX in reading.outcome.reason


def test_warning_of_the_server_makes_the_result_partial() -> None:
    """Thanos and Mimir answer without the stores that are down."""
    reading = read({JMX: vector(series(topic="a", client_id="b"), warnings=["store-2 is down"])})

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert "store-2 is down" in reading.outcome.reason


def test_server_without_known_metrics_says_so() -> None:
    """It was read, and it shows nothing: a missing exporter looks like this."""
    reading = read({})

    assert (reading.outcome.status, reading.of(ClientUse)) == (SourceStatus.READ, ())
    assert "no known metric" in reading.problems[0].what


@pytest.mark.parametrize("body", [{"status": "success", "data": {"resultType": "matrix", "result": []}}, {"a": 1}])
def test_other_answer_is_not_read_as_empty(body) -> None:
    """Another server may be at the address."""
    with pytest.raises(ScannerError):
        read({}, body)


@pytest.mark.parametrize(
    "row", [{"metric": {}, "value": ["x", "1"]}, {"metric": 1, "value": [1, "1"]}, {"value": None}]
)
def test_damaged_row_loses_no_other(row) -> None:
    """It is counted."""
    reading = read({JMX: vector(row, series(topic="a", client_id="b"))})

    assert [use.topic for use in reading.of(ClientUse)] == ["a"]
    assert reading.outcome.status is SourceStatus.PARTIAL


def test_profile_of_the_user_is_read_first() -> None:
    """Of two that show one use the first counts."""
    own = MetricProfile(name="own", metric="acme_total", direction=Direction.READS, labels=(("app", "application"),))
    settings = PrometheusSettings(http=SETTINGS.http, profiles=(own,))
    (use,) = read({"acme_total": vector(series(topic="a", app="shop"))}, settings=settings).of(ClientUse)

    assert (use.metric, use.identities) == ("acme_total", (("application", "shop"),))


def test_check_counts_what_it_finds() -> None:
    """Whether exporters are there is the first question of whoever sets it up."""
    answers: dict[str, Answer] = {JMX: vector(series(topic="a", client_id="b"))}
    http = Http(SETTINGS.http, SETTINGS.source, exchange=server(answers))

    assert [probe.run() for probe in prometheus_probes(SETTINGS, http)] == ["it answers", f"{JMX}: 1 pairs"]


def test_every_profile_names_its_client() -> None:
    """Without a label of the client, a topic has nobody."""
    assert all(profile.labels and profile.metric for profile in PROFILES)


def test_a_label_that_is_no_text_is_a_problem() -> None:
    """Without its topic, a series would be left out as one without a topic is."""
    reading = read({JMX: vector({"metric": {"topic": 9, "client_id": "shop-1"}, "value": [NOON, "12"]})})

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert "metric.topic is a number, not text" in reading.problems[0].what

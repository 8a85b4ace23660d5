"""Figures: Confluent's Metrics API, log end offsets of any cluster, and rates between scans."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import rates
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, OffsetSettings
from scanner_extractor.systems.confluent_cloud.metrics import read_metrics
from scanner_extractor.systems.confluent_cloud.settings import MetricsSettings
from scanner_extractor.systems.kafka.admin import read_offsets, read_offsets_document
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_model.catalogs import Metric
from scanner_model.errors import InputInvalid, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.scan import SourceStatus

NO_PAUSE = Clock(pause=lambda _: None)
NOW = datetime(2026, 5, 2, 8, 30, tzinfo=UTC)
OFFSETS = OffsetSettings(brokers=("k:9092",))

Read = Callable[..., Reading]


@pytest.fixture
def read(cloud) -> Read:
    """Read the figures of a fake service over loopback; *posted* fills up with the queries."""

    def query(posted: list[Any] | None = None, look_back: int = 60, **members: Any) -> Reading:
        server = cloud.Cloud(**members)
        with cloud.serving(server) as url:
            given = MetricsSettings(http=HttpSettings(url=url), cluster="lkc-1", look_back=look_back)
            with Http(given.http, given.source, clock=NO_PAUSE) as http:
                metrics = read_metrics(given, http, no_progress, now=NOW)
        if posted is not None:
            posted += server.bodies
        return metrics

    return query


def row(topic: str, value: Any = 1.0, **labels: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-02T07:00:00Z", "metric.topic": topic, "value": value} | labels


def test_window_is_requested_and_reported(read: Read) -> None:
    """Values are sums over it, not rates; figures are five minutes late."""
    posted: list[Any] = []

    result = read(posted, figures={"received_bytes": (row("orders", 8123.0),)}, look_back=30)
    assert posted[0]["intervals"] == ["now-35m|m/now-5m|m"]
    assert [
        (metric.name, metric.topic, metric.amount, metric.started, metric.ended) for metric in result.of(Metric)
    ] == [("received_bytes", "orders", 8123.0, "2026-05-02T07:00:00+00:00", "2026-05-02T07:30:00+00:00")]


def test_one_aggregation_without_agg_a_query(read: Read) -> None:
    """Newer metrics refuse SUM, and two aggregations in one query are refused by all."""
    posted: list[Any] = []
    read(posted)

    assert [len(body["aggregations"]) for body in posted] == [1] * 5
    assert all("agg" not in body["aggregations"][0] for body in posted)
    assert {body["filter"]["value"] for body in posted} == {"lkc-1"}


def test_second_page_is_requested_in_the_address(read: Read) -> None:
    """A thousand rows a page; the token in the body would give the first page for ever."""
    rows = tuple(row(f"t{number:04}") for number in range(2100))

    result = read(figures={"sent_records": rows})
    assert len(result.of(Metric)) == 2100
    assert result.outcome.requests == 7


def test_lag_reports_which_group_reads_which_topic(read: Read) -> None:
    """On every kind of cluster; a level has no window."""
    lag = row("orders", 12, **{"metric.consumer_group_id": "billing"})

    metric = read(figures={"consumer_lag_offsets": (lag, row("orders", 5))}).of(Metric)[0]
    assert (metric.object_kind, metric.object_name, metric.started) == ("group", "billing", "")


@pytest.mark.parametrize("unusual", [None, "12", True, 10**400, float("inf"), [1]])
def test_value_that_is_no_number_is_left_out(read: Read, unusual: Any) -> None:
    """One odd row costs itself alone."""
    result = read(figures={"sent_bytes": (row("a", unusual), row("b", 2), row("", 3), {"value": 1})})

    assert [metric.topic for metric in result.of(Metric)] == ["b"]


def test_answer_without_a_time_gets_that_of_the_scan(read: Read) -> None:
    """The window is known from what was queried."""
    result = read(figures={"sent_bytes": (row("a", timestamp="soon"),)})

    assert result.of(Metric)[0].ended == "2026-05-02T08:25:00+00:00"


def test_cluster_key_is_refused(read: Read) -> None:
    """The service takes Cloud keys only; no figure at all is no empty answer."""
    with pytest.raises(SourceRefused):
        read(keys={"metrics": "a:b"})


def offsets_client(ends: dict[tuple[str, int], int | None]) -> KafkaClient:
    """Answer the ends of partitions; None: the partition has no leader."""
    topics: dict[str, Any] = {}
    for name, number in ends:
        topics.setdefault(name, SimpleNamespace(partitions={}, topic=name, error=None)).partitions[number] = None

    def future(end: int | None) -> Future[Any]:
        reported: Future[Any] = Future()
        if end is None:
            reported.set_exception(KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE)))
        else:
            reported.set_result(SimpleNamespace(offset=end))
        return reported

    class Admin:
        def list_topics(self, timeout: float) -> Any:
            return SimpleNamespace(topics=topics)

        def list_offsets(self, wanted: Any, request_timeout: float) -> Any:
            return {item: future(ends[item.topic, item.partition]) for item in wanted}

    return KafkaClient(KafkaSettings(brokers=("k:9092",)), make=lambda *_, **__: Admin())


def test_ends_of_partitions_are_summed_by_topic() -> None:
    """What was ever written, however much retention has taken away since."""
    offsets = read_offsets(
        OFFSETS, no_progress, now=NOW, client=offsets_client({("b", 0): 5, ("a", 0): 1, ("a", 1): 2})
    )

    assert [(metric.topic, metric.amount, metric.started, metric.ended) for metric in offsets.of(Metric)] == [
        ("a", 3.0, "", "2026-05-02T08:30:00+00:00"),
        ("b", 5.0, "", "2026-05-02T08:30:00+00:00"),
    ]


def test_half_a_sum_is_no_figure() -> None:
    """A topic with a partition that has no leader is left out and said; its earlier figure stays."""
    ends = {("a", 0): 1, ("a", 1): None, ("b", 0): 5}

    offsets = read_offsets(OFFSETS, no_progress, now=NOW, client=offsets_client(ends))
    assert [metric.topic for metric in offsets.of(Metric)] == ["b"]
    assert (offsets.outcome.status, offsets.outcome.unread) == (SourceStatus.PARTIAL, {"a"})


def test_an_end_below_zero_is_no_figure() -> None:
    """A broker that goes away while it is queried gives -1001, librdkafka's invalid offset, and no error."""
    offsets = read_offsets(OFFSETS, no_progress, now=NOW, client=offsets_client({("a", 0): 28, ("a", 1): -1001}))

    assert (offsets.of(Metric), offsets.outcome.status, offsets.outcome.unread) == ((), SourceStatus.PARTIAL, {"a"})


def test_no_end_at_all_is_no_empty_answer() -> None:
    """The brokers answered nothing that was queried."""
    with pytest.raises((SourceUnreachable, SourceRefused)):
        read_offsets(OFFSETS, no_progress, now=NOW, client=offsets_client({("a", 0): None}))


def test_replay_gives_the_metrics_and_the_time_of_the_capture(tmp_path) -> None:
    """A replayed scan gives the same bytes, whenever it runs."""
    client = offsets_client({("a", 0): 7})
    live = Connections(
        recorder=Recorder(tmp_path / "c"),
        now=lambda: NOW,
        ends=lambda settings, progress, now: read_offsets(settings, progress, now=now, client=client),
    )

    first = live.offsets(OFFSETS, no_progress)
    assert Connections(replay=Replay(tmp_path / "c")).offsets(OFFSETS, no_progress) == first


def test_damaged_document_of_a_capture_is_reported() -> None:
    """Captures may be edited by hand."""
    with pytest.raises(InputInvalid):
        read_offsets_document({"offsets": []}, SourceId("metrics:offsets:k"))


def end(amount: float, at: str, **members: Any) -> Metric:
    reported = {"source": SourceId("s"), "name": "log_end_offset", "topic": "a", "amount": amount, "ended": at}
    return Metric(**reported | members)


def test_what_grew_between_two_scans_is_a_rate() -> None:
    """So a cluster without any metrics service reports which topics are alive."""
    earlier, later = end(100, "2026-05-02T08:00:00+00:00"), end(700, "2026-05-02T08:10:00+00:00")

    metrics = list(rates([later], [earlier, replace(earlier, topic="b")]))
    assert [(metric.name, metric.topic, metric.amount, metric.started, metric.ended) for metric in metrics] == [
        ("records_in_per_second", "a", 1.0, earlier.ended, later.ended)
    ]


@pytest.mark.parametrize(
    "earlier",
    [
        end(900, "2026-05-02T08:00:00+00:00"),
        end(100, "2026-05-02T08:10:00+00:00"),
        end(100, "2026-05-02T09:00:00+00:00"),
        end(100, "2026-05-02T08:00:00"),
        end(100, ""),
        end(100, "2026-05-02T08:00:00+00:00", source=SourceId("other")),
        end(100, "2026-05-02T08:00:00+00:00", name="sent_bytes"),
    ],
)
def test_no_rate_is_made_up(earlier: Metric) -> None:
    """A topic created again, a clock set back, or another source's figure tell nothing about growth."""
    assert list(rates([end(700, "2026-05-02T08:10:00+00:00")], [earlier])) == []

"""Which applications monitoring knew and has not seen for long: only where it looked all the time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from named_scan import NamedScan

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.silence import silence
from scanner_dictionary.write.scan import write_scan
from scanner_model.clients import ClientUse, Direction
from scanner_model.kafka import Cluster, ConsumerGroup, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

START = datetime(2026, 1, 1, tzinfo=UTC)
METRICS, KAFKA = SourceId("prometheus:main"), SourceId("kafka:kafka-1:9092")
MONTH = timedelta(days=30)


def use(at: datetime, application: str = "billing", **more: object) -> ClientUse:
    """Return a use within the week before *at*."""
    return ClientUse(
        source=METRICS,
        topic=TopicName("orders"),
        direction=Direction.READS,
        identities=(("application", application),),
        started=(at - timedelta(days=7)).isoformat(),
        ended=at.isoformat(),
        window="7d",
        metric="consumed",
        amount=1,
        **more,
    )


def scanned(
    at: datetime, uses: tuple[ClientUse, ...] = (), groups: tuple[str, ...] = (), **status: SourceStatus
) -> ClusterScan:
    outcomes = tuple(
        SourceResult(source=source, kind=kind, status=status.get(kind, SourceStatus.READ), received=1, requested=1)
        for source, kind in ((METRICS, "prometheus"), (KAFKA, "kafka"))
    )
    return NamedScan(
        cluster=Cluster(name=ClusterName("shop"), brokers=("kafka-1:9092",)),
        outcomes=outcomes,
        topics=(Topic(source=KAFKA, name=TopicName("orders")),),
        consumer_groups=tuple(
            ConsumerGroup(source=KAFKA, name=name, state="Stable", topics=(TopicName("orders"),)) for name in groups
        ),
        client_uses=uses,
    )


@pytest.fixture
def after(tmp_path):
    """Return a function from scans by day to what is silent, and what is seen."""

    def run(scans: dict[int, ClusterScan]):
        engine = open_dictionary(f"sqlite:///{tmp_path / 'dictionary.db'}", create=True)
        for day, scan in scans.items():
            at = START + timedelta(days=day)
            write_scan(engine, scan, started=at, finished=at, mode="full")
        with engine.connect() as conn:
            return silence(conn, MONTH)

    return run


def weekly(first: ClusterScan, last: int = 42) -> dict[int, ClusterScan]:
    """Return a scan a week, the *first* with what was seen."""
    return {0: first, **{day: scanned(START + timedelta(days=day)) for day in range(7, last + 1, 7)}}


def test_a_client_that_no_window_of_a_month_shows_is_silent(after):
    found = after(weekly(scanned(START, (use(START),))))

    assert found.silent == {"billing": START.isoformat()}


def test_a_client_that_was_seen_within_the_month_is_not(after):
    assert after(weekly(scanned(START, (use(START),)), 28)).seen == {"billing"}


def test_a_week_without_a_scan_is_not_silence(after):
    """A client may have read in the days that no window covers."""
    scans = {day: scan for day, scan in weekly(scanned(START, (use(START),))).items() if day % 14 == 0}

    assert after(scans).silent == {}


def test_a_source_that_could_not_be_read_is_not_silence(after):
    scans = weekly(scanned(START, (use(START),)))
    scans[21] = scanned(START, prometheus=SourceStatus.UNAVAILABLE)

    assert after(scans).silent == {}


def test_a_source_that_samples_is_not_silence(after):
    assert after(weekly(scanned(START, (use(START, sampled=True),)))).silent == {}


def test_a_client_that_was_never_observed_is_unknown(after):
    assert after(weekly(scanned(START))) == ({}, frozenset())


def test_a_group_that_brokers_list_no_more_is_silent_and_a_listed_one_is_seen(after):
    scans = weekly(scanned(START, groups=("billing", "search")))
    scans |= {day: scanned(START, groups=("search",)) for day in range(7, 43, 7)}
    found = after(scans)

    assert (set(found.silent), found.seen) == ({"billing"}, {"search"})


def test_a_group_is_not_silent_where_brokers_were_asked_too_rarely(after):
    """Brokers forget a group after seven days: one that came and went between two scans is not seen."""
    scans = {day: scanned(START) for day in (9, 18, 27, 36, 45)}

    assert after({0: scanned(START, groups=("billing",)), **scans}).silent == {}

"""Scans of a ksqlDB server while somebody stops it in an orderly way: nothing of it is reported gone."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from scanner_api.scanning.clusters import LoadedCluster, ScanReport
from scanner_api.scanning.run import ScanOptions, scan_clusters
from scanner_dictionary.engine.open import open_dictionary
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.kafka import Cluster
from scanner_model.manual import ManualInput
from scanner_model.names import ClusterName
from scanner_model.scan import SourceStatus

pytestmark = pytest.mark.slow


@pytest.fixture
def scan(ksql: ModuleType, tmp_path: Path):
    """Return a fake server of three queries, and a function that scans it without waiting."""
    fake = ksql.Ksql(queries=tuple(ksql.query(f"CTAS_CLICKS_PER_CITY_{number}") for number in range(3)))
    engine = open_dictionary(f"sqlite:///{tmp_path / 'd.db'}")
    with ksql.serving(fake) as url:
        settings = Settings(
            cluster=ClusterName("shop"),
            brokers=("k:9092",),
            file=Path("c.json"),
            ksqldb=(KsqlSettings(http=HttpSettings(url=url)),),
        )
        loaded = LoadedCluster(
            settings=settings,
            manual=ManualInput(cluster=Cluster(name=settings.cluster, brokers=settings.brokers)),
            warnings=(),
        )

        def scan_once() -> ScanReport:
            connections = Connections(clock=Clock(pause=lambda _: None))
            (report,) = scan_clusters([loaded], [connections], ScanOptions(engine=engine, progress=no_progress))
            return report

        yield fake, scan_once
    engine.dispose()


def test_scans_of_a_server_that_is_being_stopped_lose_nothing(scan) -> None:
    """Three queries go one by one, then nothing answers, then all are back: no scan may mark any of them as deleted."""
    fake, scan_once = scan
    running = fake.queries
    reports = [scan_once()]
    fake.stopping = True
    reports += [scan_once(), scan_once()]
    fake.starting, fake.stopping = True, False
    reports.append(scan_once())
    fake.starting, fake.queries = False, running
    reports.append(scan_once())

    assert [report.outcomes[0].status for report in reports] == [
        SourceStatus.READ,
        SourceStatus.READ,
        SourceStatus.PARTIAL,
        SourceStatus.UNAVAILABLE,
        SourceStatus.READ,
    ]
    assert [dict(report.changes).get("gone", 0) for report in reports] == [0] * 5


def test_scans_of_a_stop_that_gets_stuck_lose_nothing(scan) -> None:
    """Its broker does not respond, so the query that is being closed stays, and the list is the same for minutes."""
    fake, scan_once = scan
    running = fake.queries
    reports = [scan_once()]
    fake.queries, fake.healthy = running[:1], False
    reports += [scan_once(), scan_once(), scan_once()]
    fake.queries, fake.healthy = running, True
    reports.append(scan_once())

    assert [report.outcomes[0].status for report in reports[1:4]] == [SourceStatus.PARTIAL] * 3
    assert [dict(report.changes).get("gone", 0) for report in reports] == [0] * 5
    assert reports[-1].outcomes[0].status is SourceStatus.READ


def test_terminated_query_is_deleted_by_the_second_scan(scan) -> None:
    """Its collection stays, as while a server is stopped; but the next scan finds the same."""
    fake, scan_once = scan
    scan_once()
    fake.queries = fake.queries[:-1]
    reports = [scan_once(), scan_once()]

    assert [(report.outcomes[0].status, dict(report.changes)["gone"]) for report in reports] == [
        (SourceStatus.PARTIAL, 0),
        (SourceStatus.READ, 1),
    ]

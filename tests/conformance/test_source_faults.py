"""Every source with every fault: none loses another source's facts or the last scan's, each gives one clear line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import faulty
import pytest
from fault_rows import ROWS
from scanned_source import BESIDE, Scanned, scanned_source

from scanner_cli.output.scan_report import report_text
from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.scan.source_kinds import all_kinds
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.settings import FlinkSettings
from scanner_model.kafka import StreamsTopology, Topic
from scanner_model.scan import SourceStatus

pytestmark = pytest.mark.slow


FAILS, WHOLE, KEEPS, LOSES = "fails", "whole", "keeps", "loses"
FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "401": (lambda: faulty.status(401), FAILS),
    "403": (lambda: faulty.status(403), FAILS),
    "404": (lambda: faulty.status(404), FAILS),
    "429": (lambda: faulty.status(429, Retry_After="30"), FAILS),
    "500": (lambda: faulty.status(500), FAILS),
    "503 as a page": (
        lambda: faulty.status(503, b"<html>\n<body>later</body>\n</html>", Content_Type="text/html"),
        FAILS,
    ),
    "slow": (lambda: faulty.slow, FAILS),
    "reset": (lambda: faulty.reset, FAILS),
    "truncated": (lambda: faulty.truncated, FAILS),
    "half": (lambda: faulty.half, FAILS),
    "a web page": (lambda: faulty.web_page, FAILS),
    "endless": (faulty.endless, KEEPS),
    "an empty object": (lambda: faulty.empty_object, FAILS),
    "other members": (lambda: faulty.other_members, FAILS),
    "other entries": (lambda: faulty.other_entries, LOSES),
    "one bad entry": (lambda: faulty.one_bad_entry, LOSES),
    "unknown member": (lambda: faulty.unknown_member, WHOLE),
    "unknown word": (lambda: faulty.unknown_word, KEEPS),
}
OF_TRANSPORT = [*FAULTS][: [*FAULTS].index("endless")]
"""Faults that the HTTP client turns into errors for every source: `make test` has one of them for each, in turn."""

CASES = [
    pytest.param(
        row,
        fault,
        id=f"{row}-{fault}",
        marks=[pytest.mark.slow] if fault in OF_TRANSPORT and fault != OF_TRANSPORT[at % len(OF_TRANSPORT)] else [],
    )
    for at, row in enumerate(ROWS)
    for fault in FAULTS
]


def test_every_source_over_http_is_a_row() -> None:
    """A new kind, or a new type of one, is read with every fault from its first day."""
    members = [value for row in ROWS.values() for value in row.member(HttpSettings(url="http://x")).values()]
    sources = [source for value in members for source in (value if isinstance(value, tuple) else (value,))]
    over_http = {kind.settings for kind in all_kinds() if "http" in {member.name for member in fields(kind.settings)}}

    assert {type(source) for source in sources} == over_http
    typed = CatalogSettings | FlinkSettings | RegistrySettings
    types = {source.type for source in sources if isinstance(source, typed)}
    assert types == {*CATALOGS.own, *FLINK_SOURCES, *REGISTRIES.own}


@pytest.fixture(scope="module")
def scanned(request: pytest.FixtureRequest, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scanned]:
    with scanned_source(ROWS[request.param], empty, tmp_path_factory.mktemp("faults")) as scanned:
        yield scanned


@pytest.mark.no_cover
@pytest.mark.parametrize(("scanned", "fault"), CASES, indirect=["scanned"])
def test_fault_costs_its_own_source_at_most(scanned: Scanned, fault: str) -> None:
    """What others say is whole, what the last scan knew is there, and a line says where and what."""
    make, expected = FAULTS[fault]
    report, scan, summary = scanned.scan(make(), deadline=0.1 if fault == "slow" else 60.0)
    outcome, first = scanned.outcome(scan), scanned.first

    assert first
    assert first.status is scanned.row.status, first.reason
    assert "reader failed" not in outcome.reason
    assert [topology.name for topology in scan.of(StreamsTopology)] == ["app"]
    assert {"orders", "refunds"} <= {topic.name for topic in scan.of(Topic)}
    assert [outcome.status for outcome in scan.outcomes if outcome.source in BESIDE] == [SourceStatus.READ] * 2
    assert summary.gone == 0
    if expected == WHOLE:
        assert (outcome.status, outcome.received) == (first.status, first.received), outcome.reason
    if expected == FAILS:
        assert outcome.status in (SourceStatus.PARTIAL, SourceStatus.UNAVAILABLE)
    if expected == LOSES and outcome.status is SourceStatus.READ:  # every entry could be read another way
        assert outcome.received == first.received
    if outcome.status is not SourceStatus.READ:
        lines = [
            line
            for line in report_text(report).splitlines()
            if line.startswith(f"{outcome.status}: {outcome.source}: ")
        ]
        assert len(lines) == 1
        assert len(lines[0].partition(f"{outcome.source}: ")[2]) > 10
        assert report.is_partial


@pytest.mark.parametrize("scanned", [name for name, row in ROWS.items() if row.tokens], indirect=True)
def test_empty_page_in_the_middle_ends_no_list(scanned: Scanned) -> None:
    """Services that page by tokens give one where they filter."""
    _, scan, summary = scanned.scan(faulty.empty_page)
    outcome = scanned.outcome(scan)

    assert scanned.first
    assert (outcome.status, outcome.received) == (scanned.first.status, scanned.first.received), outcome.reason
    assert summary.gone == 0

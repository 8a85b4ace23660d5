"""`/metrics`: figures for Prometheus, text format 0.0.4. No topic names, which would be too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from scanner_api.measures import measures
from scanner_server.answering import Answering
from scanner_server.intake import Intake
from scanner_server.schedule import ScanStatus

Sample = tuple[Mapping[str, str], float]


def metrics_text(answering: Answering, intake: Intake | None, scans: ScanStatus | None) -> str:
    """Return the figures of the dictionary and of this process; raises DictionaryUnusable."""
    return "".join(_lines(answering, intake, scans))


def _lines(answering: Answering, intake: Intake | None, scans: ScanStatus | None) -> Iterator[str]:
    clusters, sources = measures(answering.dictionary)
    by_cluster = [({"cluster": each.cluster}, each) for each in clusters]
    finished = [(labels, _timestamp(each.finished)) for labels, each in by_cluster]
    yield from _metric("scanner_scan_timestamp_seconds", "gauge", "When the newest scan ended.", finished)
    numbers = [(labels, each.scan) for labels, each in by_cluster]
    yield from _metric("scanner_scan_number", "gauge", "The number of the newest scan.", numbers)
    topics = [(labels, each.topics) for labels, each in by_cluster]
    yield from _metric("scanner_topics", "gauge", "Topics that exist.", topics)
    without = [(labels, each.without_schema) for labels, each in by_cluster]
    yield from _metric("scanner_topics_without_schema", "gauge", "Topics that no schema describes.", without)
    findings = [({**labels, "rule": rule}, count) for labels, each in by_cluster for rule, count in each.findings]
    yield from _metric("scanner_problems", "gauge", "Findings of `scanner validate`.", findings)
    named = [({"cluster": each.cluster, "source": each.source}, each) for each in sources]
    up = [(labels, float(each.up)) for labels, each in named]
    yield from _metric("scanner_source_up", "gauge", "1 where the last scan read all of a source.", up)
    read = [(labels, _timestamp(each.read_at)) for labels, each in named if each.read_at]
    yield from _metric("scanner_source_read_timestamp_seconds", "gauge", "When all of a source was read last.", read)
    requests = [({"operation": name, "status": str(code)}, n) for (name, code), n in sorted(answering.counts.items())]
    yield from _metric("scanner_http_requests_total", "counter", "Answered requests of the API.", requests)
    if intake is not None:
        counts = [({"what": name}, float(count)) for name, count in intake.counts().items()]
        yield from _metric("scanner_intake", "gauge", "Received OpenLineage events by what became of them.", counts)
    if scans is not None:
        runs = [({"result": name}, float(count)) for name, count in scans.counts().items()]
        yield from _metric("scanner_scheduled_scans_total", "counter", "Scheduled scans by result.", runs)
        pending: list[Sample] = [({}, float(scans.pending()))]
        yield from _metric("scanner_notifications_pending", "gauge", "Notifications not delivered yet.", pending)


def _metric(name: str, kind: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        inner = ",".join(f'{key}="{_escaped(each)}"' for key, each in labels.items())
        yield f"{name}{{{inner}}} {value:.17g}\n" if inner else f"{name} {value:.17g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _timestamp(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()

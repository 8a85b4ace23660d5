"""End offsets of topics over the Kafka protocol, as metrics of a cluster without a metrics service."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from scanner_extractor.http.messages import Json
from scanner_extractor.results import CatalogResult, Progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.settings.confluent_cloud import OffsetSettings
from scanner_extractor.sources.kafka.client import KafkaClient
from scanner_model.catalogs import Metric
from scanner_model.errors import InputInvalid
from scanner_model.names import SourceId
from scanner_model.scan import SourceResult, SourceStatus

LOG_END = "log_end_offset"
"""Records that were ever written to a topic, summed over its partitions; compaction and retention take none away."""

DOCUMENT = "offsets"
"""The name of the brokers' document in a capture."""


def read_offsets(
    settings: OffsetSettings, progress: Progress, *, now: datetime, client: KafkaClient | None = None
) -> CatalogResult:
    """Read the log end offset of every topic at *now*.

    Needs DESCRIBE on topics. A topic of which a partition has no leader is left out, and the result partial: a
    partial sum is not a metric. Raises SourceRefused and SourceUnreachable.
    """
    kafka = client or KafkaClient(_kafka(settings))
    topics = kafka.metadata().topics
    partitions = [(name, number) for name in sorted(topics) for number in sorted(topics[name].partitions)]
    progress(settings.source, 0, len(partitions))
    ends = kafka.ends(partitions)
    progress(settings.source, len(ends), len(partitions))
    incomplete = {name for name, number in partitions if (name, number) not in ends}
    sums: Counter[str] = Counter()
    for (name, _), offset in ends.items():
        sums[name] += offset
    end_offsets = {name: float(amount) for name, amount in sums.items() if name not in incomplete}
    return _result(settings.source, end_offsets, sorted(incomplete), _iso(now))


def offsets_document(reading: CatalogResult) -> Json:
    """Return *reading* as JSON, for captures."""
    return {
        "offsets": {metric.topic: metric.amount for metric in reading.metrics},
        "unread": sorted(reading.outcome.unread),
        "at": next((metric.ended for metric in reading.metrics), ""),
    }


def read_offsets_document(document: Json, source: SourceId) -> CatalogResult:
    """Read what `offsets_document` gave; raises InputInvalid for anything else."""
    match document:
        case {"offsets": {**amounts}, "unread": [*unread], "at": str(at)}:
            end_offsets = {
                str(topic): float(amount) for topic, amount in amounts.items() if isinstance(amount, int | float)
            }
            return _result(source, end_offsets, [str(name) for name in unread], at)
        case _:
            hint = "record the capture again"
            raise InputInvalid("the document in the capture is damaged", where=str(source), hint=hint)


def _result(source: SourceId, end_offsets: dict[str, float], unread: list[str], at: str) -> CatalogResult:
    reason = f"{len(unread)} topics have a partition without a leader" if unread else ""
    return CatalogResult(
        outcome=SourceResult(
            source=source,
            kind="metrics",
            status=SourceStatus.PARTIAL if unread else SourceStatus.READ,
            received=len(end_offsets),
            requested=len(end_offsets) + len(unread),
            reason=reason,
            hint="look at them again when all brokers are up" if unread else "",
            requests=2,
            unread=frozenset(unread),
        ),
        metrics=tuple(
            Metric(source=source, name=LOG_END, topic=topic, amount=end_offsets[topic], ended=at)
            for topic in sorted(end_offsets)
        ),
    )


def _kafka(settings: OffsetSettings) -> KafkaSettings:
    return KafkaSettings(brokers=settings.brokers, properties=settings.properties, timeout=settings.timeout)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")

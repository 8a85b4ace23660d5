"""Read topic metrics from Confluent's Metrics API: bytes and records in and out, consumer lag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from scanner_extractor.http.client import Http
from scanner_extractor.http.pagination import PartialList, by_token, read_pages
from scanner_extractor.results import Progress, Reading, answered_with
from scanner_extractor.systems.confluent_cloud.dataflow import read_dataflow
from scanner_extractor.systems.confluent_cloud.settings import MetricsSettings
from scanner_model.catalogs import Metric
from scanner_model.errors import Problem, ScannerError
from scanner_model.payload import Payload, Unread

LAG_MINUTES = 5
"""How far Confluent's figures are behind."""

_KAFKA = "io.confluent.kafka.server/"
_TOPIC = "metric.topic"
_GROUP = "metric.consumer_group_id"
_MOST_GROUPS = 1000
_MOST = 1e300
_HINT = "a Cloud key whose account has the role MetricsViewer: see docs/sources/confluent_cloud.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricQuery:
    """A Confluent metric: *label* is the label of the measured object, empty for the topic.

    *level*: a gauge, no sum.
    """

    name: str
    label: str = ""
    object_kind: str = ""
    level: bool = False


METRIC_QUERIES = (
    MetricQuery(name="received_bytes"),
    MetricQuery(name="sent_bytes"),
    MetricQuery(name="received_records"),
    MetricQuery(name="sent_records"),
    MetricQuery(name="consumer_lag_offsets", label=_GROUP, object_kind="group", level=True),
)


def read_metrics(settings: MetricsSettings, http: Http, progress: Progress, *, now: datetime) -> Reading:
    """Read each metric over the configured window; *now* is used only where a response has no time.

    `POST /v2/metrics/cloud/query`, one request for each metric and 1000 rows. Raises ScannerError where no metric
    can be read; a single failure is a problem, and the result partial.
    """
    answers: list[tuple[MetricQuery, PartialList[Payload] | ScannerError]] = []
    unread = Unread(settings.source)
    for done, query in enumerate(METRIC_QUERIES, 1):
        answers.append((query, _fetch(settings, http, query, lambda: progress(settings.source, 0, None))))
        progress(settings.source, done, len(METRIC_QUERIES))
    failed = [(query, error) for query, answer in answers if (error := _error(answer))]
    if all(isinstance(answer, ScannerError) for _, answer in answers):
        raise failed[0][1]
    metrics = _sorted(metric for query, answer in answers for metric in _read(settings, query, answer, unread, now))
    moved = partial(progress, settings.source, 0, None)
    uses, refused = read_dataflow(settings, http, unread, now, moved) if settings.clients else ((), ())
    problems = (*(_problem(settings, query, error) for query, error in failed), *refused, *unread.problems)
    return Reading(
        outcome=answered_with(problems, settings.source, "metrics", len(metrics) + len(uses), requests=http.requests),
        facts=(*metrics, *uses),
        problems=problems,
    )


def query_metric(
    settings: MetricsSettings, http: Http, query: MetricQuery, token: str = ""
) -> tuple[Sequence[Payload], str]:
    """Return a page of a metric and the token of the next page; raises ScannerError.

    `agg` stays out: newer metrics refuse it. The token goes into the address, not into the body.
    """
    window = 1 if query.level else settings.look_back
    body = {
        "aggregations": [{"metric": _KAFKA + query.name}],
        "filter": {"field": "resource.kafka.id", "op": "EQ", "value": settings.cluster},
        "granularity": "ALL",
        "intervals": [f"now-{window + LAG_MINUTES}m|m/now-{LAG_MINUTES}m|m"],
        "group_by": [_TOPIC, *([query.label] if query.label else [])],
        "limit": _MOST_GROUPS,
    }
    params = [("page_token", token)] if token else []
    answer = Payload(http.post("v2", "metrics", "cloud", "query", body=body, params=params))
    return answer.entries("data"), answer.object("meta").object("pagination").text("next_page_token")


def _fetch(
    settings: MetricsSettings, http: Http, query: MetricQuery, moved: Callable[[], None]
) -> PartialList[Payload] | ScannerError:
    def fetch(token: str) -> tuple[Sequence[Payload], str]:
        moved()
        return query_metric(settings, http, query, token)

    try:
        return read_pages(by_token(fetch, key=_identity))
    except ScannerError as error:
        return error


def _read(
    settings: MetricsSettings,
    query: MetricQuery,
    answer: PartialList[Payload] | ScannerError,
    unread: Unread,
    now: datetime,
) -> Iterator[Metric]:
    window = timedelta(minutes=1 if query.level else settings.look_back)

    def read(row: Payload) -> Metric | None:
        amount, topic = _amount(row.need("value")), row.text(_TOPIC)
        name = row.text(query.label) if query.label else ""
        if amount is None or not topic or (query.label and not name):
            return None
        started = row.time("timestamp") or now - timedelta(minutes=LAG_MINUTES) - window
        return Metric(
            source=settings.source,
            name=query.name,
            topic=topic,
            amount=amount,
            started="" if query.level else _iso(started),
            ended=_iso(started + window),
            object_kind=query.object_kind,
            object_name=name,
        )

    rows = () if isinstance(answer, ScannerError) else answer.items
    # A row has no name that a later one could be known by.
    return (metric for metric in unread.read(rows, read, lambda _: "") if metric)


def _sorted(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    unique = {(metric.name, metric.topic, metric.object_kind, metric.object_name): metric for metric in metrics}
    return tuple(unique[key] for key in sorted(unique))


def _error(answer: PartialList[Payload] | ScannerError) -> ScannerError | None:
    return answer if isinstance(answer, ScannerError) else answer.error


def _problem(settings: MetricsSettings, query: MetricQuery, error: ScannerError) -> Problem:
    return Problem(str(settings.source), f"{query.name} could not be read: {error.what}", error.hint or _HINT)


def _identity(row: Payload) -> tuple[str, ...]:
    return tuple(row.shown(name) for name in ("timestamp", _TOPIC, _GROUP))


def _amount(value: Payload) -> float | None:
    """Return a figure; None for an invalid one, as JSON has it for overflows."""
    if isinstance(value.value, bool) or not isinstance(value.value, int | float):
        raise value.error("is not a number")
    return float(value.value) if abs(value.value) < _MOST else None


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")

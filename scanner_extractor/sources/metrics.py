"""Asks Confluent's Metrics API for figures of topics: bytes and records in and out, and how far groups are behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import Listed, by_token, kept_pages
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.settings_cloud import MetricsSettings
from scanner_extractor.sources.cloud_lists import member, objects, text
from scanner_model.catalogs import Metric
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

LAG_MINUTES = 5
"""How far Confluent's figures are behind."""

_KAFKA = "io.confluent.kafka.server/"
_TOPIC = "metric.topic"
_GROUP = "metric.consumer_group_id"
_MOST_GROUPS = 1000
_MOST = 1e300
_HINT = "a Cloud key whose account has the role MetricsViewer: see docs/sources/metrics.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric of Confluent's: *label* tells whom of a topic it is about, empty: the topic; *level*: no sum."""

    name: str
    label: str = ""
    object_kind: str = ""
    level: bool = False


FIGURES = (
    Figure(name="received_bytes"),
    Figure(name="sent_bytes"),
    Figure(name="received_records"),
    Figure(name="sent_records"),
    Figure(name="consumer_lag_offsets", label=_GROUP, object_kind="group", level=True),
)


def read_metrics(settings: MetricsSettings, http: Http, progress: Progress, *, now: datetime) -> CatalogReading:
    """Read each figure over the window that is asked for; *now* counts only where an answer bears no time.

    `POST /v2/metrics/cloud/query`, one request a figure and 1000 rows. Raises ScannerError where no figure is told;
    one that is not is a problem, and the answer partial.
    """
    told: list[tuple[Figure, Listed[Json] | ScannerError]] = []
    for done, figure in enumerate(FIGURES, 1):
        told.append((figure, _asked(settings, http, figure, lambda: progress(settings.source, 0, None))))
        progress(settings.source, done, len(FIGURES))
    failed = [(figure, error) for figure, answer in told if (error := _error(answer))]
    if all(isinstance(answer, ScannerError) for _, answer in told):
        raise failed[0][1]
    metrics = _sorted(metric for figure, answer in told for metric in _read(settings, figure, answer, now))
    problems = tuple(_problem(settings, figure, error) for figure, error in failed)
    return CatalogReading(
        outcome=Outcome(
            source=settings.source,
            kind="metrics",
            answer=Answer.PARTIAL if problems else Answer.READ,
            got=len(metrics),
            asked=len(metrics),
            reason="; ".join(problem.what for problem in problems[:2]),
            hint=problems[0].hint if problems else "",
            requests=http.requests,
        ),
        metrics=metrics,
        problems=problems,
    )


def query_figure(settings: MetricsSettings, http: Http, figure: Figure, token: str = "") -> tuple[Sequence[Json], str]:
    """Give a page of a figure and the token of the next one; raises ScannerError.

    `agg` stays out: newer metrics refuse it. The token goes into the address, not into the body.
    """
    window = 1 if figure.level else settings.look_back
    body = {
        "aggregations": [{"metric": _KAFKA + figure.name}],
        "filter": {"field": "resource.kafka.id", "op": "EQ", "value": settings.cluster},
        "granularity": "ALL",
        "intervals": [f"now-{window + LAG_MINUTES}m|m/now-{LAG_MINUTES}m|m"],
        "group_by": [_TOPIC, *([figure.label] if figure.label else [])],
        "limit": _MOST_GROUPS,
    }
    params = [("page_token", token)] if token else []
    match http.post("v2", "metrics", "cloud", "query", body=body, params=params):
        case {"data": list(data), **rest}:
            return data, text(member(rest.get("meta"), "pagination"), "next_page_token")
        case _:
            raise PayloadUnexpected("the answer is not one of the Metrics API", hint="check the `url` of `metrics`")


def _asked(
    settings: MetricsSettings, http: Http, figure: Figure, moved: Callable[[], None]
) -> Listed[Json] | ScannerError:
    def fetch(token: str) -> tuple[Sequence[Json], str]:
        moved()
        return query_figure(settings, http, figure, token)

    try:
        return kept_pages(by_token(fetch, key=_identity))
    except ScannerError as error:
        return error


def _read(
    settings: MetricsSettings, figure: Figure, answer: Listed[Json] | ScannerError, now: datetime
) -> Iterable[Metric]:
    window = timedelta(minutes=1 if figure.level else settings.look_back)
    for row in () if isinstance(answer, ScannerError) else objects(list(answer.items)):
        amount, name = _number(row.get("value")), text(row, figure.label) if figure.label else ""
        if amount is None or not text(row, _TOPIC) or (figure.label and not name):
            continue
        started = _time(text(row, "timestamp")) or now - timedelta(minutes=LAG_MINUTES) - window
        yield Metric(
            source=settings.source,
            name=figure.name,
            topic=text(row, _TOPIC),
            amount=amount,
            started="" if figure.level else _iso(started),
            ended=_iso(started + window),
            object_kind=figure.object_kind,
            object_name=name,
        )


def _sorted(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    unique = {(each.name, each.topic, each.object_kind, each.object_name): each for each in metrics}
    return tuple(unique[key] for key in sorted(unique))


def _error(answer: Listed[Json] | ScannerError) -> ScannerError | None:
    return answer if isinstance(answer, ScannerError) else answer.error


def _problem(settings: MetricsSettings, figure: Figure, error: ScannerError) -> Problem:
    return Problem(str(settings.source), f"{figure.name} could not be read: {error.what}", error.hint or _HINT)


def _identity(row: Json) -> tuple[str, ...]:
    return tuple(text(row, name) for name in ("timestamp", _TOPIC, _GROUP))


def _number(value: Json) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < _MOST else None


def _time(told: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(told)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")

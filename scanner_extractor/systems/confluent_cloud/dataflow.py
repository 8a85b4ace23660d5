"""Read from Confluent's telemetry which clients wrote to and read from topics: the data set `dataflow`.

`POST /v2/metrics/dataflow/query`, by topic and client id. Confluent does not document this data set, so it is read only
where it is asked for, and what fails of it is a problem that costs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from scanner_extractor.http.client import Http
from scanner_extractor.http.pagination import by_token, read_pages
from scanner_extractor.systems.confluent_cloud.settings import MetricsSettings
from scanner_model.client_names import is_default_id
from scanner_model.clients import ClientUse, Direction, IdentityKind
from scanner_model.errors import Problem, ScannerError
from scanner_model.names import TopicName
from scanner_model.payload import Payload, Unread

_METRICS: Mapping[str, Direction] = {"received_records": Direction.WRITES, "sent_records": Direction.READS}
"""What the cluster received was written by clients."""
_TOPIC, _CLIENT = "metric.topic", "metric.client_id"
_HOURS = 24
_ROWS = 1000
_HINT = "a Cloud key whose account has the role MetricsViewer; the data set is not documented, and may change"


def read_dataflow(
    settings: MetricsSettings, http: Http, unread: Unread, now: datetime, moved: Callable[[], None]
) -> tuple[tuple[ClientUse, ...], tuple[Problem, ...]]:
    """Return who wrote and read within the last day, and what could not be read; *now* is the end of the window."""
    uses: dict[tuple[str, str, str], ClientUse] = {}
    problems: list[Problem] = []
    for metric, direction in _METRICS.items():

        def fetch(token: str, metric: str = metric) -> tuple[Sequence[Payload], str]:
            moved()
            return _page(settings, http, metric, token)

        try:
            answer = read_pages(by_token(fetch, key=_identity))
        except ScannerError as error:
            problems.append(_problem(settings, metric, error))
            continue
        problems += [_problem(settings, metric, answer.error)] if answer.error else []
        for topic, client in _clients(answer.items, unread):
            uses[topic, direction, client] = _use(settings, now, metric, (topic, client))
    return tuple(uses[key] for key in sorted(uses)), tuple(problems)


def _page(settings: MetricsSettings, http: Http, metric: str, token: str) -> tuple[Sequence[Payload], str]:
    body = {
        "aggregations": [{"metric": f"io.confluent.kafka.server/{metric}"}],
        "filter": {"field": "resource.kafka.id", "op": "EQ", "value": settings.cluster},
        "granularity": "ALL",
        "intervals": [f"now-{_HOURS}h|h/now|h"],
        "group_by": [_TOPIC, _CLIENT],
        "limit": _ROWS,
    }
    params = [("page_token", token)] if token else []
    answer = Payload(http.post("v2", "metrics", "dataflow", "query", body=body, params=params))
    return answer.entries("data"), answer.object("meta").object("pagination").text("next_page_token")


def _clients(rows: Sequence[Payload], unread: Unread) -> Iterator[tuple[str, str]]:
    """Yield topic and client id of the rows that count anything; default client ids are skipped."""

    def read(row: Payload) -> tuple[str, str]:
        amount = row.need("value").value
        moved = isinstance(amount, int | float) and amount > 0
        return (row.text(_TOPIC), row.text(_CLIENT)) if moved else ("", "")

    pairs = unread.read(rows, read, lambda _: "")
    return ((topic, client) for topic, client in pairs if topic and client and not is_default_id(client))


def _use(settings: MetricsSettings, now: datetime, metric: str, named: tuple[str, str]) -> ClientUse:
    topic, client = named
    return ClientUse(
        source=settings.source,
        topic=TopicName(topic),
        direction=_METRICS[metric],
        identities=((IdentityKind.CLIENT_ID.value, client),),
        started=_iso(now - timedelta(hours=_HOURS)),
        ended=_iso(now),
        window=f"{_HOURS}h",
        metric=metric,
        amount=None,
    )


def _problem(settings: MetricsSettings, metric: str, error: ScannerError) -> Problem:
    what = f"clients ({metric} of the data set dataflow) could not be read: {error.what}"
    return Problem(str(settings.source), what, error.hint or _HINT)


def _identity(row: Payload) -> tuple[str, ...]:
    return tuple(row.shown(name) for name in ("timestamp", _TOPIC, _CLIENT))


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")

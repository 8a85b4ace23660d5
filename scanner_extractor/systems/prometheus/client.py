"""Read from Prometheus which clients wrote to and read from topics within a window, and the lag of consumer groups.

`GET /api/v1/query`, one request for each metric profile. Series are added up by topic and client on the server, so that
an answer has a row for each pair of them, not one for each partition and instance. Mimir, Thanos and VictoriaMetrics
speak this API, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

from scanner_extractor.http.client import Http
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading, answered_with
from scanner_extractor.systems.prometheus.settings import MetricProfile, PrometheusSettings
from scanner_model.catalogs import Metric
from scanner_model.client_names import is_default_id
from scanner_model.clients import ClientUse, Direction, IdentityKind
from scanner_model.errors import PayloadUnexpected, Problem, ScannerError
from scanner_model.facts import Pairs
from scanner_model.names import TopicName
from scanner_model.payload import Payload, Unread

LAG, CONSUMED = "consumer_lag_offsets", "consumed_records"
"""Metrics of a consumer group and a topic: its lag now, and what it read in the window."""

_MOST = 250_000
"""Pairs of topic and client that are kept of one server."""
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_GREEDY_TAIL = re.compile(r", ?topic=.*")
_HINT = "see docs/sources/clients.md: which metrics are known, and what `cluster_selector` and `window` do"


def query_text(profile: MetricProfile, settings: PrometheusSettings) -> str:
    """Return the query of a profile: what grew in the window, or the highest level in it, by topic and client.

    What did not grow is left out on the server: a counter outlives the last record that was written.
    """
    matchers = ",".join(filter(None, (settings.selector, profile.matchers)))
    series = f"{profile.metric}{{{matchers}}}"
    labels = ",".join((profile.topic, *(label for label, _ in profile.labels)))
    if profile.lag:
        return f"sum by ({labels}) ({series})"
    if profile.level:
        return f"max by ({labels}) (max_over_time({series}[{settings.window}])) > 0"
    return f"sum by ({labels}) (increase({series}[{settings.window}])) > 0"


def read_prometheus(settings: PrometheusSettings, http: Http, progress: Progress) -> Reading:
    """Read every profile; raises ScannerError where none can be read.

    One that fails is a problem and the result partial, as is one that the server itself calls incomplete
    (`warnings`). That no profile has a series is said, too: it is not the same as topics without clients.
    """
    reading = _Reading(settings)
    profiles = (*settings.profiles, *PROFILES)
    errors: list[ScannerError] = []
    for done, profile in enumerate(profiles, 1):
        try:
            reading.add(profile, *fetch(profile, settings, http))
        except ScannerError as error:
            errors.append(error)
            what = f"{profile.metric} ({profile.name}) could not be read: {error.what}"
            reading.problems.append(Problem(str(settings.source), what, error.hint or _HINT))
        progress(settings.source, done, len(profiles))
    if len(errors) == len(profiles):
        raise errors[0]
    return reading.result(http.requests)


def fetch(profile: MetricProfile, settings: PrometheusSettings, http: Http) -> tuple[Sequence[Payload], Sequence[str]]:
    """Return the rows of a profile's query, and the server's warnings; raises ScannerError."""
    answer = Payload(http.get("api", "v1", "query", params=[("query", query_text(profile, settings))]))
    if answer.text("status") != "success":
        raise PayloadUnexpected(answer.text("error") or "the response is not that of Prometheus", hint=_HINT)
    data = answer.object("data")
    if data.text("resultType") != "vector":
        raise data.error("is not an instant vector")
    return data.entries("result"), answer.texts("warnings")


@dataclass(slots=True)
class _Reading:
    """Collects the uses and metrics of one server, and what is wrong with them."""

    settings: PrometheusSettings
    uses: dict[tuple[str, str, Pairs], ClientUse] = field(default_factory=dict)
    metrics: dict[tuple[str, str, str], Metric] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0
    nameless: int = 0
    unread: Unread = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing unread."""
        self.unread = Unread(self.settings.source)

    def add(self, profile: MetricProfile, rows: Sequence[Payload], warnings: Sequence[str]) -> None:
        """Add the rows of a profile; those beyond the limit are left out, which is said."""
        source = str(self.settings.source)
        self.problems += [Problem(source, f"{profile.metric} may be incomplete: {text}", _HINT) for text in warnings]
        left = _MOST - self.rows
        if len(rows) > left:
            what = f"{profile.metric} has {len(rows)} pairs of topic and client; {max(left, 0)} were read"
            self.problems.append(Problem(source, what, "limit it by `cluster_selector`, or by a profile of your own"))
        self.rows += len(rows)
        for row, amount, moment in self.unread.read(rows[: max(left, 0)], partial(_sample, profile), lambda _: ""):
            if math.isfinite(amount):
                self._add_row(profile, row, amount, moment)

    def _add_row(self, profile: MetricProfile, labels: Mapping[str, str], amount: float, moment: datetime) -> None:
        topic, identities = labels.get(profile.topic, ""), identities_of(profile, labels)
        if not topic:
            return
        if not identities:
            self.nameless += 1
            return
        window = _span(self.settings.window)
        started, ended = _iso(moment - window), _iso(moment)
        group = dict(identities).get(IdentityKind.GROUP, "")
        if profile.lag:
            self._measure(LAG, topic, group, amount, "", ended)
            return
        if group and not profile.level:
            self._measure(CONSUMED, topic, group, amount, started, ended)
        use = ClientUse(
            source=self.settings.source,
            topic=TopicName(topic),
            direction=profile.direction,
            identities=identities,
            started=started,
            ended=ended,
            window=self.settings.window,
            metric=profile.metric,
            amount=None if profile.level else amount,
        )
        self.uses.setdefault((use.topic, use.direction, identities), use)

    def _measure(self, name: str, topic: str, group: str, amount: float, started: str, ended: str) -> None:
        metric = Metric(
            source=self.settings.source,
            name=name,
            topic=topic,
            object_kind="group",
            object_name=group,
            amount=amount,
            started=started,
            ended=ended,
        )
        self.metrics.setdefault((name, topic, group), metric)

    def result(self, requests: int) -> Reading:
        """Return the result; it is partial where a profile failed, was cut or is incomplete by the server's word."""
        losses = [*self.problems, *self.unread.problems]
        remarks = list(self._remarks())
        received = len(self.uses) + len(self.metrics)
        return Reading(
            outcome=answered_with(losses, self.settings.source, "prometheus", received, requests=requests),
            facts=(
                *(self.metrics[key] for key in sorted(self.metrics)),
                *(self.uses[key] for key in sorted(self.uses)),
            ),
            problems=(*losses, *remarks),
        )

    def _remarks(self) -> Iterator[Problem]:
        source = str(self.settings.source)
        if not self.rows and not self.problems:
            what = f"no known metric of Kafka clients moved within {self.settings.window}: no topic is unused for that"
            yield Problem(source, what, _HINT)
        if self.nameless:
            what = f"{self.nameless} pairs name no client but by a default client id, and are left out"
            yield Problem(source, what, "set `client.id`, or a label that names the application")


def identities_of(profile: MetricProfile, labels: Mapping[str, str]) -> Pairs:
    """Return what a series calls its client; none where it has a default client id and no other name.

    Several labels of a workload make one name. A default id beside another name is left out: it distinguishes nothing.
    """
    names: dict[str, str] = {}
    for label, kind in profile.labels:
        value = _GREEDY_TAIL.sub("", labels.get(label, ""))
        if value and kind == IdentityKind.WORKLOAD and kind in names:
            names[kind] += f"/{value}"
        elif value:
            names.setdefault(kind, value)
    if is_default_id(names.get(IdentityKind.CLIENT_ID, "")):
        del names[IdentityKind.CLIENT_ID]
    return tuple(sorted(names.items()))


def _sample(profile: MetricProfile, row: Payload) -> tuple[Mapping[str, str], float, datetime]:
    """Return the profile's labels, value and time of a row; raises PayloadUnexpected."""
    metric = row.object("metric")
    labels = {name: metric.text(name) for name in (profile.topic, *(label for label, _ in profile.labels))}
    match row.member("value").value:
        case [int() | float() as moment, str() as amount]:
            try:
                return labels, float(amount), datetime.fromtimestamp(moment, UTC)
            except (ValueError, OverflowError, OSError):
                pass
    raise row.member("value").error("is not a pair of time and value")


def _span(window: str) -> timedelta:
    return int(window[:-1]) * _UNITS[window[-1]]


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def prometheus_probes(settings: PrometheusSettings, http: Http) -> Iterator[Probe]:
    """Try a query that every server answers, then count which profiles have series."""
    yield Probe("query", lambda: _answered(http))
    yield Probe("find metrics of Kafka clients", lambda: _found(settings, http), required=False)


def _answered(http: Http) -> str:
    answer = Payload(http.get("api", "v1", "query", params=[("query", "vector(1)")]))
    if answer.text("status") != "success":
        raise PayloadUnexpected("the response is not that of Prometheus", hint=_HINT)
    return "it answers"


def _found(settings: PrometheusSettings, http: Http) -> str:
    counts = {profile.metric: len(fetch(profile, settings, http)[0]) for profile in (*settings.profiles, *PROFILES)}
    shown = ", ".join(f"{metric}: {count} pairs" for metric, count in counts.items() if count)
    return shown or f"no known metric moved within {settings.window}"


_CLIENT = ("client_id", IdentityKind.CLIENT_ID.value)
_WORKLOAD = (("namespace", IdentityKind.WORKLOAD.value), ("job", IdentityKind.WORKLOAD.value))
_SCRAPED = (
    _CLIENT,
    ("application", IdentityKind.APPLICATION.value),
    ("app", IdentityKind.APPLICATION.value),
    ("service_name", IdentityKind.SERVICE_NAME.value),
    *_WORKLOAD,
)
# An OpenTelemetry exporter writes [service.namespace/]service.name into `job`.
_EXPORTED = (
    _CLIENT,
    ("service_name", IdentityKind.SERVICE_NAME.value),
    ("job", IdentityKind.SERVICE_NAME.value),
)
_CONVENTIONAL = (
    ("messaging_client_id", IdentityKind.CLIENT_ID.value),
    ("messaging_consumer_group_name", IdentityKind.GROUP.value),
    *_EXPORTED[1:],
)
_PUSHED = (
    _CLIENT,
    ("principal", IdentityKind.PRINCIPAL.value),
    ("group_id", IdentityKind.GROUP.value),
    ("transactional_id", IdentityKind.TRANSACTIONAL_ID.value),
)
_GROUP = (("consumergroup", IdentityKind.GROUP.value),)
_KAFKA = 'messaging_system="kafka"'
_NAME = "messaging_destination_name"
_READS, _WRITES = Direction.READS, Direction.WRITES

PROFILES: tuple[MetricProfile, ...] = (
    MetricProfile(
        name="JMX exporter",
        metric="kafka_producer_producer_topic_metrics_record_send_total",
        direction=_WRITES,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="JMX exporter",
        metric="kafka_consumer_consumer_fetch_manager_metrics_records_consumed_total",
        direction=_READS,
        labels=_SCRAPED,
    ),
    # From version 1.0 on, the exporter writes no `_total` where no rule makes the attribute a counter.
    MetricProfile(
        name="JMX exporter without rules",
        metric="kafka_producer_producer_topic_metrics_record_send",
        direction=_WRITES,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="JMX exporter without rules",
        metric="kafka_consumer_consumer_fetch_manager_metrics_records_consumed",
        direction=_READS,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="Micrometer", metric="kafka_producer_topic_record_send_total", direction=_WRITES, labels=_SCRAPED
    ),
    MetricProfile(
        name="Micrometer",
        metric="kafka_consumer_fetch_manager_records_consumed_total",
        direction=_READS,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="OpenTelemetry Java", metric="kafka_producer_record_send_total", direction=_WRITES, labels=_EXPORTED
    ),
    MetricProfile(
        name="OpenTelemetry Java", metric="kafka_consumer_records_consumed_total", direction=_READS, labels=_EXPORTED
    ),
    MetricProfile(
        name="OpenTelemetry conventions",
        metric="messaging_client_sent_messages_total",
        direction=_WRITES,
        topic=_NAME,
        labels=_CONVENTIONAL,
        matchers=_KAFKA,
    ),
    MetricProfile(
        name="OpenTelemetry conventions",
        metric="messaging_client_consumed_messages_total",
        direction=_READS,
        topic=_NAME,
        labels=_CONVENTIONAL,
        matchers=_KAFKA,
    ),
    MetricProfile(
        name="OpenTelemetry conventions",
        metric="messaging_process_duration_seconds_count",
        direction=_READS,
        topic=_NAME,
        labels=_CONVENTIONAL,
        matchers=_KAFKA,
    ),
    MetricProfile(
        name="Strimzi reporter",
        metric="clients_org_apache_kafka_producer_topic_byte_rate",
        direction=_WRITES,
        labels=_PUSHED,
        level=True,
    ),
    MetricProfile(
        name="Strimzi reporter",
        metric="clients_org_apache_kafka_consumer_fetch_manager_records_consumed_rate",
        direction=_READS,
        labels=_PUSHED,
        level=True,
    ),
    MetricProfile(name="kafka_exporter", metric="kafka_consumergroup_current_offset", direction=_READS, labels=_GROUP),
    MetricProfile(
        name="kafka_exporter", metric="kafka_consumergroup_lag", direction=_READS, labels=_GROUP, level=True, lag=True
    ),
)
"""In the order in which they are asked for; of two that show one use, the first counts."""

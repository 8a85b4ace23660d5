"""Read the connectors of a Connect cluster: one request for all, and one for the topics of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json
from scanner_extractor.results import ConnectCluster, Progress, Reading, answered
from scanner_extractor.systems.connect.reader import (
    Plugin,
    read_active_topics,
    read_connector,
    read_consumed_topics,
    read_plugins,
)
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.errors import (
    NotCaptured,
    NotFound,
    PayloadUnexpected,
    Problem,
    ScannerError,
    SourceObjected,
    SourceRefused,
)
from scanner_model.kafka import Connector, ConnectorKind
from scanner_model.names import SourceId, TopicName
from scanner_model.payload import Payload, Unread

EXPANDED = (("expand", "info"), ("expand", "status"))
EXPANDED_MANAGED = (("expand", "info,status,id"),)
"""Confluent Cloud takes a list with commas, which a worker would answer with empty objects."""

_HINT = "check the `url` of this source"
_DISPENSABLE = (NotFound, SourceObjected, SourceRefused, PayloadUnexpected)
_UNTRACKED = (SourceRefused,)
_UNOFFERED = (NotFound, SourceRefused, SourceObjected)
"""Confluent Cloud's response where offsets (a preview feature) are not available."""
_VERSION = re.compile(r"(\d+)\.(\d+)\.")

_Result = TypeVar("_Result")


def read_connect(settings: ConnectSettings, http: Http, progress: Progress) -> Reading:
    """Read every connector of a Connect cluster.

    `GET /` and `GET /connectors?expand=…`; connectors that are incomplete there are requested one by one, as
    workers before 2.3 need it; then `GET /connectors/{name}/topics`. Raises ScannerError where the connectors are
    not listed; any other failure is a problem.
    """
    scan = _Scan(settings, http, progress)
    cluster_id = scan.kafka_cluster_id()
    connectors = scan.with_topics(scan.with_plugins(scan.connectors()))
    progress(settings.source, len(connectors), len(connectors))
    return Reading(
        outcome=answered(
            settings.source,
            "connect",
            len(connectors),
            reasons=scan.reasons,
            missing=len(scan.unread),
            requests=http.requests,
            unread=frozenset(scan.unread),
        ),
        facts=(ConnectCluster(source=settings.source, kafka_cluster_id=cluster_id), *connectors),
        problems=tuple(scan.problems),
    )


def read_connector_states(settings: ConnectSettings, http: Http) -> tuple[tuple[Connector, ...], tuple[str, ...]]:
    """Read every connector with its state, and name those that could not be read; raises ScannerError.

    One request (`GET /connectors?expand=…`), but for workers before 2.3, which list names only. `topics` stays None.
    """
    scan = _Scan(settings, http, lambda *_: None)
    return scan.connectors(), tuple(scan.unread)


def read_used_topics(http: Http, name: str) -> tuple[TopicName, ...]:
    """Read the topics that a connector has used (`GET /connectors/{name}/topics`); raises ScannerError.

    A worker answers 403 where topics are not tracked, one before 2.5 404, and any 404 while it starts.
    """
    return read_active_topics(Payload(http.get("connectors", name, "topics")), name)


def listed_connectors(settings: ConnectSettings, http: Http) -> dict[str, Json]:
    """List the entries of `GET /connectors` by name, None where there is a name only; raises ScannerError."""
    answer = http.get("connectors", params=EXPANDED_MANAGED if settings.is_managed else EXPANDED)
    if answer == {}:  # by its names alone a cluster without connectors differs from another server
        with suppress(NotCaptured):
            answer = [name.text() for name in Payload(http.get("connectors")).list()]
    match answer:
        case list():
            return dict.fromkeys(name.text() for name in Payload(answer).list())
        case {"error_code": int()}:
            raise PayloadUnexpected("the response is an error", hint=_HINT)
        case _:
            return dict(Payload(answer).members())


def worker_facts(http: Http) -> tuple[str, str]:
    """Return a worker's version and the id of the Kafka cluster that it uses (`GET /`); raises ScannerError."""
    answer = Payload(http.get())
    if not answer.shown("kafka_cluster_id"):  # before 2.0
        answer.need("commit")
    return answer.need("version").text(), answer.text("kafka_cluster_id")


@dataclass(slots=True)
class _Scan:
    """Reads one Connect cluster.

    *unread* names connectors that could not be read, *without_topics* those whose topics could not.
    """

    settings: ConnectSettings
    http: Http
    progress: Progress
    version: str = ""
    unread: list[str] = field(default_factory=list)
    without_topics: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        """Return short reasons for what could not be read."""
        unread = [f"{len(self.unread)} of its connectors could not be read"] if self.unread else []
        return unread + (
            [f"{len(self.without_topics)} of them did not report their topics"] if self.without_topics else []
        )

    def kafka_cluster_id(self) -> str:
        """Return the id of the Kafka cluster, empty where not reported: a proxy may let through what follows only."""
        if self.settings.is_managed:
            return ""
        try:
            self.version, cluster_id = worker_facts(self.http)
        except _DISPENSABLE:
            return ""
        return cluster_id

    def connectors(self) -> tuple[Connector, ...]:
        """Read the connectors, sorted by name; one that cannot be read is reported and skipped."""
        listed = listed_connectors(self.settings, self.http)
        alone = sorted(name for name, answers in listed.items() if not _is_whole(answers))
        fetched = zip(alone, self._fetch_each(alone, self._read_connector), strict=True)
        answers = listed | {name: _completed(listed[name], answer) for name, answer in fetched}
        missing = {name for name, answer in answers.items() if isinstance(answer, NotFound)}
        missing &= listed_connectors(self.settings, self.http).keys() if missing else set()
        if missing and missing == answers.keys():
            raise PayloadUnexpected("none of the connectors that it lists is found", hint=_HINT)
        answers |= dict.fromkeys(missing, PayloadUnexpected("it is listed, but not found", hint=_HINT))
        parsed = (self._read(name, answers[name]) for name in sorted(answers))
        connectors = tuple(connector for connector in parsed if connector)
        self._report_lost_entries(connectors, {name: listed[name] for name in alone})
        return connectors

    def with_plugins(self, connectors: tuple[Connector, ...]) -> tuple[Connector, ...]:
        """Fill in version and kind from the plug-ins where the status has none, as before Kafka 4."""
        if all(connector.plugin_version and connector.kind != ConnectorKind.UNKNOWN for connector in connectors):
            return connectors
        unread = Unread(SourceId(f"{self.settings.source} connector-plugins"))
        try:
            plugins = read_plugins(Payload(self.http.get("connector-plugins")), unread)
        except PayloadUnexpected as error:
            self._report_problem("connector-plugins", "the plug-ins could not be read", error)
            return connectors
        except _DISPENSABLE:
            return connectors
        self.problems += unread.problems
        return tuple(_with_plugin(connector, plugins.get(connector.connector_class)) for connector in connectors)

    def with_topics(self, connectors: tuple[Connector, ...]) -> tuple[Connector, ...]:
        """Fill in the topics that each connector uses; where the first is refused, tracking is off for all.

        Confluent Cloud reports them for sinks only, by their offsets.
        """
        managed = self.settings.is_managed
        names = [connector.name for connector in connectors if not managed or connector.kind == ConnectorKind.SINK]
        if not self.settings.active_topics or not names:
            return connectors
        fetch = self._consumed if managed else self._topics
        answers = self._fetch_each(names[:1], fetch)
        if not isinstance(answers[0], self._not_offered):
            answers += self._fetch_each(names[1:], fetch)
        topics = dict(zip(names, map(self._topics_or_none, names, answers), strict=False))
        return tuple(_with_topics(connector, topics.get(connector.name)) for connector in connectors)

    def _read_connector(self, name: str) -> Json:
        info = self.http.get("connectors", name)
        try:
            status = self.http.get("connectors", name, "status")
        except NotFound:  # so new that no worker has taken it yet
            status = None
        return {"info": info, "status": status}

    def _read(self, name: str, answer: Json | ScannerError) -> Connector | None:
        try:
            if isinstance(answer, ScannerError):
                raise answer
            return read_connector(name, Payload(answer, name), self.settings.source, self.settings.secret_names)
        except NotFound:  # removed since it was listed
            return None
        except ScannerError as error:
            self.unread.append(name)
            self._report_problem(name, "it could not be read", error)
            return None

    def _report_lost_entries(self, connectors: Iterable[Connector], entries: Mapping[str, Json]) -> None:
        """Report the connectors that were read alone, if their entry in the list held more than that answer."""
        for connector in connectors:
            entry = entries.get(connector.name, {})
            if entry is not None and not isinstance(entry, dict):
                what = "its entry in the list of connectors could not be read"
                self._report_problem(connector.name, what, PayloadUnexpected("it is not an object", hint=_HINT))
            elif self.settings.is_managed and connector.name in entries and not connector.managed_id:
                what = "its id could not be read, nor its dead-letter topic"
                self._report_problem(connector.name, what, PayloadUnexpected("the list does not have it", hint=_HINT))

    def _topics(self, name: str) -> tuple[TopicName, ...]:
        return read_used_topics(self.http, name)

    @property
    def _not_offered(self) -> tuple[type[ScannerError], ...]:
        if self.settings.is_managed:
            return _UNOFFERED
        return _UNTRACKED if _has_topics(self.version) else (*_UNTRACKED, NotFound)

    def _consumed(self, name: str) -> tuple[TopicName, ...]:
        return read_consumed_topics(Payload(self.http.get("connectors", name, "offsets")))

    def _topics_or_none(self, name: str, answer: tuple[TopicName, ...] | ScannerError) -> tuple[TopicName, ...] | None:
        if not isinstance(answer, ScannerError):
            return answer
        if not isinstance(answer, self._not_offered):
            if not isinstance(answer, SourceObjected):  # as Kafka 4 does for ever with a name that holds a slash
                self.without_topics.append(name)
            self._report_problem(name, "the topics that it uses could not be read", answer)
        return None

    def _fetch_each(self, names: Sequence[str], fetch: Callable[[str], _Result]) -> list[_Result | ScannerError]:
        def report(done: int) -> None:
            self.progress(self.settings.source, done, len(names))

        return map_concurrently(names, fetch, pool=WorkerPool(threads=self.settings.http.concurrency), on_result=report)

    def _report_problem(self, name: str, what: str, error: ScannerError) -> None:
        self.problems.append(Problem(f"{self.settings.source} {name}", f"{what}: {error.what}", error.hint))


def _with_topics(connector: Connector, used: tuple[TopicName, ...] | None) -> Connector:
    """Fill in the topics; Confluent Cloud creates a dead-letter topic for each sink, which offsets do not include."""
    if used is not None and connector.managed_id:
        used = tuple(sorted({*used, TopicName(f"dlq-{connector.managed_id}")}))
    return replace(connector, topics=used)


def _has_topics(version: str) -> bool:
    """Return whether a worker may report topics: since Kafka 2.5, which is 5.5 of Confluent; True if it is unknown."""
    match = _VERSION.match(version)
    number = tuple(map(int, match.groups())) if match else (2, 5)
    return number >= (2, 5) and not (5, 0) <= number < (5, 5)


def _completed(listed: Json, answer: Json | ScannerError) -> Json | ScannerError:
    """Return what a worker answers about one connector, with the other members of its entry in the list.

    A connector whose entry is neither absent nor an object was never listed: not to find it means nothing.
    """
    if isinstance(answer, NotFound) and listed is not None and not isinstance(listed, dict):
        return PayloadUnexpected("its entry in the list of connectors is not an object", hint=_HINT)
    return {**listed, **answer} if isinstance(listed, dict) and isinstance(answer, dict) else answer


def _is_whole(payload: Json) -> bool:
    return isinstance(payload, dict) and isinstance(payload.get("info"), dict)


def _with_plugin(connector: Connector, plugin: Plugin | None) -> Connector:
    if plugin is None:
        return connector
    kind = plugin.kind if connector.kind == ConnectorKind.UNKNOWN else connector.kind
    return replace(connector, kind=kind, plugin_version=connector.plugin_version or plugin.version)

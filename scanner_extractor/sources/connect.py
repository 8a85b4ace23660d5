"""Asks a Connect cluster for its connectors: one request for all of them, and one each for the topics they use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.readings import ConnectReading, Progress
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.settings import ConnectSettings
from scanner_extractor.sources.connect_reader import (
    Plugin,
    read_active_topics,
    read_connector,
    read_consumed_topics,
    read_plugins,
)
from scanner_model.connect import Connector, ConnectorKind
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import TopicName
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

EXPANDED = (("expand", "info"), ("expand", "status"))
EXPANDED_MANAGED = (("expand", "info,status,id"),)
"""Confluent Cloud takes a list with commas, which a worker would answer with empty objects."""

_HINT = "check the `url` of this source"
_DISPENSABLE = (NotFound, SourceObjected, SourceRefused, PayloadUnexpected)
_UNTRACKED = (NotFound, SourceRefused)
_UNOFFERED = (*_UNTRACKED, SourceObjected)
"""What Confluent Cloud answers where it does not tell offsets, which it does in preview."""

_Result = TypeVar("_Result")


def read_connect(settings: ConnectSettings, http: Http, progress: Progress) -> ConnectReading:
    """Read every connector of a Connect cluster.

    `GET /` and `GET /connectors?expand=…`; what that does not tell whole is asked one by one, as workers before 2.3
    need it; then `GET /connectors/{name}/topics`. Raises ScannerError where the connectors are not listed; everything
    less is a problem.
    """
    scan = _Scan(settings, http, progress)
    cluster_id = scan.kafka_cluster_id()
    connectors = scan.with_topics(scan.with_plugins(scan.connectors()))
    progress(settings.source, len(connectors), len(connectors))
    return ConnectReading(
        outcome=Outcome(
            source=settings.source,
            kind="connect",
            answer=Answer.PARTIAL if scan.reasons else Answer.READ,
            got=len(connectors),
            asked=len(connectors) + len(scan.unread),
            reason="; ".join(scan.reasons),
            requests=http.requests,
            unread=frozenset(scan.unread),
        ),
        kafka_cluster_id=cluster_id,
        connectors=connectors,
        problems=tuple(scan.problems),
    )


def read_connector_states(settings: ConnectSettings, http: Http) -> tuple[tuple[Connector, ...], tuple[str, ...]]:
    """Read every connector with its state, and name those that could not be read; raises ScannerError.

    One request (`GET /connectors?expand=…`), but for workers before 2.3, which tell names only. `topics` stays None.
    """
    scan = _Scan(settings, http, lambda *_: None)
    return scan.connectors(), tuple(scan.unread)


def read_used_topics(http: Http, name: str) -> tuple[TopicName, ...]:
    """Read the topics that a connector was seen to use (`GET /connectors/{name}/topics`); raises ScannerError.

    A worker answers 403 where topics are not tracked, one before 2.5 404.
    """
    return read_active_topics(http.get("connectors", name, "topics"), name)


def listed_connectors(settings: ConnectSettings, http: Http) -> dict[str, Json]:
    """List what `GET /connectors` tells by name, None where it tells a name only; raises ScannerError."""
    listed = http.get("connectors", params=EXPANDED_MANAGED if settings.is_managed else EXPANDED)
    match listed:
        case list() if all(isinstance(name, str) for name in listed):
            return dict.fromkeys(listed)
        case {"error_code": int()}:
            raise PayloadUnexpected("the answer is an error", hint=_HINT)
        case dict():
            return listed
        case _:
            raise PayloadUnexpected("the answer is not a list of connectors", hint=_HINT)


def worker_facts(http: Http) -> tuple[str, str]:
    """Give a worker's version and the id of the Kafka cluster that it uses (`GET /`); raises ScannerError."""
    match http.get():
        case {"version": str(version), "kafka_cluster_id": str(identity)}:
            return version, identity
        case {"version": str(version), "commit": str()}:  # before 2.0
            return version, ""
        case _:
            raise PayloadUnexpected("the answer is not that of a Connect worker", hint=_HINT)


@dataclass(slots=True)
class _Scan:
    """Asks one Connect cluster; *unread* names the connectors that it would not tell, *silent* those without topics."""

    settings: ConnectSettings
    http: Http
    progress: Progress
    unread: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        """Say in short what could not be read."""
        unread = [f"{len(self.unread)} of its connectors could not be read"] if self.unread else []
        return unread + ([f"{len(self.silent)} of them did not tell their topics"] if self.silent else [])

    def kafka_cluster_id(self) -> str:
        """Give the id of the Kafka cluster, empty where nobody tells: a proxy may let through what follows only."""
        if self.settings.is_managed:
            return ""
        try:
            return worker_facts(self.http)[1]
        except _DISPENSABLE:
            return ""

    def connectors(self) -> tuple[Connector, ...]:
        """Read the connectors, sorted by name; one that cannot be read costs itself alone."""
        listed = listed_connectors(self.settings, self.http)
        alone = sorted(name for name, told in listed.items() if not _is_whole(told))
        told = listed | dict(zip(alone, self._each(alone, self._alone), strict=True))
        found = (self._read(name, told[name]) for name in sorted(told))
        return tuple(connector for connector in found if connector)

    def with_plugins(self, connectors: tuple[Connector, ...]) -> tuple[Connector, ...]:
        """Fill in version and kind from the plug-ins where the status does not tell them, as before Kafka 4."""
        if all(each.plugin_version and each.kind != ConnectorKind.UNKNOWN for each in connectors):
            return connectors
        try:
            plugins = read_plugins(self.http.get("connector-plugins"))
        except _DISPENSABLE:
            return connectors
        return tuple(_with_plugin(each, plugins.get(each.connector_class)) for each in connectors)

    def with_topics(self, connectors: tuple[Connector, ...]) -> tuple[Connector, ...]:
        """Fill in the topics that each connector uses; where the first is refused, tracking is off for all.

        Confluent Cloud tells them of sinks only, by their offsets.
        """
        managed = self.settings.is_managed
        names = [each.name for each in connectors if not managed or each.kind == ConnectorKind.SINK]
        if not self.settings.active_topics or not names:
            return connectors
        ask = self._consumed if managed else self._topics
        told = self._each(names[:1], ask)
        if not isinstance(told[0], self._not_offered):
            told += self._each(names[1:], ask)
        topics = dict(zip(names, map(self._told_topics, names, told), strict=False))
        return tuple(_with_topics(each, topics.get(each.name)) for each in connectors)

    def _alone(self, name: str) -> Json:
        info = self.http.get("connectors", name)
        try:
            status = self.http.get("connectors", name, "status")
        except NotFound:  # so new that no worker has taken it yet
            status = None
        return {"info": info, "status": status}

    def _read(self, name: str, told: Json | ScannerError) -> Connector | None:
        try:
            if isinstance(told, ScannerError):
                raise told
            return read_connector(name, told, self.settings.source, self.settings.secret_names)
        except NotFound:  # removed since it was listed
            return None
        except ScannerError as error:
            self.unread.append(name)
            self._complain(name, "it could not be read", error)
            return None

    def _topics(self, name: str) -> tuple[TopicName, ...]:
        return read_used_topics(self.http, name)

    @property
    def _not_offered(self) -> tuple[type[ScannerError], ...]:
        return _UNOFFERED if self.settings.is_managed else _UNTRACKED

    def _consumed(self, name: str) -> tuple[TopicName, ...]:
        return read_consumed_topics(self.http.get("connectors", name, "offsets"))

    def _told_topics(self, name: str, told: tuple[TopicName, ...] | ScannerError) -> tuple[TopicName, ...] | None:
        if not isinstance(told, ScannerError):
            return told
        if not isinstance(told, self._not_offered):
            if not isinstance(told, SourceObjected):  # as Kafka 4 does for ever with a name that holds a slash
                self.silent.append(name)
            self._complain(name, "the topics that it uses could not be read", told)
        return None

    def _each(self, names: Sequence[str], ask: Callable[[str], _Result]) -> list[_Result | ScannerError]:
        done = 0

        def told() -> None:
            nonlocal done
            done += 1
            self.progress(self.settings.source, done, len(names))

        return ask_each(names, ask, crew=Crew(threads=self.settings.http.concurrency), told=told)

    def _complain(self, name: str, what: str, error: ScannerError) -> None:
        self.problems.append(Problem(f"{self.settings.source} {name}", f"{what}: {error.what}", error.hint))


def _with_topics(connector: Connector, used: tuple[TopicName, ...] | None) -> Connector:
    """Fill in the topics; Confluent Cloud makes one for each sink's dead letters, which no offsets name."""
    if used is not None and connector.managed_id:
        used = tuple(sorted({*used, TopicName(f"dlq-{connector.managed_id}")}))
    return replace(connector, topics=used)


def _is_whole(told: Json) -> bool:
    return isinstance(told, dict) and isinstance(told.get("info"), dict)


def _with_plugin(connector: Connector, plugin: Plugin | None) -> Connector:
    if plugin is None:
        return connector
    kind = plugin.kind if connector.kind == ConnectorKind.UNKNOWN else connector.kind
    return replace(connector, kind=kind, plugin_version=connector.plugin_version or plugin.version)

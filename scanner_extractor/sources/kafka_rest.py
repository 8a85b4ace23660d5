"""Reads a cluster over Kafka's REST API v3: topics with their settings, consumer groups, mirrored topics."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import Listed
from scanner_extractor.readings import KafkaReading, Progress
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.settings_cloud import KafkaRestSettings
from scanner_extractor.sources.cloud_lists import rest_list, text
from scanner_extractor.sources.kafka_rest_reader import (
    read_brokers,
    read_configs,
    read_groups,
    read_lags,
    read_mirrors,
    read_topics,
)
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceObjected, SourceRefused
from scanner_model.estate import ConsumerGroup, Topic
from scanner_model.names import TopicName
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

_NOT_OFFERED = (NotFound, SourceObjected)
_PREFIXES = (("kafka",), ())
_HINT = "check the `url` of `kafka_rest`: it ends before /kafka/v3"
_RIGHTS = "give it DESCRIBE and DESCRIBE_CONFIGS: see docs/sources/kafka_rest.md"


def read_kafka_rest(settings: KafkaRestSettings, http: Http, progress: Progress) -> KafkaReading:
    """Read topics, their settings, consumer groups, mirrored topics and, where offered, which topics groups read.

    Two requests and four more for all; one a consumer group where lags are offered, which is told by the first of
    them. Paths `/kafka/v3/clusters/{id}/…`. Raises ScannerError where the topics are not listed; everything less is a
    problem, and the answer partial.
    """
    scan = _Scan(settings, http, progress)
    scan.find_cluster()
    topics = scan.topics()
    groups = scan.groups()
    mirrors = scan.mirrors()
    progress(settings.source, len(topics) + len(groups), len(topics) + len(groups))
    return KafkaReading(
        outcome=Outcome(
            source=settings.source,
            kind="kafka",
            answer=Answer.PARTIAL if scan.reasons else Answer.READ,
            got=len(topics) + len(groups),
            asked=len(topics) + len(groups) + len(scan.unread),
            reason="; ".join(scan.reasons),
            hint=_RIGHTS if scan.reasons else "",
            requests=http.requests,
            unread=frozenset(scan.unread) if scan.whole else frozenset(),
        ),
        cluster_id=scan.cluster[-1],
        brokers=scan.brokers(),
        topics=topics,
        consumer_groups=groups,
        problems=tuple(scan.problems),
        unconfigured=frozenset(scan.unconfigured),
        mirrors=mirrors,
    )


def find_cluster(settings: KafkaRestSettings, http: Http) -> tuple[str, ...]:
    """Give the path of the cluster, whose last step is its id; raises ScannerError.

    Brokers serve it below `/kafka`, a REST proxy of its own does not. Without an id in the settings, it is the only
    cluster that the server lists.
    """
    for prefix in _PREFIXES:
        path = (*prefix, "v3", "clusters")
        try:
            if settings.cluster:
                _visit(http, *path, settings.cluster)
                return (*path, settings.cluster)
            return (*path, _only(rest_list(http, *path).items))
        except NotFound:
            continue
    raise PayloadUnexpected("there is no REST API v3 of Kafka", hint=_HINT)


@dataclass(slots=True)
class _Scan:
    """Asks one cluster; *unread* names the groups whose topics it would not tell, *whole* whether the lists ended."""

    settings: KafkaRestSettings
    http: Http
    progress: Progress
    cluster: tuple[str, ...] = ()
    whole: bool = True
    unread: list[str] = field(default_factory=list)
    unconfigured: set[TopicName] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def find_cluster(self) -> None:
        """Learn which cluster is asked; raises ScannerError."""
        self.cluster = find_cluster(self.settings, self.http)

    def topics(self) -> tuple[Topic, ...]:
        """Read all topics with the settings that are not Kafka's own defaults; raises ScannerError."""
        listed = self._kept("topics", rest_list(self.http, *self.cluster, "topics"))
        self.progress(self.settings.source, len(listed), None)
        topics = read_topics(listed, self.settings.source)
        try:
            told = read_configs(self._kept("settings", rest_list(self.http, *self.cluster, "topics", "-", "configs")))
        except ScannerError as error:
            self._lacks("the settings of topics", error)
            self.unconfigured |= {topic.name for topic in topics}
            return topics
        return tuple(replace(topic, config=told.get(topic.name, ())) for topic in topics)

    def groups(self) -> tuple[ConsumerGroup, ...]:
        """Read the consumer groups, with their topics where the server offers lags."""
        try:
            listed = self._kept("consumer groups", rest_list(self.http, *self.cluster, "consumer-groups"))
        except ScannerError as error:
            self.whole = False
            self._lacks("consumer groups", error)
            return ()
        groups = read_groups(listed, self.settings.source)
        self.progress(self.settings.source, len(groups), None)
        return self._with_topics(groups) if self.settings.lags and groups else groups

    def mirrors(self) -> tuple[Json, ...]:
        """Read which topics are copied from another cluster; a server without cluster links has none."""
        try:
            links = rest_list(self.http, *self.cluster, "links")
            mirrors = rest_list(self.http, *self.cluster, "links", "-", "mirrors")
        except _NOT_OFFERED:
            return ()
        except ScannerError as error:
            self._lacks("mirrored topics", error)
            return ()
        return read_mirrors(self._kept("mirrored topics", mirrors), links.items, self.settings.source)

    def brokers(self) -> tuple[str, ...]:
        """Give the brokers' addresses where the server tells them: Confluent Cloud does not."""
        try:
            return read_brokers(rest_list(self.http, *self.cluster, "brokers").items)
        except ScannerError:
            return ()

    def _with_topics(self, groups: tuple[ConsumerGroup, ...]) -> tuple[ConsumerGroup, ...]:
        """Fill in what each group reads; where the first is told that this is not offered, no other is asked."""
        told = self._each(groups[:1])
        if isinstance(told[0], (*_NOT_OFFERED, SourceRefused)):
            return groups
        told += self._each(groups[1:])
        return tuple(map(self._told, groups, told))

    def _each(self, groups: Sequence[ConsumerGroup]) -> list[Listed[Json] | ScannerError]:
        def ask(group: ConsumerGroup) -> Listed[Json]:
            return rest_list(self.http, *self.cluster, "consumer-groups", group.name, "lags")

        done = iter(range(1, len(groups) + 1))
        crew = Crew(threads=self.settings.http.concurrency)
        return ask_each(
            groups, ask, crew=crew, told=lambda: self.progress(self.settings.source, next(done, 0), len(groups))
        )

    def _told(self, group: ConsumerGroup, told: Listed[Json] | ScannerError) -> ConsumerGroup:
        if not isinstance(told, ScannerError):
            return replace(group, topics=read_lags(told.items))
        if not isinstance(told, NotFound):  # gone since it was listed
            self.unread.append(group.name)
            self._lacks(f"the topics of the consumer group {group.name!r}", told)
        return group

    def _kept(self, what: str, listed: Listed[Json]) -> tuple[Json, ...]:
        if listed.error:
            self.whole = False
            self._lacks(f"all {what}", listed.error)
        return listed.items

    def _lacks(self, what: str, error: ScannerError) -> None:
        reason = f"{what} could not be read: {error.what}"
        self.problems.append(Problem(str(self.settings.source), reason, error.hint))
        if len(self.reasons) < 2:
            self.reasons.append(reason)


def _visit(http: Http, *path: str) -> None:
    with suppress(SourceRefused):  # who may not see the cluster may see topics all the same
        http.get(*path)


def _only(listed: Sequence[Json]) -> str:
    found = sorted({text(each, "cluster_id") for each in listed} - {""})
    if len(found) == 1:
        return found[0]
    told = f"it has the clusters {', '.join(found)}" if found else "it lists no cluster"
    raise PayloadUnexpected(told, hint="name one as `cluster` of `kafka_rest`")

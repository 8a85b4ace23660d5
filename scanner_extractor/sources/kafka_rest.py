"""Read a cluster through Kafka's REST API v3: topics with settings, consumer groups, mirror topics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import PartialList
from scanner_extractor.scan.results import KafkaResult, Progress
from scanner_extractor.settings.confluent_cloud import KafkaRestSettings
from scanner_extractor.sources.confluent_cloud.pagination import objects, rest_list, text
from scanner_model.catalogs import MirrorTopic
from scanner_model.errors import (
    InputInvalid,
    NotFound,
    PayloadUnexpected,
    Problem,
    ScannerError,
    SourceObjected,
    SourceRefused,
)
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName, broker_address
from scanner_model.scan import SourceResult, SourceStatus

Config = tuple[tuple[str, str], ...]


def read_topics(listed: Iterable[Json], source: SourceId) -> tuple[Topic, ...]:
    """Read `GET …/topics`, sorted by name; what has no name is none."""
    topics = {
        name: Topic(
            source=source,
            name=TopicName(name),
            partitions=_count(entry.get("partitions_count")),
            replication=_count(entry.get("replication_factor")),
            internal=entry.get("is_internal") is True,
        )
        for entry in objects(list(listed))
        if (name := text(entry, "topic_name"))
    }
    return tuple(topics[name] for name in sorted(topics))


def read_configs(listed: Iterable[Json]) -> dict[TopicName, Config]:
    """Read `GET …/topics/-/configs`: by topic, sorted, what is not a default and not sensitive."""
    configs: dict[TopicName, dict[str, str]] = defaultdict(dict)
    for entry in objects(list(listed)):
        value = entry.get("value")
        if entry.get("is_default") is not True and entry.get("is_sensitive") is not True and value is not None:
            configs[TopicName(text(entry, "topic_name"))][text(entry, "name")] = _plain(value)
    return {topic: tuple(sorted(settings.items())) for topic, settings in configs.items()}


def read_groups(listed: Iterable[Json], source: SourceId) -> tuple[ConsumerGroup, ...]:
    """Read `GET …/consumer-groups`, sorted by name; their topics need another request."""
    groups = {
        name: ConsumerGroup(source=source, name=name, state=text(entry, "state"))
        for entry in objects(list(listed))
        if (name := text(entry, "consumer_group_id"))
    }
    return tuple(groups[name] for name in sorted(groups))


def read_lags(listed: Iterable[Json]) -> tuple[TopicName, ...]:
    """Read `GET …/consumer-groups/{id}/lags`: the topics that the group has an offset on or is assigned, sorted."""
    names = {text(entry, "topic_name") for entry in objects(list(listed)) if _reads(entry)}
    return tuple(map(TopicName, sorted(names - {""})))


def read_mirrors(listed: Iterable[Json], links: Iterable[Json], source: SourceId) -> tuple[MirrorTopic, ...]:
    """Read `GET …/links/-/mirrors`, sorted by topic; the origin cluster of each link is in `GET …/links`."""
    origins = {
        text(link, "link_name"): text(link, "source_cluster_id") or text(link, "remote_cluster_id")
        for link in objects(list(links))
    }
    mirrors = {
        topic: MirrorTopic(
            source=source,
            topic=TopicName(topic),
            link=text(entry, "link_name"),
            origin_topic=TopicName(text(entry, "source_topic_name") or topic),
            origin_cluster=origins.get(text(entry, "link_name"), ""),
            state=text(entry, "mirror_status") or text(entry, "state"),
        )
        for entry in objects(list(listed))
        if (topic := text(entry, "mirror_topic_name"))
    }
    return tuple(mirrors[topic] for topic in sorted(mirrors))


def read_brokers(listed: Iterable[Json]) -> tuple[str, ...]:
    """Read `GET …/brokers`: addresses in normal form, sorted; invalid addresses are left out."""
    addresses = set()
    for entry in objects(list(listed)):
        host, port = text(entry, "host"), entry.get("port")
        try:
            addresses |= {broker_address(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")}
        except InputInvalid:
            continue
    return tuple(sorted(addresses))


def _reads(lag: Mapping[str, Json]) -> bool:
    """Return whether a group reads a partition: it has an offset there, or a member that is assigned it."""
    offset = lag.get("current_offset")
    return (isinstance(offset, int) and offset >= 0) or bool(text(lag, "consumer_id"))


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _plain(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_NOT_OFFERED = (NotFound, SourceObjected)
_PREFIXES = (("kafka",), ())
_HINT = "check the `url` of `kafka_rest`: it ends before /kafka/v3"
_RIGHTS = "give it DESCRIBE and DESCRIBE_CONFIGS: see docs/sources/kafka_rest.md"


def read_kafka_rest(settings: KafkaRestSettings, http: Http, progress: Progress) -> KafkaResult:
    """Read topics, their settings, consumer groups, mirrored topics and, where offered, which topics groups read.

    Two requests and four more for all; one for each consumer group where lags are offered, which the first request
    shows. Paths `/kafka/v3/clusters/{id}/…`. Raises ScannerError where the topics are not listed; any other failure
    is a problem, and the result partial.
    """
    scan = _Scan(settings, http, progress)
    scan.find_cluster()
    topics = scan.topics()
    groups = scan.groups()
    mirrors = scan.mirrors()
    progress(settings.source, len(topics) + len(groups), len(topics) + len(groups))
    return KafkaResult(
        outcome=SourceResult(
            source=settings.source,
            kind="kafka",
            status=SourceStatus.PARTIAL if scan.reasons else SourceStatus.READ,
            received=len(topics) + len(groups),
            requested=len(topics) + len(groups) + len(scan.unread),
            reason="; ".join(scan.reasons),
            hint=_RIGHTS if scan.reasons else "",
            requests=http.requests,
            unread=frozenset(scan.unread) if scan.complete else frozenset(),
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
    """Return the path of the cluster, whose last step is its id; raises ScannerError.

    Brokers serve it below `/kafka`, a REST proxy of its own does not. Without an id in the settings, it is the only
    cluster that the server lists.
    """
    for prefix in _PREFIXES:
        path = (*prefix, "v3", "clusters")
        try:
            if settings.cluster:
                _try_get(http, *path, settings.cluster)
                return (*path, settings.cluster)
            return (*path, _only_cluster(rest_list(http, *path).items))
        except NotFound:
            continue
    raise PayloadUnexpected("no Kafka REST API v3 found", hint=_HINT)


@dataclass(slots=True)
class _Scan:
    """Reads one cluster; *unread* names groups whose topics could not be read, *complete*: no list was cut short."""

    settings: KafkaRestSettings
    http: Http
    progress: Progress
    cluster: tuple[str, ...] = ()
    complete: bool = True
    unread: list[str] = field(default_factory=list)
    unconfigured: set[TopicName] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def find_cluster(self) -> None:
        """Find the path of the configured cluster, or of the only one; raises ScannerError."""
        self.cluster = find_cluster(self.settings, self.http)

    def topics(self) -> tuple[Topic, ...]:
        """Read all topics with the settings that are not Kafka's own defaults; raises ScannerError."""
        listed = self._items_of("topics", rest_list(self.http, *self.cluster, "topics"))
        self.progress(self.settings.source, len(listed), None)
        topics = read_topics(listed, self.settings.source)
        try:
            configs = read_configs(
                self._items_of("settings", rest_list(self.http, *self.cluster, "topics", "-", "configs"))
            )
        except ScannerError as error:
            self._missing("the settings of topics", error)
            self.unconfigured |= {topic.name for topic in topics}
            return topics
        return tuple(replace(topic, config=configs.get(topic.name, ())) for topic in topics)

    def groups(self) -> tuple[ConsumerGroup, ...]:
        """Read the consumer groups, with their topics where the server offers lags."""
        try:
            listed = self._items_of("consumer groups", rest_list(self.http, *self.cluster, "consumer-groups"))
        except ScannerError as error:
            self.complete = False
            self._missing("consumer groups", error)
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
            self._missing("mirrored topics", error)
            return ()
        return read_mirrors(self._items_of("mirrored topics", mirrors), links.items, self.settings.source)

    def brokers(self) -> tuple[str, ...]:
        """Return the brokers' addresses where the server reports them: Confluent Cloud does not."""
        try:
            return read_brokers(rest_list(self.http, *self.cluster, "brokers").items)
        except ScannerError:
            return ()

    def _with_topics(self, groups: tuple[ConsumerGroup, ...]) -> tuple[ConsumerGroup, ...]:
        """Fill in what each group reads; where this is not offered for the first, no other is requested."""
        answers = self._fetch_each(groups[:1])
        if isinstance(answers[0], (*_NOT_OFFERED, SourceRefused)):
            return groups
        answers += self._fetch_each(groups[1:])
        return tuple(map(self._with_lags, groups, answers))

    def _fetch_each(self, groups: Sequence[ConsumerGroup]) -> list[PartialList[Json] | ScannerError]:
        def fetch(group: ConsumerGroup) -> PartialList[Json]:
            return rest_list(self.http, *self.cluster, "consumer-groups", group.name, "lags")

        done = iter(range(1, len(groups) + 1))
        pool = WorkerPool(threads=self.settings.http.concurrency)
        return map_concurrently(
            groups, fetch, pool=pool, on_result=lambda: self.progress(self.settings.source, next(done, 0), len(groups))
        )

    def _with_lags(self, group: ConsumerGroup, answer: PartialList[Json] | ScannerError) -> ConsumerGroup:
        if not isinstance(answer, ScannerError):
            return replace(group, topics=read_lags(answer.items))
        if not isinstance(answer, NotFound):  # gone since it was listed
            self.unread.append(group.name)
            self._missing(f"the topics of the consumer group {group.name!r}", answer)
        return group

    def _items_of(self, what: str, listed: PartialList[Json]) -> tuple[Json, ...]:
        if listed.error:
            self.complete = False
            self._missing(f"all {what}", listed.error)
        return listed.items

    def _missing(self, what: str, error: ScannerError) -> None:
        reason = f"{what} could not be read: {error.what}"
        self.problems.append(Problem(str(self.settings.source), reason, error.hint))
        if len(self.reasons) < 2:
            self.reasons.append(reason)


def _try_get(http: Http, *path: str) -> None:
    with suppress(SourceRefused):  # who may not see the cluster may see topics all the same
        http.get(*path)


def _only_cluster(listed: Sequence[Json]) -> str:
    ids = sorted({text(cluster, "cluster_id") for cluster in listed} - {""})
    if len(ids) == 1:
        return ids[0]
    reason = f"it has the clusters {', '.join(ids)}" if ids else "it lists no cluster"
    raise PayloadUnexpected(reason, hint="name one as `cluster` of `kafka_rest`")

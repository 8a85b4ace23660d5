"""Read a cluster through Kafka's REST API v3: topics with settings, consumer groups, mirror topics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.pagination import PartialList
from scanner_extractor.probes import Probe
from scanner_extractor.results import KafkaCluster, Progress, Reading, answered
from scanner_extractor.systems.confluent_cloud.pagination import rest_list
from scanner_extractor.systems.confluent_cloud.settings import KafkaRestSettings
from scanner_model.catalogs import MirrorTopic
from scanner_model.errors import (
    InputInvalid,
    NotCaptured,
    NotFound,
    PayloadUnexpected,
    Problem,
    ScannerError,
    SourceObjected,
    SourceRefused,
)
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import TopicName, broker_address
from scanner_model.payload import Payload, Unread

Config = tuple[tuple[str, str], ...]


def read_topics(listed: Iterable[Payload], unread: Unread) -> tuple[Topic, ...]:
    """Read `GET …/topics`, sorted by name."""

    def read(entry: Payload) -> Topic:
        return Topic(
            source=unread.source,
            name=TopicName(entry.need("topic_name").text()),
            partitions=_count(entry, "partitions_count"),
            replication=_count(entry, "replication_factor"),
            internal=entry.flag("is_internal"),
        )

    topics = {topic.name: topic for topic in unread.read(listed, read, lambda entry: entry.shown("topic_name"))}
    return tuple(topics[name] for name in sorted(topics))


def read_configs(listed: Iterable[Payload]) -> dict[TopicName, Config]:
    """Read `GET …/topics/-/configs`: by topic, sorted, what is not a default and not sensitive.

    Raises PayloadUnexpected: of a topic all settings are known or none.
    """
    configs: dict[TopicName, dict[str, str]] = defaultdict(dict)
    for entry in listed:
        topic, name = entry.need("topic_name").text(), entry.need("name").text()
        value = entry.member("value").value
        if not entry.flag("is_default") and not entry.flag("is_sensitive") and value is not None:
            configs[TopicName(topic)][name] = str(value).lower() if isinstance(value, bool) else str(value)
    return {topic: tuple(sorted(settings.items())) for topic, settings in configs.items()}


def read_groups(listed: Iterable[Payload], unread: Unread) -> tuple[ConsumerGroup, ...]:
    """Read `GET …/consumer-groups`, sorted by name; their topics need another request."""

    def read(entry: Payload) -> ConsumerGroup:
        name = entry.need("consumer_group_id").text()
        return ConsumerGroup(source=unread.source, name=name, state=entry.text("state"))

    groups = {group.name: group for group in unread.read(listed, read, lambda entry: entry.shown("consumer_group_id"))}
    return tuple(groups[name] for name in sorted(groups))


def read_lags(listed: Iterable[Payload]) -> tuple[TopicName, ...]:
    """Read `GET …/consumer-groups/{id}/lags`: the topics that the group has an offset on or is assigned, sorted."""
    names = {entry.need("topic_name").text() for entry in listed if _reads(entry)}
    return tuple(map(TopicName, sorted(names)))


def read_mirrors(listed: Iterable[Payload], links: Iterable[Payload], unread: Unread) -> tuple[MirrorTopic, ...]:
    """Read `GET …/links/-/mirrors`, sorted by topic; the origin cluster of each link is in `GET …/links`."""
    origins = {link.text("link_name"): link.text("source_cluster_id", "remote_cluster_id") for link in links}

    def read(entry: Payload) -> MirrorTopic:
        topic, link = entry.need("mirror_topic_name").text(), entry.text("link_name")
        return MirrorTopic(
            source=unread.source,
            topic=TopicName(topic),
            link=link,
            origin_topic=TopicName(entry.text("source_topic_name") or topic),
            origin_cluster=origins.get(link, ""),
            state=entry.text("mirror_status", "state"),
        )

    entries = unread.read(listed, read, lambda entry: entry.shown("mirror_topic_name"))
    mirrors = {mirror.topic: mirror for mirror in entries}
    return tuple(mirrors[topic] for topic in sorted(mirrors))


def read_brokers(listed: Iterable[Payload]) -> tuple[str, ...]:
    """Read `GET …/brokers`: addresses in normal form, sorted; invalid addresses are left out."""
    addresses = set()
    for entry in listed:
        host, port = entry.text("host"), entry.integer("port")
        try:
            addresses |= {broker_address(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")}
        except InputInvalid:
            continue
    return tuple(sorted(addresses))


def _reads(lag: Payload) -> bool:
    """Return whether a group reads a partition: it has an offset there, or a member that is assigned it."""
    offset = lag.integer("current_offset")
    return (offset is not None and offset >= 0) or bool(lag.text("consumer_id"))


def _count(entry: Payload, name: str) -> int | None:
    count = entry.integer(name)
    return count if count and count > 0 else None


_SHOWN = 5
_SHARE_GROUPS = "describe them in manual input, or read the brokers with `kafka_clients`: see docs/sources/clients.md"
_NOT_OFFERED = (NotFound, SourceObjected)
_PREFIXES = (("kafka",), ())
_HINT = "check the `url` of `kafka_rest`: it ends before /kafka/v3"
_RIGHTS = "give it DESCRIBE and DESCRIBE_CONFIGS: see docs/sources/kafka.md"


def read_kafka_rest(settings: KafkaRestSettings, http: Http, progress: Progress) -> Reading:
    """Read topics, their settings, consumer groups, mirrored topics and, where offered, which topics groups read.

    Two requests and five more for all; one for each consumer group where lags are offered, which the first request
    shows. Paths `/kafka/v3/clusters/{id}/…`. Raises ScannerError where the topics are not listed; any other failure
    is a problem, and the result partial.
    """
    scan = _Scan(settings, http, progress)
    scan.find_cluster()
    topics = scan.topics()
    groups = scan.groups()
    scan.share_groups()
    mirrors = scan.mirrors()
    reasons = [*scan.reasons, *([f"{len(scan.unread)} of its objects could not be read"] if scan.unread else [])]
    progress(settings.source, len(topics) + len(groups), len(topics) + len(groups))
    return Reading(
        outcome=answered(
            settings.source,
            "kafka",
            len(topics) + len(groups),
            reasons=reasons,
            missing=len(scan.unread),
            hint=_RIGHTS if scan.reasons else "",
            requests=http.requests,
            unread=scan.unread.known if scan.complete else frozenset(),
        ),
        facts=(
            KafkaCluster(
                cluster_id=scan.cluster[-1], addresses=scan.brokers(), unconfigured=frozenset(scan.unconfigured)
            ),
            *topics,
            *groups,
            *mirrors,
        ),
        problems=(*scan.problems, *scan.unread.problems),
    )


def kafka_rest_probes(settings: KafkaRestSettings, http: Http) -> Iterator[Probe]:
    """Try to list the topics over REST."""
    yield Probe("list topics", lambda: f"{len(rest_list(http, *find_cluster(settings, http), 'topics').items)} topics")


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
    """Reads one cluster.

    *unread* are objects that could not be read, and groups whose topics could not; *complete*: no list was cut short.
    """

    settings: KafkaRestSettings
    http: Http
    progress: Progress
    cluster: tuple[str, ...] = ()
    complete: bool = True
    unread: Unread = field(init=False)
    unconfigured: set[TopicName] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nothing unread."""
        self.unread = Unread(self.settings.source)

    def find_cluster(self) -> None:
        """Find the path of the configured cluster, or of the only one; raises ScannerError."""
        self.cluster = find_cluster(self.settings, self.http)

    def topics(self) -> tuple[Topic, ...]:
        """Read all topics with the settings that are not Kafka's own defaults; raises ScannerError."""
        listed = self._items_of("topics", rest_list(self.http, *self.cluster, "topics"))
        self.progress(self.settings.source, len(listed), None)
        topics = read_topics(listed, self.unread)
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
        groups = read_groups(listed, self.unread)
        self.progress(self.settings.source, len(groups), None)
        return self._with_topics(groups) if self.settings.lags and groups else groups

    def share_groups(self) -> None:
        """Report share groups, whose topics are unknown here; servers before Kafka 4.2 do not offer their list."""
        try:
            listed = rest_list(self.http, *self.cluster, "share-groups")
        except (*_NOT_OFFERED, NotCaptured):
            return
        except ScannerError as error:
            self._missing("share groups", error)
            self.complete = False
            return
        names = sorted(entry.shown("group_id", "share_group_id") for entry in self._items_of("share groups", listed))
        if names:
            shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
            reason = f"share groups read topics that are unknown: {shown}"
            self.unread.names |= {*filter(None, names)}
            self.unread.nameless += names.count("")
            self.problems.append(Problem(str(self.settings.source), reason, _SHARE_GROUPS))
            self.reasons.insert(0, reason)

    def mirrors(self) -> tuple[MirrorTopic, ...]:
        """Read which topics are copied from another cluster; a server without cluster links has none."""
        try:
            links = rest_list(self.http, *self.cluster, "links")
            mirrors = rest_list(self.http, *self.cluster, "links", "-", "mirrors")
        except _NOT_OFFERED:
            return ()
        except ScannerError as error:
            self._missing("mirrored topics", error)
            return ()
        return read_mirrors(self._items_of("mirrored topics", mirrors), links.items, self.unread)

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

    def _fetch_each(self, groups: Sequence[ConsumerGroup]) -> list[tuple[TopicName, ...] | ScannerError]:
        def fetch(group: ConsumerGroup) -> tuple[TopicName, ...]:
            lags = rest_list(self.http, *self.cluster, "consumer-groups", group.name, "lags")
            if lags.error:
                raise lags.error
            return read_lags(lags.items)

        pool = WorkerPool(threads=self.settings.http.concurrency)
        return map_concurrently(
            groups, fetch, pool=pool, on_result=lambda done: self.progress(self.settings.source, done, len(groups))
        )

    def _with_lags(self, group: ConsumerGroup, answer: tuple[TopicName, ...] | ScannerError) -> ConsumerGroup:
        if not isinstance(answer, ScannerError):
            return replace(group, topics=answer)
        if not isinstance(answer, NotFound):  # gone since it was listed
            self.unread.names.add(group.name)
            self._missing(f"the topics of the consumer group {group.name!r}", answer)
        return group

    def _items_of(self, what: str, listed: PartialList[Payload]) -> tuple[Payload, ...]:
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


def _only_cluster(listed: Sequence[Payload]) -> str:
    ids = sorted({cluster.need("cluster_id").text() for cluster in listed})
    if len(ids) == 1:
        return ids[0]
    reason = f"it has the clusters {', '.join(ids)}" if ids else "it lists no cluster"
    raise PayloadUnexpected(reason, hint="name one as `cluster` of `kafka_rest`")

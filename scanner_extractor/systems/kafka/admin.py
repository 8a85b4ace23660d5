"""Read a cluster through the Kafka protocol: brokers, topics, settings, consumer groups, rules of access, offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from scanner_extractor.http.messages import Json
from scanner_extractor.results import KafkaCluster, Progress, Reading, answered
from scanner_extractor.settings.cluster import KafkaSettings, OffsetSettings
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.coordinators import LOADING, unconfirmed, unloaded
from scanner_extractor.systems.kafka.reader import (
    ClusterAnswer,
    DescriptionAnswer,
    TopicAnswer,
    is_unassigned,
    listener_addresses,
    read_brokers,
    read_config,
    read_group,
    read_topic,
    unnamed_brokers,
)
from scanner_extractor.systems.kafka.settings import AclSettings
from scanner_model.catalogs import Metric
from scanner_model.clients import AclAuthorizer, AclRule
from scanner_model.errors import InputInvalid, Problem, SourceRefused
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus

_SHOWN = 5
_RIGHTS = "give it DESCRIBE on the cluster, DESCRIBE and DESCRIBE_CONFIGS on topics: see docs/sources/kafka.md"
_PERMISSIONS = "does the user have the permissions? see docs/sources/kafka.md"
_OTHER_GROUPS = "configure `kafka_clients`, which reads their topics: see docs/sources/clients.md"
_REACHABLE = "are all brokers up? scan again once they are"


def read_kafka(
    settings: KafkaSettings, progress: Progress, client: KafkaClient | None = None, *, known: Collection[str] = ()
) -> Reading:
    """Read the cluster's id, brokers, topics with their settings, and consumer groups with their topics.

    Needs DESCRIBE and DESCRIBE_CONFIGS on the cluster and on topics, DESCRIBE on groups; what the rights hide is
    left out and reported. Share and Streams groups are listed as unread, unless `kafka_clients` reads them.

    Brokers silently omit topics that we may not DESCRIBE, so the list is taken as complete only where
    we may DESCRIBE the cluster; otherwise the result is partial without unread names, and nothing is marked deleted.
    The same holds while a coordinator of groups is loading, or if one does not confirm that a group
    of *known*, the groups of earlier scans, is deleted. Raises InputInvalid for properties that librdkafka does not
    take, SourceRefused and SourceUnreachable within `settings.timeout` where the brokers do not respond, SourceRefused
    also where they show no topic to a user without the rights: this is not an empty cluster.
    """
    scan = _Scan(client or KafkaClient(settings), settings.source, progress)
    metadata = scan.client.metadata()
    addresses, problems = scan.brokers(metadata)
    topics = scan.topics(metadata)
    groups = scan.groups(metadata, known)
    if not settings.reads_other_groups:
        scan.other_groups()
    partial = scan.problems or problems or scan.unread
    unnamed = unnamed_brokers(metadata)
    return Reading(
        outcome=SourceResult(
            source=settings.source,
            kind="kafka",
            status=SourceStatus.PARTIAL if partial else SourceStatus.READ,
            received=len(topics) + len(groups),
            requested=len(topics) + len(groups) + len(scan.unread),
            reason="; ".join(problem.what for problem in scan.problems[:2]),
            hint=scan.problems[0].hint if scan.problems else "",
            requests=scan.requests,
            # With a name in it, a partial answer counts as a list of everything else.
            unread=frozenset(scan.unread) if scan.lists_all else frozenset(),
        ),
        facts=(
            KafkaCluster(
                cluster_id=metadata.cluster_id or "",
                addresses=addresses,
                unnamed=len(unnamed),
                unconfigured=frozenset(scan.unconfigured),
            ),
            *topics,
            *groups,
        ),
        problems=(*problems, *scan.problems, *_down(unnamed, settings.source)),
    )


class _Scan:
    """Reads one cluster and collects what could not be read."""

    def __init__(self, client: KafkaClient, source: SourceId, progress: Progress) -> None:
        self.client = client
        self.problems: list[Problem] = []
        self.unread: set[str] = set()
        self.unconfigured: set[TopicName] = set()
        self.lists_all = True
        self.requests = 1
        self.listed: frozenset[str] | None = None
        self._source = source
        self._progress = progress

    def brokers(self, metadata: ClusterAnswer) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
        """Read the brokers' addresses: those of the bootstrap listener, then those of other listeners if permitted.

        If a broker does not answer the request for its listeners, the list is incomplete.
        """
        addresses, problems = read_brokers(metadata.brokers.values(), self._source)
        settings = self.client.broker_settings(sorted(metadata.brokers))
        self.requests += settings.requests
        unanswered = {name: settings.failures[name] for name in settings.unanswered}
        self._report("brokers", "queried for their listeners", unanswered, settings.unanswered)
        return (*addresses, *listener_addresses(settings.answers.values(), addresses)), problems

    def topics(self, metadata: ClusterAnswer) -> tuple[Topic, ...]:
        """Read every topic; settings and the internal flag are left unknown where the brokers do not report them."""
        listed = sorted(metadata.topics)
        failed = {name: why for name in listed if (why := _hidden_reason(metadata.topics[name]))}
        names = [name for name in listed if name not in failed]
        self._report("topics", "read", failed)
        self.unread |= failed.keys()
        self._progress(self._source, 0, len(names))
        descriptions = self.client.internal(names)
        self._progress(self._source, 0, len(names))
        configs = self.client.configs(names)
        self._rights(metadata, descriptions.answers.values())
        self.unconfigured |= set(map(TopicName, configs.failures))
        self._report("topics", "queried for their settings", configs.failures, configs.unanswered)
        self.requests += descriptions.requests + configs.requests
        self._progress(self._source, len(names), len(names))
        return tuple(
            read_topic(
                metadata.topics[name],
                self._source,
                internal=descriptions.answers[name].is_internal if name in descriptions.answers else None,
                config=read_config(configs.answers.get(name, {})),
            )
            for name in names
        )

    def groups(self, metadata: ClusterAnswer, known: Collection[str]) -> tuple[ConsumerGroup, ...]:
        """Read every consumer group; one whose offsets and members are both hidden counts as unread.

        Brokers do not list groups of a coordinator that is down or loading: then a group that is not listed is not
        deleted.
        """
        loading = unloaded(self.client, metadata)
        listed, failed = self.client.groups()
        reasons = [*failed, *loading] or [*unconfirmed(self.client, {*known} - {group.group_id for group in listed})]
        what = "consumer groups may be missing from the brokers' list" if listed else "consumer groups are not listed"
        self.problems += [Problem(str(self._source), f"{what}: {why}", LOADING) for why in reasons]
        self.lists_all = self.lists_all and not reasons
        names = [group.group_id for group in listed]
        self.listed = None if failed else frozenset(names)
        self._progress(self._source, 0, len(names))
        committed = self.client.committed(names)
        self._progress(self._source, 0, len(names))
        members = self.client.members(names)
        self._report("consumer groups", "queried for their offsets", committed.failures, committed.unanswered)
        self._report("consumer groups", "queried for their members", members.failures, members.unanswered)
        self.unread |= committed.failures.keys() & members.failures.keys()
        rebalancing = {group.group_id for group in listed if is_unassigned(group, members.answers.get(group.group_id))}
        offsets = {name: [row for row in rows if row.offset >= 0] for name, rows in committed.answers.items()}
        self.unread |= {name for name in rebalancing if not offsets.get(name)}
        self._report_rebalancing(sorted(rebalancing))
        self.requests += 1 + committed.requests + members.requests
        self._progress(self._source, len(names), len(names))
        groups = tuple(
            read_group(
                group, self._source, committed.answers.get(group.group_id, ()), members.answers.get(group.group_id)
            )
            for group in listed
            if group.group_id not in self.unread
        )
        self.unread |= rebalancing
        return groups

    def other_groups(self) -> None:
        """Report share and Streams groups, whose topics are unknown here; a list that fails leaves them unknown."""
        if self.listed is None:
            return  # that no group is listed is reported
        names, reason = self.client.other_groups(self.listed)
        self.requests += 1
        if reason:
            what = f"share and Streams groups are not listed, and the topics that they read are unknown: {reason}"
            self.problems.append(Problem(str(self._source), what, _OTHER_GROUPS))
        elif names:
            shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
            what = f"share or Streams groups read topics that are unknown: {shown}"
            self.problems.append(Problem(str(self._source), what, _OTHER_GROUPS))
            self.unread |= set(names)

    def _report_rebalancing(self, names: Sequence[str]) -> None:
        """Report groups whose members have no assignment yet; one without offsets keeps what is known of it."""
        if not names:
            return
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        what = f"{len(names)} consumer groups are in a rebalance and have no assignment: {shown}"
        hint = "their topics are those of their offsets, or else those of the last scan; scan again"
        self.problems.append(Problem(str(self._source), what, hint))

    def _rights(self, metadata: ClusterAnswer, descriptions: Iterable[DescriptionAnswer]) -> None:
        """Report where topics and groups may be hidden from us; brokers that report no rights at all are trusted."""
        reports_rights = any(description.authorized_operations for description in descriptions)
        self.requests += 1
        sees = _sees_cluster(self.client, metadata, self._source)
        if sees or (metadata.topics and not reports_rights and sees is not None):
            return
        self.lists_all = False
        self.problems.insert(0, _may_be_hidden(self._source, answered=sees is not None))

    def _report(
        self, noun: str, done: str, failures: Mapping[str, str], unanswered: Collection[str] = frozenset()
    ) -> None:
        """Report each reason with the count and the first names; *unanswered* are names no broker answered for."""
        for reason in sorted(set(failures.values())):
            names = sorted(name for name, why in failures.items() if why == reason)
            shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
            what = f"{len(names)} {noun} could not be {done}: {reason} ({shown})"
            hint = _PERMISSIONS if names[0] not in unanswered else _REACHABLE
            self.problems.append(Problem(str(self._source), what, hint))


def _may_be_hidden(source: SourceId, *, answered: bool) -> Problem:
    """Return the problem that the lists may lack something: a right is missing, or the brokers did not say which."""
    if answered:
        what = "topics and consumer groups may be hidden: the user has no right to DESCRIBE the cluster"
        return Problem(str(source), what, _RIGHTS)
    what = "topics and consumer groups may be missing: the brokers did not answer DescribeCluster"
    return Problem(str(source), what, _REACHABLE)


def _sees_cluster(client: KafkaClient, metadata: ClusterAnswer, source: SourceId) -> bool | None:
    """Return whether we may DESCRIBE the cluster, None if the brokers do not answer.

    Raises SourceRefused where no topic is shown and rights are missing.
    """
    allowed = client.may_describe_cluster()
    if not metadata.topics and (allowed is False or client.hides_topics()):
        missing = "DESCRIBE the cluster" if allowed is False else "DESCRIBE topics"
        what = f"no topic is shown, and the user has no right to {missing}"
        raise SourceRefused(what, where=str(source), hint=_RIGHTS)
    return allowed


def _down(unnamed: Collection[int], source: SourceId) -> Iterator[Problem]:
    """Report brokers that hold replicas and are missing from the metadata; the result is complete all the same."""
    if unnamed:
        what = f"brokers that hold replicas are down: {', '.join(map(str, sorted(unnamed)))}; their addresses stay"
        yield Problem(str(source), what, "if one was removed for good, reassign its replicas")


def _hidden_reason(topic: TopicAnswer) -> str:
    """Return why the brokers do not show *topic*; empty where they do, even without a leader."""
    return str(topic.error.str()) if topic.error is not None and not topic.partitions else ""


def probe(settings: KafkaSettings, client: KafkaClient | None = None) -> str:
    """Return a short summary of the cluster, for `scanner doctor`; raises what `read_kafka` raises."""
    client = client or KafkaClient(settings)
    metadata = client.metadata()
    if not metadata.topics:
        _sees_cluster(client, metadata, settings.source)
    return f"{len(metadata.brokers)} brokers, {len(metadata.topics)} topics"


LOG_END = "log_end_offset"
"""Records that were ever written to a topic, summed over its partitions; compaction and retention take none away."""

OFFSETS_DOCUMENT = "offsets"
"""The name of the brokers' document in a capture."""


def read_offsets(
    settings: OffsetSettings, progress: Progress, *, now: datetime, client: KafkaClient | None = None
) -> Reading:
    """Read the log end offset of every topic at *now*.

    Needs DESCRIBE on topics. A topic with a partition without leader is skipped, and the result partial: a
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


def offsets_document(reading: Reading) -> Json:
    """Return *reading* as JSON, for captures."""
    metrics = reading.of(Metric)
    return {
        "offsets": {metric.topic: metric.amount for metric in metrics},
        "unread": sorted(reading.outcome.unread),
        "at": next((metric.ended for metric in metrics), ""),
    }


def read_offsets_document(document: Json, source: SourceId) -> Reading:
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


def _result(source: SourceId, end_offsets: dict[str, float], unread: list[str], at: str) -> Reading:
    return Reading(
        outcome=answered(
            source,
            "metrics",
            len(end_offsets),
            reasons=[f"{len(unread)} topics have a partition without a leader"] if unread else [],
            missing=len(unread),
            hint="look at them again when all brokers are up" if unread else "",
            requests=2,
            unread=frozenset(unread),
        ),
        facts=tuple(
            Metric(source=source, name=LOG_END, topic=topic, amount=end_offsets[topic], ended=at)
            for topic in sorted(end_offsets)
        ),
    )


def _kafka(settings: OffsetSettings) -> KafkaSettings:
    return KafkaSettings(brokers=settings.brokers, properties=settings.properties, timeout=settings.timeout)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


DOCUMENT = "acls"
"""The name under which a capture holds the rules."""

_MEMBERS = ("pattern_type", "name", "principal", "host", "operation", "permission")


def load_acls(settings: AclSettings, client: KafkaClient | None = None) -> Json:
    """Return the rules of access to topics as JSON, sorted; `rules` is null where the brokers have no authorizer.

    `authorizer` is the class that decides, empty where the brokers do not show it.

    Raises SourceRefused without the right to DESCRIBE the cluster, SourceUnreachable where no broker answers.
    """
    client = client or KafkaClient(settings.kafka)
    rules = client.acls()
    if rules is None:
        return {"rules": None}
    return {"rules": sorted(rules), "authorizer": client.authorizer() or ""}


def read_acls(document: Json, settings: AclSettings) -> Reading:
    """Return the rules and the authorizer; raises InputInvalid for a damaged capture.

    No rule at all is said: where access is decided elsewhere, as by RBAC, IAM or Ranger, the list is as empty.
    """
    try:
        listed, class_name = document["rules"], str(document.get("authorizer", ""))
        rules = tuple(
            AclRule(source=settings.source, **dict(zip(_MEMBERS, rule, strict=True))) for rule in listed or ()
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("damaged document in the capture", where=str(settings.source), hint=hint) from error
    authorizer = AclAuthorizer(
        source=settings.source,
        active=listed is not None,
        super_users=settings.super_users,
        allow_everyone=settings.allow_everyone,
        class_name=class_name,
    )
    return Reading(
        outcome=answered(settings.source, "acls", len(rules), requests=1),
        facts=(*rules, authorizer),
        problems=(Problem(str(settings.source), *_remark(listed)),) if not rules else (),
    )


def _remark(listed: Json) -> tuple[str, str]:
    if listed is None:
        return "the brokers have no authorizer: every client may read and write every topic", ""
    what = "the brokers list no rule of access to topics"
    return what, "is access decided elsewhere (RBAC, IAM, Ranger)? then leave `acls` out"

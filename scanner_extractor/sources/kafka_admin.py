"""Reads a cluster through the Kafka protocol: brokers, topics, their settings, and who consumes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanner_extractor.readings import KafkaReading, Progress
from scanner_extractor.settings import KafkaSettings
from scanner_extractor.sources.kafka_answers import ClusterAnswer, TopicAnswer
from scanner_extractor.sources.kafka_client import KafkaClient
from scanner_extractor.sources.kafka_reader import read_brokers, read_config, read_group, read_topic
from scanner_model.estate import ConsumerGroup, Topic
from scanner_model.names import SourceId
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

_SHOWN = 5


def read_kafka(settings: KafkaSettings, progress: Progress, client: KafkaClient | None = None) -> KafkaReading:
    """Read the cluster's id, brokers, topics with their settings, and consumer groups with their topics.

    Needs DESCRIBE on the cluster, and DESCRIBE and DESCRIBE_CONFIGS on topics, DESCRIBE on groups; what the rights do
    not show is left out and said. Raises InputInvalid for properties that librdkafka does not take, SourceRefused and
    SourceUnreachable within `settings.timeout` where the brokers do not talk to us.
    """
    scan = _Scan(client or KafkaClient(settings), settings.source, progress)
    metadata = scan.client.metadata()
    brokers, problems = read_brokers(metadata.brokers.values(), settings.source)
    topics = scan.topics(metadata)
    groups = scan.groups()
    partial = scan.problems or problems or scan.unread
    return KafkaReading(
        outcome=Outcome(
            source=settings.source,
            kind="kafka",
            answer=Answer.PARTIAL if partial else Answer.READ,
            got=len(topics) + len(groups),
            asked=len(topics) + len(groups) + len(scan.unread),
            reason="; ".join(problem.what for problem in scan.problems[:2]),
            hint=scan.problems[0].hint if scan.problems else "",
            requests=scan.requests,
            unread=frozenset(scan.unread),
        ),
        cluster_id=metadata.cluster_id or "",
        brokers=brokers,
        topics=topics,
        consumer_groups=groups,
        problems=(*problems, *scan.problems),
    )


class _Scan:
    """One reading of one cluster, and what could not be read on the way."""

    def __init__(self, client: KafkaClient, source: SourceId, progress: Progress) -> None:
        self.client = client
        self.problems: list[Problem] = []
        self.unread: set[str] = set()
        self.requests = 1
        self._source = source
        self._progress = progress

    def topics(self, metadata: ClusterAnswer) -> tuple[Topic, ...]:
        """Read every topic; its settings and its mark as internal are left open where the brokers do not tell."""
        told = sorted(metadata.topics)
        failed = {name: why for name in told if (why := _hidden(metadata.topics[name]))}
        names = [name for name in told if name not in failed]
        self._say("topics", "read", failed)
        self.unread |= failed.keys()
        self._progress(self._source, 0, len(names))
        descriptions = self.client.internal(names)
        self._progress(self._source, 0, len(names))
        configs = self.client.configs(names)
        self._say("topics", "asked for their settings", configs.failures)
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

    def groups(self) -> tuple[ConsumerGroup, ...]:
        """Read every consumer group; one whose offsets and members are both hidden from us stays as it was."""
        listed, reasons = self.client.groups()
        self.problems += [Problem(str(self._source), f"consumer groups are not listed: {why}") for why in reasons]
        names = [one.group_id for one in listed]
        self._progress(self._source, 0, len(names))
        committed = self.client.committed(names)
        self._progress(self._source, 0, len(names))
        members = self.client.members(names)
        self._say("consumer groups", "asked for their offsets", committed.failures)
        self._say("consumer groups", "asked for their members", members.failures)
        self.unread |= committed.failures.keys() & members.failures.keys()
        self.requests += 1 + committed.requests + members.requests
        self._progress(self._source, len(names), len(names))
        return tuple(
            read_group(one, self._source, committed.answers.get(one.group_id, ()), members.answers.get(one.group_id))
            for one in listed
            if one.group_id not in self.unread
        )

    def _say(self, things: str, done: str, failures: Mapping[str, str]) -> None:
        self.problems += _summarised(self._source, things, done, failures)


def _hidden(topic: TopicAnswer) -> str:
    """Say why the brokers do not show *topic*; empty where they do, even without a leader just now."""
    return str(topic.error.str()) if topic.error is not None and not topic.partitions else ""


def _summarised(source: SourceId, things: str, done: str, failures: Mapping[str, str]) -> Iterator[Problem]:
    """Say once for each reason what could not be done, with how many and the first names."""
    for reason in sorted(set(failures.values())):
        names = sorted(name for name, why in failures.items() if why == reason)
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        what = f"{len(names)} {things} could not be {done}: {reason} ({shown})"
        yield Problem(str(source), what, "has the user the rights? see docs/sources/kafka.md")


def probe(settings: KafkaSettings) -> str:
    """Say in a few words what the brokers show, for `scanner check`; raises what `read_kafka` raises."""
    metadata = KafkaClient(settings).metadata()
    return f"{len(metadata.brokers)} brokers, {len(metadata.topics)} topics"

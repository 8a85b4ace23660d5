"""What the settings of Kafka's clients, brokers and registries do to records and to who reads them.

By the configuration references of Apache Kafka (producer, consumer, Streams, broker, topic), Confluent's serializers
and Spring Kafka. A setting without a row has no known meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from itertools import pairwise

from scanner_check.knowledge.names import words_of
from scanner_extractor.repository.syntax_trees import words


class Meaning(Enum):
    """What a setting decides."""

    NOTHING = auto()
    """How a client runs or connects: neither which records there are, nor who reads them."""
    RECORDS = auto()
    """Which records are written, where to, in which form or order, or how surely."""
    READERS = auto()
    """Who reads, from where, or how records are decoded."""


_NOTHING = """
heartbeat.topics.prefix topic.heartbeat.prefix heartbeat.interval.ms
bootstrap.servers client.id client.rack client.dns.lookup metadata.max.age.ms metadata.max.idle.ms
metadata.recovery.strategy retries retry.backoff.ms retry.backoff.max.ms reconnect.backoff.ms reconnect.backoff.max.ms
request.timeout.ms delivery.timeout.ms linger.ms batch.size buffer.memory send.buffer.bytes receive.buffer.bytes
max.block.ms socket.connection.setup.timeout.ms socket.connection.setup.timeout.max.ms connections.max.idle.ms
compression.type compression.gzip.level compression.lz4.level compression.zstd.level max.request.size metric.reporters
metrics.num.samples metrics.recording.level metrics.sample.window.ms enable.metrics.push auto.include.jmx.reporter
security.protocol security.providers fetch.min.bytes fetch.max.bytes fetch.max.wait.ms max.partition.fetch.bytes
max.poll.records max.poll.interval.ms session.timeout.ms heartbeat.interval.ms default.api.timeout.ms check.crcs
exclude.internal.topics allow.auto.create.topics group.instance.id partition.assignment.strategy group.protocol
auto.commit.interval.ms num.stream.threads num.standby.replicas max.warmup.replicas state.dir state.cleanup.delay.ms
poll.ms commit.interval.ms rocksdb.config.setter replication.factor schema.registry.url basic.auth.credentials.source
concurrency poll.timeout missing.topics.fatal ack.count ack.time log.container.config observation.enabled
auto.create.topics.enable delete.topic.enable num.io.threads num.network.threads offsets.topic.replication.factor
offsets.topic.num.partitions transaction.state.log.replication.factor transaction.state.log.min.isr
min.insync.replicas default.replication.factor group.initial.rebalance.delay.ms listeners advertised.listeners
listener.security.protocol.map inter.broker.listener.name controller.listener.names controller.quorum.voters node.id
broker.id process.roles log.dirs config.storage.topic offset.storage.topic status.storage.topic
config.storage.replication.factor offset.storage.replication.factor status.storage.replication.factor
offset.storage.partitions status.storage.partitions rest.advertised.host.name rest.port plugin.path
offset.flush.interval.ms offset.flush.timeout.ms tasks.max
message.format.version segment.ms segment.bytes segment.jitter.ms
segment.index.bytes flush.messages flush.ms index.interval.bytes file.delete.delay.ms preallocate
unclean.leader.election.enable leader.replication.throttled.replicas follower.replication.throttled.replicas
kafkastore.topic.replication.factor metrics.topic.replication.factor
"""
_RECORDS = """
acks enable.idempotence transactional.id transaction.id.prefix transaction.timeout.ms
max.in.flight.requests.per.connection partitioner.class partitioner.ignore.keys
partitioner.adaptive.partitioning.enable key.serializer value.serializer key.converter value.converter
header.converter interceptor.classes default.key.serde default.value.serde windowed.inner.class.serde
processing.guarantee topology.optimization processing.exception.handler default.production.exception.handler
statestore.cache.max.bytes cache.max.bytes.buffering max.task.idle.ms default.timestamp.extractor
auto.register.schemas use.latest.version use.schema.id key.subject.name.strategy value.subject.name.strategy
subject.name.strategy normalize.schemas latest.compatibility.strict schemas.enable cleanup.policy retention.ms
retention.bytes delete.retention.ms local.retention.ms local.retention.bytes min.compaction.lag.ms
max.compaction.lag.ms min.cleanable.dirty.ratio max.message.bytes message.max.bytes message.timestamp.type
message.timestamp.difference.max.ms message.downconversion.enable log.retention.hours
log.retention.ms log.retention.minutes log.retention.bytes log.cleanup.policy num.partitions partitions num.partition
partition.count remote.storage.enable
"""
_READERS = """
group.id consumer.group application.id auto.offset.reset isolation.level enable.auto.commit key.deserializer
value.deserializer specific.avro.reader specific.protobuf.value.type default.deserialization.exception.handler
ack.mode batch.listener starting.offsets ending.offsets fail.on.data.loss failure.strategy dead.letter.queue.topic
trusted.packages value.default.type key.default.type type.mapping
"""


def _rows(names: str, meaning: Meaning) -> dict[tuple[str, ...], Meaning]:
    return {words_of(name): meaning for name in names.split()}


SETTINGS: Mapping[tuple[str, ...], Meaning] = {
    **_rows(_NOTHING, Meaning.NOTHING),
    **_rows(_RECORDS, Meaning.RECORDS),
    **_rows(_READERS, Meaning.READERS),
}
"""The words of a setting → what it decides."""

_LONGEST = max(map(len, SETTINGS))

CONNECTING = ("ssl", "sasl")
"""Words that begin the names of all settings of encryption and login."""

CONCEPTS = words(
    "topic topics subject subjects schema schemas serializer deserializer serde serdes partition partitions partitioner"
    " consumergroup groupid"
)
"""What a program and its readers agree on: a setting that names one of these may change it."""


def meaning_of(name: Sequence[str]) -> Meaning | None:
    """Return what a setting decides, by the last words of its name; None if no row has it.

    The longest row counts, so that `isolation.level` is not `level`.
    """
    for length in range(min(_LONGEST, len(name)), 0, -1):
        if (meaning := SETTINGS.get(tuple(name[-length:]))) is not None:
            return meaning
    if any(word in CONNECTING for word in name):
        return Meaning.NOTHING
    return None


def names_concept(name: Sequence[str]) -> bool:
    """Return whether a setting is about topics, groups, subjects, schemas or how records are encoded."""
    return not CONCEPTS.isdisjoint(_with_pairs(name))


READ_CONCEPTS = words("topic topics consumergroup groupid")
"""What decides which records a program reads, even if it writes none."""


def decides_reads(name: Sequence[str]) -> bool:
    """Return whether a setting is about the topics or the group by which a program reads."""
    return not READ_CONCEPTS.isdisjoint(_with_pairs(name))


def _with_pairs(name: Sequence[str]) -> set[str]:
    return {*name, *(first + second for first, second in pairwise(name))}


FRAMEWORKS: tuple[tuple[str, ...], ...] = tuple(
    words_of(prefix)
    for prefix in (
        *("spring.kafka", "spring.cloud.stream", "spring.cloud.function", "spring.jackson", "mp.messaging"),
        *("quarkus.kafka", "quarkus.jackson", "micronaut.kafka", "kafka.consumers", "kafka.producers", "kafka.streams"),
        *("akka.kafka", "alpakka", "camel.component.kafka", "masstransit", "dapr", "nats"),
    )
)
"""Prefixes of settings that a framework reads, and by which it makes, sends or receives records: no code names them."""


def is_of_framework(name: Sequence[str]) -> bool:
    """Return whether a setting is one of a framework that handles records."""
    return any(
        tuple(name[at : at + len(prefix)]) == prefix
        for prefix in FRAMEWORKS
        for at in range(len(name) - len(prefix) + 1)
    )

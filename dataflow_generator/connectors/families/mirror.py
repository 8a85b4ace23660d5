"""Replication between Kafka clusters: MirrorMaker 2 and Confluent's Replicator."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import kafka_namespace, topic, topics_like
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Direction, SideTopic
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import cluster_of, literal
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.errors import InputInvalid, Problem

_TARGET = ("target.cluster.bootstrap.servers", "dest.kafka.bootstrap.servers")
_SOURCE = ("source.cluster.bootstrap.servers", "src.kafka.bootstrap.servers")
_IDENTITY = ("IdentityReplicationPolicy", "LegacyReplicationPolicy", "IdentityTopicReplicationPolicy")
_EXCLUDED = (r"mm2.*\.internal", r".*\.replica", r"__.*")
"""Topics that MirrorMaker 2 excludes by default (DefaultTopicFilter)."""
_ONCE_EXCLUDED = r".*[\-\.]internal"
"""Topics that older versions of MirrorMaker 2 exclude as well."""


def _cluster(connector: Connector, *keys: str) -> str | None:
    return next(filter(None, (kafka_namespace(connector.config.text(key)) for key in keys)), None)


def _target(connector: Connector) -> str:
    return _cluster(connector, *_TARGET) or cluster_of(connector, Direction.SOURCE)


def _source(connector: Connector) -> str:
    """Return the namespace of the source cluster; by its alias where no address is configured."""
    alias = connector.config.text("source.cluster.alias", default="source")
    return _cluster(connector, *_SOURCE) or f"kafka://{alias}"


def mirror_source(connector: Connector) -> ConnectorFlows:
    """Read MirrorMaker 2's source connector: `alias.topic`, unless the policy keeps names."""
    config = connector.config
    identity = config.text("replication.policy.class").rpartition(".")[2] in _IDENTITY
    sign = config.text("replication.policy.separator", default=".")
    start = "" if identity else config.text("source.cluster.alias", default="source") + sign
    items = config.items("topics", "topics.whitelist") or (".*",)
    excluded = config.items("topics.exclude", "topics.blacklist") or _EXCLUDED
    reads = tuple(_copied(connector, items, excluded, (start, "topics, source.cluster.alias")))
    side = tuple(_sync(connector))
    names = filter(None, map(literal, items)) if excluded is _EXCLUDED else ()
    doubtful = (name for name in names if _is(_ONCE_EXCLUDED, name) and not any(_is(item, name) for item in excluded))
    problems = (
        Problem("topics", f"older versions of MirrorMaker do not copy {name!r} by default") for name in doubtful
    )
    namespace = _target(connector)
    return source(
        connector, SourceReads(reads=reads, namespace=namespace, side=side, keyed=True, problems=tuple(problems))
    )


def replicator(connector: Connector) -> ConnectorFlows:
    """Read Confluent's Replicator: topics of a list and of a pattern, renamed by `topic.rename.format`."""
    config = connector.config
    form = config.text("topic.rename.format", default="${topic}")
    items = (*config.items("topic.whitelist"), *filter(None, (config.text("topic.regex"),)))
    start, _, after = form.partition("${topic}")
    reads = _copied(connector, items, config.items("topic.blacklist"), (start, "topic.whitelist"), after)
    return source(connector, SourceReads(reads=tuple(reads), namespace=_target(connector), keyed=True))


def bookkeeping(connector: Connector) -> ConnectorFlows:
    """Read MirrorMaker 2's heartbeat or checkpoint connector, which copies no data."""
    side = tuple(_bookkeeping(connector))
    return source(connector, SourceReads(reads=(), namespace=_target(connector), side=side, isolated=True))


def _copied(
    connector: Connector, items: tuple[str, ...], excluded: tuple[str, ...], naming: tuple[str, str], after: str = ""
) -> Iterator[SourceRead]:
    """Read each topic of a list; a pattern is resolved by the copies in use, whose names begin with *start*."""
    start, because = naming
    namespace = _source(connector)
    for item in items:
        name = literal(item)
        if name is not None and any(_is(other, name) for other in excluded):
            continue
        if name is not None:
            yield SourceRead(source=topic(namespace, name), topic=f"{start}{name}{after}", because=because)
            continue
        copies = [copy for copy in _copies(connector, start, after) if _is(item, copy)]
        for copy in copies:
            if not any(_is(other, copy) for other in excluded):
                yield SourceRead(
                    source=topic(namespace, copy), topic=f"{start}{copy}{after}", because=f"{because}, topics in use"
                )
        if not copies:
            pattern = f"(?:{item})" if "|" in item else item
            yield SourceRead(
                source=topics_like(namespace, item), pattern=f"{quoted(start)}{pattern}{quoted(after)}", because=because
            )


def _copies(connector: Connector, start: str, after: str) -> list[str]:
    names = sorted(connector.active or ())
    return [
        name[len(start) : len(name) - len(after)] for name in names if name.startswith(start) and name.endswith(after)
    ]


def _is(pattern: str, name: str) -> bool:
    try:
        return java_regex(pattern).matches(name)
    except InputInvalid:
        return False


def _sync(connector: Connector) -> Iterator[SideTopic]:
    config: Config = connector.config
    alias = config.text("target.cluster.alias", default="target")
    name = f"mm2-offset-syncs.{alias}.internal"
    yield SideTopic(topic(_source(connector), name), "offset-syncs", "target.cluster.alias")
    yield from _bookkeeping(connector)


def _bookkeeping(connector: Connector) -> Iterator[SideTopic]:
    namespace = _target(connector)
    alias = connector.config.text("source.cluster.alias", default="source")
    yield SideTopic(topic(namespace, "heartbeats"), "heartbeats", "source.cluster.alias")
    yield SideTopic(topic(namespace, f"{alias}.heartbeats"), "heartbeats", "source.cluster.alias")
    yield SideTopic(topic(namespace, f"{alias}.checkpoints.internal"), "checkpoints", "source.cluster.alias")

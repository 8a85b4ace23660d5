"""Replication between Kafka clusters: MirrorMaker 2 and Confluent's Replicator."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator.connectors.dataset_names import kafka_namespace, topic, topics_like
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Direction, SideTopic
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import cluster_of, literal
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.errors import InputInvalid, Problem

_TARGET = ("target.cluster.bootstrap.servers", "dest.kafka.bootstrap.servers")
_SOURCE = ("source.cluster.bootstrap.servers", "src.kafka.bootstrap.servers")
_SOURCE_ALIAS, _TARGET_ALIAS = "source.cluster.alias", "target.cluster.alias"
_HEARTBEATS = "heartbeats"
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
    return _cluster(connector, *_SOURCE) or f"kafka://{_alias(connector)}"


def mirror_source(connector: Connector) -> ConnectorFlows:
    """Read MirrorMaker 2's source connector: `alias.topic`, unless the policy keeps names."""
    config = connector.config
    identity = config.text("replication.policy.class").rpartition(".")[2] in _IDENTITY
    start = "" if identity else _alias(connector) + _sign(connector)
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


def heartbeats(connector: Connector) -> ConnectorFlows:
    """Read MirrorMaker 2's heartbeat connector, which copies no data."""
    return _bookkeeping(connector, SideTopic(topic(_target(connector), _HEARTBEATS), _HEARTBEATS, _SOURCE_ALIAS))


def checkpoints(connector: Connector) -> ConnectorFlows:
    """Read MirrorMaker 2's checkpoint connector, which copies offsets of groups."""
    name = _internal(connector, _alias(connector), "checkpoints")
    return _bookkeeping(connector, SideTopic(topic(_target(connector), name), "checkpoints", _SOURCE_ALIAS))


def _bookkeeping(connector: Connector, side: SideTopic) -> ConnectorFlows:
    return source(connector, SourceReads(reads=(), namespace=_target(connector), side=(side,), isolated=True))


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
    """Yield the topic of offsets, which is in the source cluster unless configured, and the copied heartbeats."""
    at_target = connector.config.text("offset-syncs.topic.location").lower() == "target"
    other = _alias(connector) if at_target else connector.config.text("target.cluster.alias", default="target")
    namespace = _target(connector) if at_target else _source(connector)
    yield SideTopic(topic(namespace, _internal(connector, "mm2-offset-syncs", other)), "offset-syncs", _TARGET_ALIAS)
    copied = f"{_alias(connector)}{_sign(connector)}{_HEARTBEATS}"
    yield SideTopic(topic(_target(connector), copied), _HEARTBEATS, _SOURCE_ALIAS)


def _internal(connector: Connector, *parts: str) -> str:
    """Return the name of an internal topic of MirrorMaker: *parts* with the policy's separator between them."""
    own = connector.config.text("replication.policy.internal.topic.separator.enabled").lower() != "false"
    return (_sign(connector) if own else ".").join((*parts, "internal"))


def _sign(connector: Connector) -> str:
    return connector.config.text("replication.policy.separator", default=".")


def _alias(connector: Connector) -> str:
    return connector.config.text(_SOURCE_ALIAS, default="source")

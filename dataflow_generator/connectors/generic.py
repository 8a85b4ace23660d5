"""Connectors of a class that nobody knows: the topics known of them, and the direction as far as it is told."""

from __future__ import annotations

import re

from dataflow_generator.connectors.dataset_names import topic
from dataflow_generator.connectors.flows import Connector, ConnectorFlows, Direction, SideTopic
from dataflow_generator.connectors.sinks import Written, sink
from dataflow_generator.connectors.sources import Read, Reads, source
from dataflow_generator.connectors.topics import USED, cluster_of, side_topics
from scanner_model.problems import Problem

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_TOPIC_KEYS = ("kafka.topic", "topic", "kafka.topics", "topics")


def direction_of(connector: Connector) -> Direction:
    """Tell the direction: what the worker says, else a word of the class's name, else keys that only one side has."""
    if connector.direction:
        return connector.direction
    name = connector.class_name.rpartition(".")[2]
    words = {word.lower() for word in _WORDS.findall(name)}
    if "sink" in words:
        return Direction.SINK
    if "source" in words:
        return Direction.SOURCE
    if connector.config.key("topics", "topics.regex"):
        return Direction.SINK  # only sinks have these two by Connect's own configuration (SinkConnectorConfig)
    return Direction.SOURCE if connector.config.key("kafka.topic", "topic.prefix") else Direction.UNKNOWN


def generic(connector: Connector) -> ConnectorFlows:
    """Read a connector by what every connector has: its topics; its other end is not known."""
    match direction_of(connector):
        case Direction.SINK:
            return sink(connector, Written(targets=lambda _: (), outside_known=False))
        case Direction.SOURCE:
            return _source(connector)
        case direction:
            return _undirected(connector, direction)


def _source(connector: Connector) -> ConnectorFlows:
    key = connector.config.key(*_TOPIC_KEYS)
    names = [name for name in connector.config.items(*_TOPIC_KEYS) if "${" not in name]
    reads = [Read(source=None, topic=name, because=key) for name in names]
    return source(connector, Reads(reads=tuple(reads) or (Read(source=None),)))


def _undirected(connector: Connector, direction: Direction) -> ConnectorFlows:
    """Keep the topics apart: whether they are read or written is not told."""
    namespace = cluster_of(connector, direction)
    listed = [(name, connector.config.key(*_TOPIC_KEYS)) for name in connector.config.items(*_TOPIC_KEYS)]
    used = listed or [(name, USED) for name in sorted(connector.active or ())]
    return ConnectorFlows(
        name=connector.name,
        class_name=connector.class_name,
        direction=direction,
        side_topics=tuple(
            sorted(
                {
                    *side_topics(connector, namespace),
                    *(SideTopic(topic(namespace, n), "direction unknown", b) for n, b in used),
                }
            )
        ),
        problems=(Problem("connector.class", "whether the connector reads or writes topics is not told"),),
    )

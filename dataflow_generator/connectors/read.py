"""Connectors of a class that nobody knows: the topics known of them, and the direction as far as it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dataflow_generator.connectors.dataset_names import object_path, topic, unique
from dataflow_generator.connectors.java_regex import pattern_problems
from dataflow_generator.connectors.model import (
    Connector,
    ConnectorFlows,
    Dataset,
    DatasetKind,
    Direction,
    Flow,
    SideTopic,
)
from dataflow_generator.connectors.registry import find_reader
from dataflow_generator.connectors.sinks import Written, in_order, sink
from dataflow_generator.connectors.sources import Read, Reads, source
from dataflow_generator.connectors.topics import USED, cluster_of, side_topics
from scanner_model.plugins import PluginError
from scanner_model.problems import Problem

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_TOPIC_KEYS = ("kafka.topic", "topic", "kafka.topics", "topics")


def direction_of(connector: Connector) -> Direction:
    """Return the direction: what the worker says, else a word of the class's name, else keys that only one side has."""
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


_CLASS = "OpenLineageLifecycleSmt"


@dataclass(frozen=True, slots=True)
class _Told:
    """Names of the other end, and the topics that they go with one by one where there are as many."""

    datasets: tuple[Dataset, ...]
    topics: tuple[str, ...]
    key: str

    def of(self, topic: str) -> tuple[Dataset, ...]:
        if len(self.topics) == len(self.datasets) and topic in self.topics:
            return (self.datasets[self.topics.index(topic)],)
        return self.datasets


def with_lineage_names(connector: Connector, flows: ConnectorFlows) -> ConnectorFlows:
    """Return *flows* with the datasets that Factor House's transform is told (`dataset.namespace`, `dataset.names`)."""
    told = _told(connector)
    if told is None or flows.direction not in (Direction.SOURCE, Direction.SINK):
        return flows
    renamed = in_order(new for flow in flows.flows for new in _renamed(flow, told, flows.direction))
    return replace(
        flows,
        flows=renamed,
        inputs=unique(flow.source for flow in renamed),
        outputs=unique(flow.target for flow in renamed),
    )


def _told(connector: Connector) -> _Told | None:
    config = connector.config
    for alias in config.items("transforms"):
        step = config.under(f"transforms.{alias}.")
        namespace, names = _plain(step.text("dataset.namespace")), step.items("dataset.names")
        if step.text("type").rpartition(".")[2] == _CLASS and namespace and names:
            datasets = tuple(Dataset(namespace, name) for name in names)
            return _Told(datasets, step.items("topics"), f"transforms.{alias}.dataset.names")
    return None


def _plain(namespace: str) -> str:
    """Take a user and password off a namespace; the container of `abfss://container@account` is none."""
    return object_path(namespace).namespace if "://" in namespace else namespace


def _renamed(flow: Flow, told: _Told, direction: Direction) -> Iterator[Flow]:
    sink = direction is Direction.SINK
    inside = flow.source if sink else flow.target
    known = inside.name if inside is not None and inside.kind is DatasetKind.TOPIC else ""
    because = f"{flow.because}, {told.key}"
    for dataset in told.of(known):
        ends = (flow.source, dataset) if sink else (dataset, flow.target)
        yield replace(flow, source=ends[0], target=ends[1], because=because)


_NOT_KNOWN = "is a class that we do not know: only its topics are told, its other end is not"


def read_connector(connector: Connector) -> ConnectorFlows:
    """Read the flows of *connector* from its configuration; a class that nobody knows keeps its topics."""
    reader = find_reader(connector.class_name)
    problem = None if reader else _unknown(connector)
    with pattern_problems() as unevaluated:
        try:
            flows = (reader or generic)(connector)
        except PluginError as error:
            flows, problem = generic(connector), error.problem
        flows = with_lineage_names(connector, flows)
    reported = {each.what for each in flows.problems}
    more = tuple(each for each in unevaluated.values() if each.what not in reported)
    return replace(flows, problems=(*((problem,) if problem else ()), *flows.problems, *more))


def _unknown(connector: Connector) -> Problem:
    name = connector.class_name
    return Problem("connector.class", f"{name!r} {_NOT_KNOWN}" if name else "is not told: only its topics are known")

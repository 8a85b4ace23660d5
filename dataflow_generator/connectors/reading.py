"""Connector class → flows, by the reader of its class or generically by topics and direction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dataflow_generator.connectors.dataset_names import object_path, topic, unique
from dataflow_generator.connectors.java_regex import pattern_problems
from dataflow_generator.connectors.jdbc_urls import UNKNOWN_HOST
from dataflow_generator.connectors.known_settings import unread_ends
from dataflow_generator.connectors.model import (
    Connector,
    ConnectorFlow,
    ConnectorFlows,
    Dataset,
    DatasetKind,
    Direction,
    SideTopic,
)
from dataflow_generator.connectors.registry import find_reader
from dataflow_generator.connectors.settings import Affected, family_of, uninterpreted, with_unknown_ends
from dataflow_generator.connectors.sinks import SinkTargets, in_order, sink
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import USED, cluster_of, side_topics, topics_written
from scanner_model.errors import Problem
from scanner_model.plugins import PluginError
from scanner_model.text import has_placeholder

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


def direction_of(connector: Connector) -> Direction:
    """Return the direction: reported by the worker, else by the class's name, else by keys of one side only."""
    if connector.direction:
        return connector.direction
    name = connector.class_name.rpartition(".")[2]
    words = {word.lower() for word in _WORDS.findall(name)}
    if "sink" in words:
        return Direction.SINK
    if "source" in words:
        return Direction.SOURCE
    if connector.config.key("topics", "topics.regex"):
        return Direction.SINK  # Connect defines these two for sinks only (SinkConnectorConfig)
    return Direction.SOURCE if connector.config.key("kafka.topic", "topic.prefix") else Direction.UNKNOWN


def generic(connector: Connector) -> ConnectorFlows:
    """Read an unknown connector by the settings that all connectors have: its topics; the other end is unknown."""
    match direction_of(connector):
        case Direction.SINK:
            return sink(connector, SinkTargets(targets=lambda _: (), outside_known=False))
        case Direction.SOURCE:
            return _source(connector)
        case direction:
            return _undirected(connector, direction)


def _source(connector: Connector) -> ConnectorFlows:
    return source(connector, SourceReads(reads=(SourceRead(source=None),)))


def _undirected(connector: Connector, direction: Direction) -> ConnectorFlows:
    """Keep the topics without flows: whether they are read or written is unknown."""
    namespace = cluster_of(connector, direction)
    listed = [(named.name, named.key) for named in topics_written(connector.config) if not has_placeholder(named.name)]
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
        problems=(Problem("connector.class", "whether the connector reads or writes topics is unknown"),),
    )


_CLASS = "OpenLineageLifecycleSmt"


@dataclass(frozen=True, slots=True)
class _LineageNames:
    """Dataset names of the other end, and the topics that they correspond to where there are as many."""

    datasets: tuple[Dataset, ...]
    topics: tuple[str, ...]
    key: str

    def of(self, topic: str) -> tuple[Dataset, ...]:
        if len(self.topics) == len(self.datasets) and topic in self.topics:
            return (self.datasets[self.topics.index(topic)],)
        return self.datasets


def with_lineage_names(connector: Connector, flows: ConnectorFlows) -> ConnectorFlows:
    """Return *flows* with the datasets of Factor House's transform (`dataset.namespace`, `dataset.names`)."""
    lineage_names = _lineage_names(connector)
    if lineage_names is None or flows.direction not in (Direction.SOURCE, Direction.SINK):
        return flows
    renamed = in_order(new for flow in flows.flows for new in _renamed(flow, lineage_names, flows.direction))
    return replace(
        flows,
        flows=renamed,
        inputs=unique(flow.source for flow in renamed),
        outputs=unique(flow.target for flow in renamed),
    )


def _lineage_names(connector: Connector) -> _LineageNames | None:
    config = connector.config
    for alias in config.items("transforms"):
        step = config.under(f"transforms.{alias}.")
        namespace, names = _plain(step.text("dataset.namespace")), step.items("dataset.names")
        if step.text("type").rpartition(".")[2] == _CLASS and namespace and names:
            datasets = tuple(Dataset(namespace, name) for name in names)
            return _LineageNames(datasets, step.items("topics"), f"transforms.{alias}.dataset.names")
    return None


def _plain(namespace: str) -> str:
    """Remove user and password from a namespace; the container of `abfss://container@account` is neither."""
    return object_path(namespace).namespace if "://" in namespace else namespace


def _renamed(flow: ConnectorFlow, lineage_names: _LineageNames, direction: Direction) -> Iterator[ConnectorFlow]:
    sink = direction is Direction.SINK
    inside = flow.source if sink else flow.target
    known = inside.name if inside is not None and inside.kind is DatasetKind.TOPIC else ""
    because = f"{flow.because}, {lineage_names.key}"
    for dataset in lineage_names.of(known):
        ends = (flow.source, dataset) if sink else (dataset, flow.target)
        yield replace(flow, source=ends[0], target=ends[1], because=because)


_NOT_KNOWN = "is not a known connector class; its topics are listed, its external datasets are not"


def read_connector(connector: Connector) -> ConnectorFlows:
    """Read the flows of *connector* from its configuration; a connector of an unknown class keeps its topics."""
    reader = find_reader(connector.class_name)
    problem = None if reader else _unknown(connector)
    with pattern_problems() as unevaluated:
        try:
            flows = (reader or generic)(connector)
        except PluginError as error:
            flows, problem = generic(connector), error.problem
        if reader:
            flows = with_unknown_ends(connector, flows, [*_changes(connector, reader.__module__, flows.direction)])
        flows = with_lineage_names(connector, flows)
    reported = {problem.what for problem in flows.problems}
    more = tuple(pattern for pattern in unevaluated.values() if pattern.what not in reported)
    problems = (*((problem,) if problem else ()), *flows.problems, *_unknown_servers(flows), *more)
    return replace(flows, problems=problems)


def _changes(connector: Connector, module: str, direction: Direction) -> Iterator[tuple[str, Affected]]:
    """Yield the settings that change names or columns and have no rule, with what they change."""
    families = family_of(module, connector.class_name, direction)
    yield from uninterpreted(connector.config, families)
    if module.startswith(_OWN_READERS):
        yield from unread_ends(connector.config, module.rpartition(".")[2], families, direction)


_OWN_READERS = "dataflow_generator.connectors.families."
"""The modules whose settings are known; a plug-in's reader knows its own."""


def _unknown_servers(flows: ConnectorFlows) -> Iterator[Problem]:
    """Yield a problem for each system whose address is unknown: its datasets have half a name."""
    for namespace in sorted({end.namespace for end in (*flows.inputs, *flows.outputs)}):
        scheme, _, rest = namespace.partition("://")
        if rest.partition("/")[0] in ("", UNKNOWN_HOST) and scheme not in ("", namespace):
            what = f"the address of the {scheme} server is not configured, or only by placeholders"
            yield Problem("config", what, f"its datasets are named {namespace}")


def _unknown(connector: Connector) -> Problem:
    name = connector.class_name
    return Problem("connector.class", f"{name!r} {_NOT_KNOWN}" if name else "is not set; only the topics are known")

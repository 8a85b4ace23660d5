"""Datasets that a lineage transform in the chain names itself: they stand for what the class alone would tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dataflow_generator.connectors.dataset_names import object_path, unique
from dataflow_generator.connectors.flows import Connector, ConnectorFlows, Dataset, DatasetKind, Direction, Flow
from dataflow_generator.connectors.sinks import in_order

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


def with_told_names(connector: Connector, flows: ConnectorFlows) -> ConnectorFlows:
    """Give *flows* with the datasets that Factor House's transform is told (`dataset.namespace`, `dataset.names`)."""
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

"""Names of connectors and of their datasets; needs no dictionary."""

from __future__ import annotations

from collections.abc import Mapping

from dataflow_generator.connectors import Dataset as Named
from dataflow_generator.connectors import DatasetKind, Direction
from dataflow_generator.flows.facts import Dataset
from dataflow_generator.flows.naming import Naming
from dataflow_generator.graph import NodeKind

DIRECTIONS: Mapping[str, Direction] = {"source": Direction.SOURCE, "sink": Direction.SINK}
"""Which way a connector moves data, by the worker's word."""


def connect_namespace(cluster: str, source: str) -> str:
    """Give the namespace of a Connect cluster's jobs; two of them may have connectors of one name."""
    return f"connect://{cluster}/{source.removeprefix('connect:')}"


def named_dataset(named: Named | None, naming: Naming) -> Dataset | None:
    """Name a connector's dataset as the graph does."""
    if named is None:
        return None
    if named.kind is DatasetKind.PATTERN:
        return Dataset(NodeKind.DATASET, named.namespace, named.name)
    return naming.dataset(named.namespace, named.name)

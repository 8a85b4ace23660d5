"""Kafka Connect: connector class → flows, derived from configuration alone; one table of readers."""

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.model import (
    Connector,
    ConnectorFlows,
    ConnectorReader,
    Dataset,
    DatasetKind,
    Direction,
    Flow,
    Shape,
    SideTopic,
)
from dataflow_generator.connectors.read import read_connector
from dataflow_generator.connectors.registry import CONNECTORS, MANAGED, find_reader

__all__ = [
    "CONNECTORS",
    "MANAGED",
    "Config",
    "Connector",
    "ConnectorFlows",
    "ConnectorReader",
    "Dataset",
    "DatasetKind",
    "Direction",
    "Flow",
    "Shape",
    "SideTopic",
    "find_reader",
    "read_connector",
]

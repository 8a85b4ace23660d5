"""Kafka Connect: connector class → flows, from configuration alone; plug-ins in a table."""

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.flows import (
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
from dataflow_generator.connectors.reading import read_connector
from dataflow_generator.connectors.table import CONNECTORS, MANAGED, reader_of

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
    "read_connector",
    "reader_of",
]

"""Kafka Connect: connector class → flows, by the reader of its class or generically by topics and direction.

A name is imported when it is first used: the readers of all classes take a tenth of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_model.lazy_names import load

if TYPE_CHECKING:
    from dataflow_generator.connectors.config import Config
    from dataflow_generator.connectors.model import (
        Connector,
        ConnectorFlow,
        ConnectorFlows,
        ConnectorReader,
        Dataset,
        DatasetKind,
        Direction,
        Shape,
        SideTopic,
    )
    from dataflow_generator.connectors.reading import generic, read_connector
    from dataflow_generator.connectors.registry import CONNECTORS, MANAGED, find_reader

__all__ = [
    "CONNECTORS",
    "MANAGED",
    "Config",
    "Connector",
    "ConnectorFlow",
    "ConnectorFlows",
    "ConnectorReader",
    "Dataset",
    "DatasetKind",
    "Direction",
    "Shape",
    "SideTopic",
    "find_reader",
    "generic",
    "read_connector",
]
_ELSEWHERE = {
    "Config": "config",
    "CONNECTORS": "registry",
    "MANAGED": "registry",
    "find_reader": "registry",
    "generic": "reading",
    "read_connector": "reading",
}
"""The modules of names that `model` does not define."""


def __getattr__(name: str) -> object:
    """Import the exported *name* when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = load(f"{__name__}.{_ELSEWHERE.get(name, 'model')}:{name}")
    return value

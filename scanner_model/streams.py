"""Kafka Streams: topologies as their applications describe them."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsTopology:
    """What `Topology.describe()` printed (*topology*).

    *name* is the application id, which the text does not contain.
    """

    source: SourceId
    name: str
    topology: str
    file: str = ""

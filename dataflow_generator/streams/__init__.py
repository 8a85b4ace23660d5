"""Kafka Streams: topologies as text to flows between topics."""

from dataflow_generator.streams.topology import (
    NodeKind,
    SubTopology,
    TopicFlow,
    Topology,
    TopologyNode,
    read_topology,
)

__all__ = ["NodeKind", "SubTopology", "TopicFlow", "Topology", "TopologyNode", "read_topology"]

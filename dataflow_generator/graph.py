"""The flow graph: node and edge kinds, their keys and attributes. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dataflow_generator.build.coverage import Coverage

Attribute = str | int | bool | tuple[str, ...]
Attributes = tuple[tuple[str, Attribute], ...]


class NodeKind(StrEnum):
    """The kind of a node."""

    CLUSTER = "cluster"
    TOPIC = "topic"
    SCHEMA = "schema"
    COLUMN = "column"
    DATASET = "dataset"
    JOB = "job"
    CONSUMER_GROUP = "consumer-group"


class EdgeKind(StrEnum):
    """The relation between the two nodes of an edge."""

    CONTAINS = "contains"
    HAS_SCHEMA = "has-schema"
    READS = "reads"
    WRITES = "writes"
    MEMBER_OF = "member-of"
    MATERIALIZES = "materializes"
    COLUMN_FLOW = "column-flow"


MASKED = "MASKED"
"""The subtype of a column flow whose target shows nothing of the source, as a hash of it.

Events have TRANSFORMATION with `masking` for it.
"""


class Certainty(StrEnum):
    """How an edge is known: declared by a source, derived by a rule, matched by similar names, suggested, observed.

    Source code suggests; monitoring observes.
    """

    DECLARED = "declared"
    DERIVED = "derived"
    MATCHED = "matched"
    SUGGESTED = "suggested"
    OBSERVED = "observed"


@dataclass(frozen=True, slots=True)
class Node:
    """A node: *key* is unique and stable across generations; *path* is that of a column, None for other nodes."""

    key: str
    kind: NodeKind
    namespace: str
    name: str
    path: tuple[str, ...] | None = None
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two node keys: *type* and *subtype* refine the kind, *evidence* is the reason for it."""

    source: str
    target: str
    kind: EdgeKind
    evidence: str
    certainty: Certainty
    type: str = ""
    subtype: str = ""


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """Nodes and edges in one order, the same for every engine and output; each call reads them again.

    Nodes: clusters, topics, other datasets, consumer groups and jobs, columns that take part in flows, then each schema
    followed by its columns. Edges: cluster to topic, topic to schema, reads of groups and jobs, writes of jobs, group
    to job, dataset to column, flows between columns, then each schema to its columns.
    Schemas are not held in memory, so a graph may exceed it. *coverage* counts what of the statements was
    read. *part* says which part of a graph this is; empty for all. *systems* are what people call namespaces: names of
    clusters, aliases of servers.
    """

    nodes: Callable[[], Iterator[Node]]
    edges: Callable[[], Iterator[Edge]]
    coverage: Coverage = Coverage()
    part: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)


def kafka_namespace(cluster: str, brokers: tuple[str, ...]) -> str:
    """Return the OpenLineage namespace of a cluster: its first broker address, or its name where none is known.

    Source: OpenLineage naming, `kafka://{bootstrap server host}:{port}`.
    """
    return f"kafka://{brokers[0] if brokers else cluster}"


def schema_key(fingerprint: str) -> str:
    """Return the key of a schema's node; 80 bits of the fingerprint are unique among the schemas of an installation."""
    return f"schema:{fingerprint[:20]}"


def present(**attributes: str | int | bool | tuple[str, ...] | None) -> Attributes:
    """Return *attributes* sorted by name, without those that are None, empty or False."""
    return tuple(
        (name, value) for name, value in sorted(attributes.items()) if value or (value == 0 and value is not False)
    )

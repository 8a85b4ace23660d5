"""The parts of a flow graph: nodes, edges, and how each is named. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from dataflow_generator.build.coverage import Coverage

Attribute = str | int | bool | tuple[str, ...]
Attributes = tuple[tuple[str, Attribute], ...]


class NodeKind(StrEnum):
    """What a node stands for."""

    CLUSTER = "cluster"
    TOPIC = "topic"
    SCHEMA = "schema"
    COLUMN = "column"
    DATASET = "dataset"
    JOB = "job"
    CONSUMER_GROUP = "consumer-group"


class EdgeKind(StrEnum):
    """What an edge says of its two nodes."""

    CONTAINS = "contains"
    HAS_SCHEMA = "has-schema"
    READS = "reads"
    WRITES = "writes"
    MEMBER_OF = "member-of"
    MATERIALIZES = "materializes"
    COLUMN_FLOW = "column-flow"


class Certainty(StrEnum):
    """How an edge came to be: somebody said so, a rule concluded it, or two names are alike."""

    DECLARED = "declared"
    DERIVED = "derived"
    MATCHED = "matched"


@dataclass(frozen=True, slots=True)
class Node:
    """A node: *key* is unique and the same in every generation; *path* is a column's, None for other nodes."""

    key: str
    kind: NodeKind
    namespace: str
    name: str
    path: tuple[str, ...] | None = None
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes' keys: *type* and *subtype* refine the kind, *evidence* says why we believe it."""

    source: str
    target: str
    kind: EdgeKind
    evidence: str
    certainty: Certainty
    type: str = ""
    subtype: str = ""


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """Nodes and edges in the one order that every engine and every output keeps; each call reads them anew.

    Nodes: clusters, topics, other datasets, consumer groups and jobs, columns that take part in flows, then each schema
    followed by its columns. Edges: clusters' to topics, topics' to schemas, what groups and jobs read, what jobs write,
    which job a group is of, datasets' to their columns, flows between columns, then each schema's to its columns.
    Schemas are not held in memory, so a graph may be larger than that. *coverage* counts what of the statements was
    read. *part* says which part of a graph this is; empty for all.
    """

    nodes: Callable[[], Iterator[Node]]
    edges: Callable[[], Iterator[Edge]]
    coverage: Coverage = Coverage()
    part: str = ""


def kafka_namespace(cluster: str, brokers: tuple[str, ...]) -> str:
    """Return the OpenLineage namespace of a cluster: its first broker address, or its name where none is known.

    Source: OpenLineage naming, `kafka://{bootstrap server host}:{port}`.
    """
    return f"kafka://{brokers[0] if brokers else cluster}"


def schema_key(fingerprint: str) -> str:
    """Return the key of a schema's node; 80 bits of the fingerprint tell any two schemas of an estate apart."""
    return f"schema:{fingerprint[:20]}"


def present(**attributes: str | int | bool | tuple[str, ...] | None) -> Attributes:
    """Return those attributes that tell something, by name: not what is absent, empty or false."""
    return tuple(
        (name, value) for name, value in sorted(attributes.items()) if value or (value == 0 and value is not False)
    )

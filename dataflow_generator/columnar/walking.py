"""A graph in Parquet files as lineage walks it: each step reads the edges at its nodes, and nothing of schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dataflow_generator.columnar.schema import ORDER, SCHEMAS, record_edge
from dataflow_generator.graph import Edge, EdgeKind, NodeKind
from dataflow_generator.lineage import Ahead, Hop, Kinds

_COLUMN = f"{NodeKind.COLUMN}:"


def ahead_in_parquet(directory: Path) -> Ahead[str, Edge]:
    """Give what looks ahead in the graph in *directory*, in this process; raises InputInvalid where there is none."""
    from pyarrow import dataset

    from dataflow_generator.columnar.about import read_about

    read_about(directory)
    edges = dataset.dataset(directory / "edges", format="parquet", partitioning="hive")

    def ahead(nodes: Sequence[str], forward: bool, kinds: Kinds) -> Iterable[Hop[str, Edge]]:
        near = dataset.field("source" if forward else "target").isin(list(nodes))
        # Nothing flows from or to a column of a schema: flows have columns of their own.
        wanted = near & dataset.field("kind").isin(sorted(kinds)) & (dataset.field("rank") < SCHEMAS)
        found = edges.to_table(filter=wanted).sort_by([(name, "ascending") for name in ORDER])
        return hops(found.to_pylist())

    return ahead


def hops(rows: Iterable[Mapping[str, Any]]) -> Iterator[Hop[str, Edge]]:
    """Give rows of edges as a walk takes them; of the edges `contains` only those to a column."""
    for edge in map(record_edge, rows):
        if edge.kind is not EdgeKind.CONTAINS or edge.target.startswith(_COLUMN):
            yield Hop(edge.source, edge.target, str(edge.kind), edge)

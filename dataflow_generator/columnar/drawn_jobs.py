"""What jobs make, as rows: each part drawn by whoever read it, all put together without an object for a row.

It is `flows.drawing.drawn` for jobs that no event or catalog bears on, which join or rename those of others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from dataflow_generator.columnar.above import numbered
from dataflow_generator.columnar.schema import EDGE_DDL, FLOWS, NODE_DDL, arrow_schema, edge_rows, node_rows
from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.drawing import column_nodes, datasets_of, drawn_alone
from dataflow_generator.flows.facts import Dataset
from dataflow_generator.graph import Edge, EdgeKind, Node
from dataflow_generator.jobs import PartReading

Table = Any
Array = Any

_KINDS = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MEMBER_OF, EdgeKind.COLUMN_FLOW)
_JOB, _HOLDER = "job", "holder"
_COLUMN_DDL, _EDGE_OF_JOB_DDL = f"{NODE_DDL}, {_HOLDER} string", f"{EDGE_DDL}, {_JOB} string"


class DrawnPart(NamedTuple):
    """The jobs of one part: their nodes, their edges by kind with the *job* of each, the columns in their flows.

    Each column comes with its *holder*, the key of its topic or dataset.
    """

    keys: tuple[str, ...]
    coverage: Coverage
    datasets: frozenset[Dataset]
    jobs: Table
    columns: Table
    edges: Mapping[EdgeKind, Table]


class DrawnJobs(NamedTuple):
    """Nodes and edges of all jobs, in their places, and how much was read for them."""

    nodes: Table
    edges: Table
    coverage: Coverage


def draw_part(found: PartReading) -> DrawnPart:
    """Draw the jobs of a part, each alone."""
    jobs = [each.flows for each in found.jobs]
    drawings = {each.job.key: drawn_alone(each) for each in jobs}
    edges: dict[EdgeKind, list[tuple[str, Edge]]] = {kind: [] for kind in _KINDS}
    for key, drawing in drawings.items():
        for edge in chain(drawing.uses, drawing.flows):
            edges[edge.kind].append((key, edge))
    places = {key: place for each in drawings.values() for key, place in each.places.items()}
    columns = _table(node_rows, list(column_nodes(places, found.described)))
    return DrawnPart(
        keys=tuple(each.flows.job.key for each in found.jobs),
        coverage=Coverage.total(each.coverage for each in found.jobs),
        datasets=datasets_of(jobs),
        jobs=_table(node_rows, [each.job for each in jobs]),
        columns=_with(columns, _HOLDER, [place.dataset.key for place in places.values()]),
        edges={
            kind: _with(_table(edge_rows, [edge for _, edge in own]), _JOB, [key for key, _ in own])
            for kind, own in edges.items()
        },
    )


def put_together(parts: Sequence[DrawnPart], there: Collection[str]) -> DrawnJobs | None:
    """Give what the jobs of all parts make; *there* are the keys of topics that the graph has without them.

    None where two jobs have one name, or one flow in common: one of them must give way then.
    """
    keys = sorted(key for part in parts for key in part.keys)
    if len(set(keys)) < len(keys):
        return None
    reads, writes, members, flows = (_in_order([part.edges[kind] for part in parts], keys) for kind in _KINDS)
    if _has_doubles(flows):
        return None
    columns = _unique(_concat([part.columns for part in parts], _COLUMN_DDL))
    datasets = sorted(frozenset[Dataset]().union(*(part.datasets for part in parts)))
    kept = [Node(each.key, each.kind, each.namespace, each.name) for each in datasets if each.key not in there]
    jobs = _concat([part.jobs for part in parts], NODE_DDL).sort_by("node_key")
    nodes = [_table(node_rows, kept), jobs, columns.drop_columns([_HOLDER])]
    edges = [each.drop_columns([_JOB]) for each in (reads, writes, members, flows)]
    edges.insert(3, _contains(columns, flows))
    coverage = Coverage.total(part.coverage for part in parts)
    return DrawnJobs(numbered(nodes, FLOWS), numbered(edges, FLOWS), coverage)


def _in_order(tables: Sequence[Table], keys: Sequence[str]) -> Table:
    """Put edges in the order of their jobs; those of one job stay in theirs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = _concat(tables, _EDGE_OF_JOB_DDL)
    return rows.take(pc.array_sort_indices(pc.index_in(rows[_JOB], pa.array(keys, pa.string()))))


def _has_doubles(flows: Table) -> bool:
    names = ["source", "target", "evidence", "certainty", "type", "subtype"]
    return len(flows.group_by(names).aggregate([])) < len(flows)


def _unique(columns: Table) -> Table:
    """Give each column once, in the order of their keys."""
    import pyarrow.compute as pc

    keys = columns["node_key"].combine_chunks()
    wanted = pc.unique(keys)
    wanted = wanted.take(pc.array_sort_indices(wanted))
    return columns.take(pc.index_in(wanted, keys))


def _contains(columns: Table, flows: Table) -> Table:
    """Give the edges to *columns* from what holds them, each believed for the first flow at the column."""
    import pyarrow as pa

    first = flows.take(_first_flows(columns["node_key"], flows))
    alike = {"type": "", "subtype": "", "kind": str(EdgeKind.CONTAINS)}
    made = {
        "source": columns[_HOLDER],
        "target": columns["node_key"],
        **{name: first[name] for name in ("evidence", "certainty", "rank", "place")},
        **{name: pa.repeat(pa.scalar(text, pa.string()), len(columns)) for name, text in alike.items()},
    }
    return pa.table({name: made[name] for name in arrow_schema(EDGE_DDL).names}).cast(arrow_schema(EDGE_DDL))


def _first_flows(columns: Array, flows: Table) -> Array:
    """Give the place among *flows* of the first that leads from or to each of *columns*."""
    import pyarrow.compute as pc

    ends = [(pc.index_in(columns, flows[end].combine_chunks())) for end in ("source", "target")]
    return pc.min_element_wise(*ends)


def _concat(tables: Sequence[Table], ddl: str) -> Table:
    import pyarrow as pa

    return pa.concat_tables([arrow_schema(ddl).empty_table(), *tables])


def _table(rows: Any, listed: Sequence[Any]) -> Table:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    return pa.Table.from_batches([rows(listed, FLOWS, range(len(listed)))])


def _with(table: Table, name: str, values: Iterable[str]) -> Table:
    import pyarrow as pa

    return table.append_column(name, pa.array(list(values), pa.string()))

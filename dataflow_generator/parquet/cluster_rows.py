"""The part of a graph in Parquet files that a cluster is: its rows are known by their places, and read in order.

What is held is keys and places of what stands above the schemas, and definitions, in Arrow; never rows of columns.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.parquet.dataset import EDGES, NODES, ParquetTables, RowFilter
from dataflow_generator.parquet.schema import ORDER, SCHEMAS
from dataflow_generator.parquet.schema_batches import PLACES
from dataflow_generator.query.stored_graph import BESIDE

Arrow = Any
"""A table, a column or a mask: pyarrow has no types."""

_HIGH = 61
"""A row is told by its rank above these bits; below them by its place, in a schema by the definition."""

_ENDS = ("source", "target")
_COLUMN, _JOB = f"{NodeKind.COLUMN}:", f"{NodeKind.JOB}:"


class Chosen(NamedTuple):
    """The marks of the nodes and of the edges that are chosen, sorted."""

    nodes: Arrow
    edges: Arrow

    def of(self, table: str) -> Callable[[Arrow], Arrow]:
        """Return what leaves of rows of *table* those that are chosen."""
        marks = self.nodes if table == NODES else self.edges
        told = memoryview(marks.buffers()[1]).cast("q")[marks.offset : marks.offset + len(marks)] if len(marks) else ()
        return lambda rows: _those_marked(rows, marks, told)


def cluster_rows(tables: ParquetTables, cluster: str) -> Chosen:
    """Choose what is in *cluster*, the jobs at its topics, what else these read and write, and what holds it all.

    The same that `part_of_cluster` gives of any graph.
    """
    import pyarrow.compute as pc

    hubs, above = _beside(tables, cluster)
    columns, above = _flowing(tables, above), _with_holders(tables, above)
    every = _union(above, columns)
    inside = list(_definitions(tables, above))
    nodes = _marks(tables.tables(NODES, RowFilter(), ("node_key", *ORDER)), lambda rows: _in(rows["node_key"], every))
    edges = list(inside)
    for kinds, mask in (
        (BESIDE, lambda rows: pc.or_(_in(rows["source"], hubs), _in(rows["target"], hubs))),
        ((EdgeKind.CONTAINS,), lambda rows: _in(rows["target"], every)),
        ((EdgeKind.HAS_SCHEMA,), lambda rows: _in(rows["source"], above)),
        ((EdgeKind.COLUMN_FLOW,), lambda rows: _flows(rows, columns, every)),
    ):
        edges += _marks(tables.tables(EDGES, RowFilter(kinds=kinds), (*_ENDS, *ORDER)), mask)
    return Chosen(_sorted([*nodes, *inside]), _sorted(edges))


def _beside(tables: ParquetTables, cluster: str) -> tuple[Arrow, Arrow]:
    """Return what is in the cluster with the jobs at it, and these with what they read and write."""
    import pyarrow.compute as pc

    kinds = frozenset(NodeKind) - {NodeKind.COLUMN, NodeKind.SCHEMA}
    nodes = tables.table(NODES, RowFilter(kinds=kinds), ("node_key", "kind", "namespace", "name"))
    is_cluster, is_it = pc.equal(nodes["kind"], NodeKind.CLUSTER), pc.equal(nodes["name"], cluster)
    homes = pc.unique(nodes["namespace"].filter(pc.and_(is_cluster, is_it)))
    here = pc.and_(pc.is_in(nodes["namespace"], value_set=homes), pc.or_(pc.invert(is_cluster), is_it))
    mine = _union(nodes["node_key"].filter(here))
    edges = tables.table(EDGES, RowFilter(kinds=BESIDE), _ENDS)
    near = _union(mine, *_touched(edges, mine))
    jobs = near.filter(pc.starts_with(near, _JOB))
    return _union(mine, jobs), _union(near, *_touched(edges, jobs))


def _touched(edges: Arrow, keys: Arrow) -> Iterator[Arrow]:
    import pyarrow.compute as pc

    found = edges.filter(pc.or_(_in(edges["source"], keys), _in(edges["target"], keys)))
    return (found[end] for end in _ENDS)


def _flowing(tables: ParquetTables, above: Arrow) -> Arrow:
    """Return the columns of what is there that flow into each other, or onto it as a whole."""
    import pyarrow.compute as pc

    held = []
    for rows in tables.tables(EDGES, RowFilter(kinds=(EdgeKind.CONTAINS,)), _ENDS):
        inner = pc.and_(_in(rows["source"], above), pc.starts_with(rows["target"], _COLUMN))
        held.append(rows["target"].filter(inner))
    columns = _union(*held)
    within, ends = _union(columns, above), []
    for rows in tables.tables(EDGES, RowFilter(kinds=(EdgeKind.COLUMN_FLOW,)), _ENDS):
        found = rows.filter(_flows(rows, columns, within))
        ends += [pc.unique(found[end]) for end in _ENDS]
    found = _union(*ends)
    return found.filter(pc.starts_with(found, _COLUMN))


def _flows(rows: Arrow, columns: Arrow, within: Arrow) -> Arrow:
    import pyarrow.compute as pc

    return pc.and_(_in(rows["source"], columns), _in(rows["target"], within))


def _with_holders(tables: ParquetTables, above: Arrow) -> Arrow:
    """Return *above* and what holds it, up to the clusters."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = tables.tables(EDGES, RowFilter(kinds=(EdgeKind.CONTAINS,)), _ENDS)
    holding = [rows.filter(pc.invert(pc.starts_with(rows["target"], _COLUMN))) for rows in found]
    edges = pa.concat_tables(holding) if holding else None
    while edges is not None:
        wider = _union(above, edges["source"].filter(_in(edges["target"], above)))
        if len(wider) == len(above):
            break
        above = wider
    return above


def _definitions(tables: ParquetTables, above: Arrow) -> Iterator[Arrow]:
    """Return the marks of the rows in the schemas that topics have."""
    edges = tables.table(EDGES, RowFilter(kinds=(EdgeKind.HAS_SCHEMA,)), _ENDS)
    schemas = _union(edges["target"].filter(_in(edges["source"], above)))
    wanted = RowFilter(ranks=(SCHEMAS,), kinds=(NodeKind.SCHEMA,))
    return _marks(tables.tables(NODES, wanted, ("node_key", *ORDER)), lambda rows: _in(rows["node_key"], schemas))


def _marks(tables: Iterable[Arrow], mask: Callable[[Arrow], Arrow]) -> Iterator[Arrow]:
    return (_mark(rows.filter(mask(rows))) for rows in tables)


def _mark(rows: Arrow) -> Arrow:
    import pyarrow as pa
    import pyarrow.compute as pc

    inside = pc.equal(rows["rank"], SCHEMAS)
    place = pc.if_else(inside, pc.shift_right(rows["place"], PLACES), rows["place"])
    return pc.add(pc.shift_left(rows["rank"].cast(pa.int64()), _HIGH), place)


def _those_marked(rows: Arrow, marks: Arrow, told: Sequence[int]) -> Arrow:
    """Look among the marks around those of *rows* only: to prepare all for each group of rows takes long."""
    import pyarrow.compute as pc

    found = _mark(rows)
    ends = pc.min_max(found).as_py()
    if ends["min"] is None:
        return rows
    first, last = bisect_left(told, ends["min"]), bisect_right(told, ends["max"])
    return rows.filter(pc.is_in(found, value_set=marks.slice(first, last - first)))


def _union(*parts: Arrow) -> Arrow:
    """Put keys together, each once; the result may be longer than an array of short offsets."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = [chunk.cast(pa.large_string()) for part in parts for chunk in getattr(part, "chunks", [part])]
    return pc.unique(pa.chunked_array(chunks, pa.large_string()))


def _in(values: Arrow, keys: Arrow) -> Arrow:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(values.cast(pa.large_string()), value_set=keys)


def _sorted(parts: Iterable[Arrow]) -> Arrow:
    """Put marks together in order."""
    import pyarrow as pa

    chunks = [chunk for part in parts for chunk in part.chunks]
    return pa.chunked_array(chunks, pa.int64()).unique().sort()

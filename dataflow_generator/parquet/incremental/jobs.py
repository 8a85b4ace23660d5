"""What jobs make of a graph in Parquet files: what jobs that were read again made is replaced, the rest kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, NamedTuple

from dataflow_generator.build.graph_builder import Described, JobGraph, build_job_alone, column_nodes, datasets_of
from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.jobs.kinds import LookupContext
from dataflow_generator.jobs.model import ColumnRef, Dataset, JobFlows
from dataflow_generator.parquet.incremental.topics import Topics
from dataflow_generator.parquet.job_tables import (
    Array,
    JobTables,
    Table,
    among,
    inserted,
    merged,
    numbered,
    place_of,
    without,
)
from dataflow_generator.parquet.schema import FLOWS, edge_rows, node_rows

_COLUMN = f"{NodeKind.COLUMN}:"
_USES = {EdgeKind.READS: "target", EdgeKind.WRITES: "source", EdgeKind.MEMBER_OF: "source"}
_AT_ONCE = 200
_DATASETS, _JOBS = (NodeKind.TOPIC, NodeKind.DATASET), (NodeKind.JOB, NodeKind.CONSUMER_GROUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """The keys of all jobs in order, those that differ from the graph before, and those that are no more.

    *flowing* counts the flows between columns of those that had any before.
    """

    keys: Sequence[str]
    changed: Sequence[JobFlows]
    gone: frozenset[str]
    flowing: Sequence[tuple[str, int]]

    @property
    def erased(self) -> frozenset[str]:
        """Return the jobs whose rows of before are not kept."""
        return self.gone | {each.job.key for each in self.changed}


class Drawn(NamedTuple):
    """Nodes and edges that jobs make, and how many flows between columns each has that has any."""

    nodes: Table
    edges: Table
    flowing: Sequence[tuple[str, int]]


def renewed_flows(old: JobTables, jobs: Jobs, topics: Topics, around: LookupContext) -> Drawn:
    """Return what jobs make now; raises Unrenewable where the rows of before are not what this program wrote."""
    drawings = {each.job.key: build_job_alone(each) for each in sorted(jobs.changed, key=lambda each: each.job.key)}
    places = {key: place for each in drawings.values() for key, place in each.places.items()}
    flows = _flows(old, jobs, drawings)
    contains = _contains(old, flows, places)
    uses = [_uses(old, kind, jobs, drawings) for kind in _USES]
    named = _named(uses, contains.rows, flows.rows)
    nodes = [
        _datasets(old, jobs, topics, named),
        _job_nodes(old, jobs),
        _columns(old, contains, places, topics, around),
    ]
    edges = [*uses, contains.rows, flows.rows]
    return Drawn(numbered(nodes, FLOWS), numbered(edges, FLOWS), flows.flowing)


class _Flows(NamedTuple):
    """Flows between columns: all *rows* now, how many each job has, and the *ends* of those that came or went."""

    rows: Table
    flowing: Sequence[tuple[str, int]]
    ends: frozenset[str]


def _flows(old: JobTables, jobs: Jobs, drawings: Mapping[str, JobGraph]) -> _Flows:
    import pyarrow.compute as pc

    kept = old.edge_rows(FLOWS, EdgeKind.COLUMN_FLOW)
    if sum(count for _, count in jobs.flowing) != len(kept):
        raise Unrenewable
    places, erased = {key: at for at, key in enumerate(jobs.keys)}, jobs.erased
    staying = [(None if key in erased else places.get(key), count) for key, count in jobs.flowing]
    at = _repeated(staying)
    edges = [(places[key], edge) for key, drawing in drawings.items() for edge in drawing.flows]
    new = _edge_table([edge for _, edge in edges])
    rows = merged(kept, at, new, [place for place, _ in edges])
    left = kept.filter(pc.is_null(at))
    ends = frozenset(chain.from_iterable(each[end].to_pylist() for each in (left, new) for end in ("source", "target")))
    counts = Counter({place: count for place, count in staying if place is not None})
    counts.update(place for place, _ in edges)
    return _Flows(rows, [(jobs.keys[place], counts[place]) for place in sorted(counts)], ends)


def _repeated(runs: Sequence[tuple[int | None, int]]) -> Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pa.array(accumulate(count for _, count in runs), pa.int32())
    values = pa.array([value for value, _ in runs], pa.int64())
    return pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(ends, values)) if runs else values


class _Contains(NamedTuple):
    """The edges from datasets to their columns: all *rows* now, and the columns that came or went."""

    rows: Table
    came: frozenset[str]
    went: frozenset[str]


def _contains(old: JobTables, flows: _Flows, places: Mapping[str, ColumnRef]) -> _Contains:
    """Believe each column at a flow that came or went for the first flow that is there now."""
    before = old.edge_rows(FLOWS, EdgeKind.CONTAINS)
    touched = frozenset(key for key in flows.ends if key.startswith(_COLUMN))
    ours = before.filter(among(before["target"], touched))
    datasets = dict(zip(ours["target"].to_pylist(), ours["source"].to_pylist(), strict=True))
    new = {key: place.dataset.key for key, place in places.items()}
    if any(datasets.get(key, dataset) != dataset for key, dataset in new.items()):
        raise Unrenewable
    first = _first_flows(flows)
    there = sorted(touched & first.keys())
    if not {*there} <= {*datasets, *new}:
        raise Unrenewable
    holders = {**new, **datasets}
    edges = [Edge(holders[key], key, EdgeKind.CONTAINS, *first[key]) for key in there]
    kept = without(before, "target", touched)
    rows = inserted(kept, kept["target"].combine_chunks(), _edge_table(edges), there)
    return _Contains(rows, frozenset(there) - datasets.keys(), touched - first.keys())


def _first_flows(flows: _Flows) -> dict[str, tuple[str, Certainty]]:
    """Return why each end is believed; raises Unrenewable where two jobs have a flow there in common."""
    import pyarrow.compute as pc

    rows = flows.rows.filter(pc.or_(among(flows.rows["source"], flows.ends), among(flows.rows["target"], flows.ends)))
    names = ("source", "target", "evidence", "certainty", "type", "subtype")
    cells = list(zip(*(rows[name].to_pylist() for name in names), strict=True))
    if len(set(cells)) < len(cells):
        raise Unrenewable
    found: dict[str, tuple[str, Certainty]] = {}
    for source, target, evidence, certainty, *_ in cells:
        found.setdefault(source, (evidence, Certainty(certainty)))
        found.setdefault(target, (evidence, Certainty(certainty)))
    return {key: why for key, why in found.items() if key in flows.ends}


def _uses(old: JobTables, kind: EdgeKind, jobs: Jobs, drawings: Mapping[str, JobGraph]) -> Table:
    kept = old.edge_rows(FLOWS, kind)
    places = {key: at for at, key in enumerate(jobs.keys)}
    edges = [(places[key], edge) for key, each in drawings.items() for edge in each.uses if edge.kind == kind]
    at = place_of(kept[_USES[kind]], jobs.keys, jobs.erased)
    return merged(kept, at, _edge_table([edge for _, edge in edges]), [place for place, _ in edges])


def _named(uses: Sequence[Table], contains: Table, flows: Table) -> Array:
    """Return the keys of the datasets that edges name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    reads, writes, _ = uses
    plain = (flows[end].filter(pc.invert(pc.starts_with(flows[end], _COLUMN))) for end in ("source", "target"))
    found = [reads["source"], writes["target"], contains["source"], *plain]
    return pc.unique(pa.chunked_array([chunk for each in found for chunk in each.chunks], pa.string()))


def _datasets(old: JobTables, jobs: Jobs, topics: Topics, named: Array) -> Table:
    """Return the datasets that are no live topics, in their order."""
    import pyarrow.compute as pc

    others = named.filter(pc.invert(among(named, topics.places)))
    known = _concat(*(old.node_rows(FLOWS, kind) for kind in _DATASETS))
    new = {each.key: each for each in datasets_of(jobs.changed)}
    new |= {key: Dataset(NodeKind.TOPIC, topics.spaces[at], name) for key, (at, name) in topics.gone.items()}
    missing = others.filter(pc.invert(pc.is_in(others, known["node_key"].combine_chunks()))).to_pylist()
    if not new.keys() >= set(missing):
        raise Unrenewable
    nodes = [Node(key, new[key].kind, new[key].namespace, new[key].name) for key in missing]
    rows = _concat(known, _node_table(nodes))
    rows = rows.filter(pc.is_in(rows["node_key"], others))
    return rows.sort_by([("kind", "ascending"), ("namespace", "ascending"), ("name", "ascending")])


def _job_nodes(old: JobTables, jobs: Jobs) -> Table:
    nodes = sorted((each.job for each in jobs.changed), key=lambda node: node.key)
    known = _concat(*(old.node_rows(FLOWS, kind) for kind in _JOBS))
    rows = _concat(without(known, "node_key", jobs.erased), _node_table(nodes)).sort_by("node_key")
    if rows["node_key"].to_pylist() != list(jobs.keys):
        raise Unrenewable
    return rows


def _columns(
    old: JobTables, contains: _Contains, places: Mapping[str, ColumnRef], topics: Topics, around: LookupContext
) -> Table:
    """Return the columns that take part in flows; those of topics that differ are described again."""
    known = old.node_rows(FLOWS, NodeKind.COLUMN)
    again = {key: place for key, place in _inside(known, topics) if key not in contains.went}
    wanted = {**again, **{key: places[key] for key in contains.came}}
    nodes = list(column_nodes(dict(sorted(wanted.items())), _described(wanted.values(), around)))
    kept = without(known, "node_key", {*contains.went, *wanted})
    rows = inserted(kept, kept["node_key"].combine_chunks(), _node_table(nodes), sorted(wanted))
    if len(rows) != len(contains.rows):
        raise Unrenewable
    return rows


def _inside(columns: Table, topics: Topics) -> Iterator[tuple[str, ColumnRef]]:
    """List the columns of topics that differ."""
    names = {(topics.spaces[cluster], name) for cluster, name in topics.differing.values()}
    rows = columns.filter(among(columns["name"], {name for _, name in names}))
    cells = (rows[name].to_pylist() for name in ("node_key", "namespace", "name", "path"))
    for key, namespace, name, path in zip(*cells, strict=True):
        if (namespace, name) in names:
            yield key, ColumnRef(Dataset(NodeKind.TOPIC, namespace, name), tuple(path))


def _described(places: Iterable[ColumnRef], around: LookupContext) -> Described:
    """Read the columns of the topics that *places* are in."""
    spaces = around.naming.clusters
    clusters = {namespace: name for name, namespace in spaces.items()}
    datasets = {place.dataset for place in places}
    wanted = sorted({(clusters[each.namespace], each.name) for each in datasets if each.namespace in clusters})
    found: dict[tuple[str, str], Any] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        told = around.columns(wanted[start : start + _AT_ONCE])
        found |= {(spaces[cluster], topic): columns for (cluster, topic), columns in told.items()}
    return found


def _edge_table(edges: Sequence[Edge]) -> Table:
    import pyarrow as pa

    return pa.Table.from_batches([edge_rows(edges, FLOWS, range(len(edges)))])


def _node_table(nodes: Sequence[Node]) -> Table:
    import pyarrow as pa

    return pa.Table.from_batches([node_rows(nodes, FLOWS, range(len(nodes)))])


def _concat(*tables: Table) -> Table:
    import pyarrow as pa

    return pa.concat_tables(tables)

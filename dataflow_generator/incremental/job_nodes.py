"""Jobs in a stored graph: drawn anew where they differ, and what only they kept there taken away."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from dataflow_generator.build.graph_builder import JobGraph, build_job_alone, column_nodes, datasets_of
from dataflow_generator.build.schema_nodes import object_text
from dataflow_generator.build.store import edge_row
from dataflow_generator.graph import EdgeKind, Node, NodeKind
from dataflow_generator.incremental.keys import Section, Unrenewable, edge_numbers, edge_span
from dataflow_generator.incremental.nodes import COLUMNS, DATASETS, JOBS, Upper, dataset_sort
from dataflow_generator.jobs.kinds import LookupContext, described
from dataflow_generator.jobs.model import ColumnRef, Dataset, JobFlows
from scanner_dictionary.graph import update as graph_changes
from scanner_dictionary.graph.store import EdgeRow
from scanner_dictionary.graph.update import FirstFlow

_OF_JOBS = (Section.READS, Section.WRITES, Section.MEMBERS, Section.FLOWS)


def erase_jobs(upper: Upper, jobs: Iterable[str]) -> None:
    """Take away what jobs, by key, read, write and let flow; a job that is not there has nothing."""
    numbers = [upper.nodes[key].id for key in sorted(jobs) if key in upper.nodes]
    spans = [edge_span(section, number) for number in numbers for section in _OF_JOBS]
    upper.touched |= graph_changes.ends_within(upper.conn, spans)
    graph_changes.delete_spans(upper.conn, spans)


def draw_jobs(upper: Upper, jobs: Iterable[JobFlows], around: LookupContext) -> None:
    """Add jobs that were erased or are new, with the datasets and columns that they name."""
    listed = sorted(jobs, key=lambda each: each.job.key)
    drawings = {each.job.key: build_job_alone(each) for each in listed}
    datasets = (each for each in datasets_of(listed) if each.key not in upper.nodes)
    nodes = [Node(each.key, each.kind, each.namespace, each.name) for each in datasets]
    upper.place(DATASETS, {dataset_sort(node): node for node in nodes})
    upper.place(JOBS, {each.job.key: each.job for each in listed if each.job.key not in upper.nodes})
    texts = {upper.number(each.job.key): object_text(each.job.attributes) for each in listed}
    graph_changes.describe_nodes(upper.conn, texts)
    places = {key: place for each in drawings.values() for key, place in each.places.items()}
    new = {key: place for key, place in places.items() if key not in upper.columns}
    told = described(listed, around)
    upper.place(COLUMNS, {node.key: node for node in column_nodes(new, told)})
    upper.fresh |= {upper.number(key): place.dataset.key for key, place in new.items()}
    _add_edges(upper, drawings)


def settle(upper: Upper, described_anew: Collection[str], gone: Iterable[str], around: LookupContext) -> None:
    """Tell why touched columns are there, describe those of topics *described_anew*, and take away what nobody uses."""
    topics = {upper.nodes[key].id for key in described_anew if key in upper.nodes}
    inside = graph_changes.columns_in_flows(upper.conn, topics)
    keys = {number: key for key, number in upper.columns.items()}
    touched = upper.touched | inside.keys()
    columns = (touched | upper.fresh.keys()) & keys.keys()
    flows = graph_changes.first_flows(upper.conn, columns)
    _believe(upper, flows)
    _describe(upper, {keys[number]: at for number, at in inside.items() if number in flows}, around)
    spans = [edge_span(Section.COLUMNS, number) for number in sorted(columns - flows.keys())]
    touched |= graph_changes.ends_within(upper.conn, spans)
    graph_changes.delete_spans(upper.conn, spans)
    upper.remove(keys[number] for number in columns - flows.keys())
    _sweep(upper, touched, gone)


def _add_edges(upper: Upper, drawings: Mapping[str, JobGraph]) -> None:
    keys = upper.numbers(edge for drawing in drawings.values() for edge in (*drawing.uses, *drawing.flows))
    rows: list[EdgeRow] = []
    for job, drawing in drawings.items():
        edges = (*drawing.uses, *drawing.flows)
        if any(end not in keys for edge in edges for end in (edge.source, edge.target)):
            raise Unrenewable
        numbered = edge_numbers(edges, keys, [(job, len(drawing.flows))])
        rows += [edge_row(number, edge, keys) for number, edge in numbered]
    graph_changes.add_rows(upper.conn, edges=rows)
    upper.touched |= {end for row in rows for end in (row.source_node_id, row.target_node_id)}
    flows = {row.target_node_id for row in rows if row.kind == EdgeKind.COLUMN_FLOW}
    if graph_changes.has_doubles(upper.conn, flows):
        raise Unrenewable


def _believe(upper: Upper, flows: Mapping[int, FirstFlow]) -> None:
    """Report why columns are there: of each the first flow tells."""
    numbers = {number: edge_span(Section.COLUMNS, number)[0] for number in flows}
    new = (
        EdgeRow(numbers[at], upper.number(key), at, str(EdgeKind.CONTAINS), "", "", *flows[at])
        for at, key in sorted(upper.fresh.items())
        if at in flows
    )
    graph_changes.update_edge_certainty(
        upper.conn, {numbers[at]: why for at, why in flows.items() if at not in upper.fresh}
    )
    graph_changes.add_rows(upper.conn, edges=new)


def _describe(upper: Upper, columns: Mapping[str, int], around: LookupContext) -> None:
    """Describe *columns*, each with the number of its topic, as the schemas of the topics do now."""
    spaces = around.naming.clusters
    clusters = {namespace: name for name, namespace in spaces.items()}
    topics = frozenset(columns.values())
    wanted = {(clusters[node.namespace], node.name) for node in upper.nodes.values() if node.id in topics}
    texts = dict.fromkeys(columns, "{}")
    for topic, found in around.columns(wanted).items():
        dataset = Dataset(NodeKind.TOPIC, spaces[topic[0]], topic[1])
        places = {ColumnRef(dataset, column.path).key: ColumnRef(dataset, column.path) for column in found}
        inside = {key: place for key, place in places.items() if key in texts}
        told = {(dataset.namespace, dataset.name): found}
        texts |= {node.key: object_text(node.attributes) for node in column_nodes(inside, told)}
    graph_changes.describe_nodes(upper.conn, {upper.number(key): text for key, text in texts.items()})


def _sweep(upper: Upper, touched: Collection[int], gone: Iterable[str]) -> None:
    """Take away datasets that nothing leads to or from any more, and jobs that are *gone*."""
    datasets = {
        node.id: key
        for key, node in upper.nodes.items()
        if node.id in touched and node.kind in (NodeKind.TOPIC, NodeKind.DATASET)
    }
    used = graph_changes.with_edges(upper.conn, datasets)
    upper.remove(key for number, key in datasets.items() if number not in used)
    upper.remove(key for key in gone if key in upper.nodes)

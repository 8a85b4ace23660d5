"""What we tell, read again: whatever columns are called, the same flows between the same columns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.jobs.field_matching import EventFields
from dataflow_generator.openlineage.emit.datasets import DictionaryMetadata
from dataflow_generator.openlineage.emit.graph_events import EventOptions, graph_events
from dataflow_generator.openlineage.emit.run_events import event_line
from dataflow_generator.openlineage.events import InvalidEvent, read_event
from dataflow_generator.openlineage.facets import read_facet
from scanner_model.columns import KEY, branch, field_segment, path_name
from scanner_model.openlineage import LineageEvent

K = "kafka://k-1:9092"
NAMES = st.text(st.sampled_from("aé.`[]{}<>@ key0"), min_size=1, max_size=6) | st.sampled_from([KEY, "[]", "`a`"])
SEGMENTS = NAMES.map(field_segment) | st.sampled_from(["[]", "[0]", "{}", KEY]) | NAMES.map(branch)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=4).map(tuple)
HOW = st.sampled_from([("DIRECT", "IDENTITY"), ("DIRECT", "AGGREGATION"), ("INDIRECT", "JOIN"), ("INDIRECT", "FILTER")])
WHOLE = st.none()
FLOWS = st.lists(st.tuples(PATHS | WHOLE, PATHS | WHOLE, HOW), max_size=8)


def node(kind: NodeKind, name: str, path: tuple[str, ...] | None = None) -> Node:
    return Node(f"{kind}:{K}/{name}" + ("" if path is None else f"#{path_name(path)}"), kind, K, name, path)


A, B, JOB = node(NodeKind.TOPIC, "a"), node(NodeKind.TOPIC, "b"), node(NodeKind.JOB, "j")


def graph(flows: list[Any]) -> FlowGraph:
    ends = [
        (
            A if source is None else node(NodeKind.COLUMN, "a", source),
            B if target is None else node(NodeKind.COLUMN, "b", target),
            how,
        )
        for source, target, how in flows
    ]
    nodes = {item.key: item for item in (A, B, JOB, *(end for pair in ends for end in pair[:2]))}
    uses = [Edge(A.key, JOB.key, EdgeKind.READS, "why", Certainty.DERIVED)]
    uses += [Edge(JOB.key, B.key, EdgeKind.WRITES, "why", Certainty.DERIVED)]
    edges = [Edge(s.key, t.key, EdgeKind.COLUMN_FLOW, "why", Certainty.DERIVED, *how) for s, t, how in ends]
    return FlowGraph(nodes=lambda: iter(nodes.values()), edges=lambda: iter([*uses, *edges]))


def read_again(flows: list[Any], variant: str) -> list[LineageEvent]:
    nothing = DictionaryMetadata(columns=lambda topics: {}, annotations={}, names={})
    telling = EventOptions(at="2026-03-01T10:00:00+00:00", producer="urn:somebody:1", mode=variant)
    events = [read_event(event_line(event)) for event in graph_events(graph(flows), nothing, telling)]
    assert not any(isinstance(event, InvalidEvent) for event in events)
    return events  # type: ignore[return-value]


@examples(150)
@given(FLOWS, st.sampled_from(["design", "run"]))
def test_flows_of_columns_come_back_whatever_columns_are_called(flows, variant) -> None:
    """Also where another dictionary knows nothing but the events, and somebody else signs them."""
    facets = [facet for event in read_again(flows, variant) if event.job for facet in event.job.facets]
    facets += [
        facet for event in read_again(flows, variant) for dataset in event.datasets for facet in dataset.use_facets
    ]
    result = {(flow.origin_path, flow.target_path, flow.type, flow.subtype) for facet in facets for flow in facet.flows}

    expected = {(source, target, *how) for source, target, how in flows if source is not None or target is not None}
    assert {item for item in result if item[:2] != (None, None)} == expected


@examples(80)
@given(FLOWS)
def test_columns_of_a_schema_come_back_as_they_were(flows) -> None:
    """Nested ones, marks, and names that look like marks."""
    datasets = [dataset for event in read_again(flows, "design") if not event.job for dataset in event.datasets]
    result = {
        (dataset.ref.name, column.path) for dataset in datasets for facet in dataset.facets for column in facet.columns
    }

    sides = {("a", source) for source, _, _ in flows} | {("b", target) for _, target, _ in flows}
    assert result == {side for side in sides if side[1] is not None}


@pytest.mark.parametrize(
    ("producer", "path"), [("urn:scanner:1.0", (KEY, "id")), ("https://github.com/x/spark", ("@key.id",))]
)
def test_dots_and_marks_are_read_where_we_wrote_them(producer, path) -> None:
    """In Spark's events a name with dots is a column's own name."""
    facet = read_facet("schema", {"_producer": producer, "fields": [{"name": "@key.id"}]}).facet

    assert [column.path for column in facet.columns] == [path]


def test_name_of_ours_that_is_no_path_is_kept() -> None:
    """Somebody may sign with our name, and write what we never do."""
    facet = read_facet("schema", {"_producer": "urn:scanner:1", "fields": [{"name": "a..b"}, {"name": ""}]}).facet

    assert [column.path for column in facet.columns] == [("a..b",), ("",)]


@pytest.mark.parametrize(("reported", "result"), [("value", ()), ("key", (KEY,)), ("other", ("other",))])
def test_one_value_without_fields_is_called_by_its_side(reported, result) -> None:
    """As Spark calls it; a topic whose message has fields takes `value` for the whole of it."""
    fields = EventFields([(), (KEY,), ("id",)], topic=True)

    assert fields.find((reported,)) == result
    assert EventFields([("id",)], topic=True).find(("value",)) is None


def test_facets_are_ours_whoever_reports_the_event() -> None:
    """Their names of fields are paths, and who reads them must know."""
    nothing = DictionaryMetadata(columns=lambda topics: {}, annotations={}, names={})
    telling = EventOptions(at="2026-03-01T10:00:00+00:00", producer="urn:somebody:1")
    (first, *_) = map(json.loads, map(event_line, graph_events(graph([]), nothing, telling)))

    assert first["producer"] == "urn:somebody:1"
    assert first["dataset"]["facets"]["datasetType"]["_producer"].startswith("urn:scanner:")

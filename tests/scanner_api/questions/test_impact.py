"""What is affected, in one sentence: jobs and consumer groups, or else the data."""

from __future__ import annotations

import scanner_api
from dataflow_generator.build.store import store
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from scanner_api.questions.impact import impact

KAFKA = "kafka://k-1:9092"


def topic(name: str) -> Node:
    return Node(f"topic:{KAFKA}/{name}", NodeKind.TOPIC, KAFKA, name)


def column(name: str, field: str) -> Node:
    return Node(f"column:{KAFKA}/{name}#{field}", NodeKind.COLUMN, KAFKA, name, (field,))


def test_without_a_job_the_affected_columns_are_counted_not_their_topics(tmp_path) -> None:
    """Flows of columns whose job is not known."""
    a, b = topic("a"), topic("b")
    inner = [(holder, column(holder.name, field)) for holder in (a, b) for field in ("id", "day", "sum")]
    ends = [(held, EdgeKind.CONTAINS, holder) for holder, held in inner]
    ends += [(column("b", field), EdgeKind.COLUMN_FLOW, column("a", field)) for field in ("id", "day", "sum")]
    edges = [Edge(source.key, target.key, kind, "", Certainty.DERIVED) for target, kind, source in ends]
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    engine = dictionary.writing()
    store(engine, FlowGraph(nodes=lambda: iter((a, b, *(held for _, held in inner))), edges=lambda: iter(edges)))
    engine.dispose()

    assert impact(dictionary, "a").sentence.startswith("a: a change affects 1 topic and 3 columns in 1 system")

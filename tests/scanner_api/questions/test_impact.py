"""What is affected, in one sentence: jobs and consumer groups, or else the data."""

from __future__ import annotations

import scanner_api
from dataflow_generator.build.store import store
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from scanner_api.questions.impact import impact
from scanner_api.questions.removal import may_remove

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


def test_what_is_behind_a_program_of_unknown_columns_does_not_read_the_column_itself(tmp_path) -> None:
    """It may get the value through the program; to say that it reads it sends people to the wrong code."""
    a, b = topic("a"), topic("b")
    held = column("a", "id")
    jobs = [
        Node(f"job:{KAFKA}/{name}", NodeKind.JOB, KAFKA, name, None, (("unread", True),)) for name in ("app", "sink")
    ]
    ends = [
        (a, held, EdgeKind.CONTAINS),
        (a, jobs[0], EdgeKind.READS),
        (jobs[0], b, EdgeKind.WRITES),
        (b, jobs[1], EdgeKind.READS),
    ]
    edges = [Edge(source.key, target.key, kind, "", Certainty.DERIVED) for source, target, kind in ends]
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    engine = dictionary.writing()
    store(engine, FlowGraph(nodes=lambda: iter((a, b, held, *jobs)), edges=lambda: iter(edges)))
    engine.dispose()

    (answer,) = may_remove(dictionary, "a.id")
    assert {use.name: use.what.partition(";")[0] for use in answer.uses if use.kind in ("job", "topic")} == {
        "app": "may read it: its columns are not known",
        "sink": "may get it through app, whose columns are not known",
        "b": "may get it through app, whose columns are not known",
    }

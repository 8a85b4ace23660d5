"""Topologies of streams groups, as the jobs of Kafka Streams read them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.jobs.streams_topology import TopicFlow, read_topology
from scanner_extractor.systems.kafka.streams_groups import source_topics, topology_of


def subtopology(number: int, *sources: str, own: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "subtopology_id": str(number),
        "source_topics": list(sources),
        "repartition_sink_topics": [],
        "state_changelog_topics": [],
        "repartition_source_topics": [{"name": name} for name in own],
        **more,
    }


def node(
    name: str, kind: int, *successors: str, topics: tuple[str, ...] = (), sink: str | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "node_type": kind,
        "source_topics": list(topics),
        "sink_topic": sink,
        "stores": [],
        "successors": list(successors),
    }


def group(*parts: dict[str, Any], nodes: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    described = nodes and {"subtopologies": [{"subtopology_id": "0", "nodes": nodes}], "global_stores": []}
    return {"name": "totals", "topology": {"subtopologies": list(parts)}, "topology_description": described}


def test_own_topics_of_version_0_are_internal() -> None:
    """Repartition topics and changelogs are no topics of others; what is written beyond them is not in it."""
    first = subtopology(0, "orders", repartition_sink_topics=["totals-by-repartition"])
    changelog = [{"name": "totals-sums-changelog"}]
    second = subtopology(1, own=("totals-by-repartition",), state_changelog_topics=changelog)
    topology = read_topology(topology_of(group(first, second)), "totals")

    assert (topology.sources, topology.sinks, topology.problems) == (("orders",), (), ())
    assert topology.internal == ("totals-by-repartition", "totals-sums-changelog")


def test_described_nodes_reach_their_sinks() -> None:
    """Version 1 has them; what one source feeds does not come from the other."""
    nodes = [
        node("in", 1, "map", topics=("orders",)),
        node("map", 2, "out"),
        node("out", 3, sink="sums"),
        node("other", 1, "free", topics=("clicks",)),
        node("free", 3),
    ]
    topology = read_topology(topology_of(group(subtopology(0, "orders", "clicks"), nodes=nodes)), "totals")

    assert topology.flows == (TopicFlow("orders", "sums"),)
    assert topology.dynamic == ("free",)


def test_source_by_pattern_reads_what_the_broker_resolved() -> None:
    """Its node has no topics."""
    nodes = [node("in", 1, "out"), node("out", 3, sink="all")]
    topology = read_topology(topology_of(group(subtopology(0, "log-a", "log-b"), nodes=nodes)), "totals")

    assert topology.flows == (TopicFlow("log-a", "all"), TopicFlow("log-b", "all"))


def test_description_of_other_topics_does_not_count() -> None:
    """A response that was misread, or is of another epoch, must not make flows."""
    nodes = [node("in", 1, "out", topics=("strange",)), node("out", 3, sink="sums")]
    topology = read_topology(topology_of(group(subtopology(0, "orders"), nodes=nodes)), "totals")

    assert (topology.sources, topology.sinks) == (("orders",), ())


def test_group_without_topology_has_none() -> None:
    """Before a member joined, the broker does not know it."""
    assert topology_of({"name": "a", "topology": None}) == ""
    assert source_topics({"name": "a", "topology": {"subtopologies": None}}) == []


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_any_name_of_a_node_stays_one_line(names: list[str]) -> None:
    """Names are chosen by users; the text is one of lines."""
    nodes = [node(name, 2) for name in names]
    text = topology_of(group(subtopology(0, "orders"), nodes=[node("in", 1, *names, topics=("orders",)), *nodes]))

    assert read_topology(text, "totals").problems == ()

"""Shortest paths: all of them, within limits, on the routes of jobs."""

from __future__ import annotations

import networkx
from edges_in_memory import ahead_in
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.graph import Certainty, Edge, EdgeKind
from dataflow_generator.query.traversal import DATASETS, PathLimits, shortest_paths


def edge(source: str, target: str, kind: EdgeKind, route: str = "") -> Edge:
    return Edge(source, target, kind, "", Certainty.DERIVED, subtype=route)


def reads(source: str, target: str, route: str = "") -> Edge:
    return edge(source, target, EdgeKind.READS, route)


def writes(source: str, target: str, route: str = "") -> Edge:
    return edge(source, target, EdgeKind.WRITES, route)


def names(result) -> list[list[str]]:
    return [[path[0].source, *(hop.target for hop in path)] for path in result.paths]


def test_all_shortest_paths_are_returned() -> None:
    """One of two would look like the only one."""
    edges = [reads("a", "j"), reads("a", "k"), writes("j", "b"), writes("k", "b"), reads("b", "l"), writes("l", "a")]
    result = shortest_paths("a", "b", DATASETS, ahead_in(edges))

    assert names(result) == [["a", "j", "b"], ["a", "k", "b"]]
    assert result.complete


def test_a_job_with_routes_is_left_on_the_route_it_was_entered_on() -> None:
    """A mirror of ten topics does not connect the first with the second."""
    edges = [reads("a", "m", "a"), reads("b", "m", "b"), writes("m", "a'", "a"), writes("m", "b'", "b")]

    assert names(shortest_paths("a", "a'", DATASETS, ahead_in(edges))) == [["a", "m", "a'"]]
    assert names(shortest_paths("a", "b'", DATASETS, ahead_in(edges))) == []


def test_limits_end_the_search_and_are_reported() -> None:
    """Not found within the limits is not the same as not there."""
    chain = [edge(f"n{at}", f"n{at + 1}", EdgeKind.MATERIALIZES) for at in range(10)]
    ahead = ahead_in(chain)

    assert not shortest_paths("n0", "n9", DATASETS, ahead, PathLimits(steps=3)).complete
    assert not shortest_paths("n0", "n9", DATASETS, ahead, PathLimits(nodes=3)).complete
    assert shortest_paths("n0", "elsewhere", DATASETS, ahead).complete
    assert shortest_paths("n0", "n0", DATASETS, ahead) == shortest_paths("n5", "n5", DATASETS, ahead)


def test_more_paths_than_wanted_are_cut() -> None:
    """A layered graph has a number of paths that grows exponentially."""
    layers = [edge(f"{at}{x}", f"{at + 1}{y}", EdgeKind.MATERIALIZES) for at in range(12) for x in "abc" for y in "abc"]
    result = shortest_paths("0a", "12b", DATASETS, ahead_in(layers), PathLimits(paths=4))

    assert len(result.paths) == 4
    assert len({tuple(path) for path in names(result)}) == 4
    assert not result.complete


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=25))
def test_paths_are_those_of_networkx(pairs) -> None:
    """An independent judge for graphs without routes."""
    edges = [edge(f"{a}", f"{b}", EdgeKind.MATERIALIZES) for a, b in sorted(pairs)]
    judge = networkx.DiGraph([(f"{a}", f"{b}") for a, b in pairs])
    judge.add_nodes_from(["0", "7"])
    expected = list(networkx.all_shortest_paths(judge, "0", "7")) if networkx.has_path(judge, "0", "7") else []

    found = shortest_paths("0", "7", DATASETS, ahead_in(edges), PathLimits(paths=10_000))
    assert sorted(names(found)) == sorted(expected)

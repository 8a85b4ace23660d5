"""Tests for tags inherited along column flows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.analysis.inherited_tags import TagEdge, TagFlow, TaggedColumn, inherited_tags


class Flow(NamedTuple):
    """A flow between two columns."""

    id: int
    source_node_id: int
    target_node_id: int
    subtype: str = "IDENTITY"
    flow_type: str = "DIRECT"
    evidence: str = ""


def flows(*rows: tuple[object, ...]) -> list[Flow]:
    """Build flows numbered in their order."""
    return [Flow(number, *row) for number, row in enumerate(rows, 1)]  # type: ignore[arg-type]


def spread(edges: Sequence[Flow], *starts: int) -> tuple[list[TaggedColumn], list[TaggedColumn]]:
    """Return what inherits the tag of *starts*, and where it is masked."""

    def edges_from(nodes: Sequence[int]) -> list[TagEdge]:
        return [edge for edge in edges if edge.source_node_id in set(nodes)]

    found = inherited_tags({start: {"PII"} for start in starts}, edges_from)
    return list(found.inherited), list(found.masked)


def described(edges: Sequence[Flow], *starts: int) -> list[tuple[int, int, str, int]]:
    """Return node, origin, flow and steps of what inherits."""
    return [(column.node, column.origin, str(column.flow), column.steps) for column in spread(edges, *starts)[0]]


def test_a_copy_of_a_copy_has_the_tag_with_its_path() -> None:
    copies, _ = spread(flows((1, 2), (2, 3)), 1)

    assert [(column.node, [edge.id for edge in column.path]) for column in copies] == [(2, [1]), (3, [1, 2])]


def test_what_is_computed_from_a_copy_has_the_tag_weaker_and_so_have_its_copies() -> None:
    edges = flows((1, 2), (2, 3, "TRANSFORMATION"), (3, 4), (4, 5, ""))

    assert described(edges, 1) == [
        (2, 1, "copied", 1),
        (3, 1, "computed", 2),
        (4, 1, "computed", 3),
        (5, 1, "computed", 4),
    ]


def test_what_only_decides_on_rows_passes_no_tag_on() -> None:
    assert described(flows((1, 2, "FILTER", "INDIRECT"), (1, 3, "JOIN", "INDIRECT")), 1) == []


def test_a_masked_flow_ends_the_tag_and_is_reported() -> None:
    inherited, masked = spread(flows((1, 2, "MASKED"), (2, 3)), 1)

    assert inherited == []
    assert [(column.node, column.flow, column.steps) for column in masked] == [(2, TagFlow.MASKED, 1)]


def test_a_column_that_is_also_copied_unmasked_is_not_masked() -> None:
    inherited, masked = spread(flows((1, 2, "MASKED"), (1, 2)), 1)

    assert [column.flow for column in inherited] == [TagFlow.COPIED]
    assert masked == []


def test_of_two_paths_the_shortest_wins_then_the_first_in_the_graph() -> None:
    diamond = flows((1, 2), (1, 3), (3, 4), (2, 4), (1, 4))

    assert described(diamond[:4], 1)[-1] == (4, 1, "copied", 2)
    assert spread(diamond[:4], 1)[0][-1].path == (diamond[1], diamond[2])
    assert described(diamond, 1)[-1] == (4, 1, "copied", 1)


def test_a_long_way_of_copies_is_stronger_than_a_short_computed_one() -> None:
    assert described(flows((1, 3, "TRANSFORMATION"), (1, 2), (2, 3)), 1)[-1] == (3, 1, "copied", 2)


def test_a_cycle_ends_and_a_declared_column_inherits_nothing() -> None:
    edges = flows((1, 2), (2, 3), (3, 1), (3, 3))

    assert [node for node, *_ in described(edges, 1)] == [2, 3]
    assert described(edges, 1, 2, 3) == []


def test_a_hub_is_read_once() -> None:
    edges = flows(*((1, node) for node in range(2, 500)), *((node, 500) for node in range(2, 500)))
    asked: list[int] = []

    def edges_from(nodes: Sequence[int]) -> list[TagEdge]:
        asked.extend(nodes)
        return [edge for edge in edges if edge.source_node_id in set(nodes)]

    found = inherited_tags({1: {"PII", "GDPR"}}, edges_from)

    assert len(found.inherited) == 2 * 499
    assert sorted(asked) == list(range(1, 501))


NODES = st.integers(0, 7)
KINDS = st.sampled_from(["IDENTITY", "TRANSFORMATION", "MASKED", ""])


@given(st.lists(st.tuples(NODES, NODES, KINDS), max_size=25), st.sets(NODES, min_size=1))
def test_whatever_the_graph_each_path_leads_from_its_origin_and_has_its_steps(rows, starts) -> None:
    inherited, masked = spread(flows(*rows), *starts)

    for column in (*inherited, *masked):
        path = column.path
        ends = [(edge.source_node_id, edge.target_node_id) for edge in path]
        assert column.origin in starts
        assert column.node not in starts
        assert (ends[0][0], ends[-1][1], len(path)) == (column.origin, column.node, column.steps)
        assert all(before[1] == after[0] for before, after in pairwise(ends))
        assert (column.flow is TagFlow.COPIED) == all(edge.subtype == "IDENTITY" for edge in path)
    assert {column.node for column in inherited}.isdisjoint(column.node for column in masked)

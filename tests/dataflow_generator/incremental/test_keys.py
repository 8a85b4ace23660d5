"""The keys of stored rows: in order, and with room between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.incremental.keys import Line, Section, Unrenewable, edge_span, node_numbers, schema_places


@given(st.lists(st.sets(st.integers(0, 50)), min_size=2, max_size=4), st.data())
def test_new_nodes_stand_where_they_are_sorted(sections, data) -> None:
    """Sections follow each other, whatever comes into which of them."""
    numbers = node_numbers(sum(map(len, sections)))
    held = [[(sort, next(numbers)) for sort in sorted(section)] for section in sections]
    line, all_held = (
        Line([tuple(zip(*section, strict=True)) or ((), ()) for section in held]),
        [dict(section) for section in held],
    )
    for _ in range(3):
        at = data.draw(st.integers(0, len(sections) - 1))
        new = data.draw(st.sets(st.integers(51, 99), max_size=5)) - all_held[at].keys()
        all_held[at] |= line.insert(at, new)

    ordered = [section[sort] for section in all_held for sort in sorted(section)]
    assert ordered == sorted(set(ordered))
    assert all(number < 0 for number in ordered)


def test_a_place_without_room_says_so() -> None:
    """All are numbered anew then."""
    line = Line([((1, 3), (-20, -19))])

    with pytest.raises(Unrenewable):
        line.insert(0, [2])


def test_nodes_out_of_order_are_not_ours() -> None:
    """Somebody else changed them, or sorts otherwise."""
    with pytest.raises(Unrenewable):
        Line([((2, 1), (-20, -19))])


def test_edges_are_in_order_of_their_kind_then_of_their_node() -> None:
    """Each node has room for sixteen million of each kind, all below those of the schemas."""
    one, other = list(node_numbers(2))
    spans = [edge_span(section, node) for section in Section for node in (one, other)]

    flat = [number for span in spans for number in span]
    assert flat == sorted(set(flat))
    assert flat[-1] < 0
    assert spans[0][1] - spans[0][0] == 2**24 - 1


def test_schemas_keep_their_places_when_others_come() -> None:
    """A definition is never changed, and a new one comes last."""
    assert schema_places([(1, 3), (2, 0), (5, 7)]) == {1: 1, 2: 5, 5: 6}

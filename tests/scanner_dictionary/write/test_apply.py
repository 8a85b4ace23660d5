"""Comparing what is stored with what is wanted, for every combination."""

from __future__ import annotations

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.write.apply import Stored, Wanted, in_order, merge

_keys = st.tuples(st.sampled_from(["a", "b", "c"]), st.one_of(st.none(), st.integers(1, 2)))
_stored = st.dictionaries(
    _keys, st.builds(Stored, st.just(1), st.tuples(st.integers(1, 2)), st.integers(1, 2), st.none() | st.just(3))
)
_wanted = st.lists(st.builds(Wanted, _keys, st.integers(1, 2), st.just(()), st.tuples(st.integers(1, 2))))


@examples(150)
@given(_stored, _wanted, st.booleans())
def test_every_row_has_one_fate(stored, wanted, provable) -> None:
    """Nothing is lost between the two sides, and nothing is done twice."""
    plan, _ = merge(stored, wanted, lambda _key, _old: provable)
    named = {row.key for row in wanted}

    assert {row.key for row in plan.added} == named - stored.keys()
    assert len(plan.changed) + len(plan.observed) == len(named & stored.keys())
    alive = {key for key, old in stored.items() if old.gone is None} - named
    assert len(plan.gone) == (len(alive) if provable else 0)
    assert len(plan.unread) == (0 if provable else len(alive))


@examples(50)
@given(_stored, _wanted)
def test_order_of_what_is_wanted_changes_nothing_but_which_double_counts(stored, wanted) -> None:
    """Keys are assigned in the plan's order, so it must not depend on which source was first."""
    unique = list({row.key: row for row in wanted}.values())

    assert merge(stored, unique, lambda *_: True) == merge(stored, unique[::-1], lambda *_: True)


def test_first_of_two_rows_with_one_key_counts() -> None:
    """The caller reports the key."""
    plan, twice = merge({}, [Wanted(("a",), 1, (), (1,)), Wanted(("a",), 1, (), (2,))], lambda *_: True)

    assert [row.values for row in plan.added] == [(1,)]
    assert twice == {("a",)}


def test_absent_part_of_a_key_sorts_first() -> None:
    """A schema declared by hand has no version."""
    assert sorted([("a", 2), ("a", None), ("a", 1)], key=in_order) == [("a", None), ("a", 1), ("a", 2)]

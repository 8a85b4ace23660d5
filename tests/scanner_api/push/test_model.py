"""Merging what we want into what is there, with what we wrote before: what others wrote stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from push_world import settings

from scanner_api.push.model import contains, is_same, merge
from scanner_api.push.targets.datahub import DataHub

TARGET = DataHub(settings("datahub"))
VALUES = st.dictionaries(st.sampled_from(["a", "b", "globalTags"]), st.none()).flatmap(
    lambda names: st.fixed_dictionaries(
        {name: st.sets(st.sampled_from("xyz"), min_size=1).map(sorted) for name in names}
    )
)


def test_member_of_others_stays() -> None:
    merged = merge(None, {"a": 1}, {"a": 2, "b": 3}, TARGET, created=False)

    assert (merged.wanted, merged.ours) == ({"a": 1, "b": 3}, {"b": 3})


def test_member_of_ours_that_somebody_changed_is_theirs() -> None:
    merged = merge({"a": 1}, {"a": 9}, {"a": 2}, TARGET, created=True)

    assert (merged.wanted, merged.ours) == ({"a": 9}, {})


def test_elements_are_added_to_those_of_others() -> None:
    merged = merge(
        {"globalTags": ["old"]}, {"globalTags": ["old", "theirs"]}, {"globalTags": ["new"]}, TARGET, created=True
    )

    assert merged.wanted == {"globalTags": ["theirs", "new"]}


def test_resource_that_others_wrote_to_is_not_removed() -> None:
    merged = merge({"a": 1}, {"a": 1, "theirs": 2}, None, TARGET, created=True)

    assert merged.wanted == {"theirs": 2}


def test_members_that_a_server_adds_are_no_change() -> None:
    assert contains({"a": [{"b": 1, "added": None}]}, {"a": [{"b": 1}]})
    assert not contains({"a": [1, 2]}, {"a": [1]})


@given(VALUES, VALUES, VALUES)
def test_undoing_a_merge_leaves_what_was_there(base, live, mine) -> None:
    """What we wrote before is there still, in any state of the others."""
    before = merge(None, live, base, TARGET, created=False)
    done = merge(before.ours, before.wanted, mine, TARGET, created=False)

    undone = merge(done.ours, done.wanted, done.restore, TARGET, created=False)

    assert {name: sorted(value) for name, value in (undone.wanted or {}).items()} == {
        name: sorted(value) for name, value in (before.wanted or {}).items()
    }
    assert is_same(merge(before.ours, before.wanted, base, TARGET, created=False).wanted, before.wanted)

"""What is connected, as people count it: by hand on small graphs, and against a slow reference on any."""

from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.analysis.connectivity import Component, components

NODES = st.sampled_from([f"{kind}:{name}" for kind in ("topic", "job", "dataset", "consumer-group") for name in "abcd"])


def test_a_component_is_called_by_its_least_topic_and_counts_by_kind() -> None:
    """People know topics; a job's name comes first in the alphabet only."""
    result = components([("topic:b", "job:a"), ("job:a", "dataset:a"), ("topic:c", "job:a")])

    assert result == (Component(name="topic:b", sizes={"dataset": 1, "job": 1, "topic": 2}),)
    assert result[0].nodes == 4


def test_the_largest_comes_first_and_one_without_a_topic_has_a_name_all_the_same() -> None:
    """Two databases that a job connects are a part, too."""
    result = components([("dataset:y", "job:1"), ("topic:a", "job:2"), ("job:2", "topic:b"), ("dataset:x", "job:1")])

    assert [item.name for item in result] == ["dataset:x", "topic:a"]


@given(st.lists(st.tuples(NODES, NODES)))
def test_any_links_give_what_joining_sets_gives(links) -> None:
    """The reference joins sets link by link, and is slow."""
    sets: dict[str, frozenset[str]] = {}
    for source, target in links:
        joined = sets.get(source, frozenset([source])) | sets.get(target, frozenset([target]))
        sets |= dict.fromkeys(joined, joined)

    assert sorted(component.nodes for component in components(links)) == sorted(map(len, set(sets.values())))

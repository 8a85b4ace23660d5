"""Which data is stale, and because of what."""

from __future__ import annotations

from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.names import summary
from scanner_api.questions.staleness import staleness

EXAMPLE = Path(__file__).parents[3] / "examples/retail"


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return the scanned example with its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("retail") / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def test_what_a_failed_connector_writes_is_stale_with_its_cause(retail) -> None:
    """The connector itself is the cause, and what it reads is fresh."""
    (row,) = staleness(retail)

    assert (row.kind, row.cause_name, row.steps) == ("dataset", "orders-as-json", 1)
    assert row.reason == "failed: 1 of 1 tasks FAILED"


def test_what_no_graph_was_generated_for_is_not_known_to_be_fresh(tmp_path) -> None:
    """An empty answer that is not complete is no all-clear."""
    dictionary = scanner_api.open_dictionary(tmp_path / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")

    assert (staleness(dictionary).items, staleness(dictionary).complete) == ((), False)


def test_topics_are_counted_in_the_dictionary_without_a_graph(tmp_path) -> None:
    """The graph counts none before it is generated."""
    dictionary = scanner_api.open_dictionary(tmp_path / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")

    counts = summary(dictionary).counts
    assert counts is not None
    assert (counts["topics"], counts["internal_topics"], counts["mentioned_topics"]) == (31, 7, 0)

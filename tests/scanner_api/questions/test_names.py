"""Counts and lists of the graph's nodes and of findings, for a home page."""

from __future__ import annotations

from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import findings
from scanner_api.questions.names import nodes, summary
from scanner_api.questions.table import QUESTIONS
from scanner_model.errors import InputInvalid

EXAMPLE = Path(__file__).parents[3] / "examples/retail"


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the example, and generate its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("home") / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def test_summary_counts_what_the_lists_have(retail) -> None:
    """The home shows no other number than the list behind it."""
    counts = summary(retail)
    listed = nodes(retail)

    assert sum(each.count for each in counts.nodes) == len(listed) > 60
    assert {each.kind for each in counts.nodes} == {node.kind for node in listed}
    assert {each.rule: each.count for each in counts.findings} == {
        each.rule: len(findings(retail, rule=each.rule)) for each in counts.findings
    }
    assert [str(each.severity) for each in counts.findings] == ["error", "warning", "warning"]
    assert counts.coverage
    assert (counts.coverage["columns"], counts.coverage["unread"]) == (5, 0)
    assert (counts.coverage["connector_columns"], counts.coverage["problems"]) == (9, 5)
    assert {each.cluster for each in counts.nodes if each.kind == "topic"} == {"retail"}


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.counts], ids=lambda each: each.name)
def test_each_list_that_is_counted_has_as_many_rows(retail, question) -> None:
    counts = summary(retail).counts or {}

    assert sum(counts[name] for name in question.counts) == len(question.answer(retail)) > 0


def test_nodes_are_listed_in_pages_without_a_gap(retail) -> None:
    """By namespace and name, whatever the size of a page."""
    whole = [node.id for node in nodes(retail, kind="job")]
    pages, cursor = [], None
    while cursor is not None or not pages:
        page = nodes(retail, kind="job", limit=4, cursor=cursor)
        pages += [node.id for node in page]
        cursor = page.next_cursor

    assert pages == whole
    assert len(whole) == 15


def test_a_connector_with_a_failed_task_is_listed_as_failed(retail) -> None:
    """Its worker calls it RUNNING."""
    (failed,) = nodes(retail, failed=True)

    assert failed.name == "orders-as-json"
    assert failed.attributes["state"] == "RUNNING"
    assert failed.attributes["failed"] == "1 of 1 tasks FAILED"
    assert "Tolerance exceeded" in str(failed.attributes["error"])


def test_nodes_are_limited_by_namespace_and_name(retail) -> None:
    """A glob, or a part of the name."""
    assert {node.namespace for node in nodes(retail, namespace="connect://retail/lab")} == {"connect://retail/lab"}
    assert [node.name for node in nodes(retail, pattern="orders.R*")] == ["orders.RETRY"]


def test_a_wrong_cursor_is_an_error(retail) -> None:
    """That of another list."""
    with pytest.raises(InputInvalid, match="cursor"):
        nodes(retail, limit=1, cursor="WzFd")


def test_without_a_graph_there_are_no_nodes(tmp_path) -> None:
    """And nothing fails."""
    empty = scanner_api.open_dictionary(tmp_path / "empty.db", create=True)

    assert summary(empty)[:3] == ((), (), None)
    assert set(summary(empty).counts.values()) == {0}
    assert nodes(empty).items == ()

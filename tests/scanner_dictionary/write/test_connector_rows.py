"""Connectors in the dictionary: stored, compared, listed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from scanner_dictionary.queries.connectors import connectors
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceStatus

FAILURE = "java.lang.X: no\n\tat y"
CONNECT = SourceId("connect:main")


def connector(name: str = "orders-sink", *states: str, **more: Any) -> Connector:
    """Build a sink that runs with a task for each of *states*."""
    tasks = tuple(
        ConnectorTask(number=i, state=state, worker="w:1", trace=FAILURE * (state == "FAILED"))
        for i, state in enumerate(states)
    )
    given: dict[str, Any] = {"kind": ConnectorKind.SINK, "connector_class": "com.acme.Sink", "state": "RUNNING"}
    return Connector(source=CONNECT, name=name, tasks=tasks, **given | more)


@pytest.fixture
def scan(sample):
    """Build a scan of these connectors; *answer* is how Connect answered."""

    def built(
        *result: Connector, answer: SourceStatus = SourceStatus.READ, unread: tuple[str, ...] = ()
    ) -> ClusterScan:
        outcomes = (sample.outcome(sample.kafka), sample.outcome(CONNECT, answer, *unread))
        return sample.scan(outcomes=outcomes, registries=(), connectors=result)

    return built


@pytest.fixture
def listed(dictionary):
    """List connectors of the dictionary."""

    def rows(**request: Any) -> list[Any]:
        with dictionary.connect() as conn:
            return list(connectors(conn, **request))

    return rows


def test_connector_is_listed_as_it_was_reported(store, scan, listed) -> None:
    """Nothing of a fact is lost on its way through the tables."""
    reported = connector(
        "ü/1", "RUNNING", "FAILED", config=(("a", "1"), ("b", "é")), topics=(TopicName("t"),), plugin_version="1.2"
    )
    store(scan(replace(reported, trace="  boom: x\nat y", worker="w:2", managed_id="lcc-1")))

    (row,) = listed()
    assert (row.cluster, row.source, row.name, row.kind) == ("retail", CONNECT, "ü/1", "sink")
    assert (row.connector_class, row.state, row.worker, row.trace) == (
        "com.acme.Sink",
        "RUNNING",
        "w:2",
        "  boom: x\nat y",
    )
    assert (row.config, row.topics) == ((("a", "1"), ("b", "é")), ("t",))
    assert (row.plugin_version, row.managed_id) == ("1.2", "lcc-1")
    assert [(task.number, task.state, task.worker, task.trace, task.error) for task in row.tasks] == [
        (0, "RUNNING", "w:1", "", ""),
        (1, "FAILED", "w:1", FAILURE, "java.lang.X: no"),
    ]
    assert (row.failed_tasks, row.error, row.stale, row.gone) == (1, "boom: x", False, False)


def test_topics_that_cannot_be_reported_are_not_none_at_all(store, scan, listed) -> None:
    """Unknown and empty are two answers."""
    store(scan(connector("a", topics=()), connector("b", topics=None)))

    assert [row.topics for row in listed()] == [(), None]


def test_failed_ones_are_those_of_which_anything_failed(store, scan, listed) -> None:
    """A connector that runs may have a failed task, and Confluent Cloud says DEGRADED."""
    store(
        scan(
            connector("fine", "RUNNING"),
            connector("task", "RUNNING", "FAILED"),
            connector("own", state="FAILED"),
            connector("cloud", state="DEGRADED"),
            connector("paused", "PAUSED", state="PAUSED"),
        )
    )

    assert [row.name for row in listed(failed=True)] == ["cloud", "own", "task"]


@pytest.mark.parametrize(("pattern", "names"), [("SINK", ["a-sink"]), ("a*", ["a-sink", "audit"]), ("x", [])])
def test_pattern_is_a_glob_or_a_part_of_the_name(pattern, names, store, scan, listed) -> None:
    """As for topics."""
    store(scan(connector("a-sink"), connector("audit")))

    assert [row.name for row in listed(pattern=pattern, cluster="retail")] == names


def test_change_of_state_is_a_change_of_the_log(store, scan, contents) -> None:
    """That a connector failed is the news people look for."""
    store(scan(connector("a", "RUNNING")))
    store(scan(connector("a", "FAILED")))

    last = contents("change_log")["change_log"][-1]
    assert last[2:5] == ("connector", json.dumps([CONNECT, "a"], separators=(",", ":")), "changed")
    assert json.loads(last[6]) == {"tasks": [[0, "FAILED", "w:1", "java.lang.X: no\n\tat y"]]}


def test_writing_twice_changes_nothing(store, scan, contents) -> None:
    """A scan that finds the same is the same."""
    result = scan(connector("a", "RUNNING", "FAILED", topics=(TopicName("t"),)))
    store(result)
    before = contents("connector_task", "change_log")
    store(result)

    assert contents("connector_task", "change_log") == before


def test_connector_that_is_not_reported_any_more_is_gone(store, scan, listed) -> None:
    """It was deleted; people still find it with `--all`."""
    store(scan(connector("a", "RUNNING")))
    store(scan())

    assert listed() == []
    assert [(row.name, row.gone) for row in listed(include_gone=True)] == [("a", True)]


@pytest.mark.parametrize(("answer", "unread"), [(SourceStatus.UNAVAILABLE, ()), (SourceStatus.PARTIAL, ("a",))])
def test_outage_leaves_what_is_known(answer, unread, store, scan, listed) -> None:
    """A worker that does not answer deletes no connector."""
    store(scan(connector("a", "RUNNING"), connector("b")))
    store(scan(*([connector("b")] if unread else []), answer=answer, unread=unread))

    assert [(row.name, row.gone) for row in listed()] == [("a", False), ("b", False)]
    assert listed()[0].stale


def test_same_name_in_two_connect_clusters_is_two_connectors(store, scan, listed) -> None:
    """Names are unique within one Connect cluster only."""
    item = scan(connector("a"))
    other = replace(connector("a"), source=SourceId("connect:dr"))
    outcomes = (*item.outcomes, replace(item.outcomes[1], source=other.source))
    store(replace(item, outcomes=outcomes, connectors=(*item.connectors, other)))

    assert [row.source for row in listed()] == ["connect:dr", "connect:main"]


def test_connector_without_a_name_is_refused(store, scan) -> None:
    """A fact that breaks the hierarchy is not stored, and said so."""
    summary = store(scan(connector("")))

    assert [problem.what for problem in summary.refused] == ["the connector 'connect:main' has no type or name"]

"""Lineage over time through the library: graphs of earlier scans, their differences, histories, retention."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest

import scanner_api
from dataflow_generator.build.store import generate
from scanner_api import Dictionary
from scanner_dictionary.write.prune import PruneResult
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.names import Role

pytestmark = pytest.mark.slow

FIELDS, installation = changing.FIELDS, changing.installation
ID_ONLY = {("a.orders", Role.VALUE): FIELDS[:1], ("b.paid", Role.VALUE): FIELDS}
STATES = (
    installation(),
    installation(queries=[("0", "1", "ID, AMOUNT * 2 AS AMOUNT")]),
    installation(queries=[("0", "1", "ID, AMOUNT * 2 AS AMOUNT")], connectors=changing.CONNECTORS[:1]),
    installation(connectors=changing.CONNECTORS[:1], schemas=ID_ONLY),
    installation(connectors=changing.CONNECTORS[:1], schemas=ID_ONLY, tags=("PII",)),
)
"""In turn: a query is changed, a connector is removed, the query as before and fewer columns, topics get a tag."""


class Installation:
    """A dictionary that is scanned on one day after the other."""

    def __init__(self, file: Path) -> None:
        self.dictionary = Dictionary(str(file))
        self.notes: list[str] = []

    def scan(self, state: dict[str, Any], *, graph: bool = True) -> None:
        engine = self.dictionary.writing()
        number = len(scanner_api.scans(self.dictionary)) + 1
        at = datetime(2026, 1, number, 12, tzinfo=UTC)
        write_scan(engine, changing.scan_of(state), started=at, finished=at)
        if graph:
            generate(engine)
        engine.dispose()

    def lineage(self, node: str, as_of: str | int | None = None) -> Any:
        source = scanner_api.GraphSource(self.dictionary, notify=self.notes.append)
        traced = scanner_api.lineage(source, node, columns=True, as_of=as_of)
        named = map(tuple, traced.edges)
        return sorted(named), traced.scan


@pytest.fixture
def new(empty, tmp_path) -> Installation:
    """Return an empty dictionary."""
    return Installation(Path(shutil.copy(empty, tmp_path / "dictionary.db")))


@pytest.fixture(scope="module")
def five(empty, tmp_path_factory) -> Path:
    """Return a dictionary with five scans and their graphs, to be copied or read."""
    made = Installation(Path(shutil.copy(empty, tmp_path_factory.mktemp("five") / "five.db")))
    for state in STATES:
        made.scan(state)
    return Path(made.dictionary.url)


@pytest.fixture
def scans(five, tmp_path) -> Installation:
    """Return a copy of the five scans."""
    return Installation(Path(shutil.copy(five, tmp_path / "five.db")))


def test_lineage_as_of_each_scan_is_the_one_of_that_time(new) -> None:
    """The answer says which scan it is of."""
    then = []
    for state in STATES:
        new.scan(state)
        then.append(new.lineage("a.orders"))

    assert [new.lineage("a.orders", number) for number in range(1, 6)] == then
    assert "note: the graph of scan 2, finished 2026-01-02T12:00:00.000+00:00" in new.notes


@pytest.mark.parametrize(
    ("moment", "scan"),
    [
        *(("2026-01-03", 3), ("2026-01-03T11:59", 2), ("2026-01-03T13:00:00+01:00", 3), ("2030-01-01", 5)),
        *((4, 4), ("4", 4), ("20260102", 2)),
    ],
)
def test_date_means_the_newest_scan_that_was_finished(scans, moment, scan) -> None:
    """A date alone is the end of that day, in UTC; eight digits are a date, not a scan."""
    assert scans.lineage("a.orders", moment)[1] == scan


@pytest.mark.parametrize(
    ("moment", "error", "what"),
    [
        (9, NameUnknown, "knows no scan 9"),
        ("2025-12-31", NameUnknown, "knows no scan of 2025-12-31 or before"),
        ("soon", InputInvalid, "neither a scan number nor a date"),
        ("2026-02-30", InputInvalid, "neither a scan number nor a date"),
        ("-1", InputInvalid, "neither a scan number nor a date"),
        ("0001-01-01T00:00:00+01:00", InputInvalid, "neither a scan number nor a date"),
        ("99999999999999999999", InputInvalid, "neither a scan number nor a date"),
    ],
)
def test_moment_without_a_scan_is_an_error(scans, moment, error, what) -> None:
    """Not an answer of another time."""
    with pytest.raises(error, match=what):
        scans.lineage("a.orders", moment)


def test_scan_without_a_graph_is_reported_not_guessed(new) -> None:
    """What was not generated before the next scan cannot be rebuilt; a date has the graph before it, with a note."""
    new.scan(STATES[0])
    new.scan(STATES[1], graph=False)
    new.scan(STATES[2])

    with pytest.raises(NameUnknown, match="the graph of scan 2 is not known") as caught:
        new.lineage("a.orders", 2)
    assert "graphs of the scans 1, 3" in caught.value.hint
    assert new.lineage("a.orders", "2026-01-02")[1] == 1
    assert "note: no graph was generated for scan 2, the newest then: this is the graph of scan 1" in new.notes
    with pytest.raises(NameUnknown, match="the graph of scan 2 is not known"):
        scanner_api.diff_flows(new.dictionary, 1, 2)


def test_past_before_the_oldest_graph_is_unknown(new) -> None:
    """Nothing before it is guessed."""
    new.scan(STATES[0])
    new.scan(STATES[1])
    with sqlite3.connect(new.dictionary.url) as conn:
        conn.execute("DELETE FROM flow_graph_version WHERE scan = 1")
        for table in ("flow_node_version", "flow_edge_version"):
            conn.execute(f"DELETE FROM {table}")
    new.scan(STATES[2])

    assert [graph.scan for graph in scanner_api.graphs(new.dictionary)] == [2, 3]
    with pytest.raises(NameUnknown, match="the graph of scan 1 is not known"):
        new.lineage("a.orders", 1)


def test_graph_that_is_generated_again_for_a_scan_replaces_that_of_the_scan_only(scans) -> None:
    """Events or another program version change it without a new scan; earlier graphs stay as they were."""
    before = [scans.lineage("a.orders", number) for number in range(1, 5)]
    rows = recorded_rows(scans)
    generate(scans.dictionary.writing())

    assert recorded_rows(scans) == rows
    assert [scans.lineage("a.orders", number) for number in range(1, 5)] == before


def test_graph_in_files_has_no_earlier_ones(scans, tmp_path) -> None:
    """Asking for one is a mistake, not an answer of the last."""
    source = scanner_api.GraphSource(scans.dictionary, tmp_path)

    with pytest.raises(InputInvalid, match="Parquet files hold one graph only"):
        scanner_api.lineage(source, "a.orders", as_of=1)


def recorded_rows(scans: Installation) -> list[Any]:
    with sqlite3.connect(scans.dictionary.url) as conn:
        tables = ("flow_graph_version", "flow_node_version", "flow_edge_version")
        return [conn.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables]


def changes(scans: Installation, first: int, second: int) -> dict[tuple[str, str, str], tuple[str, str | None]]:
    """Return what differs by kind, source and target, with the kind of fact that caused it."""
    found = scanner_api.diff_flows(scans.dictionary, first, second)
    edges = {(each.kind, each.source, each.target): (str(each.action), each.cause) for each in found.edges}
    nodes = {(each.node.kind, each.node.id, ""): (str(each.action), each.cause) for each in found.nodes}
    return {key: (action, cause and cause.kind) for key, (action, cause) in (edges | nodes).items()}


TOPICS = "kafka://k-1:9092"


def test_changed_statement_is_the_cause_of_its_flows(scans) -> None:
    """And of nothing else: the rest of the graph did not change."""
    found = changes(scans, 1, 2)

    amount = ("column-flow", f"column:{TOPICS}/a.orders#amount", f"column:{TOPICS}/b.paid#amount")
    assert found[amount] == ("added", "query")
    assert {cause for _, cause in found.values()} == {"query"}


def test_removed_connector_is_the_cause_of_its_job_table_and_flows(scans) -> None:
    """The table stays where another connector writes it."""
    found = changes(scans, 2, 3)

    assert ("removed", "connector") in {value for key, value in found.items() if key[0] == "job"}
    assert {cause for _, cause in found.values()} == {"connector"}
    assert not [key for key in found if key[0] == "dataset"]


def test_schema_with_fewer_columns_is_the_cause_of_the_flows_that_went(scans) -> None:
    """The connector copies what the schema has."""
    found = changes(scans, 3, 4)
    copied = {key: value for key, value in found.items() if key[0] == "column-flow" and "landed" in key[2]}

    assert copied
    assert set(copied.values()) == {("removed", "topic_schema")}
    assert {found[key][1] for key in found if key[0] == "has-schema"} == {"topic_schema"}


def test_changed_attributes_are_shown_from_what_to_what(scans) -> None:
    """A tag of a topic changes its node, and no flow."""
    found = scanner_api.diff_flows(scans.dictionary, 4, 5)
    topics = [change for change in found.nodes if change.node.kind == "topic"]

    assert [(str(change.action), change.cause.members) for change in topics] == [("changed", ("tags",))] * 2
    assert all(change.before.get("tags") is None and change.after["tags"] == ["PII"] for change in topics)
    assert found.edges == ()


def test_direction_of_a_comparison_is_the_requested_one(scans) -> None:
    """What is added one way is removed the other way."""
    other = {"added": "removed", "removed": "added", "changed": "changed"}
    there, back = changes(scans, 1, 4), changes(scans, 4, 1)

    assert back == {key: (other[action], cause) for key, (action, cause) in there.items()}
    assert changes(scans, 3, 3) == {}


def lines(scans: Installation, *names: str) -> list[tuple[Any, ...]]:
    rows = scanner_api.history(scans.dictionary, *names)
    return [(row.scan, row.kind, row.action, row.member) for row in rows]


def test_history_of_a_topic_has_its_facts_schemas_and_flows(scans) -> None:
    """In the order of the scans."""
    found = lines(scans, "a.orders")

    assert [row[0] for row in found] == sorted(row[0] for row in found)
    assert (1, "topic", "added", "") in found
    assert {(4, "topic_schema", "gone", ""), (4, "topic_schema", "added", "")} <= set(found)
    assert (5, "topic", "changed", "tags") in found
    assert (5, "node", "changed", "attributes") in found


def test_history_of_a_column_follows_the_schemas_of_its_topic(scans) -> None:
    """A column that left the schema, and what flowed out of it."""
    found = lines(scans, "a.orders.name")

    assert (1, "column", "added", "type") in found
    assert (4, "column", "removed", "type") in found
    assert (4, "column-flow", "removed", "") in found


def test_history_of_what_exists_no_more_is_found(scans) -> None:
    """The connector went in the third scan."""
    gone = [row for row in lines(scans, "c1") if row[2] in ("gone", "removed")]

    assert (3, "connector", "gone", "") in gone
    assert (3, "node", "removed", "") in gone


def test_history_between_two_nodes_is_that_of_their_flows(scans) -> None:
    """When one column began to feed the other, and when it ceased."""
    assert lines(scans, "a.orders.amount", "b.paid.amount") == [
        (2, "column-flow", "added", ""),
        (4, "column-flow", "removed", ""),
    ]


def test_history_needs_no_graph(new) -> None:
    """Facts have their own log."""
    new.scan(STATES[0], graph=False)
    new.scan(STATES[3], graph=False)

    assert (2, "column", "removed", "type") in lines(new, "a.orders.name")
    assert lines(new, "c1") == [(1, "connector", "added", ""), (2, "connector", "gone", "")]


def test_history_of_an_unknown_name_suggests_others(scans) -> None:
    """As everywhere."""
    with pytest.raises(NameUnknown, match=r"knows no node 'a\.order'") as caught:
        scanner_api.history(scans.dictionary, "a.order")
    assert "a.orders" in caught.value.hint


def comparisons(scans: Installation, numbers: range) -> list[Any]:
    """Return what the dictionary says of some scans: differences, graphs, lineage."""
    pairs = [(a, b) for a in numbers for b in numbers]
    facts = [scanner_api.diff(scans.dictionary, a, b) for a, b in pairs]
    flows = [scanner_api.diff_flows(scans.dictionary, a, b) for a, b in pairs]
    return [facts, flows, [scans.lineage("a.orders", number) for number in numbers]]


def counts(file: str) -> dict[str, int]:
    with sqlite3.connect(file) as conn:
        tables = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: conn.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


@pytest.mark.parametrize("kept", [1, 2, 3, 4, 5])
def test_scans_that_are_kept_report_the_same_after_pruning(scans, kept) -> None:
    """Comparisons, graphs and current facts stay; what is older is unknown, not wrong."""
    numbers = range(6 - kept, 6)
    before, now = comparisons(scans, numbers), scanner_api.overview(scans.dictionary).counts
    result = scanner_api.prune(scans.dictionary, keep_scans=kept, dry_run=False)

    assert comparisons(scans, numbers) == before
    assert dict(scanner_api.overview(scans.dictionary).counts) | {"schemas": 0, "columns": 0} == dict(now) | {
        "schemas": 0,
        "columns": 0,
    }
    assert result.graphs == tuple(range(1, 6 - kept))
    assert [scan.id for scan in scanner_api.scans(scans.dictionary)] == list(reversed(numbers))
    if kept < 5:
        with pytest.raises(NameUnknown, match="knows no scan"):
            scanner_api.diff(scans.dictionary, 5 - kept, 5)
    again = scanner_api.prune(scans.dictionary, keep_scans=kept, dry_run=False)
    assert (again.graphs, again.rows) == ((), ())


def test_dry_run_counts_what_goes_and_deletes_nothing(scans) -> None:
    """The counts are those of the rows that then go."""
    before = counts(scans.dictionary.url)
    planned = scanner_api.prune(scans.dictionary, before=5)
    assert counts(scans.dictionary.url) == before
    done: PruneResult = scanner_api.prune(scans.dictionary, before=5, dry_run=False)
    after = counts(scans.dictionary.url)

    assert done == planned
    assert dict(done.rows) == {name: before[name] - after[name] for name in before if before[name] != after[name]}
    assert {"connector", "scan", "change_log", "flow_edge_version"} <= dict(done.rows).keys()


def test_scan_after_pruning_stores_what_it_would_have_stored(scans) -> None:
    """Also a schema and a connector that come back after their rows were deleted."""
    scanner_api.prune(scans.dictionary, keep_scans=1, dry_run=False)
    scans.scan(STATES[0])

    assert ("added", "connector") in changes(scans, 5, 6).values()
    assert (6, "connector", "added", "") in lines(scans, "c1")
    assert scanner_api.diff(scans.dictionary, 5, 6).of("connector")[0].action == "added"


def test_history_begins_with_what_was_known_when_it_was_pruned(scans) -> None:
    """`known` is no addition: the topic may be older."""
    scanner_api.prune(scans.dictionary, before="2026-01-03", dry_run=False)

    assert lines(scans, "a.orders")[0][:3] in {(3, "node", "first known"), (3, "topic", "known")}
    assert (3, "topic", "known", "") in lines(scans, "a.orders")


@pytest.mark.parametrize(("wrong", "kept"), [("2001", [5, 4, 3]), ("2099", [5, 4, 3, 2])])
def test_date_keeps_the_order_of_scans(scans, wrong: str, kept: list[int]) -> None:
    """A clock that is wrong for one scan deletes none that is newer than the date."""
    at = 4 if wrong == "2001" else 2
    with sqlite3.connect(scans.dictionary.url) as conn:
        conn.execute("UPDATE scan SET finished = ? || substr(finished, 5) WHERE id = ?", (wrong, at))
    scanner_api.prune(scans.dictionary, before="2026-01-03", dry_run=False)

    assert [scan.id for scan in scanner_api.scans(scans.dictionary)] == kept


def test_newest_scan_and_graph_stay_whatever_is_pruned(scans) -> None:
    """Pruning the future away leaves what is current."""
    now = scans.lineage("a.orders")
    scanner_api.prune(scans.dictionary, before=99, dry_run=False)

    assert scans.lineage("a.orders") == now == scans.lineage("a.orders", 5)
    assert [scan.id for scan in scanner_api.scans(scans.dictionary)] == [5]


@pytest.mark.parametrize("kept", [{}, {"keep_scans": 1, "before": 2}, {"keep_scans": 0}, {"before": "soon"}])
def test_retention_that_is_not_clear_is_refused(scans, kept) -> None:
    """Nothing is deleted by a mistake."""
    before = counts(scans.dictionary.url)
    with pytest.raises(InputInvalid):
        scanner_api.prune(scans.dictionary, **kept, dry_run=False)

    assert counts(scans.dictionary.url) == before


@pytest.mark.postgres
def test_history_on_a_server_is_that_of_a_file(new, postgres_url) -> None:
    """The same answers of the other database, before and after pruning."""
    server = Installation(Path("server"))
    server.dictionary = scanner_api.open_dictionary(postgres_url, create=True)
    for state in STATES[:3]:
        new.scan(state)
        server.scan(state)
    for numbers in (range(1, 4), range(2, 4)):
        assert comparisons(server, numbers) == comparisons(new, numbers)
        assert lines(server, "b.paid") == lines(new, "b.paid")
        assert scanner_api.prune(server.dictionary, keep_scans=2) == scanner_api.prune(new.dictionary, keep_scans=2)
        for each in (server, new):
            scanner_api.prune(each.dictionary, keep_scans=2, dry_run=False)


def test_topic_is_found_by_any_broker_of_its_cluster_in_an_earlier_graph(new) -> None:
    """The namespace of a cluster is its first broker; which one that is may have changed since."""
    new.scan(installation(brokers=("k-2:9092",)))
    then = new.lineage("a.orders")
    new.scan(installation(brokers=("k-1:9092", "k-2:9092")))

    assert new.lineage("kafka://k-2:9092/a.orders", 1) == then
    assert new.lineage("kafka://k-1:9092/a.orders", 1) == then
    assert new.lineage("a.orders") != then
    with pytest.raises(NameUnknown):
        new.lineage("kafka://elsewhere:9092/a.orders", 1)

"""What the API answers about other times and changes: graphs of earlier scans, differences, proposals, histories."""

from __future__ import annotations

from datetime import UTC, datetime

import changing_installation as changing
import pytest
from starlette.testclient import TestClient

from dataflow_generator.build.store import generate
from scanner_api.dictionary import Dictionary, open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_server.app import application
from scanner_server.operations import BASE

DOUBLED = changing.installation(queries=[("0", "1", "ID, AMOUNT * 2 AS AMOUNT")])


@pytest.fixture(scope="module")
def changed(tmp_path_factory) -> Dictionary:
    """Return a dictionary of three scans: a query is changed in the second, the third has no graph."""
    dictionary = open_dictionary(tmp_path_factory.mktemp("changed") / "dictionary.db", create=True)
    for number, state in enumerate((changing.installation(), DOUBLED, DOUBLED), 1):
        engine = dictionary.writing()
        at = datetime(2026, 1, number, 12, tzinfo=UTC)
        write_scan(engine, changing.scan_of(state), started=at, finished=at)
        if number < 3:
            generate(engine)
        engine.dispose()
    return dictionary


@pytest.fixture(scope="module")
def client(changed):
    with TestClient(application(changed), base_url="http://localhost") as client:
        yield client


def flows(answer) -> set[tuple[str, str]]:
    """Return the ends of the column flows in an answer."""
    return {(edge["source"], edge["target"]) for edge in answer["edges"] if edge["kind"] == "column-flow"}


def test_a_diff_with_flows_says_which_flows_differ_and_why(client) -> None:
    """The page draws them; the members are those of the command line."""
    answer = client.get(f"{BASE}/scans/diff?from=1&to=2&flows=true").json()
    without = client.get(f"{BASE}/scans/diff?from=1&to=2").json()

    edges = answer["flows"]["edges"]
    assert {edge["kind"] for edge in edges} >= {"column-flow"}
    assert {edge["cause"]["kind"] for edge in edges if edge["kind"] == "column-flow"} == {"query"}
    assert (answer["complete"], answer["left_out"]) == (True, {})
    assert without == answer | {"flows": None}


def test_a_long_diff_is_cut_and_says_so(client) -> None:
    """The lists of two scans of a large installation have no bound."""
    whole = client.get(f"{BASE}/scans/diff?from=1&to=2&flows=true").json()
    answer = client.get(f"{BASE}/scans/diff?from=1&to=2&flows=true&limit=1").json()

    assert answer["complete"] is False
    assert len(answer["flows"]["edges"]) == 1
    assert answer["left_out"]["flows.edges"] == len(whole["flows"]["edges"]) - 1


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("scans/diff?from=1&to=9", "the scans 1, 2, 3"),
        ("scans/diff?from=2&to=3&flows=true", "there are graphs of the scans 1, 2"),
        ("lineage?node=a.orders&as_of=3", "there are graphs of the scans 1, 2"),
        ("lineage?node=a.order&as_of=1", "a.orders"),
        ("impact?node=a.orders&as_of=9", "scanner scans"),
        ("paths?from=a.orders&to=b.pait&as_of=1", "b.paid"),
    ],
)
def test_what_is_not_known_of_a_scan_is_404_with_what_is(client, path, hint) -> None:
    """A scan without a graph cannot be rebuilt; a wrong name has a nearest one in that graph, too."""
    answer = client.get(f"{BASE}/{path}")

    assert answer.status_code == 404
    assert hint in answer.json()["hint"]


def test_lineage_of_an_earlier_scan_is_the_one_of_then(client) -> None:
    """By number and by date; it says which scan it is of."""
    now = client.get(f"{BASE}/lineage?node=a.orders.amount&downstream=2").json()
    then = client.get(f"{BASE}/lineage?node=a.orders.amount&downstream=2&as_of=1").json()
    dated = client.get(f"{BASE}/lineage?node=a.orders.amount&downstream=2&as_of=2026-01-01").json()

    assert (now["scan"], then["scan"]) == (2, 1)
    assert flows(then) != flows(now)
    assert dated == then


def test_paths_and_impact_of_an_earlier_scan_are_those_of_then(client) -> None:
    """They read the same graph."""
    paths = client.get(f"{BASE}/paths?from=a.orders&to=b.paid&as_of=1").json()
    impact = client.get(f"{BASE}/impact?node=a.orders&as_of=1").json()
    newest = client.get(f"{BASE}/impact?node=a.orders").json()

    assert paths["scan"] == 1
    assert paths["paths"]
    assert (impact["scan"], newest["scan"], impact["complete"]) == (1, 2, True)
    assert impact["affected"] != newest["affected"]


def test_a_moment_that_is_no_date_is_400(client) -> None:
    """It names the parameter and what can be written."""
    answer = client.get(f"{BASE}/lineage?node=a.orders&as_of=yesterday")

    assert answer.status_code == 400
    assert "2026-01-31" in answer.json()["hint"]

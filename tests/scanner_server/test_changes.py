"""What the API answers about other times and changes: graphs of earlier scans, differences, proposals, histories."""

from __future__ import annotations

import json
import sqlite3

import pytest
from starlette.testclient import TestClient

from scanner_check.check import Level, check_change
from scanner_check.inputs.files import proposed_schema
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import Target
from scanner_check.report import report_document
from scanner_server.app import application
from scanner_server.openapi import BASE
from scanner_server.options import ServerOptions


@pytest.fixture(scope="module")
def client(changed):
    with TestClient(application(changed, ServerOptions(heavy=0)), base_url="http://localhost") as client:
        yield client


def flows(answer) -> set[tuple[str, str]]:
    """Return the ends of the column flows in an answer."""
    return {(edge["source"], edge["target"]) for edge in answer["edges"] if edge["kind"] == "column-flow"}


def test_a_diff_with_flows_reports_which_flows_differ_and_why(client) -> None:
    """The page draws them; the members are those of the command line."""
    answer = client.get(f"{BASE}/scans/diff?from=1&to=2&flows=true").json()
    without = client.get(f"{BASE}/scans/diff?from=1&to=2").json()

    edges = answer["flows"]["edges"]
    assert {edge["kind"] for edge in edges} >= {"column-flow"}
    assert {edge["cause"]["kind"] for edge in edges if edge["kind"] == "column-flow"} == {"query"}
    assert (answer["complete"], answer["left_out"]) == (True, {})
    assert without == answer | {"flows": None}


def test_a_long_diff_is_cut_and_reports_it(client) -> None:
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
        ("impact?node=a.orders&as_of=9", "/api/v1/scans"),
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
    answer = client.get(f"{BASE}/lineage?node=a.orders&as_of=lately")

    assert answer.status_code == 400
    assert "2026-01-31" in answer.json()["hint"]


def test_history_lists_what_each_scan_changed(client) -> None:
    """Values are values, no JSON in texts; pages continue."""
    first = client.get(f"{BASE}/history?node=a.orders&limit=1").json()
    rest = client.get(f"{BASE}/history?node=a.orders&cursor={first['next_cursor']}").json()
    flows = client.get(f"{BASE}/history?node=a.orders.amount&target=b.paid.amount").json()

    assert [line["scan"] for line in first["items"]] == [1]
    assert rest["items"]
    assert {line["kind"] for line in flows["items"]} == {"column-flow"}


ORDER = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]})


def check(client, **body):
    """Return the answer to a check of a proposed schema."""
    return client.post(f"{BASE}/check-change", json=body)


def test_a_proposed_schema_is_checked_as_on_the_command_line(session_client, retail) -> None:
    """The verdict, the findings and who is hit are those of the library."""
    answer = check(session_client, subject="orders-value", text=ORDER, compatibility="BACKWARD").json()
    files = proposed_schema(ORDER, Target(subject="orders-value"))
    expected = report_document(check_change(retail, files, CheckOptions(level=Level.BACKWARD)))

    removed = [each for each in answer["findings"] if each["rule"] == "column-removed"]
    assert answer["verdict"] == "impact"
    assert any(each["affected"] for each in removed)
    assert {name: answer[name] for name in expected} == json.loads(json.dumps(expected))


def test_a_proposed_statement_or_connector_is_checked_as_well(session_client) -> None:
    """Who reads what it does not write any more is hit."""
    table = "CREATE TABLE CLICKS_PER_CITY WITH (KAFKA_TOPIC='clicks.per.city')"
    sql = f"{table} AS SELECT COUNT(*) CLICKS FROM CLICKS GROUP BY CLICKS.GEO->CITY EMIT CHANGES;"
    mirror = {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector", "topics": "payments"}
    names = {"name": "orders-to-dr", "source.cluster.alias": "retail", "target.cluster.alias": "dr"}
    statement = check(session_client, statement="CTAS_CLICKS_PER_CITY_5", text=sql).json()
    connector = check(session_client, connector="orders-to-dr", text=json.dumps({**mirror, **names})).json()

    assert statement["findings"][0]["rule"] == "column-lost"
    assert connector["findings"][0]["what"] == "retail.orders is not written any more"


def test_a_check_reports_what_it_leaves_out_and_that_it_is_not_complete(session_client) -> None:
    """A topic that many read has more findings than anybody reads."""
    answer = check(session_client, topic="orders", text=ORDER, limit=1).json()

    assert len(answer["findings"]) == 1
    assert answer["left_out"]["findings"] > 1
    assert answer["complete"] is False


def test_a_check_without_a_graph_is_not_complete(client_of, own_retail) -> None:
    """That nobody is hit means nothing there."""
    with sqlite3.connect(own_retail.url) as conn:
        conn.execute("DELETE FROM flow_graph")
    answer = check(client_of(own_retail), subject="orders-value", text=ORDER).json()

    assert "no-graph" in {each["rule"] for each in answer["findings"]}
    assert answer["complete"] is False


def test_references_of_a_proposed_schema_are_read(session_client) -> None:
    """The schema may refer to one that is proposed with it."""
    field = {"name": "at", "type": "com.acme.Moment"}
    text = json.dumps({"type": "record", "name": "Order", "fields": [field]})
    moment = {"type": "record", "name": "Moment", "namespace": "com.acme", "fields": [{"name": "ms", "type": "long"}]}
    alone = check(session_client, subject="orders-value", text=text)
    together = check(
        session_client, subject="orders-value", text=text, references={"com.acme.Moment": json.dumps(moment)}
    )

    assert [each["what"] for each in alone.json()["findings"] if each["rule"] == "not-compared"]
    assert not [each["what"] for each in together.json()["findings"] if each["rule"] == "not-compared"]


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"subject": "orders-valu", "text": ORDER}, 404, "'orders-value'"),
        ({"topic": "orderz", "text": ORDER}, 404, "'orders'"),
        ({"subject": "orders-value", "text": "{"}, 400, "is no"),
        ({"subject": "orders-value", "text": ORDER, "cluster": "retial"}, 404, "'retail'"),
        ({"text": ORDER}, 400, "exactly one of subject, topic, statement and connector"),
        ({"subject": "orders-value", "topic": "orders", "text": ORDER}, 400, "exactly one"),
        ({"subject": "orders-value", "text": ""}, 400, "at least 1 character"),
        ({"subject": "orders-value", "txt": ORDER}, 400, "'text'"),
        ({"subject": "orders-value", "text": 5}, 400, "valid string"),
        ({"subject": "orders-value", "text": ORDER, "format": "XML"}, 400, "'AVRO', 'JSON' or 'PROTOBUF'"),
        (["text"], 400, "not a JSON object"),
        ({"subject": "\ud800", "text": ORDER}, 400, "not UTF-8"),
        ({"subject": "a\0b", "text": ORDER}, 400, "holds NUL"),
    ],
)
def test_a_wrong_proposal_is_a_problem_that_helps(session_client, body, status, text) -> None:
    """The mistake is in the body, which has no address."""
    answer = session_client.post(f"{BASE}/check-change", content=json.dumps(body))

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert text in answer.text


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000])
def test_a_body_that_is_no_json_is_400(session_client, body) -> None:
    """Also where Python's reader gives up in its own way."""
    answer = session_client.post(f"{BASE}/check-change", content=body)

    assert answer.status_code == 400
    assert answer.json()["where"] == "body"


def test_a_body_that_is_too_large_is_413_and_not_read_further(session_client) -> None:
    """Nobody proposes a schema of more than a megabyte."""
    answer = check(session_client, subject="orders-value", text="x" * 1_100_000)

    assert answer.status_code == 413
    assert answer.headers["connection"] == "close"
    assert "1,048,576 bytes" in answer.json()["hint"]


def test_a_page_of_another_site_cannot_post_a_check(session_client) -> None:
    """It changes nothing, and still is nobody else's business."""
    headers = {"origin": "https://evil.example"}

    assert session_client.post(f"{BASE}/check-change", json={}, headers=headers).status_code == 403


def test_may_delete_reports_who_uses_it(session_client) -> None:
    """The answer, and what each use alone comes to; what does not fit is counted."""
    (whole,) = session_client.get(f"{BASE}/may-delete?topic=orders").json()["items"]
    page = session_client.get(f"{BASE}/may-delete?topic=orders&limit=1").json()
    (cut,) = page["items"]

    assert (whole["answer"], whole["complete"], whole["left_out"]) == ("no", True, 0)
    assert {use["answer"] for use in whole["uses"]} >= {"no"}
    assert not page["complete"]
    assert (len(cut["uses"]), cut["complete"], cut["left_out"]) == (1, False, len(whole["uses"]) - 1)


@pytest.mark.parametrize(
    ("query", "status", "hint"),
    [
        ("", 400, "name a topic"),
        ("topic=orders&subject=orders-value", 400, "name a topic"),
        ("topic=orderz", 404, "'orders'"),
        ("subject=orders-valu", 404, "'orders-value'"),
    ],
)
def test_a_deletion_of_what_is_not_known_is_a_problem(session_client, query, status, hint) -> None:
    """Nothing is guessed."""
    answer = session_client.get(f"{BASE}/may-delete?{query}")

    assert answer.status_code == status
    assert hint in answer.json()["hint"]


def test_a_proposal_with_a_member_twice_is_refused(session_client) -> None:
    """Which of the two is meant is unknown."""
    answer = session_client.post(
        f"{BASE}/check-change", content='{"topic": "orders", "topic": "refunds", "text": "{}"}'
    )

    assert (answer.status_code, "member twice" in answer.text) == (400, True)

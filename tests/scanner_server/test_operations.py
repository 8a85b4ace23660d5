"""The JSON API: every operation answers what its document says, pages end, and errors help."""

from __future__ import annotations

import gzip
import json
import sqlite3
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from scanner_api.questions.node_summary import short_id
from scanner_server.openapi import BASE, OPERATIONS, openapi_document

ASKED: dict[str, dict[str, Any]] = {
    "describe_topic": {"cluster": "retail", "topic": "orders"},
    "topic_schemas": {"cluster": "localhost:29095", "topic": "orders"},
    "columns": {"name": "amount"},
    "scan_sources": {"scan": 1},
    "scan_problems": {"scan": 1},
    "diff": {"from": 1, "to": 1, "flows": "true"},
    "search": {"q": "order"},
    "search_counts": {"q": "order"},
    "history_feed": {"node": "orders"},
    "lineage": {"node": "customers", "contents": "true"},
    "paths": {"from": "order-service", "to": "orders"},
    "compare_versions": {"subject": "orders-value", "from": 1, "to": 2},
    "enum_symbols": {"subject": "orders-value", "version": 2},
    "impact": {"node": "orders"},
    "node_summary": {"node": "warehouse.public.order_facts.amount"},
    "node_of_link": {"short": short_id("topic:kafka://127.0.0.1:29092/orders")},
    "owned": {"owner": "team-shop"},
    "impact_csv": {"node": "orders"},
    "history": {"node": "orders"},
    "may_delete": {"topic": "orders"},
    "plan": {"change": "rename orders.placed_at → ordered_at"},
    "check_change": {"subject": "orders-value", "text": '{"type": "record", "name": "Order", "fields": []}'},
}
"""Parameters of operations that need some."""


def url_of(operation) -> str:
    """Return the address of an operation with its parameters."""
    asked = ASKED.get(operation.name, {})
    path = operation.path.format(**asked)
    query = "&".join(f"{name}={value}" for name, value in asked.items() if f"{{{name}}}" not in operation.path)
    return f"{BASE}{path}?{query}"


def answer_of(client, operation):
    """Return the answer to a request of an operation."""
    if operation.method == "POST":
        return client.post(f"{BASE}{operation.path}", json=ASKED[operation.name])
    return client.get(url_of(operation))


def test_the_document_is_valid_openapi() -> None:
    """A client is generated from it."""
    validator = pytest.importorskip("openapi_spec_validator", reason="needs openapi-spec-validator")
    validator.validate(openapi_document())


def test_the_document_has_the_routes_of_the_application_and_no_others(session_client) -> None:
    """A route that is not in it would be found by chance only."""
    documented = {(path, method.upper()) for path, methods in openapi_document()["paths"].items() for method in methods}
    routes = {
        (route.path, method)
        for route in session_client.app.routes
        for method in (route.methods or set()) - {"HEAD"}
        if route.path.startswith(BASE)
    }

    assert routes - documented == {(f"{BASE}/openapi.json", "GET"), (f"{BASE}/lineage/batch", "POST")}
    assert documented <= routes


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_every_operation_answers_as_its_schema_describes(session_client, operation) -> None:
    """The schemas are made of types, the answers of rows: they must not drift apart."""
    answer = answer_of(session_client, operation)
    document = openapi_document()
    response = document["paths"][f"{BASE}{operation.path}"][operation.method.lower()]["responses"]["200"]

    assert answer.status_code == 200, answer.text
    assert operation.method == "POST" or answer.headers["etag"].startswith('W/"1-')
    if operation.media == "application/json":
        schema = response["content"]["application/json"]["schema"] | {"components": document["components"]}
        Draft202012Validator(schema).validate(answer.json())


def test_no_answer_of_the_example_is_empty(session_client) -> None:
    """An empty list fits every schema."""
    empty = [
        operation.name
        for operation in OPERATIONS
        if (text := answer_of(session_client, operation).text) == "" or text.startswith('{"items":[],')
    ]

    assert set(empty) <= {"tables", "scan_problems", "changes", "change_summaries"}, "the example has none of these"


@pytest.mark.parametrize(
    "path", ["topics?", "schemas?", "findings?", "connectors?", "search?q=o&", "scans?", "columns?name=id&"]
)
def test_pages_have_together_what_one_page_has(session_client, path) -> None:
    """A cursor neither skips nor repeats."""
    whole = session_client.get(f"{BASE}/{path}limit=200").json()["items"]
    paged, cursor = [], ""
    while cursor is not None:
        page = session_client.get(f"{BASE}/{path}limit=2{cursor and f'&cursor={cursor}'}").json()
        paged += page["items"]
        cursor = page["next_cursor"]

    assert paged == whole
    assert whole


def test_an_unknown_topic_gives_404_with_the_nearest(session_client) -> None:
    """The next request can be right."""
    answer = session_client.get(f"{BASE}/clusters/retail/topics/orderz")

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "unknown-name"
    assert answer.json()["status"] == 404
    assert "'orders'" in answer.json()["hint"]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("topics?limit=0", "limit"),
        ("topics?limit=many", "limit"),
        ("topics?patern=x", "patern"),
        ("topics?limit=1&limit=2", "limit (twice)"),
        ("topics?cursor=WzFd", "cursor"),
        ("topics?cursor=%00", "cursor"),
        ("search?q=", "q"),
        ("search?q=x&kind=column&kind=topic", "kind (twice)"),
        ("lineage", "node"),
        ("columns", "columns"),
        ("scans/0/sources", "scan"),
        ("clusters/retail/topics/orders?topic=other", "topic (twice)"),
    ],
)
def test_a_wrong_parameter_gives_400_and_is_named(session_client, path, where) -> None:
    """A parameter that is ignored looks as if it had worked."""
    answer = session_client.get(f"{BASE}/{path}")

    assert answer.status_code == 400
    assert answer.json()["where"] == where


def test_every_wrong_parameter_is_listed(session_client) -> None:
    """They are corrected in one step."""
    problems = session_client.get(f"{BASE}/search?q=&limit=9999&foo=1").json()["problems"]

    assert {each["where"] for each in problems} == {"q", "limit", "foo"}


def test_a_client_that_has_the_answer_gets_304(session_client) -> None:
    """It asks again and again."""
    first = session_client.get(f"{BASE}/topics")
    again = session_client.get(f"{BASE}/topics", headers={"if-none-match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_large_answers_are_compressed_for_who_accepts_it(session_client) -> None:
    """Column lists are long and repetitive."""
    with session_client.stream("GET", f"{BASE}/topics", headers={"accept-encoding": "gzip"}) as packed:
        raw = b"".join(packed.iter_raw())
    plain = session_client.get(f"{BASE}/topics", headers={"accept-encoding": "gzip;q=0"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert json.loads(gzip.decompress(raw)) == plain.json()


def test_an_unknown_path_and_method_are_problems(session_client) -> None:
    """Every error has one form."""
    missing, posted = session_client.get(f"{BASE}/nothing"), session_client.post(f"{BASE}/topics")

    assert (missing.status_code, posted.status_code) == (404, 405)
    assert missing.json()["hint"] == "/api/v1/openapi.json lists paths and methods"


def test_csv_has_no_formula(session_client) -> None:
    """It is opened with a spreadsheet."""
    lines = session_client.get(f"{BASE}/impact.csv?node=orders").text.splitlines()

    assert lines[0] == "kind,namespace,name,column,use,steps,through"
    assert len(lines) > 5


def test_nodes_report_whether_they_are_stale_or_unread(session_client) -> None:
    """The page marks them; all of the example was read."""
    for path in ("/overview", "/lineage?node=orders", "/paths?from=order-service&to=orders"):
        nodes = session_client.get(f"{BASE}{path}").json()["nodes"]

        assert nodes
        assert {(node["stale"], node["unread"]) for node in nodes} == {("", False)}


def test_the_overview_is_of_a_scan_whose_graph_is_listed(session_client) -> None:
    """A page compares the graphs in this list only."""
    graphs = session_client.get(f"{BASE}/graphs").json()["items"]
    whole = session_client.get(f"{BASE}/overview").json()

    assert [(graph["scan"], graph["nodes"], graph["edges"]) for graph in graphs] == [
        (whole["scan"], whole["node_count"], whole["edge_count"])
    ]


def test_what_cannot_be_answered_completely_reports_it(own_retail, client_of) -> None:
    """A dictionary of an older program has names that are not indexed; one that was only scanned has no graph."""
    with sqlite3.connect(own_retail.url) as conn:
        conn.execute("DELETE FROM search_progress")
        conn.execute("DELETE FROM flow_graph")
    client = client_of(own_retail)

    for path in ("search?q=order", "columns?name=id", "columns?tag=pii", "clusters/retail/topics/orders"):
        answer = client.get(f"{BASE}/{path}")
        assert (answer.status_code, answer.json()["complete"]) == (200, False), path
    assert client.get(f"{BASE}/topics").json()["complete"]
    for path in ("lineage?node=orders", "paths?from=orders&to=analytics", "impact?node=orders"):
        assert client.get(f"{BASE}/{path}").status_code == 404
        assert "whoever runs scanner" in client.get(f"{BASE}/{path}").json()["hint"]


def test_pages_of_an_impact_begin_with_whom_to_call(session_client) -> None:
    """The counts are of everything on each page."""
    whole = session_client.get(f"{BASE}/impact?node=orders").json()
    paged, cursor = [], ""
    while cursor is not None:
        page = session_client.get(f"{BASE}/impact?node=orders&limit=7{cursor and f'&cursor={cursor}'}").json()
        assert page["counts"] == whole["counts"]
        assert page["left_out"] == len(whole["affected"]) - len(paged) - len(page["affected"])
        paged += page["affected"]
        cursor = page["next_cursor"]

    actors = [each["kind"] in ("job", "consumer-group") for each in whole["affected"]]
    assert paged == whole["affected"]
    assert actors == sorted(actors, reverse=True)
    assert actors.count(True) > 1


def test_operations_stand_in_groups_that_are_described(session_client) -> None:
    """A page of an API of forty operations in a row is not read."""
    document = openapi_document()
    used = {
        tag for path in document["paths"].values() for operation in path.values() for tag in operation.get("tags", ())
    }

    assert used == {tag["name"] for tag in document["tags"]}
    assert all(tag["description"] for tag in document["tags"])


def test_a_whole_answer_is_complete_and_a_cut_one_is_not(session_client) -> None:
    """Wherever an answer has a limit that is no page."""
    paths = (
        "lineage?node=orders&upstream=2&downstream=2",
        "paths?from=order-service&to=orders",
        "impact?node=orders",
        "search?q=orders",
        "columns?tag=pii",
        "clusters/retail/topics/orders",
        "may-delete?topic=orders",
    )

    assert [path for path in paths if not session_client.get(f"{BASE}/{path}").json()["complete"]] == []
    assert not session_client.get(f"{BASE}/{paths[0]}&limit=2").json()["complete"]


def test_contents_of_a_column_have_the_jobs_that_its_flows_go_through(session_client) -> None:
    """And no other job at the same topics."""
    amount = "warehouse.public.order_facts.amount"
    answer = session_client.get(f"{BASE}/lineage", params={"node": amount, "contents": True}).json()
    jobs = [node["name"] for node in answer["nodes"] if node["kind"] == "job"]

    reads = {edge["source"].rpartition("/")[2] for edge in answer["edges"] if edge["kind"] == "reads"}

    assert sorted(jobs) == ["flink/retail.sql:2", "shop-cdc", "warehouse-orders"]
    assert {"cdc.customers", "cdc.orders"} <= reads  # also where a column decides about the whole topic
    assert answer["complete"] is True


@pytest.mark.parametrize("text", ["order_facts.amount", "warehouse.public.order_facts.am", "ORDER_FACTS.AMOUNT"])
def test_a_column_of_a_table_is_found_by_the_end_of_its_tables_name(session_client, text) -> None:
    """As a column of a topic is found by the topic's."""
    first = session_client.get(f"{BASE}/search", params={"q": text}).json()["items"][0]

    assert (first["kind"], first["name"], first["path"]) == ("column", "warehouse.public.order_facts", ["amount"])

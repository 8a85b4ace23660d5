"""Two commits of a dashboard, a connector and a schema: who is told of what."""

from __future__ import annotations

import json

import pytest
from committed_repository import rules

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

SCHEMA = {"type": "record", "name": "Order", "fields": [{"name": n, "type": "string"} for n in ("id", "total")]}
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "topics": "orders",
    "connection.url": "jdbc:postgresql://db/dw",
    "table.name.format": "public.orders",
}


def board(query: str) -> str:
    panel = {"title": "Total", "type": "table", "targets": [{"refId": "A", "rawSql": query}]}
    return json.dumps({"title": "Revenue", "schemaVersion": 39, "panels": [panel]}, indent=1)


FILES = {
    "orders-value.avsc": json.dumps(SCHEMA),
    "sink.json": json.dumps({"name": "dw", "config": SINK}),
    "board.json": board("SELECT sum(total) AS t FROM orders"),
}


def test_field_that_a_panel_shows_hits_the_panel(check) -> None:
    fields = {**SCHEMA, "fields": SCHEMA["fields"][:1]}
    report = check({"orders-value.avsc": json.dumps(fields)}, FILES)

    assert report.verdict in (Verdict.IMPACT, Verdict.BREAKS)
    assert "Revenue/Total" in {hit.name for finding in report.findings for hit in finding.affected}


@pytest.mark.parametrize("query", ["SELECT count(id) AS t FROM orders", "SELECT id FROM orders"])
def test_panel_that_is_edited_is_what_its_author_means(check, query) -> None:
    report = check({"board.json": board(query)}, FILES)

    assert {finding.verdict for finding in report.findings} <= {Verdict.FINE}, rules(report)


def test_panel_whose_new_query_is_not_resolved_is_unknown(check) -> None:
    report = check({"board.json": board("SELECT ${metric} FROM orders")}, FILES)

    assert report.verdict is Verdict.UNKNOWN

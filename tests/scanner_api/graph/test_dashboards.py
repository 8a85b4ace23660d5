"""From a topic through the warehouse to the charts of dashboards, by the files of one repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scanner_api
from scanner_api import Dictionary

SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": name, "type": "string"} for name in ("total", "country", "note")],
}
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "topics": "orders",
    "connection.url": "jdbc:postgresql://db/warehouse",
    "table.name.format": "public.orders",
}


def panel(title: str, query: str) -> dict[str, object]:
    return {"title": title, "type": "table", "targets": [{"refId": "A", "rawSql": query}]}


def scanned(folder: Path, *panels: dict[str, object], sinks: int = 1) -> Dictionary:
    """Scan a repository with a topic's schema, sinks into as many databases, and a dashboard."""
    (folder / "orders-value.avsc").write_text(json.dumps(SCHEMA), "utf-8")
    for number in range(sinks):
        config = {**SINK, "connection.url": f"jdbc:postgresql://db-{number}/warehouse"}
        (folder / f"sink-{number}.json").write_text(json.dumps({"name": f"dw-{number}", "config": config}), "utf-8")
    board = {"title": "Revenue daily", "schemaVersion": 39, "panels": list(panels)}
    (folder / "board.json").write_text(json.dumps(board), "utf-8")
    dictionary = scanner_api.open_dictionary(folder / "dictionary.db", create=True)
    scanner_api.scan([], dictionary, directories=[folder])
    scanner_api.generate(dictionary)
    return dictionary


def affected(dictionary: Dictionary, node: str) -> set[str]:
    """Return the charts that a change of *node* affects."""
    rows = scanner_api.impact(dictionary, node).affected
    return {row.name for row in rows if row.kind == "dataset" and row.namespace.startswith("grafana://")}


@pytest.fixture
def dictionary(tmp_path) -> Dictionary:
    return scanned(
        tmp_path,
        panel("Total", "SELECT sum(total) FROM orders"),
        panel("Countries", "SELECT country FROM public.orders"),
        panel("Others", "SELECT total FROM invoices"),
    )


def test_dropping_a_column_affects_the_charts_that_use_it(dictionary) -> None:
    assert affected(dictionary, "warehouse.public.orders.total") == {"Revenue daily/Total"}


def test_dropping_a_topic_affects_the_charts_over_its_table(dictionary) -> None:
    assert affected(dictionary, "orders") == {"Revenue daily/Total", "Revenue daily/Countries"}


def test_chart_over_a_name_that_two_servers_have_may_read_either(tmp_path) -> None:
    """Neither is left out, and no column is guessed."""
    dictionary = scanned(tmp_path, panel("Total", "SELECT sum(total) FROM orders"), sinks=2)

    assert affected(dictionary, "orders") == {"Revenue daily/Total"}
    jobs = [row for row in scanner_api.impact(dictionary, "orders").affected if row.name == "Revenue daily/Total"]
    assert {row.use for row in jobs} == {"unknown"}


def test_unknown_table_of_a_chart_does_not_take_the_name_of_a_topic(tmp_path) -> None:
    dictionary = scanned(tmp_path, panel("Total", "SELECT sum(total) FROM orders"), sinks=0)

    assert scanner_api.impact(dictionary, "orders").root.startswith("topic:")
    assert affected(dictionary, "orders") == set()


def test_query_with_a_variable_for_a_column_affects_the_chart_as_unknown(tmp_path) -> None:
    """Whichever column it is: the chart is not left out."""
    dictionary = scanned(tmp_path, panel("Any", "SELECT ${metric} FROM orders"))

    assert affected(dictionary, "warehouse.public.orders.total") == {"Revenue daily/Any"}

"""Lightdash content: the query of each chart over the columns of dbt models, and fields that are not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner_extractor.repository.dashboards.charts import UNRESOLVED
from tests.scanner_extractor.repository.dashboards.reading import queries, read_files

MODEL = """
models:
  - name: orders
    meta:
      joins:
        - join: customers
          sql_on: ${orders.customer_id} = ${customers.id}
      metrics:
        share: {type: number, sql: "${paid} / NULLIF(${count}, 0)"}
    columns:
      - name: placed_at
        config: {meta: {dimension: {type: timestamp}}}
      - name: customer_id
      - name: total
        meta:
          dimension: {name: amount}
          additional_dimensions:
            cents: {sql: "${TABLE}.total * 100"}
          metrics:
            revenue: {type: sum}
            paid: {type: sum, filters: [{state: paid}]}
      - name: id
        meta: {metrics: {count: {type: count_distinct}}}
      - name: state
  - name: customers
    columns:
      - name: id
      - name: country
        meta: {dimension: {type: string}}
"""
CHART = """
name: Revenue
slug: revenue
tableName: orders
metricQuery:
  exploreName: orders
  dimensions: [%s]
  metrics: [%s]
  filters: {%s}
version: 1
"""
DASHBOARD = """
name: Sales
slug: sales
tiles:
  - {type: saved_chart, properties: {chartSlug: revenue}}
"""


def shown(folder: Path, dimensions: str = "", metrics: str = "", filters: str = "", **files: str) -> str:
    chart = CHART % (dimensions, metrics, filters)
    return queries(read_files(folder, {"lightdash/charts/revenue.yml": chart, **files}))["Revenue"]


@pytest.mark.parametrize(
    ("dimension", "metric", "expected"),
    [
        ("orders_state", "", 'SELECT orders.state AS "orders_state" FROM orders'),
        ("orders_placed_at_month", "", 'SELECT orders.placed_at AS "orders_placed_at_month" FROM orders'),
        ("orders_amount", "", 'SELECT orders.total AS "orders_amount" FROM orders'),
        ("orders_cents", "", 'SELECT orders.total * 100 AS "orders_cents" FROM orders'),
        ("", "orders_revenue", 'SELECT orders.total AS "orders_revenue" FROM orders'),
        (
            "",
            "orders_paid",
            'SELECT CASE WHEN (orders.state) IS NOT NULL THEN orders.total END AS "orders_paid" FROM orders',
        ),
        ("orders_nowhere", "", f'SELECT {UNRESOLVED} AS "orders_nowhere" FROM orders'),
    ],
)
def test_a_field_is_the_column_or_expression_of_its_model(
    tmp_path: Path, dimension: str, metric: str, expected: str
) -> None:
    assert shown(tmp_path, dimension, metric, **{"models/shop.yml": MODEL}) == expected


def test_a_metric_of_metrics_uses_their_columns(tmp_path: Path) -> None:
    text = shown(tmp_path, "", "orders_share", **{"models/shop.yml": MODEL})

    assert all(column in text for column in ("orders.total", "orders.state", "orders.id"))


def test_a_metric_that_names_itself_has_an_end(tmp_path: Path) -> None:
    model = MODEL.replace("${paid} / NULLIF(${count}, 0)", " + ".join(["${share}"] * 500))

    assert "share" in shown(tmp_path, "", "orders_share", **{"models/shop.yml": model})


def test_a_field_of_another_model_joins_it(tmp_path: Path) -> None:
    text = shown(tmp_path, "customers_country", "", **{"models/shop.yml": MODEL})

    assert text.endswith("FROM orders LEFT JOIN customers ON (orders.customer_id) = (customers.id)")


def test_filters_are_uses(tmp_path: Path) -> None:
    filters = "dimensions: {and: [{target: {fieldId: orders_state}, operator: equals}]}"

    assert "orders.state" in shown(tmp_path, "orders_amount", "", filters, **{"models/shop.yml": MODEL})


def test_without_properties_only_plain_dimensions_are_columns(tmp_path: Path) -> None:
    """`placed_at_month` may be a column or one at an interval, and a metric may compute from any."""
    text = shown(tmp_path, "orders_state, orders_placed_at_month", "orders_revenue")

    assert text.count(UNRESOLVED) == 2
    assert "orders.state" in text


def test_a_chart_is_shown_under_its_dashboards_and_may_be_sql(tmp_path: Path) -> None:
    files = {
        "lightdash/dashboards/sales.yml": DASHBOARD,
        "lightdash/charts/revenue.sql.yml": "name: Total\nslug: revenue\nchartKind: table\nsql: SELECT id FROM orders",
    }

    assert queries(read_files(tmp_path, files)) == {"Sales/Total": "SELECT id FROM orders"}

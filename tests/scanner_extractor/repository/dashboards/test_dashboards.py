"""Charts in files of dashboards: the query of each, and what is left with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner_extractor.repository.dashboards.charts import UNRESOLVED, without_variables
from scanner_extractor.repository.dashboards.syntax.lookml import parse_lookml
from scanner_extractor.repository.reader import read_directory
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import Reading, no_progress
from scanner_model.catalogs import DIALECT, CatalogTable
from scanner_model.declarations import UnreadFile


def read(folder: Path, **files: str) -> Reading:
    """Read a directory with *files*; `__` in a name is a slash, and the last `_` the dot before the ending."""
    for name, text in files.items():
        stem, _, ending = name.replace("__", "/").rpartition("_")
        path = folder / f"{stem.replace('_DOT_', '.')}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return read_directory(RepositorySettings(pattern=".", directory=folder), no_progress)


def charts(reading: Reading) -> dict[str, str]:
    """Return the queries of charts by name."""
    return {table.name: table.definition for table in reading.of(CatalogTable)}


def unread(reading: Reading) -> dict[str, str]:
    return {file.kind: file.reason for file in reading.of(UnreadFile)}


def panel(query: str, title: str = "Orders", **members: Any) -> dict[str, Any]:
    return {"title": title, "type": "table", "targets": [{"refId": "A", "rawSql": query}], **members}


def dashboard(*panels: dict[str, Any], **members: Any) -> str:
    return json.dumps({"title": "Revenue", "schemaVersion": 39, "panels": list(panels), **members})


def test_panels_of_grafana_are_charts_with_the_dialect_of_their_source(tmp_path) -> None:
    source = {"type": "grafana-postgresql-datasource", "uid": "x"}
    reading = read(tmp_path, revenue_json=dashboard(panel("SELECT total FROM orders", datasource=source)))

    (chart,) = reading.of(CatalogTable)
    assert (chart.namespace, chart.name, chart.kind) == ("grafana://.", "Revenue/Orders", "PANEL")
    assert chart.definition == "SELECT total FROM orders"
    assert dict(chart.parameters)[DIALECT] == "postgres"


@pytest.mark.parametrize(
    "document",
    [
        {"title": "R", "panels": [{"type": "row", "title": "More", "panels": [panel("SELECT a FROM t", "P")]}]},
        {"title": "R", "rows": [{"title": "More", "panels": [panel("SELECT a FROM t", "P")]}]},
        {"meta": {}, "dashboard": {"title": "R", "panels": [panel("SELECT a FROM t", "P")]}},
        {
            "kind": "Dashboard",
            "spec": {
                "title": "R",
                "elements": {
                    "panel-1": {
                        "kind": "Panel",
                        "spec": {
                            "title": "P",
                            "data": {
                                "spec": {"queries": [{"spec": {"query": {"spec": {"rawSql": "SELECT a FROM t"}}}}]}
                            },
                        },
                    }
                },
            },
        },
    ],
    ids=["row", "rows of version 14", "answer of the API", "schema version 2"],
)
def test_panels_are_found_wherever_they_are(tmp_path, document) -> None:
    assert charts(read(tmp_path, r_json=json.dumps(document))) == {"R/P": "SELECT a FROM t"}


def test_panels_without_sql_and_hidden_queries_are_no_charts(tmp_path) -> None:
    metrics = {"title": "cpu", "type": "graph", "targets": [{"expr": "rate(x[5m])"}]}
    hidden = {"title": "h", "type": "table", "targets": [{"rawSql": "SELECT a FROM t", "hide": True}]}

    assert charts(read(tmp_path, r_json=dashboard(metrics, hidden))) == {}


def test_several_queries_of_a_panel_and_equal_titles_are_told_apart(tmp_path) -> None:
    both = {"title": "P", "type": "table", "targets": [{"refId": x, "rawSql": f"SELECT {x} FROM t"} for x in "AB"]}

    listed = charts(read(tmp_path, r_json=dashboard(both, panel("SELECT c FROM t"), panel("SELECT d FROM t"))))
    assert set(listed) == {"Revenue/P A", "Revenue/P B", "Revenue/Orders A", "Revenue/Orders A (2)"}


def test_many_panels_of_one_title_are_numbered_in_linear_time(tmp_path) -> None:
    """With a search for each number this would take minutes."""
    panels = [panel("SELECT c FROM t")] * 10_000

    listed = charts(read(tmp_path, r_json=dashboard(*panels)))
    assert len(listed) == 10_000
    assert {"Revenue/Orders A (2)", "Revenue/Orders A (10000)"} <= set(listed)


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("SELECT a FROM t WHERE $__timeFilter(created)", "SELECT a FROM t WHERE (created IS NOT NULL)"),
        ("SELECT $__timeGroupAlias(created, '1h'), x FROM t", 'SELECT created AS "time", x FROM t'),
        ("SELECT $__timeGroup(date(created), $__interval) FROM t", "SELECT date(created) FROM t"),
        ("SELECT a FROM t WHERE b = $b AND c IN ($c, ${d:csv})", "SELECT a FROM t WHERE b = 1 AND c IN (1, 1)"),
        ("SELECT a FROM t WHERE b LIKE '$x' LIMIT [[n]]", "SELECT a FROM t WHERE b LIKE '$x' LIMIT 1"),
        ("SELECT ${metric} FROM t", f"SELECT {UNRESOLVED} FROM t"),
        ("SELECT sum($metric) FROM t", f"SELECT sum({UNRESOLVED}) FROM t"),
        ("SELECT a + INTERVAL $unit(b) DAY FROM t", "SELECT a + INTERVAL scanner_function(b) DAY FROM t"),
        ("SELECT a FROM $table", None),
        ("SELECT a FROM s.${table}", None),
    ],
)
def test_variables_are_values_and_unresolved_columns_and_never_tables(query, plain) -> None:
    assert without_variables(query) == plain


@given(st.text(alphabet="$_{}[]()'\"a, ", max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_has_an_answer(text) -> None:
    assert without_variables(text) is None or isinstance(without_variables(text), str)


def test_deep_parentheses_end() -> None:
    assert without_variables("(" * 20_000 + "$a") is not None


def test_table_that_a_variable_names_is_left_with_the_reason(tmp_path) -> None:
    reading = read(tmp_path, r_json=dashboard(panel("SELECT a FROM $table")))

    assert charts(reading) == {}
    assert unread(reading) == {"dashboard": "the query of Orders has a variable for a table"}


CHART = """
slice_name: Revenue
params:
  groupby: [country]
  metrics: [sum_total]
  adhoc_filters:
  - {expressionType: SQL, sqlExpression: "created > '2020'"}
uuid: c-1
dataset_uuid: d-1
version: 1.0.0
"""
DATASET = """
table_name: orders
schema: public
sql: null
columns: [{column_name: country}, {column_name: total}, {column_name: unused}]
metrics: [{metric_name: sum_total, expression: SUM(total)}]
uuid: d-1
database_uuid: w-1
version: 1.0.0
"""
BOARD = "dashboard_title: Sales\nposition: {CHART-x: {meta: {uuid: c-1}}}\nuuid: b-1\nversion: 1.0.0\n"
DATABASE = "database_name: w\nsqlalchemy_uri: mysql+pymysql://u:XXXX@db/w\nuuid: w-1\nversion: 1.0.0\n"


def test_charts_of_superset_use_what_their_parameters_name(tmp_path) -> None:
    reading = read(tmp_path, c_yaml=CHART, d_yaml=DATASET, b_yaml=BOARD, w_yaml=DATABASE)

    assert charts(reading) == {
        "Sales/Revenue": "SELECT `country` AS `country`, (SUM(total)) AS `sum_total`, "
        "created > '2020' AS `expression 1` FROM `public`.`orders`"
    }


def test_virtual_dataset_of_superset_is_its_query(tmp_path) -> None:
    virtual = DATASET.replace("sql: null", "sql: SELECT country, total FROM raw.orders;")
    (query,) = charts(read(tmp_path, c_yaml=CHART, d_yaml=virtual)).values()

    assert query.endswith("FROM (SELECT country, total FROM raw.orders) AS dataset")


def test_chart_of_superset_without_its_dataset_is_left(tmp_path) -> None:
    assert unread(read(tmp_path, c_yaml=CHART)) == {"dashboard": "its dataset is not in the files"}
    template = DATASET.replace("sql: null", 'sql: "SELECT {{ column }} FROM t"')
    assert unread(read(tmp_path, c_yaml=CHART, d_yaml=template)) == {"dashboard": "its dataset is a template"}


def test_schema_of_a_dataset_that_is_a_template_is_left_out(tmp_path) -> None:
    """The name of the table is known."""
    template = DATASET.replace("schema: public", 'schema: "{{ DATABASE }}"')
    (query,) = charts(read(tmp_path, c_yaml=CHART, d_yaml=template)).values()

    assert query.endswith('FROM "orders"')


VIEWS = """
# comments { may have braces
view: orders {
  sql_table_name: public.orders ;;
  dimension: id { primary_key: yes type: number sql: ${TABLE}.id ;; label: "{not a block}" }
  dimension_group: created { type: time timeframes: [raw, date] sql: ${TABLE}.created ;; }
  dimension: net { sql: ${total} * 0.8 ;; }
  dimension: total { sql: ${TABLE}.total ;; }
  dimension: state {}
  measure: revenue { type: sum sql: ${net} ;; filters: [state: "paid"] }
  measure: count { type: count }
}
view: customers {
  derived_table: {
    sql: SELECT id, name FROM crm.people
      WHERE {% condition x %} name {% endcondition %} = {{ y }} AND d < {% date_end z %} ;;
  }
  dimension: id {}
  dimension: name {}
}
explore: orders { join: customers { sql_on: ${orders.id} = ${customers.id} ;; } }
"""
ELEMENTS = """
- dashboard: biz
  title: Business
  elements:
  - {title: Revenue, explore: orders, fields: [customers.name, orders.revenue, orders.created_date]}
  - {title: Note, type: text, body_text: hi}
"""


def test_elements_of_looker_are_queries_over_the_tables_of_their_views(tmp_path) -> None:
    listed = charts(read(tmp_path, shop_lkml=VIEWS, biz_DOT_dashboard_lookml=ELEMENTS))

    assert listed["Business/Revenue"] == (
        "SELECT customers.name AS name, "
        "SUM(CASE WHEN orders.state IS NOT NULL THEN ((orders.total) * 0.8) END) AS revenue, "
        "(orders.created) AS created_date FROM public.orders AS orders LEFT JOIN "
        "(SELECT id, name FROM crm.people\n      WHERE   name   = 1 AND d < 1) "
        "AS customers ON (orders.id) = customers.id"
    )
    assert set(listed) == {"Business/Revenue", "orders (view)", "customers (view)"}


def test_view_has_the_table_of_what_it_extends_and_a_refinement_that_of_its_view(tmp_path) -> None:
    """What another project declares has an unknown table, not one of its own name."""
    base = "view: base { extension: required sql_table_name: s.t ;; dimension: a {} } "
    others = (
        "view: own { extends: [base] dimension: b {} } view: +base { dimension: c {} } view: +other { dimension: d {} }"
    )
    listed = charts(read(tmp_path, v_lkml=base + others))

    assert {name: query.rpartition(" FROM ")[2] for name, query in listed.items()} == {
        "base (view)": "s.t AS base",
        "own (view)": "s.t AS own",
    }


def test_branches_of_a_condition_are_all_used(tmp_path) -> None:
    text = "{% if p._parameter_value == 'x' %} ${TABLE}.a {% elsif q %} ${TABLE}.b {% else %} 0 {% endif %}"
    (query,) = charts(read(tmp_path, v_lkml=f"view: v {{ dimension: k {{ sql: {text} ;; }} }}")).values()

    assert query == "SELECT (COALESCE(v.a, v.b, 0)) AS k FROM v AS v"


def test_field_of_cases_uses_the_columns_of_its_conditions(tmp_path) -> None:
    """It has no SQL of its own, and no column has its name."""
    cases = "case: { when: { sql: ${TABLE}.a > 1 ;; label: x } when: { sql: ${TABLE}.b = 2 ;; label: y } }"
    (query,) = charts(read(tmp_path, v_lkml=f"view: v {{ dimension: kind {{ {cases} }} }}")).values()

    assert query == "SELECT (CONCAT(v.a > 1, v.b = 2)) AS kind FROM v AS v"


def test_element_of_a_view_that_is_not_in_the_files_is_left(tmp_path) -> None:
    reading = read(tmp_path, biz_DOT_dashboard_lookml=ELEMENTS)

    assert unread(reading) == {"dashboard": "the view of Revenue is not in the files"}


def test_fields_that_are_made_of_each_other_end(tmp_path) -> None:
    """Each is twice the one before: without a limit a million characters."""
    fields = "".join(f"dimension: f{i} {{ sql: ${{f{i + 1}}} + ${{f{i + 1}}} ;; }}" for i in range(60))
    loop = "dimension: a { sql: ${b} ;; } dimension: b { sql: ${a} ;; }"
    listed = charts(read(tmp_path, v_lkml=f"view: v {{ {fields} {loop} }}"))

    assert len(listed["v (view)"]) < 10_000_000


@given(st.text(alphabet='{}[]:;#"ab \n$', max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_text_is_parsed(text) -> None:
    assert parse_lookml(text).kind == ""

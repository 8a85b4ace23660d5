"""Questions of Metabase: MBQL of both generations, SQL with tags, questions that read questions."""

from __future__ import annotations

import pytest
import yaml

from scanner_model.catalogs import DIALECT, CatalogTable
from tests.scanner_extractor.repository.dashboards.reading import queries, read_files, reasons


def entity(model: str, name: str, **members: object) -> str:
    own = {"name": name, "entity_id": f"id-{name}", **members}
    path = [{"id": f"id-{name}", "label": name, "model": model}]
    return yaml.safe_dump({**own, "serdes/meta": path, "metabase_version": "v1.53"})


def card(name: str, query: dict[str, object], **members: object) -> str:
    return entity("Card", name, dataset_query={"database": "Shop", **query}, **members)


def native(text: str, **tags: object) -> dict[str, object]:
    return {"type": "native", "native": {"query": text, "template-tags": tags}}


def column(name: str, table: str = "orders", **options: object) -> list[object]:
    return ["field", ["Shop", "public", table, name], options or None]


ORDERS = ["Shop", "public", "orders"]
BOARD = entity("Dashboard", "Sales", dashcards=[{"card_id": "id-q", "series": [{"card_id": "id-r"}]}])
POSTGRES = entity("Database", "Shop", engine="postgres")


def test_fields_of_a_question_are_columns_of_their_tables(tmp_path) -> None:
    query = {
        "source-table": ORDERS,
        "aggregation": [["sum", column("total")]],
        "breakout": [column("name", "customers", **{"source-field": column("customer_id")})],
    }
    files = {"c/q.yaml": card("q", {"type": "query", "query": query}), "b.yaml": BOARD, "d.yaml": POSTGRES}
    reading = read_files(tmp_path, files)

    assert queries(reading) == {
        "Sales/q": 'SELECT t1."total", t2."name", t1."customer_id" '
        'FROM "public"."orders" AS t1 LEFT JOIN "public"."customers" AS t2 ON 1 = 1'
    }
    (chart,) = reading.of(CatalogTable)
    assert (chart.namespace, dict(chart.parameters)[DIALECT]) == ("metabase://.", "postgres")


def test_stages_of_newer_versions_are_read_alike(tmp_path) -> None:
    stage = {"lib/type": "mbql.stage/mbql", "source-table": ORDERS, "fields": [["field", {}, [*ORDERS, "total"]]]}
    query = {"lib/type": "mbql/query", "stages": [stage]}

    assert queries(read_files(tmp_path, {"q.yaml": card("q", query)})) == {
        "q": 'SELECT t1."total" FROM "public"."orders" AS t1'
    }


def test_question_without_a_choice_has_all_columns(tmp_path) -> None:
    """A join has the columns that it lists, or none."""
    join = {"source-table": ["Shop", None, "people"], "alias": "P", "condition": ["=", column("a"), column("b")]}
    query = {"source-table": ORDERS, "joins": [join]}
    (text,) = queries(read_files(tmp_path, {"q.yaml": card("q", {"query": query})})).values()

    assert text == ('SELECT t1.*, t1."a", t1."b" FROM "public"."orders" AS t1 LEFT JOIN "people" AS t2 ON 1 = 1')


def test_question_over_a_question_has_its_columns_by_name(tmp_path) -> None:
    inner = card("inner", native("SELECT total AS amount FROM orders"))
    outer = card("q", {"query": {"source-table": "id-inner", "aggregation": [["sum", ["field", "amount", {}]]]}})
    listed = queries(read_files(tmp_path, {"a.yaml": inner, "q.yaml": outer}))

    assert listed["q"] == 'SELECT t1."amount" FROM (SELECT t1.* FROM (SELECT total AS amount FROM orders) AS t1) AS t1'


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("SELECT a FROM t WHERE b = {{x}} [[AND c = {{y}}]]", "SELECT a FROM t WHERE b = 1  AND c = 1 "),
        ("SELECT a FROM t WHERE {{when}}", 'SELECT a FROM t WHERE ("created" IS NOT NULL)'),
        ("SELECT {{unit}} FROM t", 'SELECT "created" FROM t'),
        ("SELECT a FROM {{#7-inner}} AS i", "SELECT a FROM (SELECT t1.* FROM (SELECT b FROM u) AS t1) AS i"),
        ("SELECT a FROM t WHERE {{snippet: paid}}", "SELECT a FROM t WHERE state = 1"),
    ],
)
def test_tags_of_sql(tmp_path, text, plain) -> None:
    tags = {
        "when": {"type": "dimension", "dimension": ["field", [*ORDERS, "created"], None]},
        "unit": {"type": "temporal-unit", "dimension": ["field", {}, [*ORDERS, "created"]]},
        "#7-inner": {"type": "card", "card-id": "id-inner"},
    }
    files = {
        "q.yaml": card("q", native(text, **tags)),
        "i.yaml": card("inner", native("SELECT b FROM u"), archived=True),
        "s.yaml": entity("NativeQuerySnippet", "paid", content="state = {{x}}"),
    }

    assert queries(read_files(tmp_path, files))["q"] == f"SELECT t1.* FROM ({plain}) AS t1"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (native("SELECT a FROM {{table}}"), "q: the tag table may name a table"),
        (native("SELECT a FROM raw.{{table}}"), "q: the tag table may name a table"),
        (native('[{"$match": {}}]'), "q: its query is not SQL"),
        ({"query": {"source-table": "id-other"}}, "q: the question id-other is not in the files"),
        ({"query": {"source-table": "id-q"}}, "q: its questions read each other"),
    ],
)
def test_question_whose_tables_are_not_known_is_left(tmp_path, query, reason) -> None:
    reading = read_files(tmp_path, {"q.yaml": card("q", query)})

    assert queries(reading) == {}
    assert reasons(reading) == [reason]


def test_definitions_of_metrics_and_segments_are_used(tmp_path) -> None:
    segment = entity("Segment", "paid", definition={"filter": ["=", column("state"), "paid"]})
    query = {"source-table": ORDERS, "aggregation": [["count"]], "filter": ["segment", "id-paid"]}
    (text,) = queries(read_files(tmp_path, {"q.yaml": card("q", {"query": query}), "s.yaml": segment})).values()

    assert text == 'SELECT t1."state" FROM "public"."orders" AS t1'


def test_files_of_fields_and_of_other_yaml_are_no_questions(tmp_path) -> None:
    field = yaml.safe_dump({"name": "total", "serdes/meta": [{"model": "Database"}, {"model": "Field"}]})

    assert queries(read_files(tmp_path, {"f.yaml": field, "o.yaml": "model: Card\ndataset_query: {}\n"})) == {}

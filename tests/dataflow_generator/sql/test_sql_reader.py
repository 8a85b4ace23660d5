"""The reader's answers beside the case files: texts, catalogs, dialects, what is known after a text."""

from __future__ import annotations

import pytest

from dataflow_generator.sql.catalog import Catalog, KnownTable
from dataflow_generator.sql.lexer import Dialect, guess_dialect
from dataflow_generator.sql.lineage import Effect
from dataflow_generator.sql.reader import catalog_of, read_catalog, read_sql, read_text
from scanner_model.errors import InputInvalid

DDL = "CREATE TABLE t (a INT, b ROW<c INT>) WITH ('connector' = 'kafka', 'topic' = 'topic.t');"
JSON = '{"tables": [{"name": "c.`d.e`.t", "columns": ["a", {"name": "b", "type": "ROW<c INT>"}], "topic": "x"}]}'


def test_a_statement_is_reported_as_it_is_written() -> None:
    """People find it again by its text; the words around a statement set are not of it."""
    result = read_sql("SELECT a\nFROM t ;\nEXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT 1; END", Dialect.FLINK)

    assert [statement_flows.text for statement_flows in result] == ["SELECT a\nFROM t", "INSERT INTO s SELECT 1"]


_INTO = "CREATE TABLE s (x INT, y INT); INSERT INTO s "


@pytest.mark.parametrize(
    ("query", "expressions"),
    [
        pytest.param("SELECT a, b.c + 1 FROM t", {"y": "b.c + 1"}, id="a copy has none"),
        pytest.param(
            "SELECT a, UPPER(\n  b.c -- why\n) AS z FROM t", {"y": "UPPER( b.c -- why )"}, id="before its alias"
        ),
        pytest.param("SELECT p, p FROM (SELECT a * 2 p FROM t)", {"x": "a * 2", "y": "a * 2"}, id="of a subquery"),
        pytest.param("WITH q AS (SELECT ABS(a) n FROM t) SELECT n, 1 FROM q", {"x": "ABS(a)"}, id="of a common table"),
        pytest.param("SELECT a + 1, 1 FROM t UNION ALL SELECT a + 2, 1 FROM t", {"x": ""}, id="two are none"),
        pytest.param(f"SELECT {'a + ' * 60}a, 1 FROM t", {"x": ("a + " * 30)[:119] + "…"}, id="a long one is cut"),
    ],
)
def test_flow_has_the_expression_that_computes_its_target(query: str, expressions: dict[str, str]) -> None:
    (statement,) = (flows for flows in read_sql(DDL + _INTO + query, Dialect.FLINK) if flows.sinks)
    computed = {flow.target.path[0]: flow.expression for flow in statement.flows if flow.effect is not Effect.IDENTITY}

    assert computed == expressions


def test_expression_of_a_view_is_of_another_text() -> None:
    text = DDL + "CREATE VIEW v AS SELECT a + 1 AS n FROM t; CREATE TABLE s (x INT); INSERT INTO s SELECT n FROM v;"

    assert [flow.expression for flow in read_sql(text, Dialect.FLINK)[-1].flows] == [""]


def test_ksqldb_names_its_columns_as_it_computes_them() -> None:
    ddl = "CREATE STREAM t (a INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');"
    flows = read_sql(f"{ddl} CREATE STREAM s AS SELECT a + 1 AS b FROM t;", Dialect.KSQLDB)[-1].flows

    assert [(flow.target.path, flow.expression) for flow in flows] == [(("B",), "a + 1")]


@pytest.mark.parametrize("text", ["", " ;; ; -- nothing\n", "END;"])
def test_a_text_without_statements_has_none(text: str) -> None:
    """Looked, and there is none."""
    assert read_sql(text, Dialect.FLINK) == ()


def test_what_is_known_before_and_within_a_text_adds_up() -> None:
    """DDL may stand in another file than the queries."""
    known = read_catalog(DDL, Dialect.FLINK)
    result = read_sql("CREATE TABLE s (x INT, y INT); INSERT INTO s SELECT * FROM t;", Dialect.FLINK, known)[-1]

    assert [(flow.target.path, flow.source.path) for flow in result.flows] == [(("x",), ("a",)), (("y",), ("b",))]
    assert {dataset.name: dataset.topics for dataset in result.datasets} == {"s": (), "t": ("topic.t",)}


def test_a_catalog_stays_as_it_was_when_a_text_changes_tables() -> None:
    """One catalog serves many texts."""
    known = read_catalog(DDL, Dialect.FLINK)
    read_sql("DROP TABLE t;", Dialect.FLINK, known)

    assert ("t",) in known.tables


@pytest.mark.parametrize(
    ("text", "known", "holds"),
    [
        pytest.param(DDL + "INSERT INTO t SELECT * FROM t;", "CREATE TABLE t (z INT);", True, id="own table"),
        pytest.param("INSERT INTO s SELECT * FROM t;", DDL, False, id="table of the catalog"),
        pytest.param("SELECT * FROM t;", "CREATE TABLE other (z INT);", True, id="unknown in both"),
        pytest.param("INSERT INTO s SELECT * FROM t;" + DDL, DDL, False, id="defined after its use"),
        pytest.param(
            "USE CATALOG c; USE d;" + DDL + "SELECT * FROM t;", "CREATE TABLE t (z INT);", True, id="qualified"
        ),
        pytest.param("USE d; SELECT * FROM t;", DDL, False, id="found without the current database"),
        pytest.param(DDL + "DROP TABLE t; SELECT * FROM t;", "CREATE TABLE t (z INT);", True, id="dropped"),
        pytest.param("DROP TABLE t; SELECT * FROM t;", DDL, False, id="dropped from the catalog"),
        pytest.param("CREATE TABLE s LIKE t; SELECT * FROM s;", DDL, False, id="like a table of the catalog"),
        pytest.param("ALTER TABLE t ADD (e INT); SELECT * FROM t;", DDL, False, id="altered"),
        pytest.param("CREATE VIEW v AS SELECT * FROM t; SELECT * FROM v;", DDL, False, id="through a view"),
        pytest.param("SELECT * FROM t JOIN", DDL, False, id="not parsed"),
        pytest.param("SELECT 1;", "CREATE MODEL m INPUT (a INT) OUTPUT (b INT);", False, id="models"),
    ],
)
def test_a_reading_holds_in_a_catalog_with_the_same_tables_for_it(text: str, known: str, holds: bool) -> None:
    """Statements are read once, unless what other statements declare may change the result."""
    reading, _ = read_text(text, Dialect.FLINK)
    catalog = read_catalog(known, Dialect.FLINK)

    assert reading.holds_in(catalog) is holds
    assert not holds or reading.flows == read_sql(text, Dialect.FLINK, catalog)


def test_aggregates_that_are_reported_for_need_no_grouping() -> None:
    """ksqlDB lists its functions with their kind."""
    known = Catalog(aggregates=frozenset(("MY_SUM",)))
    (result,) = read_sql("SELECT my_sum(a) AS x, my_fun(a) AS y FROM t;", Dialect.FLINK, known)

    assert [flow.effect for flow in result.flows] == [Effect.AGGREGATION, Effect.TRANSFORMATION]


def test_a_catalog_as_json() -> None:
    """Who has no DDL writes names, columns and topics."""
    known = catalog_of(JSON, Dialect.FLINK, "known.json")
    (result,) = read_sql("SELECT b.* FROM c.`d.e`.t;", Dialect.FLINK, known)

    assert [flow.source.path for flow in result.flows] == [("b", "c")]
    assert result.datasets[0].topics == ("x",)


def test_a_catalog_as_sql() -> None:
    """DDL is what most people have."""
    assert catalog_of(DDL, Dialect.FLINK, "known.sql").tables[("t",)].topics == ("topic.t",)


def test_a_ksqldb_name_in_a_catalog_is_one_name() -> None:
    """ksqlDB has no catalogs; a dot in a name is the name's."""
    known = catalog_of('[{"name": "A.B", "columns": ["X"]}]', Dialect.KSQLDB, "known.json")

    assert known.tables[("A.B",)] == KnownTable(name=("A.B",), columns=known.tables[("A.B",)].columns)


@pytest.mark.parametrize("name", ["orders-v1", "a b"])
def test_a_flink_name_that_is_no_dotted_name_is_one_name(name: str) -> None:
    """Topics with dashes are tables on Confluent Cloud."""
    known = catalog_of(f'[{{"name": "{name}"}}, {{"name": ["c", "d", "t"]}}]', Dialect.FLINK, "known.json")

    assert set(known.tables) == {(name,), ("c", "d", "t")}


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ('{"tables": 3}', "$.tables"),
        ('{"aggregates": 3}', "$.aggregates"),
        ('{"tables": [3]}', "$.tables[0]"),
        ('{"tables": [{"name": 3}]}', "$.tables[0].name"),
        ('{"tables": [{"name": "t", "columns": {}}]}', "$.tables[0].columns"),
        ('{"tables": [{"name": "t", "columns": [{}]}]}', "$.tables[0].columns[0]"),
        ('{"tables": [{"name": "t", "columns": [{"name": "a", "part": "x"}]}]}', "$.tables[0].columns[0].part"),
        ('{"tables": [{"name": "t", "columns": [{"name": "a", "type": "ROW<"}]}]}', "$.tables[0].columns[0].type"),
        ('{"tables": [{"name": "t", "columns": [{"name": "a", "type": "INT x"}]}]}', "$.tables[0].columns[0].type"),
        ('[{"name": "t", "topics": "x"}]', "$[0].topics"),
    ],
)
def test_a_catalog_of_another_form_is_reported_with_its_place(text: str, location: str) -> None:
    """The user mends the file."""
    with pytest.raises(InputInvalid) as raised:
        catalog_of(text, Dialect.FLINK, "known.json")

    assert raised.value.where.endswith(location)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("CREATE STREAM a AS SELECT * FROM b;", Dialect.KSQLDB),
        ("SELECT a->b FROM t EMIT CHANGES;", Dialect.KSQLDB),
        ("CREATE TABLE t (a INT PRIMARY KEY) WITH (kafka_topic='t');", Dialect.KSQLDB),
        ("CREATE TABLE t AS SELECT k, COLLECT_LIST(v) FROM s GROUP BY k;", Dialect.KSQLDB),
        ("-- EMIT CHANGES\nINSERT INTO s SELECT a FROM t;", Dialect.FLINK),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'kafka');", Dialect.FLINK),
        ("SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY));", Dialect.FLINK),
        ("SELECT 1", Dialect.FLINK),
        (
            "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY rowtime MEASURES A.x AS x PATTERN (A) DEFINE A AS A.x > 1)",
            Dialect.FLINK,
        ),
        ("CREATE TABLE t AS SELECT id, UCASE(name) FROM u", Dialect.KSQLDB),
    ],
)
def test_a_text_reports_its_dialect(text: str, dialect: Dialect) -> None:
    """People do not name it each time; comments tell nothing."""
    assert guess_dialect(text) is dialect

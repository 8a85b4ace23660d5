"""SQL of sources in query mode: tables, columns, and texts that nobody wrote to be read."""

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.connectors import Config, Connector, read_connector
from dataflow_generator.connectors.column_mapping import map_columns
from dataflow_generator.sql.relational.queries import QueryReading, read_query
from scanner_model.columns import path_name

WORDS = (
    *("select", "from", "t", "u", "a.b", "*", "(", ")", ",", "join", "on", "=", "union", "with x as"),
    *("case when", "end", "'", '"', "é", "\0", "where", "group by", "order by", "having", "using (", "distinct", "1"),
    *("from tumble(t,", "f(a ->", "1)"),
)
EFFECTS_OF = {"a": ("id", "k", "x"), "b": ("id", "x"), "t": ("a", "b", "c")}


def columns(query_reading: QueryReading) -> dict[str, set[str]]:
    """Return each column with those that it is made of; `~` marks one that is computed."""
    members: dict[str, set[str]] = {}
    for column in query_reading.columns:
        origins = {".".join((*table, name)) + "~" * column.changed for table, name in column.origins}
        members.setdefault(column.name, set()).update(origins)
    return members


@pytest.mark.parametrize(
    ("sql", "scheme", "tables", "reported"),
    [
        ("select id, upper(name) as n from shop.t", "mysql", ["shop.t"], {"id": {"shop.t.id"}, "n": {"shop.t.name~"}}),
        ('SELECT Id, "Name" FROM App.T', "oracle", ["APP.T"], {"ID": {"APP.T.ID"}, "Name": {"APP.T.Name"}}),
        ("SELECT [a b] FROM dbo.[My T] t", "sqlserver", ["dbo.My T"], {"a b": {"dbo.My T.a b"}}),
        (
            "with w as (select o.id, c.email mail from o join c on c.id = o.cid) select w.*, mail || 'x' as m from w",
            "postgres",
            ["c", "o"],
            {"id": {"o.id"}, "mail": {"c.email"}, "m": {"c.email~"}},
        ),
        ("select a from t union all select b from u", "mysql", ["t", "u"], {"a": {"t.a", "u.b"}}),
        ("select id from t where id in (select x from b)", "mysql", ["b", "t"], {"id": {"t.id"}}),
        ("select t.a, (select max(b.x) from b where b.y = t.y) m from t", "mysql", ["b", "t"], None),
        ("select s.a from (select * from t) s", "mysql", ["t"], {"a": {"t.a"}}),
    ],
)
def test_a_query_reports_its_tables_and_what_its_columns_are_made_of(sql, scheme, tables, reported) -> None:
    """Named queries and subqueries are no tables; names are folded as the database does it."""
    query = read_query(sql, scheme)

    assert [".".join(table) for table in query.tables] == tables
    assert reported is None or columns(query) == reported
    assert not query.problem


@pytest.mark.parametrize(
    ("sql", "scheme", "effects"),
    [
        ("select a.id from a join b using (id) where k > 1", "postgres", ["a.id JOIN", "a.k FILTER", "b.id JOIN"]),
        (
            "select z.id from ((a z join b y on ((z.id = y.id))) left join t on ((t.a = y.x)))",
            "postgres",
            ["a.id JOIN", "b.id JOIN", "b.x JOIN", "t.a JOIN"],
        ),
        ("select x from (select k as x from a where id = 1) q where x = 2", "mysql", ["a.id FILTER", "a.k FILTER"]),
        ("select k, sum(x) from a group by 1 having max(id) > 1", "mysql", ["a.id FILTER", "a.k GROUP_BY"]),
        ("select k as z from a group by z order by z, 1", "sqlite", ["a.k GROUP_BY", "a.k SORT"]),
        (
            "select a from t group by rollup(a, b), cube(c)",
            "postgres",
            ["t.a GROUP_BY", "t.b GROUP_BY", "t.c GROUP_BY"],
        ),
        ("select distinct k from a", "mysql", ["a.k GROUP_BY"]),
        ("select distinct on (k) x from a order by k", "postgres", ["a.k GROUP_BY", "a.k SORT"]),
        ("select id from a union select id from b order by id", "sqlite", ["a.id SORT", "b.id SORT"]),
        ("with u as (select * from b where x = 1) select id from a", "sqlite", []),
        ("with u as (select * from b where x = 1) select id from u", "sqlite", ["b.x FILTER"]),
        ("select id from a where exists (select 1 from b where b.id = a.k)", "mysql", ["a.k FILTER", "b.id FILTER"]),
        ("select a from t prewhere b = 1 where c = 2", "clickhouse", ["t.b FILTER", "t.c FILTER"]),
        ("select a from t qualify row_number() over (order by b) = 1", "databricks", ["t.b FILTER"]),
        ("select id from a where nobody.k = 1 order by 7", "mysql", []),
    ],
)
def test_columns_that_decide_which_rows_a_query_has_are_its_effects(sql, scheme, effects) -> None:
    """WHERE, JOIN, GROUP BY, HAVING, DISTINCT and ORDER BY of the query and of those that it reads from."""
    reading = read_query(sql, scheme, lambda table: EFFECTS_OF[table[-1]])

    assert [f"{'.'.join(effect.table)}.{effect.column} {effect.subtype}" for effect in reading.effects] == effects


@pytest.mark.parametrize(
    ("sql", "scheme", "reported"),
    [
        (
            "SELECT window_start, id FROM TUMBLE(s.t, at, INTERVAL '1' MINUTE)",
            "risingwave",
            {"window_start": {"s.t.at~"}, "id": {"s.t.id"}},
        ),
        (
            "SELECT w.id FROM (HOP(t, at, INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) AS w",
            "risingwave",
            {"id": {"t.id"}},
        ),
        ("SELECT id FROM TUMBLE((SELECT id, at FROM t), at, INTERVAL '1' MINUTE)", "risingwave", {"id": {"t.id"}}),
        (
            "SELECT id FROM HOP((SELECT * FROM TUMBLE((SELECT id, at FROM t), at, 1)), at, 1, 2)",
            "risingwave",
            {"id": {"t.id"}},
        ),
        ("SELECT f(a -> 'x', g(b -> 'y')) AS y FROM t", "postgres", {"y": {"t.a~", "t.b~"}}),
        ("SELECT id FROM TUMBLE(1)", "risingwave", {"id": set()}),
        ("SELECT f(a -> 'x') AS y FROM t", "postgres", {"y": {"t.a~"}}),
        ("SELECT f(a -> 'x' ->> 'y', b) AS y FROM t", "materialize", {"y": {"t.a~", "t.b~"}}),
        ("SELECT list_transform(a, x -> x + 1) AS y FROM t", "duckdb", {"y": {"t.a~"}}),
    ],
)
def test_windows_and_arrows_are_followed_to_their_columns(sql, scheme, reported) -> None:
    """A window's table is an argument, and an arrow of JSON looks like one of a lambda."""
    assert columns(read_query(sql, scheme)) == reported


@pytest.mark.parametrize("columns", [1, 1_000])
def test_stars_that_double_the_columns_end(columns) -> None:
    """Forty of them over one column would be a million million."""
    doubled = ",".join(f"x{n} as (select * from x{n - 1} a, x{n - 1} b)" for n in range(1, 40))
    names = [f"c{number}" for number in range(columns)]

    assert read_query(f"with {doubled} select * from x39", "postgres", lambda _: names).problem
    assert read_query(f"with {doubled} select * from x39", "postgres").rest == ("x0",)


def test_columns_are_followed_through_many_queries_inside_each_other() -> None:
    """A chain of a dozen WITH is an ordinary model of dbt."""
    names = ", ".join(f"c{number}" for number in range(100))
    chain = ", ".join(f"q{step} as (select {names} from q{step - 1})" for step in range(1, 13))
    reading = read_query(f"with {chain} select {names} from q12 group by {names}", "postgres")

    assert (reading.problem, len(reading.columns), len(reading.effects)) == ("", 100, 100)
    assert reading.columns[99].origins == ((("q0",), "c99"),)


def test_a_correlated_subquery_is_made_of_what_it_selects() -> None:
    """What it compares only decides; a connector's column has both."""
    (column,) = read_query("select (select max(b.x) from b where b.y = t.y) m from t", "mysql").columns

    assert column.origins == ((("b",), "x"),)
    assert column.effects == ((("b",), "y", "FILTER"), (("t",), "y", "FILTER"))
    assert column.all_origins == ((("b",), "x"), (("b",), "y"), (("t",), "y"))


def test_a_star_passes_on_what_its_table_has() -> None:
    """Which columns these are the topic knows."""
    assert read_query("select t.*, c.name as cname from t join c on c.id = t.c", "mysql").rest == ("t",)
    assert "*" in read_query("select * from t join c on c.id = t.c", "mysql").problem


LISTED = {("shop", "q"): ("id", "raw", "city", "payload.a", "t", "items"), ("shop", "dst"): ("id", "cents")}


@pytest.mark.parametrize(
    ("sql", "reported"),
    [
        ("SELECT * EXCEPT (raw, items, t) FROM shop.q", {name: {f"shop.q.{name}"} for name in ("id", "city")}),
        ("SELECT * REPLACE (upper(raw) AS city) FROM shop.q", {"city": {"shop.q.raw~"}}),
        ("WITH JSONExtractString(raw, 'c') AS c SELECT upper(c) AS city FROM shop.q", {"city": {"shop.q.raw~"}}),
        ("WITH 1 AS step SELECT step + id AS a, a * 2 AS b FROM shop.q", {"a": {"shop.q.id~"}, "b": {"shop.q.id~"}}),
        ("SELECT upper(city) AS city, city AS c FROM shop.q", {"city": {"shop.q.city~"}, "c": {"shop.q.city~"}}),
        (
            "SELECT it AS item, n FROM shop.q ARRAY JOIN items AS it, arrayEnumerate(items) AS n",
            {"n": {"shop.q.items~"}},
        ),
        ("SELECT payload.a AS a, t.k AS k, t.1 AS i FROM shop.q", {"a": {"shop.q.payload.a"}, "k": {"shop.q.t~"}}),
        ("SELECT x.t.k AS k FROM shop.q AS x JOIN shop.dst AS d ON x.id = d.id", {"k": {"shop.q.t~"}}),
        ("SELECT JSONExtract(raw, 'Tuple(a String)') AS j, j.a AS a FROM shop.q", {"a": {"shop.q.raw~"}}),
        ("SELECT arrayMap(x -> (x + 1), items) AS m FROM shop.q", {"m": {"shop.q.items~"}}),
        ("SELECT sumState(id) AS s FROM shop.q FINAL PREWHERE id > 1 SETTINGS max_threads = 1", {"s": {"shop.q.id~"}}),
        ("SELECT number FROM numbers(10)", {"number": set()}),
    ],
)
def test_query_of_clickhouse_resolves_names_as_clickhouse_does(sql, reported) -> None:
    """Its queries name values and use the names at once, and a part of a column is written like a table's column."""
    query = read_query(sql, "clickhouse", lambda table: LISTED.get(table, ()))

    assert {name: origins for name, origins in columns(query).items() if name in reported} == reported
    assert not query.problem
    assert "raw" not in columns(query) or "EXCEPT" not in sql


@pytest.mark.parametrize(
    ("scheme", "reported"), [("snowflake", {"SHOP.Q.ID~"}), ("databricks", {"shop.q.id~"}), ("postgres", {"shop.q.b~"})]
)
def test_name_of_a_value_is_used_where_the_dialect_allows_it_and_no_column_has_it(scheme, reported) -> None:
    """PostgreSQL knows no such use: there it is a column, though it is not listed."""
    listed = {"shop.q": ("id",), "SHOP.Q": ("ID",)}
    query = read_query("SELECT id + 1 AS b, b * 2 AS c FROM shop.q", scheme, lambda t: listed[".".join(t)])

    assert columns(query)["C" if scheme == "snowflake" else "c"] == reported


def test_names_of_values_that_refer_to_each_other_end() -> None:
    """Each step doubles the work, so there is a limit."""
    items = ", ".join(f"a{n} + a{n} AS a{n + 1}" for n in range(40))

    assert "limit" in read_query(f"SELECT {items} FROM shop.q", "clickhouse").problem
    assert read_query("SELECT b + 1 AS a, a + 1 AS b FROM shop.q", "clickhouse").problem


@pytest.mark.parametrize("sql", ["select a from t, u", "select a + b from t"])
def test_a_column_that_is_unknown_costs_that_column(sql) -> None:
    """Its tables are reported nevertheless."""
    query = read_query(sql, "mysql")

    assert query.tables
    assert "cannot be resolved" in query.problem


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "drop table t",
        "select a from t; select b from u",
        "select 'a from t",
        "select (" * 70,
        "select " + "a + " * 5_000 + "a from t",
        "select " + "not " * 5_000 + "a from t",
        "select a from t" + " " * 60_000,
        "select t.a from t, t",
    ],
)
def test_what_cannot_be_read_is_reported(sql) -> None:
    """Neither an exception nor a long time: the text is anybody's."""
    assert read_query(sql, "postgres").problem


@given(st.lists(st.sampled_from(WORDS)), st.sampled_from(("postgres", "risingwave")))
@examples(150)
def test_no_text_breaks_the_reader(words, scheme) -> None:
    """Whatever stands in a configuration."""
    assert isinstance(read_query(" ".join(["select", *words]), scheme), QueryReading)


def source(sql: str) -> tuple[Config, Connector]:
    config = Config.of(
        {
            "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
            "connection.url": "jdbc:postgresql://db/shop",
            "query": sql,
            "topic.prefix": "orders",
        }
    )
    return config, Connector(name="q", config=config)


def test_each_table_of_a_query_flows_to_the_topic_with_its_own_columns() -> None:
    """The topic has the prefix's name; a column is of the table that it is selected from."""
    config, connector = source("select o.id, c.email as mail from orders o join customers c on c.id = o.cid")
    flows = read_connector(connector)
    members = {
        flow.source.name: {
            (path_name(column.source), path_name(column.target))
            for column in map_columns(config, flows, flow, ((), ())).columns
        }
        for flow in flows.flows
        if flow.source
    }

    assert members == {"shop.public.customers": {("email", "mail")}, "shop.public.orders": {("id", "id")}}
    assert {flow.target.name for flow in flows.flows if flow.target} == {"orders"}


def test_columns_behind_a_star_are_those_that_the_topic_has() -> None:
    """The rest of the topic is of the table that is selected whole."""
    config, connector = source("select o.*, c.email as mail from orders o join customers c on c.id = o.cid")
    flows = read_connector(connector)
    topic = (("id",), ("mail",), ("total",))
    reported = [
        {path_name(column.source) for column in map_columns(config, flows, flow, ((), topic)).columns}
        for flow in flows.flows
    ]

    assert reported == [{"email"}, {"id", "total"}]


def test_a_query_that_cannot_be_read_keeps_its_topic_and_reports_it() -> None:
    """As before: where the data come from is not reported."""
    flows = read_connector(source("select from where")[1])

    assert [(flow.source, flow.target and flow.target.name) for flow in flows.flows] == [(None, "orders")]
    assert flows.problems[0].where == "query"


@pytest.mark.parametrize(
    ("sql", "scheme", "unresolved"),
    [
        ("select a.id from a join b using (id) where nowhere > 1", "postgres", ("nowhere",)),
        ("select a.id from a join b on zz.id = b.id", "postgres", ("zz.id",)),
        ("select a.id from a join b using (nope)", "postgres", ("nope",)),
        ("select a.id from a, b order by nope", "postgres", ("nope",)),
        ("select a.id, (select max(k) from t where t.a = zz.id) m from a", "postgres", ("zz.id",)),
        ("select a.id from a where exists (select nope from b, t where b.id = a.id)", "postgres", ()),
        ("select a.id from a, b where a.x = user or a.k = current_role", "postgres", ()),
        ('select a.id from a, b where "user" = 1', "postgres", ("user",)),
        ("select a.id from a, b where rownum < 9 and level = 1", "oracle", ()),
        ('select a.id from a, b where a.x = "text"', "sqlite", ()),
    ],
)
def test_column_that_decides_and_cannot_be_resolved_is_named(sql, scheme, unresolved) -> None:
    """What it filters or joins by may be any column; words that are values of the session are none."""

    def listed(table):
        return [name.upper() for name in EFFECTS_OF[table[-1].lower()]] if scheme == "oracle" else EFFECTS_OF[table[-1]]

    assert read_query(sql, scheme, listed).unresolved_effects == unresolved

"""StarRocks and Doris: tables, views and jobs of a schema, and what stays when a statement is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from routine_loads import (
    COLUMNS,
    SECRET,
    answers,
    column_row,
    doris_answers,
    engine_at,
    starrocks_load,
    table_row,
)

from scanner_extractor.results import Reading, no_progress
from scanner_extractor.scan.documents import database_document
from scanner_extractor.systems.databases.client import read_database
from scanner_extractor.systems.databases.engines.session import EngineCatalog, engine_session
from scanner_extractor.systems.databases.products import Location, product_of
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_extractor.systems.starrocks.engine import named_view, view_of_declaration
from scanner_model.catalogs import PRIMARY_KEY, UNIQUE, TableKey
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.lazy_names import load
from scanner_model.scan import SourceResult, SourceStatus

URL = "starrocks://scanner@fe:9030/shop"
REFUSED = SourceRefused("Access denied; you need (at least one of) the INSERT privilege(s)")


def read(answered=None, url=URL, **more):
    session = engine_at(url, answers() if answered is None else answered, **more)
    return EngineCatalog(load(product_of(session.location.product.scheme).engine), session).read("shop")


def tables(result):
    return {table.name: table for table in result.tables}


def types(*written: str):
    """Return the paths and types of columns c0, c1, … as they are read."""
    columns = [column_row("t", f"c{at}", text) for at, text in enumerate(written)]
    answered = answers(**{"information_schema.tables": [table_row("t")], "information_schema.columns": columns})
    return [(".".join(column.path), column.type) for column in tables(read(answered))["shop.t"].columns]


def test_schema_is_read_with_columns_keys_and_comments() -> None:
    """As SQLAlchemy's inspector reads other products."""
    orders = tables(read())["shop.orders"]

    assert (orders.kind, orders.description, orders.namespace) == ("TABLE", "What was ordered", "starrocks://fe:9030")
    assert orders.keys == (TableKey(PRIMARY_KEY, ("id",)),)
    assert [(c.path[0], c.type, c.logical_type, c.nullable, c.default, c.doc) for c in orders.columns] == [
        ("id", "bigint", "bigint(20)", False, None, None),
        ("customer", "varchar", "varchar(65533)", True, None, "as he wrote it"),
        ("paid", "tinyint", "tinyint(1)", True, '"0"', None),
        ("price", "decimal", "decimal(10,2)", True, None, None),
    ]


def test_type_of_a_table_is_not_its_comment() -> None:
    """Both engines show it where there is none."""
    assert [table.description for table in read().tables] == ["What was ordered", "", ""]


def test_unique_key_of_several_columns_is_one_key() -> None:
    """Every key column of a table of the unique key model is `UNI`; those of the other models identify no row."""
    columns = [
        column_row("orders", name, "int(11)", column_key=key)
        for name, key in (("a", "UNI"), ("b", "UNI"), ("c", "DUP"))
    ]

    assert tables(read(answers(**{"information_schema.columns": columns})))["shop.orders"].keys == (
        TableKey(UNIQUE, ("a", "b")),
    )


def test_nested_types_are_unfolded_as_either_engine_spells_them() -> None:
    """StarRocks writes a space behind the name of a field, Doris a colon."""
    assert types(
        "struct<a int(11), `order id` array<struct<c varchar(10)>>>", "STRUCT<a:INT,b:map<varchar(5),int(11)>>"
    ) == [
        ("c0", "struct"),
        ("c0.a", "int"),
        ("c0.order id", "array"),
        ("c0.order id.[]", "struct"),
        ("c0.order id.[].c", "varchar"),
        ("c1", "struct"),
        ("c1.a", "int"),
        ("c1.b", "map"),
        ("c1.b.{}", "int"),
    ]
    assert types("array<int(11)>", "bigint(20) unsigned", "bitmap", "json", "") == [
        ("c0", "array"),
        ("c0.[]", "int"),
        ("c1", "bigint(20) unsigned"),
        ("c2", "bitmap"),
        ("c3", "json"),
        ("c4", "unknown"),
    ]


def test_view_names_its_columns_and_has_its_query() -> None:
    """Doris does not name what it computes."""
    by_name = tables(read(doris_answers(), "doris://scanner@fe"))

    assert by_name["shop.order_view"].kind == "VIEW"
    assert by_name["shop.order_view"].definition.startswith(
        "CREATE VIEW `order_view` (`id`, `cents`) AS SELECT `internal`."
    )


@pytest.mark.parametrize(("answered", "url"), [(answers(), URL), (doris_answers(), "doris://scanner@fe:9030")])
def test_materialized_view_has_the_query_alone(answered, url) -> None:
    """How it is refreshed is no lineage."""
    totals = tables(read(answered, url))["shop.totals"]

    assert totals.kind == "MATERIALIZED VIEW"
    assert totals.definition.startswith("CREATE VIEW `totals` (`customer`, `total`) AS SELECT ")
    assert "REFRESH" not in totals.definition
    assert not totals.definition.endswith(";")


def test_rollup_has_no_row_of_its_own() -> None:
    """StarRocks lists synchronous materialized views with the others, but they are no tables that can be read."""
    rollup = {"name": "by_day", "definition": "CREATE MATERIALIZED VIEW by_day AS SELECT id FROM orders"}
    answered = answers(**{"information_schema.materialized_views": [rollup]})

    assert "shop.by_day" not in tables(read(answered))


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("mv REFRESH INCREMENTAL AS (SELECT 1)", "(SELECT 1)"),
        (
            "IF NOT EXISTS d.mv (a, INDEX i (a) USING BITMAP, `b``c`) AS SELECT 1, 2",
            "CREATE VIEW `mv` (`a`, `b``c`) AS SELECT 1, 2",
        ),
        (
            "`AS` COMMENT 'it''s AS' ORDER BY (`as`) PROPERTIES ('k' = 'AS') AS WITH c AS (SELECT 1) SELECT 2;",
            "WITH c AS (SELECT 1) SELECT 2",
        ),
        ("mv", "CREATE MATERIALIZED VIEW mv"),
    ],
)
def test_query_is_what_stands_behind_the_first_as(declaration, expected) -> None:
    """Comments, names and properties may have the word, too."""
    assert view_of_declaration("mv", f"CREATE MATERIALIZED VIEW {declaration}") == expected


@given(st.text(alphabet="AS `'\"(),;mv/*-\\\n"), st.lists(st.text(alphabet="a`b", min_size=1), max_size=2))
def test_any_declaration_is_read_without_an_error(text, columns) -> None:
    """A text that ends anywhere, with or without its quotes."""
    assert isinstance(view_of_declaration("mv", f"CREATE MATERIALIZED VIEW {text}"), str)
    assert isinstance(named_view("mv", columns, text), str)


def test_jobs_of_a_table_are_its_parameter() -> None:
    """Several jobs may fill one table, each from its own topic."""
    loads = [starrocks_load("b", "orders", "returns"), starrocks_load("a", "orders")]
    result = read(answers(**{"SHOW ROUTINE LOAD": loads}))
    jobs = json.loads(dict(tables(result)["shop.orders"].parameters)["kafka.jobs"])

    assert [(job["kafka.job"], job["kafka.topics"]) for job in jobs] == [("a", "orders"), ("b", "returns")]
    assert "kafka.jobs" not in dict(tables(result)["shop.totals"].parameters)
    assert result.problems == []


def test_column_that_the_engine_computes_is_not_filled() -> None:
    """A message may have a field of its name."""
    columns = [*COLUMNS, column_row("orders", "year", "int(11)", generation_expression="year(`at`)")]
    result = read(answers(**{"information_schema.columns": columns}))
    (job,) = json.loads(dict(tables(result)["shop.orders"].parameters)["kafka.jobs"])

    assert list(json.loads(job["kafka.columns"])) == ["customer", "id", "paid", "price"]


def test_nothing_that_is_stored_has_a_password() -> None:
    """A capture holds what the dictionary gets."""
    result = read(answers(**{"SHOW ROUTINE LOAD": [starrocks_load("load", "orders", whereExpr=f"a = '{SECRET}'")]}))
    outcome = SourceResult(source=result.tables[0].source, kind="database", status=SourceStatus.READ)

    assert SECRET not in json.dumps(database_document(Reading(outcome=outcome, facts=tuple(result.tables))))


@pytest.mark.parametrize(
    ("refused", "what"),
    [
        ("SHOW ROUTINE LOAD", "its routine loads"),
        ("information_schema.views", "its views"),
        ("information_schema.materialized_views", "its materialized views"),
    ],
)
def test_refused_statement_is_a_problem_and_the_tables_stay(refused, what) -> None:
    """What was read is as true as before; what was not is not deleted as if it were gone."""
    result = read(answers(**{refused: REFUSED}))

    assert set(tables(result)) == {"shop.orders", "shop.order_view", "shop.totals"}
    assert result.unread == [f"shop: {what}"]
    assert result.problems[0].what == f"{what} could not be read: {REFUSED.what}"
    assert result.problems[0].where == "database:olap shop"


@pytest.mark.parametrize("lost_at", ["SHOW ROUTINE LOAD", "information_schema.views"])
def test_lost_connection_costs_the_schema(lost_at) -> None:
    """Tables without their jobs would take the place of those with jobs, which are known from the last scan."""
    lost = SourceUnreachable("Lost connection to MySQL server during query")

    with pytest.raises(SourceUnreachable):
        read(answers(**{lost_at: lost, "SELECT 1": lost}))


@pytest.mark.parametrize("refused", ["information_schema.tables", "information_schema.columns"])
def test_schema_without_its_tables_is_not_read(refused) -> None:
    """The client makes a problem of the schema, and keeps what is known of it."""
    with pytest.raises(SourceUnreachable):
        read(answers(**{refused: SourceUnreachable("Lost connection")}))


def test_table_without_columns_costs_itself() -> None:
    """It was dropped meanwhile, or the user may not see its columns."""
    result = read(answers(**{"information_schema.tables": [table_row("orders"), table_row("hidden")]}))

    assert (list(tables(result)), result.unread) == (["shop.orders"], ["shop.hidden"])
    assert result.problems[0].where == "database:olap shop.hidden"


@pytest.mark.parametrize("hidden", ["information_schema.views", "information_schema.materialized_views"])
def test_view_whose_text_is_hidden_keeps_its_columns(hidden) -> None:
    """StarRocks shows it to those only who may see all tables that it reads."""
    rows = [{"name": "totals", "definition": None, "table_name": "order_view", "view_definition": ""}]
    result = read(answers(**{hidden: rows}))
    (problem,) = result.problems

    assert problem.what == "its definition is not shown to this user"
    assert tables(result)[problem.where.removeprefix("database:olap ")].columns


def test_names_in_statements_are_quoted() -> None:
    """A database may be called anything."""
    sent: list[str] = []
    name = "a`b'c\\d {text}"
    for url in (URL, "doris://fe"):
        session = engine_at(url, {word: [] for word in ("SELECT", "SHOW", "USE")}, sent)
        EngineCatalog(load(product_of(session.location.product.scheme).engine), session).read(name)

    assert "SHOW ROUTINE LOAD FROM `a``b'c\\d {text}`" in sent
    assert "USE `a``b'c\\d {text}`" in sent
    assert sum("TABLE_SCHEMA = 'a`b\\'c\\\\d {text}'" in statement for statement in sent) == 7
    assert sum("'database' = 'a`b\\'c\\\\d {text}'" in statement for statement in sent) == 1


def test_every_statement_only_reads() -> None:
    """A session of these engines cannot be made read-only."""
    sent: list[str] = []
    for url, answered in ((URL, answers()), ("doris://fe", doris_answers())):
        session = engine_at(url, answered, sent)
        catalog = EngineCatalog(load(product_of(session.location.product.scheme).engine), session)
        catalog.version()
        for schema in catalog.schemas():
            catalog.read(schema)

    assert {statement.split()[0] for statement in sent} == {"SELECT", "SHOW", "USE"}


@pytest.mark.parametrize(
    ("url", "chosen", "expected"),
    [
        ("starrocks://fe/shop", (), ["shop"]),
        ("starrocks://fe/default_catalog.shop", (), ["shop"]),
        ("starrocks://fe", (), ["mart", "shop"]),
        ("starrocks://fe/shop", ("mart", "s*"), ["mart", "shop", "sys"]),
    ],
)
def test_database_of_the_url_is_read_where_none_is_chosen(url, chosen, expected) -> None:
    """As of MySQL; the engine's own are read by name only."""
    names = [{"database": name} for name in ("information_schema", "mart", "shop", "sys")]
    session = engine_at(url, answers(**{"SHOW DATABASES": names}), schemas=chosen)

    assert list(EngineCatalog(load(product_of("starrocks").engine), session).schemas()) == expected


def test_version_is_what_the_engine_calls_itself() -> None:
    """`version()` is that of MySQL whose clients it serves."""
    assert (
        EngineCatalog(load(product_of("starrocks").engine), engine_at(URL, answers())).version()
        == "starrocks StarRocks version 3.3.2"
    )


@pytest.fixture
def mysql_shop(mariadb_server: str, run_sql: Callable[..., None]) -> Iterator[str]:
    """Build a MariaDB database, and return a StarRocks URL of it: a server that has no routine loads."""
    run_sql(mariadb_server, "CREATE DATABASE olap")
    run_sql(
        f"{mariadb_server}/olap",
        "CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, note VARCHAR(20) COMMENT 'any')",
        "CREATE VIEW latest AS SELECT max(id) AS id FROM orders",
    )
    yield mariadb_server.replace("mysql+pymysql", "starrocks") + "/olap"
    run_sql(mariadb_server, "DROP DATABASE olap")


@pytest.mark.mariadb
@pytest.mark.xdist_group("mariadb")
class TestOverTheWire:
    """The protocol of MySQL with the real driver; MariaDB has `information_schema`, and no routine loads."""

    @pytest.mark.parametrize("scheme", ["starrocks", "doris"])
    def test_tables_are_read_and_the_refused_statements_are_problems(self, mysql_shop, scheme) -> None:
        """As of a user without rights, or of a version without one of the statements."""
        settings = DatabaseSettings(name="olap", url=mysql_shop.replace("starrocks", scheme))
        location = Location.of(settings)
        unlimited = replace(location, product=replace(location.product, time_limit=""))
        with engine_session(settings, unlimited) as session:
            catalog = EngineCatalog(load(product_of(scheme).engine), session)
            result = catalog.read("olap")
            assert (list(catalog.schemas()), catalog.version().partition(" ")[0]) == (["olap"], scheme)
        by_name = tables(result)

        assert [(c.path, c.type, c.nullable, c.doc) for c in by_name["olap.orders"].columns] == [
            (("id",), "bigint", False, None),
            (("note",), "varchar", True, "any"),
        ]
        assert by_name["olap.orders"].keys == (TableKey(PRIMARY_KEY, ("id",)),)
        assert by_name["olap.latest"].definition.startswith("CREATE VIEW `latest` (`id`) AS select max(")
        assert result.unread == ["olap: its materialized views", "olap: its routine loads"]
        assert ["could not be read" in problem.what for problem in result.problems] == [True, True]

    def test_another_product_at_this_url_is_unavailable(self, mysql_shop) -> None:
        """It does not know how long a query may take; nothing is deleted because of a wrong URL."""
        with pytest.raises(SourceUnreachable, match="query_timeout"):
            read_database(DatabaseSettings(name="olap", url=mysql_shop), no_progress)


def test_dead_host_is_unavailable() -> None:
    """Nothing listens there: what is known of the engine stays."""
    settings = DatabaseSettings(name="olap", url="doris://scanner@127.0.0.1:1/shop", connect_timeout=2)

    with pytest.raises(SourceUnreachable):
        read_database(settings, no_progress)

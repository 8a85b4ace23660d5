"""What only a server has: schemas, rights, comments, materialised views, sessions that cannot write."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import text

from scanner_extractor.probes import State, run_probes
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.systems.databases.client import connected, database_probes, read_database
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.catalogs import CatalogTable, generation_expression
from scanner_model.errors import ScannerError, SourceRefused
from scanner_model.scan import SourceStatus

Run = Callable[..., str]


def settings(url: str, **more: object) -> DatabaseSettings:
    return DatabaseSettings(name="shop", url=url, **more)


def read(url: str, **more: object) -> Reading:
    return read_database(settings(url, **more), no_progress)


@pytest.fixture
def warehouse(postgres_url: str, run_sql: Callable[..., None]) -> str:
    """Build a PostgreSQL database with two schemas of its own, and return its URL."""
    run_sql(
        postgres_url,
        "CREATE SCHEMA sales",
        "CREATE SCHEMA private",
        "CREATE TABLE sales.orders (id bigint PRIMARY KEY, place point, note text DEFAULT 'none')",
        "CREATE TABLE private.people (id bigint)",
        "COMMENT ON TABLE sales.orders IS 'What was ordered'",
        "COMMENT ON COLUMN sales.orders.note IS 'as the customer wrote it'",
        "CREATE MATERIALIZED VIEW sales.latest AS SELECT max(id) AS id FROM sales.orders",
    )
    return postgres_url


@pytest.fixture
def shop(mariadb_server: str, run_sql: Callable[..., None]) -> Iterator[Run]:
    """Build a MariaDB database with a view; return a function that makes a user with rights and returns its URL."""
    database = f"{mariadb_server}/shop"
    run_sql(mariadb_server, "CREATE DATABASE shop")
    run_sql(
        database, "CREATE TABLE orders (id INT PRIMARY KEY)", "CREATE VIEW latest AS SELECT max(id) AS id FROM orders"
    )
    users: list[str] = []

    def user(name: str, *rights: str) -> str:
        grants = (f"GRANT {right} TO {name}" for right in rights)
        run_sql(mariadb_server, f"CREATE USER {name} IDENTIFIED BY 'hidden-word'", *grants)
        users.append(name)
        return database.replace("root@", f"{name}:hidden-word@")

    yield user
    run_sql(mariadb_server, "DROP DATABASE shop", *(f"DROP USER {name}" for name in users))


TRIGGER = (
    "CREATE FUNCTION sales.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE TRIGGER noted AFTER INSERT ON sales.orders FOR EACH ROW EXECUTE FUNCTION sales.note()",
)


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
class TestPostgres:
    """PostgreSQL, whose catalogs every user can read."""

    def test_comments_and_materialised_views_are_read(self, warehouse) -> None:
        """A comment describes a table or a column as a schema's doc does."""
        latest, orders = read(warehouse, schemas=("sales",)).of(CatalogTable)

        assert (latest.name.rpartition(".")[2], latest.kind) == ("latest", "MATERIALIZED VIEW")
        assert "max(" in latest.definition
        assert orders.description == "What was ordered"
        assert orders.columns[2].doc == "as the customer wrote it"

    def test_type_without_a_name_in_sqlalchemy_does_not_lose_the_column(self, warehouse) -> None:
        """Types of extensions, and geometric ones, are unknown; the others of the table are not."""
        (orders,) = (table for table in read(warehouse).of(CatalogTable) if table.name.endswith(".orders"))

        assert [column.type for column in orders.columns] == ["bigint", "unknown", "text"]

    def test_schema_that_is_not_there_leaves_the_rest_to_be_read(self, warehouse) -> None:
        """It was renamed, or the user may not see it: earlier facts of it are kept."""
        result = read(warehouse, schemas=("sales", "missing"))

        assert result.outcome.status is SourceStatus.PARTIAL
        assert len(result.of(CatalogTable)) == 2
        assert [problem.where for problem in result.problems] == ["database:shop schema missing"]

    def test_no_schema_at_all_is_refused(self, warehouse) -> None:
        """Nothing was read, so nothing may be deleted."""
        with pytest.raises(SourceRefused, match="none of its schemas"):
            read(warehouse, schemas=("missing",))

    def test_session_cannot_write(self, warehouse) -> None:
        """Whatever rights the user has."""
        one = settings(warehouse)
        with (
            pytest.raises(ScannerError, match="read-only"),
            connected(one, Location.of(one)) as connection,
        ):
            connection.execute(text("CREATE TABLE mine (id int)"))

    def test_check_names_what_it_cannot_see(self, warehouse) -> None:
        """Before a scan is started."""
        one = settings(warehouse, schemas=("missing",))
        results = list(run_probes(one.source, database_probes(one)))

        assert [result.state for result in results] == [State.OK, State.REFUSED]
        assert results[1].detail.startswith("database:shop schema missing")

    def test_check_counts_materialised_views_with_the_others(self, warehouse) -> None:
        """It lists what a scan would read."""
        results = list(run_probes(settings(warehouse).source, database_probes(settings(warehouse))))

        assert results[1].detail == "2 tables and 1 views in 3 schemas"

    def test_foreign_table_is_a_table(self, warehouse, run_sql) -> None:
        """Its rows are elsewhere; views and connectors read it as any other."""
        run_sql(
            warehouse,
            "CREATE FOREIGN DATA WRAPPER elsewhere",
            "CREATE SERVER other FOREIGN DATA WRAPPER elsewhere",
            "CREATE FOREIGN TABLE sales.remote (id bigint) SERVER other",
        )
        remote = read(warehouse, schemas=("sales",)).of(CatalogTable)[-1]

        assert (remote.name.rpartition(".")[2], remote.kind, len(remote.columns)) == ("remote", "TABLE", 1)

    def test_generated_column_has_its_expression(self, warehouse, run_sql) -> None:
        """It is where the default of another column is."""
        run_sql(warehouse, "ALTER TABLE sales.orders ADD twice bigint GENERATED ALWAYS AS (id * 2) STORED", *TRIGGER)
        *_, twice = read(warehouse, schemas=("sales",)).of(CatalogTable)[-1].columns

        assert generation_expression(twice) == "(id * 2)"

    def test_table_with_triggers_says_so(self, warehouse, run_sql) -> None:
        """What they write is not read, so that lineage lacks it."""
        run_sql(warehouse, *TRIGGER)
        result = read(warehouse, schemas=("sales",))

        assert dict(result.of(CatalogTable)[-1].parameters)["triggers"] == "noted"
        assert [problem.what for problem in result.problems] == [
            "what the triggers of 1 tables write is not read: orders"
        ]

    def test_user_without_rights_on_the_tables_sees_them(self, warehouse, run_sql) -> None:
        """The catalogs are enough: no right to read a row is needed."""
        run_sql(warehouse, "CREATE ROLE reader LOGIN")
        result = read(warehouse.replace("scanner:hidden-word@", "reader@"))
        run_sql(warehouse, "DROP ROLE reader")

        assert len(result.of(CatalogTable)) == 3
        assert result.problems == ()


@pytest.mark.mariadb
@pytest.mark.xdist_group("mariadb")
class TestMariaDb:
    """MariaDB, which shows what the user has some right on."""

    @pytest.mark.smoke
    def test_least_rights_that_are_documented_are_enough(self, shop) -> None:
        """REFERENCES reads no row; MySQL shows a view to those only who may also select from it."""
        result = read(shop("careful", "REFERENCES ON shop.*", "SELECT, SHOW VIEW ON shop.latest"))

        assert result.problems == ()
        assert [(table.name, bool(table.definition)) for table in result.of(CatalogTable)] == [
            ("shop.latest", True),
            ("shop.orders", False),
        ]

    def test_view_whose_text_the_user_may_not_see_keeps_its_columns(self, shop) -> None:
        """Where they come from is not known, which is a problem; the other tables are read."""
        result = read(shop("blind", "REFERENCES ON shop.*"))

        assert [(table.name, len(table.columns), table.definition) for table in result.of(CatalogTable)] == [
            ("shop.latest", 1, ""),
            ("shop.orders", 1, ""),
        ]
        assert [problem.where for problem in result.problems] == ["database:shop shop.latest"]
        assert "SHOW VIEW command denied" in result.problems[0].what

    def test_view_over_a_table_that_is_gone_is_kept_from_earlier(self, shop, run_sql) -> None:
        """The server lists it and does not describe it; the view is not taken for deleted."""
        url = shop("owner", "ALL ON shop.*")
        run_sql(url, "DROP TABLE orders")
        result = read(url)

        assert result.of(CatalogTable) == ()
        assert result.outcome.status is SourceStatus.PARTIAL
        assert result.outcome.unread == {"shop.latest"}

    def test_generated_columns_and_triggers_are_read(self, shop, mariadb_server, run_sql) -> None:
        """As in PostgreSQL; a trigger is shown to those who may change it."""
        run_sql(
            f"{mariadb_server}/shop",
            "ALTER TABLE orders ADD twice INT AS (id * 2) PERSISTENT, ADD shown CHAR(9) AS (concat('n', id)) VIRTUAL",
            "CREATE TRIGGER noted BEFORE INSERT ON orders FOR EACH ROW SET @noted = 1",
        )
        result = read(shop("owner", "ALL ON shop.*"))
        _, twice, shown = result.of(CatalogTable)[-1].columns

        assert generation_expression(twice) == "`id` * 2"
        assert generation_expression(shown) == "concat('n',`id`)"
        assert dict(result.of(CatalogTable)[-1].parameters)["triggers"] == "noted"
        assert [problem.where for problem in result.problems] == ["database:shop shop"]

    def test_wrong_password_is_refused_and_not_shown(self, shop) -> None:
        """An operator corrects it."""
        url = shop("someone", "REFERENCES ON shop.*").replace("hidden-word", "hidden-other")

        with pytest.raises(SourceRefused) as caught:
            read(url)
        assert "hidden" not in str(caught.value)

    def test_session_cannot_write(self, shop) -> None:
        """Whatever rights the user has."""
        one = settings(shop("writer", "ALL ON shop.*"))
        with (
            pytest.raises(ScannerError, match="READ ONLY"),
            connected(one, Location.of(one)) as connection,
        ):
            connection.execute(text("INSERT INTO orders VALUES (1)"))

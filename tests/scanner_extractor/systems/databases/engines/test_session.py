"""Sessions with engines: what is chosen of them, and the driver over the wire, with PostgreSQL in their place."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from streaming_engines import MATERIALIZE, RISINGWAVE, SECRET, Tables, loading, older

from scanner_extractor.probes import State, run_probes
from scanner_extractor.results import no_progress
from scanner_extractor.systems.databases.client import database_probes, read_database
from scanner_extractor.systems.databases.engines.session import EngineCatalog, engine_session
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import Problem, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.scan import SourceStatus

Serve = Callable[[str, Tables], DatabaseSettings]


@pytest.fixture
def serve(postgres_url: str) -> Serve:
    """Return a function that loads the system tables of an engine into PostgreSQL, and returns how it is reached."""

    def load(scheme: str, tables: Tables) -> DatabaseSettings:
        database = postgres_url.rpartition("/")[2]
        with psycopg.connect(postgres_url, autocommit=True) as conn:
            for statement, values in loading(tables):
                conn.execute(statement, values or None)
            conn.execute("CREATE FUNCTION mz_version() RETURNS text LANGUAGE sql AS $$SELECT 'v26.1.0'$$")
            if scheme == "materialize":
                conn.execute("UPDATE mz_catalog.mz_databases SET name = %s WHERE id = 'u1'", (database,))
        return DatabaseSettings(name="stream", url=postgres_url.replace("postgresql", scheme))

    return load


def test_schemas_of_the_engine_itself_are_left_out_unless_they_are_listed(catalog) -> None:
    """As those of any database are."""
    engine = catalog("risingwave", RISINGWAVE)
    listed = DatabaseSettings(name="stream", url="risingwave://rw/dev", schemas=("rw_*",))
    session = engine.session.__class__(settings=listed, location=engine.session.location, rows=engine.session.rows)

    assert engine.schemas() == ["ops", "public"]
    assert EngineCatalog(engine.engine, session).schemas() == ["rw_catalog"]
    assert engine.kinds("ops") == ["SINK"]


def test_database_that_the_url_does_not_name_is_the_user_s() -> None:
    """The driver connects to it."""
    location = Location.of(DatabaseSettings(name="stream", url="risingwave://dev@rw:4566"))

    assert location.name("public", "orders") == "dev.public.orders"
    assert location.product.statements(60) == ("SET statement_timeout = 60000",)


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres")
class TestOverTheWire:
    """The driver that a scan uses, and a server that has the same system tables."""

    @pytest.mark.parametrize(
        ("scheme", "tables", "count"), [("risingwave", RISINGWAVE, 10), ("materialize", MATERIALIZE, 8)]
    )
    def test_engine_is_read(self, serve, scheme, tables, count) -> None:
        """JSON, lists and numbers come as the driver converts them."""
        result = read_database(serve(scheme, tables), no_progress)
        orders = next(table for table in result.of(CatalogTable) if table.name.endswith(".public.orders"))

        assert (result.outcome.status, len(result.of(CatalogTable)), result.problems) == (SourceStatus.READ, count, ())
        assert dict(orders.parameters)["kafka.brokers"] == "k-1:9092"
        assert orders.namespace.startswith(f"{scheme}://127.0.0.1:")
        assert SECRET not in str(result)

    def test_check_says_what_it_sees(self, serve) -> None:
        """Sources and sinks are tables."""
        settings = serve("materialize", MATERIALIZE)
        results = list(run_probes(settings.source, database_probes(settings)))

        assert [(result.state, result.detail) for result in results] == [
            (State.OK, "materialize v26.1.0"),
            (State.OK, "6 tables and 2 views in 2 schemas"),
        ]

    def test_optional_system_table_that_cannot_be_read_is_a_problem(self, serve) -> None:
        """Only a table that the version lacks is passed over in silence."""
        settings = serve("risingwave", RISINGWAVE)
        with engine_session(settings, Location.of(settings)) as session:
            problems: list[Problem] = []

            assert session.optional_rows(("SELECT * FROM rw_catalog.nothing_there",), problems) == []
            assert problems == []
            assert session.optional_rows(("SELECT 1 / 0", "SELECT 1 AS id"), problems) == [{"id": 1}]
            assert [problem.where for problem in problems] == [str(settings.source)]
            assert "division by zero" in problems[0].what

    def test_missing_system_table_makes_the_source_unavailable(self, serve) -> None:
        """No schema can be read, so that nothing may be deleted: a product of the same protocol is another one."""
        settings = serve("risingwave", older(RISINGWAVE, (), {"rw_catalog.rw_relations"}))

        with pytest.raises(SourceUnreachable, match="rw_relations"):
            read_database(settings, no_progress)

    def test_user_without_rights_is_refused(self, serve, postgres_url, run_sql) -> None:
        """The message says whose right is missing, not the password."""
        url = serve("risingwave", RISINGWAVE).url
        run_sql(postgres_url, "DROP ROLE IF EXISTS nobody_here", "CREATE ROLE nobody_here LOGIN")
        nobody = DatabaseSettings(name="stream", url=url.replace("scanner:hidden-word", "nobody_here:hidden-word"))

        with pytest.raises(SourceRefused, match="permission denied") as caught:
            read_database(nobody, no_progress)
        run_sql(postgres_url, "DROP ROLE nobody_here")
        assert "hidden-word" not in str(caught.value)

    def test_session_that_a_statement_ended_answers_the_next(self, serve) -> None:
        """Each statement is a transaction: one that an older version refuses does not end the others."""
        settings = serve("risingwave", RISINGWAVE)
        with engine_session(settings, Location.of(settings)) as session:
            with pytest.raises(ScannerError, match="nothing_there"):
                session.rows("SELECT * FROM nothing_there")

            assert session.rows("SELECT 1 AS One, NULL AS two") == [{"one": 1, "two": None}]
            assert session.rows("SHOW statement_timeout") == [{"statement_timeout": "1min"}]


def test_dead_host_is_unreachable_without_the_password() -> None:
    """A scan of everything else goes on."""
    settings = DatabaseSettings(name="stream", url="risingwave://u:hidden-word@127.0.0.1:1/dev", connect_timeout=2)

    with pytest.raises(SourceUnreachable) as caught:
        read_database(settings, no_progress)
    assert "hidden-word" not in str(caught.value)

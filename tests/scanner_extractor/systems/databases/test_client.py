"""Databases read in process, from SQLite files: facts, conditions of failure, the probes of `scanner check`."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from scanner_extractor.probes import State, run_probes
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.scan.documents import database_document, read_database_document
from scanner_extractor.systems.databases.client import database_probes, read_database
from scanner_extractor.systems.databases.errors import source_errors
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.catalogs import CatalogTable, TableKey
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid, SourceUnreachable
from scanner_model.scan import SourceStatus

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, email VARCHAR(200) NOT NULL DEFAULT 'nobody', credit NUMERIC(10, 2));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers (id), no INTEGER, UNIQUE (no));
CREATE TABLE "odd.name" ("a.b" TEXT, "@key" BLOB, shape GEOMETRY);
CREATE VIEW big AS SELECT id, 'x' AS password FROM orders;
"""


def settings(file: Path, **more: object) -> DatabaseSettings:
    return DatabaseSettings(name="shop", url=f"sqlite:///{file.name}", base=file.parent, **more)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Build a database file."""
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(SHOP)
    connection.close()
    return file


def read(file: Path, **more: object) -> Reading:
    return read_database(settings(file, **more), no_progress)


def test_tables_are_named_as_connectors_name_them(shop) -> None:
    """`jdbc:sqlite:/data/shop.db` has the namespace `file:/data/shop.db`, and a table's name nothing before it."""
    tables = read(shop).of(CatalogTable)

    assert [(table.namespace, table.name, table.kind) for table in tables] == [
        (f"file:{shop}", "big", "VIEW"),
        (f"file:{shop}", "customers", "TABLE"),
        (f"file:{shop}", "odd.name", "TABLE"),
        (f"file:{shop}", "orders", "TABLE"),
    ]


def test_columns_have_types_defaults_and_nullability(shop) -> None:
    """A type is its word and what refines it, a default is JSON text."""
    customers = read(shop).of(CatalogTable)[1]

    assert customers.columns == (
        Column(path=("id",), type="integer", nullable=True),
        Column(path=("email",), type="varchar", logical_type="varchar(200)", default="\"'nobody'\""),
        Column(path=("credit",), type="numeric", logical_type="numeric(10,2)", nullable=True),
    )


def test_names_that_look_like_marks_and_unknown_types_are_kept(shop) -> None:
    """A column called `@key` is not the key of a message, and a type that no dialect knows is no failure."""
    odd = read(shop).of(CatalogTable)[2]

    assert [(column.path, column.type) for column in odd.columns] == [
        (("a.b",), "text"),
        (("`@key`",), "blob"),
        (("shape",), "numeric"),
    ]


def test_keys_are_read(shop) -> None:
    """The primary key is that of a Debezium topic, a foreign key names the other table."""
    assert read(shop).of(CatalogTable)[3].keys == (
        TableKey("PRIMARY KEY", ("id",)),
        TableKey("UNIQUE", ("no",)),
        TableKey("FOREIGN KEY", ("customer",), "customers", ("id",)),
    )


def test_view_over_a_table_that_is_gone_costs_itself(shop) -> None:
    """SQLite refuses to describe it, and with it every view that is requested in bulk."""
    with sqlite3.connect(shop) as connection:
        connection.execute("CREATE VIEW broken AS SELECT id FROM gone")
    connection.close()
    result = read(shop)

    assert [table.name for table in result.of(CatalogTable)] == ["big", "customers", "odd.name", "orders"]
    assert result.outcome.unread == {"broken"}


def test_view_has_its_definition(shop) -> None:
    """It is stored as it is, and read when the graph is generated."""
    assert read(shop).of(CatalogTable)[0].definition == "CREATE VIEW big AS SELECT id, 'x' AS password FROM orders"


def test_other_addresses_are_other_names_of_each_table(shop) -> None:
    """Connectors may reach the same server by another name."""
    assert read(shop, aliases=("/mnt/shop.db",)).of(CatalogTable)[1].symlinks == (("file:/mnt/shop.db", "customers"),)


def test_database_is_only_read(shop) -> None:
    """Not a byte of the file changes, and a file that is missing is not created."""
    before = shop.read_bytes()
    read(shop)

    with pytest.raises(SourceUnreachable):
        read(shop.with_name("missing.db"))
    assert shop.read_bytes() == before
    assert [file.name for file in shop.parent.iterdir()] == ["shop.db"]


def test_file_that_is_no_database_is_a_problem_of_the_source(tmp_path) -> None:
    """The scan of everything else goes on."""
    file = tmp_path / "notes.txt"
    file.write_text("no database " * 100)

    with pytest.raises(SourceUnreachable, match="not a database"):
        read(file)


@pytest.mark.parametrize(
    ("url", "kind", "part"),
    [
        ("postgresql://scanner:hidden-word@127.0.0.1:1/shop", SourceUnreachable, "refused"),
        ("mysql://scanner:hidden-word@127.0.0.1:1/shop", SourceUnreachable, "127.0.0.1"),
        ("nosuchdatabase://scanner:hidden-word@db/shop", InputInvalid, "no driver"),
    ],
)
def test_database_that_cannot_be_opened_is_reported_without_the_password(url, kind, part) -> None:
    """A dead host, or a dialect that nobody installed."""
    with pytest.raises(kind) as caught:
        read_database(DatabaseSettings(name="shop", url=url, connect_timeout=2), no_progress)

    assert part in caught.value.what
    assert "hidden-word" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "package"),
    [
        ("bigquery://project/dataset", "'sqlalchemy-bigquery'"),
        ("databricks://token:hidden-word@host", "'databricks-sqlalchemy'"),
        ("duckdb:///shop.duckdb", "'duckdb-engine'"),
        ("nosuchdatabase+odd://db/shop", "the package of the driver odd"),
    ],
)
def test_missing_dialect_is_named_by_its_package(url, package) -> None:
    """Its name is not that of the dialect."""
    with pytest.raises(InputInvalid) as caught:
        read_database(DatabaseSettings(name="shop", url=url), no_progress)

    assert caught.value.hint.endswith(package)


def test_statement_that_is_refused_does_not_blame_the_url() -> None:
    """A dialect asks for what this version of its database does not have, as that of DuckDB does."""
    url = make_url("duckdb:///shop.duckdb")
    with pytest.raises(SourceUnreachable) as caught, source_errors(url):
        raise OperationalError("SELECT 1 FROM pg_collation", {}, sqlite3.OperationalError("there is no pg_collation"))

    assert caught.value.hint.startswith("it answers, and refuses a statement that reads its catalog: duckdb-engine may")


def test_settings_do_not_show_the_password() -> None:
    """They are logged and shown in tests' messages."""
    shown = repr(DatabaseSettings(name="shop", url="postgresql://u:hidden-word@db/shop", password="hidden-other"))

    assert "hidden" not in shown


def test_check_counts_what_it_can_see(shop) -> None:
    """One line to connect, one to list."""
    results = list(run_probes(settings(shop).source, database_probes(settings(shop))))

    assert [(result.state, result.tried) for result in results] == [
        (State.OK, "connect to the database"),
        (State.OK, "list tables and views"),
    ]
    assert results[1].detail == "3 tables and 1 views in 1 schemas"


def test_captured_database_is_the_one_that_was_read(shop) -> None:
    """A replay has no database to ask."""
    result = read(shop, aliases=("/mnt/shop.db",))
    document = json.loads(json.dumps(database_document(result)))

    assert read_database_document(document, result.outcome.source) == result


@pytest.mark.parametrize("document", [None, {}, {"tables": 1}, {"tables": [{"name": "x"}]}])
def test_damaged_capture_is_refused(document) -> None:
    """Someone edited it."""
    with pytest.raises(InputInvalid, match="damaged"):
        read_database_document(document, settings(Path("x")).source)


def test_read_database_is_whole(shop) -> None:
    """What is missing from it next time was deleted."""
    assert read(shop).outcome.status is SourceStatus.READ

"""Every database that can be had answers alike: SQLite in process, PostgreSQL and MariaDB as real servers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from dataflow_generator.jobs.databases.views import view_jobs
from dataflow_generator.jobs.model import ColumnRef, Naming
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.systems.databases.client import read_database
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.catalogs import CatalogTable, TableKey
from scanner_model.columns import path_name

STATEMENTS = (
    "CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY, email VARCHAR(200) NOT NULL, credit NUMERIC(10, 2))",
    "CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, customer INTEGER, total NUMERIC(12, 2),"
    " FOREIGN KEY (customer) REFERENCES customers (id))",
    "CREATE VIEW spending (customer, mail, total) AS SELECT c.id, lower(c.email), o.total + c.credit"
    " FROM customers c JOIN orders o ON o.customer = c.id WHERE o.total > 0",
    "CREATE VIEW top AS SELECT customer, total FROM spending UNION SELECT id, credit FROM customers",
    "CREATE VIEW everything AS SELECT * FROM orders",
)


@dataclass(frozen=True)
class Server:
    """A database with the tables of STATEMENTS: how it is reached, and what its tables' names begin with."""

    url: str
    start: str
    base: Path = Path()
    schemas: tuple[str, ...] = ()

    def read(self, **more: object) -> Reading:
        return read_database(DatabaseSettings(name="shop", url=self.url, base=self.base, **more), no_progress)


@pytest.fixture(scope="module")
def sqlite_shop(tmp_path_factory: pytest.TempPathFactory) -> Server:
    file = tmp_path_factory.mktemp("shop") / "shop.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(";".join(STATEMENTS))
    connection.close()
    return Server(f"sqlite:///{file}", "")


@pytest.fixture(scope="module")
def postgres_shop(postgres_server: str, run_sql: Callable[..., None]) -> Iterator[Server]:
    run_sql(f"{postgres_server}/postgres", "CREATE DATABASE conformance")
    run_sql(f"{postgres_server}/conformance", *STATEMENTS)
    yield Server(f"{postgres_server}/conformance", "conformance.public.")
    run_sql(f"{postgres_server}/postgres", "DROP DATABASE conformance WITH (FORCE)")


@pytest.fixture(scope="module")
def mariadb_shop(mariadb_server: str, run_sql: Callable[..., None]) -> Iterator[Server]:
    run_sql(mariadb_server, "CREATE DATABASE conformance")
    run_sql(f"{mariadb_server}/conformance", *STATEMENTS)
    yield Server(f"{mariadb_server}/conformance", "conformance.")
    run_sql(mariadb_server, "DROP DATABASE conformance")


@pytest.fixture(
    params=[
        pytest.param("sqlite_shop"),
        pytest.param("postgres_shop", marks=[pytest.mark.postgres, pytest.mark.xdist_group("postgres")]),
        pytest.param("mariadb_shop", marks=[pytest.mark.mariadb, pytest.mark.xdist_group("mariadb")]),
    ]
)
def server(request: pytest.FixtureRequest) -> Server:
    """Return each database in turn."""
    shop: Server = request.getfixturevalue(request.param)
    return shop


def short(server: Server, result: Reading) -> dict[str, CatalogTable]:
    return {table.name.removeprefix(server.start): table for table in result.of(CatalogTable)}


def test_tables_and_views_are_listed_under_their_full_names(server) -> None:
    """The database's own schemas are left out."""
    result = server.read()

    assert result.problems == ()
    assert {name: table.kind for name, table in short(server, result).items()} == {
        "customers": "TABLE",
        "everything": "VIEW",
        "orders": "TABLE",
        "spending": "VIEW",
        "top": "VIEW",
    }
    assert all(table.name.startswith(server.start) for table in result.of(CatalogTable))


def test_columns_are_described(server) -> None:
    """Types, sizes and nullability are the same facts whatever the product."""
    tables = short(server, server.read())
    customers = [(path_name(column.path), column.nullable) for column in tables["customers"].columns]

    assert customers == [("id", False), ("email", False), ("credit", True)]
    assert tables["customers"].columns[1].logical_type == "varchar(200)"
    assert (tables["customers"].columns[2].logical_type or "").endswith("(10,2)")


def test_keys_are_described(server) -> None:
    """A foreign key names the other table in full."""
    assert short(server, server.read())["orders"].keys == (
        TableKey("PRIMARY KEY", ("id",)),
        TableKey("FOREIGN KEY", ("customer",), f"{server.start}customers", ("id",)),
    )


def test_columns_of_views_come_from_columns_of_tables(server) -> None:
    """Each product shows the text of a view in a form of its own."""
    result, naming = server.read(), Naming([])
    paths = {
        naming.dataset(table.namespace, table.name): tuple(column.path for column in table.columns)
        for table in result.of(CatalogTable)
    }
    readings = list(view_jobs([row(table) for table in result.of(CatalogTable) if table.definition], paths, naming))
    flows = {
        f"{shown(flow.source)} -> {shown(flow.target)} {flow.subtype}".replace(server.start, "")
        for reading in readings
        for flow in reading.flows.columns
    }

    assert [reading.problems for reading in readings] == [(), (), ()]
    assert flows == {
        "customers.id -> spending.customer IDENTITY",
        "customers.email -> spending.mail TRANSFORMATION",
        "customers.credit -> spending.total TRANSFORMATION",
        "orders.total -> spending.total TRANSFORMATION",
        "customers.id -> spending JOIN",
        "orders.customer -> spending JOIN",
        "orders.total -> spending FILTER",
        "spending.customer -> top.customer IDENTITY",
        "customers.id -> top.customer IDENTITY",
        "spending.total -> top.total IDENTITY",
        "customers.credit -> top.total IDENTITY",
        "orders.id -> everything.id IDENTITY",
        "orders.customer -> everything.customer IDENTITY",
        "orders.total -> everything.total IDENTITY",
    }


def shown(ref: ColumnRef) -> str:
    return f"{ref.dataset.name}.{path_name(ref.path)}" if ref.path else ref.dataset.name


def row(table: CatalogTable) -> TableRow:
    return TableRow(cluster="retail", **{member.name: getattr(table, member.name) for member in fields(table)})

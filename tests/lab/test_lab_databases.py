"""From a view over the warehouse's table back to the shop's column, where no registry has a schema of the topic.

The warehouse is PostgreSQL, and MariaDB where its server is installed.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import requests
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

pytestmark = pytest.mark.lab

VIEWS = (
    "create or replace view crm_domains as"
    " select c.id as customer, split_part(c.email, '@', 2) as domain from crm_customers c",
    "drop materialized view if exists crm_names",
    "create materialized view crm_names as select upper(full_name) as name from crm_customers",
)


@pytest.fixture(scope="module")
def scanned(lab) -> str:
    """Scan brokers, Connect and both databases, nothing else, and generate the graph; return the dictionary."""
    lab.needs("databases", "connectors")
    with psycopg.connect(lab.told["postgres"]["warehouse"]) as connection:
        for view in VIEWS:
            connection.execute(view)
    return _scan(lab, "databases.db", _postgres(lab, "shop"), _postgres(lab, "warehouse"))


def _scan(lab, file: str, *databases: dict[str, Any], **passwords: str) -> str:
    none = dict.fromkeys(("schema_registries", "ksqldb", "flink", "metrics"))
    address = f"sqlite:///{lab.directory}/{file}"
    config = lab.config(**none, databases=databases)
    shop = urlsplit(lab.told["postgres"]["shop"]).password or ""
    scan = ("extract", "--config", str(config), "--dictionary", address, "--quiet")
    lab.scanner(*scan, LAB_POSTGRES_PASSWORD=shop, **passwords)
    lab.scanner("dataflow", "--dictionary", address)
    return address


def _postgres(lab, name: str) -> dict[str, Any]:
    """Describe a database of the lab; the connectors write the server's address, not its name."""
    server = urlsplit(lab.told["postgres"][name])
    return {
        "name": name,
        "url": f"postgresql://{server.username}@localhost:{server.port}/{name}",
        "password": "${LAB_POSTGRES_PASSWORD}",
        "schemas": ["public"],
        "aliases": [f"127.0.0.1:{server.port}"],
    }


@pytest.fixture(scope="module")
def mariadb(lab, mariadb_server, run_sql) -> Iterator[tuple[str, str]]:
    """Let a sink fill a table of MariaDB from the captured customers; return host and port, and the password.

    A view over the table is created when it is there.
    """
    lab.needs("databases", "connectors")
    server, password = urlsplit(mariadb_server).netloc.rpartition("@")[2], secrets.token_hex(8)
    run_sql(
        f"{mariadb_server}/mysql",
        "CREATE DATABASE warehouse",
        f"CREATE USER sink@'%' IDENTIFIED BY '{password}'",
        "GRANT ALL ON warehouse.* TO sink@'%'",
    )
    connector = f"{lab.told['connect']}/connectors/mariadb-customers"
    answer = requests.put(f"{connector}/config", json=_sink(server, password), timeout=60)
    try:
        answer.raise_for_status()
        _wait_for_rows(f"{mariadb_server}/warehouse")
        domains = "CREATE VIEW domains AS SELECT id, substring_index(email, '@', -1) AS domain FROM crm_customers"
        run_sql(f"{mariadb_server}/warehouse", domains)
        yield server, password
    finally:
        requests.delete(connector, timeout=60)


def _sink(server: str, password: str) -> dict[str, str]:
    return {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
        "tasks.max": "1",
        "topics": "cdc.customers",
        "connection.url": f"jdbc:mariadb://{server}/warehouse",
        "connection.username": "sink",
        "connection.password": password,
        "insert.mode": "upsert",
        "primary.key.mode": "record_key",
        "schema.evolution": "basic",
        "collection.name.format": "crm_customers",
    }


def _wait_for_rows(url: str, patience: float = 60.0) -> None:
    engine = create_engine(url)
    deadline = time.monotonic() + patience
    while True:
        try:
            with engine.connect() as connection:
                if connection.execute(text("SELECT count(*) FROM crm_customers")).scalar():
                    return engine.dispose()
        except SQLAlchemyError:  # the sink has not created the table yet
            pass
        assert time.monotonic() < deadline, "the sink wrote nothing"
        time.sleep(0.5)


@pytest.fixture(scope="module")
def hops(lab, scanned) -> Callable[[str], list[dict[str, Any]]]:
    """Return a function that traces a column upstream, and gives the flows between columns."""
    return lambda node: _column_flows(lab, scanned, node)


def _column_flows(lab, dictionary: str, node: str) -> list[dict[str, Any]]:
    command = ("lineage", node, "--upstream", "--columns", "--format", "json", "--dictionary", dictionary)
    return [edge for edge in json.loads(lab.scanner(*command))["edges"] if edge["kind"] == "column-flow"]


def short(key: str) -> str:
    return key.rpartition("/")[2]


def test_view_leads_back_to_the_shops_column_with_evidence_of_each_hop(hops) -> None:
    """The shop's table, Debezium, a topic of JSON, Debezium's JDBC sink, the warehouse's table, a view."""
    flows = {
        (short(edge["source"]), short(edge["target"])): edge for edge in hops("warehouse.public.crm_domains.domain")
    }

    captured = flows["shop.public.customers#email", "cdc.customers#email"]
    written = flows["cdc.customers#email", "warehouse.public.crm_customers#email"]
    viewed = flows["warehouse.public.crm_customers#email", "warehouse.public.crm_domains#domain"]

    assert "columns of shop.public.customers from database:shop" in captured["evidence"]
    assert written["evidence"].startswith("connector warehouse-customers: ")
    assert viewed["evidence"] == "view warehouse.public.crm_domains of database:warehouse"


def test_materialised_view_leads_back_through_the_sinks_rename(hops) -> None:
    """The sink writes `name` as `full_name`."""
    flows = {(short(edge["source"]), short(edge["target"])) for edge in hops("warehouse.public.crm_names.name")}

    assert flows >= {
        ("shop.public.customers#name", "cdc.customers#name"),
        ("cdc.customers#name", "warehouse.public.crm_customers#full_name"),
        ("warehouse.public.crm_customers#full_name", "warehouse.public.crm_names#name"),
    }


def test_no_password_is_in_the_dictionary(lab, scanned) -> None:
    """It came from a variable, and went to the server only."""
    password = urlsplit(lab.told["postgres"]["shop"]).password or ""
    file = lab.directory / scanned.rpartition("/")[2]

    assert password
    assert password.encode() not in file.read_bytes()


@pytest.mark.mariadb
def test_view_of_mariadb_leads_back_to_the_shops_column_with_evidence_of_each_hop(lab, mariadb) -> None:
    """From PostgreSQL through a topic of JSON into another product, whose tables have no schemas."""
    server, password = mariadb
    warehouse = {"name": "mariadb", "url": f"mysql://sink@{server}/warehouse", "password": "${LAB_MARIADB_PASSWORD}"}
    address = _scan(lab, "mariadb.db", _postgres(lab, "shop"), warehouse, LAB_MARIADB_PASSWORD=password)

    flows = {
        (short(edge["source"]), short(edge["target"])): edge["evidence"]
        for edge in _column_flows(lab, address, "warehouse.domains.domain")
    }

    captured = flows["shop.public.customers#email", "cdc.customers#email"]
    written = flows["cdc.customers#email", "warehouse.crm_customers#email"]
    assert "columns of shop.public.customers from database:shop" in captured
    assert written.startswith("connector mariadb-customers: ")
    assert flows["warehouse.crm_customers#email", "warehouse.domains#domain"] == (
        "view warehouse.domains of database:mariadb"
    )

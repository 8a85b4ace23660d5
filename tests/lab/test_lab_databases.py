"""From a view over the warehouse's table back to the shop's column, where no registry has a schema of the topic."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

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
    server = urlsplit(lab.told["postgres"]["shop"])
    databases = [
        {
            "name": name,
            "url": f"postgresql://{server.username}@localhost:{server.port}/{name}",
            "password": "${LAB_POSTGRES_PASSWORD}",
            "schemas": ["public"],
            # The connectors write the address, not the name.
            "aliases": [f"127.0.0.1:{server.port}"],
        }
        for name in ("shop", "warehouse")
    ]
    none = dict.fromkeys(("schema_registries", "ksqldb", "flink", "metrics"))
    address = f"sqlite:///{lab.directory}/databases.db"
    scan = ("extract", "--config", str(lab.config(**none, databases=databases)), "--dictionary", address, "--quiet")
    lab.scanner(*scan, LAB_POSTGRES_PASSWORD=server.password or "")
    lab.scanner("dataflow", "--dictionary", address)
    return address


@pytest.fixture(scope="module")
def hops(lab, scanned) -> Callable[[str], list[dict[str, Any]]]:
    """Return a function that traces a column upstream, and gives the flows between columns."""

    def trace(node: str) -> list[dict[str, Any]]:
        command = ("lineage", node, "--upstream", "--columns", "--format", "json", "--dictionary", scanned)
        return [edge for edge in json.loads(lab.scanner(*command))["edges"] if edge["kind"] == "column-flow"]

    return trace


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

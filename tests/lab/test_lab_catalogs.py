"""Catalogs of tables: Unity Catalog OSS, Iceberg's own REST server, and Glue as moto implements it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.http.client import Http
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.systems.glue.catalog import glue_catalog_transport, read_glue_catalog
from scanner_model.catalogs import CatalogTable
from scanner_model.scan import SourceStatus

pytestmark = pytest.mark.lab
boto3 = pytest.importorskip("boto3")

REGION = "eu-west-1"
_TABLES = f"arn:aws:glue:{REGION}:123456789012"
"""Glue's namespace of moto's only account."""
_BROKER = "kafka://127.0.0.1:29792"


def _read(kind: str, url: str, **more: Any) -> Reading:
    settings = CatalogSettings(type=kind, http=HttpSettings(url=url), **more)
    with Http(settings.http, settings.source) as http:
        return CATALOGS[kind].read(settings, http, no_progress)


def _columns(result: Reading, table: str) -> dict[str, str]:
    """Return the type of each column of a table, by its path."""
    (found,) = (item for item in result.of(CatalogTable) if item.name == table)
    return {".".join(column.path): column.type for column in found.columns}


def test_unity_lists_every_table_with_its_columns(lab) -> None:
    """A server without lineage is read in full; that it has none is a problem, reported once."""
    lab.needs("unity-tables")

    result = _read("unity", lab.told["systems"]["unity"])

    assert {table.name for table in result.of(CatalogTable)} == {
        "lab.sales.orders",
        "lab.sales.returns",
        "lab.sales.a-b",
    }
    assert _columns(result, "lab.sales.orders") == {
        "id": "long", "total": "decimal", "ship_to": "struct", "ship_to.city": "string", "day": "date",
    }  # fmt: skip
    (orders,) = (table for table in result.of(CatalogTable) if table.name == "lab.sales.orders")
    assert (orders.table_format, orders.partition_keys, orders.description) == ("delta", ("day",), "the shop's orders")
    assert result.outcome.status is SourceStatus.READ
    assert len(result.problems) <= 1


def test_iceberg_s_own_server_lists_tables_and_views_of_nested_namespaces(lab) -> None:
    """Nested columns by path, and the SQL of the view."""
    lab.needs("iceberg-tables")

    result = _read("iceberg", lab.told["systems"]["iceberg"])

    assert {table.name for table in result.of(CatalogTable)} == {
        "shop.orders", "shop.returns", "shop.totals", "shop.eu.orders", "shop.eu.returns",
    }  # fmt: skip
    assert {"id", "total", "items", "items.[]", "items.[].sku"} == _columns(result, "shop.orders").keys()
    assert result.outcome.status is SourceStatus.READ


@pytest.fixture(scope="module")
def lake(lab) -> str:
    """Scan moto's Glue with a declared job that fills one of its tables, and return the dictionary's address."""
    lab.needs("glue-tables", "kafka-systems")
    address = f"sqlite:///{lab.directory}/glue.db"
    _scan(lab, address, id="id")
    return address


def _glue(lab):
    place = {"region": REGION, "endpoint_url": lab.told["systems"]["glue"]}
    file = lab.directory / "glue.json"
    catalog, target = {"type": "glue", **place}, {"target": "glue", **place}
    file.write_text(
        json.dumps(
            {
                "cluster": "lake",
                "brokers": [lab.told["systems"]["broker"]],
                "catalogs": [catalog],
                "push": [target],
                "manual_input": ["lake.json"],
            }
        ),
        "utf-8",
    )
    return file


def _scan(lab, address: str, **columns: str) -> None:
    """Scan, and declare a job that fills the table `orders` from the topic `orders`: its columns by those they get."""
    flow = {
        "from": "orders",
        "to": {"namespace": _TABLES, "name": "table/lake/orders"},
        "job": "orders-to-lake",
        "columns": [{"from": source, "to": target} for target, source in columns.items()],
    }
    (lab.directory / "lake.json").write_text(json.dumps({"flows": [flow]}), "utf-8")
    lab.scanner("scan", "--config", str(_glue(lab)), "--dictionary", address, "--quiet")


def test_glue_lists_tables_with_their_columns_and_partitions(lab) -> None:
    """Over the network, through boto3; moto answers by its own model of Glue."""
    lab.needs("glue-tables")
    settings = CatalogSettings(
        type="glue", http=HttpSettings(url=lab.told["systems"]["glue"]), options={"region": REGION}
    )

    with Http(settings.http, settings.source, exchange=glue_catalog_transport(settings, lambda: _client(lab))) as http:
        result = read_glue_catalog(settings, http, no_progress)

    assert {table.name for table in result.of(CatalogTable)} == {"table/lake/orders", "table/lake/returns"}
    assert {"id", "items", "items.[].sku", "items.[].price", "day"} <= _columns(result, "table/lake/orders").keys()
    assert result.outcome.status is SourceStatus.READ


def test_glue_takes_what_is_pushed_and_gives_it_back(lab, lake) -> None:
    """Plan, push, push again, a change, undo: the parameters of the table are what was planned, and then as before."""
    before = _parameters(lab)
    planned = _push(lab, lake, "--dry-run")
    first = _push(lab, lake)
    pushed = _parameters(lab)
    again = _push(lab, lake)
    _scan(lab, lake, id="id", items="lines")
    _push(lab, lake)
    changed = _parameters(lab)
    for run in (2, 1):
        lab.scanner("push", "glue", "--config", str(_glue(lab)), "--dictionary", lake, "--undo", str(run))

    assert planned
    assert first
    assert again
    assert before == {"classification": "parquet"}
    assert json.loads(pushed["scanner.columns"]) == {"id": [f"{_BROKER}/orders#id"]}
    assert json.loads(changed["scanner.columns"]).keys() == {"id", "items"}
    assert _parameters(lab) == before


def _push(lab, address: str, *more: str) -> Any:
    command = ("push", "glue", "--config", str(_glue(lab)), "--dictionary", address, "--format", "json", *more)
    return json.loads(lab.scanner(*command))


def _parameters(lab) -> dict[str, str]:
    return _client(lab).get_table(DatabaseName="lake", Name="orders")["Table"]["Parameters"]


def _client(lab) -> Any:
    keys = {"aws_access_key_id": "lab", "aws_secret_access_key": "lab"}
    return boto3.client("glue", region_name=REGION, endpoint_url=lab.told["systems"]["glue"], **keys)

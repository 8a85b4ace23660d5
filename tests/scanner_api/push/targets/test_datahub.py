"""DataHub: names, field paths of both versions, schemas and tags of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from datahub_server import DataHubServer
from push_world import Catalog, installation, settings

from scanner_api.push.run import explain_push
from scanner_api.push.targets.datahub import DataHub
from scanner_extractor.settings.push import IdentityRow, Schemas

Json = Any

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:kafka,orders,PROD)"
BILL = "urn:li:dataJob:(urn:li:dataFlow:(scanner,kafka://b:9092,PROD),bill)"


def schema(*paths: str) -> Json:
    """Return a schema that somebody else wrote."""
    kind = {"type": {"com.linkedin.schema.StringType": {}}}
    fields = [{"fieldPath": path, "type": kind, "nativeDataType": "string"} for path in paths]
    named = {"schemaName": "orders", "platform": "urn:li:dataPlatform:kafka", "version": 0, "hash": "x"}
    return {"schemaMetadata": {**named, "platformSchema": {}, "fields": fields}}


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Return an empty DataHub."""
    writes = lambda request: not request.url.endswith("batchGet")  # noqa: E731
    return Catalog(DataHubServer(), settings("datahub"), installation(tmp_path), writes)


def upstreams(catalog: Catalog) -> list[str]:
    """Return the field paths that the job `bill` takes its columns from."""
    entries = catalog.server.entities[BILL]["dataJobInputOutput"].get("fineGrainedLineages", [])
    return [urn.removeprefix(f"urn:li:schemaField:({ORDERS},")[:-1] for entry in entries for urn in entry["upstreams"]]


def test_field_paths_are_those_of_the_schema_that_is_there(catalog: Catalog) -> None:
    path = "[version=2.0].[type=com.shop.Order].[type=string].id"
    catalog.server.entities[ORDERS] = schema(path)

    catalog.push()

    assert upstreams(catalog) == [path]
    assert catalog.server.entities[ORDERS]["schemaMetadata"] == schema(path)["schemaMetadata"]


def test_path_that_several_branches_have_is_skipped_and_said(catalog: Catalog) -> None:
    catalog.server.entities[ORDERS] = schema(*(f"[version=2.0].[type=union].[type={name}].id" for name in "ab"))

    result = catalog.push()

    assert upstreams(catalog) == []
    assert [skipped.name for skipped in result.skipped] == ["orders.id"]


def test_column_that_the_schema_there_lacks_has_no_lineage(catalog: Catalog) -> None:
    catalog.server.entities[ORDERS] = schema("other")

    catalog.push()

    assert upstreams(catalog) == []


def test_schemas_of_others_are_written_over_and_restored_where_all_are_wanted(catalog: Catalog) -> None:
    catalog.server.entities[ORDERS] = schema("other")
    before = catalog.server.state()
    catalog.settings = settings("datahub", schemas=Schemas.ALL)

    run = catalog.push().run

    assert upstreams(catalog) == ["id"]
    catalog.undo(run)
    assert catalog.server.state() == before


@pytest.mark.parametrize(
    ("namespace", "name", "urn"),
    [
        ("kafka://b:9092", "a,b(c)", "urn:li:dataset:(urn:li:dataPlatform:kafka,eu.a%2Cb%28c%29,PROD)"),
        ("s3://lake", "orders/2026", "urn:li:dataset:(urn:li:dataPlatform:s3,lake/orders/2026,PROD)"),
        ("snowflake://org-acct", "DB.S.T", "urn:li:dataset:(urn:li:dataPlatform:snowflake,db.s.t,PROD)"),
        ("sqlserver://h:1433", "db.dbo.T", "urn:li:dataset:(urn:li:dataPlatform:mssql,db.dbo.t,PROD)"),
    ],
)
def test_dataset_is_named_as_the_catalogs_own_sources_do(namespace: str, name: str, urn: str) -> None:
    rows = (IdentityRow(namespace="kafka", instance="eu"), IdentityRow(namespace="sqlserver", lower_case=True))

    assert DataHub(settings("datahub", identity=rows)).explain(namespace, name).name == urn


def test_node_of_the_graph_is_explained(catalog: Catalog) -> None:
    explained = explain_push(catalog.world.dictionary, catalog.settings, "orders")

    assert (explained.name, explained.row) == (ORDERS, None)

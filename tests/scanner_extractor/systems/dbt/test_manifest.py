"""Manifests that dbt 1.6, 1.7 and 1.12 wrote of one project: tables, columns, exposures, and files that are none."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.dbt.manifest import load_manifest, read_manifest, summary
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.errors import PayloadUnexpected, SourceUnreachable
from scanner_model.scan import SourceStatus

RECORDED = Path(__file__).parents[3] / "conformance" / "recorded"
SPACE = "postgres://dw:5432"
VERSIONS = ("v10", "v11", "v12")


def settings(directory: Path, namespace: str = SPACE) -> DbtSettings:
    path = directory / "manifest.json"
    files = FileSettings(pattern="manifest.json", base=directory, files=(path,), secret_names=frozenset({"seed"}))
    return DbtSettings(files=files, namespace=namespace, name="shop")


@pytest.fixture
def project(tmp_path):
    """Write the manifest of a version, changed if at all, and return the settings that read it."""

    def written(
        version: str = "v12", change: Any = None, *, catalog: bool = False, namespace: str = SPACE
    ) -> DbtSettings:
        manifest = json.loads((RECORDED / f"dbt_manifest_{version}.json").read_text())
        if change:
            change(manifest)
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        if catalog:
            shutil.copy(RECORDED / "dbt_catalog_v1.json", tmp_path / "catalog.json")
        return settings(tmp_path, namespace)

    return written


def read(chosen: DbtSettings) -> Reading:
    return read_manifest(load_manifest(chosen), chosen, no_progress)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_read_alike(project, version) -> None:
    """Models, seeds, snapshots and sources that have a relation, and the exposure."""
    reading = read(project(version))

    assert [(table.name, table.kind) for table in reading.of(CatalogTable)] == [
        ("weekly_revenue", "DASHBOARD"),
        ("dw.main.latest_orders", "TABLE"),
        ("dw.main.regions", "SEED"),
        ("dw.main.revenue", "TABLE"),
        ("dw.main_staging.stg_customers", "VIEW"),
        ("dw.main_staging.stg_orders", "VIEW"),
        ("dw.raw.customers", "TABLE"),
        ("dw.raw.orders_sink", "TABLE"),
        ("dw.snapshots.orders_history", "SNAPSHOT"),
    ]
    assert reading.problems == ()
    assert summary(load_manifest(project(version))).endswith(f"manifest {version}: 5 models, 2 sources, 1 exposures")


def test_model_has_its_sql_and_what_the_project_reports_of_it(project) -> None:
    """The dialect is that of the adapter, names are completed by the relation's."""
    tables = {table.name: table for table in read(project()).of(CatalogTable)}
    revenue, staged = tables["dw.main.revenue"], tables["dw.main_staging.stg_orders"]

    assert revenue.definition.startswith("with  __dbt__cte__eph as (")
    assert (revenue.owner, staged.description) == ("finance@acme.example", "orders, renamed")
    assert dict(revenue.parameters) == {
        "columns": "documented",
        "database": "dw",
        "dbt.file": "models/marts/revenue.sql",
        "dbt.id": "model.shop.revenue",
        "dialect": "duckdb",
        "materialized": "table",
        "schema": "main",
    }
    assert [(c.name, c.doc, c.tags) for c in staged.columns] == [
        ("order_id", "the order", ("pk",)),
        ("cents", None, ()),
    ]
    assert tables["dw.raw.orders_sink"].columns[0].type == "bigint"


def test_catalog_beside_the_manifest_lists_all_columns(project) -> None:
    """With types, in the warehouse's order; what the project says of them stays."""
    tables = {table.name: table for table in read(project(catalog=True)).of(CatalogTable)}
    staged = tables["dw.main_staging.stg_orders"]

    assert [(c.name, c.logical_type or c.type) for c in staged.columns] == [
        *(("order_id", "BIGINT"), ("city", "VARCHAR"), ("cents", "BIGINT"), ("customer_id", "BIGINT")),
    ]
    assert (staged.columns[0].doc, staged.columns[0].tags) == ("the order", ("pk",))
    assert "columns" not in dict(staged.parameters)
    assert tables["dw.raw.orders_sink"].columns[2].logical_type == "DECIMAL(10,2)"


def test_exposure_is_linked_with_what_it_depends_on(project) -> None:
    """It is where the way ends; a model that is a part of others leads to what that depends on."""

    def through_a_part(manifest: Any) -> None:
        manifest["exposures"]["exposure.shop.weekly_revenue"]["depends_on"]["nodes"] = ["model.shop.eph"]

    exposure = read(project()).of(CatalogTable)[0]

    assert (exposure.namespace, exposure.owner) == ("dbt://shop", "finance@acme.example")
    assert dict(exposure.parameters)["url"] == "https://bi.example/d/1"
    assert [(link.origin_name, link.target_name, link.process) for link in read(project()).of(CatalogLink)] == [
        ("dw.main.revenue", "weekly_revenue", "exposure.shop.weekly_revenue"),
        ("dw.raw.customers", "weekly_revenue", "exposure.shop.weekly_revenue"),
    ]
    assert [link.origin_name for link in read(project(change=through_a_part)).of(CatalogLink)] == [
        "dw.main_staging.stg_orders"
    ]


def test_models_without_compiled_sql_are_linked_and_counted(project) -> None:
    """`dbt parse` compiles nothing, and the code of a model in Python is no SQL."""

    def parsed(manifest: Any) -> None:
        for node in manifest["nodes"].values():
            node.pop("compiled_code", None)
        manifest["nodes"]["model.shop.latest"] |= {"language": "python", "compiled_code": "def model(dbt): ..."}

    reading = read(project(change=parsed))

    assert {(link.origin_name, link.target_name) for link in reading.of(CatalogLink)} >= {
        ("dw.main_staging.stg_orders", "dw.main.latest_orders"),
        ("dw.main_staging.stg_orders", "dw.main.revenue"),
        ("dw.raw.orders_sink", "dw.main_staging.stg_orders"),
    }
    assert [problem.what for problem in reading.problems] == [
        "4 of 5 models have no compiled SQL: their columns are not connected"
    ]
    assert not any(table.definition for table in reading.of(CatalogTable))


@pytest.mark.parametrize(
    ("namespace", "relation", "name"),
    [
        ("snowflake://acme", "analytics.dbt.orders", "ANALYTICS.DBT.ORDERS"),
        ("snowflake://acme", 'analytics.dbt."Orders"', "ANALYTICS.DBT.Orders"),
        ("bigquery", "`acme-dw`.`dbt`.`orders`", "acme-dw.dbt.orders"),
        ("clickhouse://ch:8123", "`dbt`.`orders`", "dbt.orders"),
        ("sqlserver://ms:1433", "[dw].[dbo].[my orders]", "dw.dbo.my orders"),
        ("postgres://dw:5432", 'dw.Public."a.""b"', 'dw.public.a."b'),
    ],
)
def test_names_are_those_that_the_warehouse_stores(project, namespace, relation, name) -> None:
    """Quoted or not, as the adapter writes relations."""

    def renamed(manifest: Any) -> None:
        manifest["nodes"]["model.shop.revenue"]["relation_name"] = relation

    tables = read(project(change=renamed, namespace=namespace)).of(CatalogTable)

    assert (namespace, name) in {(table.namespace, table.name) for table in tables}


def test_secrets_are_hidden(project) -> None:
    """Code may hold keys of stores, and `meta` anything."""

    def careless(manifest: Any) -> None:
        node = manifest["nodes"]["model.shop.revenue"]
        node["compiled_code"] += " -- password=zqSECRETzq"
        node["description"] = "https://u:zqSECRETzq@h/x"
        node["config"]["meta"] = {"password": "zqSECRETzq", "seed": "zqSECRETzq"}

    chosen = project(change=careless)

    assert "zqSECRETzq" not in json.dumps(load_manifest(chosen))
    assert "zqSECRETzq" not in repr(read(chosen))


def test_manifest_of_another_version_is_read_with_a_problem(project) -> None:
    """A newer dbt changes little; the user should know."""

    def newer(manifest: Any) -> None:
        manifest["metadata"]["dbt_schema_version"] = "https://schemas.getdbt.com/dbt/manifest/v13.json"

    reading = read(project(change=newer))

    assert len(reading.of(CatalogTable)) == 9
    assert "version v13" in reading.problems[0].what


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"metadata": {}}', '{"metadata": 5}', "<html>", "[" * 500])
def test_file_that_is_no_manifest_is_one_clear_error(tmp_path, content) -> None:
    """The runner makes one line of it, and what is known stays."""
    (tmp_path / "manifest.json").write_text(content)

    with pytest.raises(PayloadUnexpected) as caught:
        load_manifest(settings(tmp_path))
    assert "manifest.json" in caught.value.where


def test_file_that_is_gone_is_unreachable(tmp_path) -> None:
    """It was there when cluster.json was read; a replay has no file at all."""
    with pytest.raises(SourceUnreachable, match="cannot be read"):
        load_manifest(settings(tmp_path))
    empty = replace(settings(tmp_path), files=replace(settings(tmp_path).files, files=()))
    with pytest.raises(SourceUnreachable):
        load_manifest(empty)


@pytest.mark.parametrize(
    "node",
    [
        5,
        {},
        {"resource_type": "model"},
        {"resource_type": "model", "relation_name": '"a"', "columns": 5, "depends_on": [1], "tags": 5},
    ],
)
def test_nodes_of_another_shape_are_no_defect(project, node) -> None:
    """Whatever stands there."""
    reading = read(project(change=lambda manifest: manifest["nodes"].update({"model.x": node})))

    assert len(reading.of(CatalogTable)) in (9, 10)


@pytest.mark.parametrize("part", ["nodes", "sources", "exposures"])
@pytest.mark.parametrize("value", [None, [], "x", 7])
def test_manifest_without_its_parts_is_none(project, part, value) -> None:
    """The tables that are known stay."""
    with pytest.raises(PayloadUnexpected):
        read(project(change=lambda manifest: manifest.update({part: value})))


@pytest.mark.parametrize(
    "node",
    [None, 7, [], {}, {"resource_type": 7}, {"resource_type": "model"}, {"resource_type": "model", "relation_name": 7}],
)
def test_node_that_cannot_be_read_deletes_nothing(project, node) -> None:
    """It may be any table that is known, and anything may depend on it."""
    before = read(project()).of(CatalogTable)
    reading = read(project(change=lambda manifest: manifest["nodes"].update({"model.shop.odd": node})))

    assert reading.of(CatalogTable) == before
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert len(reading.problems) == 1


@pytest.mark.parametrize("columns", [7, {"a": 7}, {"a": {}}, {"a": {"name": 7}}])
def test_table_with_columns_of_another_form_is_not_read(project, columns) -> None:
    """The table that is known would lose its columns."""

    def change(manifest: Any) -> None:
        next(node for node in manifest["nodes"].values() if node.get("relation_name"))["columns"] = columns

    before = len(read(project()).of(CatalogTable))
    reading = read(project(change=change))

    assert (len(reading.of(CatalogTable)), reading.outcome.status) == (before - 1, SourceStatus.PARTIAL)


def test_a_warehouse_without_a_namespace_is_refused(project) -> None:
    """Only models that are topics need none."""
    with pytest.raises(PayloadUnexpected) as raised:
        read(project(namespace=""))

    assert "namespace" in raised.value.hint

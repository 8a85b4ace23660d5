"""The way from a topic through a sink's table and the models of a dbt project to the exposure at its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.dbt.manifest import load_manifest, read_manifest
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.columns import Column
from scanner_model.kafka import Connector, ConnectorKind
from scanner_model.names import SourceId

RECORDED = Path(__file__).parents[3] / "conformance" / "recorded"
SPACE = "postgres://dw:5432"
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://dw/dw",
    "topics": "orders",
    "table.name.format": "raw.orders_sink",
}


@pytest.fixture(params=["v10", "v12"])
def project(request) -> Reading:
    """Return a project as dbt wrote its manifest, without the catalog beside it."""
    files = FileSettings(pattern="m", base=RECORDED, files=(RECORDED / f"dbt_manifest_{request.param}.json",))
    settings = DbtSettings(files=files, namespace=SPACE, name="shop")
    return read_manifest(json.loads(json.dumps(load_manifest(settings))), settings, no_progress)


def connector() -> Connector:
    return Connector(
        source=SourceId("connect:main"),
        name="dw",
        kind=ConnectorKind.SINK,
        connector_class=SINK["connector.class"],
        config=tuple(sorted(SINK.items())),
    )


def test_way_goes_on_through_models_to_the_exposure(graph, project, installation) -> None:
    """Stars of models are resolved by the texts of those before, ephemeral models are inside the others."""
    found = graph(installation(*project.of(CatalogTable), connectors=(connector(),), links=project.of(CatalogLink)))
    ends = {(edge.source.rpartition("/")[2], edge.target.rpartition("/")[2]) for edge in found.edges}

    assert ("dw", "dw.raw.orders_sink") in ends
    assert ("dw.raw.orders_sink#amount", "dw.main_staging.stg_orders#cents") in ends
    assert ("dw.main_staging.stg_orders#cents", "dw.main.revenue#cents") in ends
    assert ("dw.main_staging.stg_orders#customer_id", "dw.main.latest_orders#customer_id") in ends
    assert ("dw.main_staging.stg_orders#order_id", "dw.main.latest_orders") in ends  # which rows are newer
    assert ("dw.main_staging.stg_orders#city", "dw.snapshots.orders_history#city") in ends
    assert {
        ("dw.main.revenue", "exposure.shop.weekly_revenue"),
        ("exposure.shop.weekly_revenue", "weekly_revenue"),
    } <= ends
    own = f"{SPACE}/dw.main.latest_orders"
    assert not [edge for edge in found.edges if (edge.source, edge.target) == (f"dataset:{own}", f"job:{own}")]
    assert found.coverage.columns == 5
    assert not [problem for problem in found.coverage.problems if "dbt" in problem.where]


def test_text_of_a_model_counts_where_the_warehouse_describes_its_table(graph, project, installation) -> None:
    """The database has the columns, and no text of a table."""
    columns = tuple(Column(path=(name,), type="text") for name in ("city", "region", "email", "cents"))
    table = CatalogTable(
        source=SourceId("database:dw"),
        provider="database",
        namespace=SPACE,
        name="dw.main.revenue",
        kind="TABLE",
        columns=columns,
    )
    found = graph(installation(table, *project.of(CatalogTable), connectors=(), links=project.of(CatalogLink)))
    evidence = {edge.evidence for edge in found.edges if edge.target == f"column:{SPACE}/dw.main.revenue#email"}

    assert "table dw.main.revenue of dbt:shop" in evidence
    (node,) = (node for node in found.nodes if node.key == f"dataset:{SPACE}/dw.main.revenue")
    assert dict(node.attributes)["provider"] == "database"

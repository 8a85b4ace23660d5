"""Generated columns come from columns of their own table."""

from __future__ import annotations

import pytest

from dataflow_generator.analysis.findings import FindingKind, validate
from dataflow_generator.graph import EdgeKind
from scanner_model.catalogs import CatalogTable, generated_default
from scanner_model.columns import Column
from scanner_model.names import SourceId


def column(name: str, default: str | None = None) -> Column:
    return Column(path=(name,), type="integer", default=default)


def computed(name: str, expression: str) -> Column:
    return column(name, f'"{generated_default(expression, is_stored=True)}"')


def table(namespace: str, *columns: Column) -> CatalogTable:
    return CatalogTable(
        source=SourceId("database:shop"),
        provider="database",
        namespace=namespace,
        name="shop.orders",
        kind="TABLE",
        columns=columns,
    )


@pytest.mark.parametrize(
    ("namespace", "expression", "origins"),
    [
        ("postgres://db:5432", "(price * (amount)::numeric)", {"price", "amount"}),
        ("mysql://db:3306", "`price` * `amount`", {"price", "amount"}),
        ("mysql://db:3306", "concat('n',`price`)", {"price"}),
        ("sqlserver://db:1433", "[price]+(1)", {"price"}),
        ("file:/shop.db", "Price + 1", {"price"}),
        ("postgres://db:5432", "1", set()),
    ],
)
def test_columns_of_the_expression_flow_into_the_generated_one(
    graph, installation, namespace, expression, origins
) -> None:
    """Whatever the product writes names and casts like."""
    orders = table(namespace, column("price"), column("amount", '"0"'), computed("total", expression))
    flows = graph(installation(orders, connectors=()))
    found = {
        (edge.source.rpartition("#")[2], edge.target.rpartition("#")[2])
        for edge in flows.edges
        if edge.kind is EdgeKind.COLUMN_FLOW
    }

    assert found == {(origin, "total") for origin in origins}
    assert not any(finding.kind is FindingKind.SELF_LOOP for finding in validate(flows.nodes, flows.edges))


def test_expression_that_cannot_be_parsed_is_a_problem(graph, installation) -> None:
    """Its flows are missing, which the reader must know."""
    orders = table("postgres://db:5432", column("price"), computed("total", "price +"))
    (problem,) = graph(installation(orders, connectors=())).coverage.problems

    assert problem.where == "database:shop shop.orders total"

"""Tables of an Iceberg REST catalog are those that sinks write, by its address or by the place of their files."""

from __future__ import annotations

import pytest

from scanner_model.kafka import Connector, ConnectorKind
from scanner_model.names import SourceId

ORDERS = "dataset:http://lake:8181/shop.orders"


def sink(**config: str) -> Connector:
    return Connector(
        source=SourceId("connect:main"),
        name="lake",
        kind=ConnectorKind.SINK,
        connector_class=config["connector.class"],
        config=tuple(sorted({"topics": "orders", **config}.items())),
    )


@pytest.mark.parametrize(
    "config",
    [
        {
            "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
            "iceberg.tables": "shop.orders",
            "iceberg.catalog.type": "rest",
            "iceberg.catalog.uri": "http://lake:8181/",
        },
        {
            "connector.class": "io.confluent.connect.s3.S3SinkConnector",
            "s3.bucket.name": "lake",
            "topics.dir": "wh/shop",
        },
    ],
    ids=["through the catalog", "as files"],
)
def test_sink_writes_the_table_and_a_view_leads_on(graph, iceberg_tables, installation, config) -> None:
    """Both names are one node, and the view over the table continues the way."""
    found = graph(installation(*iceberg_tables, connectors=(sink(**config),)))
    nodes = {node.key: dict(node.attributes) for node in found.nodes}
    edges = {(edge.source, edge.target) for edge in found.edges}

    assert any(target == ORDERS and "lake" in source for source, target in edges if source.startswith("job:"))
    assert nodes[ORDERS]["location"] == "s3://lake/wh/shop/orders"
    assert (ORDERS, "job:http://lake:8181/shop.large") in edges
    assert ("column:http://lake:8181/shop.orders#amount", "column:http://lake:8181/shop.large#twice") in edges
    assert not [key for key in nodes if key.startswith("dataset:s3://")]

"""Routine loads in the graph: from a topic through the job to its table, and on to views and materialized views."""

from __future__ import annotations

from dataclasses import replace

import pytest
from routine_loads import answers, doris_answers, engine_at, starrocks_load

from dataflow_generator.graph import EdgeKind
from scanner_extractor.systems.databases.engines.session import EngineCatalog
from scanner_extractor.systems.databases.products import product_of
from scanner_model.columns import Column
from scanner_model.kafka import ConnectorKind, ConsumerGroup
from scanner_model.lazy_names import load
from scanner_model.names import Fingerprint, Role, SourceId, TopicName
from scanner_model.schemas import Confidence, Definition, TopicSchema

from .conftest import connector, installation

URLS = ("starrocks://scanner@fe:9030", "doris://scanner@fe:9030")
GIVEN = {URLS[0]: answers, URLS[1]: doris_answers}


def engine(url, **more):
    """Return the scan of an installation with what an engine at *url* has."""
    session = engine_at(url, GIVEN[url](**more))
    scheme = session.location.product.scheme
    return installation(*EngineCatalog(load(product_of(scheme).engine), session).read("shop").tables, connectors=())


def edges(flows, kind):
    return sorted(
        (edge.source.rpartition("/")[2], edge.target.rpartition("/")[2]) for edge in flows.edges if edge.kind is kind
    )


@pytest.mark.parametrize("url", URLS)
def test_columns_lead_from_the_topic_to_the_views(graph, url) -> None:
    """The names of both engines are those of their own catalogs, and of views that begin with the catalog's name."""
    flows = graph(engine(url))

    assert edges(flows, EdgeKind.COLUMN_FLOW) == [
        ("orders#customer", "shop.orders#customer"),
        ("orders#id", "shop.orders#id"),
        ("orders#paid", "shop.orders#paid"),
        ("orders#price", "shop.orders#price"),
        ("shop.orders#customer", "shop.totals"),
        ("shop.orders#customer", "shop.totals#customer"),
        ("shop.orders#id", "shop.order_view#id"),
        ("shop.orders#price", "shop.order_view#cents"),
        ("shop.orders#price", "shop.totals#total"),
    ]
    assert ("orders", "shop.orders.load_orders") in edges(flows, EdgeKind.READS)
    assert ("shop.orders.load_orders", "shop.orders") in edges(flows, EdgeKind.WRITES)


def of_topics(flows):
    """Return the flows of columns from topics, with subtype and evidence."""
    return sorted(
        (edge.source.rpartition("/")[2], edge.target.rpartition("/")[2], edge.subtype, edge.evidence)
        for edge in flows.edges
        if edge.kind is EdgeKind.COLUMN_FLOW and edge.source.startswith("column:kafka")
    )


def test_each_job_of_a_table_is_a_node_with_its_own_columns(graph) -> None:
    """One topic does not get what another job reads; CSV has no names that could be connected."""
    mapped = {"columnToColumnExpr": "customer,tmp,price=tmp + 1", "jsonpaths": '["$.who.name","$.p"]'}
    loads = [
        starrocks_load("names", "orders", "people", **mapped),
        starrocks_load("lines", "orders", "csv-lines", format="csv", columnToColumnExpr="id,customer"),
    ]
    flows = graph(engine(URLS[0], **{"SHOW ROUTINE LOAD": loads}))
    words = [dict(node.attributes) | {"name": node.name} for node in flows.nodes]

    assert of_topics(flows) == [
        ("people#p", "shop.orders#price", "TRANSFORMATION", "routine load names of database:olap"),
        ("people#who.name", "shop.orders#customer", "IDENTITY", "routine load names of database:olap"),
    ]
    assert {word["name"]: word["format"] for word in words if word.get("kind") == "ROUTINE LOAD"} == {
        "shop.orders.lines": "csv",
        "shop.orders.names": "json",
    }
    assert ("csv-lines", "shop.orders.lines") in edges(flows, EdgeKind.READS)


def test_fields_are_those_of_the_schema_whatever_their_case(graph) -> None:
    """A column that no field fills is empty; one with a default is filled where the message has the field."""
    fields = (Column(path=("ID",), type="long"), Column(path=("paid",), type="boolean"))
    definition = Definition(fingerprint=Fingerprint("a" * 64), format="AVRO", text="{}", columns=fields)
    link = TopicSchema(
        source=SourceId("kafka:k-1:9092"),
        topic=TopicName("cdc.public.customers"),
        role=Role.VALUE,
        fingerprint=definition.fingerprint,
        strategy="topic",
        evidence="subject",
        confidence=Confidence.CONFIRMED,
    )
    scan = engine(URLS[0], **{"SHOW ROUTINE LOAD": [starrocks_load("load", "orders", "cdc.public.customers")]})
    flows = graph(replace(scan, definitions=(definition,), topic_schemas=(link,)))

    assert [(source, target) for source, target, *_ in of_topics(flows)] == [
        ("cdc.public.customers#ID", "shop.orders#id"),
        ("cdc.public.customers#paid", "shop.orders#paid"),
    ]


def test_group_of_a_job_is_its_member(graph) -> None:
    """Otherwise it would be a second reader that nobody knows."""
    group = ConsumerGroup(source=SourceId("kafka:k-1:9092"), name="load_orders_73daf600", topics=(TopicName("orders"),))
    flows = graph(replace(engine(URLS[0]), consumer_groups=(group,)))

    assert edges(flows, EdgeKind.MEMBER_OF) == [("load_orders_73daf600", "shop.orders.load_orders")]


@pytest.mark.parametrize(
    ("url", "config"),
    [
        (URLS[0], {"starrocks.http.url": "fe:8030", "starrocks.database.name": "shop"}),
        (URLS[1], {"doris.urls": "fe", "doris.query.port": "9030", "doris.database": "shop"}),
    ],
)
def test_connector_writes_the_same_table_without_an_alias(graph, url, config) -> None:
    """It knows the HTTP port of the engine, or both."""
    scheme = url.partition(":")[0]
    classes = {
        "starrocks": "com.starrocks.connector.kafka.StarRocksSinkConnector",
        "doris": "org.apache.doris.kafka.connector.DorisSinkConnector",
    }
    written = {"connector.class": classes[scheme], "topics": "c", f"{scheme}.topic2table.map": "c:orders", **config}
    scan = replace(engine(url), connectors=(connector("sink", ConnectorKind.SINK, written),))

    assert f"dataset:{scheme}://fe:9030/shop.orders" in {
        edge.target for edge in graph(scan).edges if edge.kind is EdgeKind.WRITES and edge.source.endswith("/sink")
    }


def test_view_over_a_database_that_is_not_read_has_the_name_that_others_use(graph) -> None:
    """`internal` is the catalog of Doris itself, not a part of names in OpenLineage."""
    views = [{"table_name": "order_view", "view_definition": "SELECT `id`, 1 FROM `internal`.`mart`.`far`"}]
    flows = graph(engine(URLS[1], **{"information_schema.views": views}))

    assert ("mart.far#id", "shop.order_view#id") in edges(flows, EdgeKind.COLUMN_FLOW)


def test_table_that_a_project_builds_is_still_filled_by_its_job(graph) -> None:
    """A view that writes to a table with topics behind it is ClickHouse's; a routine load only reads topics."""
    scan = engine(URLS[0])
    (orders,) = (table for table in scan.catalog_tables if table.name == "shop.orders")
    built = replace(orders, source=SourceId("dbt:mart"), definition="SELECT 1 AS id", parameters=())
    flows = graph(replace(scan, catalog_tables=(*scan.catalog_tables, built)))

    assert ("orders", "shop.orders.load_orders") in edges(flows, EdgeKind.READS)

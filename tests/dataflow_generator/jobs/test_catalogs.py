"""Tables of catalogs in the graph: what they are, what feeds them, topics that are kept as tables, one node a table."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from edges_in_memory import ahead_in
from named_scan import NamedScan

from dataflow_generator.analysis.findings import validate
from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import FlowGraph, Node
from dataflow_generator.jobs.catalogs import file_dataset, other_names
from dataflow_generator.query.impact import ImpactGraph, NodeInfo, Root, impact
from dataflow_generator.query.impact import Use as Impact
from dataflow_generator.query.neighbourhood import Step
from dataflow_generator.query.traversal import TraversalOptions, lineage
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_dictionary.write.scan import write_scan
from scanner_model.catalogs import CatalogLink, CatalogTable, Materialization
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConnectorKind, Topic
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema

GLUE, KAFKA, FLOW = SourceId("catalog:glue"), SourceId("kafka:k:9092"), SourceId("tableflow:lkc-1")
CONNECT = SourceId("connect:main")
ARN = "arn:aws:glue:eu:1"
TOPIC, TABLE = "topic:kafka://k:9092/orders", f"dataset:{ARN}/table/lake/orders"


def columns(*paths: str) -> tuple[Column, ...]:
    return tuple(Column(path=tuple(path.split("/")), type="string") for path in paths)


ORDERS = CatalogTable(
    source=GLUE,
    provider="glue",
    namespace=ARN,
    name="table/lake/orders",
    table_format="iceberg",
    location="s3://lake/topics/orders/",
    owner="lake",
    symlinks=(("s3://lake", "topics/orders"),),
    columns=columns("id", "customer", "customer/email", "$$offset", "loaded_at"),
)
KEPT = Materialization(
    source=FLOW,
    topic=TopicName("orders"),
    table_format="ICEBERG",
    catalog="tci-1",
    catalog_kind="AwsGlue",
    namespace=ARN,
    name="table/lake/orders",
    location="s3://lake/topics/orders",
)


def link(origin: tuple[str, str], target: tuple[str, str], **more: object) -> CatalogLink:
    ends = {"origin_namespace": origin[0], "origin_name": origin[1]}
    return CatalogLink(source=GLUE, **ends, target_namespace=target[0], target_name=target[1], **more)  # type: ignore[arg-type]


@pytest.fixture
def graph(empty, tmp_path):
    """Generate the graph of a topic with a schema and what is given beside it."""

    def made(**members: object) -> FlowGraph:
        schema = Definition(
            fingerprint=Fingerprint("f" * 64),
            format="AVRO",
            name=RecordName("Order"),
            text="{}",
            columns=columns("id", "customer", "customer/email", "$$offset", "note"),
        )
        described = TopicSchema(
            source=KAFKA,
            topic=TopicName("orders"),
            role=Role.VALUE,
            fingerprint=schema.fingerprint,
            strategy="manual",
            evidence="a test",
            confidence=Confidence.DECLARED,
        )
        scan = NamedScan(
            cluster=Cluster(name=ClusterName("shop"), brokers=("k:9092",)),
            outcomes=tuple(
                SourceResult(source=each, kind="x", status=SourceStatus.READ) for each in (GLUE, KAFKA, FLOW, CONNECT)
            ),
            topics=(Topic(source=KAFKA, name=TopicName("orders")),),
            definitions=(schema,),
            topic_schemas=(described,),
        )
        engine = open_dictionary(str(shutil.copy(empty, tmp_path / "d.db")))
        at = datetime(2026, 1, 1, tzinfo=UTC)
        write_scan(engine, replace(scan, **members), started=at, finished=at)
        with engine.connect() as conn:
            snapshot = load_snapshot(conn)
            found = build_graph(snapshot, read_flows(snapshot))
            nodes, edges = tuple(found.nodes()), tuple(found.edges())
        engine.dispose()
        return FlowGraph(nodes=lambda: iter(nodes), edges=lambda: iter(edges), coverage=found.coverage)

    return made


def node(graph: FlowGraph, key: str) -> Node:
    return next(each for each in graph.nodes() if each.key == key)


def edges(graph: FlowGraph, *kinds: str) -> list[tuple[str, str, str]]:
    return [(each.source, each.target, each.subtype) for each in graph.edges() if each.kind in kinds]


def test_table_is_a_dataset_with_its_columns_and_what_it_is(graph) -> None:
    """Also where nothing flows: people look for it by its owner and place."""
    found = graph(catalog_tables=(ORDERS,))

    assert dict(node(found, TABLE).attributes) == {
        "format": "iceberg",
        "location": "s3://lake/topics/orders/",
        "owner": "lake",
        "provider": "glue",
        "symlinks": ("s3://lake/topics/orders",),
    }
    inside = [target.rpartition("#")[2] for source, target, _ in edges(found, "contains") if source == TABLE]
    assert inside == ["id", "customer", "customer.email", "$$offset", "loaded_at"]
    assert dict(node(found, f"column:{ARN}/table/lake/orders#id").attributes) == {"type": "string"}


def test_topic_that_a_catalog_lists_as_a_table_is_one_node(graph) -> None:
    """Its name then finds who reads it."""
    topic = CatalogTable(source=GLUE, provider="risingwave", namespace="kafka://k:9092", name="orders", kind="TOPIC")
    found = graph(catalog_tables=(topic,))

    assert [each.kind for each in found.nodes() if each.key == "topic:kafka://k:9092/orders"] == ["topic"]


def test_topic_materializes_as_a_table_column_by_column(graph) -> None:
    """By name, on both sides; what the service adds is of no field."""
    found = graph(catalog_tables=(ORDERS,), materializations=(KEPT,))

    assert edges(found, "materializes") == [(TOPIC, TABLE, "iceberg")]
    assert [(source.rpartition("#")[2], target) for source, target, _ in edges(found, "column-flow")] == [
        (name, f"column:{ARN}/table/lake/orders#{name}") for name in ("id", "customer", "customer.email")
    ]
    flows = [each for each in found.edges() if each.kind == "column-flow"]
    assert {(str(each.certainty), each.type, each.subtype) for each in flows} == {("derived", "DIRECT", "IDENTITY")}


def test_table_that_no_catalog_reports_keeps_its_columns_to_itself(graph) -> None:
    """That it exists is reported; what is in it is not guessed."""
    found = graph(materializations=(KEPT,))

    assert edges(found, "materializes") == [(TOPIC, TABLE, "iceberg")]
    assert edges(found, "column-flow") == []


def test_topic_kept_by_the_service_and_in_a_catalog_is_one_table(graph) -> None:
    """The service's own name of it is its place, which the catalog reports, too."""
    own = replace(KEPT, catalog="", catalog_kind="", namespace="s3://lake", name="topics/orders")

    assert edges(graph(catalog_tables=(ORDERS,), materializations=(KEPT, own)), "materializes") == [
        (TOPIC, TABLE, "iceberg")
    ]
    assert [each.key for each in graph(materializations=(KEPT, own)).nodes() if each.kind == "dataset"] == [TABLE]


def test_files_of_a_sink_and_the_table_over_them_are_one_node(graph) -> None:
    """So lineage goes on from the connector into the warehouse."""
    config = {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "topics": "orders",
        "s3.bucket.name": "lake",
        "topics.dir": "topics",
    }
    sink = Connector(
        source=CONNECT,
        name="sink",
        kind=ConnectorKind.SINK,
        connector_class=config["connector.class"],
        config=tuple(sorted(config.items())),
    )
    links = (link((ARN, "table/lake/orders"), ("bigquery", "p.d.t"), process="nightly"),)
    found = graph(catalog_tables=(ORDERS,), connectors=(sink,), catalog_links=links)
    hops = lineage(TOPIC, "topic", TraversalOptions(upstream=0), ahead_in(found.edges())).hops

    assert [(hop.source, hop.target) for hop in hops] == [
        (TOPIC, "job:connect://shop/main/sink"),
        ("job:connect://shop/main/sink", TABLE),
        (TABLE, "job:catalog://shop/glue/nightly"),
        ("job:catalog://shop/glue/nightly", "dataset:bigquery/p.d.t"),
    ]


def test_lineage_goes_through_materialization(graph) -> None:
    """A topic feeds what is read from its table."""
    links = (link((ARN, "table/lake/orders"), ("bigquery", "p.d.t")),)
    found = graph(catalog_tables=(ORDERS,), materializations=(KEPT,), catalog_links=links)
    hops = lineage("dataset:bigquery/p.d.t", "dataset", TraversalOptions(downstream=0), ahead_in(found.edges())).hops

    assert [str(hop.kind) for hop in hops] == ["writes", "reads", "materializes"]


def test_table_whose_columns_nobody_reports_is_affected_all_the_same(graph) -> None:
    """Whoever drops a field must ask the owner of the table, too."""
    found = graph(materializations=(KEPT,))
    node_infos = {each.key: NodeInfo(each.kind, each.name, each.path) for each in found.nodes()}
    asked = ImpactGraph(
        ahead=ahead_in(found.edges()),
        node_infos=lambda keys: {key: node_infos[key] for key in keys},
        step=lambda edge: Step(edge.type, edge.subtype, edge.evidence),
    )
    affected = impact(Root(node=TOPIC, path=("id",)), asked)

    assert {(each.node, each.use) for each in affected} == {(TABLE, Impact.COPIES)}


def test_topic_that_is_kept_as_a_table_is_no_orphan(graph) -> None:
    """The table reads it."""
    found = graph(materializations=(KEPT,))

    assert validate(found.nodes(), found.edges()) == ()


def test_links_of_a_catalog_are_jobs_with_their_columns(graph) -> None:
    """The process is the job; without one each pair of datasets has its own."""
    ends = ((ARN, "table/lake/orders"), ("bigquery", "p.d.t"))
    found = graph(
        catalog_links=(
            link(*ends, process="nightly"),
            link(*ends, process="nightly", origin_path=("id",), target_path=("order_id",), dependency="EXACT_COPY"),
            link(("kafka://k:9092", "orders"), ends[0]),
        )
    )

    assert [each.name for each in found.nodes() if each.kind == "job"] == ["nightly", "orders -> table/lake/orders"]
    assert edges(found, "reads") == [
        (TABLE, "job:catalog://shop/glue/nightly", ""),
        (TOPIC, "job:catalog://shop/glue/orders -> table/lake/orders", ""),
    ]
    assert edges(found, "column-flow") == [
        (f"column:{ARN}/table/lake/orders#id", "column:bigquery/p.d.t#order_id", "IDENTITY")
    ]


def test_the_same_tables_give_the_same_graph(graph) -> None:
    """Nothing depends on the order of a set."""
    members = {
        "catalog_tables": (ORDERS,),
        "materializations": (KEPT,),
        "catalog_links": (link((ARN, "a"), (ARN, "b")),),
    }
    first, again = graph(**members), graph(**members)

    assert [tuple(each.nodes()) for each in (first, again)] == [tuple(first.nodes())] * 2
    assert tuple(first.edges()) == tuple(again.edges())
    keys = [each.key for each in first.nodes()]
    assert len(keys) == len(set(keys))


def row(name: str, *symlinks: tuple[str, str]) -> TableRow:
    return TableRow(
        source=SourceId("catalog:glue"), cluster="c", provider="glue", namespace="glue", name=name, symlinks=symlinks
    )


def test_tables_over_the_same_files_are_shown_as_the_first() -> None:
    """However their place is written; what merely lies in the same bucket is not the same."""
    tables = [
        row("b", ("s3a://lake", "x/")),
        row("a", ("s3://lake", "x")),
        row("c", ("s3://lake", "/")),
        row("d", ("s3://lake", "/")),
    ]

    assert other_names(tables, []) == {("glue", "b"): ("glue", "a"), ("s3://lake", "x"): ("glue", "a")}


def test_place_of_files_is_named_and_anything_else_is_none() -> None:
    """A database's address is no place of files."""
    assert file_dataset("s3a://lake/x/") == ("s3://lake", "x")
    assert file_dataset("abfss://c@a.dfs.core.windows.net/x") == ("abfss://c@a.dfs.core.windows.net", "x")
    assert [file_dataset(text) for text in ("", "lake", "jdbc:mysql://h/d", "http://h/x")] == [None] * 4
    table = Materialization(
        source=SourceId("s"),
        topic=TopicName("t"),
        table_format="DELTA",
        catalog="x",
        catalog_kind="",
        namespace="a",
        name="b",
        location="nowhere",
    )
    assert other_names([], [("c", table)]) == {}

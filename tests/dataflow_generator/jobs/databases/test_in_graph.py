"""Databases in the graph: from a view over a sink's table back to the table that Debezium reads, without a schema."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dataflow_generator.graph import Certainty, EdgeKind, NodeKind
from scanner_model.columns import Column
from scanner_model.kafka import ConnectorKind
from scanner_model.names import Fingerprint, Role, SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema
from scanner_model.streaming_sql import StreamingStatement

from .conftest import CDC, CUSTOMERS, LOADED, SINK, VIEW, column, connector, installation, table

TOPIC = "cdc.public.customers"


def short(flows):
    return {
        (edge.source.rpartition("/")[2], edge.target.rpartition("/")[2]): edge
        for edge in flows.edges
        if edge.kind is EdgeKind.COLUMN_FLOW
    }


def test_columns_lead_from_the_view_to_the_first_table_with_evidence_of_each_hop(graph) -> None:
    """No registry has a schema of the topic: the databases at its ends describe what it carries."""
    edges = short(graph(installation(CUSTOMERS, LOADED, VIEW)))
    way = [
        ("shop.public.customers#email", f"{TOPIC}#after.email"),
        (f"{TOPIC}#after.email", "warehouse.public.customers#email"),
        ("warehouse.public.customers#email", "warehouse.report.domains#domain"),
    ]

    assert [edges[hop].evidence for hop in way] == [
        "connector cdc: table.include.list, topic.prefix; columns of shop.public.customers from database:shop",
        "connector dw: topics, table.name.format, connection.url, transforms.unwrap",
        "view warehouse.report.domains of database:warehouse",
    ]
    assert {edges[hop].certainty for hop in way} == {Certainty.DERIVED}


def test_key_of_a_change_is_the_primary_key_of_its_table(graph) -> None:
    """Debezium's keys are, unless `message.key.columns` names other columns: then those are."""
    own_key = connector("cdc", ConnectorKind.SOURCE, CDC | {"message.key.columns": "public.customers:email"})

    assert ("shop.public.customers#id", f"{TOPIC}#@key.id") in short(graph(installation(CUSTOMERS)))
    own = short(graph(installation(CUSTOMERS, connectors=(own_key,))))
    assert [hop for hop in own if "@key" in hop[1]] == [("shop.public.customers#email", f"{TOPIC}#@key.email")]


def test_topic_behind_a_sink_has_the_columns_that_the_sink_fills(graph) -> None:
    """An application writes plain JSON: what its table has is matched, not certain."""
    edges = short(graph(installation(LOADED, connectors=(connector("dw", ConnectorKind.SINK, SINK),))))
    edge = edges[f"{TOPIC}#after.email", "warehouse.public.customers#email"]

    assert edge.certainty is Certainty.MATCHED
    assert edge.evidence.endswith("; columns of warehouse.public.customers from database:warehouse")


def test_table_is_found_by_another_address_of_its_server_and_in_another_case(graph) -> None:
    """SQL Server has no default port in JDBC names, compares names without case, and is reached by an alias."""
    stored = table(
        "database:dwh",
        "sqlserver://dw-1:1433",
        "warehouse.dbo.Customers",
        column("Id", "bigint"),
        symlinks=(("sqlserver://dw:1433", "warehouse.dbo.Customers"),),
    )
    url = "jdbc:sqlserver://dw;databaseName=warehouse"
    sink = connector("dw", ConnectorKind.SINK, SINK | {"connection.url": url})
    flows = graph(installation(CUSTOMERS, stored, connectors=(connector("cdc", ConnectorKind.SOURCE, CDC), sink)))
    written = [edge for edge in flows.edges if edge.kind is EdgeKind.WRITES and "/dw" in edge.source]

    assert [edge.target for edge in written] == ["dataset:sqlserver://dw-1:1433/warehouse.dbo.Customers"]
    assert (f"{TOPIC}#after.id", "warehouse.dbo.Customers#Id") in short(flows)


def test_postgres_table_in_another_case_is_another_table(graph) -> None:
    """The sink quotes names: it would create `"CUSTOMERS"` beside `customers`."""
    sink = connector("dw", ConnectorKind.SINK, SINK | {"table.name.format": "CUSTOMERS"})
    flows = graph(installation(LOADED, connectors=(sink,)))

    assert "dataset:postgres://dw:5432/warehouse.public.CUSTOMERS" in {edge.target for edge in flows.edges}


def test_column_that_the_table_does_not_have_is_a_finding_with_its_flow(graph) -> None:
    """The sink fails on the first record, unless it may add columns."""
    narrow = replace(LOADED, columns=LOADED.columns[:1])
    flows = graph(installation(CUSTOMERS, narrow))

    assert [misfit.what for misfit in flows.coverage.misfits] == [
        "dw writes 'email' of warehouse.public.customers, which the table does not have"
    ]
    assert (f"{TOPIC}#after.email", "warehouse.public.customers#email") in short(flows)


def test_sink_that_may_add_columns_is_no_finding(graph) -> None:
    """`auto.evolve` of Confluent's, `schema.evolution` of Debezium's."""
    narrow = replace(LOADED, columns=LOADED.columns[:1])
    source = connector("cdc", ConnectorKind.SOURCE, CDC)
    sink = connector("dw", ConnectorKind.SINK, SINK | {"auto.evolve": "true"})

    assert graph(installation(CUSTOMERS, narrow, connectors=(source, sink))).coverage.misfits == ()


def test_type_that_cannot_hold_the_column_of_the_first_table_is_a_finding(graph) -> None:
    """The topic has no schema; the type is that of the column that Debezium reads."""
    short_mail = replace(LOADED, columns=(column("id", "integer"), column("email", "varchar", "varchar(80)")))
    whats = [misfit.what for misfit in graph(installation(CUSTOMERS, short_mail)).coverage.misfits]

    assert whats == [
        "dw writes 'after.email' of cdc.public.customers into 'email' of warehouse.public.customers, "
        "which cannot hold it: 200 characters are more than its 80",
        "dw writes 'after.id' of cdc.public.customers into 'id' of warehouse.public.customers, "
        "which cannot hold it: 64 bits are more than its 32",
    ]


def test_type_that_cannot_hold_a_registered_field_is_a_finding(graph) -> None:
    """A schema is nearer than the table behind the topic."""
    columns = (Column(path=("after",), type="record"), Column(path=("after", "id"), type="string"))
    definition = Definition(fingerprint=Fingerprint("a" * 64), format="AVRO", text="{}", columns=columns)
    link = TopicSchema(
        source=SourceId("kafka:k-1:9092"),
        topic=TopicName(TOPIC),
        role=Role.VALUE,
        fingerprint=definition.fingerprint,
        strategy="topic",
        evidence="subject",
        confidence=Confidence.CONFIRMED,
    )
    scan = replace(installation(CUSTOMERS, LOADED), definitions=(definition,), topic_schemas=(link,))
    (misfit,) = graph(scan).coverage.misfits

    assert misfit.what.endswith("cannot hold it: a text is no integer")
    assert [key.partition(":")[0] for key in misfit.nodes] == ["job", "column", "column"]


def test_view_that_cannot_be_parsed_is_counted_and_named(graph) -> None:
    """Everything else of its database is read."""
    broken = replace(VIEW, definition="SELECT FROM WHERE (((")
    coverage = graph(installation(CUSTOMERS, LOADED, broken)).coverage

    assert (coverage.columns, coverage.unread) == (0, 1)
    assert [problem.where for problem in coverage.problems] == ["database:warehouse warehouse.report.domains"]


@pytest.mark.parametrize(
    ("definition", "unread"),
    [("SELECT FROM WHERE (((", True), ("", True), ("SELECT upper(missing) FROM a, b", None), (VIEW.definition, None)],
)
def test_view_of_which_nothing_is_known_is_marked_as_unread(graph, definition, unread) -> None:
    """A text that is not parsed, or that the user may not see; one whose tables are known is not marked."""
    flows = graph(installation(LOADED, replace(VIEW, definition=definition), connectors=()))
    (view,) = (node for node in flows.nodes if node.kind is NodeKind.JOB)

    assert (view.name, dict(view.attributes).get("unread")) == ("warehouse.report.domains", unread)
    assert (flows.coverage.unread, len(flows.coverage.problems)) == (
        1 if unread else 0,
        1 - (definition == VIEW.definition),
    )


def test_text_of_another_source_is_read_where_the_database_hides_it(graph) -> None:
    """A dbt project has the text of what it builds."""
    model = replace(VIEW, source=SourceId("dbt:models"), provider="dbt")
    flows = graph(installation(LOADED, replace(VIEW, definition=""), model, connectors=()))

    assert (flows.coverage.columns, flows.coverage.unread, flows.coverage.problems) == (1, 0, ())


def test_topic_that_a_reader_declares_has_the_further_columns_of_its_table(graph) -> None:
    """Flink's DDL lists what it needs; it also shows that Connect's JSON wraps each message in `payload`."""
    ddl = (
        "CREATE TABLE c (payload ROW<`after` ROW<email STRING>>) WITH ('connector' = 'kafka', "
        f"'topic' = '{TOPIC}', 'properties.bootstrap.servers' = 'k-1:9092', 'format' = 'json')"
    )
    statement = StreamingStatement(source=SourceId("flink:files"), name="ddl", statement=ddl, kind="SCRIPT")
    scan = installation(CUSTOMERS, LOADED)
    flink = SourceResult(source=SourceId("flink:files"), kind="flink", status=SourceStatus.READ)
    hops = short(graph(replace(scan, outcomes=(*scan.outcomes, flink), statements=(statement,))))

    for name in ("email", "id"):
        assert (f"shop.public.customers#{name}", f"{TOPIC}#payload.after.{name}") in hops
        assert (f"{TOPIC}#payload.after.{name}", f"warehouse.public.customers#{name}") in hops


def test_flink_writes_the_table_that_its_database_describes(graph) -> None:
    """Flink's JDBC tables are the connectors' ones, and their columns are checked alike."""
    ddl = (
        f"CREATE TABLE c (email STRING) WITH ('connector' = 'kafka', 'topic' = '{TOPIC}', "
        "'properties.bootstrap.servers' = 'k-1:9092', 'format' = 'json'); "
        "CREATE TABLE t (EMAIL STRING, phone STRING) WITH ('connector' = 'jdbc', "
        "'url' = 'jdbc:postgresql://dw/warehouse', 'table-name' = 'customers'); "
        "INSERT INTO t SELECT email, email FROM c"
    )
    statement = StreamingStatement(source=SourceId("flink:files"), name="load", statement=ddl, kind="SCRIPT")
    flink = SourceResult(source=SourceId("flink:files"), kind="flink", status=SourceStatus.READ)
    scan = installation(LOADED, connectors=())
    flows = graph(replace(scan, outcomes=(*scan.outcomes, flink), statements=(statement,)))

    assert "dataset:postgres://dw:5432/warehouse.public.customers" in {
        edge.target for edge in flows.edges if edge.kind is EdgeKind.WRITES
    }
    assert [misfit.what.partition(" writes ")[2] for misfit in flows.coverage.misfits] == [
        "'phone' of warehouse.public.customers, which the table does not have"
    ]

"""Installations that change at random: what there is, what becomes of it, and the scan that reports it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from named_scan import NamedScan

from dataflow_generator.openlineage.events import read_event
from scanner_dictionary.engine.open import Engine, open_dictionary
from scanner_dictionary.write.events import write_events
from scanner_dictionary.write.scan import write_scan
from scanner_model.catalogs import CatalogLink, CatalogTable, Materialization
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query, StreamingStatement

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NAMES = ("a.orders", "b.paid", "b.sent", "cdc.main.shop.users", "cdc.shop.users", "out.1", "z")
FIELDS = ("id", "name", "amount")
SOURCES = {
    name: SourceId(f"{name}:x")
    for name in ("kafka", "schema_registry", "ksqldb", "connect", "manual", "flink", "streams")
}
JDBC = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "connection.url": "jdbc:postgresql://db/dwh"}
CONNECTORS = (
    {**JDBC, "topics": "a.orders", "table.name.format": "landed"},
    {**JDBC, "topics": "b.paid", "table.name.format": "landed"},
    {**JDBC, "topics.regex": "b.*", "table.name.format": "t_${topic}"},
    {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": "jdbc:postgresql://db/dwh",
        "table.whitelist": "landed",
        "topic.prefix": "out.",
    },
    {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "topic.prefix": "cdc",
        "database.hostname": "db",
        "database.dbname": "shop",
    },
    {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake", "topics": "z,b.sent"},
    {"connector.class": "com.example.Unknown", "topics": "z"},
    {
        "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
        "topic.prefix": "cdc",
        "database.hostname": "db",
        "database.names": "main",
        "table.include.list": "shop.users",
    },
    {**JDBC, "topics.regex": r"b\.p.*", "table.name.format": "p_${topic}"},
    {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": "jdbc:postgresql://db/dwh",
        "topic.prefix": "b.",
    },
)
STATEMENTS = (
    "CREATE TABLE a (id STRING, name STRING) WITH ('connector'='kafka','topic'='a.orders','properties.group.id'='g')",
    "CREATE TABLE many (id STRING) WITH ('connector'='kafka','topic-pattern'='b\\..*')",
    "CREATE TABLE p (id STRING) WITH ('connector'='kafka','topic'='out.1')",
    "INSERT INTO p SELECT id FROM a",
    "INSERT INTO p SELECT id FROM many WHERE id IS NOT NULL",
    "CREATE VIEW v AS SELECT UPPER(id) AS id FROM a",
    "INSERT INTO p SELECT id FROM v",
)
SELECTED = ("ID, NAME", "ID, AMOUNT * 2 AS AMOUNT", "*", "ID, NOWHERE", "FROM")
TOPOLOGY = (
    "Topologies:\n   Sub-topology: 0\n    Source: S (topics: [a.orders])\n      --> K\n"
    "    Sink: K (topic: z)\n      <-- S\n"
)
EVENT = {
    "eventTime": "2026-01-02T00:00:00Z",
    "producer": "https://example.com/p",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "eventType": "COMPLETE",
    "run": {"runId": "01890000-0000-7000-8000-000000000001"},
    "job": {"namespace": "spark://x", "name": "nightly"},
    "inputs": [{"namespace": "kafka://k-1:9092", "name": "a.orders"}],
    "outputs": [{"namespace": "s3://lake", "name": "topics/z"}],
}
_FACET = {"_producer": EVENT["producer"], "_schemaURL": "https://openlineage.io/spec/facets/1-0-0/Facet.json#/$defs/F"}
LANDED = {"namespace": "postgres://db:5432", "name": "dwh.public.landed"}
EVENTS = (
    EVENT,
    {
        **EVENT,
        "run": {"runId": "01890000-0000-7000-8000-000000000002"},
        "job": {"namespace": "spark://x", "name": "land"},
        "inputs": [{"namespace": "kafka://k-2:9092", "name": "b.paid"}, {"namespace": "file", "name": "/lake/users"}],
        "outputs": [
            {
                **LANDED,
                "facets": {
                    "schema": {**_FACET, "fields": [{"name": "id", "type": "int"}, {"name": "name", "type": "text"}]},
                    "columnLineage": {
                        **_FACET,
                        "fields": {
                            "id": {
                                "inputFields": [{"namespace": "kafka://k-2:9092", "name": "b.paid", "field": "id"}],
                            },
                            "name": {"inputFields": [{"namespace": "file", "name": "/lake/users", "field": "name"}]},
                        },
                    },
                },
            }
        ],
    },
    {
        "eventTime": "2026-01-02T00:00:01Z",
        "producer": EVENT["producer"],
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        "dataset": {
            "namespace": "file",
            "name": "/lake/users",
            "facets": {
                "symlinks": {
                    **_FACET,
                    "identifiers": [{"namespace": "s3://lake", "name": "topics/z", "type": "LOCATION"}],
                },
            },
        },
    },
)
"""A job between a topic and files, one with columns from an alias of a broker, and another name of a dataset."""

GLUE = SourceId("catalog:glue")
TABLES = (
    CatalogTable(source=GLUE, provider="glue", columns=(Column(path=("id",), type="int"),), **LANDED),
    CatalogTable(
        source=GLUE,
        provider="glue",
        namespace="arn:aws:glue:eu-west-1:1",
        name="table/lake/z",
        symlinks=(("s3://lake", "topics/z"),),
        columns=(Column(path=("id",), type="string"), Column(path=("amount",), type="double")),
    ),
)
LINKS = (
    CatalogLink(
        source=GLUE,
        origin_namespace="kafka://k-1:9092",
        origin_name="a.orders",
        target_namespace=LANDED["namespace"],
        target_name=LANDED["name"],
    ),
    CatalogLink(
        source=GLUE,
        origin_namespace=LANDED["namespace"],
        origin_name=LANDED["name"],
        origin_path=("id",),
        target_namespace="s3://lake",
        target_name="topics/z",
        target_path=("id",),
        process="nightly",
    ),
)
MATERIALIZED = tuple(
    Materialization(
        source=GLUE,
        topic=TopicName(topic),
        table_format="ICEBERG",
        catalog="c-1",
        catalog_kind="AwsGlue",
        namespace="arn:aws:glue:eu-west-1:1",
        name=f"table/lake/{topic}",
        location=f"s3://flow/{topic}",
    )
    for topic in ("a.orders", "out.1")
)


def some(listed: tuple[Any, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(listed), unique_by=repr, max_size=len(listed)).map(tuple)


schemas = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.sampled_from((Role.KEY, Role.VALUE))), some(FIELDS).filter(bool), max_size=6
)
ends = st.tuples(
    st.sampled_from(("", "kafka://k-2:9092", "postgres://db:5432")),
    st.sampled_from(NAMES),
    st.sampled_from((None, ("id",), ("name",))),
)
ASPECTS: dict[str, st.SearchStrategy[Any]] = {
    "topics": some(NAMES),
    "tags": st.sampled_from(((), ("PII",))),
    "schemas": schemas,
    "brokers": st.sampled_from((("k-1:9092", "k-2:9092"), ("k-1:9092",))),
    "collections": st.lists(st.sampled_from(NAMES), min_size=3, max_size=3),
    "queries": st.lists(
        st.tuples(st.sampled_from("012"), st.sampled_from("012"), st.sampled_from(SELECTED)), max_size=3
    ),
    "connectors": some(CONNECTORS),
    "states": st.sampled_from(("RUNNING", "FAILED")),
    "groups": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    "manual": st.lists(st.tuples(ends, ends, st.sampled_from(("", "nightly"))), max_size=3),
    "flink": some(STATEMENTS),
    "streams": st.booleans(),
    "tables": some(TABLES),
    "links": some(LINKS),
    "materialized": some(MATERIALIZED),
    "events": some(EVENTS),
}
SELDOM = ("brokers", "tables", "links", "materialized", "events")


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return an installation and what becomes of it: each time one to three things are otherwise; events add up.

    Half of the installations begin without events and catalogs, which change how the jobs of others are read.
    """
    state = {name: draw(aspect) for name, aspect in ASPECTS.items()}
    state |= dict.fromkeys(SELDOM[1:], ()) if draw(st.booleans()) else {}
    states = [state]
    for _ in range(draw(st.integers(1, 3))):
        changing = draw(
            st.lists(
                st.sampled_from([name for name in ASPECTS if name not in SELDOM] * 2 + [*SELDOM]),
                min_size=1,
                max_size=3,
            )
        )
        events = state["events"]
        state = state | {name: draw(ASPECTS[name]) for name in dict.fromkeys(changing)}
        state["events"] = (*events, *(event for event in state["events"] if event not in events))
        states.append(state)
    return states


def scan_of(state: dict[str, Any]) -> ClusterScan:
    definitions = {fields: definition(fields) for fields in state["schemas"].values()}
    return NamedScan(
        cluster=Cluster(name=ClusterName("shop"), brokers=state["brokers"]),
        outcomes=tuple(
            SourceResult(source=source, kind=source.partition(":")[0], status=SourceStatus.READ)
            for source in (*SOURCES.values(), GLUE)
        ),
        topics=tuple(
            Topic(source=SOURCES["kafka"], name=TopicName(name), partitions=3, tags=state["tags"])
            for name in sorted(state["topics"])
        ),
        definitions=tuple(definitions.values()),
        topic_schemas=tuple(
            link(*key, definitions[fields]) for key, fields in state["schemas"].items() if key[0] in state["topics"]
        ),
        ksql_sources=tuple(collection(at, topic) for at, topic in enumerate(state["collections"])),
        queries=tuple(query(at, *item) for at, item in enumerate(state["queries"])),
        connectors=tuple(connector(config, state["states"]) for config in state["connectors"]),
        consumer_groups=tuple(
            ConsumerGroup(source=SOURCES["kafka"], name=name, topics=(TopicName(topic),))
            for name, topic in zip(("people", "_ksql_1"), state["groups"], strict=False)
        ),
        declared_flows=tuple(manual(at, *item) for at, item in enumerate(state["manual"])),
        statements=tuple(statement(text, state["states"]) for text in state["flink"]),
        topologies=(StreamsTopology(source=SOURCES["streams"], name="app", topology=TOPOLOGY),) * state["streams"],
        catalog_tables=state["tables"],
        catalog_links=state["links"],
        materializations=state["materialized"],
    )


def definition(fields: tuple[str, ...]) -> Definition:
    columns = tuple(Column(path=(name,), type="string", nullable=name == "name") for name in fields)
    print_ = Fingerprint("".join(f"{FIELDS.index(name):02x}" for name in fields).ljust(20, "f"))
    return Definition(fingerprint=print_, format="AVRO", text=repr(fields), name=RecordName("R"), columns=columns)


def link(topic: str, role: Role, of: Definition) -> TopicSchema:
    members = {"strategy": "topic", "evidence": f"subject {topic}", "confidence": Confidence.CONFIRMED}
    return TopicSchema(
        source=SOURCES["schema_registry"], topic=TopicName(topic), role=role, fingerprint=of.fingerprint, **members
    )


def collection(at: int, topic: str) -> KsqlSource:
    columns = tuple(
        CollectionColumn(column=Column(path=(name.upper(),), type="STRING"), role=Role.VALUE) for name in FIELDS
    )
    members = {"kind": "STREAM", "key_format": "KAFKA", "value_format": "AVRO", "statement": ""}
    return KsqlSource(source=SOURCES["ksqldb"], name=f"C{at}", topic=TopicName(topic), columns=columns, **members)


def query(at: int, source: str, sink: str, selected: str) -> Query:
    text = f"CREATE STREAM C{sink} AS SELECT {selected} FROM C{source} WHERE ID IS NOT NULL;"
    ends = {"sources": (f"C{source}",), "sinks": (f"C{sink}",), "consumer_group": f"_ksql_{at}"}
    return Query(source=SOURCES["ksqldb"], name=f"Q{at}", kind="PERSISTENT", state="RUNNING", statement=text, **ends)


def connector(config: dict[str, str], state: str) -> Connector:
    kind = "source" if "Source" in config["connector.class"] or "debezium" in config["connector.class"] else "sink"
    members = {"kind": kind, "connector_class": config["connector.class"], "config": tuple(sorted(config.items()))}
    return Connector(source=SOURCES["connect"], name=f"c{CONNECTORS.index(config)}", state=state, **members)


def manual(at: int, origin: tuple[Any, ...], target: tuple[Any, ...], job: str) -> DeclaredFlow:
    flow_end, other = (FlowEnd(namespace=namespace, name=name, path=path) for namespace, name, path in (origin, target))
    members = {"job": job, "description": "by hand", "evidence": f"m.json {at}"}
    return DeclaredFlow(source=SOURCES["manual"], origin=flow_end, target=other, **members)


def statement(text: str, state: str) -> StreamingStatement:
    name = f"s{STATEMENTS.index(text)}"
    return StreamingStatement(source=SOURCES["flink"], name=name, statement=text, kind="", state=state, created=name)


def installation(**other: Any) -> dict[str, Any]:
    """Return an installation of two topics, a query and two connectors."""
    value = {(name, Role.VALUE): FIELDS for name in ("a.orders", "b.paid")}
    plain = {"topics": ("a.orders", "b.paid"), "tags": (), "schemas": value, "brokers": ("k-1:9092",), "events": ()}
    jobs = {
        "collections": ["a.orders", "b.paid", "z"],
        "queries": [("0", "1", "ID, NAME")],
        "connectors": CONNECTORS[:2],
    }
    none = {"groups": [], "manual": [], "flink": (), "streams": False, "states": "RUNNING"}
    none |= dict.fromkeys(("tables", "links", "materialized"), ())
    return {**plain, **jobs, **none, **other}


def write_state(file: Path, state: dict[str, Any]) -> Engine:
    """Scan an installation into the dictionary *file*."""
    engine = open_dictionary(str(file))
    write_scan(engine, scan_of(state), started=AT, finished=AT)
    if state["events"]:
        write_events(engine, [read_event(json.dumps(event)) for event in state["events"]])
    return engine

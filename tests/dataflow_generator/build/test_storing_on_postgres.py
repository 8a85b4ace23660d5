"""The same on PostgreSQL, whose words for keys, order of names and transactions are its own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from named_scan import NamedScan
from sqlalchemy import select

from dataflow_generator.build.store import generate
from scanner_dictionary.engine.open import Engine, open_dictionary, writing
from scanner_dictionary.graph.store import delete_graph
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.scan import write_scan
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, Topic
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema

AT = datetime(2026, 1, 2, tzinfo=UTC)
KAFKA, REGISTRY, CONNECT = map(SourceId, ("kafka:k", "schema_registry:r", "connect:c"))
SINK = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake", "topics": "B.paid,a-b"}


def scan(topics: tuple[str, ...], fields: tuple[str, ...]) -> ClusterScan:
    columns = tuple(Column(path=(name,), type="string") for name in fields)
    print_ = Fingerprint(f"{len(fields)}".ljust(20, "f"))
    definition = Definition(fingerprint=print_, format="AVRO", text=str(fields), name=RecordName("R"), columns=columns)
    rule = {"role": Role.VALUE, "strategy": "topic", "evidence": "", "confidence": Confidence.CONFIRMED}
    told = {"kind": "sink", "connector_class": SINK["connector.class"], "config": tuple(sorted(SINK.items()))}
    return NamedScan(
        cluster=Cluster(name=ClusterName("shop"), brokers=("k:9092",)),
        outcomes=tuple(
            SourceResult(source=each, kind=each.partition(":")[0], status=SourceStatus.READ)
            for each in (KAFKA, REGISTRY, CONNECT)
        ),
        topics=tuple(Topic(source=KAFKA, name=TopicName(name)) for name in topics),
        definitions=(definition,),
        topic_schemas=tuple(
            TopicSchema(source=REGISTRY, topic=TopicName(name), fingerprint=print_, **rule) for name in topics
        ),
        connectors=(Connector(source=CONNECT, name="lake", state="RUNNING", **told),),
    )


@pytest.mark.postgres
def test_stored_graph_is_the_one_made_from_scratch_there(postgres_url) -> None:
    """Names in another order than Python's, topics that come and go, another schema, one that goes."""
    engine = open_dictionary(postgres_url)
    steps = [
        scan(("B.paid", "a-b", "a.c"), ("id",)),
        scan(("B.paid", "a.c", "ab"), ("id",)),
        scan(("B.paid", "a-b", "a.c", "ab", "A"), ("id", "name")),
        scan((), ("id",)),
    ]
    for step in steps:
        write_scan(engine, step, started=AT, finished=AT)
        generate(engine)

        assert rows(engine) == from_scratch(engine)


@pytest.mark.postgres
def test_a_scan_while_jobs_are_read_is_in_the_graph(postgres_url) -> None:
    """Else the graph would be of two moments, and an edge could lead to a topic that went; SQLite lets nobody write."""
    engine, stored = open_dictionary(postgres_url), []
    write_scan(engine, scan(("B.paid", "a-b"), ("id",)), started=AT, finished=AT)

    def scan_once(_what: str, done: int, _total: int | None) -> None:
        if done and not stored:
            stored.append(write_scan(engine, scan(("a-b",), ("id",)), started=AT, finished=AT))

    generate(engine, scan_once)

    assert stored
    assert rows(engine) == from_scratch(engine)


def from_scratch(engine: Engine) -> list[list[tuple[object, ...]]]:
    """Return the same where no graph was stored before."""
    with writing(engine) as conn:
        delete_graph(conn)
    generate(engine)
    return rows(engine)


def rows(engine: Engine) -> list[list[tuple[object, ...]]]:
    """Return all that is stored of the graph."""
    with engine.connect() as conn:
        found = [conn.execute(select(table).order_by(table.c.id)) for table in (t.flow_node, t.flow_edge, t.flow_graph)]
        return [[tuple(row) for row in each] for each in found]

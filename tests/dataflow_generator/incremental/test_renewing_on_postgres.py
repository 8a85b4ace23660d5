"""The same on PostgreSQL, whose words for keys, order of names and transactions are its own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dataflow_generator.incremental.update import renew
from dataflow_generator.query.stored_graph import whole_graph
from dataflow_generator.render import OUTPUTS
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.store import stored_graph
from scanner_dictionary.write.scan import write_scan
from scanner_model.columns import Column
from scanner_model.connect import Connector
from scanner_model.kafka import Cluster, Topic
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
    return ClusterScan(
        cluster=Cluster(name=ClusterName("shop"), brokers=("k:9092",)),
        outcomes=tuple(
            SourceResult(source=each, kind=each.partition(":")[0], answer=SourceStatus.READ)
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
def test_renewed_graph_is_the_one_made_anew_there(postgres_url) -> None:
    """Names in another order than Python's, topics that come and go, another schema."""
    engine = open_dictionary(postgres_url)
    steps = [
        scan(("B.paid", "a-b", "a.c"), ("id",)),
        scan(("B.paid", "a.c", "ab"), ("id",)),
        scan(("B.paid", "a-b", "a.c", "ab", "A"), ("id", "name")),
    ]
    kept = []
    for step in steps:
        write_scan(engine, step, started=AT, finished=AT)
        kept.append(renew(engine).topics.kept)
        with engine.connect() as conn:
            renewed = "".join(OUTPUTS["json"](whole_graph(conn, stored_graph(conn))))
        renew(engine, anew=True)
        with engine.connect() as conn:
            assert renewed == "".join(OUTPUTS["json"](whole_graph(conn, stored_graph(conn))))

    assert kept == [0, 2, 0]

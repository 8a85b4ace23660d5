"""Two made-up dictionaries with as many columns and jobs: spread evenly, or one wide topic and one hub; seeded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measure import sized

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConnectorKind, Topic
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, Registry, SchemaVersion, TopicSchema

WIDEST, HUB, WIDTH = sized(50_000), sized(10_000), 20
_NOW = datetime(2024, 2, 29, tzinfo=UTC)
_KAFKA, _CONNECT = SourceId("kafka:kafka-1:9092"), SourceId("connect:http://connect:8083")
_REGISTRY = SourceId("schema_registry:http://registry:8081")
_SINK = "io.confluent.connect.jdbc.JdbcSinkConnector"


def build(file: Path, *, skewed: bool) -> None:
    """Fill a new dictionary: WIDEST columns more than HUB topics of WIDTH columns have, and HUB sinks of topics.

    *skewed*: the columns are those of one topic, and all sinks read the same one.
    """
    wide = [WIDEST] if skewed else [WIDTH] * (WIDEST // WIDTH)
    widths = [WIDTH] * HUB + wide
    names = [TopicName(f"shop.events-{at:06d}.v1") for at in range(len(widths))]
    facts: list[Any] = [Registry(source=_REGISTRY, kind="confluent", url="http://registry:8081")]
    for at, (name, width) in enumerate(zip(names, widths, strict=True)):
        definition = _definition(at, width)
        subject, mark = SubjectName(f"{name}-value"), definition.fingerprint
        facts += [
            definition,
            Topic(source=_KAFKA, name=name, partitions=6),
            SchemaVersion(
                source=_REGISTRY,
                subject=subject,
                version=1,
                schema_id=str(at),
                format="AVRO",
                text=definition.text,
                fingerprint=mark,
            ),
            TopicSchema(
                source=_REGISTRY,
                topic=name,
                role=Role.VALUE,
                subject=subject,
                version=1,
                schema_id=str(at),
                fingerprint=mark,
                strategy="topic",
                evidence="subject by strategy topic",
                confidence=Confidence.CONFIRMED,
            ),
        ]
    facts += (_sink(at, names[0 if skewed else at]) for at in range(HUB))
    scan = ClusterScan(
        cluster=Cluster(name=ClusterName("bench"), brokers=("kafka-1:9092",)),
        outcomes=tuple(
            SourceResult(source=source, kind=source.partition(":")[0], status=SourceStatus.READ)
            for source in (_KAFKA, _REGISTRY, _CONNECT)
        ),
        facts=tuple(facts),
    )
    engine = open_dictionary(str(file))
    write_scan(engine, scan, started=_NOW, finished=_NOW)
    engine.dispose()


def _definition(number: int, width: int) -> Definition:
    columns = tuple(Column(path=(f"field_{at}",), type="string", doc=f"The {at}th of {number}.") for at in range(width))
    text = f'{{"type":"record","name":"Row{number}","fields":[]}}'
    mark = Fingerprint(f"{number * 2_654_435_761 % 2**80:020x}".ljust(64, "0"))
    return Definition(fingerprint=mark, format="AVRO", text=text, name=RecordName(f"Row{number}"), columns=columns)


def _sink(number: int, topic: TopicName) -> Connector:
    config = {
        "connector.class": _SINK,
        "topics": topic,
        "connection.url": "jdbc:postgresql://warehouse:5432/dwh",
        "table.name.format": f"stage.table_{number}",
    }
    return Connector(
        source=_CONNECT,
        name=f"sink-{number}",
        kind=ConnectorKind.SINK,
        connector_class=_SINK,
        state="RUNNING",
        config=tuple(sorted(config.items())),
    )

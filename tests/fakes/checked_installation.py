"""A small installation in three formats: a Flink script makes topics of topics, which a sink writes to a warehouse."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from named_scan import NamedScan

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_model.catalogs import Annotation
from scanner_model.kafka import Cluster, Connector, ConnectorKind, ConsumerGroup, Topic
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, Registry, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "scanner_check" / "registry_answers.json").read_text()
)
FORMATS = ("AVRO", "JSON", "PROTOBUF")
ENDINGS = {"AVRO": "avsc", "JSON": "json", "PROTOBUF": "proto"}
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)

KAFKA, REGISTRY = SourceId("kafka:kafka-1:9092"), SourceId("schema_registry:http://sr:8081")
FLINK, CONNECT = SourceId("flink:shop"), SourceId("connect:main")
SOURCES = (KAFKA, REGISTRY, FLINK, CONNECT)

_TABLE = """
CREATE TABLE orders_{name} (id BIGINT, email STRING, amount DOUBLE, status STRING)
WITH ('connector' = 'kafka', 'topic' = 'orders.{name}', 'properties.bootstrap.servers' = 'kafka-1:9092');
CREATE TABLE paid_{name} (id BIGINT, total DOUBLE)
WITH ('connector' = 'kafka', 'topic' = 'paid.{name}', 'properties.bootstrap.servers' = 'kafka-1:9092');
INSERT INTO paid_{name} SELECT id, amount * 2 FROM orders_{name} WHERE status = 'PAID';
"""
SCRIPT_TEXT = "".join(_TABLE.format(name=name.lower()) for name in FORMATS)
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://db:5432/warehouse",
    "topics": ",".join(f"paid.{name.lower()}" for name in FORMATS),
    "table.name.format": "public.${topic}",
}


def text_of(schema: Any) -> str:
    return schema if isinstance(schema, str) else json.dumps(schema, indent=2)


def versions_of(
    subject: str, format: str, texts: list[str], **more: Any
) -> tuple[list[SchemaVersion], list[Definition]]:
    """Return the versions of a subject, the oldest first, with their definitions."""
    versions, definitions = [], []
    for number, text in enumerate(texts, 1):
        parsed = scanner_api.parse_schema(text, format, references=more.get("referenced"))
        print_ = Fingerprint(f"{subject} {number}")
        definitions.append(
            Definition(
                fingerprint=print_, format=format, text=text, name=RecordName(parsed.name), columns=parsed.columns
            )
        )
        versions.append(
            SchemaVersion(
                source=REGISTRY,
                subject=SubjectName(subject),
                version=number,
                schema_id=f"{sum(map(ord, subject))}{number}",
                format=format,
                text=text,
                fingerprint=print_,
                compatibility=more.get("level", ""),
                references=more.get("references", ()),
            )
        )
    return versions, definitions


def links_of(topic: str, versions: list[SchemaVersion]) -> list[TopicSchema]:
    """Return the links of a topic to the versions of its subject; the newest one is current."""
    return [
        TopicSchema(
            source=REGISTRY,
            topic=TopicName(topic),
            role=Role.VALUE,
            fingerprint=version.fingerprint,
            strategy="topic",
            evidence=version.subject,
            confidence=Confidence.CONFIRMED,
            subject=version.subject,
            version=version.version,
            schema_id=version.schema_id,
            current=version is versions[-1],
        )
        for version in versions
    ]


def installation(level: str = "", groups: tuple[ConsumerGroup, ...] = ()) -> ClusterScan:
    """Return a scan of the installation; *level* is that of every subject, empty where it was not read."""
    versions, definitions, links = [], [], []
    for format in FORMATS:
        texts = [text_of(text) for text in RECORDED["versions"][format]]
        of_subject, read = versions_of(f"orders.{format.lower()}-value", format, texts, level=level)
        versions += of_subject
        definitions += read
        links += links_of(f"orders.{format.lower()}", of_subject)
    names = [f"{stem}.{format.lower()}" for stem in ("orders", "paid") for format in FORMATS]
    topics = [Topic(source=KAFKA, name=TopicName(name)) for name in names]
    return NamedScan(
        cluster=Cluster(name=ClusterName("shop"), brokers=("kafka-1:9092",)),
        outcomes=tuple(read_result(source) for source in SOURCES),
        topics=tuple(topics),
        registries=(Registry(source=REGISTRY, kind="confluent", url="http://sr:8081"),),
        versions=tuple(versions),
        definitions=tuple(definitions),
        topic_schemas=tuple(links),
        consumer_groups=groups,
        connectors=(
            Connector(
                source=CONNECT,
                name="paid-to-warehouse",
                kind=ConnectorKind.SINK,
                connector_class=SINK["connector.class"],
                config=tuple(sorted(SINK.items())),
                state="RUNNING",
            ),
        ),
        statements=(StreamingStatement(source=FLINK, name="shop.sql", statement=SCRIPT_TEXT, kind=SCRIPT),),
        annotations=(
            Annotation(
                source=REGISTRY,
                kind="topic",
                name="paid.avro",
                topic=TopicName("paid.avro"),
                tags=("finance",),
                owner="billing team",
            ),
        ),
    )


def read_result(source: SourceId, answer: SourceStatus = SourceStatus.READ) -> SourceResult:
    reason = "" if answer is SourceStatus.READ else "connection refused"
    return SourceResult(source=source, kind=source.partition(":")[0], status=answer, reason=reason)


@dataclass(frozen=True)
class Stored:
    """A dictionary with what was scanned into it."""

    dictionary: Dictionary

    def check(self, file: Path, **options: Any) -> scanner_api.ChangeReport:
        """Check one file; *options* are those of `CheckOptions`, and `target`."""
        target = options.pop("target", None)
        now = options.pop("now", AT)
        files = scanner_api.proposed_files([str(file)], target=target, references=options.pop("references", None))
        return scanner_api.check_change(self.dictionary, files, scanner_api.CheckOptions(**options), now=now)

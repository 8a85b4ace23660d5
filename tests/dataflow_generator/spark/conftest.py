"""One Spark session for all tests, and small installations as people would not build them, drawn from a seed."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from named_scan import NamedScan

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid
from scanner_model.kafka import Cluster, Connector, ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, Registry, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query, StreamingStatement

try:
    from dataflow_generator.spark.session import spark_session
except InputInvalid:  # PySpark is not installed, which the modules here import
    collect_ignore_glob = ["test_*.py"]

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KAFKA, REGISTRY, KSQL, CONNECT = map(
    SourceId, ("kafka:k", "schema_registry:http://sr:8081", "ksqldb:http://ksql:8088", "connect:http://connect:8083")
)
MANUAL, FLINK, STREAMS = map(SourceId, ("manual:m.json", "flink:sql-files", "streams:files"))
BRIEFLY = {"spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""For a JVM that lives a minute: what its second compiler and its parallel collector save later costs more here."""
_SEGMENTS = (
    "id",
    "Id",
    "a.b",
    "`",
    "[]",
    "{}",
    'q"uote',
    "back\\slash",
    "žluť",
    "a,b",
    '","',
    "",
    "amount",
    "<X>",
    "ID",
)
_TYPES = ("string", "long", "record", "decimal", "")
_TOPICS = ("orders", "shop.orders-v1", "Orders", "údaje", "a/b", "with#hash", "paid", "x")
_SINKS = (
    {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "connection.url": "jdbc:postgresql://db/dwh"},
    {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake"},
    {"connector.class": "com.example.Unknown"},
)


def _driver() -> str:
    """Find PostgreSQL's driver for Java where Maven or the lab left one; Spark must be given it when it starts."""
    lab = Path(os.environ.get("SCANNER_LAB_CACHE", Path.home() / ".cache" / "scanner-lab"))
    kept = Path.home() / ".m2" / "repository" / "org" / "postgresql" / "postgresql"
    found = sorted((*kept.glob("*/postgresql-*.jar"), *lab.glob("plugins/*/postgresql-*.jar")))
    return str(found[-1]) if found else ""


@pytest.fixture(scope="session")
def driver() -> str:
    """Return PostgreSQL's driver for Java; skips where there is none."""
    if not _driver():
        pytest.skip("no JDBC driver: `mvn dependency:get -Dartifact=org.postgresql:postgresql:42.7.4` fetches it")
    return _driver()


@pytest.fixture(scope="session")
def briefly() -> dict[str, str]:
    """Return the settings of a JVM that lives a minute."""
    return BRIEFLY


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Return a session on two processors; skips where Java is missing."""
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java on this machine; Java 17 runs this")
    settings = {"spark.master": "local[2]", "spark.driver.memory": "1g", "spark.jars": _driver(), **BRIEFLY}
    with spark_session(settings) as session:
        yield session


@pytest.fixture(scope="session")
def installation_of(empty: Path) -> Callable[[int, Path], str]:
    """Return what stores the installation of a seed in a dictionary in a directory, and gives its URL."""

    def made(seed: int, directory: Path) -> str:
        file = shutil.copy(empty, directory / f"installation-{seed}.db")
        engine = open_dictionary(str(file))
        for at in range(1 + seed % 2):
            write_scan(engine, _Installation(seed, at).scan(), started=AT, finished=AT)
        engine.dispose()
        return str(file)

    return made


class _Installation:
    """The facts of one cluster; two clusters of a seed share schemas and names of topics."""

    def __init__(self, seed: int, number: int) -> None:
        self._chance = random.Random(f"{seed}/{number}")
        self._number = number
        # Schemas of a seed are the same in all clusters.
        shared = random.Random(f"schemas {seed}")
        self._definitions = tuple(_definition(shared, f"{seed}.{at}") for at in range(shared.randrange(0, 7)))
        self._topics = tuple(sorted(self._chance.sample(_TOPICS, self._chance.randrange(0, len(_TOPICS)))))

    def scan(self) -> ClusterScan:
        names = (f"k{self._number}:9092", f"k{self._number}-b:9092")
        sources = (KAFKA, REGISTRY, KSQL, CONNECT, MANUAL, FLINK, STREAMS)
        outcomes = (
            SourceResult(source=each, kind=each.partition(":")[0], status=SourceStatus.READ) for each in sources
        )
        versions, links = self._schemas()
        return NamedScan(
            cluster=Cluster(name=ClusterName(f"bank {self._number}"), brokers=names),
            outcomes=tuple(outcomes),
            topics=tuple(map(self._topic, self._topics)),
            registries=(Registry(source=REGISTRY, kind="confluent", url="http://sr:8081"),),
            definitions=self._definitions,
            versions=versions,
            topic_schemas=links,
            ksql_sources=tuple(self._collections()),
            queries=tuple(self._queries()),
            connectors=tuple(self._connectors()),
            consumer_groups=tuple(self._groups()),
            declared_flows=tuple(self._manual()),
            statements=tuple(self._statements()),
            topologies=tuple(self._topologies()),
        )

    def _some(self, most: int) -> range:
        return range(self._chance.randrange(0, most + 1))

    def _name(self) -> TopicName:
        return TopicName(self._chance.choice(self._topics or _TOPICS))

    def _topic(self, name: str) -> Topic:
        tags = ("PII",) if self._chance.random() < 0.3 else ()
        partitions = self._chance.choice((None, 1, 6))
        return Topic(source=KAFKA, name=TopicName(name), partitions=partitions, description='a "b"', tags=tags)

    def _schemas(self) -> tuple[tuple[SchemaVersion, ...], tuple[TopicSchema, ...]]:
        versions, links = [], []
        for at, definition in enumerate(self._definitions):
            subject = SubjectName(f"s{at}-value")
            told = {"source": REGISTRY, "subject": subject, "version": 1, "schema_id": str(at)}
            same = {"fingerprint": definition.fingerprint}
            versions.append(SchemaVersion(format=definition.format, text=definition.text, **told, **same))
            rule = {"strategy": "topic", "evidence": f"subject {subject}", "confidence": Confidence.CONFIRMED}
            for topic in self._chance.sample(self._topics, min(2, len(self._topics))):
                link = {"topic": TopicName(topic), "role": self._chance.choice((Role.KEY, Role.VALUE))}
                links.append(TopicSchema(**told, **same, **rule, **link, current=self._chance.random() < 0.8))
        return tuple(versions), tuple(links)

    def _collections(self) -> Iterator[KsqlSource]:
        for at in range(4):
            columns = tuple(
                CollectionColumn(column=Column(path=(name,), type="STRING"), role=Role.VALUE)
                for name in ("ID", "AMOUNT")
            )
            told = {"key_format": "KAFKA", "value_format": "AVRO", "statement": "", "columns": columns}
            yield KsqlSource(source=KSQL, name=f"C{at}", kind="STREAM", topic=self._name(), **told)

    def _queries(self) -> Iterator[Query]:
        for at in self._some(5):
            source, sink = self._chance.choice("0123"), self._chance.choice("0123")
            selected = self._chance.choice(("ID, AMOUNT", "ID, AMOUNT * 2 AS AMOUNT", "*", "ID, NOWHERE", "FROM"))
            text = f"CREATE STREAM C{sink} AS SELECT {selected} FROM C{source} WHERE ID IS NOT NULL;"
            ends = {"sources": (f"C{source}",), "sinks": (f"C{sink}",), "consumer_group": f"_ksql_{at}"}
            yield Query(source=KSQL, name=f"Q{at}", kind="PERSISTENT", state="RUNNING", statement=text, **ends)

    def _connectors(self) -> Iterator[Connector]:
        for at in self._some(4):
            config = {
                **self._chance.choice(_SINKS),
                **self._chance.choice(({"topics": self._name()}, {"topics.regex": "o.*"})),
            }
            if self._chance.random() < 0.5:
                config |= {"transforms": "r", "transforms.r.type": "org.apache.kafka.connect.transforms.RegexRouter"}
                config |= {"transforms.r.regex": "(.*)", "transforms.r.replacement": "x_$1"}
            told = {
                "kind": "sink",
                "connector_class": config["connector.class"],
                "config": tuple(sorted(config.items())),
            }
            yield Connector(source=CONNECT, name=f"c{at}", state="RUNNING", **told)

    def _groups(self) -> Iterator[ConsumerGroup]:
        for name in ("connect-c0", "_ksql_1", "people"):
            yield ConsumerGroup(source=KAFKA, name=name, topics=(self._name(),))

    def _manual(self) -> Iterator[DeclaredFlow]:
        for at in self._some(4):
            origin, target = self._end(), self._end()
            told = {"description": "by hand", "evidence": f"m.json $.flows[{at}]"}
            yield DeclaredFlow(
                source=MANUAL, origin=origin, target=target, job=self._chance.choice(("", "nightly")), **told
            )

    def _end(self) -> FlowEnd:
        namespace = self._chance.choice(("", "kafka://k0-b:9092", "postgres://db:5432"))
        path = self._chance.choice((None, ("id",), ("a.b",), ("amount",)))
        return FlowEnd(namespace=namespace, name=self._name(), path=path)

    def _statements(self) -> Iterator[StreamingStatement]:
        made = "CREATE TABLE a (id STRING) WITH ('connector'='kafka','topic'='orders');"
        made += "CREATE TABLE b (id STRING) WITH ('connector'='kafka','topic'='paid');"
        for at in self._some(1):
            yield StreamingStatement(
                source=FLINK, name=f"f{at}", statement=f"{made} INSERT INTO b SELECT id FROM a;", kind="SCRIPT"
            )

    def _topologies(self) -> Iterator[StreamsTopology]:
        text = "Topologies:\n   Sub-topology: 0\n    Source: S (topics: [orders])\n      --> K\n"
        text += "    Sink: K (topic: paid)\n      <-- S\n"
        for at in self._some(1):
            yield StreamsTopology(source=STREAMS, name=f"app-{at}", topology=text)


def _definition(chance: random.Random, name: str) -> Definition:
    paths = [
        tuple(chance.choice(_SEGMENTS) for _ in range(chance.randrange(0, 4))) for _ in range(chance.randrange(0, 9))
    ]
    columns = tuple(
        Column(
            path=path,
            type=chance.choice(_TYPES),
            logical_type=chance.choice((None, "date")),
            nullable=chance.random() < 0.5,
            tags=chance.choice(((), ("PII", "é"))),
        )
        for path in dict.fromkeys(paths)
    )
    text = f"schema {name}"
    print_ = Fingerprint(f"{chance.randrange(2**80):020x}")
    return Definition(fingerprint=print_, format="AVRO", text=text, name=RecordName(f"R {name} "), columns=columns)

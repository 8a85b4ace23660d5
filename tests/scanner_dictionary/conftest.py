"""Small samples to store: builders that say only what a test is about, and a fresh dictionary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from named_scan import NamedScan
from sqlalchemy import Engine, Select, Table, select

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.scan import ScanSummary, write_scan
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, ConsumerGroup, Topic
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, Registry, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import KsqlSource, Query

KAFKA = SourceId("kafka:kafka-1:9092")
REGISTRY = SourceId("schema_registry:https://sr:8081")
KSQL = SourceId("ksqldb:http://ksql:8088")
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sample:
    """Builds facts of one small sample."""

    kafka: SourceId = KAFKA
    registry: SourceId = REGISTRY
    ksql: SourceId = KSQL

    def outcome(
        self, source: SourceId, answer: SourceStatus = SourceStatus.READ, *unread: str, reason: str = ""
    ) -> SourceResult:
        kind = source.partition(":")[0]
        return SourceResult(source=source, kind=kind, status=answer, unread=frozenset(unread), reason=reason)

    def topic(self, name: str, source: SourceId = KAFKA, **more: Any) -> Topic:
        return Topic(source=source, name=TopicName(name), **more)

    def version(self, subject: str, number: int = 1, fields: tuple[str, ...] = ("id",), **more: Any) -> SchemaVersion:
        text = ",".join(fields)
        given = {
            "source": REGISTRY,
            "schema_id": str(100 + number),
            "fingerprint": Fingerprint(f"avro {text}"),
        } | more
        return SchemaVersion(subject=SubjectName(subject), version=number, format="AVRO", text=text, **given)

    def definition(self, *fields: str) -> Definition:
        columns = tuple(Column(path=(field,), type="string") for field in fields)
        text = ",".join(fields)
        print_ = Fingerprint(f"avro {text}")
        return Definition(fingerprint=print_, format="AVRO", text=text, name=RecordName("shop.R"), columns=columns)

    def link(self, topic: str, version: SchemaVersion, role: Role = Role.VALUE, **more: Any) -> TopicSchema:
        given: dict[str, Any] = {"strategy": "topic", "evidence": version.subject, "confidence": Confidence.CONFIRMED}
        return TopicSchema(
            source=version.source,
            topic=TopicName(topic),
            role=role,
            fingerprint=version.fingerprint,
            context=version.context,
            subject=version.subject,
            version=version.version,
            schema_id=version.schema_id,
            deleted=version.deleted,
            **given | more,
        )

    def scan(self, **more: Any) -> ClusterScan:
        """Build a scan of the cluster `retail`; without *outcomes* every source was read."""
        cluster = Cluster(name=ClusterName("retail"), brokers=("kafka-1:9092", "kafka-2:9092"))
        outcomes = (self.outcome(KAFKA), self.outcome(REGISTRY), self.outcome(KSQL))
        registries = (Registry(source=REGISTRY, kind="confluent", url="https://sr:8081"),)
        return NamedScan(**{"cluster": cluster, "outcomes": outcomes, "registries": registries} | more)

    def orders(self, **more: Any) -> ClusterScan:
        """Build a scan of the topic `orders` with one value schema in two versions, its key, a group, ksqlDB."""
        old, new = self.version("orders-value", 1, ("id",)), self.version("orders-value", 2, ("id", "amount"))
        key = self.version("orders-key", 1, ("id",))
        facts = {
            "topics": (self.topic("orders", partitions=6, config=(("cleanup.policy", "compact"),)),),
            "versions": (key, old, new),
            "definitions": (self.definition("id"), self.definition("id", "amount")),
            "topic_schemas": (
                self.link("orders", key, Role.KEY),
                self.link("orders", old, current=False),
                self.link("orders", new),
            ),
            "consumer_groups": (ConsumerGroup(source=KAFKA, name="billing", topics=(TopicName("orders"),)),),
            "ksql_sources": (self.collection("ORDERS"),),
            "queries": (Query(source=KSQL, name="CSAS_1", kind="PERSISTENT", state="RUNNING", statement="CREATE …"),),
        }
        return self.scan(**facts | more)

    def described(self, *columns: Column) -> ClusterScan:
        """Build a scan of the topic `orders` whose value has *columns*."""
        version = self.version("orders-value", 1, ("x",))
        return self.scan(
            topics=(self.topic("orders"),),
            versions=(version,),
            definitions=(replace(self.definition("x"), columns=columns),),
            topic_schemas=(self.link("orders", version),),
        )

    def collection(self, name: str, **more: Any) -> KsqlSource:
        given: dict[str, Any] = {
            "source": KSQL,
            "kind": "STREAM",
            "topic": TopicName("orders"),
            "statement": "CREATE …",
        }
        return KsqlSource(name=name, key_format="KAFKA", value_format="AVRO", **given | more)

    def unavailable(self, scan: ClusterScan, *sources: SourceId) -> ClusterScan:
        """Return *scan* as it is where *sources* do not answer: without their facts."""
        down = {
            source: self.outcome(source, SourceStatus.UNAVAILABLE, reason="connection refused") for source in sources
        }
        outcomes = tuple(down.get(outcome.source, outcome) for outcome in scan.outcomes)
        members = (
            "topics",
            "versions",
            "topic_schemas",
            "consumer_groups",
            "ksql_sources",
            "queries",
            "declared_flows",
        )
        retained = {name: tuple(x for x in getattr(scan, name) if x.source not in down) for name in members}
        return replace(scan, outcomes=outcomes, **retained)


@pytest.fixture(scope="session")
def sample() -> Sample:
    """Return the builders of facts."""
    return Sample()


@pytest.fixture
def dictionary(new_dictionary: str) -> Iterator[Engine]:
    """Return a new, empty dictionary in a file."""
    engine = open_dictionary(new_dictionary)
    yield engine
    engine.dispose()


@pytest.fixture
def store(dictionary: Engine) -> Callable[[ClusterScan], ScanSummary]:
    """Return what stores a scan in the dictionary."""
    return lambda scan: write_scan(dictionary, scan, started=AT, finished=AT)


@pytest.fixture(scope="session")
def at() -> datetime:
    """Return the moment of every scan."""
    return AT


@pytest.fixture(scope="session")
def table_rows() -> Callable[..., dict[str, list[tuple[Any, ...]]]]:
    """Return what reads whole tables of an engine: all of them, or those named."""
    return _contents


@pytest.fixture
def contents(dictionary: Engine) -> Callable[..., dict[str, list[tuple[Any, ...]]]]:
    """Return what reads whole tables of the dictionary: all of them, or those named."""
    return partial(_contents, dictionary)


def _seen_last(table: Table) -> Select[Any]:
    """Select a table with the columns last that say since and until when a fact is true, also where one was added."""
    seen = ("first_seen", "last_seen", "gone") if "last_seen" in table.columns else ()
    return select(*sorted(table.columns, key=lambda column: column.name in seen))


def _contents(engine: Engine, *names: str) -> dict[str, list[tuple[Any, ...]]]:
    with engine.connect() as conn:
        return {
            name: [tuple(row) for row in conn.execute(_seen_last(table).order_by(*table.primary_key.columns))]
            for name, table in t.metadata.tables.items()
            if not names or name in names
        }

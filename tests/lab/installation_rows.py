"""The retail installation in Kafka: topics, records written through real serializers, and groups that consume."""

from __future__ import annotations

import sys
import time

import credentials
import places
from clients import run
from confluent_kafka import Consumer, ConsumerGroupState, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from consume import GROUPS
from places import TREE
from rows import Server, Step

_TOPICS = {
    "orders": {"cleanup.policy": "delete", "retention.ms": "604800000"},
    "orders.RETRY": {},
    "orders-by-country": {},
    "orders-enriched": {},
    "payments": {"min.insync.replicas": "1"},
    "customers": {"cleanup.policy": "compact"},
    "catalog.categories": {"cleanup.policy": "compact"},
    "shipments": {},
    "returns": {},
    "parcels": {},
    "reviews": {},
    "clicks": {"retention.ms": "3600000"},
    "audit-lines": {},
    "clicks-by-page": {"cleanup.policy": "compact"},
    "slow-clicks": {},
    "order-mails": {},
    # What the example's ksqlDB stand-in and its manual input tell of.
    "clicks.per.city": {"cleanup.policy": "compact"},
    "default_ksql_processing_log": {},
    "legacy.invoices": {},
    "partner.feed": {},
}


def _topics() -> str:
    admin = AdminClient({"bootstrap.servers": places.PLAINTEXT})
    known = admin.list_topics(timeout=10).topics
    new = [
        NewTopic(name, num_partitions=2, replication_factor=2, config=config)
        for name, config in _TOPICS.items()
        if name not in known
    ]
    for built in admin.create_topics(new).values() if new else ():
        built.result()
    for topic in new:
        _ends(topic.topic)
    return f"{len(new)} made"


def _rights() -> str:
    """Let the limited user see orders and what it retries, and one group; not their settings."""
    allowed = (
        (ResourceType.TOPIC, "orders", ResourcePatternType.PREFIXED, AclOperation.DESCRIBE),
        (ResourceType.TOPIC, "orders", ResourcePatternType.LITERAL, AclOperation.DESCRIBE_CONFIGS),
        (ResourceType.GROUP, "order-service", ResourcePatternType.LITERAL, AclOperation.DESCRIBE),
    )
    rights = [
        AclBinding(kind, name, pattern, f"User:{credentials.LIMITED}", "*", operation, AclPermissionType.ALLOW)
        for kind, name, pattern, operation in allowed
    ]
    admin = AdminClient({"bootstrap.servers": places.PLAINTEXT})
    for acl in admin.create_acls(rights).values():
        acl.result()
    return f"{len(rights)} for {credentials.LIMITED}"


def _ends(topic: str) -> list[int]:
    """Return the last offset of each partition, as soon as the brokers agree who leads it."""
    reader = Consumer({"bootstrap.servers": places.PLAINTEXT, "group.id": "lab"})
    for last_time in (*(False,) * 40, True):
        try:
            return [reader.get_watermark_offsets(TopicPartition(topic, number), 5)[1] for number in (0, 1)]
        except KafkaException:
            if last_time:
                raise
            time.sleep(0.25)
    return []


def _records() -> str:
    written = sum(_ends("clicks"))
    if written:
        return "already there"
    return run("clients", "produce.py")


def _nightly() -> str:
    """Commit an offset for a group that has no member when it is read."""
    consumer = Consumer({"bootstrap.servers": places.PLAINTEXT, "group.id": "nightly-report"})
    consumer.commit(offsets=[TopicPartition("orders", 0, 1), TopicPartition("payments", 0, 1)], asynchronous=False)
    consumer.close()
    return "nightly-report"


def _consuming() -> bool:
    admin = AdminClient({"bootstrap.servers": places.PLAINTEXT})
    try:
        reported = [
            describe_consumer_group.result()
            for describe_consumer_group in admin.describe_consumer_groups(list(GROUPS), request_timeout=5).values()
        ]
    except KafkaException:
        return False
    return all(item.state == ConsumerGroupState.STABLE for item in reported)


ROWS = (
    Step(name="topics", after=("kafka-2",), run=_topics),
    Step(name="rights", after=("kafka-2",), run=_rights),
    Step(name="records", needs=("clients",), after=("topics", "schemas"), run=_records),
    Step(name="nightly-report", after=("topics",), run=_nightly),
    Server(
        name="consumers",
        port=None,
        after=("topics",),
        command=lambda: [sys.executable, str(TREE / "consume.py")],
        ready=_consuming,
    ),
)

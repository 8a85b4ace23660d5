"""Convert the result of a Kafka scan to a JSON document for captures, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scanner_extractor.http.messages import Json
from scanner_extractor.scan.results import KafkaResult
from scanner_model.errors import InputInvalid, Problem
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus

DOCUMENT = "cluster"
"""The name under which a capture holds it."""


def kafka_document(reading: KafkaResult) -> Json:
    """Return *reading* as JSON; its members are described in `docs/capture.md`."""
    outcome = reading.outcome
    return {
        "cluster_id": reading.cluster_id,
        "brokers": list(reading.brokers),
        "unnamed": reading.unnamed,
        "topics": [_topic_document(topic) for topic in reading.topics],
        "consumer_groups": [
            {"name": group.name, "state": group.state, "topics": list(group.topics)}
            for group in reading.consumer_groups
        ],
        "unconfigured": sorted(reading.unconfigured),
        "problems": [[problem.where, problem.what, problem.hint] for problem in reading.problems],
        "outcome": {
            "answer": outcome.status.value,
            "got": outcome.received,
            "asked": outcome.requested,
            "reason": outcome.reason,
            "hint": outcome.hint,
            "requests": outcome.requests,
            "unread": sorted(outcome.unread),
        },
    }


def read_kafka_document(document: Json, source: SourceId) -> KafkaResult:
    """Read what `kafka_document` gave; raises InputInvalid for anything else."""
    try:
        return _result(document, source)
    except (KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid(f"damaged document in the capture: {error!r}", where=str(source), hint=hint) from error


def _result(document: dict[str, Any], source: SourceId) -> KafkaResult:
    # Captures of earlier versions know neither `unnamed` nor `unconfigured`.
    members = dict(document["outcome"])
    counts = {"received": members.pop("got"), "requested": members.pop("asked")}
    status, unread = SourceStatus(members.pop("answer")), frozenset(members.pop("unread"))
    return KafkaResult(
        outcome=SourceResult(source=source, kind="kafka", status=status, unread=unread, **counts, **members),
        cluster_id=document["cluster_id"],
        brokers=tuple(document["brokers"]),
        unnamed=int(document.get("unnamed", 0)),
        topics=tuple(_topic(topic, source) for topic in document["topics"]),
        consumer_groups=tuple(_groups(document["consumer_groups"], source)),
        problems=tuple(Problem(*problem) for problem in document["problems"]),
        unconfigured=frozenset(map(TopicName, document.get("unconfigured", ()))),
    )


def _topic_document(topic: Topic) -> Json:
    return {
        "name": topic.name,
        "partitions": topic.partitions,
        "replication": topic.replication,
        "internal": topic.internal,
        "config": dict(topic.config),
    }


def _topic(document: dict[str, Any], source: SourceId) -> Topic:
    return Topic(
        source=source,
        name=TopicName(document["name"]),
        partitions=document["partitions"],
        replication=document["replication"],
        internal=document["internal"],
        config=tuple(document["config"].items()),
    )


def _groups(documents: Iterable[dict[str, Any]], source: SourceId) -> Iterable[ConsumerGroup]:
    for document in documents:
        topics = tuple(map(TopicName, document["topics"]))
        yield ConsumerGroup(source=source, name=document["name"], state=document["state"], topics=topics)

"""Consumer groups: each is a reader of its topics, or a member of the known job that reads through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from dataflow_generator.graph import Certainty, Node, NodeKind, present
from dataflow_generator.jobs.model import JobFlows, Naming, Use
from scanner_model.kafka import ConsumerGroup

_KSQLDB, _QUERY = "_confluent-ksql-", "query_"


class GroupOwner(NamedTuple):
    """A job, by its node's key, that reads through the group called *group* of a cluster."""

    cluster: str
    group: str
    job: str


class Query(NamedTuple):
    """A ksqlDB query by its name, with which the name of its group ends; *job* is its node's key."""

    cluster: str
    name: str
    job: str


def group_jobs(
    groups: Iterable[tuple[str, ConsumerGroup]], owners: Iterable[GroupOwner], queries: Iterable[Query], naming: Naming
) -> Iterator[JobFlows]:
    """Yield each group: as a reader of its topics, or as a member of the jobs that own it (and read the topics)."""
    owned: dict[tuple[str, str], list[str]] = {}
    for owner in owners:
        owned.setdefault((owner.cluster, owner.group), []).append(owner.job)
    by_name: dict[tuple[str, str], list[str]] = {}
    for query in queries:
        by_name.setdefault((query.cluster, query.name), []).append(query.job)
    for cluster, group in groups:
        jobs = owned.get((cluster, group.name)) or _of_query(cluster, group, by_name)
        yield JobFlows(
            job=group_node(group.name, naming.clusters[cluster], group.state),
            certainty=Certainty.DERIVED if jobs else Certainty.DECLARED,
            reads=() if jobs else tuple(_uses(cluster, group, naming)),
            member_of=tuple(sorted(set(jobs))),
        )


def _of_query(cluster: str, group: ConsumerGroup, queries: Mapping[tuple[str, str], list[str]]) -> list[str]:
    """Return the ksqlDB query that a group belongs to (`_confluent-ksql-<service>query_<name>`); none if ambiguous."""
    if not group.name.startswith(_KSQLDB):
        return []
    jobs = queries.get((cluster, group.name.partition(_QUERY)[2]), [])
    return jobs if len(jobs) == 1 else []


def _uses(cluster: str, group: ConsumerGroup, naming: Naming) -> Iterator[Use]:
    for topic in group.topics:
        yield Use(naming.topic(cluster, topic), f"consumer group {group.name}, reported by {group.source}")


def group_node(name: str, namespace: str, state: str = "") -> Node:
    """Return the node of the group *name* of the cluster with *namespace*."""
    key = f"{NodeKind.CONSUMER_GROUP}:{namespace}/{name}"
    return Node(key, NodeKind.CONSUMER_GROUP, namespace, name, None, present(state=state))

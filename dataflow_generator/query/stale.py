"""Which nodes of a graph stand for facts that the newest scan could not confirm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.connect import connect_namespace
from dataflow_generator.jobs.flink.statements import flink_namespace
from dataflow_generator.jobs.ksqldb import ksqldb_namespace
from dataflow_generator.jobs.model import Dataset, job_node
from dataflow_generator.jobs.streams import streams_node
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.queries.stale_facts import StaleFact

_NUMBERED = re.compile(r"(.+):\d+")


def fact_names(nodes: Iterable[NodeRow]) -> set[str]:
    """Return the names of the facts that *nodes* may stand for; several statements in one text are numbered."""
    names = {node.name for node in nodes if node.kind not in (NodeKind.COLUMN, NodeKind.SCHEMA)}
    return names | {_without_number(name) for name in names}


def stale_nodes(nodes: Iterable[NodeRow], facts: Iterable[StaleFact], homes: Mapping[str, str]) -> Mapping[int, str]:
    """Return the reason, after its source, for each of *nodes*, by its id, that stands for one of *facts*.

    *homes* are the namespaces of the clusters.
    """
    reasons = {key: f"{fact.source}: {fact.reason}" for fact in facts for key in _keys(fact, homes)}
    reasons_by_id = {node.id: reasons.get(node.node_key) or reasons.get(_statement_key(node)) for node in nodes}
    return {key: reason for key, reason in reasons_by_id.items() if reason}


def _keys(fact: StaleFact, homes: Mapping[str, str]) -> Iterator[str]:
    match fact.kind:
        case "topic" if fact.cluster in homes:
            yield Dataset(NodeKind.TOPIC, homes[fact.cluster], fact.name).key
        case "consumer-group" if fact.cluster in homes:
            yield f"{NodeKind.CONSUMER_GROUP}:{homes[fact.cluster]}/{fact.name}"
        case "connector":
            yield job_node(connect_namespace(fact.cluster, fact.source), fact.name, ()).key
        case "ksqldb":
            yield job_node(ksqldb_namespace(fact.source), fact.name, ()).key
        case "flink":
            yield job_node(flink_namespace(fact.cluster, fact.source), fact.name, ()).key
        case "streams":
            yield streams_node(fact.cluster, fact.name).key


def _statement_key(node: NodeRow) -> str:
    return _without_number(node.node_key) if node.node_key.startswith(f"{NodeKind.JOB}:flink://") else ""


def _without_number(name: str) -> str:
    numbered = _NUMBERED.fullmatch(name)
    return numbered[1] if numbered else name

"""The owners that people state, as attributes of the jobs, consumer groups and tables of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.graph import Attribute, EdgeKind, Node, NodeKind
from dataflow_generator.jobs.model import Naming
from scanner_model.owners import Owners

_OWNED = (NodeKind.JOB, NodeKind.CONSUMER_GROUP, NodeKind.DATASET)
"""Owners of topics are in the dictionary since their scan."""

_OWNERS = frozenset({"owner", "owners"})
"""The attributes that name owners; OpenLineage events may name several."""


def with_owners(flows: Flows, owners: Mapping[str, Owners], naming: Naming) -> Flows:
    """Return *flows* with the owners that are stated in each cluster, for the nodes without one.

    A consumer group without an owner has that of its job.
    """
    if not owners:
        return flows
    stated = _Stated(owners, naming)
    nodes = {node.key: stated.with_owner(node) for node in flows.nodes}
    for edge in flows.edges:
        if edge.kind is EdgeKind.MEMBER_OF and edge.source in nodes and edge.target in nodes:
            job = dict(nodes[edge.target].attributes)
            known = {name: value for name, value in job.items() if name in _OWNERS}
            nodes[edge.source] = _with(nodes[edge.source], known)
    return replace(flows, nodes=tuple(nodes.values()))


class _Stated:
    """Finds the owner of a node among those that its cluster states."""

    def __init__(self, owners: Mapping[str, Owners], naming: Naming) -> None:
        self._owners = owners
        self._clusters = {namespace: cluster for cluster, namespace in naming.clusters.items()}

    def with_owner(self, node: Node) -> Node:
        """Return *node* with its owner, if one is stated."""
        if node.kind not in _OWNED:
            return node
        names = (node.name, str(dict(node.attributes).get("file", "")))
        found = (owners.of(name) for owners in self._of_cluster(node.namespace) for name in names)
        owner = next(filter(None, found), "")
        return _with(node, {"owner": owner} if owner else {})

    def _of_cluster(self, namespace: str) -> Iterator[Owners]:
        """Yield the owners that apply to a namespace; if it is in no known cluster, those of each cluster."""
        cluster = self._clusters.get(namespace) or namespace.partition("://")[2].partition("/")[0]
        if cluster in self._clusters.values():
            yield from (self._owners[name] for name in (cluster,) if name in self._owners)
        else:
            yield from self._owners.values()


def _with(node: Node, known: Mapping[str, Attribute]) -> Node:
    attributes = dict(node.attributes)
    if not known or not _OWNERS.isdisjoint(attributes):
        return node
    return replace(node, attributes=tuple(sorted({**attributes, **known}.items())))

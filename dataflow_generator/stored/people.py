"""Whom to ask about a node of the graph: its owner and tags, and when monitoring last saw an application."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import Naming
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.clients import observed
from scanner_dictionary.queries.topics import NOTHING, CatalogAnnotations, catalog_annotations, cluster_ids


def stated_owner(node: NodeRow) -> str:
    """Return the owners of a node in the graph; empty without an owner."""
    return _owner_of(json.loads(node.attributes))


def _owner_of(attributes: Mapping[str, Any]) -> str:
    return ", ".join(map(str, attributes.get("owners") or [attributes.get("owner", "")]))


class People:
    """Owners, tags and last observations of nodes, from catalogs, contracts, manual input and monitoring."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def topic_notes(self, cluster: str, topic: str) -> CatalogAnnotations:
        """Return the owner and tags that catalogs have for a topic."""
        return self._annotations.get((self._ids.get(cluster, 0), topic), NOTHING)

    @staticmethod
    def about(node: NodeRow) -> dict[str, Any]:
        """Return the attributes of a node, by name."""
        known: dict[str, Any] = json.loads(node.attributes)
        return known

    def owner_and_tags(self, node: NodeRow) -> tuple[str, tuple[str, ...]]:
        """Return the owner of a node, empty if none is known, and its tags."""
        known = self.about(node)
        note = self.topic_notes(self._clusters.get(node.namespace, ""), node.name)
        owner = (note.owner if node.kind == NodeKind.TOPIC else "") or _owner_of(known)
        tags = (*known.get("tags", ()), *(note.tags if node.kind == NodeKind.TOPIC else ()))
        return owner, tuple(dict.fromkeys(map(str, tags)))

    def last_seen(self, node: NodeRow) -> str:
        """Return when monitoring last saw the application of a node (ISO 8601); empty if it never did."""
        return self._last_seen.get((self._clusters.get(node.namespace, ""), node.name), "")

    @cached_property
    def naming(self) -> Naming:
        """Return the names of the clusters' topics as datasets."""
        return Naming(graph_clusters(self._conn))

    @cached_property
    def _annotations(self) -> Mapping[tuple[int, str], CatalogAnnotations]:
        return catalog_annotations(self._conn)

    @cached_property
    def _last_seen(self) -> Mapping[tuple[str, str], str]:
        seen: dict[tuple[str, str], str] = {}
        for row in observed(self._conn):
            key = row.cluster, row.application
            seen[key] = max(row.last_seen, seen.get(key, ""))
        return seen

    @cached_property
    def _ids(self) -> Mapping[str, int]:
        return cluster_ids(self._conn)

    @cached_property
    def _clusters(self) -> Mapping[str, str]:
        return {namespace: name for name, namespace in self.naming.clusters.items()}

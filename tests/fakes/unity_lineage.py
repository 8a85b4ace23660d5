"""A stand-in for external metadata and external lineage of Unity Catalog, strict about members and masks.

Source: Databricks' SDK 0.162 (ExternalMetadata, CreateRequestExternalLineage, flattened query parameters).
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Json = Any

_METADATA = {"name", "system_type", "entity_type", "columns", "description", "properties", "url", "owner"}
_LINEAGE = {"source", "target", "columns", "properties"}


@dataclass(slots=True, kw_only=True)
class UnityLineage:
    """*metadata* by name, *edges* by source and target, values of *tags*; *refused* are parts of requests."""

    metadata: dict[str, Json] = field(default_factory=dict)
    edges: dict[str, Json] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, url: str, body: str) -> tuple[int, Json]:
        """Answer a request."""
        parts = urlsplit(url)
        segments = [unquote(segment) for segment in parts.path.split("/")[1:]]
        query, given = dict(parse_qsl(parts.query)), json.loads(body) if body else {}
        if segments[:4] == ["api", "2.1", "unity-catalog", "entity-tag-assignments"]:
            return self._tag(method, segments[4:], given)
        assert segments[:3] == ["api", "2.0", "lineage-tracking"]
        with self.lock:
            if method != "GET" and any(part in body for part in self.refused):
                return 403, {"error_code": "PERMISSION_DENIED", "message": "refused"}
            if segments[3] == "external-metadata":
                return self._metadata(method, segments[4:], query, given)
            return self._lineage(method, query, given)

    def state(self) -> Json:
        """Return all that is stored."""
        return json.loads(json.dumps([self.metadata, self.edges], sort_keys=True))

    def _tag(self, method: str, rest: list[str], given: Json) -> tuple[int, Json]:
        if given:
            assert given.keys() == {"entity_type", "entity_name", "tag_key", "tag_value"}
            rest = rest or [given["entity_type"], given["entity_name"], "tags", given["tag_key"]]
            self.tags["/".join(rest)] = given["tag_value"]
        key = "/".join(rest)
        if key not in self.tags:
            return 404, {"error_code": "NOT_FOUND", "message": f"no tag {key}"}
        value = self.tags.pop(key) if method == "DELETE" else self.tags[key]
        return 200, {"entity_type": rest[0], "entity_name": rest[1], "tag_key": rest[3], "tag_value": value}

    def _metadata(self, method: str, rest: list[str], query: Json, given: Json) -> tuple[int, Json]:
        if method == "POST":
            assert given.keys() <= _METADATA
            assert given.keys() >= {"name", "system_type", "entity_type"}
            if given["name"] in self.metadata:
                return 409, {"error_code": "ALREADY_EXISTS", "message": "exists"}
            self.metadata[given["name"]] = given
            return 200, given
        if rest[0] not in self.metadata:
            return 404, {"error_code": "NOT_FOUND", "message": f"External metadata '{rest[0]}' does not exist."}
        if method == "DELETE":
            del self.metadata[rest[0]]
            return 200, {}
        if method == "PATCH":
            _update(self.metadata[rest[0]], query["update_mask"], given)
        return 200, self.metadata[rest[0]] | {"id": "1", "metastore_id": "m"}

    def _lineage(self, method: str, query: Json, given: Json) -> tuple[int, Json]:
        if method == "GET":
            end = {query_kind(query): {"name": query[f"object_info.{query_kind(query)}.name"]}}
            side = "source" if query["lineage_direction"] == "DOWNSTREAM" else "target"
            found = [edge for edge in self.edges.values() if edge[side] == end]
            return 200, {"external_lineage_relationships": [{"external_lineage_info": edge} for edge in found]}
        if method == "DELETE":
            prefix = "external_lineage_relationship."
            ends = {name.removeprefix(prefix).split(".")[0]: value for name, value in query.items()}
            self.edges = {key: edge for key, edge in self.edges.items() if _names(edge) != ends}
            return 200, {}
        assert given.keys() <= _LINEAGE
        names = _names(given)
        ends = [given[side].get("external_metadata", {}).get("name") for side in ("source", "target")]
        missing = [name for name in ends if name and name not in self.metadata]
        if missing:
            return 404, {"error_code": "NOT_FOUND", "message": f"no {missing}"}
        key = json.dumps(names)
        if method == "PATCH":
            _update(self.edges[key], query["update_mask"], given)
        elif key in self.edges:
            return 409, {"error_code": "ALREADY_EXISTS", "message": "exists"}
        else:
            self.edges[key] = given
        return 200, self.edges[key]


def query_kind(query: Json) -> str:
    """Return the kind of object that a query is about."""
    return next(name for name in query if name.startswith("object_info.")).split(".")[1]


def _names(edge: Json) -> dict[str, str]:
    return {side: next(iter(edge[side].values()))["name"] for side in ("source", "target")}


def _update(row: Json, mask: str, given: Json) -> None:
    for name in mask.split(","):
        row[name] = given[name]

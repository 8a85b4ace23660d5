"""A fake of Cloudera's Schema Registry: an exchange with the JSON of hortonworks/registry."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

API = "/api/v1/schemaregistry/"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One version of a schema in some branches."""

    name: str
    text: str
    id: int
    version: int = 1
    type: str = "avro"
    state: int | None = 5
    branches: tuple[str, ...] = ("MASTER",)
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Cloudera:
    """What the server knows; *aggregates*: it has the path that reports everything. *said* are answers by path."""

    kept: tuple[Kept, ...] = ()
    aggregates: bool = True
    said: dict[str, tuple[int, Any]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    def __call__(self, method: str, url: str) -> tuple[int, bytes]:
        """Return status and body."""
        parts = urlsplit(url)
        path = parts.path.partition(API)[2]
        self.log.append(path)
        branch = parse_qs(parts.query).get("branch", [""])[-1]
        known = API in parts.path
        status, value = self.said.get(path) or (self.answer(path, branch) if known else (404, {}))
        return status, json.dumps(value).encode()

    def answer(self, path: str, branch: str) -> tuple[int, Any]:
        """Answer a GET below the API's path."""
        names = list(dict.fromkeys(retained.name for retained in self.kept))
        match [unquote(step) for step in path.split("/")]:
            case ["schemas", "aggregated"] if self.aggregates:
                return 200, {"entities": [self.schema(name, whole=True) for name in names]}
            case ["schemas"]:
                return 200, {"entities": [self.schema(name) for name in names]}
            case ["schemas", name, "branches"]:
                return 200, {"entities": [{"id": 1, "name": branch} for branch in self.branches(name)]}
            case ["schemas", name, "versions"]:
                return 200, {"entities": self.versions(name, branch)}
        return 404, {"responseMessage": f"Entity with id [{path}] not found."}

    def schema(self, name: str, *, whole: bool = False) -> dict[str, Any]:
        """Write a schema, with its branches where the *whole* of it is queried for."""
        first = next(retained for retained in self.kept if retained.name == name)
        metadata = {"type": first.type, "schemaGroup": "Kafka", "name": name, "description": "", "evolve": True}
        members = {"schemaMetadata": {**metadata, "compatibility": "BACKWARD", **first.about}, "id": first.id}
        branches = [
            {"schemaBranch": {"id": 1, "name": branch}, "schemaVersionInfos": self.versions(name, branch)}
            for branch in self.branches(name)
        ]
        return {**members, "schemaBranches": branches, "serDesInfos": []} if whole else members

    def branches(self, name: str) -> list[str]:
        """List the branches of a schema."""
        return sorted({branch for retained in self.kept if retained.name == name for branch in retained.branches})

    def versions(self, name: str, branch: str) -> list[dict[str, Any]]:
        """Write the versions that a branch holds, the newest first."""
        held = [retained for retained in self.kept if retained.name == name and branch in retained.branches]
        return [
            {
                "id": retained.id,
                "schemaMetadataId": 1,
                "name": name,
                "version": retained.version,
                "schemaText": retained.text,
            }
            | ({} if retained.state is None else {"stateId": retained.state})
            for retained in reversed(held)
        ]

"""A stand-in for writing into Google's Data Lineage API: processes, runs and events, strict about names and limits.

Source: google-cloud-datacatalog-lineage 0.7 (required members, limits, custom names).
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Json = Any

_NAME = re.compile(
    r"projects/[^/]+/locations/[^/]+/processes/[\w:.-]{1,200}(?:/runs/[\w:.-]{1,200}(?:/lineageEvents/[\w:.-]{1,200})?)?"
)
_MEMBERS = {
    "processes": {"name", "displayName", "attributes", "origin"},
    "runs": {"name", "displayName", "startTime", "endTime", "state"},
    "lineageEvents": {"name", "startTime", "endTime", "links"},
}


@dataclass(slots=True, kw_only=True)
class GoogleLineage:
    """*resources* by name; *refused* are parts of requests."""

    resources: dict[str, Json] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, url: str, body: str) -> tuple[int, Json]:
        """Answer a request."""
        parts = urlsplit(url)
        version, _, name = unquote(parts.path).lstrip("/").partition("/")
        query, given = dict(parse_qsl(parts.query)), json.loads(body) if body else {}
        assert version == "v1"
        with self.lock:
            if method != "GET" and any(part in body for part in self.refused):
                return 400, {"error": {"code": 400, "message": "refused", "status": "INVALID_ARGUMENT"}}
            if method == "POST":
                assert len(query["requestId"]) <= 36
                assert given["name"].rpartition("/")[0] == name
                if given["name"] in self.resources:
                    return 409, {"error": {"code": 409, "message": "exists", "status": "ALREADY_EXISTS"}}
                return self._write(given)
            if method == "PATCH" and (name in self.resources or query.get("allowMissing") == "true"):
                return self._write(given)
            if name not in self.resources:
                return 404, {"error": {"code": 404, "message": f"{name} was not found", "status": "NOT_FOUND"}}
            if method == "DELETE":
                self.resources = {
                    key: row for key, row in self.resources.items() if not f"{key}/".startswith(f"{name}/")
                }
                is_event = "/lineageEvents/" in name  # its answer is empty, that of others an operation
                return 200, {} if is_event else {"name": "operations/1", "done": False}
            return 200, self.resources[name]

    def state(self) -> Json:
        """Return all that is stored."""
        return json.loads(json.dumps(self.resources, sort_keys=True))

    def _write(self, given: Json) -> tuple[int, Json]:
        name = given["name"]
        kind = name.split("/")[-2]
        assert _NAME.fullmatch(name)
        assert given.keys() <= _MEMBERS[kind]
        above = name.rsplit("/", 2)[0]
        if kind != "processes" and above not in self.resources:
            return 404, {"error": {"code": 404, "message": f"{above} was not found", "status": "NOT_FOUND"}}
        if kind == "processes":
            assert re.fullmatch(r"[A-Za-z0-9 _:&.-]{1,200}", given["displayName"])
            assert len(given["attributes"]) <= 100
        if kind == "runs":
            assert given["state"] in ("STARTED", "COMPLETED", "FAILED", "ABORTED")
        if kind != "processes":
            assert given["startTime"] < given["endTime"]
        for link in given.get("links", ()):
            assert link["source"]["fullyQualifiedName"]
            assert all(0 < len(part) <= 500 for part in link["target"].get("field", ()))
            assert link.get("dependencyInfo", {"dependencyType": "OTHER"})["dependencyType"] in ("EXACT_COPY", "OTHER")
        assert len(given.get("links", ())) <= 100
        self.resources[name] = given
        return 200, given

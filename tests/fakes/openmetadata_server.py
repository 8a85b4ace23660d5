"""A stand-in for OpenMetadata: services, topics, tables, pipelines and edges by name, strict about create requests.

Source: the JSON schemas of its API (required members, types, no other members), and its lineage routes by name.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Json = Any

_CREATE = {
    "services/messagingServices": ({"name": str, "serviceType": str}, {"description"}),
    "services/pipelineServices": ({"name": str, "serviceType": str}, {"description"}),
    "topics": ({"name": str, "service": str, "partitions": int}, {"messageSchema", "description", "tags", "owners"}),
    "pipelines": ({"name": str, "service": str}, {"description", "tasks", "tags", "owners"}),
}
_DETAILS = {"sqlQuery", "columnsLineage", "pipeline", "description", "source"}
_FIELD = {"name", "dataType", "dataTypeDisplay", "description", "children", "fullyQualifiedName"}
_TYPES = set("RECORD NULL BOOLEAN INT LONG BYTES FLOAT DOUBLE TIMESTAMP TIMESTAMPZ TIME DATE STRING ARRAY MAP".split())  # noqa: SIM905
_TYPES |= {"ENUM", "UNION", "FIXED", "ERROR", "UNKNOWN"}
_PART = re.compile(r'"(?:[^"]|"")*"|[^".]+')


def quoted(name: str) -> str:
    """Return a part of a full name."""
    return f'"{name}"' if "." in name else name


@dataclass(slots=True, kw_only=True)
class OpenMetadataServer:
    """*entities* by collection and full name, *edges* by their two ends; *refused* are parts of names."""

    entities: dict[str, dict[str, Json]] = field(default_factory=dict)
    edges: dict[str, Json] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    count: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, url: str, body: str) -> tuple[int, Json]:
        """Answer a request."""
        segments = [unquote(segment) for segment in urlsplit(url).path.split("/")[1:]]
        given = json.loads(body) if body else None
        assert segments[:2] == ["api", "v1"]
        with self.lock:
            if method != "GET" and any(part in unquote(url) + body for part in self.refused):
                return 400, {"code": 400, "message": "refused"}
            match segments[2:]:
                case ["lineage", kind, "name", name]:
                    depth = dict(parse_qsl(urlsplit(url).query))
                    return self._lineage(kind, name, is_upstream=depth["upstreamDepth"] == "1")
                case ["lineage", *ends]:
                    return self._edge(method, ends, given)
                case ["services", kind, *rest]:
                    return self._entity(method, f"services/{kind}", rest, given)
                case [kind, *rest]:
                    return self._entity(method, kind, rest, given)
        return 404, {"code": 404, "message": "HTTP 404 Not Found"}

    def state(self) -> Json:
        """Return all that is stored, without ids."""
        plain = json.loads(json.dumps([{kind: rows for kind, rows in self.entities.items() if rows}, self.edges]))
        for rows in plain[0].values():
            for row in rows.values():
                row.pop("id")
        for edge in plain[1].values():
            edge.pop("pipeline", None)
        return plain

    def _entity(self, method: str, kind: str, rest: list[str], given: Json) -> tuple[int, Json]:
        stored = self.entities.setdefault(kind, {})
        if method == "PUT":
            return self._create(kind, given)
        name = rest[1]
        assert rest[0] == "name"
        if name not in stored:
            return 404, {"code": 404, "message": f"{kind} instance for {name} not found"}
        if method == "DELETE":
            return 200, stored.pop(name)
        if method == "PATCH":
            _patch(stored[name], given)
            _name_fields(stored[name].get("messageSchema", {}).get("schemaFields", ()), name)
        return 200, stored[name]

    def _create(self, kind: str, given: Json) -> tuple[int, Json]:
        required, allowed = _CREATE[kind]
        problems = [name for name, type_ in required.items() if not isinstance(given.get(name), type_)]
        problems += given.keys() - required.keys() - allowed
        problems += _field_problems(given.get("messageSchema", {}).get("schemaFields", ()))
        name = quoted(given["name"]) if "service" not in given else f"{given['service']}.{quoted(given['name'])}"
        if "service" in given:
            service = "services/messagingServices" if kind == "topics" else "services/pipelineServices"
            problems += [] if given["service"].strip('"') in map(_bare, self.entities.get(service, ())) else ["service"]
        if problems:
            return 400, {"code": 400, "message": f"wrong: {', '.join(problems)}"}
        self.count += 1
        row = {"id": f"id-{self.count}", "fullyQualifiedName": name, **given}
        key = given["name"] if kind.startswith("services") else name
        self.entities[kind][key] = row
        _name_fields(row.get("messageSchema", {}).get("schemaFields", ()), name)
        return 201, row

    def _lineage(self, kind: str, name: str, *, is_upstream: bool) -> tuple[int, Json]:
        """Return the entities that edges lead to from one (and to it), by id, and the edges, as EntityLineage does."""
        entity = self.entities.get(f"{kind}s", {}).get(name)
        if entity is None:
            return 404, {"code": 404, "message": f"{kind} instance for {name} not found"}
        own, nodes, down, up = f"{kind}|name|{name}", [], [], []
        for key, details in self.edges.items():
            if key.startswith(f"{own}|"):
                nodes.append(self._reference(*key.split("|")[3::2]))
                edge = {"fromEntity": entity["id"], "toEntity": nodes[-1]["id"], "lineageDetails": details}
                down.append(edge)
            if is_upstream and key.endswith(f"|{own}"):
                nodes.append(self._reference(*key.split("|")[:3:2]))
                up.append({"fromEntity": nodes[-1]["id"], "toEntity": entity["id"], "lineageDetails": details})
        return 200, {
            "entity": self._reference(kind, name),
            "nodes": nodes,
            "upstreamEdges": up,
            "downstreamEdges": down,
        }

    def _reference(self, kind: str, name: str) -> Json:
        return {"id": self.entities[f"{kind}s"][name]["id"], "type": kind, "fullyQualifiedName": name}

    def _edge(self, method: str, ends: list[str], given: Json) -> tuple[int, Json]:
        source, _, from_name, target, _, to_name = ends
        for kind, name in ((source, from_name), (target, to_name)):
            if name not in self.entities.get(f"{kind}s", {}):
                return 404, {"code": 404, "message": f"{kind} instance for {name} not found"}
        key = "|".join(ends)
        if method == "DELETE":
            del self.edges[key]
            return 200, None
        if method == "PATCH":
            _patch(self.edges[key], given)
        else:
            assert given.keys() <= _DETAILS
            assert given.get("pipeline", {}).keys() in ({"id", "type"}, set())
            self.edges[key] = given
        for entry in self.edges[key].get("columnsLineage", ()):
            assert all(column.startswith(from_name) for column in entry["fromColumns"])
            assert entry["toColumn"].startswith(to_name)
        return 200, None


def _bare(name: str) -> str:
    return name.strip('"')


def _patch(row: Json, operations: list[Json]) -> None:
    for operation in operations:
        name, *rest = operation["path"].removeprefix("/").split("/")
        if rest:
            _patch_element(row.setdefault(name, []), operation, *rest)
            continue
        if operation["op"] == "remove":
            del row[name]
        else:
            assert operation["op"] == ("replace" if name in row else "add")
            row[name] = operation["value"]


def _patch_element(listed: list[Json], operation: Json, index: str, *member: str) -> None:
    match operation["op"]:
        case "test":
            assert listed[int(index)][member[0]] == operation["value"]
        case "remove":
            del listed[int(index)]
        case "add":
            assert index == "-"
            listed.append(operation["value"])


def _field_problems(fields: list[Json]) -> list[str]:
    problems = []
    for entry in fields:
        problems += [f"member {name}" for name in entry.keys() - _FIELD]
        problems += [] if entry["dataType"] in _TYPES and 0 < len(entry["name"]) <= 128 else [f"field {entry['name']}"]
        problems += _field_problems(entry.get("children", ()))
    return problems


def _name_fields(fields: list[Json], above: str) -> None:
    for entry in fields:
        entry["fullyQualifiedName"] = f"{above}.{quoted(entry['name'])}"
        _name_fields(entry.get("children", ()), entry["fullyQualifiedName"])

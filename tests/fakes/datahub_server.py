"""A stand-in for DataHub's OpenAPI v3: entities with aspects, strict about the members that aspects must have.

Source: the aspect schemas of acryl-datahub 1.7 (required members, field types), its emitter (requests). It adds what
the server adds: a key aspect, members that are null.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

Json = Any

_URNS = {
    "dataset": re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:[^,()]+,[^,()]+,(PROD|DEV|TEST)\)"),
    "dataFlow": re.compile(r"urn:li:dataFlow:\([^,()]+,[^,()]+,(PROD|DEV|TEST)\)"),
    "dataJob": re.compile(r"urn:li:dataJob:\(urn:li:dataFlow:\([^,()]+,[^,()]+,(PROD|DEV|TEST)\),[^,()]+\)"),
}
_REQUIRED = {
    "schemaMetadata": {"schemaName": str, "platform": str, "version": int, "hash": str, "platformSchema": dict}
    | {"fields": list},
    "datasetProperties": {},
    "subTypes": {"typeNames": list},
    "dataPlatformInstance": {"platform": str},
    "globalTags": {"tags": list},
    "ownership": {"owners": list},
    "dataFlowInfo": {"name": str},
    "dataJobInfo": {"name": str, "type": dict},
    "dataJobInputOutput": {"inputDatasets": list, "outputDatasets": list},
}
_FIELD = {"fieldPath": str, "type": dict, "nativeDataType": str}
_NAMES = ("Boolean", "Fixed", "String", "Bytes", "Number", "Date", "Time", "Enum", "Null", "Map")
_NAMES = (*_NAMES, "Array", "Union", "Record")
_TYPES = {f"com.linkedin.schema.{name}Type" for name in _NAMES}


@dataclass(slots=True, kw_only=True)
class DataHubServer:
    """*entities* are aspects by name, by URN; *refused* are parts of URNs that are not accepted."""

    entities: dict[str, dict[str, Json]] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    written: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, url: str, body: str) -> tuple[int, Json]:
        """Answer a request."""
        parts = urlsplit(url)
        segments = [unquote(segment) for segment in parts.path.split("/")[1:]]
        with self.lock:
            match method, segments:
                case "POST", ["openapi", "v3", "entity", kind, "batchGet"]:
                    return 200, [self._shown(kind, **entry) for entry in json.loads(body) if self._has(entry["urn"])]
                case "POST", ["openapi", "v3", "entity", kind] if parts.query == "async=false":
                    return self._upsert(kind, json.loads(body))
                case "DELETE", ["openapi", "v3", "entity", _, urn, aspect]:
                    return self._delete(urn, aspect)
                case "POST", ["entities"] if parts.query == "action=delete":
                    return self._delete(**json.loads(body))
        return 404, {"message": f"no {method} {parts.path}"}

    def state(self) -> Json:
        """Return all that is stored, to compare."""
        return json.loads(json.dumps(self.entities, sort_keys=True))

    def _has(self, urn: str) -> bool:
        return urn in self.entities

    def _shown(self, kind: str, urn: str, **aspects: Json) -> Json:
        stored = {f"{kind}Key": {"name": urn}, **self.entities[urn]}
        return {"urn": urn} | {
            name: {"value": value | {"later": None}} for name, value in stored.items() if not aspects or name in aspects
        }

    def _upsert(self, kind: str, entities: list[Json]) -> tuple[int, Json]:
        assert len(entities) <= 200
        problems = [problem for entity in entities for problem in self._problems(kind, entity)]
        if problems:
            return 400, {"message": problems[0]}
        for entity in entities:
            aspects = {name: aspect["value"] for name, aspect in entity.items() if name != "urn"}
            self.entities.setdefault(entity["urn"], {}).update(aspects)
            self.written.append(f"upsert {entity['urn']}")
        return 200, entities

    def _delete(self, urn: str, aspect: str = "") -> tuple[int, Json]:
        if not self._has(urn):
            return 404, {"message": "no such entity"}
        self.written.append(f"delete {urn} {aspect}".strip())
        if aspect:
            del self.entities[urn][aspect]
            return 200, None
        del self.entities[urn]
        return 200, {"value": {"rows": 1, "timeseriesRows": 0}}

    def _problems(self, kind: str, entity: Json) -> Any:
        urn = entity["urn"]
        if not _URNS[kind].fullmatch(urn):
            yield f"{urn} is no URN of a {kind}"
        if any(part in urn for part in self.refused):
            yield f"{urn} is refused"
        if len(entity) == 1:
            yield f"{urn} has no aspect"
        for name, aspect in entity.items():
            if name != "urn":
                assert aspect["systemMetadata"]["runId"].startswith("scanner-")
                yield from _aspect_problems(name, aspect["value"])


def _aspect_problems(name: str, value: Json) -> Any:
    yield from (f"{name}.{member}" for member, kind in _REQUIRED[name].items() if not isinstance(value[member], kind))
    for entry in value.get("fields", ()):
        yield from (f"field.{member}" for member, kind in _FIELD.items() if not isinstance(entry.get(member), kind))
        yield from (f"field type {kind}" for kind in entry["type"]["type"] if kind not in _TYPES)
    for entry in value.get("fineGrainedLineages", ()):
        if entry["upstreamType"] != "FIELD_SET" or entry["downstreamType"] != "FIELD":
            yield "the types of a lineage"
        yield from (
            urn for urn in entry["upstreams"] + entry["downstreams"] if not urn.startswith("urn:li:schemaField:(")
        )

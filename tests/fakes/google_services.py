"""A stand-in for BigQuery and the Data Lineage API: empty lists have no member, numbers are text."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Json = Any


def table(name: str, *fields: Json, **more: Json) -> Json:
    """Write a table as `tables.get` does: times and counts are text, the type of a nested field is RECORD."""
    project, dataset, own = name.split(".")
    reference = {"projectId": project, "datasetId": dataset, "tableId": own}
    members = {"kind": "bigquery#table", "etag": "x", "type": "TABLE", "numRows": "12", "creationTime": "1767225600000"}
    return {**members, "tableReference": reference, "location": "EU", "schema": {"fields": list(fields)}, **more}


@dataclass(slots=True, kw_only=True)
class Google:
    """*tables* as `tables.get` gives them; *links* are (name, source, target), *made* processes by link.

    *titles* are display names by process, *columns* the links of columns; *refused* statuses by part of the path.
    """

    tables: tuple[Json, ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()
    made: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[Json, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    page: int = 1
    asked: list[str] = field(default_factory=list)
    bodies: list[Json] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, target: str, body: bytes | str = b"") -> tuple[int, Json]:
        """Answer a request; its path begins with the service."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        given = dict(parse_qsl(parts.query)) | (json.loads(body) if body else {})
        with self.lock:
            self.asked.append(f"{method} {path}")
            self.bodies.append(given)
        for part, status in self.refused.items():
            if part in path:
                reason = {"error": {"code": status, "message": f"Access Denied: {part}", "status": "PERMISSION_DENIED"}}
                return status, reason
        match path.strip("/").split("/"):
            case ["bigquery", "v2", "projects", project, "datasets"]:
                names = dict.fromkeys(self._place(table) for table in self.tables if self._project(table) == project)
                entries = [{"datasetReference": {"datasetId": name}, "location": at} for name, at in names]
                return 200, {"kind": "bigquery#datasetList"} | self._window("datasets", entries, given)
            case ["bigquery", "v2", "projects", project, "datasets", dataset, "tables"]:
                wanted = (project, dataset)
                entries = [table for table in self.tables if (self._project(table), self._place(table)[0]) == wanted]
                slim = [{"tableReference": entry["tableReference"], "type": entry["type"]} for entry in entries]
                return 200, {"totalItems": len(slim)} | self._window("tables", slim, given)
            case ["bigquery", "v2", "projects", project, "datasets", dataset, "tables", name]:
                result = [
                    table for table in self.tables if list(table["tableReference"].values()) == [project, dataset, name]
                ]
                return (200, result[0]) if result else (404, {"error": {"code": 404, "message": "Not found: Table"}})
            case ["datalineage", "v1", "projects", _, "locations", _, "processes", _] as steps:
                title = self.titles.get("/".join(steps[2:]))
                return (200, {"displayName": title}) if title else (403, {"error": {"code": 403, "message": "no"}})
            case ["datalineage", "v1", "projects", _, "locations", method_]:
                return 200, self._lineage(method_.partition(":")[2], given)
        return 404, {"error": {"code": 404, "message": "Not Found"}}

    def _lineage(self, method: str, given: Json) -> Json:
        match method:
            case "searchLinks":
                end = "source" if "source" in given else "target"
                wanted = given[end]["fullyQualifiedName"]
                result = [link for link in self.links if link[1 if end == "source" else 2] == wanted]
                return self._window("links", [self._link(texts) for texts in result], given)
            case "batchSearchLinkProcesses":
                assert len(given["links"]) <= 100
                processes = {process for link in given["links"] for process in self.made.get(link, ())}
                entries = [
                    {
                        "process": text,
                        "links": [{"link": link} for link in given["links"] if text in self.made.get(link, ())],
                    }
                    for text in sorted(processes)
                ]
                return self._window("processLinks", entries, given)
            case _:
                root = given["rootCriteria"]["entities"]["entities"][0]["fullyQualifiedName"]
                end = "target" if given["direction"] == "UPSTREAM" else "source"
                result = [column for column in self.columns if column[end]["fullyQualifiedName"] == root]
                return [{"links": [texts]} for texts in result]  # a stream, written as a list of parts

    def _link(self, texts: tuple[str, str, str]) -> Json:
        name, source, target = texts
        return {"name": name, "source": {"fullyQualifiedName": source}, "target": {"fullyQualifiedName": target}}

    def _window(self, member: str, entries: list[Json], given: Json) -> Json:
        start = int(given.get("pageToken", 0))
        end = start + min(int(given.get("pageSize", given.get("maxResults", 10))), self.page)
        members = {member: entries[start:end]} if entries[start:end] else {}
        members |= {"kind": f"bigquery#{member[:-1]}List"} if member in ("datasets", "tables") else {}
        return members | ({"nextPageToken": str(end)} if end < len(entries) else {})

    def _project(self, item: Json) -> str:
        return str(item["tableReference"]["projectId"])

    def _place(self, item: Json) -> tuple[str, str]:
        return item["tableReference"]["datasetId"], item["location"]

"""A stand-in for Databricks: Unity Catalog's lists, its lineage API, and SQL statements over the system tables.

Pages are cut at `page` entries, and an empty page stands in the middle of each list, as the API is documented to do.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from loopback import answering, on_loopback

Json = Any

ADDRESS = {"type": "struct", "fields": [{"name": "city", "type": "string", "nullable": True, "metadata": {}}]}


def column(name: str, kind: Json, position: int = 0, **more: Json) -> Json:
    """Write a column; its type stands in `type_json` as a whole field, as Databricks writes it."""
    field_json = {"name": name, "type": kind, "nullable": True, "metadata": {}}
    members = {
        "name": name,
        "type_text": "?",
        "type_name": _type_name(kind),
        "type_json": json.dumps(field_json),
        "position": position,
    }
    return {**members, "nullable": True, **more}


def _type_name(kind: Json) -> str:
    word = str(kind["type"] if isinstance(kind, dict) else kind).partition("(")[0].upper()
    return {"INTEGER": "INT"}.get(word, word)


def table(full_name: str, *columns: Json, **more: Json) -> Json:
    """Write a table as a list reports it; times are epoch milliseconds."""
    catalog, schema, name = full_name.split(".")
    names = {"catalog_name": catalog, "schema_name": schema, "name": name, "full_name": full_name}
    members = {"table_type": "MANAGED", "data_source_format": "DELTA", "owner": "lake@acme.example"}
    return {
        **names,
        **members,
        "created_at": 1767225600000,
        "updated_at": 1767229200000,
        "columns": list(columns),
        **more,
    }


@dataclass(slots=True, kw_only=True)
class Unity:
    """A metastore: *tables* as listed; *lineage* are answers by (table, column or ""), *refused* statuses by path part.

    *rows* are those of the system tables by name; *states* are what a statement goes through before it succeeds.
    """

    tables: tuple[Json, ...] = ()
    lineage: Mapping[tuple[str, str], Json] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, tuple[tuple[str | None, ...], ...]] = field(default_factory=dict)
    states: tuple[str, ...] = ()
    page: int = 1
    asked: list[str] = field(default_factory=list)
    bodies: list[Json] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, target: str, body: bytes = b"") -> tuple[int, Json]:
        """Answer a request."""
        parts = urlsplit(target)
        given = dict(parse_qsl(parts.query))
        with self.lock:
            self.asked.append(f"{method} {parts.path}" + (f"?{parts.query}" if parts.query else ""))
            if body:
                self.bodies.append(json.loads(body))
        for part, status in self.refused.items():
            if part in target:
                return status, {"error_code": "PERMISSION_DENIED", "message": f"no right for {part}"}
        return self._told(parts.path.strip("/").split("/"), given, body)

    def _told(self, steps: list[str], given: dict[str, str], body: bytes) -> tuple[int, Json]:
        match steps:
            case ["api", "2.1", "unity-catalog", what]:
                return 200, self._listed(what, given)
            case ["api", "2.0", "lineage-tracking", "table-lineage"]:
                if "table_name" not in given:
                    return 400, {"error_code": "INVALID_PARAMETER_VALUE", "message": "table_name is missing"}
                return 200, self.lineage.get((given["table_name"], ""), {})
            case ["api", "2.0", "lineage-tracking", "column-lineage"]:
                return 200, self.lineage.get((given["table_name"], given["column_name"]), {})
            case ["api", "2.0", "sql", "statements", *rest]:
                return 200, self._statement(rest, json.loads(body) if body else {})
        return 404, {"error_code": "NOT_FOUND", "message": "No API found"}

    def _listed(self, what: str, given: dict[str, str]) -> Json:
        catalog, schema = given.get("catalog_name"), given.get("schema_name")
        result = [table for table in self.tables if catalog in (None, table["catalog_name"])]
        match what:
            case "catalogs":
                entries = [{"name": name} for name in dict.fromkeys(item["catalog_name"] for item in result)]
            case "schemas":
                entries = [{"name": name} for name in dict.fromkeys(item["schema_name"] for item in result)]
            case _:
                entries = [item for item in result if item["schema_name"] == schema]
        start = int(given.get("page_token", 0))
        if start == 1:  # the second page is empty, and there are more
            return {"next_page_token": "1000001"}
        start %= 1000000
        end = start + self.page
        members = {what: entries[start:end]} if entries[start:end] else {}
        return members | ({"next_page_token": str(end)} if end < len(entries) else {})

    def _statement(self, rest: list[str], request: Json) -> Json:
        if not rest:
            name = request["statement"].split("system.access.")[1].split(" ")[0]
            return self._state(f"{name}-0", request["statement"])
        if rest[1:2] == ["result"]:
            index = int(rest[-1])
            rows = self.rows[rest[0].rpartition("-")[0]]
            more = {"next_chunk_index": index + 1} if index + 1 < len(rows) else {}
            return {"chunk_index": index, "data_array": [list(rows[index])], **more}
        name, _, number = rest[0].rpartition("-")
        return self._state(f"{name}-{int(number) + 1}", self.bodies[-1]["statement"])

    def _state(self, identity: str, statement: str) -> Json:
        name, _, number = identity.rpartition("-")
        if int(number) < len(self.states):
            return {"statement_id": identity, "status": {"state": self.states[int(number)]}}
        members = statement.split("DISTINCT ")[1].split(" FROM")[0].split(", ")
        rows = self.rows.get(name, ())
        first = {"chunk_index": 0, "data_array": [list(row) for row in rows[:1]]}
        more = {"next_chunk_index": 1} if len(rows) > 1 else {}
        manifest = {"schema": {"columns": [{"name": member} for member in members]}}
        return {
            "statement_id": identity,
            "status": {"state": "SUCCEEDED"},
            "manifest": manifest,
            "result": {**first, **more},
        }


def serving(unity: Unity) -> AbstractContextManager[str]:
    """Serve *unity* on loopback and give its URL."""
    return on_loopback(answering(lambda request: unity.answer(request.method, request.path, request.body)))

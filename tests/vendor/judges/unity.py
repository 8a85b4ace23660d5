"""Judge requests to Databricks, and answers, by its SDK: the same call of the SDK sends the same request.

Standard input has the exchanges; standard output gets the problems.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from databricks.sdk._base_client import _BaseClient
from databricks.sdk.service import catalog, sql

Json = Any
_LISTS = {"catalogs": catalog.CatalogsAPI, "schemas": catalog.SchemasAPI, "tables": catalog.TablesAPI}
_UNDOCUMENTED = {"table-lineage", "column-lineage"}
"""The lineage API of tables, which the SDK does not have."""


class Recorder:
    """In place of the SDK's connection: keeps the first request, and answers nothing."""

    def __init__(self) -> None:
        self._cfg = SimpleNamespace(workspace_id=None)
        self.sent: Json = None

    def do(self, method: str, path: str, query: Json = None, body: Json = None, **_: Json) -> Json:
        """Keep a request."""
        flat = _BaseClient._fix_query_string(query or {})
        self.sent = self.sent or [method, path, {name: str(value) for name, value in flat.items()}, body or None]
        return {}


def problems(exchange: Json) -> Iterator[str]:
    """Yield how a request differs from the SDK's, and what the SDK does not know in the answer."""
    parts = urlsplit(exchange["url"])
    path = unquote(parts.path)
    query, body = dict(parse_qsl(parts.query, keep_blank_values=True)), exchange["body"] or None
    ours, recorder = [exchange["method"], path, query, body], Recorder()
    steps = path.strip("/").split("/")
    if steps[-1] in _UNDOCUMENTED:
        return
    try:
        answer = call(recorder, exchange["method"], steps, query, body or {})
    except Exception as error:
        yield f"{exchange['method']} {path} {body}: {error!r}"
        return
    if recorder.sent != ours:
        yield f"ours: {ours}, the SDK's: {recorder.sent}"
    if answer and exchange["status"] == 200 and exchange["answer"]:
        known = answer.from_dict(exchange["answer"]).as_dict()
        yield from (f"answer of {path}: {lost}" for lost in lost_members(exchange["answer"], known, "$"))


def call(recorder: Recorder, method: str, steps: list[str], query: Json, body: Json) -> Any:
    """Make the request with the SDK, and return the class of its answer; raises for a request that it does not have."""
    match method, steps[1:]:
        case _, ["2.0", "lineage-tracking", "external-metadata", *name]:
            api, given = catalog.ExternalMetadataAPI(recorder), lambda: catalog.ExternalMetadata.from_dict(body)
            calls: dict[str, Callable[[], Any]] = {
                "POST": lambda: api.create_external_metadata(given()),
                "PATCH": lambda: api.update_external_metadata(name[0], given(), query["update_mask"]),
                "GET": lambda: api.get_external_metadata(name[0]),
                "DELETE": lambda: api.delete_external_metadata(name[0]),
            }
            calls[method]()
            return catalog.ExternalMetadata
        case _, ["2.0", "lineage-tracking", "external-lineage"]:
            return external_lineage(catalog.ExternalLineageAPI(recorder), method, query, body)
        case "GET", ["2.1", "unity-catalog", what]:
            numbers = {name: int(query[name]) for name in ("max_results",) if name in query}
            flags = {name: value == "true" for name, value in query.items() if value in ("true", "false")}
            list(_LISTS[what](recorder).list(**{**query, **numbers, **flags}))
            return getattr(catalog, f"List{what.capitalize()}Response")
        case "POST", ["2.0", "sql", "statements"]:
            asked = {**body, **{name: getattr(sql, kind)(body[name]) for name, kind in ENUMS.items() if name in body}}
            sql.StatementExecutionAPI(recorder).execute_statement(**asked)
            return sql.StatementResponse
        case "GET", ["2.0", "sql", "statements", statement]:
            sql.StatementExecutionAPI(recorder).get_statement(statement)
            return sql.StatementResponse
        case "GET", ["2.0", "sql", "statements", statement, "result", "chunks", index]:
            sql.StatementExecutionAPI(recorder).get_statement_result_chunk_n(statement, int(index))
            return sql.ResultData
    raise ValueError("no such request")


ENUMS = {
    "disposition": "Disposition",
    "format": "Format",
    "on_wait_timeout": "ExecuteStatementRequestOnWaitTimeout",
}


def external_lineage(api: Any, method: str, query: Json, body: Json) -> Any:
    """Make a request about relationships."""
    match method:
        case "POST":
            api.create_external_lineage_relationship(catalog.CreateRequestExternalLineage.from_dict(body))
        case "PATCH":
            given = catalog.UpdateRequestExternalLineage.from_dict(body)
            api.update_external_lineage_relationship(given, query["update_mask"])
        case "DELETE":
            ends = nested(query)["external_lineage_relationship"]
            api.delete_external_lineage_relationship(catalog.DeleteRequestExternalLineage.from_dict(ends))
            return None
        case "GET":
            asked = nested(query)
            page = {"page_size": int(asked["page_size"]), "page_token": asked.get("page_token")}
            thing = catalog.ExternalLineageObject.from_dict(asked["object_info"])
            direction = catalog.LineageDirection(asked["lineage_direction"])
            list(api.list_external_lineage_relationships(thing, direction, **page))
            return catalog.ListExternalLineageRelationshipsResponse
    return catalog.ExternalLineageRelationship


def nested(query: Json) -> Json:
    """Return parameters such as `a.b` as members in each other."""
    result: Json = {}
    for name, value in query.items():
        at = result
        *above, last = name.split(".")
        for step in above:
            at = at.setdefault(step, {})
        at[last] = value
    return result


def lost_members(given: Json, kept: Json, path: str) -> Iterator[str]:
    """Yield the places where what was given is not what the SDK kept."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            if value not in (None, [], {}):
                yield from lost_members(value, kept.get(name), f"{path}.{name}")
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for number, (one, other) in enumerate(zip(given, kept, strict=True)):
            yield from lost_members(one, other, f"{path}[{number}]")
    elif given != kept:
        yield f"{path} was {str(given)[:100]}, and is {str(kept)[:100]}"


print(json.dumps(sorted({problem for exchange in json.load(sys.stdin) for problem in problems(exchange)})))

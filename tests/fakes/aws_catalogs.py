"""Fakes of AWS Glue's Data Catalog and of DataZone, checked against the model of boto3, input and output.

What Glue answers is compared with moto's by `tests/lab/test_lab_glue.py`; moto cuts no pages.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Given = dict[str, Any]
AT = datetime(2026, 1, 1, tzinfo=UTC)
ACCOUNT = "123456789012"


@dataclass(kw_only=True)
class Catalog:
    """Glue's catalog: *tables* by database. *denied* are operations, or databases, that this user may not read."""

    tables: Mapping[str, tuple[Given, ...]] = field(default_factory=dict)
    page: int = 100
    denied: frozenset[str] = frozenset()
    log: list[tuple[str, Given]] = field(default_factory=list)

    def __call__(self, operation: str, given: Given) -> Given | None:
        """Return the output of an operation; None: there is no such entity."""
        if operation == "GetDatabases":
            about = {"CreateTime": AT, "CatalogId": ACCOUNT}
            return self.window("DatabaseList", [{"Name": name, **about} for name in self.tables], given)
        if given["DatabaseName"] not in self.tables:
            return None
        tables = self.tables[given["DatabaseName"]]
        about = {"DatabaseName": given["DatabaseName"], "CatalogId": ACCOUNT, "CreateTime": AT, "VersionId": "1"}
        return self.window("TableList", [{**about, **table} for table in tables], given)

    def window(self, member: str, entries: list[Given], given: Given) -> Given:
        """Cut a page out; the token reports where the next one begins."""
        start = int(given.get("NextToken", 0))
        end = start + min(given["MaxResults"], self.page)
        return {member: entries[start:end], **({"NextToken": str(end)} if end < len(entries) else {})}


@dataclass(kw_only=True)
class DataZone:
    """A domain: *assets* as GetAsset gives them, *nodes* of lineage by id with their neighbours."""

    assets: tuple[Given, ...] = ()
    nodes: tuple[Given, ...] = ()
    page: int = 50
    denied: frozenset[str] = frozenset()
    log: list[tuple[str, Given]] = field(default_factory=list)

    def __call__(self, operation: str, given: Given) -> Given | None:
        """Return the output of an operation; None: there is no such entity."""
        match operation:
            case "Search":
                start = int(given.get("nextToken", 0))
                end = start + min(given["maxResults"], self.page)
                items = [{"assetItem": self.item(asset)} for asset in self.assets[start:end]]
                return {"items": items, **({"nextToken": str(end)} if end < len(self.assets) else {})}
            case "GetAsset":
                return next((asset for asset in self.assets if asset["id"] == given["identifier"]), None)
            case _:
                wanted = given["identifier"]
                return next((node for node in self.nodes if wanted in (node["id"], node["sourceIdentifier"])), None)

    def item(self, item: Given) -> Given:
        """Write an entry of Search."""
        members = {"externalIdentifier", "description", "owningProjectId"}
        reported = {name: value for name, value in item.items() if name in members}
        names = {"domainId": "dzd_1", "identifier": item["id"], "name": item["name"]}
        return {**names, "typeIdentifier": item["typeIdentifier"], "typeRevision": "1", **reported}


def asset(identity: str, name: str, content: object = None, **more: Any) -> Given:
    """Write an asset; *content* is that of its form."""
    form = {"formName": "GlueTableForm", "typeName": "GlueTableFormType", "content": json.dumps(content)}
    members = {"domainId": "dzd_1", "owningProjectId": "prj1", "revision": "1", "typeRevision": "1"}
    kind = {"typeIdentifier": "amazon.datazone.GlueTableAssetType", "createdAt": AT}
    return {"id": identity, "name": name, **members, **kind, "formsOutput": [form] if content else [], **more}


def node(identity: str, kind: str, source: str, up: tuple[str, ...] = (), down: tuple[str, ...] = ()) -> Given:
    """Write a node of lineage with the ids of its neighbours."""
    beside = {"upstreamNodes": [{"id": text} for text in up], "downstreamNodes": [{"id": text} for text in down]}
    names = {"domainId": "dzd_1", "id": identity, "typeName": f"amazon.datazone.{kind}", "sourceIdentifier": source}
    return {**names, **beside}


class Stubbed:
    """A boto3 client of *service* whose every call is checked against boto3's model, input and output."""

    def __init__(self, service: str, server: Any) -> None:
        import boto3
        from botocore.stub import Stubber

        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
        self._client = boto3.Session(region_name="eu-central-1").client(service, **keys)
        self._stubber, self._server, self._lock = Stubber(self._client), server, threading.Lock()

    def __getattr__(self, method: str) -> Callable[..., Given]:
        """Return a method of the client."""
        operation = "".join(word.title() for word in method.split("_"))

        def call(**given: Any) -> Given:
            with self._lock, self._stubber:
                self._server.log.append((operation, given))
                if self._server.denied & {operation, given.get("DatabaseName"), given.get("identifier")}:
                    self._stubber.add_client_error(method, "AccessDeniedException", "not authorized", 400)
                elif (server := self._server(operation, given)) is None:
                    code = "EntityNotFoundException" if "DatabaseName" in given else "ResourceNotFoundException"
                    self._stubber.add_client_error(method, code, "no such entity", 400)
                else:
                    self._stubber.add_response(method, server, given)
                return getattr(self._client, method)(**given)

        return call

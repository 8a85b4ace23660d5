"""Fakes of Glue and DataZone that are written into: every request and answer is checked against boto3's model."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aws_catalogs import Stubbed

from scanner_api.push.aws import aws_exchange
from scanner_extractor.http.messages import Request, Transport
from scanner_extractor.settings.push import PushSettings
from scanner_model.names import SourceId

Json = Any


@dataclass(kw_only=True)
class _AwsServer:
    """A service of AWS behind boto3's client; *refused* are parts of requests."""

    settings: PushSettings
    refused: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    log: list[tuple[str, Json]] = field(default_factory=list)
    exchange: Transport | None = None

    def answer(self, method: str, url: str, body: str) -> tuple[int, Json]:
        """Answer a request that names the operation."""
        if "Get" not in url and any(part in body for part in self.refused):
            return 400, {"message": "ValidationException: refused"}
        self.exchange = self.exchange or aws_exchange(self.settings, lambda: Stubbed(self.settings.target, self))
        answer = self.exchange(Request(source=SourceId("push"), method=method, url=url, body=body))
        return answer.status, json.loads(answer.body)


@dataclass(kw_only=True)
class GlueTables(_AwsServer):
    """Glue: *tables* by database and name, with versions; UpdateTable replaces a table of the version that it names."""

    tables: dict[str, Json] = field(default_factory=dict)

    def __call__(self, operation: str, given: Json) -> Json | None:
        """Return the output of an operation; None: there is no such table."""
        assert operation in ("GetTable", "UpdateTable"), operation
        name = given["Name"] if operation == "GetTable" else given["TableInput"]["Name"]
        key = f"{given['DatabaseName']}/{name}"
        if key not in self.tables:
            return None
        if operation == "UpdateTable":
            stored = self.tables[key]
            assert given["VersionId"] == stored["VersionId"]
            kept = {member: stored[member] for member in ("DatabaseName", "CatalogId", "CreateTime")}
            self.tables[key] = {**kept, **given["TableInput"], "VersionId": str(int(stored["VersionId"]) + 1)}
            return {}
        return {"Table": self.tables[key]}

    def state(self) -> Json:
        """Return all that is stored, without versions."""
        rows = {name: {**table, "VersionId": ""} for name, table in self.tables.items()}
        return json.loads(json.dumps(rows, sort_keys=True, default=str))


@dataclass(kw_only=True)
class DataZoneEvents(_AwsServer):
    """DataZone: the *events* that it was sent by their ids, the newest of each job counts."""

    events: dict[str, Json] = field(default_factory=dict)
    count: int = 0

    def __call__(self, operation: str, given: Json) -> Json:
        """Return the output of an operation."""
        if operation == "DeleteLineageEvent":
            del self.events[given["identifier"]]
            return {"id": given["identifier"], "domainId": given["domainIdentifier"], "processingStatus": "PROCESSING"}
        assert operation == "PostLineageEvent", operation
        event = json.loads(given["event"])
        assert len(given["event"].encode()) <= 300_000
        assert event["eventType"] == "COMPLETE"
        assert event.keys() >= {"eventTime", "run", "job", "producer", "schemaURL"}
        self.count += 1
        self.events[f"event{self.count}"] = event
        return {"id": f"event{self.count}", "domainId": given["domainIdentifier"]}

    def state(self) -> Json:
        """Return the newest event of each job."""
        return {event["job"]["name"]: event for event in self.events.values()}

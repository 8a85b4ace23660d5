"""A fake of AWS Glue's Schema Registry: the inputs and outputs of its operations, in the forms of boto3's model.

Its single answers are compared with those of moto by `tests/lab/test_lab_glue.py`; moto has no lists of schemas.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ARN = "arn:aws:glue:eu-central-1:123456789012:schema"


@dataclass(frozen=True, kw_only=True)
class Filed:
    """One version of a schema."""

    name: str
    text: str
    id: str
    version: int = 1
    registry: str = "default-registry"
    format: str = "AVRO"
    status: str = "AVAILABLE"
    description: str = ""

    @property
    def arn(self) -> str:
        """Name its schema as AWS does."""
        return f"{ARN}/{self.registry}/{self.name}"


@dataclass(kw_only=True)
class Glue:
    """What Glue knows; *denied* are operations that this user may not call. *log* are the operations called."""

    filed: tuple[Filed, ...] = ()
    page: int = 100
    tags: dict[str, str] = field(default_factory=dict)
    denied: frozenset[str] = frozenset()
    log: list[str] = field(default_factory=list)

    def __call__(self, operation: str, given: dict[str, Any]) -> dict[str, Any] | None:
        """Return the output of an operation; None: there is no such entity."""
        self.log.append(operation)
        match operation:
            case "ListSchemas":
                registry = given.get("RegistryId", {}).get("RegistryName", "")
                chosen = [item for item in self.filed if registry in ("", item.registry)]
                entries = {item.arn: self.schema(item) for item in chosen}
                return self.window(list(entries.values()), given) if entries or not registry else None
            case "ListSchemaVersions":
                return self.window([self.version(item) for item in self.of(given)], given)
            case "GetSchemaVersion":
                fileds = [item for item in self.filed if item.id == given["SchemaVersionId"]]
                more = {"SchemaDefinition": fileds[0].text, "DataFormat": fileds[0].format} if fileds else {}
                return {**self.version(fileds[0]), **more} if fileds else None
            case "GetSchema":
                versions = self.of(given)
                return self.details(versions) if versions else None
            case _:
                return {"Tags": self.tags}

    def of(self, given: dict[str, Any]) -> list[Filed]:
        """List the versions of the schema asked for, the newest first."""
        return [item for item in reversed(self.filed) if item.arn == given["SchemaId"]["SchemaArn"]]

    def window(self, entries: list[dict[str, Any]], given: dict[str, Any]) -> dict[str, Any]:
        """Cut a page out; the token reports where the next one begins."""
        start = int(given.get("NextToken", 0))
        end = start + min(given["MaxResults"], self.page)
        more = {"NextToken": str(end)} if end < len(entries) else {}
        return {"Schemas": entries[start:end], **more}

    def schema(self, item: Filed) -> dict[str, Any]:
        """Write an entry of ListSchemas."""
        members = {
            "RegistryName": item.registry,
            "SchemaName": item.name,
            "SchemaArn": item.arn,
            "SchemaStatus": "AVAILABLE",
        }
        return {**members, **({"Description": item.description} if item.description else {})}

    def details(self, versions: list[Filed]) -> dict[str, Any]:
        """Write what GetSchema tells of a schema; *versions* are its own, the newest first."""
        newest = versions[0]
        numbers = {"LatestSchemaVersion": newest.version, "NextSchemaVersion": newest.version + 1}
        registry = {"RegistryArn": f"{ARN.removesuffix('schema')}registry/{newest.registry}", "SchemaCheckpoint": 1}
        about = {"DataFormat": newest.format, "Compatibility": "BACKWARD"}
        return {**self.schema(newest), **registry, **numbers, **about}

    def version(self, item: Filed) -> dict[str, Any]:
        """Write an entry of ListSchemaVersions."""
        names = {"SchemaArn": item.arn, "SchemaVersionId": item.id, "VersionNumber": item.version}
        return {**names, "Status": item.status, "CreatedTime": "2026-01-01 00:00:00.000"}


class Stubbed:
    """A boto3 client of Glue whose every call is checked against boto3's model, input and output."""

    def __init__(self, glue: Glue) -> None:
        import boto3
        from botocore.stub import Stubber

        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
        self._client = boto3.Session(region_name="eu-central-1").client("glue", **keys)
        self._stubber, self._glue, self._lock = Stubber(self._client), glue, threading.Lock()

    def __getattr__(self, method: str) -> Callable[..., dict[str, Any]]:
        """Return a method of the client."""
        operation = "".join(word.title() for word in method.split("_"))

        def call(**given: Any) -> dict[str, Any]:
            with self._lock, self._stubber:
                output = None if operation in self._glue.denied else self._glue(operation, given)
                if operation in self._glue.denied:
                    self._stubber.add_client_error(method, "AccessDeniedException", "not authorized", 400)
                elif output is None:
                    self._stubber.add_client_error(method, "EntityNotFoundException", "no such entity", 400)
                else:
                    self._stubber.add_response(method, output, given)
                return getattr(self._client, method)(**given)

        return call

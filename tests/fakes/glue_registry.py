"""A fake of AWS Glue's Schema Registry: the inputs and outputs of its operations, in the forms of boto3's model."""

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
                chosen = [one for one in self.filed if registry in ("", one.registry)]
                entries = {one.arn: self.schema(one) for one in chosen}
                return self.window(list(entries.values()), given) if entries or not registry else None
            case "ListSchemaVersions":
                return self.window([self.version(one) for one in self.of(given)], given)
            case "GetSchemaVersion":
                found = [one for one in self.filed if one.id == given["SchemaVersionId"]]
                more = {"SchemaDefinition": found[0].text, "DataFormat": found[0].format} if found else {}
                return {**self.version(found[0]), **more} if found else None
            case "GetSchema":
                return {"SchemaArn": given["SchemaId"]["SchemaArn"], "Compatibility": "BACKWARD"}
            case _:
                return {"Tags": self.tags}

    def of(self, given: dict[str, Any]) -> list[Filed]:
        """List the versions of the schema asked for, the newest first."""
        return [one for one in reversed(self.filed) if one.arn == given["SchemaId"]["SchemaArn"]]

    def window(self, entries: list[dict[str, Any]], given: dict[str, Any]) -> dict[str, Any]:
        """Cut a page out; the token tells where the next one begins."""
        start = int(given.get("NextToken", 0))
        end = start + min(given["MaxResults"], self.page)
        more = {"NextToken": str(end)} if end < len(entries) else {}
        return {"Schemas": entries[start:end], **more}

    def schema(self, one: Filed) -> dict[str, Any]:
        """Write an entry of ListSchemas."""
        told = {"RegistryName": one.registry, "SchemaName": one.name, "SchemaArn": one.arn, "SchemaStatus": "AVAILABLE"}
        return {**told, **({"Description": one.description} if one.description else {})}

    def version(self, one: Filed) -> dict[str, Any]:
        """Write an entry of ListSchemaVersions."""
        return {"SchemaArn": one.arn, "SchemaVersionId": one.id, "VersionNumber": one.version, "Status": one.status}


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
                said = None if operation in self._glue.denied else self._glue(operation, given)
                if operation in self._glue.denied:
                    self._stubber.add_client_error(method, "AccessDeniedException", "not authorized", 400)
                elif said is None:
                    self._stubber.add_client_error(method, "EntityNotFoundException", "no such entity", 400)
                else:
                    self._stubber.add_response(method, said, given)
                return getattr(self._client, method)(**given)

        return call

"""Read members of a catalog's JSON: texts, lists, times, locations, parameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

from scanner_extractor.http.messages import Json
from scanner_extractor.registries.result import canonical, items, member, text
from scanner_model.errors import PayloadUnexpected
from scanner_model.redaction import mask_config, mask_text

__all__ = [
    "instant",
    "items",
    "listed",
    "location_name",
    "mask_location",
    "member",
    "moment",
    "objects",
    "parameters",
    "plain",
    "server_namespace",
    "text",
]

_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"}
_CONTAINER = re.compile(r"(?i:abfss?|wasbs?)://[^/:@?#\s]+@")
_KEYED = frozenset({"s3", "gs", "abfss", "wasbs"})
_ROOTED = frozenset({"hdfs", "dbfs"})


def objects(payload: Json, name: str) -> list[dict[str, Json]]:
    """Return the objects of a member that is a list; none where it is none."""
    return [item for item in items(payload, name) if isinstance(item, dict)]


def listed(payload: Json, name: str, *, page: bool = True) -> list[dict[str, Json]]:
    """Get the objects of a page of a list, whose member may be absent where it is empty; raises PayloadUnexpected."""
    value = member(payload, name)
    if not isinstance(payload, dict) or not isinstance(value, list | None) or (value is None and not page):
        raise PayloadUnexpected(f"the response is not a list of {name}", hint="check the address of this source")
    return objects(payload, name)


def plain(value: Json) -> str:
    """Write a value as text: text as it is, anything else as JSON, nothing as nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return canonical(value)


def instant(millis: Json) -> str:
    """Return epoch milliseconds, a number or its text, as ISO 8601 in UTC; empty for anything else."""
    try:
        return _utc(datetime.fromtimestamp(int(millis) / 1000, UTC))
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def moment(text: Json) -> str:
    """Return a date and time, as boto3's are written as text, as ISO 8601 in UTC; empty for anything else."""
    try:
        value = datetime.fromisoformat(text)
        return _utc(value if value.tzinfo else value.replace(tzinfo=UTC))
    except (TypeError, ValueError, OverflowError):
        return ""


def parameters(members: Mapping[str, Json], read: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return members as sorted pairs of text, without *read* and empty ones; secrets are masked.

    By name and by what they are, as those of a connector's configuration; also inside of what is nested.
    """
    values = {
        name: plain(value) for name, value in members.items() if name not in read and value not in (None, "", [], {})
    }
    return tuple(sorted((name, plain(value)) for name, value in mask_config(values).items()))


def mask_location(location: str) -> str:
    """Return a location without what is secret in it; what stands before `@` in Azure's stores is a container."""
    container = _CONTAINER.match(location)
    return container[0] + mask_text(location[container.end() :]) if container else mask_text(location)


def location_name(location: str) -> tuple[str, str] | None:
    """Name the place of files as OpenLineage does; None for what is no address of files.

    Keys of object stores have no leading slash, other paths have one; none ends in one. Source: OpenLineage, naming.
    """
    scheme, mark, rest = mask_location(location).partition("://")
    scheme = _SCHEMES.get(scheme.lower(), scheme.lower())
    if not mark or scheme not in _KEYED | _ROOTED:
        return None
    authority, _, path = rest.partition("/")
    key = path.strip("/")
    return f"{scheme}://{authority}", (key if scheme in _KEYED and key else f"/{key}")


def server_namespace(scheme: str, address: str, port: int) -> str:
    """Return the OpenLineage namespace of a server at `host`, `host:port` or a URL; *port* is its usual one."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    host = parts.hostname or "localhost"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{parts.port or port}"


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

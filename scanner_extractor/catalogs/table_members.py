"""Members that tables of all catalogs have: times, parameters, locations, namespaces of servers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC
from urllib.parse import urlsplit

from scanner_model.payload import Json, Payload, canonical
from scanner_model.redaction import mask_config, mask_text

_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"}
_CONTAINER = re.compile(r"(?i:abfss?|wasbs?)://[^/:@?#\s]+@")
_KEYED = frozenset({"s3", "gs", "abfss", "wasbs"})
_ROOTED = frozenset({"hdfs", "dbfs"})


def moment(entry: Payload, *names: str) -> str:
    """Return a time of an entry as ISO 8601 in UTC, see `Payload.time`; empty where there is none."""
    time = entry.time(*names)
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if time else ""


def parameters(members: Mapping[str, Json], read: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return members as sorted pairs of text, without *read* and empty ones; secrets are masked.

    By name and by what they are, as those of a connector's configuration; also inside of what is nested.
    """
    values = {
        name: _plain(value) for name, value in members.items() if name not in read and value not in (None, "", [], {})
    }
    return tuple(sorted((name, _plain(value)) for name, value in mask_config(values).items()))


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


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else canonical(value)

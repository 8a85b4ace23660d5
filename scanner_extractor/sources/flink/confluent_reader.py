"""Parse Flink statements and materialised tables of Confluent Cloud and Confluent Platform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scanner_extractor.http.messages import Json
from scanner_extractor.settings.flink import FlinkSettings
from scanner_model.errors import PayloadUnexpected
from scanner_model.flink import FlinkStatement
from scanner_model.names import TopicName
from scanner_model.redaction import mask_statement, mask_text

MATERIALIZED_TABLE = "MATERIALIZED_TABLE"
"""The kind of a materialised table, which is listed apart from the statements."""

_CATALOG, _DATABASE = "sql.current-catalog", "sql.current-database"
_HIDDEN = "user.confluent.io/hidden"


def read_page(payload: Json) -> tuple[list[dict[str, Any]], str]:
    """Read a page of a list: its items, and the token of the next page or empty; raises PayloadUnexpected."""
    match payload:
        case {"data": list(items)}:
            return _objects(items), _token(_text(_object(payload, "metadata"), "next"))
        case _:
            raise PayloadUnexpected("the response is not a list of Confluent Cloud's", hint="check the `url`")


def read_items(payload: Json) -> list[dict[str, Any]]:
    """Read a page of Confluent Manager for Apache Flink; raises PayloadUnexpected."""
    match payload:
        case {"items": list(items)}:
            return _objects(items)
        case {"items": None} | {"pageable": dict()}:
            return []
        case _:
            raise PayloadUnexpected("the response is not a list of statements", hint="check the `url`")


def statement_name(payload: Mapping[str, Json]) -> str:
    """Return the name of a statement, empty where it has none; the Platform has it in `metadata`."""
    return _text(payload, "name") or _text(_object(payload, "metadata"), "name")


def table_name(payload: Mapping[str, Json]) -> str:
    """Return cluster and name of a materialised table: no statement's name has a slash, and clusters share names."""
    name, cluster = _text(payload, "name"), _text(_object(payload, "spec"), "kafka_cluster_id")
    return "/".join(filter(None, (cluster, name))) if name else ""


def read_statement(payload: Mapping[str, Json], settings: FlinkSettings) -> FlinkStatement:
    """Read a statement, secrets hidden, phase and kind as received; raises PayloadUnexpected without name or text.

    *topics_read* are the keys of `latest_offsets`; without any, the engine has not reported them.
    """
    spec, status, metadata = (_object(payload, member) for member in ("spec", "status", "metadata"))
    properties, traits = _object(spec, "properties"), _object(status, "traits")
    return FlinkStatement(
        source=settings.source,
        name=_named(statement_name(payload)),
        statement=mask_statement(_sql(_text(spec, "statement"), statement_name(payload))),
        kind=_text(traits, "sql_kind", "sqlKind"),
        state=_text(status, "phase"),
        detail=mask_text(_text(status, "detail")),
        catalog_name=_text(properties, _CATALOG),
        database_name=_text(properties, _DATABASE),
        compute_pool=_pool(spec),
        region=settings.region,
        principal=_text(spec, "principal"),
        uid=_text(metadata, "uid"),
        created=_text(metadata, "created_at", "creationTimestamp"),
        hidden=_text(_object(metadata, "labels"), _HIDDEN) == "true",
        topics_read=_topics(status),
    )


def read_table(payload: Mapping[str, Json], settings: FlinkSettings) -> FlinkStatement:
    """Read a materialised table as the statement that made it; raises PayloadUnexpected without name or query.

    Unqualified names in it resolve through its session's options, else through its own environment and cluster.
    """
    spec, status, metadata = (_object(payload, member) for member in ("spec", "status", "metadata"))
    options = _object(spec, "session_options")
    return FlinkStatement(
        source=settings.source,
        name=_named(table_name(payload)),
        statement=mask_statement(_sql(_creation(payload, spec, status), table_name(payload))),
        kind=MATERIALIZED_TABLE,
        state=_text(status, "phase"),
        detail=mask_text(_text(status, "detail")),
        catalog_name=_text(options, _CATALOG) or _text(payload, "environment_id") or settings.environment,
        database_name=_text(options, _DATABASE) or _text(spec, "kafka_cluster_id"),
        compute_pool=_pool(spec),
        region=settings.region,
        principal=_text(spec, "principal"),
        uid=_text(metadata, "uid"),
        created=_text(metadata, "created_at"),
        topics_read=_topics(status),
    )


def _creation(payload: Mapping[str, Json], spec: Mapping[str, Json], status: Mapping[str, Json]) -> str:
    query, name = _text(spec, "query"), _text(payload, "name").replace("`", "``")
    built = f"CREATE MATERIALIZED TABLE `{name}` AS {query}" if query else ""
    return _text(status, "creation_statement") or built


def _token(following: str) -> str:
    """Return the token in the URL of the next page; its host is ignored."""
    try:
        query = urlsplit(following.encode("ascii").decode("ascii")).query
    except ValueError:
        raise PayloadUnexpected("the address of the next page is none", hint="report it to its operator") from None
    return next(iter(parse_qs(query).get("page_token", ())), "")


def _pool(spec: Mapping[str, Json]) -> str:
    """Return the compute pool; older answers have an object, the Platform a name."""
    name = _text(spec, "compute_pool_id", "computePoolName", "compute_pool")
    return name or _text(_object(spec, "compute_pool"), "id")


def _topics(status: Mapping[str, Json]) -> tuple[TopicName, ...] | None:
    offsets = _object(status, "latest_offsets")
    return tuple(map(TopicName, sorted(offsets))) if offsets else None


def _named(name: str) -> str:
    if not name:
        raise PayloadUnexpected("it has no name")
    return name


def _sql(text: str, name: str) -> str:
    if not text:
        raise PayloadUnexpected(f"{name!r} has no text")
    return text


def _object(value: Mapping[str, Json], member: str) -> Mapping[str, Json]:
    inner = value.get(member)
    return inner if isinstance(inner, dict) else {}


def _objects(items: list[Json]) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)]


def _text(value: Mapping[str, Json], *members: str) -> str:
    """Return the first of *members* that has a text; a boolean is written as JSON."""
    values = (value.get(member) for member in members)
    texts = (str(item).lower() if isinstance(item, bool) else item for item in values)
    return next((item for item in texts if isinstance(item, str) and item), "")

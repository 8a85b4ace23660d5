"""Data contracts in the Open Data Contract Standard 3.2.0 (Bitol): one contract a topic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from scanner_api.documents.estate import (
    ColumnSource,
    DescribedCluster,
    DescribedSchema,
    DescribedTopic,
    TopicFlows,
    inherited_members,
    members_of,
)
from scanner_model.columns import KEY, ColumnPath, expression_of
from scanner_model.contracts import API_VERSION, KIND, custom, properties_of
from scanner_model.names import Role
from scanner_model.schemas import qualified_subject

Json = dict[str, Any]

_SERVER_FORMATS = frozenset(("avro", "json", "protobuf", "xml"))
_HAS_REST_API = frozenset(("confluent", "apicurio"))
"""Types of registries at whose address Confluent's REST API answers."""


def contract(cluster: DescribedCluster, topic: DescribedTopic) -> Json:
    """Return the contract of *topic*, whose id is stable; what the standard has no member for is a custom property."""
    row, main = topic.row, main_schema(topic.schemas)
    flows = topic.flows
    document = {
        "kind": KIND,
        "apiVersion": API_VERSION,
        "id": f"urn:kafka:{cluster.row.name}:{row.name}",
        "name": row.name,
        "version": f"{(main and main.schema.version) or 0}.0.0",
        "status": "active",
        "description": {"purpose": row.description} if row.description else None,
        "tags": list(row.tags),
        "servers": _servers(cluster, main),
        "team": {"name": row.owner, "members": [{"username": row.owner, "role": "owner"}]} if row.owner else None,
        "schema": list(_schemas(topic, main)) or _derived(topic),
        "slaProperties": _retention(topic),
        "customProperties": custom(
            cluster=cluster.row.name,
            kafkaClusterId=cluster.row.kafka_cluster_id,
            source=row.source,
            stale=row.stale or None,
            internal=row.internal or None,
            partitions=row.partitions,
            replication=row.replication,
            topicConfiguration=dict(row.config) or None,
            writers=None if flows is None else members_of(flows.writers),
            readers=None if flows is None else members_of(flows.readers),
        ),
    }
    return {name: value for name, value in document.items() if value not in (None, [])}


def main_schema(schemas: Sequence[DescribedSchema]) -> DescribedSchema | None:
    """Return the schema that a topic is named after among its values; None where it has no value's schema."""
    values = [each for each in schemas if each.schema.role == Role.VALUE]
    named = [each for each in values if each.schema.strategy == "topic"]
    named = named or [each for each in values if each.schema.subject == f"{each.schema.topic}-value"]
    return next(iter(named or values), None)


def _servers(cluster: DescribedCluster, main: DescribedSchema | None) -> list[Json]:
    if not cluster.row.brokers:
        return []
    name = re.sub(r"[^A-Za-z0-9_-]", "-", cluster.row.name)
    server = {"server": name, "type": "kafka", "host": ",".join(cluster.row.brokers)}
    written = main.schema.format.lower() if main else ""
    return [server | ({"format": written} if written in _SERVER_FORMATS else {})]


def _retention(topic: DescribedTopic) -> list[Json]:
    milliseconds = topic.row.retention_ms
    return [] if milliseconds is None else [{"property": "retention", "value": milliseconds, "unit": "ms"}]


def _schemas(topic: DescribedTopic, main: DescribedSchema | None) -> Iterator[Json]:
    """Yield the schemas: that of the values has the topic's name, the first one of keys `-key` behind it."""
    key = next((each for each in topic.schemas if each.schema.role == Role.KEY), None)
    for each in topic.schemas:
        own = qualified_subject(each.schema.context, each.schema.subject) or each.schema.name or each.schema.format
        name = topic.row.name if each is main else f"{topic.row.name}-key" if each is key else own
        yield _schema(topic, each, name)


def _schema(topic: DescribedTopic, described: DescribedSchema, name: str) -> Json:
    schema, subject = described
    full_name = qualified_subject(schema.context, schema.subject)
    prefix = (KEY,) if schema.role == Role.KEY else ()
    known = {
        "name": name,
        "physicalName": topic.row.name,
        "physicalType": "topic",
        "logicalType": "object",
        "tags": list(schema.record_tags),
        "authoritativeDefinitions": _definitions(described),
        "customProperties": custom(
            role=schema.role,
            format=schema.format,
            record=schema.name,
            subject=full_name,
            version=schema.version,
            schemaId=schema.schema_id,
            registry=schema.registry,
            compatibility=subject.level if subject else "",
            strategy=schema.strategy,
            confidence=schema.confidence,
            evidence=schema.evidence,
            stale=schema.stale or None,
        ),
        "properties": properties_of(schema.columns, lambda path: _lineage(topic.flows, (*prefix, *path))),
    }
    return {member: value for member, value in known.items() if value != []}


def _definitions(described: DescribedSchema) -> list[Json]:
    schema, subject = described
    if subject is None or subject.kind not in _HAS_REST_API or not subject.registry.startswith("http"):
        return []
    path = f"subjects/{quote(subject.full_name, safe='')}/versions/{schema.version}"
    return [{"url": f"{subject.registry.rstrip('/')}/{path}", "type": "implementation"}]


def _derived(topic: DescribedTopic) -> list[Json]:
    """Return the columns of a topic that no schema describes, as far as flows have them."""
    columns = topic.flows.columns if topic.flows else []
    name = topic.row.name
    schema = {"name": name, "physicalName": name, "physicalType": "topic", "logicalType": "object"}
    properties = properties_of(columns, lambda path: _lineage(topic.flows, path))
    known = custom(origin="derived" if columns else "unknown")
    return [{**schema, "customProperties": known, **({"properties": properties} if properties else {})}]


def _lineage(flows: TopicFlows | None, path: ColumnPath) -> Json:
    sources = flows.sources.get(path, []) if flows else []
    direct = [source for source in sources if source.type != "INDIRECT"]
    properties = custom(
        lineage=[dict(source._asdict()) for source in sources] or None,
        tagsByLineage=inherited_members(flows.tags.get(path, ()) if flows else ()) or None,
    )
    return {**_transform(direct, path), **({"customProperties": properties} if properties else {})}


def _transform(direct: Sequence[ColumnSource], path: ColumnPath) -> Json:
    """Return where a column comes from; its logic is the expression that computes it, or how it is derived."""
    if not direct:
        return {}
    name = path[-1] if path else ""
    logic = ", ".join(dict.fromkeys(expression_of(each.evidence, name) or each.subtype for each in direct))
    return {
        "transformSourceObjects": list(dict.fromkeys(source.source for source in direct)),
        **({"transformLogic": logic} if logic else {}),
        "transformDescription": "; ".join(dict.fromkeys(source.evidence for source in direct)),
    }

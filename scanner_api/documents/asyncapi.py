"""AsyncAPI 3.1.0: one document a cluster, with its topics as channels, and jobs and groups as operations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scanner_api.documents.estate import DescribedCluster, DescribedSchema, DescribedTopic, User, inherited_members
from scanner_dictionary.queries.topic_schemas import SchemaAnswer
from scanner_model.columns import path_name
from scanner_model.contracts import properties_of
from scanner_model.documents.json_input import load_text
from scanner_model.names import Role
from scanner_model.schemas import is_list_of_columns, qualified_subject

Json = dict[str, Any]

VERSION = "3.1.0"
_BINDING = "0.5.0"
_VENDORS = frozenset(("confluent", "apicurio"))
_IMPORT = re.compile(r"^[^\S\n]*import\b", re.MULTILINE)
_NOT_IN_KEYS = re.compile(r"[^\w.\-]", re.ASCII)
_NOT_IN_OPERATIONS = re.compile(r"[^\w\-]", re.ASCII)
_JSON_TYPES = {"map": "object", "date": "string", "time": "string", "timestamp": "string", "vector": "array"}
_MEDIA: Mapping[str, tuple[str, str]] = {
    "AVRO": ("application/vnd.apache.avro", "1.9.0"),
    "JSON": ("application/json", "draft-07"),
    "PROTOBUF": ("application/vnd.google.protobuf", "3"),
}
"""Format → media type, and the version of its schema language."""
_TOPIC_SETTINGS = {"retention.ms": int, "retention.bytes": int, "delete.retention.ms": int, "max.message.bytes": int}
"""Topic settings with a member in the binding, other than `cleanup.policy`."""


def document(cluster: DescribedCluster) -> Json:
    """Return the document of *cluster*; what AsyncAPI has no member for is in members that begin with `x-`."""
    channels: Json = {}
    operations: Json = {}
    messages: Json = {}
    registries: dict[str, str] = {}
    server = _NOT_IN_KEYS.sub("-", cluster.row.name)
    has_servers = bool(cluster.row.brokers)
    for topic in cluster.topics:
        own = _added(_messages(topic), messages)
        registries |= {each.registry: each.kind for _, each in topic.schemas if each and each.kind in _VENDORS}
        channels[topic.row.name] = _channel(topic, own, server if has_servers else "")
        _added(_operations(topic), operations)
    return {
        "asyncapi": VERSION,
        "info": {"title": cluster.row.name, "version": str(cluster.row.last_scan or 0)},
        **({"servers": {server: _server(cluster, registries)}} if has_servers else {}),
        "channels": channels,
        "operations": operations,
        "components": {"messages": messages},
        **_extensions(kafka_cluster_id=cluster.row.kafka_cluster_id),
    }


def _added(listed: Iterable[tuple[str, Json]], known: Json) -> Json:
    """Return *listed* with keys that *known* does not have, and add them to that: several names may have one key."""
    added: Json = {}
    for name, value in listed:
        key = name
        while key in known:
            key += "_"
        known[key] = added[key] = value
    return added


def _server(cluster: DescribedCluster, registries: Mapping[str, str]) -> Json:
    """Return the server; how clients authenticate is not in the dictionary, so the protocol is plain `kafka`."""
    known = next(iter(sorted(registries.items())), None)
    registry = {"schemaRegistryUrl": known[0], "schemaRegistryVendor": known[1]} if known else {}
    return {
        "host": cluster.row.brokers[0],
        "protocol": "kafka",
        **({"bindings": {"kafka": {**registry, "bindingVersion": _BINDING}}} if registry else {}),
        **_extensions(brokers=list(cluster.row.brokers), registries=sorted(registries)),
    }


def _channel(topic: DescribedTopic, messages: Mapping[str, Json], server: str) -> Json:
    row = topic.row
    binding: Json = {"topic": row.name, "partitions": row.partitions, "replicas": row.replication}
    settings = dict(row.config)
    configuration: Json = {
        name: kind(settings[name]) for name, kind in _TOPIC_SETTINGS.items() if _is_number(settings.get(name))
    }
    if row.cleanup_policy:
        configuration["cleanup.policy"] = row.cleanup_policy.split(",")
    binding |= {"topicConfiguration": configuration or None, "bindingVersion": _BINDING}
    sources = topic.flows.sources if topic.flows else {}
    inherited = topic.flows.tags if topic.flows else {}
    lineage = {path_name(path): [source._asdict() for source in found] for path, found in sources.items()}
    return {
        "address": row.name,
        **({"description": row.description} if row.description else {}),
        **({"servers": [{"$ref": f"#/servers/{server}"}]} if server else {}),
        "messages": {key: {"$ref": f"#/components/messages/{key}"} for key in messages},
        **({"tags": [{"name": tag} for tag in row.tags]} if row.tags else {}),
        "bindings": {"kafka": {name: value for name, value in binding.items() if value is not None}},
        **_extensions(
            owner=row.owner,
            topic_settings={name: value for name, value in settings.items() if name not in configuration},
            lineage=lineage,
            tags_by_lineage={path_name(path): inherited_members(tags) for path, tags in inherited.items()},
        ),
    }


def _messages(topic: DescribedTopic) -> Iterator[tuple[str, Json]]:
    keys = [each.schema for each in topic.schemas if each.schema.role == Role.KEY]
    key = _json_schema(properties_of(keys[0].columns)) if keys else None
    for each in topic.schemas:
        if each.schema.role == Role.VALUE:
            schema = each.schema
            own = qualified_subject(schema.context, schema.subject) or schema.name or schema.format
            yield _NOT_IN_KEYS.sub("_", f"{topic.row.name}.{own}"), _message(topic, each, key)


def _message(topic: DescribedTopic, described: DescribedSchema, key: Json | None) -> Json:
    schema, subject = described
    payload, media = _payload(described)
    held = payload.get("schema") is not None
    tags = {column.name: list(column.tags) for column in schema.columns if column.tags}
    every = list(dict.fromkeys(tag for each in (schema.record_tags, *tags.values()) for tag in each))
    located = {"schemaIdLocation": "payload", "schemaIdPayloadEncoding": "confluent"} if subject else {}
    return {
        "name": schema.name or topic.row.name,
        **({"contentType": media} if media else {}),
        **({"tags": [{"name": tag} for tag in every]} if every else {}),
        "payload": payload,
        "bindings": {"kafka": {**({"key": key} if key else {}), **located, "bindingVersion": _BINDING}},
        **_extensions(
            subject=qualified_subject(schema.context, schema.subject),
            version=schema.version,
            schema_id=schema.schema_id,
            registry=schema.registry,
            format=schema.format,
            compatibility=subject.level if subject else "",
            evidence=schema.evidence,
            confidence=schema.confidence,
            column_tags=tags,
            schema_text="" if held or is_list_of_columns(schema.text) else schema.text,
        ),
    }


def _payload(described: DescribedSchema) -> tuple[Json, str]:
    """Return the schema of the payload and its media type.

    It is made of the columns where the text is of another format, or refers to what is not in it: a document's
    references are resolved from its own root, never from a registry.
    """
    schema = described.schema
    media, version = _MEDIA.get(schema.format, ("", ""))
    own = _own_schema(schema) if media and not is_list_of_columns(schema.text) else None
    if own is None:
        return _json_schema(properties_of(schema.columns)), media
    return {"schemaFormat": f"{media};version={version}".replace("/json;", "/schema+json;"), "schema": own}, media


def _own_schema(schema: SchemaAnswer) -> Any:  # noqa: ANN401 - any JSON
    if schema.format == "PROTOBUF":
        return None if _IMPORT.search(schema.text) else schema.text
    try:
        parsed = load_text(schema.text)
    except (ValueError, RecursionError):
        return None
    return None if schema.format == "JSON" and '"$ref"' in schema.text else parsed


def _json_schema(properties: list[Json]) -> Json:
    """Return the JSON Schema of a value with *properties*; one may be the whole value."""
    if len(properties) == 1 and any(
        each["property"] == "wholeMessage" for each in properties[0].get("customProperties", ())
    ):
        return _property_schema(properties[0])
    required = [each["name"] for each in properties if each.get("required")]
    return {
        "type": "object",
        "properties": {each["name"]: _property_schema(each) for each in properties},
        **({"required": required} if required else {}),
    }


def _property_schema(element: Json) -> Json:
    logical = element.get("logicalType", "")
    described = {"description": element["description"]} if "description" in element else {}
    if "items" in element:
        return {"type": "array", "items": _property_schema(element["items"]), **described}
    if "map" in element:
        return {"type": "object", "additionalProperties": _property_schema(element["map"]["value"]), **described}
    if "properties" in element:
        return _json_schema(element["properties"]) | described
    kind = {"type": _JSON_TYPES.get(logical, logical)} if logical else {}
    return {**kind, **described, **_extensions(type=element.get("physicalType", ""))}


def _operations(topic: DescribedTopic) -> Iterator[tuple[str, Json]]:
    if topic.flows is None:
        return
    for action, users in (("send", topic.flows.writers), ("receive", topic.flows.readers)):
        for user in users:
            yield _NOT_IN_OPERATIONS.sub("_", f"{user.name}-{action}-{topic.row.name}"), _operation(topic, action, user)


def _operation(topic: DescribedTopic, action: str, user: User) -> Json:
    group = {"groupId": {"type": "string", "enum": list(user.groups)}, "bindingVersion": _BINDING}
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{topic.row.name}"},
        "title": user.name,
        **({"bindings": {"kafka": group}} if action == "receive" and user.groups else {}),
        **_extensions(kind=user.kind, namespace=user.namespace, evidence=user.evidence, certainty=user.certainty),
    }


def _extensions(**values: object) -> Json:
    named = {f"x-{name.replace('_', '-')}": value for name, value in values.items()}
    return {name: value for name, value in named.items() if value not in (None, "", [], {})}


def _is_number(value: object) -> bool:
    return re.fullmatch(r"-?\d+", str(value)) is not None

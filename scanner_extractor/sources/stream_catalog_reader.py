"""Reads what a stream catalog tells of topics, schemas, fields and connectors; asks nobody.

The qualified names are the catalog's own structure, and the only place where names are taken apart here:
`lsrc:lkc:topic`, `lsrc:context:id[:record[.field]]`, `lsrc:context:subject:version`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scanner_extractor.exchange import Json
from scanner_extractor.sources.cloud_lists import member, objects, text
from scanner_model.catalogs import Annotation
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId, TopicName

TOPIC = "kafka_topic"
CONNECTOR = "cn_connector"
FIELD = "sr_field"
KINDS = (TOPIC, CONNECTOR, "sr_schema", "sr_record", FIELD, "sr_subject_version")
"""The entity types that are about something of a scan."""

_HINT = "check the `url` of this source: it is the registry's, without /catalog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What GraphQL adds to an entity: *topics* None where it does not tell."""

    tags: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    topics: tuple[TopicName, ...] | None = None


UNSAID = Said()
"""Nothing: GraphQL was not asked, or does not know the entity."""


def read_search(payload: Json) -> list[dict[str, Json]]:
    """Read the page of `GET /catalog/v1/search/basic`; raises PayloadUnexpected."""
    match payload:
        case {"entities": list(entities)}:
            return objects(entities)
        case {"entities": None} | {"searchParameters": _}:  # a page without any has no member
            return []
        case _:
            raise PayloadUnexpected("the answer is not a search of a stream catalog", hint=_HINT)


def read_entity(entity: Mapping[str, Json], said: Said, source: SourceId, cluster: str) -> Annotation | None:
    """Read an entity of a search, with what GraphQL adds.

    None where it is deleted, nobody wrote anything about it, or it is not about anything of *cluster*.
    """
    attributes = member(entity, "attributes")
    found = Annotation(
        source=source,
        kind=text(entity, "typeName"),
        name=qualified_name(entity),
        tags=tuple(sorted({*_words(entity.get("classificationNames")), *said.tags})),
        owner=text(attributes, "owner"),
        owner_email=text(attributes, "ownerEmail"),
        description=text(attributes, "description") or text(attributes, "userDescription"),
        business_metadata=said.metadata or _business(entity),
        connector_topics=said.topics if text(entity, "typeName") == CONNECTOR else None,
    )
    if text(entity, "status") == "DELETED" or not is_told(found):
        return None
    own = text(attributes, "name") or text(entity, "name") or text(entity, "displayText")
    return placed(found, own, cluster)


def is_told(annotation: Annotation) -> bool:
    """Tell whether somebody wrote something, or the catalog knows a connector's topics."""
    written = (annotation.tags, annotation.owner, annotation.owner_email, annotation.description)
    return any((*written, annotation.business_metadata, annotation.connector_topics is not None))


def qualified_name(entity: Mapping[str, Json]) -> str:
    """Give an entity's qualified name, from a search or from GraphQL; empty where it has none."""
    return text(member(entity, "attributes"), "qualifiedName") or text(entity, "qualifiedName")


def placed(annotation: Annotation, own: str, cluster: str) -> Annotation | None:
    """Fill in what of *cluster* an annotation is about; None where it is about another cluster or no name tells.

    *own* is the entity's last name. A connector's qualified name has the Connect cluster, which tells no Kafka cluster.
    """
    parts = annotation.name.split(":", 2)
    match annotation.kind:
        case "kafka_topic":
            return replace(annotation, topic=TopicName(parts[2])) if len(parts) == 3 and parts[1] == cluster else None
        case "cn_connector":
            return replace(annotation, connector=own or parts[-1]) if annotation.name else None
        case "sr_subject_version":
            return _of_subject(annotation, parts)
        case "sr_schema" | "sr_record" | "sr_field" if len(parts) == 3:
            return _of_schema(annotation, parts, own)
        case _:
            return None


def read_graphql(payload: Json, root: str) -> list[dict[str, Json]]:
    """Read the entities under *root* of a GraphQL answer, whose errors have status 200; raises PayloadUnexpected."""
    match payload:
        case {"errors": [first, *_]}:
            raise PayloadUnexpected(f"GraphQL refused: {text(first, 'message') or 'no reason given'}", hint=_HINT)
        case {"data": {**data}} if root in data:
            return objects(data[root])
        case _:
            raise PayloadUnexpected("the answer is not one of GraphQL", hint=_HINT)


def read_said(entity: Mapping[str, Json]) -> Said:
    """Read what GraphQL says of an entity; collections that nobody set are null."""
    topics = entity.get("topics")
    named = {text(each, "name") for each in objects(topics)} - {""}
    return Said(
        tags=_words(entity.get("tags")),
        metadata=tuple(sorted((text(each, "name"), _json(each.get("value"))) for each in _metadata(entity))),
        topics=tuple(map(TopicName, sorted(named))) if isinstance(topics, list) else None,
    )


def _of_subject(annotation: Annotation, parts: list[str]) -> Annotation | None:
    subject, _, version = parts[-1].rpartition(":")
    if len(parts) != 3 or not subject or not version.isdecimal():
        return None
    return replace(annotation, context=parts[1], subject=subject, version=int(version))


def _of_schema(annotation: Annotation, parts: list[str], own: str) -> Annotation | None:
    """Read id, record and field; a field is what *own* says, because names of fields may hold dots."""
    identity, _, rest = parts[2].partition(":")
    about = replace(annotation, context=parts[1], schema_id=identity)
    if annotation.kind == "sr_schema" or not rest:
        return about if annotation.kind == "sr_schema" else None
    if annotation.kind == "sr_record":
        return replace(about, record=rest)
    named = rest.removesuffix(f".{own}") if own and rest.endswith(f".{own}") else rest.rpartition(".")[0]
    field = rest[len(named) + 1 :] if named else rest
    return replace(about, record=named, path=(field,))


def _business(entity: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    """Read business metadata where a search tells it: attributes by name, by the metadata's name."""
    told = member(entity, "businessMetadata") or member(entity, "businessAttributes")
    pairs = (
        (f"{name}.{key}", value) for name, each in told.items() for key, value in member(told, name).items() if each
    )
    return tuple(sorted((name, _json(value)) for name, value in pairs))


def _metadata(entity: Mapping[str, Json]) -> Iterable[dict[str, Json]]:
    return (each for each in objects(entity.get("business_metadata")) if text(each, "name"))


def _words(value: Json) -> tuple[str, ...]:
    """Read names of tags: texts, or objects with a name."""
    listed = value if isinstance(value, list) else []
    names = {each if isinstance(each, str) else text(each, "name") or text(each, "typeName") for each in listed}
    return tuple(sorted(names - {""}))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

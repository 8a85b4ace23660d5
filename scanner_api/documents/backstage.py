"""Backstage's catalog: a cluster as a System, each topic as a Resource, each schema of values as an API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from scanner_api.documents.estate import DescribedCluster, DescribedSchema, DescribedTopic, short_hash
from scanner_model.columns import path_name
from scanner_model.names import Role
from scanner_model.schemas import qualified_subject

Json = dict[str, Any]

_LONGEST = 63
"""Characters of a name, at most."""
_PREFIX = "kafka-lineage-scanner"
"""The prefix of annotations."""


def entities(cluster: DescribedCluster, default_owner: str) -> Iterator[Json]:
    """Yield the entities of *cluster*; what no source has an owner for is owned by *default_owner*."""
    system = entity_name(cluster.row.name)
    yield _entity("System", cluster.row.name, {}, {"owner": _owner(default_owner)})
    for topic in cluster.topics:
        owner = topic.row.owner or default_owner
        values = [each for each in topic.schemas if each.schema.role == Role.VALUE]
        interfaces = [_interface(topic, each, system, owner) for each in values]
        yield _resource(cluster, topic, system, owner)
        yield from interfaces


def entity_name(text: str) -> str:
    """Return *text* as a name that the catalog takes: other characters replaced, a long one cut, with a hash."""
    plain = re.sub(r"[^A-Za-z0-9._-]|(?<=[._-])[._-]", "-", text).strip("._-")
    plain = re.sub(r"([._-])[._-]+", r"\1", plain)
    if plain == text and len(plain) <= _LONGEST:
        return plain
    return f"{plain[: _LONGEST - 9].strip('._-')}-{short_hash(text)}".lstrip("-")


def _owner(name: str) -> str:
    """Return a reference to an owner; one with a kind or namespace is left as it is written."""
    return name if re.fullmatch(r"(?:[a-z]+:)?(?:[\w-]+/)?[\w.-]{1,63}", name) else entity_name(name)


def _topic_name(topic: DescribedTopic) -> str:
    """Return the topic's name behind that of its cluster: the names of a kind are those of all clusters."""
    return f"{topic.row.cluster}.{topic.distinct}"


def _resource(cluster: DescribedCluster, topic: DescribedTopic, system: str, owner: str) -> Json:
    row, flows = topic.row, topic.flows
    users = {"writers": flows.writers, "readers": flows.readers} if flows else {}
    notes = {
        "topic": row.name,
        "cluster": cluster.row.name,
        "partitions": "" if row.partitions is None else str(row.partitions),
        "owner": row.owner,
        "tags-by-lineage": "; ".join(
            f"{path_name(path)}: {tag.tag}, from {tag.origin}, {tag.flow}, {tag.steps} steps"
            for path, tags in (flows.tags if flows else {}).items()
            for tag in tags
        ),
        **{kind: ", ".join(dict.fromkeys(user.name for user in listed)) for kind, listed in users.items()},
    }
    spec = {"type": "kafka-topic", "owner": _owner(owner), "system": system}
    return _entity("Resource", _topic_name(topic), notes, spec, description=row.description, tags=row.tags)


def _interface(topic: DescribedTopic, described: DescribedSchema, system: str, owner: str) -> Json:
    schema = described.schema
    subject = qualified_subject(schema.context, schema.subject)
    name = f"{_topic_name(topic)}.{subject or schema.name or schema.format}"
    notes = {
        "topic": topic.row.name,
        "subject": subject,
        "version": "" if schema.version is None else str(schema.version),
        "schema-id": schema.schema_id or "",
        "compatibility": described.subject.level if described.subject else "",
    }
    spec = {
        "type": schema.format.lower(),
        "lifecycle": "production",
        "owner": _owner(owner),
        "system": system,
        "dependsOn": [f"resource:{entity_name(_topic_name(topic))}"],
        "definition": schema.text,
    }
    return _entity("API", name, notes, spec, tags=(*topic.row.tags, *schema.record_tags))


def _entity(  # a document of the catalog has these parts
    kind: str, name: str, notes: dict[str, str], spec: Json, *, description: str = "", tags: tuple[str, ...] = ()
) -> Json:
    words = [re.sub(r"[^a-z0-9:+#]+", "-", tag.lower())[:_LONGEST].strip("-") for tag in tags]
    metadata = {
        "name": entity_name(name),
        "title": name,
        "description": description,
        "tags": list(dict.fromkeys(word for word in words if word)),
        "annotations": {f"{_PREFIX}/{key}": value for key, value in notes.items() if value},
    }
    known = {member: value for member, value in metadata.items() if value not in ("", [], {})}
    return {"apiVersion": "backstage.io/v1alpha1", "kind": kind, "metadata": known, "spec": spec}

"""Catalogs of Backstage: topics as resources or in APIs of type asyncapi, and the components that provide and use them.

A component provides an API as the application that its AsyncAPI document describes: it sends what the document sends.
A component that consumes the API does the opposite. Source: Backstage documentation, "Descriptor Format of Catalog
Entities"; AsyncAPI 2.6 (`subscribe` is what the application sends) and 3.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, member, text, texts
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.topic_files.mapping import documents
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.catalogs import Annotation
from scanner_model.declarations import UNRESOLVED_USE
from scanner_model.names import TopicName
from scanner_model.payload import Json
from scanner_model.redaction import mask_text

NAME = "Backstage catalog"
_SIGN = re.compile(r"^apiVersion:[ \t]*['\"]?backstage\.io/", re.MULTILINE)
_TOPIC_TYPES = frozenset({"kafka-topic", "kafkatopic", "topic"})
_USES = (("providesApis", True), ("consumesApis", False))
_SENT, _RECEIVED = ("send", "subscribe"), ("receive", "publish")


def is_catalog(file: RepositoryFile) -> bool:
    """Check whether a file holds entities of a Backstage catalog."""
    return file.ending in (".yaml", ".yml") and _SIGN.search(file.text) is not None


class _Entity(NamedTuple):
    file: RepositoryFile
    line: int
    value: Mapping[str, Json]

    @property
    def name(self) -> str:
        return text(self.value, "metadata", "name")

    @property
    def place(self) -> str:
        return f"{self.file.path}:{self.line}"


@dataclass(slots=True)
class _Api:
    """The topics of an API that the application sends and receives; *unknown* ones may be either."""

    sent: set[str] = field(default_factory=set)
    received: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def read_catalog(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the topics of a catalog, and the components that write and read them."""
    entities = [entity for file in files for entity in _entities(file, context)]
    topics = {entity.name for entity in entities if _is_topic(entity)}
    apis: dict[str, _Api] = {}
    for entity in entities:
        if entity.name in topics and _is_topic(entity):
            _add_topic(entity, entity.name, context)
        elif text(entity.value, "kind") == "API" and text(entity.value, "spec", "type") == "asyncapi":
            apis[entity.name] = _api(entity, context)
    for entity in entities:
        if text(entity.value, "kind") == "Component":
            _add_component(entity, apis, topics, context)


def _entities(file: RepositoryFile, context: Context) -> Iterator[_Entity]:
    for parsed in documents(file, context, NAME):
        if text(parsed.value, "apiVersion").startswith("backstage.io/"):
            yield _Entity(file, getattr(parsed.value, "line", parsed.line), parsed.value)


def _is_topic(entity: _Entity) -> bool:
    kind, spec = text(entity.value, "kind"), text(entity.value, "spec", "type").lower()
    return kind == "Resource" and spec in _TOPIC_TYPES and is_topic_name(entity.name)


def _add_topic(entity: _Entity, topic: str, context: Context) -> None:
    """Add a topic with the owner of the entity that describes it."""
    context.topic(topic, entity.place, tool=NAME)
    note = Annotation(
        source=context.source,
        name=f"{entity.file.path}#{topic}",
        kind="backstage_entity",
        topic=TopicName(topic),
        tags=texts(entity.value, "metadata", "tags"),
        owner=_named(text(entity.value, "spec", "owner")),
        description=mask_text(text(entity.value, "metadata", "description")),
    )
    context.annotations.append(note)


def _api(entity: _Entity, context: Context) -> _Api:
    """Return the topics of an API; an unreadable document is noted, and gives no topics."""
    definition = member(entity.value, "spec", "definition")
    written = text(entity.value, "spec", "definition")
    if name := text(definition, "$text") or text(definition, "$yaml") or text(definition, "$json"):
        path = context.path_of(name, entity.file.directory)
        written = (context.text(path) if path else None) or ""
    parsed = next(parse_yaml(written), None) if written else None
    document = mapping(parsed.value) if parsed and not parsed.error else {}
    api = _Api()
    for name, channel in mapping(document, "channels").items():
        topic = text(channel, "bindings", "kafka", "topic") or text(channel, "address") or name
        if not is_topic_name(topic):
            continue
        _add_topic(entity, topic, context)
        actions = {action for action in ("publish", "subscribe") if action in mapping(channel)}
        actions |= _operations(document, name)
        for group, words in ((api.sent, _SENT), (api.received, _RECEIVED)):
            group |= {topic} if actions & set(words) else set()
        api.unknown |= set() if actions else {topic}
    if not (api.sent or api.received or api.unknown):
        context.leave(entity.file, NAME, f"the topics of the API {entity.name} are not known")
    return api


def _operations(document: Mapping[str, Json], channel: str) -> set[str]:
    """Return what the application does with a channel, by the operations of AsyncAPI 3."""
    return {
        text(operation, "action")
        for operation in mapping(document, "operations").values()
        if text(operation, "channel", "$ref") == f"#/channels/{channel}"
    }


def _add_component(entity: _Entity, apis: Mapping[str, _Api], topics: set[str], context: Context) -> None:
    spec = mapping(entity.value, "spec")
    lines = getattr(spec, "lines", {})
    for key, provides in _USES:
        place = f"{entity.file.path}:{lines.get(key, entity.line)}"
        for api in (apis.get(_named(name)) for name in texts(spec, key)):
            # Without operations, the provider of an API is the one that sends.
            sent, received = (api.sent | api.unknown, api.received) if api else (set[str](), set[str]())
            for names, writes in ((sent, provides), (received, not provides)):
                for topic in sorted(names):
                    context.use(entity.name, topic, writes=writes, description=NAME, place=place, separate=True)
    depends = [name for name in map(_named, texts(spec, "dependsOn")) if name in topics]
    if depends:
        reason = f"{entity.name} depends on {', '.join(depends)}: whether it reads or writes is not declared"
        context.leave(entity.file, UNRESOLVED_USE, reason)


def _named(reference: str) -> str:
    """Return the name in a reference to an entity, such as `group:default/shop`."""
    return reference.rpartition("/")[2].rpartition(":")[2]

"""The topics of a document with their schemas, and the subjects that it assigns to topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from manual_input.document import Node
from manual_input.schemas import SchemaReader
from scanner_model.estate import Topic
from scanner_model.manual import Assignment, ManualSchema
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.redaction import mask_text

_LEGAL = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(slots=True)
class TopicReader:
    """Reads topics of one cluster; remembers where each stands, so that a second one is found in any file."""

    topics: list[Topic] = field(default_factory=list)
    schemas: list[ManualSchema] = field(default_factory=list)
    _places: dict[TopicName, str] = field(default_factory=dict)

    def read(self, root: Node, source: SourceId, reader: SchemaReader) -> None:
        """Add the topics of the document at *root* and their schemas."""
        for entry in root.elements("topics"):
            schemas = reader.schemas_of(entry)
            for name in filter(None, map(self._new_name, _names_of(entry))):
                self.topics.append(_topic(entry, source, name))
                self.schemas += [replace(schema, topic=name) for schema in schemas]
        reader.warn_of_unused()

    def _new_name(self, node: Node) -> TopicName | None:
        name = legal_topic(node)
        if name and name in self._places:
            node.refuse(f"topic {name!r} is declared twice", f"first at {self._places[name]}")
            return None
        if name:
            self._places[name] = node.where
        return name


def assignments(root: Node, source: SourceId) -> Iterator[Assignment]:
    """Read the subjects of the document at *root*; the same assignment twice is reported."""
    for subject, node in root.member("subjects").members():
        seen: set[tuple[TopicName, Role | None, str]] = set()
        for target in node.listed() if isinstance(node.value, list) else (node,):
            name = legal_topic(target if target.string else target.member("topic"))
            role, context = _role(target.text("role")), target.text("context")
            if name and (name, role, context) in seen:
                target.refuse(f"topic {name!r} is assigned twice", "keep one of them")
            elif name and subject:
                seen.add((name, role, context))
                yield Assignment(
                    source=source,
                    subject=SubjectName(subject),
                    topic=name,
                    role=role,
                    place=target.place,
                    context=context or None,
                )


def legal_topic(node: Node) -> TopicName | None:
    """Read a topic's name; None where there is none, or none that Kafka takes, which is then reported."""
    name = node.string
    if not name:
        return None
    if not _LEGAL.fullmatch(name) or name in {".", ".."}:
        node.refuse(f"{name!r} cannot be a topic's name", "Kafka takes up to 249 of A-Z a-z 0-9 . _ -")
        return None
    return TopicName(name)


def _names_of(entry: Node) -> Iterator[Node]:
    if entry.string:
        yield entry
        return
    if isinstance(entry.value, dict) and entry.has("name") == entry.has("names"):
        entry.refuse("a topic has either name or names", "give one of them")
    if entry.has("name"):
        yield entry.member("name")
    yield from entry.elements("names")


def _topic(entry: Node, source: SourceId, name: TopicName) -> Topic:
    return Topic(
        source=source,
        name=name,
        partitions=entry.member("partitions").whole,
        description=mask_text(entry.text("description")),
        tags=tuple(dict.fromkeys(entry.texts("tags"))),
    )


def _role(word: str) -> Role | None:
    return next((role for role in Role if role == word), None)

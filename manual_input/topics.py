"""Schemas of topics: shared or inline content, with role, subject, version and id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from manual_input.json_cursor import Document, Node
from manual_input.schema_sources import MEMBERS, Content, ContentReader
from scanner_model.catalogs import Annotation
from scanner_model.clients import Direction
from scanner_model.columns import ColumnPath, parse_path
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid
from scanner_model.field_uses import FieldExtent, FieldUse
from scanner_model.kafka import Topic
from scanner_model.manual import Assignment, DeclaredFlow, FlowEnd, ManualSchema
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.owners import OWNER_PATTERN
from scanner_model.redaction import mask_text


@dataclass(frozen=True, slots=True)
class _Entry:
    """A schema entry of a topic with the shared entry that it uses; the topic's own members take precedence."""

    own: Node
    shared: Node | None

    def member(self, key: str) -> Node:
        return self.shared.member(key) if self.shared and not self.own.has(key) else self.own.member(key)

    def text(self, key: str) -> str:
        return self.member(key).string


class SchemaReader:
    """Reads the schemas of one document's topics."""

    def __init__(self, document: Document, source: SourceId, contents: ContentReader) -> None:
        self._source = source
        self._environment = document.root.text("environment")
        self._contents = contents
        self._shared = dict(document.root.member("schemas").members())
        self._shared_contents = {name: contents.read(node) for name, node in self._shared.items()}
        self._used: set[str] = set()

    def schemas_of(self, topic: Node) -> tuple[ManualSchema, ...]:
        """Read the schemas of a *topic* entry; without a topic, because one entry may serve several."""
        seen: set[tuple[object, ...]] = set()
        return tuple(
            schema
            for entry in topic.elements("schemas")
            if (schema := self._schema(entry)) and _is_new(entry, schema, seen)
        )

    def warn_of_unused(self) -> None:
        """Report shared schemas that no topic uses; to be called after all topics are read."""
        for name in sorted(set(self._shared) - self._used):
            self._shared[name].warn(f"no topic uses the schema {name!r}", f'use it by {{"use": "{name}"}}')

    def _schema(self, own: Node) -> ManualSchema | None:
        content = self._content(own)
        entry = _Entry(own, self._shared.get(own.text("use")))
        subject, version = entry.text("subject"), entry.member("version").integer
        if version is not None and not subject:
            entry.member("version").refuse("a version without a subject", "add the subject that it is a version of")
        if content is None:
            return None
        return ManualSchema(
            source=self._source,
            topic=TopicName(""),
            role=Role.KEY if entry.text("role") == "key" else Role.VALUE,
            format=content.format,
            location=own.location,
            text=content.text,
            columns=content.columns,
            references=content.references,
            subject=SubjectName(subject),
            version=version,
            schema_id=_schema_id(entry.member("id")),
            environment=entry.text("environment") or self._environment,
            record=RecordName(own.text("record")) or content.record,
        )

    def _content(self, own: Node) -> Content | None:
        if not own.has("use"):
            return self._contents.read(own)
        name = own.text("use")
        self._used.add(name)
        for key in MEMBERS:
            if key != "record" and own.has(key):
                own.member(key).refuse(f"{key!r} does not go with 'use'", "write it where the schema is shared")
        if name and name not in self._shared:
            hint = closest_match(name, list(self._shared)) or "shared schemas stand under $.schemas"
            own.member("use").refuse(f"no shared schema {name!r}", hint)
        return self._shared_contents.get(name)


def _is_new(entry: Node, schema: ManualSchema, seen: set[tuple[object, ...]]) -> bool:
    named = (schema.role, schema.subject, schema.version)
    # Without a subject, schemas differ by file; two lists of columns cannot be distinguished.
    key = named if schema.subject else (*named, schema.text, schema.record)
    if key in seen:
        entry.refuse(f"a second schema of the same {schema.role}", "give each its own subject or version")
    seen.add(key)
    return True


def _schema_id(node: Node) -> str | None:
    return node.string or (None if node.integer is None else str(node.integer))


_LEGAL = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(slots=True)
class TopicReader:
    """Reads topics of one cluster and detects duplicates across files."""

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
                    location=target.location,
                    context=context or None,
                )


def owners(root: Node, source: SourceId, stated: dict[str, str]) -> Iterator[Annotation]:
    """Read the owners of the document at *root*; a pattern that is among *stated*, with its place, is reported."""
    for owner, node in root.member("owners").members():
        for entry in node.listed():
            if entry.string in stated:
                entry.refuse(f"{entry.string!r} has an owner already", f"first at {stated[entry.string]}")
            elif entry.string:
                stated[entry.string] = entry.where
                yield Annotation(source=source, name=entry.string, kind=OWNER_PATTERN, owner=mask_text(owner))


def legal_topic(node: Node) -> TopicName | None:
    """Read a topic's name; None if absent, or invalid for Kafka, which is reported."""
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
        partitions=entry.member("partitions").integer,
        description=mask_text(entry.text("description")),
        tags=tuple(dict.fromkeys(entry.texts("tags"))),
    )


def _role(word: str) -> Role | None:
    return next((role for role in Role if role == word), None)


_MOST_HINTS = 20
"""Maximum number of suggestions: searching similar names among thousands of topics is slow."""


class KnownTopics:
    """The known topics that a flow may refer to; None: a scan reads them, and compares the flows afterwards."""

    def __init__(self, names: Iterable[str] | None) -> None:
        self._names = None if names is None else frozenset(names)
        self._unknown: set[str] = set()

    def expect(self, name: str, node: Node) -> None:
        """Add a warning at *node* where topic *name* is unknown."""
        if self._names is not None and name not in self._names:
            self._unknown.add(name)
            hint = closest_match(name, sorted(self._names)) if len(self._unknown) <= _MOST_HINTS else ""
            node.warn(f"no topic {name!r} is known", hint or "declare it under $.topics, or scan the brokers")


def flows(root: Node, source: SourceId, topics: KnownTopics) -> Iterator[DeclaredFlow]:
    """Read the flows of the document at *root*; a topic that is not among *topics* gives a warning."""
    for entry in root.elements("flows"):
        is_use = not entry.has("to") and entry.has("fields") and bool(entry.text("job"))
        origin = _end(entry.member("from"), topics)
        target = FlowEnd() if is_use else _end(entry.member("to"), topics)
        if origin and target:
            flow = DeclaredFlow(
                source=source,
                origin=origin,
                target=target,
                job=entry.text("job"),
                description=mask_text(entry.text("description")),
                evidence=entry.location,
            )
            yield from _column_flows(flow, entry) if entry.has("columns") else (flow,)


def field_uses(root: Node, source: SourceId) -> Iterator[FieldUse]:
    """Read the fields that jobs use: those of a flow are read from its first topic, `from` or `to`."""
    for entry in root.elements("flows"):
        job, ends = entry.text("job"), [(key, _topic_of(entry.member(key))) for key in ("from", "to")]
        side, topic = next(((key, name) for key, name in ends if name), ("", ""))
        if entry.has("fields") and not topic:
            entry.member("fields").refuse("fields of no topic", "from or to must be a topic")
        for node in entry.elements("fields") if job and topic else ():
            if path := _path(node):
                yield FieldUse(
                    source=source,
                    program=job,
                    topic=TopicName(topic),
                    direction=Direction.READS if side == "from" else Direction.WRITES,
                    extent=FieldExtent.FIELD,
                    path=path,
                    places=(node.location,),
                )


def _topic_of(end: Node) -> str:
    return end.string or end.text("topic")


def _column_flows(flow: DeclaredFlow, entry: Node) -> Iterator[DeclaredFlow]:
    for key in ("from", "to"):
        if entry.member(key).has("column"):
            entry.member(key).member("column").refuse("a column here and under 'columns'", "name columns in one place")
    for pair in entry.elements("columns"):
        source, target = (_path(pair.member(key)) for key in ("from", "to"))
        yield replace(
            flow,
            origin=replace(flow.origin, path=source),
            target=replace(flow.target, path=target),
            evidence=pair.location,
        )


def _end(node: Node, topics: KnownTopics) -> FlowEnd | None:
    column = _path(node.member("column"))
    if node.has("namespace") or node.has("name"):
        return _dataset(node, column)
    name_node = node if node.string else node.member("topic")
    if isinstance(node.value, dict) and not node.has("topic"):
        node.refuse("an end of a flow without a dataset", "give a topic, or namespace and name")
    name = legal_topic(name_node)
    if name:
        topics.expect(name, name_node)
    return FlowEnd(name=name, path=column) if name else None


def _dataset(node: Node, column: ColumnPath | None) -> FlowEnd | None:
    if node.has("topic"):
        node.refuse("a topic has no namespace or name", "give a topic, or namespace and name")
    elif not (node.has("namespace") and node.has("name")):
        node.refuse("namespace and name go together", "a topic of this cluster is given as topic")
    elif node.text("namespace") and node.text("name"):
        return FlowEnd(namespace=node.text("namespace"), name=node.text("name"), path=column)
    return None


def _path(node: Node) -> ColumnPath | None:
    if not node.string:
        return None
    try:
        return parse_path(node.string)
    except InputInvalid as error:
        node.refuse(error.what, error.hint)
        return None

"""The schemas of topics: contents, shared or written in place, with the role, subject, version and id they go by."""

from __future__ import annotations

from dataclasses import dataclass

from manual_input.contents import MEMBERS, Content, ContentReader
from manual_input.document import Document, Node
from scanner_model.manual import ManualSchema
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.places import nearest


@dataclass(frozen=True, slots=True)
class _Entry:
    """A schema entry of a topic with the shared entry that it uses; what the topic's own entry tells wins."""

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
        """Read the schemas of a *topic* entry; they name no topic yet, because an entry may be of several."""
        seen: set[tuple[object, ...]] = set()
        return tuple(
            schema
            for entry in topic.elements("schemas")
            if (schema := self._schema(entry)) and _is_new(entry, schema, seen)
        )

    def warn_of_unused(self) -> None:
        """Report shared schemas that no topic uses; to be called after all topics are read."""
        for name in sorted(set(self._shared) - self._used):
            self._shared[name].warn(f"no topic uses the schema {name!r}", f'a topic says {{"use": "{name}"}}')

    def _schema(self, own: Node) -> ManualSchema | None:
        content = self._content(own)
        entry = _Entry(own, self._shared.get(own.text("use")))
        subject, version = entry.text("subject"), entry.member("version").whole
        if version is not None and not subject:
            entry.member("version").refuse("a version without a subject", "add the subject that it is a version of")
        if content is None:
            return None
        return ManualSchema(
            source=self._source,
            topic=TopicName(""),
            role=Role.KEY if entry.text("role") == "key" else Role.VALUE,
            format=content.format,
            place=own.place,
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
            hint = nearest(name, list(self._shared)) or "shared schemas stand under $.schemas"
            own.member("use").refuse(f"no shared schema {name!r}", hint)
        return self._shared_contents.get(name)


def _is_new(entry: Node, schema: ManualSchema, seen: set[tuple[object, ...]]) -> bool:
    named = (schema.role, schema.subject, schema.version)
    # Without a subject, files tell schemas apart; two lists of columns would have nothing that does.
    key = named if schema.subject else (*named, schema.text, schema.record)
    if key in seen:
        entry.refuse(f"a second schema of the same {schema.role}", "give each its own subject or version")
    seen.add(key)
    return True


def _schema_id(node: Node) -> str | None:
    return node.string or (None if node.whole is None else str(node.whole))

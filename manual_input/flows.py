"""Declared flows between topics, other datasets, and their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from manual_input.json_cursor import Node
from manual_input.topics import legal_topic
from scanner_model.column_path import ColumnPath, parse_path
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid
from scanner_model.manual import FlowEnd, ManualFlow
from scanner_model.names import SourceId
from scanner_model.redaction import mask_text

_MOST_HINTS = 20
"""Maximum number of suggestions: searching similar names among thousands of topics is slow."""


class KnownTopics:
    """The known topics that a flow may refer to."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._unknown: set[str] = set()

    def expect(self, name: str, node: Node) -> None:
        """Add a warning at *node* where topic *name* is unknown."""
        if name not in self._names:
            self._unknown.add(name)
            hint = closest_match(name, sorted(self._names)) if len(self._unknown) <= _MOST_HINTS else ""
            node.warn(f"no topic {name!r} is known", hint or "declare it under $.topics, or scan the brokers")


def flows(root: Node, source: SourceId, topics: KnownTopics) -> Iterator[ManualFlow]:
    """Read the flows of the document at *root*; a topic that is not among *topics* gives a warning."""
    for entry in root.elements("flows"):
        origin, target = (_end(entry.member(key), topics) for key in ("from", "to"))
        if origin and target:
            flow = ManualFlow(
                source=source,
                origin=origin,
                target=target,
                job=entry.text("job"),
                description=mask_text(entry.text("description")),
                evidence=entry.place,
            )
            yield from _column_flows(flow, entry) if entry.has("columns") else (flow,)


def _column_flows(flow: ManualFlow, entry: Node) -> Iterator[ManualFlow]:
    for key in ("from", "to"):
        if entry.member(key).has("column"):
            entry.member(key).member("column").refuse("a column here and under 'columns'", "name columns in one place")
    for pair in entry.elements("columns"):
        source, target = (_path(pair.member(key)) for key in ("from", "to"))
        yield replace(
            flow,
            origin=replace(flow.origin, path=source),
            target=replace(flow.target, path=target),
            evidence=pair.place,
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
    return FlowEnd(namespace="", name=name, path=column) if name else None


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

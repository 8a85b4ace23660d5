"""A comparison of two scans as a JSON document for programs, and as rows of a table for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from scanner_dictionary.compatibility.changes import ColumnChange, Judgement
from scanner_dictionary.diff.causes import Cause
from scanner_dictionary.diff.changes import FactChange, ScanDiff, SchemaRef, SideChange
from scanner_dictionary.diff.flows import FlowChange, FlowDiff, NodeChange
from scanner_model.columns import Column

Json = dict[str, Any]

_LISTED = {"topics": ("topic",), "subjects": ("subject",), "versions": ("subject_version",)}


class DiffRow(NamedTuple):
    """What changed in a cluster from scan *first* to scan *second*; empty where a member says nothing.

    *kind* is that of a fact (topic, connector, …), `schema` or `column`; *side* is key or value. *backward* is whether
    new readers read old data, *forward* whether old readers read new data, *why* what breaks them.
    """

    cluster: str
    first: int
    second: int
    topic: str
    side: str
    column: str
    kind: str
    name: str
    action: str
    before: str
    after: str
    backward: str
    forward: str
    why: str


def as_json(changes: ScanDiff) -> Json:
    """Return the document that docs/json.md describes."""
    listed = {kind for kinds in _LISTED.values() for kind in kinds}
    others = [fact for fact in changes.facts if fact.kind not in listed]
    return {
        "cluster": changes.cluster,
        "first": changes.first,
        "second": changes.second,
        "backwards": changes.backwards,
        **{member: [_fact(fact) for fact in changes.of(*kinds)] for member, kinds in _LISTED.items()},
        "schemas": [_side(side) for side in changes.sides],
        "others": [_fact(fact) for fact in others],
    }


def flows_as_json(changes: FlowDiff) -> Json:
    """Return how two graphs differ, as docs/json.md describes it."""
    return {
        "first": changes.first,
        "second": changes.second,
        "nodes": [_flow_node(change) for change in changes.nodes],
        "edges": [_flow_edge(change) for change in changes.edges],
    }


def rows(changes: ScanDiff) -> tuple[DiffRow, ...]:
    """Return the lines of a table in the order topic, side, column; what is of no topic comes last."""
    line = partial(DiffRow, changes.cluster, changes.first, changes.second)
    lines = [*_side_rows(changes, line), *(row for fact in changes.facts for row in _fact_rows(fact, line))]
    # Sorting is stable: what has no column of its own (a schema, a topic's attributes) stays before the columns.
    return tuple(sorted(lines, key=lambda row: (not row.topic, row.topic, row.side)))


def _fact(fact: FactChange) -> Json:
    attributes = [
        {"name": attribute.name, "before": _loaded(attribute.before), "after": _loaded(attribute.after)}
        for attribute in fact.attributes
    ]
    return {"kind": fact.kind, "name": list(fact.name), "action": str(fact.action), "attributes": attributes}


def _side(side: SideChange) -> Json:
    return {
        "topic": side.topic,
        "role": side.role,
        "action": str(side.action),
        "before": _ref(side.before),
        "after": _ref(side.after),
        "backward": _finding(side.backward),
        "forward": _finding(side.forward),
        "columns": [_column(change) for change in side.columns],
    }


def _ref(ref: SchemaRef | None) -> Json | None:
    if ref is None:
        return None
    return {
        "subject": ref.subject or None,
        "context": ref.context,
        "version": ref.version,
        "schema_id": ref.schema_id,
        "format": ref.format,
        "name": ref.record,
        "fingerprint": ref.fingerprint,
    }


def _column(change: ColumnChange) -> Json:
    return {
        "path": list(change.column.path),
        "name": change.column.name,
        "action": str(change.action),
        "differs": list(change.differs),
        "before": _described(change.before),
        "after": _described(change.after),
        "backward": _finding(change.backward),
        "forward": _finding(change.forward),
    }


def _described(column: Column | None) -> Json | None:
    if column is None:
        return None
    return {
        "name": column.name,
        "type": column.type,
        "logical_type": column.logical_type,
        "nullable": column.nullable,
        "default": _loaded(column.default),
        "has_default": column.default is not None,
        "doc": column.doc,
        "tags": list(column.tags),
        "of": list(column.branches),
        "recursive": column.recursive,
        "number": column.number,
    }


def _finding(finding: Judgement | None) -> Json | None:
    return None if finding is None else {"verdict": str(finding.verdict), "why": finding.why}


def _loaded(text: str | None) -> object:
    return None if text is None else json.loads(text)


def _flow_node(change: NodeChange) -> Json:
    node = change.node._asdict()
    node["path"] = _loaded(change.node.path)
    state = {"action": str(change.action), "before": change.before, "after": change.after}
    return node | state | {"cause": _cause(change.cause)}


def _flow_edge(change: FlowChange) -> Json:
    return {
        "source": change.source,
        "target": change.target,
        "kind": change.kind,
        "action": str(change.action),
        "before": change.before._asdict() if change.before else None,
        "after": change.after._asdict() if change.after else None,
        "cause": _cause(change.cause),
    }


def _cause(cause: Cause | None) -> Json | None:
    if cause is None:
        return None
    named = {"cluster": cause.cluster, "kind": cause.kind, "name": list(cause.name)}
    return named | {"action": str(cause.action), "members": list(cause.members)}


def _fact_rows(fact: FactChange, line: Callable[..., DiffRow]) -> Iterator[DiffRow]:
    name = " ".join(str(part) for part in fact.name if part not in (None, "", "."))
    topic = name if fact.kind == "topic" else ""
    for before, after in _value_changes(fact):
        yield line(topic, "", "", fact.kind, name, str(fact.action), before, after, "", "", "")


def _value_changes(fact: FactChange) -> Iterator[tuple[str, str]]:
    if not fact.attributes:
        yield "", ""
    for attribute in fact.attributes:
        yield f"{attribute.name} {attribute.before or '-'}", f"{attribute.name} {attribute.after or '-'}"


def _side_rows(changes: ScanDiff, line: Callable[..., DiffRow]) -> Iterator[DiffRow]:
    for side in changes.sides:
        before, after = (ref.shown if ref else "" for ref in (side.before, side.after))
        yield line(
            side.topic,
            side.role,
            "",
            "schema",
            after or before,
            str(side.action),
            before,
            after,
            str(side.backward.verdict) if side.backward else "",
            str(side.forward.verdict) if side.forward else "",
            _why(side),
        )
        yield from (line(*_column_cells(side, change)) for change in side.columns)


def _column_cells(side: SideChange, change: ColumnChange) -> tuple[str, ...]:
    return (
        side.topic,
        side.role,
        change.column.name,
        "column",
        change.column.name,
        str(change.action),
        _shown(change.before, change.differs),
        _shown(change.after, change.differs),
        str(change.backward.verdict),
        str(change.forward.verdict),
        change.why,
    )


def _why(side: SideChange) -> str:
    findings = (side.backward, side.forward)
    return "; ".join(dict.fromkeys(finding.why for finding in findings if finding and finding.why))


def _shown(column: Column | None, differs: tuple[str, ...]) -> str:
    """Write what of *column* differs, or its type where it came or went."""
    if column is None:
        return ""
    return ", ".join(f"{name} {_cell(getattr(column, name))}" for name in differs or ("type",))


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case tuple():
            return " | ".join(map(str, value)) or "-"
    return str(value)

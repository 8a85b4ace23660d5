"""The question what one node is, in a sentence: where its data come from, who uses it, whose it is, personal data."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, NamedTuple

from dataflow_generator.stored.people import People
from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import history
from scanner_api.questions.graph import GraphEdge, GraphNode, Lineage, lineage
from scanner_api.questions.impact import AffectedNode, impact
from scanner_api.questions.listings import columns
from scanner_api.questions.names import nodes as jobs
from scanner_api.questions.question import Node, Parameter
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.queries.graph_nodes import topics_with_column
from scanner_model.columns import expression_of, path_name
from scanner_model.errors import NameUnknown
from scanner_model.text import counted, listed

_ACTORS = ("job", "consumer-group")
_SHORT = 10
_EFFECTS = {"IDENTITY": "copied", "TRANSFORMATION": "computed"}


class NodeStep(NamedTuple):
    """A flow from the column *source* to *target*, and *how*: copied, renamed, computed, aggregated or masked.

    *expression* computes the target, as its statement has it; empty if it is not known.
    """

    source: str
    target: str
    how: str
    evidence: str
    certainty: str
    expression: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSummary:
    """What is known of *node*, in one *sentence*, and its parts.

    *short* is an ID for links, which does not change from scan to scan. *steps* are the flows of its values from the
    nearest origin to the node; only columns have them. *users* are the jobs and consumer groups that a change affects.
    *tags* are declared or inherited, *suggested* only follow from names. *owner* is empty if it is unknown, *changed*
    (ISO 8601) if no scan changed it since the first.
    """

    node: GraphNode
    short: str
    sentence: str
    steps: tuple[NodeStep, ...]
    users: tuple[AffectedNode, ...]
    owner: str
    tags: tuple[str, ...]
    suggested: tuple[str, ...]
    changed: str


def node_summary(dictionary: Dictionary, node: Node) -> NodeSummary:
    """Return what *node* is: where its data come from, who uses them, who owns it, whether they are personal.

    >>> node_summary(dictionary, "orders.total").sentence
    """
    near = lineage(dictionary, node)
    root = next(each for each in near.nodes if each.id == near.root)
    names = {each.id: _name(each) for each in near.nodes}
    edges, origins = _values(near)
    steps = tuple(_step(edge, names) for edge in edges)
    affected = impact(dictionary, node).affected
    users = tuple(each for each in affected if each.kind in _ACTORS and each.use not in ("writes", "made"))
    holder = _holder(dictionary, root, node)
    owner = _owner(dictionary, holder)
    tags, suggested = _tags(dictionary, root, holder)
    failed = {each.id for each in jobs(dictionary, kind="job", failed=True)} & {each.id for each in users}
    parts = (
        _origin_words(root, near, steps, [names[each] for each in origins]),
        _user_words(root, users, len(failed)),
        f"owner {owner}" if owner else "owner unknown",
        _tag_words(root, tags, suggested),
    )
    return NodeSummary(
        node=root,
        short=short_id(root.id),
        sentence=" · ".join(filter(None, parts)),
        steps=steps,
        users=users,
        owner=owner,
        tags=tags,
        suggested=suggested,
        changed=_changed(dictionary, root),
    )


def _name(node: GraphNode) -> str:
    return f"{node.name}.{path_name(node.path)}" if node.path else node.name


def _step(edge: GraphEdge, names: Mapping[str, str]) -> NodeStep:
    """Return a flow by the names of its ends; a copy into a column of another name is renamed."""
    source, target = names[edge.source], names[edge.target]
    is_renamed = edge.subtype == "IDENTITY" and source.rpartition(".")[2] != target.rpartition(".")[2]
    how = "renamed" if is_renamed else _EFFECTS.get(edge.subtype, edge.subtype.lower())
    expression = expression_of(edge.evidence, target.rpartition(".")[2])
    return NodeStep(source, target, how, edge.evidence, edge.certainty, expression)


def _values(near: Lineage) -> tuple[Sequence[GraphEdge], Sequence[str]]:
    """Return the flows of values from the nearest origin to the root, and all origins."""
    into: dict[str, list[GraphEdge]] = {}
    for edge in near.edges:
        if edge.kind == "column-flow" and edge.type == "DIRECT":
            into.setdefault(edge.target, []).append(edge)
    after: dict[str, GraphEdge] = {}
    waiting, origins = deque([near.root]), []
    while waiting:
        at = waiting.popleft()
        for edge in into.get(at, ()):
            if edge.source not in after and edge.source != near.root:
                after[edge.source] = edge
                waiting.append(edge.source)
        if at not in into and at != near.root:
            origins.append(at)
    steps, at = [], origins[0] if origins else near.root
    while at != near.root:
        steps.append(after[at])
        at = after[at].target
    return steps, origins


def _origin_words(root: GraphNode, near: Lineage, steps: Sequence[NodeStep], origins: Sequence[str]) -> str:
    read = {edge.source for edge in near.edges if (edge.kind, edge.target) == ("reads", root.id)}
    written = {edge.target for edge in near.edges if (edge.kind, edge.source) == ("writes", root.id)}
    writers = {edge.source for edge in near.edges if (edge.kind, edge.target) == ("writes", root.id)}
    if root.kind in _ACTORS:
        parts = (("reads", read), ("writes", written))
        return ", ".join(f"{verb} {_names(near, ids)}" for verb, ids in parts if ids)
    if root.path is None:
        return f"written by {_names(near, writers)}" if writers else "no known writer"
    if not steps:
        return "no known origin"
    effects = ", ".join(dict.fromkeys(step.how for step in steps))
    computed = next((step for step in reversed(steps) if step.expression), None)
    name = computed.target if computed and computed is not steps[-1] else root.path[-1]
    equals = f"{name} = {computed.expression}, " if computed else ""
    return f"{equals}from {listed(origins)} in {counted(len(steps), 'step')} ({effects})"


def _names(near: Lineage, ids: Collection[str]) -> str:
    return listed(sorted(_name(each) for each in near.nodes if each.id in ids))


def _user_words(root: GraphNode, users: Sequence[AffectedNode], failed: int) -> str:
    names = listed([each.name for each in users])
    if root.kind in _ACTORS:
        return f"feeds {names}" if users else ""
    if not users:
        return "no known reader"
    return f"read by {names}" + (f" ({failed} failed)" if failed else "")


def _holder(dictionary: Dictionary, node: GraphNode, named: str) -> tuple[str, str]:
    """Return the namespace and name of a node; of a column those of its topic or dataset.

    A column that is in no flow is one of a schema, which names no topic: *named* does.
    """
    if node.namespace or node.path is None:
        return node.namespace, node.name
    with dictionary.reading() as conn:
        return next(((each.namespace, each.name) for each in topics_with_column(SqlGraphReader(conn), named)), ("", ""))


def _owner(dictionary: Dictionary, holder: tuple[str, str]) -> str:
    namespace, name = holder
    with dictionary.reading() as conn:
        named = [row for row in SqlGraphReader(conn).nodes_named([name]) if row.namespace == namespace]
        people = People(conn)
        return next(filter(None, (people.owner_and_tags(row)[0] for row in named if row.kind != "column")), "")


def _tags(dictionary: Dictionary, node: GraphNode, holder: tuple[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags of a column that are declared or inherited, and those that are suggested."""
    if node.path is None:
        return (), ()
    places = (holder[1], "/".join(holder))
    rows = columns(dictionary, tag="*", tags="all", name=path_name(node.path[-1:]))
    mine = [row for row in rows if row.path == node.path and (row.topic or row.dataset) in places]
    found = [tag for row in mine for tag in row.found_tags]
    known = [tag for row in mine for tag in (*row.tags, *row.inherited_tags)]
    known += [each.tag for each in found if each.certainty == "inherited"]
    suggested = dict.fromkeys(each.tag for each in found if each.certainty == "suggested" and each.tag not in known)
    return tuple(dict.fromkeys(known)), tuple(suggested)


def _tag_words(node: GraphNode, tags: Sequence[str], suggested: Sequence[str]) -> str:
    if node.path is None:
        return ""
    if tags:
        return ", ".join(tags)
    return f"looks like {', '.join(suggested)}, not tagged" if suggested else "no tag"


def _changed(dictionary: Dictionary, node: GraphNode) -> str:
    """Return when a scan last changed the node; empty if none did since its first scan."""
    rows = history(dictionary, node.id) if node.namespace else ()
    first = min((row.scan for row in rows), default=0)
    return max((row.finished or "" for row in rows if row.scan > first), default="")


def short_id(key: str) -> str:
    """Return the ID of a node for links: the start of the hash of its key in the graph."""
    return sha256(key.encode()).hexdigest()[:_SHORT]


class NodeOfLink(NamedTuple):
    """The *node* that a short ID stands for, by its key in the graph."""

    node: str


def node_of_link(
    dictionary: Dictionary, *, short: Annotated[str, Parameter("The ID of a short link.", longest=64)]
) -> NodeOfLink:
    """Return the node of a short link; raises NameUnknown if the graph does not have it any more.

    >>> node_of_link(dictionary, short=node_summary(dictionary, "orders").short).node
    """
    with dictionary.reading() as conn:
        keys = {key for key in SqlGraphReader(conn).node_keys().values() if short_id(key) == short}
    if len(keys) != 1:
        raise NameUnknown(f"no node has the link ID {short!r}", hint="the node may have been removed: search its name")
    return NodeOfLink(*keys)

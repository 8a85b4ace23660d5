"""The question what one node is, in a sentence: where its data come from, who uses it, whose it is, personal data."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, NamedTuple

from dataflow_generator.stored.people import People
from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import history
from scanner_api.questions.graph import GraphEdge, GraphNode, Lineage, lineage
from scanner_api.questions.impact import ImpactList, impact
from scanner_api.questions.listings import columns
from scanner_api.questions.names import nodes as jobs
from scanner_api.questions.question import Node, Parameter
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.queries.graph_nodes import topics_with_column
from scanner_model.columns import path_name
from scanner_model.errors import NameUnknown

_NAMED = 3
_ACTORS = ("job", "consumer-group")
_EFFECTS = {
    "IDENTITY": "copied",
    "TRANSFORMATION": "computed",
    "AGGREGATION": "aggregated",
    "MASKED": "masked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeUser:
    """A job or consumer group that a change of the node affects; *state* is why its data are wrong, empty if fine."""

    id: str
    kind: str
    name: str
    use: str
    owner: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStep:
    """A flow from the column *source* to *target*, and *how*: copied, renamed, computed, aggregated or masked."""

    source: str
    target: str
    how: str
    evidence: str
    certainty: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSummary:
    """What is known of *node*, in one *sentence*, and its parts.

    *steps* are the flows of its values from the nearest origin to the node, each with its evidence; only columns have
    them. *origins* are the ids of the columns that the values start at. *users* are the jobs and consumer groups that a
    change affects. *tags* are declared or inherited, *suggested* only follow from names. *owner* is empty if it is
    unknown, *changed* (ISO 8601) if no scan changed it since the first. *short* is an ID for links, which does not
    change from scan to scan.
    """

    node: GraphNode
    short: str
    sentence: str
    steps: tuple[NodeStep, ...]
    origins: tuple[str, ...]
    users: tuple[NodeUser, ...]
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
    affected = impact(dictionary, node)
    holder = _holder(dictionary, root, node)
    names = {each.id: _name(each) for each in near.nodes}
    edges, origins = _values(near)
    steps = tuple(
        NodeStep(
            source=names[edge.source],
            target=names[edge.target],
            how=_how(edge, names),
            evidence=edge.evidence,
            certainty=edge.certainty,
        )
        for edge in edges
    )
    owner = _owner(dictionary, holder)
    tags, suggested = _tags(dictionary, root, holder)
    users = tuple(_users(affected, {each.id: each for each in jobs(dictionary, kind="job", failed=True)}))
    parts = (
        _origin_words(root, near, steps, [names[each] for each in origins]),
        _user_words(root, users),
        f"owner {owner}" if owner else "owner unknown",
        _tag_words(root, tags, suggested),
    )
    return NodeSummary(
        node=root,
        short=short_id(root.id),
        sentence=" · ".join(filter(None, parts)),
        steps=steps,
        origins=origins,
        users=users,
        owner=owner,
        tags=tags,
        suggested=suggested,
        changed=_changed(dictionary, root),
    )


def _how(edge: GraphEdge, names: Mapping[str, str]) -> str:
    """Return what a flow does; a copy into a column of another name is renamed."""
    ends = (names[end].rpartition(".")[2] for end in (edge.source, edge.target))
    renamed = edge.subtype == "IDENTITY" and len(set(ends)) > 1
    return "renamed" if renamed else _EFFECTS.get(edge.subtype, edge.subtype.lower())


def _name(node: GraphNode) -> str:
    return f"{node.name}.{path_name(node.path)}" if node.path else node.name


def _values(near: Lineage) -> tuple[tuple[GraphEdge, ...], tuple[str, ...]]:
    """Return the flows of values from the nearest origin to the root, and all origins."""
    into: dict[str, list[GraphEdge]] = {}
    for edge in near.edges:
        if edge.kind == "column-flow" and edge.type == "DIRECT":
            into.setdefault(edge.target, []).append(edge)
    after: dict[str, GraphEdge | None] = {near.root: None}
    waiting, origins = deque([near.root]), []
    while waiting:
        at = waiting.popleft()
        for edge in into.get(at, ()):
            if edge.source not in after:
                after[edge.source] = edge
                waiting.append(edge.source)
        if at not in into and at != near.root:
            origins.append(at)
    steps: list[GraphEdge] = []
    step = after[origins[0]] if origins else None
    while step is not None:
        steps.append(step)
        step = after[step.target]
    return tuple(steps), tuple(origins)


def _origin_words(root: GraphNode, near: Lineage, steps: tuple[NodeStep, ...], origins: list[str]) -> str:
    if root.kind in _ACTORS:
        read = {edge.source for edge in near.edges if (edge.kind, edge.target) == ("reads", root.id)}
        written = {edge.target for edge in near.edges if (edge.kind, edge.source) == ("writes", root.id)}
        parts = (("reads", read), ("writes", written))
        return ", ".join(f"{verb} {_names(near, ids)}" for verb, ids in parts if ids)
    if root.path is None:
        writers = {edge.source for edge in near.edges if (edge.kind, edge.target) == ("writes", root.id)}
        return f"written by {_names(near, writers)}" if writers else "no known writer"
    if not steps:
        return "no known origin"
    effects = dict.fromkeys(step.how for step in steps)
    counted = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    return f"from {_listed(origins)} in {counted} ({', '.join(effects)})"


def _names(near: Lineage, ids: Collection[str]) -> str:
    return _listed(sorted(_name(each) for each in near.nodes if each.id in ids))


def _users(affected: ImpactList, failed: Mapping[str, GraphNode]) -> Iterable[NodeUser]:
    for each in affected.affected:
        if each.kind in _ACTORS and each.use not in ("writes", "made"):
            yield NodeUser(
                id=each.id,
                kind=each.kind,
                name=each.name,
                use=each.use,
                owner=each.owner,
                state=str(failed[each.id].attributes.get("failed", "failed")) if each.id in failed else "",
            )


def _user_words(root: GraphNode, users: tuple[NodeUser, ...]) -> str:
    if root.kind in _ACTORS:
        return f"feeds {_listed([each.name for each in users])}" if users else ""
    if not users:
        return "no known reader"
    failed = sum(bool(each.state) for each in users)
    return f"read by {_listed([each.name for each in users])}" + (f" ({failed} failed)" if failed else "")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


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
    known: dict[str, None] = {}
    suggested: dict[str, None] = {}
    leaf = path_name(node.path[-1:])
    for row in columns(dictionary, tag="*", tags="all", name=leaf):
        place = row.topic or row.dataset
        if row.path != node.path or place not in (holder[1], "/".join(holder)):
            continue
        known.update(dict.fromkeys((*row.tags, *row.inherited_tags)))
        for tag in row.found_tags:
            (known if tag.certainty == "inherited" else suggested).setdefault(tag.tag)
    return tuple(known), tuple(tag for tag in suggested if tag not in known)


def _tag_words(node: GraphNode, tags: tuple[str, ...], suggested: tuple[str, ...]) -> str:
    if node.path is None:
        return ""
    if tags:
        return ", ".join(tags)
    return f"looks like {', '.join(suggested)}, not tagged" if suggested else "no tag"


def _changed(dictionary: Dictionary, node: GraphNode) -> str:
    """Return when a scan last changed the node; empty if none did since its first scan."""
    if not node.namespace:
        return ""
    rows = history(dictionary, node.id)
    first = min((row.scan for row in rows), default=0)
    return max((row.finished or "" for row in rows if row.scan > first), default="")


_SHORT = 10


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

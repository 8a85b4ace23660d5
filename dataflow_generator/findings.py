"""The findings of the graph that a dictionary holds."""

from __future__ import annotations

import json
from collections.abc import Mapping

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.pieces import topic_key
from dataflow_generator.validation import Finding, Held
from scanner_dictionary.opening import Connection
from scanner_dictionary.queries import graph_level
from scanner_dictionary.queries.graph_level import Level

_NODES = {each.value: each for each in NodeKind}
_EDGES = {each.value: each for each in EdgeKind}


def stored_findings(conn: Connection) -> tuple[Finding, ...]:
    """Validate the stored graph; of it only what stands above the schemas is read, and of that no flows of columns."""
    level = graph_level.upper_level(conn)
    rows = graph_level.upper_nodes(level)
    clusters = {number: space for number, _, kind, space, *_ in rows if kind == "cluster"}
    keys = {number: key for number, key, *_ in rows}
    held = Held(
        names={key: name for _, key, _, _, name, _ in rows},
        kinds={key: _NODES[kind] for _, key, kind, *_ in rows},
        internal={key for _, key, *_, told in rows if told and json.loads(told).get("internal")},
        in_cluster={keys[number] for number in graph_level.contained(level, clusters) if number in keys},
    )
    _take_columns(level, held, keys, frozenset(filter(None, clusters.values())))
    for source, target, kind, way in graph_level.job_edges(level):
        held.use(_EDGES[kind], keys.get(source, f"node:{source}"), keys.get(target, f"node:{target}"), way)
    return held.findings()


def _take_columns(level: Level, held: Held, keys: Mapping[int, str], spaces: frozenset[str]) -> None:
    """Take columns in flows that nobody describes, as far as they are of topics of clusters that have schemas.

    That a column is its topic's its name says: the stored edges that say so are a hundred times as many.
    """
    named = frozenset(graph_level.bare_names(level, spaces))
    topics = {topic_key(space, name): name for space, name in named}
    numbers = [number for number, key in keys.items() if key in topics]
    held.described = {keys[number] for number in graph_level.with_schemas(level, numbers)}
    names = {topics[key] for key in held.described}
    for space, name, key, path in graph_level.bare_columns(level, spaces, names):
        holder = topic_key(space, name)
        if holder in held.described:
            held.suspect(key, tuple(json.loads(path)))
            held.holders[key] = holder

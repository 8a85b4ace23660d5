"""What all of a stored graph was made with: whether it can be brought up to date at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dataflow_generator.hashing import digest
from dataflow_generator.renewal.places import Unrenewable
from dataflow_generator.renewal.program import program
from scanner_dictionary import graph_changes
from scanner_dictionary.graph_parts import made_with
from scanner_dictionary.graph_store import stored_graph
from scanner_dictionary.queries.graph_input import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What the stored graph was made with: *said* bears on all jobs, *definitions* were all there were.

    *said* is empty where one row's jobs cannot be told from those of others. *schemas* are the definitions that have
    nodes.
    """

    said: str
    definitions: str
    schemas: frozenset[int]


def read_made(conn: Connection, sizes: Mapping[int, int]) -> Made:
    """Read it; *sizes* are the columns of each definition now.

    Raises Unrenewable where nothing is told, where another program made it, or where schemas cannot be where this one
    would put them.
    """
    try:
        told = json.loads(made_with(conn) or "")
        made = Made(said=told["said"], definitions=told["definitions"], schemas=frozenset(told["schemas"]))
        last = int(made.definitions.partition("/")[0])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unrenewable from error
    graph = stored_graph(conn)
    before = _definitions({key: count for key, count in sizes.items() if key <= last})
    whole = graph is not None and (graph.nodes, graph.edges) == graph_changes.sizes(conn)
    if not whole or told.get("program") != program() or made.definitions != before:
        raise Unrenewable
    return made


def made_text(said: str, sizes: Mapping[int, int], schemas: Iterable[int]) -> str:
    """Write what a graph is made with now."""
    told = {"program": program(), "said": said, "definitions": _definitions(sizes), "schemas": sorted(schemas)}
    return json.dumps(told)


def _definitions(sizes: Mapping[int, int]) -> str:
    return f"{max(sizes, default=0)}/{digest(list(sizes.items()))}"

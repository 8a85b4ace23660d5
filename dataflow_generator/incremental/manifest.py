"""What all of a stored graph was made with: whether it can be brought up to date at all."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

from dataflow_generator.build.digest import digest
from dataflow_generator.incremental.keys import Unrenewable
from scanner_dictionary.graph import update as graph_changes
from scanner_dictionary.graph.store import stored_graph
from scanner_dictionary.graph.update import build_version
from scanner_dictionary.lineage_inputs.topics import Connection

_PACKAGES = ("dataflow_generator", "scanner_dictionary", "scanner_model")
_LIBRARIES = ("sqlglot",)
_PLUG_INS = "scanner.connectors"


@cache
def program() -> str:
    """Return a hash of everything that the rows of a graph depend on beside the dictionary."""
    taken = hashlib.blake2b(digest_size=16)
    for package in _PACKAGES:
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            for file in sorted(Path(place).rglob("*.py")):
                taken.update(f"{package}/{file.relative_to(place).as_posix()}\n".encode())
                taken.update(file.read_bytes())
    taken.update("\n".join([*map(_library, _LIBRARIES), *_plug_ins()]).encode())
    return taken.hexdigest()


def _library(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} is not installed"


def _plug_ins() -> list[str]:
    found = entry_points(group=_PLUG_INS)
    return sorted(f"{each.name} = {each.value} {each.dist.version if each.dist else ''}" for each in found)


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
        told = json.loads(build_version(conn) or "")
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

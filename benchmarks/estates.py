"""Score what `scanner scan --from` reads of public projects: `python benchmarks/estates.py CLONES TRUTHS`.

CLONES has a directory for each project, called like it; TRUTHS has `truth_NAME.json` files, whose `topics` are names
and `edges` are pairs of `kafka:topic`, `ext:name` or `app:name`, the end of a job. Nothing is committed of either.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scanner_api.dictionary import Dictionary
from scanner_api.graph.generate import generate
from scanner_api.scanning.run import scan
from scanner_dictionary.graph.reader import SqlGraphReader

_READS, _WRITES = "reads", "writes"


class End(NamedTuple):
    """A node of a flow: its *kind* is topic, dataset or job."""

    kind: str
    namespace: str
    name: str


class Score(NamedTuple):
    """What of one project was found: flows and topics of the truth, and of the stated flows those that are right."""

    name: str
    flows: tuple[int, int]
    topics: tuple[int, int]
    stated: tuple[int, int]


def flows_of(directory: Path) -> tuple[set[tuple[End, End]], set[str]]:
    """Return the flows that the files of *directory* declare, through jobs and to the ends of jobs, and the topics."""
    with tempfile.TemporaryDirectory() as place:
        dictionary = Dictionary(str(Path(place) / "d.db"))
        scan([], dictionary, directories=[directory])
        generate(dictionary)
        with dictionary.reading() as conn:
            rows = SqlGraphReader(conn)
            nodes = {node.id: End(node.kind, node.namespace, node.name) for node in rows.all_nodes()}
            edges = [edge for edge in rows.all_edges() if edge.kind in (_READS, _WRITES)]
    inputs: dict[int, set[tuple[End, str]]] = {}
    outputs: dict[int, set[tuple[End, str]]] = {}
    for edge in edges:
        reads = edge.kind == _READS
        job, other = (edge.target_node_id, edge.source_node_id) if reads else (edge.source_node_id, edge.target_node_id)
        (inputs if reads else outputs).setdefault(job, set()).add((nodes[other], edge.subtype or ""))
    pairs: set[tuple[End, End]] = set()
    for job in {*inputs, *outputs}:
        read, written = inputs.get(job, set()), outputs.get(job, set())
        pairs |= {(one, nodes[job]) for one, _ in read} | {(nodes[job], one) for one, _ in written}
        # The ways through a job: each output comes from the inputs of its own way.
        pairs |= {(one, two) for one, way in read for two, other in written if not way or not other or way == other}
    return pairs, {end.name for end in nodes.values() if end.kind == "topic"}


def is_end(truth: str, end: End) -> bool:
    """Return whether *end* is what the truth names."""
    kind, _, name = truth.partition(":")
    if kind == "kafka":
        return end.kind == "topic" and end.name == name
    if kind == "app":
        return end.kind == "job" and end.name.casefold().endswith(name.casefold())
    full = f"{end.namespace}/{end.name}".casefold()
    named = full.endswith(name.casefold()) or all(part in full for part in name.casefold().split("/"))
    return end.kind != "job" and named


def score(name: str, truth: dict[str, Any], directory: Path) -> Score:
    """Score the project called *name*."""
    pairs, topics = flows_of(directory)
    edges = [(source, target) for source, target, *_ in truth["edges"]]
    found = [edge for edge in edges if any(is_end(edge[0], one) and is_end(edge[1], two) for one, two in pairs)]
    stated = [(one, two) for one, two in pairs if "job" not in (one.kind, two.kind)]
    right = [pair for pair in stated if any(is_end(one, pair[0]) and is_end(two, pair[1]) for one, two in edges)]
    named = [topic for topic in truth["topics"] if topic in topics]
    return Score(name, (len(found), len(edges)), (len(named), len(truth["topics"])), (len(right), len(stated)))


def scores(clones: Path, truths: Path) -> Iterator[Score]:
    """Yield the score of each project that is there."""
    for file in sorted(truths.glob("truth_*.json")):
        truth = json.loads(file.read_text(encoding="utf-8"))
        name = file.stem.removeprefix("truth_")
        if (clones / name).is_dir():
            yield score(name, truth, clones / name)
        else:
            print(f"{name}: there is no {clones / name}", file=sys.stderr)


def main() -> None:
    """Print a line for each project, and their sums."""
    clones, truths = map(Path, sys.argv[1:3])
    print(f"{'PROJECT':24}{'FLOWS':>10}{'TOPICS':>10}{'RIGHT OF STATED':>18}")
    listed = []
    for row in scores(clones, truths):
        listed.append(row)
        print(f"{row.name:24}" + "".join(f"{part}/{whole}".rjust(width) for (part, whole), width in _columns(row)))
    sums = [tuple(map(sum, zip(*column, strict=True))) for column in zip(*(row[1:] for row in listed), strict=True)]
    shown = (f"{part}/{whole}".rjust(width) for (part, whole), width in zip(sums, _WIDTHS, strict=True))
    print(f"{'all':24}" + "".join(shown))


_WIDTHS = (10, 10, 18)


def _columns(row: Score) -> Iterator[tuple[tuple[int, int], int]]:
    yield from zip(row[1:], _WIDTHS, strict=True)


if __name__ == "__main__":
    main()

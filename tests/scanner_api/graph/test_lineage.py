"""Impact reads the column flows of a stored graph in one query, and finds what it finds edge by edge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import scanner_api
from dataflow_generator.query.impact import Root
from dataflow_generator.stored.impact import Impact, impact_from
from scanner_api.dictionary import Dictionary
from scanner_dictionary.graph.reader import SqlGraphReader

EXAMPLE = Path(__file__).parents[3] / "examples/retail"


@dataclass(frozen=True, slots=True)
class EdgeByEdge(SqlGraphReader):
    """The stored graph, as a graph is read whose edges may differ from it."""

    as_stored: ClassVar[bool] = False


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the example, and generate its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("impact") / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def written(impact: Impact) -> list[object]:
    """Return what is affected, each with the route to it."""
    return [(affected[:4], affected.trace(), affected.groups) for affected in impact.affected]


def test_both_ways_of_reading_column_flows_find_the_same(retail) -> None:
    with retail.reading() as conn:
        stored, by_edges = SqlGraphReader(conn), EdgeByEdge(conn)
        nodes = [node for node in stored.all_nodes() if node.kind in ("topic", "dataset", "job", "consumer-group")]
        found = {}
        for node in nodes:
            root: Root[int] = Root(node=node.id, is_job=node.kind not in ("topic", "dataset"))
            found[node.node_key] = impact_from(stored, root)
            assert written(found[node.node_key]) == written(impact_from(by_edges, root))

    assert sum(len(impact.affected) for impact in found.values()) > 200

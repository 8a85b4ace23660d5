"""`scanner lineage` and `scanner export` of a graph in Parquet files: byte for byte the answers of the stored one."""

import json
import shutil
from pathlib import Path

import pytest

from scanner_cli.main import run

PARTS = {"from": {"topic": "orders", "column": "id"}, "to": {"topic": "clicks", "column": "order"}, "job": "join"}


@pytest.fixture(scope="module")
def kept(scanned, tmp_path_factory):
    """Return the options that name the same graph in a dictionary and in files."""
    home = tmp_path_factory.mktemp("kept")
    flows = [{"from": "orders", "to": "clicks", "job": "join"}, PARTS]
    (home / "manual.json").write_text(json.dumps({"cluster": "shop", "topics": ["clicks"], "flows": flows}))
    (home / "cluster.json").write_text(scanned.config.read_text())
    stored = ("--dictionary", home / "own.db")
    scan = ("extract", "--config", home / "cluster.json", "--replay", scanned.captures[0], "--quiet", *stored)
    files = ("dataflow", "--store", "--format", "parquet", "--output", home / "flow", *stored)
    assert [run(list(map(str, line))) for line in (scan, files)] == [0, 0]
    return stored, ("--graph", home / "flow")


@pytest.mark.parametrize(
    "line",
    [
        ("lineage", "orders"),
        ("lineage", "clicks", "--upstream", "--columns", "--evidence"),
        ("lineage", "kafka-2/orders", "--depth", 1, "--format", "json"),
        ("lineage", "orders.id", "--both", "--format", "json"),
        ("lineage", "orders", "--impact", "--format", "json"),
        ("lineage", "orders.id", "--impact", "--evidence"),
        ("lineage", "join", "--downstream"),
        *(("export", "--format", name) for name in ("json", "csv", "graphml", "dot", "mermaid", "html")),
        ("export", "--format", "json", "--node", "clicks", "--depth", 1),
        ("export", "--format", "csv", "--cluster", "shop"),
    ],
    ids=lambda line: " ".join(map(str, line)),
)
def test_files_are_asked_as_the_dictionary_is(line, kept, scanner) -> None:
    """Who has the files only gets the same answer."""
    stored, files = (scanner(*line, *place) for place in kept)

    assert (files.status, files.out) == (stored.status, stored.out)
    assert files.out


def test_events_take_the_graph_from_files_and_the_rest_from_the_dictionary(kept, scanner) -> None:
    """Schemas of topics and the time of a scan are no part of a graph."""
    stored, files = kept
    said = scanner("export", "--format", "openlineage", *stored, *files)

    assert said.out == scanner("export", "--format", "openlineage", *stored).out
    assert said.status == 0


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        (("lineage", "orderz"), 4, "'orders'"),
        (("lineage", "orders.idd"), 4, "orders.id"),
        (("export", "--cluster", "shopp", "--format", "dot"), 4, "knows no cluster 'shopp' (did you mean 'shop'?)"),
        (("export", "--format", "h2"), 2, "h2 is the dictionary, and --graph is a graph"),
    ],
    ids=lambda each: each[1] if isinstance(each, tuple) else "",
)
def test_a_mistake_is_named_with_what_to_do(line, status, said, kept, scanner) -> None:
    """As of the dictionary's graph."""
    found = scanner(*line, *kept[1])

    assert (found.status, found.out) == (status, "")
    assert said in found.err


def test_a_directory_without_a_graph_names_what_makes_one(scanner, tmp_path) -> None:
    """Half of the people name the wrong one."""
    said = scanner("lineage", "orders", "--graph", tmp_path)

    assert (said.status, said.out) == (2, "")
    assert "scanner dataflow --format parquet --output DIR" in said.err


def test_components_are_counted_for_people_and_programs(kept, scanner) -> None:
    """What is of no concern to each other can be looked at apart."""
    said = scanner("lineage", "--components", *kept[1])
    told = scanner("lineage", "--components", "--format", "json", *kept[0])

    assert said.out.splitlines()[0].split() == ["COMPONENT", "NODES", "TOPICS", "DATASETS", "JOBS", "GROUPS"]
    assert "1 components" in said.err
    sizes = {"nodes": 3, "topics": 2, "datasets": 0, "jobs": 1, "groups": 0}
    assert told.json == [{"component": "topic:kafka://kafka-1:9092/clicks"} | sizes]


@pytest.mark.parametrize("line", [("orders", "--components"), ()])
def test_components_are_of_all_and_lineage_is_of_a_node(line, scanner, dictionary) -> None:
    """Neither is guessed."""
    said = scanner("lineage", *line, *dictionary)

    assert said.status == 2
    assert "--components" in said.err


def test_a_kind_that_only_a_newer_scanner_knows_is_told(kept, scanner, tmp_path) -> None:
    """No traceback, whatever lies in the files."""
    newer = Path(shutil.copytree(kept[1][1], tmp_path / "newer"))
    nodes = newer / "graph.parquet" / "nodes"
    (nodes / "kind=topic").rename(nodes / "kind=lake")
    said = scanner("export", "--format", "json", "--graph", newer)

    assert said.status == 2
    assert "'lake' is not a valid NodeKind" in said.err

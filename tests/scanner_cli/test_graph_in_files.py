"""`scanner lineage` and `scanner export` of a graph in Parquet files: byte for byte the answers of the stored one."""

import json
import re
import shutil
from pathlib import Path

import pytest

from scanner_cli.main import run

PARTS = {"from": {"topic": "orders", "column": "id"}, "to": {"topic": "clicks", "column": "order"}, "job": "join"}


@pytest.fixture(scope="module")
def graph_options(scanned, tmp_path_factory):
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
def test_queries_read_files_as_they_read_the_dictionary(line, graph_options, scanner) -> None:
    """A user who has only the files gets the same answer."""
    stored, files = (scanner(*line, *option) for option in graph_options)

    assert files.status == stored.status
    assert without_state(files.out) == without_state(stored.out) != ""


def without_state(output: str) -> str:
    """Return output without what only the dictionary knows of a node: numbers of edges, and what is stale."""
    return re.sub(r'"(upstream|downstream|stale)": ("[^"]*"|\d+|null),\s*', "", output)


def test_events_take_the_graph_from_files_and_the_rest_from_the_dictionary(graph_options, scanner) -> None:
    """Schemas of topics and the time of a scan are no part of a graph."""
    stored, files = graph_options
    result = scanner("export", "--format", "openlineage", *stored, *files)

    assert result.out == scanner("export", "--format", "openlineage", *stored).out
    assert result.status == 0


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        (("lineage", "orderz"), 4, "'orders'"),
        (("lineage", "orders.idd"), 4, "orders.id"),
        (("export", "--cluster", "shopp", "--format", "dot"), 4, "knows no cluster 'shopp' (did you mean 'shop'?)"),
        (("export", "--format", "h2"), 2, "h2 is the dictionary, and --graph is a graph"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_usage_error_names_the_next_step(line, status, message, graph_options, scanner) -> None:
    """As of the dictionary's graph."""
    result = scanner(*line, *graph_options[1])

    assert (result.status, result.out) == (status, "")
    assert message in result.err


def test_a_directory_without_a_graph_names_what_makes_one(scanner, tmp_path) -> None:
    """An ambiguous name is a common error."""
    result = scanner("lineage", "orders", "--graph", tmp_path)

    assert (result.status, result.out) == (2, "")
    assert "scanner dictionary dataflow --format parquet --output DIR" in result.err


def test_components_are_counted_for_people_and_programs(graph_options, scanner) -> None:
    """Unconnected parts of a graph can be reviewed separately."""
    result = scanner("lineage", "--components", *graph_options[1])
    components = scanner("lineage", "--components", "--format", "json", *graph_options[0])

    assert result.out.splitlines()[0].split() == ["COMPONENT", "NODES", "TOPICS", "DATASETS", "JOBS", "GROUPS"]
    assert "1 components" in result.err
    sizes = {"nodes": 3, "topics": 2, "datasets": 0, "jobs": 1, "groups": 0}
    assert components.json == [{"component": "topic:kafka://kafka-1:9092/clicks"} | sizes]


@pytest.mark.parametrize("line", [("orders", "--components"), ()])
def test_components_are_of_all_and_lineage_is_of_a_node(line, scanner, dictionary) -> None:
    """Neither is guessed."""
    result = scanner("lineage", *line, *dictionary)

    assert result.status == 2
    assert "--components" in result.err


def test_a_kind_of_a_newer_version_is_reported(graph_options, scanner, tmp_path) -> None:
    """No traceback, whatever the files contain."""
    newer = Path(shutil.copytree(graph_options[1][1], tmp_path / "newer"))
    nodes = newer / "graph.parquet" / "nodes"
    (nodes / "kind=topic").rename(nodes / "kind=lake")
    result = scanner("export", "--format", "json", "--graph", newer)

    assert result.status == 2
    assert "'lake' is not a valid NodeKind" in result.err

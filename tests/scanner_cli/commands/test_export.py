"""`scanner export`: which part of what is written, where, and what it says where it cannot."""

import csv
import json
import shutil

import pytest

from dataflow_generator.render import OUTPUTS
from scanner_cli.main import run


@pytest.fixture(scope="module")
def generated(scanned, tmp_path_factory):
    """Scan and generate once: give the directory of the dictionary, and the arguments that scan it again."""
    home = tmp_path_factory.mktemp("generated")
    topics = ["clicks", "sensors"]
    flows = [{"from": "orders", "to": "clicks", "job": "copy"}]
    (home / "manual.json").write_text(json.dumps({"cluster": "shop", "topics": topics, "flows": flows}))
    (home / "cluster.json").write_text(scanned.config.read_text())
    scan = ("scan", "--quiet", "--config", home / "cluster.json", "--replay", scanned.captures[0])
    formats = [f"--format={name}" for name in OUTPUTS]
    dictionary = ("--dictionary", home / "own.db")
    assert run(list(map(str, (*scan, *dictionary)))) == 0
    assert run(list(map(str, ("dataflow", *dictionary, "--output", home / "flow", *formats)))) == 0
    return home, scan


@pytest.fixture
def graph_options(generated):
    """Return the option that names a dictionary with a graph that holds a flow; no test writes it."""
    return "--dictionary", generated[0] / "own.db"


@pytest.mark.parametrize("name", [name for name in OUTPUTS if name != "csv"])
def test_the_stored_graph_is_written_as_when_it_was_generated(
    generated, graph_options, scanner, tmp_path, name
) -> None:
    """The same bytes, to a file or to standard output, whether the format is said or the file's ending tells it."""
    out = tmp_path / f"out.{name}"
    result = scanner("export", "-o", out, *graph_options)
    piped = scanner("export", "--format", name, *graph_options)

    assert (result.status, result.out) == (0, "")
    assert out.read_text() == piped.out == (generated[0] / "flow" / f"graph.{name}").read_text()


def test_csv_is_edges_in_a_file_and_two_files_in_a_directory(graph_options, scanner, tmp_path) -> None:
    """One sheet that can be read alone, or everything."""
    (tmp_path / "sheets").mkdir()
    assert scanner("export", "-o", tmp_path / "edges.csv", *graph_options).status == 0
    assert scanner("export", "--format", "csv", "-o", tmp_path / "sheets", *graph_options).status == 0

    edges = list(csv.DictReader((tmp_path / "edges.csv").open()))
    assert ("orders", "copy") in {(edge["source"], edge["target"]) for edge in edges}
    assert sorted(file.name for file in (tmp_path / "sheets").iterdir()) == ["edges.csv", "nodes.csv"]


def test_a_part_is_selected_by_a_node_or_a_cluster(graph_options, scanner) -> None:
    """A picture of everything is of no use to somebody who asks about one topic."""
    neighbours = scanner("export", "--format", "json", "--node", "clicks", "--depth", 1, *graph_options).json
    of_cluster = scanner("export", "--format", "json", "--cluster", "shop", *graph_options).json

    assert [node["name"] for node in neighbours["nodes"]] == ["shop", "clicks", "copy"]
    assert {node["name"] for node in of_cluster["nodes"]} >= {"orders", "clicks", "sensors", "copy"}


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 2, "the format is not known"),
        (("-o", "graph.doc"), 2, "the format is not known"),
        (("--format", "jsn"), 2, "json"),
        (("--format", "json", "--node", "clickz"), 4, "'clicks'"),
        (("--format", "json", "--cluster", "shopp"), 4, "'shop'"),
        (("--format", "json", "--node", "clicks", "--cluster", "shop"), 2, "choose one"),
        (("--format", "json", "--depth", "2"), 2, "--node"),
        (("--format", "h2", "--node", "clicks"), 2, "the whole dictionary"),
        (("--format", "parquet"), 2, "directory"),
        (("-o", "no/such/graph.html"), 2, "graph.html"),
    ],
)
def test_invalid_arguments_are_reported_with_the_next_step(graph_options, scanner, arguments, status, message) -> None:
    """Nothing is on stdout, nothing is written."""
    result = scanner("export", *arguments, *graph_options)

    assert (result.status, result.out) == (status, "")
    assert message in result.err


def test_without_a_graph_it_names_the_command_that_generates_one(scanner, dictionary) -> None:
    """Nothing is known, which is not: nothing flows."""
    result = scanner("export", "--format", "html", *dictionary)

    assert (result.status, result.out) == (4, "")
    assert "run `scanner dictionary dataflow`" in result.err


def test_a_graph_older_than_the_newest_scan_is_reported_on_stderr(generated, graph_options, scanner, tmp_path) -> None:
    """The answer is still the answer."""
    own = ("--dictionary", shutil.copy(graph_options[1], tmp_path / "copy.db"))
    fresh = scanner("export", "--format", "json", *own)
    scanner(*generated[1], "--no-graph", *own)
    stale = scanner("export", "--format", "json", *own)

    assert fresh.err == ""
    assert "older than the newest scan" in stale.err
    assert (stale.status, stale.out) == (0, fresh.out)


def test_the_tables_are_those_of_the_dictionarys_own_export(graph_options, scanner, tmp_path) -> None:
    """One implementation under two names."""
    assert scanner("export", "-o", tmp_path / "dictionary.sql", *graph_options).status == 0
    assert scanner("export", "-o", tmp_path / "all.parquet", *graph_options).status == 0

    assert (tmp_path / "dictionary.sql").read_text() == scanner(
        "dictionary", "export", "--format", "h2", "-o", "-", *graph_options
    ).out
    assert (tmp_path / "all.parquet" / "flow_node.parquet").is_file()

"""`scanner dataflow`: which engine is taken, from what it reads, and where the graph goes."""

import json
from pathlib import Path

import pytest

from scanner_api.graph.engines import LARGE


def test_auto_keeps_a_small_dictionary_here_and_says_why(scanner, own_dictionary, tmp_path, monkeypatch) -> None:
    """A JVM takes seconds to start; where Java cannot be found, it would be an error."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    said = scanner("dataflow", "--dictionary", str(own_dictionary))

    assert said.status == 0
    assert "engine local: " in said.err
    assert f"columns (Spark from {LARGE})" in said.err


def test_spark_without_java_says_what_to_do(scanner, scanned, tmp_path, monkeypatch) -> None:
    """No traceback for what is not installed."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    said = scanner("dataflow", "--engine", "spark", "--dictionary", str(scanned.dictionary))

    assert (said.status, said.out) == (2, "")
    assert "Java not found" in said.err


def test_parquet_alone_leaves_the_dictionary_as_it_is(scanner, scanned, tmp_path) -> None:
    """Of a large graph nothing goes through one process."""
    said = scanner(
        "dataflow", "--format", "parquet", "--output", str(tmp_path), "--dictionary", str(scanned.dictionary)
    )

    assert said.out == f"{tmp_path / 'graph.parquet'}\n"
    assert "stored" not in said.err
    about = json.loads((tmp_path / "graph.parquet" / "_about.json").read_text())
    assert about["nodes"] > 0


def test_a_second_run_writes_the_same_files(scanner, own_dictionary, tmp_path) -> None:
    """Schemas keep their rows in between; the answer on stdout is the files as before."""
    line = ("dataflow", "--dictionary", str(own_dictionary), "--output")
    runs = [scanner(*line, str(tmp_path / name)) for name in "ab"]

    assert [run.status for run in runs] == [0, 0]
    for file in ("graph.json", "graph.dot"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
        assert str(tmp_path / "b" / file) in runs[1].out


def test_a_second_parquet_graph_takes_the_place_of_the_first(scanner, scanned, tmp_path) -> None:
    """What an older program left there goes with it."""
    line = ("dataflow", "--format", "parquet", "--output", tmp_path, "--dictionary", scanned.dictionary)
    assert scanner(*map(str, line)).status == 0
    (tmp_path / "graph.parquet" / "_made.parquet").touch()

    assert scanner(*map(str, line)).status == 0
    assert sorted(each.name for each in (tmp_path / "graph.parquet").iterdir()) == ["_about.json", "edges", "nodes"]


def test_parquet_needs_a_directory(scanner, scanned) -> None:
    """It cannot go anywhere else."""
    said = scanner("dataflow", "--format", "parquet", "--dictionary", str(scanned.dictionary))

    assert said.status == 2
    assert "add --output DIR" in said.err


def test_a_snapshot_gives_the_graph_of_its_dictionary(scanner, scanned, tmp_path) -> None:
    """A cluster that cannot reach the database makes the same files."""
    scanner(
        "dictionary",
        "export",
        "--format",
        "parquet",
        "-o",
        str(tmp_path / "tables"),
        "--dictionary",
        str(scanned.dictionary),
    )
    read = {"here": ("--dictionary", str(scanned.dictionary)), "there": ("--snapshot", str(tmp_path / "tables"))}
    for name, source in read.items():
        assert scanner("dataflow", "--no-store", "--output", str(tmp_path / name), *source).status == 0

    assert (tmp_path / "here" / "graph.json").read_bytes() == (tmp_path / "there" / "graph.json").read_bytes()


def test_a_snapshot_of_something_else_is_refused(scanner, tmp_path) -> None:
    """The hint says what makes one."""
    said = scanner("dataflow", "--snapshot", str(tmp_path), "--no-store", "--output", str(Path(tmp_path) / "out"))

    assert said.status == 2
    assert "scanner dictionary export --format parquet" in said.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--engine", "local"), "use --engine spark"),
        (("--spark-remote", "sc://k"), "does not let its clients swap tables"),
        (("--jdbc-url", "jdbc:derby:x"), "--jdbc-driver"),
    ],
)
def test_a_database_that_cannot_be_written_is_refused_before_any_work(options, said, scanner, dictionary) -> None:
    """Only Spark's own driver has a way to swap tables."""
    found = scanner("dataflow", "--jdbc-url", "jdbc:postgresql://db/x", *options, *dictionary)

    assert (found.status, found.out) == (2, "")
    assert said in found.err


def test_a_database_calls_for_spark_and_that_is_said(scanner, dictionary, tmp_path, monkeypatch) -> None:
    """However small the dictionary is."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    said = scanner("dataflow", "--jdbc-url", "jdbc:postgresql://db/x", *dictionary)

    assert "engine spark: its tasks write to --jdbc-url" in said.err
    assert "Java not found" in said.err

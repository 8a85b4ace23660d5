"""`scanner dictionary dataflow`: which engine is taken, from what it reads, and where the graph goes."""

import json
from pathlib import Path

import pytest

from scanner_api.graph.generate import LARGE


def test_auto_chooses_this_process_for_a_small_dictionary_and_reports_why(
    scanner, own_dictionary, tmp_path, monkeypatch
) -> None:
    """A JVM takes seconds to start; where Java cannot be found, it would be an error."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    line = ("dataflow", "--format", "parquet", "--output", str(tmp_path), "--dictionary", str(own_dictionary))
    result = scanner(*line)

    assert result.status == 0
    assert "engine local: " in result.err
    assert f"columns (Spark from {LARGE})" in result.err


def test_auto_chooses_this_process_for_the_dictionary_whatever_its_size(scanner, own_dictionary) -> None:
    """Ten million columns are stored in 185 s without Spark, in 474 s with it: one process writes them either way."""
    result = scanner("dataflow", "--dictionary", str(own_dictionary))

    assert result.status == 0
    assert "engine" not in result.err


def test_spark_without_java_names_the_next_step(scanner, scanned, tmp_path, monkeypatch) -> None:
    """No traceback for what is not installed."""
    pytest.importorskip("pyspark", reason="needs PySpark: the extra `spark`")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = scanner("dataflow", "--engine", "spark", "--dictionary", str(scanned.dictionary))

    assert (result.status, result.out) == (2, "")
    assert "Java not found" in result.err


def test_parquet_alone_leaves_the_dictionary_as_it_is(scanner, scanned, tmp_path) -> None:
    """Of a large graph nothing goes through one process."""
    result = scanner(
        "dataflow", "--format", "parquet", "--output", str(tmp_path), "--dictionary", str(scanned.dictionary)
    )

    assert result.out == f"{tmp_path / 'graph.parquet'}\n"
    assert "stored" not in result.err
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


def test_a_second_parquet_graph_replaces_the_first(scanner, scanned, tmp_path) -> None:
    """Nothing of it stays."""
    line = ("dataflow", "--format", "parquet", "--output", tmp_path, "--dictionary", scanned.dictionary)
    assert scanner(*map(str, line)).status == 0
    (tmp_path / "graph.parquet" / "edges" / "old.parquet").touch()

    assert scanner(*map(str, line)).status == 0
    assert sorted(path.name for path in (tmp_path / "graph.parquet").iterdir()) == ["_about.json", "edges", "nodes"]
    assert not (tmp_path / "graph.parquet" / "edges" / "old.parquet").exists()


def test_parquet_needs_a_directory(scanner, scanned) -> None:
    """It cannot go anywhere else."""
    result = scanner("dataflow", "--format", "parquet", "--dictionary", str(scanned.dictionary))

    assert result.status == 2
    assert "add --output DIR" in result.err


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
    """The hint names the command that writes one."""
    result = scanner("dataflow", "--snapshot", str(tmp_path), "--no-store", "--output", str(Path(tmp_path) / "out"))

    assert result.status == 2
    assert "scanner dictionary export --format parquet" in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--engine", "local"), "use --engine spark"),
        (("--spark-remote", "sc://k"), "does not let its clients swap tables"),
        (("--jdbc-url", "jdbc:derby:x"), "--jdbc-driver"),
    ],
)
def test_a_database_that_cannot_be_written_is_refused_before_any_work(options, message, scanner, dictionary) -> None:
    """Only Spark's own driver has a way to swap tables."""
    result = scanner("dataflow", "--jdbc-url", "jdbc:postgresql://db/x", *options, *dictionary)

    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_a_database_selects_spark_with_a_message(scanner, dictionary, tmp_path, monkeypatch) -> None:
    """However small the dictionary is."""
    pytest.importorskip("pyspark", reason="needs PySpark: the extra `spark`")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = scanner("dataflow", "--jdbc-url", "jdbc:postgresql://db/x", *dictionary)

    assert "engine spark: its tasks write to --jdbc-url" in result.err
    assert "Java not found" in result.err

"""`scanner dictionary`: what it is, and the whole of it for other programs."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from waiting import PATIENCE


def test_info_shows_revision_size_clusters_and_sources(scanner, scanned, dictionary) -> None:
    """The first question about somebody else's dictionary."""
    document = scanner("dictionary", "info", "--format", "json", *dictionary).json

    assert document["dictionary"] == str(scanned.dictionary)
    assert document["revision"]
    assert document["bytes"] == scanned.dictionary.stat().st_size
    assert document["clusters"][0]["brokers"] == ["kafka-1:9092", "kafka-2:9092"]
    assert [source["kind"] for source in document["sources"]] == ["manual", "schema_registry"]
    assert document["counts"]["topics"] == 3
    assert document["counts"]["graph_nodes"] == 0


def test_info_shows_since_when_and_why_a_source_is_stale(scanner, scanned, own_dictionary) -> None:
    """Its earlier facts are still shown everywhere."""
    scanner(*scanned.replay(own_dictionary), "--skip", "schema_registry", "--quiet")
    result = scanner("dictionary", "info", "--dictionary", own_dictionary)
    line = next(line for line in result.out.splitlines() if "schema_registry:" in line)

    assert "revision" in result.out.splitlines()[0]
    assert line.split()[-3:] == ["3", "not", "chosen"]


def test_h2_script_is_written_as_a_file_or_to_stdout(scanner, dictionary, tmp_path) -> None:
    """The same bytes, whichever way."""
    result = scanner("dictionary", "export", "--format", "h2", "-o", "-", *dictionary)
    scanner("dictionary", "export", "--format", "h2", "-o", tmp_path / "d.sql", *dictionary)

    assert result.status == 0
    assert (tmp_path / "d.sql").read_text("utf-8") == result.out
    with sqlite3.connect(":memory:") as conn:
        conn.executescript(result.out)
        assert conn.execute("SELECT count(*) FROM topic").fetchone() == (3,)


def test_parquet_is_a_directory_of_files(scanner, dictionary, tmp_path) -> None:
    """One for each table."""
    pytest.importorskip("pyarrow", reason="pip install 'kafka-lineage-scanner[parquet]' runs this")
    result = scanner("dictionary", "export", "--format", "parquet", "-o", tmp_path / "tables", *dictionary)

    assert (result.status, result.out) == (0, "")
    assert (tmp_path / "tables" / "topic.parquet").is_file()


@pytest.mark.parametrize(
    ("style", "path", "words"),
    [
        ("parquet", "-", "Parquet is a directory of files"),
        ("parquet", "file", "is a file, and a directory is wanted"),
        ("h2", "none/d.sql", "cannot be written"),
        ("h2", ".", "is a directory, and a file is wanted"),
        ("parqet", "tables", "did you mean 'parquet'?"),
    ],
)
def test_an_export_to_an_unusable_path_is_one_line(style, path, words, scanner, dictionary, tmp_path) -> None:
    """And nothing is left behind."""
    (tmp_path / "file").touch()
    output = path if path == "-" else tmp_path / path
    result = scanner("dictionary", "export", "--format", style, "-o", output, *dictionary)

    assert (result.status, result.err.count("\n")) == (2, 1)
    assert words in result.err
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_source_is_forgotten_by_its_name(scanner, scanned, own_dictionary) -> None:
    """Its topics are deleted; the graph has to be generated again."""
    result = scanner("dictionary", "forget", "manual:manual.json", "--dictionary", own_dictionary)
    listed = scanner("topics", "--dictionary", own_dictionary, "--format", "json").json

    assert (result.status, result.out) == (0, "")
    assert result.err.splitlines()[0] == "shop: scan 3 forgets manual:manual.json: 2 facts are marked as deleted"
    assert [row["name"] for row in listed] == ["orders"]


@pytest.mark.parametrize("arguments", [("manual:manul.json",), ("manual:manual.json", "--cluster", "shopp")])
def test_what_is_not_known_cannot_be_forgotten(arguments, scanner, own_dictionary) -> None:
    """Nothing is written then."""
    before = own_dictionary.read_bytes()
    result = scanner("dictionary", "forget", *arguments, "--dictionary", own_dictionary)

    assert result.status == 4
    assert "did you mean" in result.err
    assert own_dictionary.read_bytes() == before


def test_a_dictionary_is_copied_into_a_new_file(scanner, scanned, dictionary, tmp_path) -> None:
    """Rows are compared table by table, and the copy answers as the original does."""
    target = tmp_path / "copy.db"
    result = scanner("dictionary", "copy", scanned.dictionary, target, "--format", "json")
    query = ("query", "--broker", "kafka-1", "--topic", "orders", "--format", "json")

    assert result.status == 0
    assert all(table["source_rows"] == table["target_rows"] for table in result.json["tables"])
    assert {table["table"]: table["target_rows"] for table in result.json["tables"]}["topic"] == 3
    assert result.err.endswith(f" tables copied to {target}\n")
    assert scanner(*query, "--dictionary", target).out == scanner(*query, *dictionary).out


@pytest.mark.parametrize(
    ("source", "target", "status", "words"),
    [
        ("own.db", "own.db", 2, "the target is not empty"),
        ("none.db", "copy.db", 1, "the dictionary does not exist"),
        ("own.db", "none/copy.db", 1, "directory does not exist"),
        ("own.db", "mysql://u:hidden@h/d", 2, "cannot be stored in 'mysql'"),
    ],
)
def test_a_copy_that_cannot_be_made_is_one_line(source, target, status, words, scanner, own_dictionary) -> None:
    """And nothing is changed."""
    before, home = own_dictionary.read_bytes(), own_dictionary.parent
    names = [name if ":" in name else home / name for name in (source, target)]
    result = scanner("dictionary", "copy", *names)

    assert (result.status, result.out, result.err.count("\n")) == (status, "", 1)
    assert words in result.err
    assert "hidden" not in result.err
    assert own_dictionary.read_bytes() == before
    assert [file.name for file in home.iterdir()] == ["own.db"]


@pytest.mark.process
def test_ctrl_c_during_a_copy_reports_what_to_do(own_dictionary, tmp_path) -> None:
    """The copy waits for another writer of the target, and is interrupted meanwhile."""
    target = tmp_path / "copy.db"
    line = [sys.executable, "-c", "from scanner_cli.main import main; main()", "dictionary", "copy"]
    subprocess.run([*line, str(own_dictionary), str(target)], check=True, capture_output=True)
    with closing(sqlite3.connect(target, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with subprocess.Popen([*line, str(own_dictionary), str(target)], stderr=subprocess.PIPE, text=True) as copying:
            assert copying.stderr.readline().startswith("waiting up to 600 s")
            copying.send_signal(signal.SIGINT)
            _, message = copying.communicate(timeout=PATIENCE)

    assert copying.returncode == 1
    assert message == f"error: {target}: interrupted (nothing was copied: run it again)\n"

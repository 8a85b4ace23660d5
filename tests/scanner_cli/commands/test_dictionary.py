"""`scanner dictionary`: what it is, and the whole of it for other programs."""

import sqlite3

import pytest


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

"""`scanner dictionary`: what it is, and the whole of it for other programs."""

import sqlite3

import pytest


def test_info_tells_revision_size_clusters_and_sources(scanner, scanned, dictionary) -> None:
    """The first thing that anybody asks who did not scan it."""
    document = scanner("dictionary", "info", "--format", "json", *dictionary).json

    assert document["dictionary"] == str(scanned.dictionary)
    assert document["revision"]
    assert document["bytes"] == scanned.dictionary.stat().st_size
    assert document["clusters"][0]["brokers"] == ["kafka-1:9092", "kafka-2:9092"]
    assert [source["kind"] for source in document["sources"]] == ["manual", "schema_registry"]
    assert document["counts"]["topics"] == 3
    assert document["counts"]["graph_nodes"] == 0


def test_info_says_since_when_and_why_a_source_is_stale(scanner, scanned, own_dictionary) -> None:
    """What it told earlier is still shown everywhere."""
    scanner(*scanned.replay(own_dictionary), "--skip", "schema_registry", "--quiet")
    said = scanner("dictionary", "info", "--dictionary", own_dictionary)
    line = next(line for line in said.out.splitlines() if "schema_registry:" in line)

    assert "revision" in said.out.splitlines()[0]
    assert line.split()[-3:] == ["3", "not", "chosen"]


def test_h2_script_is_written_as_a_file_or_to_stdout(scanner, dictionary, tmp_path) -> None:
    """The same bytes, whichever way."""
    said = scanner("dictionary", "export", "--format", "h2", "-o", "-", *dictionary)
    scanner("dictionary", "export", "--format", "h2", "-o", tmp_path / "d.sql", *dictionary)

    assert said.status == 0
    assert (tmp_path / "d.sql").read_text("utf-8") == said.out
    with sqlite3.connect(":memory:") as conn:
        conn.executescript(said.out)
        assert conn.execute("SELECT count(*) FROM topic").fetchone() == (3,)


def test_parquet_is_a_directory_of_files(scanner, dictionary, tmp_path) -> None:
    """One for each table."""
    pytest.importorskip("pyarrow", reason="pip install 'kafka-lineage-scanner[parquet]' runs this")
    said = scanner("dictionary", "export", "--format", "parquet", "-o", tmp_path / "tables", *dictionary)

    assert (said.status, said.out) == (0, "")
    assert (tmp_path / "tables" / "topic.parquet").is_file()


@pytest.mark.parametrize(
    ("style", "place", "words"),
    [
        ("parquet", "-", "Parquet is a directory of files"),
        ("parquet", "file", "is a file, and a directory is wanted"),
        ("h2", "none/d.sql", "cannot be written"),
        ("h2", ".", "is a directory, and a file is wanted"),
        ("parqet", "tables", "did you mean 'parquet'?"),
    ],
)
def test_an_export_to_a_wrong_place_is_one_line(style, place, words, scanner, dictionary, tmp_path) -> None:
    """And nothing is left behind."""
    (tmp_path / "file").touch()
    output = place if place == "-" else tmp_path / place
    said = scanner("dictionary", "export", "--format", style, "-o", output, *dictionary)

    assert (said.status, said.err.count("\n")) == (2, 1)
    assert words in said.err
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_source_is_forgotten_by_its_name(scanner, scanned, own_dictionary) -> None:
    """Its topics are gone; the graph is to be drawn anew."""
    said = scanner("dictionary", "forget", "manual:manual.json", "--dictionary", own_dictionary)
    listed = scanner("topics", "--dictionary", own_dictionary, "--format", "json").json

    assert (said.status, said.out) == (0, "")
    assert said.err.splitlines()[0] == "shop: scan 3 forgets manual:manual.json: 2 facts are marked as deleted"
    assert [row["name"] for row in listed] == ["orders"]


@pytest.mark.parametrize("arguments", [("manual:manul.json",), ("manual:manual.json", "--cluster", "shopp")])
def test_what_is_not_known_cannot_be_forgotten(arguments, scanner, own_dictionary) -> None:
    """Nothing is written then."""
    before = own_dictionary.read_bytes()
    said = scanner("dictionary", "forget", *arguments, "--dictionary", own_dictionary)

    assert said.status == 4
    assert "did you mean" in said.err
    assert own_dictionary.read_bytes() == before

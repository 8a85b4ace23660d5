"""`scanner explain sql`: what statements read, write and compute, from files in common forms."""

from pathlib import Path

import pytest

DDL = "CREATE TABLE t (a INT, b ROW<c INT>) WITH ('connector' = 'kafka', 'topic' = 'topic.t');\n"


@pytest.fixture
def file(tmp_path: Path):
    """Write a file."""

    def written(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return written


def test_document_has_the_documented_members(scanner, file) -> None:
    """Programs rely on them."""
    result = scanner("explain", "sql", file("q.sql", DDL + "INSERT INTO s (x) SELECT b.c FROM t;"), "--format", "json")

    assert result.status == 0
    assert result.json[1] == {
        "statement": "INSERT INTO s (x) SELECT b.c FROM t",
        "kind": "INSERT INTO",
        "sources": ["t"],
        "sinks": ["s"],
        "columns": [
            {
                "source": {"dataset": "t", "path": ["b", "c"]},
                "target": {"dataset": "s", "path": ["x"]},
                "type": "DIRECT",
                "subtype": "IDENTITY",
            }
        ],
        "problems": [],
        "unresolved": [],
        "datasets": [
            {"name": "s", "parts": ["s"], "topics": [], "topic_pattern": ""},
            {"name": "t", "parts": ["t"], "topics": ["topic.t"], "topic_pattern": ""},
        ],
    }


def test_table_has_a_row_for_each_flow_and_each_statement_without_flows(scanner, file) -> None:
    """Every statement is listed; what could not be parsed goes to stderr."""
    result = scanner("explain", "sql", file("q.sql", DDL + "SELECT a, x FROM t WHERE a > 1;"))

    assert [line.split()[:2] for line in result.out.splitlines()[1:]] == [
        ["1", "CREATE"],
        ["2", "SELECT"],
        ["2", "SELECT"],
    ]
    assert "(result): (all rows)" in result.out
    assert "q.sql:2:11: no known table has column x" in result.err


@pytest.mark.parametrize(
    ("name", "content"), [("c.sql", DDL), ("c.json", '[{"name": "t", "columns": ["a"]}]')], ids=["sql", "json"]
)
def test_a_catalog_defines_columns(scanner, file, name: str, content: str) -> None:
    """DDL may stand in another file, or be no SQL at all."""
    path = file("q.sql", "SELECT t.* FROM t")
    flows = scanner("explain", "sql", path, "--catalog", file(name, content), "--format", "json").json[0]["columns"]

    assert flows[0]["source"] == {"dataset": "t", "path": ["a"]}


def test_the_dialect_is_detected_from_the_text_or_named(scanner, file) -> None:
    """ksqlDB folds names to upper case, Flink does not."""
    path = file("q.sql", "SELECT a FROM t;")
    named = scanner("explain", "sql", path, "--dialect", "ksqldb", "--format", "json").json
    documents = scanner("explain", "sql", file("k.sql", "SELECT a FROM t EMIT CHANGES;"), "--format", "json").json

    assert named[0]["sources"] == documents[0]["sources"] == ["T"]
    assert scanner("explain", "sql", path, "--format", "json").json[0]["sources"] == ["t"]


@pytest.mark.parametrize(
    ("text", "status"),
    [("", 0), ("SELECT a FROM t;", 0), ("SELECT a FROM t t u;", 0), ("no sql; at all", 2), ("SELECT 1; no sql", 0)],
)
def test_status_shows_whether_anything_could_be_parsed(scanner, file, text: str, status: int) -> None:
    """A part that cannot be parsed is reported, and is no failure."""
    assert scanner("explain", "sql", file("q.sql", text)).status == status


def test_a_missing_file_is_one_line(scanner, tmp_path: Path) -> None:
    """The user mends the command."""
    result = scanner("explain", "sql", tmp_path / "none.sql")

    assert result.status == 2
    assert result.out == ""
    assert result.err.count("\n") == 1


def test_secrets_of_a_statement_are_not_shown(scanner, file) -> None:
    """As a scan of the same file would not show them."""
    options = "'connector' = 'kafka', 'topic' = 't', 'properties.sasl.password' = 'hidden-word'"
    text = (
        f"CREATE TABLE a (x INT) WITH ({options});\nINSERT INTO a SELECT x FROM b /* password: hidden-word */ WHERE;\n"
    )
    path = file("a.sql", text)

    for style in ("table", "json"):
        result = scanner("explain", "sql", path, "--dialect", "flink", "--catalog", path, "--format", style)
        assert "hidden-word" not in result.out + result.err

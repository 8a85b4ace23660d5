"""`scanner jobs --kind statement` over the responses of a fake Flink and files, from request to the last column."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RETAIL = Path(__file__).parents[3] / "examples" / "retail"
SCRIPT = "-- the shop\n\nCREATE TABLE t (a INT) WITH ('password' = 'zqPASSzq');\nINSERT INTO u SELECT a FROM t;"
TOPOLOGY = "Topologies:\n   Sub-topology: 0\n    Source: s (topics: [orders])\n      --> none\n"


@pytest.fixture
def home(flink, scanner, tmp_path) -> Path:
    """Return a directory where Flink was scanned: cluster.json, dictionary.db, capture, report.json."""
    (tmp_path / "flink").mkdir()
    (tmp_path / "flink" / "shop.sql").write_text(SCRIPT)
    (tmp_path / "enrich.txt").write_text(TOPOLOGY)
    listed = [
        [flink.statement("enrich", "INSERT INTO `eur`\nSELECT 1")],
        [flink.statement("broken", "SELECT " + "a, " * 40 + "b", "FAILED", status={"detail": "no such column"})],
    ]
    server = flink.Flink(statements=listed, jobs=[flink.job("j1")], plans={"j1": {"nodes": []}})
    with flink.serving(server) as url:
        cloud = {"type": "confluent", "url": url, "organization": flink.ORGANIZATION, "environment": flink.ENVIRONMENT}
        sources = [cloud | {"name": "cloud"}, {"type": "jobmanager", "url": url}]
        files = {"type": "sql-files", "path": "flink/*.sql"}
        document = {"cluster": "shop", "brokers": ["k:1"], "flink": [*sources, files], "streams": [{"path": "*.txt"}]}
        (tmp_path / "cluster.json").write_text(json.dumps(document))
        result = scanner(*arguments(tmp_path), "--capture", tmp_path / "kept", "--report", tmp_path / "report.json")
    assert (result.status, result.err.count("Traceback")) == (0, 0)
    return tmp_path


def arguments(home: Path, dictionary: str = "dictionary.db") -> tuple[object, ...]:
    return "extract", "--config", home / "cluster.json", "--dictionary", home / dictionary


@pytest.fixture
def list_statements(scanner, home):
    """Run `scanner jobs --kind statement` on that dictionary."""
    return lambda *words: scanner("statements", *words, "--dictionary", home / "dictionary.db")


def test_table_shows_states_and_first_lines(list_statements) -> None:
    """The text itself would fill the screen."""
    lines = list_statements().out.splitlines()

    assert lines[0].split() == ["CLUSTER", "SOURCE", "NAME", "KIND", "STATE", "TOPICS", "FIRST", "LINE", "DETAIL"]
    assert lines[1].split()[:5] == ["shop", "flink:cloud", "broken", "INSERT_INTO", "FAILED"]
    assert lines[1].endswith("a, …  no such column")
    assert lines[2].split()[:5] == ["shop", "flink:cloud", "enrich", "INSERT_INTO", "RUNNING"]
    assert lines[2].endswith("INSERT INTO `eur`")
    assert lines[3].split(maxsplit=4)[3:] == ["SCRIPT", "CREATE TABLE t (a INT) WITH ('password' = '********');"]


def test_statements_are_chosen_by_name_state_and_source(list_statements) -> None:
    """People with a thousand of them look for three."""
    assert [row["name"] for row in list_statements("--state", "failed", "--format", "json").json] == ["broken"]
    assert [row["name"] for row in list_statements("--source", "*.sql", "--format", "json").json] == ["flink/shop.sql"]
    assert [row["name"] for row in list_statements("enr*", "--format", "json").json] == ["enrich"]
    assert list_statements("--cluster", "shap").status == 4


def test_json_has_the_complete_text(list_statements) -> None:
    """Without its secrets, which were never stored."""
    by_name = {row["name"]: row for row in list_statements("--format", "json").json}
    rows = list(csv.DictReader(io.StringIO(list_statements("--format", "csv").out)))

    assert by_name["flink/shop.sql"]["statement"] == SCRIPT.replace("zqPASSzq", "********")
    assert (by_name["enrich"]["topics_read"], by_name["flink/shop.sql"]["topics_read"]) == (["billing.invoices"], None)
    assert (rows[0]["first_line"][-1], rows[0]["hidden"]) == ("…", "false")


def test_queries_of_ksqldb_are_statements_too(scanner, own_dictionary) -> None:
    """A search for readers of a topic covers every engine."""
    scanner(
        "extract", "--config", RETAIL / "cluster.json", "--replay", RETAIL / "capture", "--dictionary", own_dictionary
    )

    rows = scanner("statements", "--source", "ksqldb", "--dictionary", own_dictionary, "--format", "json").json

    (query,) = [row for row in rows if row["name"] == "CTAS_CLICKS_PER_CITY_5"]
    assert (query["engine"], query["kind"], query["state"]) == ("ksqldb", "PERSISTENT", "RUNNING")


def test_a_replay_without_files_and_servers_returns_the_same(scanner, home, list_statements) -> None:
    """A capture is the whole scan."""
    first = list_statements("--format", "json").out
    (home / "flink" / "shop.sql").unlink()
    (home / "enrich.txt").unlink()

    again = scanner(*arguments(home, "copy.db"), "--replay", home / "kept")

    assert again.status == 0
    assert scanner("statements", "--format", "json", "--dictionary", home / "copy.db").out == first
    assert "zqPASSzq" not in "".join(file.read_text() for file in (home / "kept").rglob("*.json"))


def test_report_counts_the_facts_of_flink_and_streams(home) -> None:
    """Each kind has its own number."""
    (report,) = json.loads((home / "report.json").read_text())
    counts = report["counts"]

    assert [row["kind"] for row in report["sources"] if row["status"] == "read"] == ["flink"] * 3 + ["streams"]
    assert (counts["statements"], counts["jobs"], counts["topologies"]) == (3, 1, 1)


def test_a_missing_file_is_refused_before_any_request(scanner, home) -> None:
    """Without a replay it is a mistake of cluster.json."""
    (home / "enrich.txt").unlink()

    result = scanner(*arguments(home))

    assert (result.status, "matches no file" in result.err) == (2, True)


@pytest.mark.parametrize(("option", "read"), [("--skip", ["streams"]), ("--only", ["flink", "flink", "flink"])])
def test_kinds_are_chosen_by_name(scanner, home, option, read) -> None:
    """`flink` is every source of Flink, `streams` every topology."""
    scanner(*arguments(home, "other.db"), option, "flink", "--replay", home / "kept", "--report", home / "r.json")

    (report,) = json.loads((home / "r.json").read_text())
    assert [row["kind"] for row in report["sources"] if row["status"] == "read"] == read

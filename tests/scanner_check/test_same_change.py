"""The same change as a file against a dictionary of the repository, and as two commits: no answer is milder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from committed_repository import commit_all, git

import scanner_api
from scanner_check.check import check_change
from scanner_check.commits import check_commits
from scanner_check.inputs.files import proposed_files
from scanner_check.model import ChangeReport, Verdict

pytestmark = pytest.mark.slow

KSQL = (
    "CREATE STREAM orders (id INT, total DOUBLE) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');\n"
    "CREATE STREAM big WITH (KAFKA_TOPIC='big') AS SELECT id, total FROM orders WHERE total > 1;\n"
)
FLINK = (
    "CREATE TABLE orders (id INT, total DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');\n"
    "CREATE TABLE big (id INT, total DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'big', 'format' = 'json');\n"
    "INSERT INTO big SELECT id, total FROM orders WHERE total > 1;\n"
)
DECLARED = KSQL.splitlines(keepends=True)
READER = "CREATE STREAM big (id INT, total DOUBLE) WITH (KAFKA_TOPIC='big', VALUE_FORMAT='JSON');\n" + (
    "CREATE STREAM bills WITH (KAFKA_TOPIC='bills') AS SELECT id, total FROM big;\n"
)
FILES = {
    "ksqlDB": {"a.ksql": KSQL, "read/b.ksql": READER},
    "ksqlDB in two files": {"a.ksql": DECLARED[1], "t.ksql": DECLARED[0], "read/b.ksql": READER},
    "Flink": {"a.sql": FLINK, "read/b.ksql": READER},
}
EDITS = {
    "a column is constant": (", total FROM", ", 0.5 AS total FROM"),
    "a filter": ("total > 1", "total > 2"),
    "a topic": ("'big'", "'bigger'"),
    "nothing": ("\n", "\n\n"),
}


def reports(home: Path, files: dict[str, str], edit: tuple[str, str]) -> tuple[ChangeReport, ChangeReport]:
    """Return the answers of an edit of the first file: as a file, and as a commit."""
    path, text = next(iter(files.items()))
    for name, content in files.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(content, encoding="utf-8")
    git(home, "init", "-q")
    config = {"cluster": "shop", "brokers": "localhost:9092", "repositories": [{"path": ".", "name": "shop"}]}
    (home / "cluster.json").write_text(json.dumps(config), encoding="utf-8")
    dictionary = scanner_api.open_dictionary(home.parent / "running.db", create=True)
    scanner_api.scan([home / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)
    (home / "cluster.json").unlink()
    commit_all(home)
    (home / path).write_text(text.replace(*edit), encoding="utf-8")
    commit_all(home)
    return (
        check_change(dictionary, proposed_files([str(home / path)])),
        check_commits("HEAD~1...HEAD", directory=home),
    )


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("edit", EDITS)
def test_a_file_of_a_scanned_repository_is_compared_with_its_former_text(tmp_path, form, edit):
    """A script of ksqlDB was taken for a new query, whose every change is harmless."""
    (home := tmp_path / "repository").mkdir()

    of_file, of_commits = reports(home, FILES[form], EDITS[edit])

    assert (of_file.verdict is Verdict.FINE) is (of_commits.verdict is Verdict.FINE) is (edit == "nothing")
    lost = {one.item.casefold() for one in of_file.findings if one.verdict is Verdict.IMPACT}
    assert bool(lost) is (edit in ("a column is constant", "a topic"))

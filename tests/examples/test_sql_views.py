"""The SQL views answer as the commands do, on the bundled example, in a file and on a PostgreSQL server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scanner_cli.main import run
from scanner_dictionary.engine.open import open_dictionary

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RETAIL = ROOT / "examples" / "retail"
REPLAY = ("--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture"), "--quiet")
PAGE = (ROOT / "docs" / "sql-views.md").read_text(encoding="utf-8")

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Scan the example, and generate its graph."""
    file = str(tmp_path_factory.mktemp("retail") / "dictionary.db")
    assert run(["extract", *REPLAY, "--dictionary", file]) == 0
    assert run(["dataflow", "--dictionary", file]) == 0
    return file


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, file: str) -> str:
    """Return the URL of the dictionary, or of its copy on a server."""
    if request.param == "sqlite":
        return file
    server = str(request.getfixturevalue("postgres_url"))
    assert run(["dictionary", "copy", file, server]) == 0
    return server


@pytest.fixture
def sql(url: str) -> Callable[[str], Rows]:
    """Return what runs a query; flags become booleans as in PostgreSQL."""

    def rows(query: str) -> Rows:
        engine = open_dictionary(url, create=False)
        with engine.connect() as conn:
            found = [tuple(row) for row in conn.exec_driver_sql(query.replace("%", "%%") if "://" in url else query)]
        engine.dispose()
        return found

    return rows


@pytest.fixture
def command(file: str, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Return what runs a command on the dictionary and returns its document."""

    def document(*arguments: str) -> Any:
        capsys.readouterr()
        assert run([*arguments, "--format", "json", "--dictionary", file]) == 0
        return json.loads(capsys.readouterr().out)

    return document


def example(after: str) -> str:
    """Return the first query of the page behind the words *after*."""
    found = re.search(r"```sql\n(.*?);\n```", PAGE.partition(after)[2], re.DOTALL)
    assert found
    return found[1]


def test_columns_of_a_topic_are_those_of_scanner_query(sql, command) -> None:
    """The question that lineage platforms ask."""
    answers = command("query", "--broker", "127.0.0.1:29092", "--topic", "orders")
    wanted = [
        (answer["role"], answer["subject"] or "", answer["version"], column["name"], column["type"], column["nullable"])
        for answer in answers
        for column in answer["columns"]
    ]

    assert sql(example("The columns of a topic, by the address")) == wanted
    assert len(wanted) > 20


def test_every_column_of_every_topic_is_that_of_scanner_query(sql, command) -> None:
    """Not only of the example's topic."""
    rows = sql("SELECT topic, schema_role, context, schema_id, column_path FROM v_topic_columns")
    listed = [
        (topic["name"], answer["role"], answer["context"], answer["schema_id"], column["path"])
        for topic in command("topics")
        for answer in command("query", "--broker", "127.0.0.1:29092", "--topic", topic["name"])
        for column in answer["columns"]
    ]

    assert sorted(((*row[:3], row[3] and int(row[3]), json.loads(row[4])) for row in rows), key=repr) == sorted(
        listed, key=repr
    )


def test_downstream_is_that_of_scanner_lineage(sql, command) -> None:
    """Also through a job that copies several topics, each by its route."""
    document = command("lineage", "orders", "--downstream")
    nodes = {node["id"]: node for node in document["nodes"]}
    wanted = {
        (nodes[edge["source"]]["name"], edge["kind"], nodes[edge["target"]]["kind"], nodes[edge["target"]]["name"])
        for edge in document["edges"]
    }
    rows = sql(example("Where the data of a topic go"))

    assert {(name, how, kind, target) for name, how, kind, _, target, _ in rows} == wanted
    assert len(rows) == len(document["edges"]) > 5


def test_column_flows_are_those_of_scanner_lineage(sql, command) -> None:
    """One step back from a column that Flink computes."""
    document = command("lineage", "orders-enriched.total", "--upstream")
    nodes = {node["id"]: node for node in document["nodes"]}
    wanted = {
        (nodes[edge["source"]]["name"], tuple(nodes[edge["source"]]["path"] or ()), edge["type"], edge["subtype"])
        for edge in document["edges"]
        if edge["kind"] == "column-flow" and nodes[edge["target"]]["name"] == "orders-enriched"
    }
    rows = sql(example("The columns that a column is copied or computed from"))

    assert {(name, tuple(json.loads(path or "[]")), *how) for _, name, path, *how, _ in rows} == wanted
    assert len(wanted) > 2


def test_lists_are_those_of_the_commands(sql, command) -> None:
    """One list of each kind, row by row."""
    topics = [(row["name"], row["partitions"], row["internal"], row["stale"]) for row in command("topics")]
    failed = {
        row["name"]: [task for task in row["tasks"] if task["state"] == "FAILED"] for row in command("connectors")
    }
    connectors = [(row["name"], row["state"], len(failed[row["name"]])) for row in command("connectors")]
    findings = [(row["severity"], row["rule"], row["where"], row["what"]) for row in command("validate")]
    versions = sum(len(row["versions"]) for row in command("schemas"))
    sources = [row["name"] for row in command("dictionary", "info")["sources"]]

    assert sorted(sql("SELECT topic, partitions, is_internal, is_stale FROM v_topics")) == sorted(topics)
    assert sorted(sql("SELECT connector, state, failed_tasks FROM v_connectors")) == sorted(connectors)
    assert sorted(sql("SELECT severity, rule, location, what FROM v_findings")) == sorted(findings)
    assert sql("SELECT count(*) FROM v_subject_versions") == [(versions,)]
    assert sorted(sql("SELECT source FROM v_sources")) == sorted((name,) for name in sources)


def test_topics_without_schema_are_those_of_scanner_topics(sql, command) -> None:
    """A query of the page with a NOT EXISTS."""
    wanted = [row["name"] for row in command("topics", "--without-schema") if not row["internal"]]

    assert [name for _, name in sql(example("Topics that no schema describes"))] == wanted

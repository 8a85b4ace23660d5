"""One question has one answer: library, command, API and MCP, for every node and column, and for every list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.documents import document
from scanner_api.questions.question import Question
from scanner_api.questions.table import BY_NAME, QUESTIONS
from scanner_cli.main import run
from scanner_server.api.openapi import BASE
from scanner_server.app import application
from scanner_server.mcp_tools import TOOLS, Tools

EXAMPLE = Path(__file__).parents[2] / "examples/retail"
UNLIMITED = 10_000_000
"""A budget of MCP that cuts nothing."""

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "describe_topic": {"cluster": "retail", "topic": "orders"},
    "topic_schemas": {"cluster": "retail", "topic": "orders"},
    "columns": {"tag": "PII"},
    "scan_sources": {"scan": 1},
    "scan_problems": {"scan": 1},
    "search": {"q": "order"},
    "search_counts": {"q": "order"},
    "lineage": {"node": "orders"},
    "paths": {"start": "order-service", "end": "orders"},
    "impact": {"node": "orders"},
    "impact_csv": {"node": "orders"},
    "diff": {"first": 1, "second": 1},
    "history": {"node": "orders"},
    "history_feed": {"node": "orders"},
    "may_delete": {"topic": "orders"},
    "check_change": {"subject": "orders-value", "text": '{"type": "record", "name": "Order", "fields": []}'},
}
"""Arguments of questions that need some."""


class Faces:
    """One dictionary, asked by way of each face."""

    def __init__(self, dictionary: Dictionary, client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
        self._dictionary, self._client, self._capsys = dictionary, client, capsys
        self._tools = Tools(dictionary, budget=UNLIMITED)

    def library(self, question: Question, **arguments: Any) -> Any:
        """Return the document of what the library answers."""
        return document(question.answer(self._dictionary, **arguments))

    def api(self, question: Question, **arguments: Any) -> Any:
        """Return what the API answers."""
        names = {"start": "from", "end": "to", "first": "from", "second": "to"}
        outer = {names.get(name, name): value for name, value in arguments.items()}
        path = BASE + question.path.format(**arguments)
        if question.method == "POST":
            return self._client.post(path, json=outer).json()
        query = {name: value for name, value in outer.items() if f"{{{name}}}" not in question.path}
        answer = self._client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.text if question.media != "application/json" else answer.json()

    def mcp(self, question: Question, **arguments: Any) -> Any:
        """Return what the tool answers, which cuts long texts."""
        return self._tools.answer(question, **arguments)["answer"]

    def command(self, *line: str) -> Any:
        """Return what a command writes as JSON, without the version of its format."""
        assert run([*line, "--format", "json", "--dictionary", self._dictionary.url]) in (0, 6, 7)
        written = json.loads(self._capsys.readouterr().out)
        if isinstance(written, dict):
            written.pop("format_version")
        return written


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return the bundled example with its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("retail") / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


@pytest.fixture(scope="module")
def client(retail: Dictionary) -> Iterator[TestClient]:
    with TestClient(application(retail), base_url="http://localhost") as client:
        yield client


@pytest.fixture
def faces(retail: Dictionary, client: TestClient, capsys: pytest.CaptureFixture[str]) -> Faces:
    return Faces(retail, client, capsys)


def shortened(value: Any) -> Any:
    """Return a document with texts cut as MCP cuts them."""
    if isinstance(value, str):
        return value if len(value) <= 400 else f"{value[:400]}… ({len(value)} characters)"
    if isinstance(value, dict):
        return {key: shortened(member) for key, member in value.items()}
    return [shortened(item) for item in value] if isinstance(value, list) else value


def node_names(dictionary: Dictionary) -> list[str]:
    """Return the ids of all nodes and columns that a user can name."""
    whole = scanner_api.whole_graph(dictionary, limit=10_000)
    nodes = {node.id: node.kind for node in whole.nodes}
    for node in whole.nodes:
        if node.kind in ("topic", "dataset"):
            inside = scanner_api.lineage(dictionary, node.id, hops=0, contents=True).nodes
            nodes |= {column.id: column.kind for column in inside if column.kind == "column" and column.namespace}
    return sorted(key for key, kind in nodes.items() if kind not in ("cluster", "schema"))


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.path], ids=lambda each: each.name)
def test_every_question_has_one_answer(faces, question) -> None:
    """A face that computes an answer of its own drifts."""
    arguments = ARGUMENTS.get(question.name, {})
    limited = {"limit": 1000} if "limit" in question.answer.__annotations__ else {}
    limited = {} if question.name in ("paths", "search") else limited

    answer = faces.library(question, **arguments, **limited)

    assert faces.api(question, **arguments, **limited) == answer
    if question.tool:
        assert faces.mcp(question, **arguments, **limited) == shortened(answer)


VARIATIONS = (
    ("topics", {"sort": "readers", "limit": 3}),
    ("topics", {"without_owner": True, "without_writer": True, "limit": 1000}),
    ("topics", {"unused": True, "limit": 1000}),
    ("topics", {"pattern": "ordres", "limit": 1000}),
    ("columns", {"name": "total", "limit": 2}),
    ("columns", {"name": "custmer", "limit": 2}),
    ("search", {"q": "amount", "kind": "column", "limit": 2}),
    ("search", {"q": "PII"}),
    ("findings", {"rule": "failed-connector", "limit": 1000}),
    ("describe_topic", {"topic": "orders"}),
    ("impact", {"node": "orders", "limit": 4}),
    ("impact", {"node": "orders", "limit": 4, "cursor": "WzRd"}),
    ("changes", {"since": "yesterday", "limit": 1000}),
    ("changes", {"since": 1, "limit": 1000}),
    ("diff", {"first": "today", "second": 1}),
    ("lineage", {"node": "orders", "as_of": "today", "limit": 1000}),
)


@pytest.mark.parametrize(("name", "arguments"), VARIATIONS)
def test_a_question_has_one_answer_whatever_is_asked(faces, name, arguments) -> None:
    """A parameter that a face reads otherwise is a wrong answer that looks right."""
    question = BY_NAME[name]
    answer = faces.library(question, **arguments)

    if question.path.count("{") == 0:
        assert faces.api(question, **arguments) == answer
    assert faces.mcp(question, **arguments) == shortened(answer)


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.command], ids=lambda each: each.name)
def test_every_derived_command_lists_what_the_library_has(faces, question) -> None:
    """The document of a command is the list of items."""
    arguments = ARGUMENTS.get(question.name, {}) if question.name == "search" else {}

    assert faces.command(question.command, *arguments.values()) == faces.library(question, **arguments)["items"]


@pytest.mark.slow
def test_the_lineage_of_every_node_and_column_is_the_same_on_every_face(retail, faces) -> None:
    """A page that says "no known flows" of a column that a command knows is worse than one that says nothing."""
    names = node_names(retail)
    for name in names:
        answer = faces.library(BY_NAME["lineage"], node=name)
        assert faces.api(BY_NAME["lineage"], node=name, limit=20_000) == answer, name
        assert faces.mcp(BY_NAME["lineage"], node=name, limit=20_000) == shortened(answer), name
        assert faces.command("lineage", name) == answer, name

    assert len(names) > 100
    assert {name.partition(":")[0] for name in names} >= {"topic", "column", "job", "dataset", "consumer-group"}


@pytest.mark.slow
def test_the_impact_of_every_node_and_column_is_the_same_on_every_face(retail, faces) -> None:
    """The command groups by kind what the others list."""
    for name in node_names(retail):
        answer = faces.library(BY_NAME["impact"], node=name, way=True)
        command = faces.command("lineage", name, "--impact")
        rows = [row for rows in command["affected"].values() for row in rows]

        assert faces.api(BY_NAME["impact"], node=name, way=True, limit=10_000) == answer, name
        assert sorted(rows, key=lambda row: row["id"]) == sorted(answer["affected"], key=lambda row: row["id"]), name
        assert {**command, "affected": 0} == {**answer, "affected": 0}, name
    assert TOOLS["get_impact"] is BY_NAME["impact"]

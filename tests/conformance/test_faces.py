"""One question has one answer: library, command, API, MCP and both pages, for every node and column, and every list.

The nodes are those of the bundled example and of a generated estate of 1,000 topics.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mutating import TIMES
from starlette.testclient import TestClient

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.documents import document
from scanner_api.questions.node_summary import short_id
from scanner_api.questions.question import Question
from scanner_api.questions.table import BY_NAME, QUESTIONS
from scanner_cli.main import run
from scanner_server.app import application
from scanner_server.mcp_tools import TOOLS, Tools, lineage_flows
from scanner_server.openapi import BASE
from scanner_server.options import ServerOptions
from scanner_server.problems import TOOLS as TOOL_NAMES
from scanner_server.problems import for_programs

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/retail"
UNLIMITED = 10_000_000
"""A budget of MCP that cuts nothing."""

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "describe_topic": {"cluster": "retail", "topic": "orders"},
    "topic_schemas": {"cluster": "retail", "topic": "orders"},
    "compare_versions": {"subject": "orders-value", "first": 1, "second": 1},
    "enum_symbols": {"subject": "orders-value", "version": 2},
    "columns": {"tag": "PII"},
    "scan_sources": {"scan": 1},
    "scan_problems": {"scan": 1},
    "search": {"q": "order"},
    "search_counts": {"q": "order"},
    "lineage": {"node": "orders"},
    "paths": {"start": "order-service", "end": "orders"},
    "impact": {"node": "orders"},
    "node_summary": {"node": "orders.customer.email"},
    "node_of_link": {"short": short_id("topic:kafka://127.0.0.1:29092/orders")},
    "owned": {"owner": "team-shop"},
    "impact_csv": {"node": "orders"},
    "diff": {"first": 1, "second": 1},
    "history": {"node": "orders"},
    "history_feed": {"node": "orders"},
    "may_delete": {"topic": "orders"},
    "plan": {"change": "rename orders.placed_at → ordered_at"},
    "check_change": {"subject": "orders-value", "text": '{"type": "record", "name": "Order", "fields": []}'},
}
"""Arguments of questions that need some."""

_TRACED = (BY_NAME["lineage"], BY_NAME["impact"])


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


def generated_estate(file: Path) -> Dictionary:
    """Build an estate of 1,000 topics with connectors and queries, and its graph."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        from large_installation import Size, build
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    build(str(file), Size(columns=20_000, topics=1_000, jobs=120))
    dictionary = scanner_api.open_dictionary(file)
    scanner_api.generate(dictionary)
    return dictionary


def retail_example(file: Path) -> Dictionary:
    """Scan the bundled example, and generate its graph."""
    dictionary = scanner_api.open_dictionary(file, create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


ESTATES = {"retail": retail_example, "generated": generated_estate}


@pytest.fixture(scope="module")
def dictionary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return the dictionary of one of ESTATES, which is named by the parameter."""
    return ESTATES[request.param](tmp_path_factory.mktemp(request.param) / "estate.db")


@pytest.fixture(scope="module")
def client(dictionary: Dictionary) -> Iterator[TestClient]:
    with TestClient(application(dictionary, ServerOptions(heavy=0)), base_url="http://localhost") as client:
        yield client


@pytest.fixture
def faces(dictionary: Dictionary, client: TestClient, capsys: pytest.CaptureFixture[str]) -> Faces:
    return Faces(dictionary, client, capsys)


Edges = set[tuple[str, ...]]


@pytest.fixture(scope="module")
def exported(dictionary: Dictionary, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Edges]:
    """Return the edges at each node of the exported page."""
    page = tmp_path_factory.mktemp("page") / "graph.html"
    scanner_api.export(dictionary, page)
    text = page.read_text(encoding="utf-8")
    graph, _ = json.JSONDecoder().raw_decode(text, text.index('{"about"'))
    edges: dict[str, Edges] = {node[0]: set() for node in graph["nodes"]}
    for source, target, *rest in graph["edges"]:
        edge = (graph["nodes"][source][0], graph["nodes"][target][0], *rest)
        for end in edge[:2]:
            edges[end].add(edge)
    return edges


ADVICE = {"hint", "notes"}
NONE_FOR_NULL = {"default", "doc", "logical_type", "next_cursor", "path", "way"}
"""Members in which null means "has none"; in others it means "not known", which an assistant must see."""


def of_tool(question: Question, answer: Any) -> dict[str, Any]:
    """Return an answer as its tool writes it: a lineage has names, and short lists for nodes and edges."""
    return shortened(lineage_flows(answer) if question.name == "lineage" else answer)


def shortened(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as MCP writes it: long texts are cut, and rows have no members that are empty or false."""
    members = {name: value for name, value in document.items() if not (value is None and name in NONE_FOR_NULL)}
    return {name: in_rows(value, name) for name, value in members.items()}


def in_rows(value: Any, name: str) -> Any:
    """Return a value inside of a document as MCP writes it."""
    if isinstance(value, str):
        text = for_programs(value, TOOL_NAMES) if name in ADVICE else value
        return text if len(text) <= 400 else f"{text[:400]}… ({len(text)} characters)"
    if isinstance(value, dict):
        kept = {key: member for key, member in value.items() if member not in ("", [], {}) and member is not False}
        return {
            key: in_rows(member, key) for key, member in kept.items() if member is not None or key not in NONE_FOR_NULL
        }
    return [in_rows(item, name) for item in value] if isinstance(value, list) else value


def nodes_by_kind(dictionary: Dictionary) -> Mapping[str, list[str]]:
    """Return the keys of all nodes and columns that a user can name, by their kind."""
    named = "kind NOT IN ('cluster', 'schema') AND (kind <> 'column' OR namespace <> '')"
    with sqlite3.connect(dictionary.url) as conn:
        rows = conn.execute(f"SELECT kind, node_key FROM flow_node WHERE {named} ORDER BY node_key").fetchall()
    conn.close()
    keys: dict[str, list[str]] = defaultdict(list)
    for kind, key in rows:
        keys[kind].append(key)
    return keys


@pytest.mark.parametrize("dictionary", ["retail"], indirect=True)
@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.path], ids=lambda each: each.name)
def test_every_question_has_one_answer(faces, question) -> None:
    """A face that computes an answer of its own drifts."""
    arguments = ARGUMENTS.get(question.name, {})
    limited = {"limit": 1000} if "limit" in question.answer.__annotations__ else {}
    limited = {} if question.name in ("paths", "search") else limited

    answer = faces.library(question, **arguments, **limited)

    assert faces.api(question, **arguments, **limited) == answer
    if question.tool:
        assert faces.mcp(question, **arguments, **limited) == of_tool(question, answer)


VARIATIONS = (
    ("topics", {"sort": "readers", "limit": 3}),
    ("topics", {"without_owner": True, "without_writer": True, "limit": 1000}),
    ("topics", {"unused": True, "limit": 1000}),
    ("topics", {"pattern": "ordres", "limit": 1000}),
    ("topics", {"unused_for": "30d", "limit": 1000}),
    ("clients", {"topic": "orders", "limit": 1000}),
    ("clients", {"certainty": "configured", "limit": 3}),
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


@pytest.mark.parametrize("dictionary", ["retail"], indirect=True)
@pytest.mark.parametrize(("name", "arguments"), VARIATIONS)
def test_a_question_has_one_answer_whatever_is_asked(faces, name, arguments) -> None:
    """A parameter that a face reads otherwise is a wrong answer that looks right."""
    question = BY_NAME[name]
    answer = faces.library(question, **arguments)

    if question.path.count("{") == 0:
        assert faces.api(question, **arguments) == answer
    assert faces.mcp(question, **arguments) == of_tool(question, answer)


@pytest.mark.parametrize("dictionary", ["retail"], indirect=True)
@pytest.mark.parametrize(
    "question", [each for each in QUESTIONS if each.command and each not in _TRACED], ids=lambda each: each.name
)
def test_the_command_of_every_list_has_the_items_of_the_library(faces, question) -> None:
    """The document of such a command is the list of items, or of a plan the whole answer.

    What `lineage` and `impact` answer is compared below.
    """
    arguments = ARGUMENTS.get(question.name, {}) if question.name != "columns" else {}
    given = [word for name, value in arguments.items() for word in (f"--{name}", value)]
    line = list(arguments.values()) if question.name in ("search", "plan") else given
    answer = faces.library(question, **arguments)

    assert faces.command(question.command, *line) == answer.get("items", answer)


def edges_at(node: str, edges: list[dict[str, Any]]) -> Edges:
    """Return the flows that begin or end at *node*, of the edges of an answer."""
    members = ("source", "target", "kind", "type", "subtype", "evidence", "certainty")
    return {tuple(edge[name] for name in members) for edge in edges if node in (edge["source"], edge["target"])}


def compare_lineage(faces: Faces, exported: Mapping[str, Edges], node: str) -> None:
    """Compare the lineage of *node* on every face."""
    question = BY_NAME["lineage"]
    answer = faces.library(question, node=node)
    assert faces.api(question, node=node, limit=20_000) == answer, node
    assert faces.mcp(question, node=node, limit=20_000) == of_tool(question, answer), node
    assert faces.command("lineage", node) == answer, node

    # What the exported page draws beside a node, and what the served page requests when somebody selects it.
    flows = {"column-flow"} if node.startswith("column:") else {"reads", "writes"}
    drawn = {edge for edge in exported[node] if edge[2] in flows}
    requested = faces.api(question, node=node, upstream=1, downstream=1, contents=True, limit=4000)
    assert requested["complete"], node
    assert {edge for edge in edges_at(node, requested["edges"]) if edge[2] in flows} == drawn, node
    assert {edge for edge in edges_at(node, answer["edges"]) if edge[2] in flows} == drawn, node


def compare_impact(faces: Faces, node: str) -> None:
    """Compare the impact of *node* on every face; the command groups by kind what the others list."""
    answer = faces.library(BY_NAME["impact"], node=node, way=True)
    command = faces.command("lineage", node, "--impact")
    rows = [row for rows in command["affected"].values() for row in rows]

    assert faces.api(BY_NAME["impact"], node=node, way=True, limit=10_000) == answer, node
    assert sorted(rows, key=lambda row: row["id"]) == sorted(answer["affected"], key=lambda row: row["id"]), node
    assert {**command, "affected": 0} == {**answer, "affected": 0}, node


@pytest.mark.parametrize("dictionary", ["retail", pytest.param("generated", marks=pytest.mark.slow)], indirect=True)
def test_nodes_of_each_kind_have_one_lineage_and_impact(dictionary, faces, exported) -> None:
    """A page that says "no known flows" of a column that a command knows is worse than one that says nothing."""
    for keys in nodes_by_kind(dictionary).values():
        for node in random.Random(24).sample(keys, min(len(keys), 4)):
            compare_lineage(faces, exported, node)
            compare_impact(faces, node)


PARTS = 4
"""Parts of the nodes, so that several processes share them."""
MANY = 1_000
"""Nodes of a dictionary beyond which one in six is compared, and all of them on demand."""


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(("dictionary", "fewest"), [("retail", 250), ("generated", 3_600)], indirect=["dictionary"])
@pytest.mark.parametrize("part", range(PARTS))
def test_every_node_and_column_has_one_lineage_and_impact(dictionary, faces, exported, fewest, part) -> None:
    """No face may know less of any of them."""
    by_kind = nodes_by_kind(dictionary)
    nodes = sorted(key for keys in by_kind.values() for key in keys)
    every = 1 if len(nodes) < MANY or TIMES > 1 else 6
    for node in nodes[part :: PARTS * every]:
        compare_lineage(faces, exported, node)
        compare_impact(faces, node)

    assert set(by_kind) >= {"topic", "column", "job", "dataset"}
    assert len(nodes) >= fewest


def test_the_tool_of_impact_is_the_question() -> None:
    """Its answer was once computed a second time."""
    assert TOOLS["get_impact"] is BY_NAME["impact"]

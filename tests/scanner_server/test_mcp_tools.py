"""MCP with the official client library: both eras of the protocol, every tool, errors that a model can act on."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import anyio
import httpx2
import pytest
from committed_repository import BASE, commit_all, git
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import scanner_api
from scanner_api.questions.table import BY_NAME
from scanner_server.app import application
from scanner_server.mcp_server import mcp_server
from scanner_server.mcp_tools import BUDGET, TOOLS, Tools, signature_of
from scanner_server.options import ServerOptions
from scanner_server.workers import Workers

ARGUMENTS: dict[str, dict[str, Any]] = {
    "search": {"q": "order", "limit": 3},
    "describe_topic": {"cluster": "retail", "topic": "orders"},
    "list_topics": {"pattern": "order"},
    "list_clients": {"topic": "orders"},
    "list_personal_data": {},
    "find_columns": {"tag": "pii", "name": "null"},
    "get_lineage": {"node": "customers", "direction": "upstream"},
    "get_paths": {"start": "order-service", "end": "orders"},
    "get_impact": {"node": "orders", "hops": "null"},
    "diff_scans": {"first": 1, "second": 1},
    "changes": {"since": "7d"},
    "get_history": {"node": "orders", "target": "null"},
    "check_change": {
        "subject": "orders-value",
        "text": '{"type": "record", "name": "com.acme.retail.Order", "fields": []}',
    },
    "may_delete": {"topic": "orders", "version": "null"},
    "plan_change": {"change": "rename orders.placed_at → ordered_at"},
    "list_problems": {"severity": "error"},
    "list_stale": {},
    "freshness": {},
}

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


def asked(server: Any, ask: Callable[[Client], Any], **options: Any) -> Any:
    """Return what *ask* gets from a client of *server*."""

    async def run() -> Any:
        async with Client(server, **options) as client:
            return await ask(client)

    return anyio.run(run)


@pytest.fixture
def server(in_threads):
    return mcp_server(in_threads, BUDGET)


@MODES
def test_every_tool_answers_with_the_scan_and_what_was_left_out(server, mode) -> None:
    """A model must know how old an answer is, and whether it is whole."""

    async def ask(client: Client) -> dict[str, Any]:
        tools = (await client.list_tools()).tools
        return {tool.name: (tool, await client.call_tool(tool.name, ARGUMENTS[tool.name])) for tool in tools}

    answers = asked(server, ask, mode=mode)

    assert set(answers) == set(ARGUMENTS)
    for tool, result in answers.values():
        assert tool.annotations.read_only_hint
        assert not result.is_error, result.content
        document = json.loads(result.content[0].text)
        assert document == result.structured_content
        assert document["about"]["scan"] == 1
        assert document["about"]["age_seconds"] >= 0
        assert document["about"]["stale_sources"] == []
        assert all(count > 0 for count in document["left_out"].values())


def test_the_age_of_the_scan_is_told(retail) -> None:
    """In seconds, by the clock."""
    tools = Tools(retail, now=lambda: datetime.now(UTC) + timedelta(hours=2))

    assert tools.answer(BY_NAME["freshness"])["about"]["age_seconds"] >= 7200


@MODES
def test_a_misspelt_topic_is_an_error_that_names_the_nearest(server, mode) -> None:
    """The model corrects itself with it."""
    wrong = {"cluster": "retail", "topic": "orderz"}
    result = asked(server, lambda client: client.call_tool("describe_topic", wrong), mode=mode)

    assert result.is_error
    assert "'orderz'" in result.content[0].text
    assert "did you mean 'orders'" in result.content[0].text


def test_a_wrong_argument_is_refused_with_its_limit(server) -> None:
    """It is the model's mistake, and it can be corrected."""
    result = asked(server, lambda client: client.call_tool("search", {"q": "x", "limit": 1000}))

    assert result.is_error
    assert "less than or equal to 200" in result.content[0].text


@pytest.mark.parametrize(
    "name", ["describe_topic", "get_lineage", "get_impact", "list_problems", "check_change", "get_history"]
)
def test_an_answer_stays_within_the_budget_and_reports_what_is_missing(in_threads, name) -> None:
    """A long answer would push the conversation out of the model's memory."""
    budget = 500
    more = {
        "get_lineage": {"node": "orders", "direction": "both", "columns": True},
        "list_problems": {"severity": "warning"},
    }
    arguments = ARGUMENTS[name] | more.get(name, {})
    result = asked(mcp_server(in_threads, budget), lambda client: client.call_tool(name, arguments))
    whole = asked(mcp_server(in_threads, 100_000), lambda client: client.call_tool(name, arguments))

    document, complete = (json.loads(each.content[0].text) for each in (result, whole))
    assert len(result.content[0].text) <= budget * 4 + 200
    assert document["left_out"]
    for member, count in document["left_out"].items():
        assert len(listed(document["answer"], member)) + count == len(listed(complete["answer"], member))


def tokens(value: Any) -> float:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False)) / 4


def test_tools_and_answers_are_short(server) -> None:
    """An assistant pays for the descriptions in every conversation, and for an answer in every later turn."""

    async def ask(client: Client) -> tuple[Any, ...]:
        tools = (await client.list_tools()).tools
        return tools, [await client.call_tool(tool.name, ARGUMENTS[tool.name]) for tool in tools]

    tools, results = asked(server, ask)

    assert sum(tokens(tool.model_dump(mode="json", by_alias=True, exclude_none=True)) for tool in tools) <= 7_000
    assert max(tokens(result.structured_content) for result in results) <= 1_500


def test_a_larger_limit_allows_a_longer_answer(server) -> None:
    """A model that needs a whole list says so."""
    short, long = (
        asked(server, lambda client, sent=sent: client.call_tool("list_topics", sent)).structured_content
        for sent in ({}, {"limit": 100})
    )

    assert len(short["answer"]["items"]) <= 25 < len(long["answer"]["items"])
    assert long["left_out"] == {}


def test_empty_members_of_rows_are_left_out_and_unknown_ones_stay(retail) -> None:
    """Null says that a value is not known, which differs from none."""
    row = {"name": "a", "owner": "", "tags": [], "stale": False, "readers": 0, "partitions": None, "doc": None}
    question: Any = SimpleNamespace(name="", answer=lambda _: {"items": [row], "others": [], "complete": False})

    answer = Tools(retail).answer(question)["answer"]

    assert answer == {"items": [{"name": "a", "readers": 0, "partitions": None}], "others": [], "complete": False}


def test_a_misspelt_search_names_the_nearest(server) -> None:
    """The model searches again."""
    result = asked(server, lambda client: client.call_tool("search", {"q": "ordres"}))

    assert "orders" in result.structured_content["answer"]["did_you_mean"]


def test_advice_names_no_command(server) -> None:
    """An assistant has tools, and may have no shell."""
    result = asked(server, lambda client: client.call_tool("list_problems", {}))
    hints = [row.get("hint", "") for row in result.structured_content["answer"]["items"]]

    assert any(hints)
    assert not [hint for hint in hints if "`scanner " in hint]


def listed(answer: Any, path: str) -> list[Any]:
    """Return the items of all lists at *path*."""
    rows = [answer]
    for name in path.split("."):
        members = [row.get(name, []) for row in rows]
        rows = [item for member in members for item in (member if isinstance(member, list) else [member])]
    return rows


def test_texts_of_schemas_are_data_only(server) -> None:
    """Who may register a schema must not give instructions to someone's assistant."""

    async def ask(client: Client) -> tuple[Any, ...]:
        return await client.list_tools(), await client.list_prompts(), client.instructions

    tools, prompts, instructions = asked(server, ask)
    said = json.dumps([tools.model_dump(mode="json"), prompts.model_dump(mode="json"), instructions])

    assert "never instructions" in (instructions or "")
    assert "customers" not in said
    assert "retail" not in said


def test_long_texts_are_cut(retail) -> None:
    """A connector's stack trace is not worth a thousand tokens."""
    question: Any = SimpleNamespace(name="", answer=lambda _: {"list": [{"doc": "x" * 5_000}]})
    answer = Tools(retail).answer(question)

    assert answer["answer"]["list"][0]["doc"] == "x" * 400 + "… (5000 characters)"


def test_resources_and_prompts_answer(server) -> None:
    """A host may attach a topic to a conversation."""

    async def ask(client: Client) -> tuple[Any, ...]:
        topic = await client.read_resource("scanner://cluster/retail/topic/orders")
        fresh = await client.read_resource("scanner://freshness")
        prompt = await client.get_prompt("impact_of_change", {"node": "orders.customer.id"})
        return topic, fresh, prompt

    topic, fresh, prompt = asked(server, ask)

    assert json.loads(topic.contents[0].text)["answer"]["topic"]["name"] == "orders"
    assert json.loads(fresh.contents[0].text)["answer"]["sources"]
    assert "orders.customer.id" in prompt.messages[0].content.text


def test_what_a_tool_returns_is_what_its_schema_describes(server) -> None:
    """A client that checks answers refuses one that differs."""

    async def ask(client: Client) -> tuple[Any, ...]:
        tools = await client.list_tools()
        return tools, {name: await client.call_tool(name, arguments) for name, arguments in ARGUMENTS.items()}

    tools, answers = asked(server, ask)

    for tool in tools.tools:
        Draft202012Validator(tool.output_schema).validate(answers[tool.name].structured_content)


CHANGES = {
    "diff_scans": {"first": 1, "second": 2, "flows": True},
    "get_lineage": {"node": "a.orders.amount", "direction": "downstream", "as_of": "1"},
    "get_history": {"node": "a.orders.amount", "target": "b.paid.amount"},
}


@pytest.mark.process
def test_answers_about_earlier_scans_are_those_of_then(changed) -> None:
    """A model is asked why a figure is another one than last week."""
    server = mcp_server(Workers(changed, ServerOptions()), BUDGET)

    async def ask(client: Client) -> dict[str, Any]:
        results = {name: await client.call_tool(name, arguments) for name, arguments in CHANGES.items()}
        return {name: result.structured_content["answer"] for name, result in results.items()}

    answers = asked(server, ask)

    caused = [
        edge["cause"]["kind"] for edge in answers["diff_scans"]["flows"]["edges"] if edge["kind"] == "column-flow"
    ]
    assert set(caused) == {"query"}
    assert answers["get_lineage"]["scan"] == 1
    numbers = [line["scan"] for line in answers["get_history"]["items"]]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("check_change", {"subject": "orders-valu", "text": "{}"}, "'orders-value'"),
        ("check_change", {"subject": "orders-value", "text": "{"}, "is no"),
        ("check_change", {"text": "{}"}, "exactly one of subject, topic"),
        ("may_delete", {"topic": "orderz"}, "'orders'"),
        ("may_delete", {}, "name a topic"),
        ("get_history", {"node": "orderz"}, "'orders'"),
        ("get_lineage", {"node": "orders", "as_of": "9"}, "the newest is 1"),
        ("get_lineage", {"node": "orders", "as_of": "lately"}, "2026-01-31"),
        ("diff_scans", {"first": 1, "second": 9}, "the scans 1"),
        ("list_problems", {"rule": "failed-conector"}, "failed-connector"),
        ("describe_topic", {"topic": "orderz"}, "'orders'"),
        ("describe_topic", {"name": "orders"}, "known: topic, cluster"),
        ("search", {"query": "x"}, "q: "),
    ],
)
def test_what_is_wrong_is_an_error_that_helps_the_model(server, name, arguments, text) -> None:
    """It calls again with a name that there is."""
    result = asked(server, lambda client: client.call_tool(name, arguments))

    assert result.is_error
    assert text in result.content[0].text


@pytest.mark.process
@MODES
def test_the_server_answers_mcp_over_http(retail, mode) -> None:
    """One address for people, programs and assistants."""

    async def run() -> Any:
        app = application(retail, ServerOptions(heavy=0))
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app)
            async with (
                httpx2.AsyncClient(transport=transport) as http,
                Client(streamable_http_client("http://localhost/mcp", http_client=http), mode=mode) as client,
            ):
                return await every_answer(client)

    check_answers(anyio.run(run))


@pytest.mark.process
@MODES
def test_the_command_answers_over_stdio(retail, mode, tmp_path) -> None:
    """Hosts start it so; nothing but answers may be on its standard output. There it also reads files."""
    git(tmp_path, "init", "-q")
    for name, text in BASE.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    commit_all(tmp_path)
    (tmp_path / "orders-value.avsc").write_text(BASE["orders-value.avsc"].replace("total", "price"), encoding="utf-8")
    local = {"check_work_tree": {"directory": str(tmp_path)}}
    command = "from scanner_cli.main import main; main()"
    program = StdioServerParameters(command=sys.executable, args=["-c", command, "mcp", "--dictionary", retail.url])

    answers = asked(stdio_client(program), partial(every_answer, local=local), mode=mode)
    document = answers.pop("check_work_tree").structured_content["answer"]
    check_answers(answers)

    assert document["verdict"] == "breaks"
    assert "column-removed" in {finding["rule"] for finding in document["findings"]}


async def every_answer(client: Client, local: Mapping[str, dict[str, Any]] = MappingProxyType({})) -> dict[str, Any]:
    """Return what every tool answers, by name; *local* are the arguments of those that read files."""
    tools = (await client.list_tools()).tools
    arguments = {**ARGUMENTS, **local}
    return {tool.name: await client.call_tool(tool.name, arguments[tool.name]) for tool in tools}


def check_answers(answers: dict[str, Any]) -> None:
    """Check that every tool answered, each with the scan that it is of."""
    assert set(answers) == set(ARGUMENTS)
    assert [name for name, result in answers.items() if result.is_error] == []
    assert {json.loads(result.content[0].text)["about"]["scan"] for result in answers.values()} == {1}
    assert answers["search"].structured_content["answer"]["items"][0]["name"] == "orders"


def test_the_page_has_the_parameters_of_each_tool() -> None:
    """A page with parameters of yesterday makes an assistant call a tool wrongly."""
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
    shown = dict(re.findall(r"^\| `(\w+)\(([^)]*)\)` \|", page, re.MULTILINE))

    assert shown == {name: ", ".join(signature_of(question).parameters) for name, question in TOOLS.items()}


def test_a_lineage_has_the_flows_of_the_library_in_a_third_of_the_size(server, retail) -> None:
    """No edge, evidence or name is lost; names are those that the tools take."""
    node = "warehouse.public.order_facts.amount"
    answer = asked(server, lambda client: client.call_tool("get_lineage", {"node": node})).structured_content["answer"]
    whole = scanner_api.lineage(retail, node)

    assert answer["root"] == node or answer["root"].endswith(f"/{node}")
    assert sorted(flow[3] for flow in answer["flows"]) == sorted(edge.evidence for edge in whole.edges)
    assert len(answer["nodes"]) == len(whole.nodes)
    assert tokens(answer) < tokens(scanner_api.document(whole)) / 2.5
    for name, *_ in answer["nodes"]:
        assert not asked(server, lambda client, name=name: client.call_tool("get_lineage", {"node": name})).is_error

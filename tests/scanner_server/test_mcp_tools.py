"""MCP with the official client library: both eras of the protocol, every tool, errors that a model can act on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from scanner_server.app import application
from scanner_server.mcp_tools import Tools, mcp_server

ARGUMENTS: dict[str, dict[str, Any]] = {
    "search": {"query": "order", "limit": 3},
    "describe_topic": {"cluster": "retail", "topic": "orders"},
    "find_columns": {"tag": "pii", "name": "null"},
    "get_lineage": {"node": "customers", "direction": "upstream"},
    "get_paths": {"start": "order-service", "end": "orders"},
    "get_impact": {"node": "orders", "hops": "null"},
    "diff_scans": {"first": 1, "second": 1},
    "list_problems": {"severity": "error"},
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
def server(retail):
    return mcp_server(Tools(retail, now=lambda: datetime.now(UTC) + timedelta(hours=2)))


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
        assert document["about"]["age_seconds"] >= 7200
        assert document["about"]["stale_sources"] == []
        assert document["left_out"] == {}


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
    result = asked(server, lambda client: client.call_tool("search", {"query": "x", "limit": 1000}))

    assert result.is_error
    assert "less than or equal to 100" in result.content[0].text


@pytest.mark.parametrize("name", ["describe_topic", "get_lineage", "get_impact", "list_problems"])
def test_an_answer_stays_within_the_budget_and_says_what_is_missing(retail, name) -> None:
    """A long answer would push the conversation out of the model's memory."""
    budget = 500
    more = {"get_lineage": {"node": "orders", "direction": "both"}, "list_problems": {"severity": "warning"}}
    arguments = ARGUMENTS[name] | more.get(name, {})
    result = asked(mcp_server(Tools(retail, budget)), lambda client: client.call_tool(name, arguments))
    whole = asked(mcp_server(Tools(retail, 100_000)), lambda client: client.call_tool(name, arguments))

    document, complete = (json.loads(each.content[0].text) for each in (result, whole))
    assert len(result.content[0].text) <= budget * 4 + 200
    assert document["left_out"]
    for member, count in document["left_out"].items():
        assert len(document["answer"][member]) + count == len(complete["answer"][member])


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
    answer = Tools(retail)._bounded({"list": [{"doc": "x" * 5_000}]}, "list")

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


@MODES
def test_the_server_answers_mcp_over_http(retail, mode) -> None:
    """One address for people, programs and assistants."""

    async def run() -> Any:
        app = application(retail)
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app)
            async with (
                httpx2.AsyncClient(transport=transport) as http,
                Client(streamable_http_client("http://localhost/mcp", http_client=http), mode=mode) as client,
            ):
                return await client.call_tool("search", {"query": "orders"})

    result = anyio.run(run)

    assert json.loads(result.content[0].text)["answer"]["hits"][0]["name"] == "orders"


def test_the_command_answers_over_stdio(retail) -> None:
    """Hosts start it so; nothing but answers may be on its standard output."""
    command = "from scanner_cli.main import main; main()"
    program = StdioServerParameters(command=sys.executable, args=["-c", command, "mcp", "--dictionary", retail.url])

    result = asked(stdio_client(program), lambda client: client.call_tool("search", {"query": "orders", "limit": 1}))

    assert json.loads(result.content[0].text)["answer"]["hits"][0]["name"] == "orders"

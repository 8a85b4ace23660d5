"""Hints for programs: what the command line would say, without commands."""

from __future__ import annotations

import json

import pytest

from scanner_model.errors import InputInvalid
from scanner_server.problems import PATHS, TOOLS, error_response, for_programs


@pytest.mark.parametrize(
    ("hint", "api", "mcp"),
    [
        ("", "", ""),
        ("did you mean 'orders'?", "did you mean 'orders'?", "did you mean 'orders'?"),
        ("`scanner topics` lists them", "`/api/v1/topics` lists them", "`list_topics` lists them"),
        (
            "the newest is 3; `scanner changes --scans` lists them",
            "the newest is 3; `/api/v1/scans` lists them",
            "the newest is 3",
        ),
        ("`scanner validate --rule x` shows it", "`/api/v1/findings` shows it", "`list_problems` shows it"),
        (
            "run `scanner dictionary dataflow`",
            "whoever runs scanner can change that",
            "whoever runs scanner can change that",
        ),
    ],
)
def test_a_hint_names_what_its_reader_can_ask(hint, api, mcp) -> None:
    """An assistant has no shell."""
    assert for_programs(hint, PATHS) == api
    assert for_programs(hint, TOOLS) == mcp


@pytest.mark.parametrize("choices", [["topic:kafka://k:9092/a", "job:flink://f/a"], []])
def test_a_name_of_several_things_has_them_as_members_of_the_document(choices) -> None:
    """A program need not read the hint; without any, there is no such member."""
    document = json.loads(error_response(InputInvalid("2 nodes are called 'a'", choices=choices)).body)

    assert document.get("choices", []) == choices
    assert ("choices" in document) is bool(choices)

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.text import storable, tasks_apart, visible, visible_json, writable

_ANY = st.text(st.characters(exclude_categories=()))


@given(_ANY)
def test_storable_text_can_be_encoded(text: str) -> None:
    """Whatever a name holds, files and databases take it."""
    assert len(storable(text).encode("utf-8")) >= len(text)


@given(_ANY)
def test_writable_text_can_stand_in_xml(text: str) -> None:
    """XML 1.0 has no escape for most control characters."""
    escaped = writable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    assert ET.fromstring(f"<a>{escaped}</a>").tag == "a"


@given(_ANY)
def test_visible_text_has_nothing_that_moves_a_cursor(text: str) -> None:
    """A terminal obeys control characters of 7 and 8 bits, and turns lines around at bidirectional marks."""
    shown = visible(text)

    assert not set(shown) & {*map(chr, range(32)), *map(chr, range(127, 160)), *"\u202a\u202b\u202d\u202e\u2066\u2067"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain заказы 注文 \u3000", "plain заказы 注文 \u3000"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\ud800", "\\ud800"),
        ("orders ##vso[task.setvariable variable=A]b", "orders \\x23#vso[task.setvariable variable=A]b"),
        ("##[add-matcher]x", "\\x23#[add-matcher]x"),
        ("##teamcity[x]", "\\x23#teamcity[x]"),
        ("::add-matcher::x", "\\x3a:add-matcher::x"),
        ("a\n::error file=x::y", "a\\n::error file=x::y"),
        ("see ::stop-commands::x", "see \\x3a:stop-commands::x"),
        ("## Topics [1]", "## Topics [1]"),
        ("a ::text, std::env::var", "a ::text, std::env::var"),
    ],
)
def test_what_is_not_shown_is_escaped(text: str, shown: str) -> None:
    """A reader sees that something is there, and what."""
    assert visible(text) == shown


def test_a_line_of_a_text_is_no_command() -> None:
    """GitHub obeys a line that begins with one, also after spaces."""
    assert visible("a\n  ::add-mask::b\nc ::int\nd ::int", lines=True) == ("a\n  \\x3a:add-mask::b\nc ::int\nd ::int")


def test_json_has_no_command_for_a_log() -> None:
    """A log may contain the JSON of a report; programs read the same value."""
    text = visible_json("##vso[task.complete]")

    assert "##" not in text
    assert json.loads(text) == "##vso[task.complete]"


def test_line_feeds_stay_where_they_are_ours() -> None:
    """A report has lines of its own."""
    assert visible("a\n\x1bb\r", lines=True) == "a\n\\x1bb\\r"


def test_halves_beside_each_other_are_one_character() -> None:
    """So they come from readers of UTF-16."""
    assert storable("a\ud83d\ude00\ud83d\0") == "a\U0001f600\ufffd\ufffd"


@pytest.mark.parametrize(
    ("state", "tasks", "words"),
    [
        ("RUNNING", ("RUNNING", "RUNNING"), ""),
        ("RUNNING", ("FAILED", "RUNNING"), "1 of 2 tasks FAILED"),
        ("RUNNING", ("UNASSIGNED",), "1 of 1 tasks UNASSIGNED"),
        ("RUNNING", ("RESTARTING", "FAILED", "FAILED"), "2 of 3 tasks FAILED, 1 of 3 tasks RESTARTING"),
        ("RUNNING", (), "no tasks"),
        ("PAUSED", ("PAUSED",), ""),
        ("FAILED", ("FAILED",), "1 of 1 tasks FAILED"),
        ("", (), ""),
    ],
)
def test_tasks_in_another_state_than_their_connector_are_named(state: str, tasks: tuple[str, ...], words: str) -> None:
    """A worker calls a connector RUNNING whatever becomes of its tasks."""
    assert tasks_apart(state, tasks) == words

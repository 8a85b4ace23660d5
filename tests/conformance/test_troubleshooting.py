"""Every message on the troubleshooting page is one that the program prints, and every source has its rights listed."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scanner_dictionary.engine.open import dictionary_error

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operations" / "troubleshooting.md").read_text(encoding="utf-8")
RIGHTS = (ROOT / "docs" / "operations" / "rights.md").read_text(encoding="utf-8")
PACKAGES = ("scanner_*", "dataflow_generator", "manual_input")
MESSAGES = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
HOLE = "…"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("troubleshooting")]  # one worker reads the code


class DriverError(Exception):
    """Looks like an error of psycopg: it has a SQLSTATE."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("could not connect")
        self.sqlstate = sqlstate


def templates() -> Iterator[str]:
    """Yield every text of the code, with a hole for each value in it."""
    for package in PACKAGES:
        for directory in ROOT.glob(package):
            for file in directory.rglob("*.py"):
                yield from texts(ast.parse(file.read_text(encoding="utf-8")))


def texts(tree: ast.AST) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else HOLE for part in node.values)


def produced() -> Iterator[str]:
    """Yield the messages for errors of databases, which are put together of two texts."""
    for name in ("SQLITE_CORRUPT", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_BUSY"):
        error = sqlite3.OperationalError("x")
        error.sqlite_errorname = name
        yield str(dictionary_error(error, "d.db"))
    for state in ("", "28P01", "42501", "2BP01"):
        yield str(dictionary_error(DriverError(state), "postgresql://db/d"))
    for why in ("no source could be read", "no source of it was selected"):
        yield f"{why}; nothing was stored, the dictionary is as it was"


@cache
def known() -> frozenset[str]:
    """Return every text; reading the code takes seconds, which those who collect other tests need not wait for."""
    return frozenset((*templates(), *produced()))


def is_printed(message: str) -> bool:
    """Return whether one text of the code has every part of *message*, in order."""
    parts = [re.escape(part) for part in message.split(HOLE) if part.strip()]
    pattern = re.compile(".*".join(parts), re.DOTALL)
    return any(pattern.search(text) for text in known())


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_one_that_the_program_prints(message) -> None:
    """People search for the words that they see."""
    assert is_printed(message)


def test_a_message_that_the_program_does_not_print_is_noticed() -> None:
    """The comparison would not be worth much otherwise."""
    assert len(MESSAGES) > 35
    assert not is_printed("the dictionary does not exist at all")
    assert not is_printed("no response within … minutes")


def test_messages_that_are_put_together_have_their_parts_in_the_code() -> None:
    """The two ends of a scan that stored nothing."""
    assert "no source of it was selected" in known()
    assert "…; nothing was stored, the dictionary is as it was" in known()


def test_the_rights_of_every_source_are_listed() -> None:
    """A source without a row would be given too much."""
    pages = {page.name for page in (ROOT / "docs" / "sources").glob("*.md")} - {"index.md"}

    assert {name for name in pages if not re.search(rf"\(\.\./sources/{re.escape(name)}[)#]", RIGHTS)} == set()

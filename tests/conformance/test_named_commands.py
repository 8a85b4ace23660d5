"""Commands that help, hints, rules and pages name exist under their present names, with the options shown."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from scanner_cli.main import COMMANDS, UNLISTED, cli

ROOT = Path(__file__).parents[2]
PACKAGES = ("scanner_*", "manual_input", "dataflow_generator")
NAMED = re.compile(r"(?:`|^\$ |^ {4,}|\()(scanner [a-z][^`()\n]*)", re.MULTILINE)
TITLES = re.compile(r"^(?:## |\| \[`)scanner .*$", re.MULTILINE)
"""Titles of JSON documents: they are also names of files, and keep the names of the first commands that wrote them."""


def texts() -> Iterator[tuple[str, str]]:
    """Yield the texts that users read, each with its place: pages, and the strings of the program."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    for page in pages:
        if page.name != "CHANGELOG.md":
            text = page.read_text("utf-8")
            is_list = page.name in {"json.md", "schemas.md"}
            yield str(page.relative_to(ROOT)), TITLES.sub("", text) if is_list else text
    for package in PACKAGES:
        for module in sorted(ROOT.glob(f"{package}/**/*.py")):
            for node in ast.walk(ast.parse(module.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and "scanner " in node.value:
                    yield f"{module.relative_to(ROOT)}:{node.lineno}", node.value


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield the words of every command that a text names, with its place."""
    for place, text in texts():
        for found in NAMED.findall(text):
            try:
                words = shlex.split(found.partition(" && ")[0], comments=True)[1:]
            except ValueError:  # a quotation that goes on elsewhere
                continue
            if words and re.fullmatch("[a-z-]+", words[0]):
                yield place, words


def parse(words: list[str]) -> None:
    """Parse *words* by the present names; raises click.UsageError for an unknown command or option."""
    group: click.Command = cli
    context = click.Context(cli)
    while isinstance(group, click.Group) and words:
        command = group.get_command(context, words[0])
        if command is None:
            raise click.UsageError(f"no command {words[0]!r}")
        context, group, words = click.Context(command, parent=context, info_name=words[0]), command, words[1:]
    options = {
        name
        for option in group.params
        if isinstance(option, click.Option)
        for name in option.opts + option.secondary_opts
    }
    for word in words:
        name = word.partition("=")[0].rstrip(".,;:")
        if re.fullmatch(r"--[a-z][a-z-]*", name) and name not in options | {"--help"}:
            raise click.UsageError(f"no option {name}")


def test_commands_that_a_text_names_exist() -> None:
    """A hint that names a command of yesterday sends the reader nowhere."""
    refused = []
    for place, words in commands():
        try:
            parse(words)
        except click.UsageError as error:
            refused.append((place, " ".join(words), error.format_message()))

    assert refused == []


def test_commands_are_found() -> None:
    """A pattern that finds nothing would pass."""
    found = list(commands())

    assert len(found) > 400
    assert {words[0] for _, words in found} >= {*COMMANDS, *UNLISTED} - {"demo"}


@pytest.mark.parametrize("words", [["check-change"], ["topics", "--nothing"], ["dictionary", "nothing"]])
def test_a_former_or_wrong_name_is_refused(words: list[str]) -> None:
    """The check above can fail."""
    with pytest.raises(click.UsageError):
        parse(words)

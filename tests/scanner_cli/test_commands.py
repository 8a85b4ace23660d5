"""The commands as a whole: how many there are, one line for each, two examples, former names, completion."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from scanner_cli.commands.check import _sorted_out
from scanner_cli.main import ALIASES, COMMANDS, MEANINGS, cli
from scanner_cli.shells import SHELLS

MOST, LONGEST = 28, 60


def leaves(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name)


LEAVES = tuple(leaves())


def test_few_commands_are_listed_each_in_one_short_line(scanner) -> None:
    """A list that does not fit a screen is not read."""
    assert len(COMMANDS) <= MOST
    too_long = {name: text for name, (_, text) in COMMANDS.items() if len(text) > LONGEST or not text.endswith(".")}
    assert too_long == {}
    listed = [line for line in scanner("--help").out.splitlines() if line.strip().split(" ")[0] in COMMANDS]
    assert len(listed) == len(COMMANDS)
    assert max(map(len, listed)) <= 80


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_help_shows_two_examples(path, scanner) -> None:
    """The first is the plain use, the second shows what else the command does."""
    examples = scanner(*path, "--help").out.partition("Example")[2]

    assert sum(f"scanner {' '.join(path)}" in line for line in examples.splitlines()) >= 2


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_options_of_all_commands_come_last(path, scanner) -> None:
    """What only this command has is above the dictionary and the format."""
    text = scanner(*path, "--help").out

    assert text.rindex("Output:") > max(text.rfind("\nOptions:"), text.rfind("\nDictionary:"))


@pytest.mark.parametrize("words", [*ALIASES, *ALIASES.values()])
def test_former_names_lead_to_commands(words) -> None:
    """Scripts keep working until 1.0."""
    context = click.Context(cli)
    name, command, rest = cli.resolve_command(context, words.split())

    assert command is not None
    assert name in COMMANDS
    while isinstance(command, click.Group) and rest:
        _, command, rest = command.resolve_command(click.Context(command), rest)
    if command is not None and not isinstance(command, click.Group):
        command.make_parser(context).parse_args(rest)


@pytest.mark.parametrize("word", MEANINGS)
def test_words_that_people_try_name_a_command(word, scanner) -> None:
    """A word that is near in meaning is often far in letters."""
    answer = scanner(word)

    assert answer.status == 2
    assert f"use `scanner {MEANINGS[word]}`" in answer.err
    assert cli.resolve_command(click.Context(cli), MEANINGS[word].split())[1] is not None


@pytest.mark.parametrize(
    ("things", "sorted_out"),
    [
        (("orders.total",), ((), None, "orders.total")),
        (("orders-value",), ((), None, "orders-value")),
        (("kafka://k:1/orders",), ((), None, "kafka://k:1/orders")),
        (("origin/main...HEAD",), ((), "origin/main...HEAD", "")),
        (("HEAD~3..",), ((), "HEAD~3..", "")),
        (("missing.avsc",), (("missing.avsc",), None, "")),
        (("schemas",), (("schemas",), None, "")),
        (("../elsewhere/a.sql",), (("../elsewhere/a.sql",), None, "")),
        (("a", "b"), (("a", "b"), None, "")),
        ((), ((), None, "")),
    ],
)
def test_what_is_checked_is_a_file_commits_or_a_name(things, sorted_out, tmp_path, monkeypatch) -> None:
    """A file that exists is a file, whatever it is called."""
    (tmp_path / "schemas").mkdir()
    monkeypatch.chdir(tmp_path)

    assert _sorted_out(things, None) == sorted_out


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_prints_a_script_for_each_shell(shell, scanner) -> None:
    """It asks the program through a variable."""
    script = scanner("completion", shell)

    assert script.status == 0
    assert "_SCANNER_COMPLETE" in script.out
    assert f"{shell}_complete" in script.out


def test_completion_of_an_unknown_shell_suggests_one(scanner) -> None:
    """As for every other word."""
    answer = scanner("completion", "powershel")

    assert (answer.status, "powershell" in answer.err) == (2, True)


@pytest.mark.process
@pytest.mark.parametrize(
    ("shell", "words", "unfinished", "expected"),
    [
        ("powershell", "scanner ", "ch", "check\tCheck a change"),
        ("powershell", "scanner check ", "--dia", "--dialect\t"),
        ("fish", "scanner openlineage ", "mon", "plain,monitor\t"),
    ],
)
def test_shells_complete_commands_and_options(shell, words, unfinished, expected, tmp_path: Path) -> None:
    """The scripts of fish and PowerShell pass the words, and the unfinished one."""
    variables = {"COMP_WORDS": words + unfinished, "COMP_CWORD": unfinished, "_SCANNER_COMPLETE": f"{shell}_complete"}
    program = "from scanner_cli.entry import main; import sys; sys.argv = ['scanner']; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert expected in done.stdout, done.stderr

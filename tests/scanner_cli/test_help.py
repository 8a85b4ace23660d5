"""Every command explains itself, fast."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from scanner_cli.main import COMMANDS, cli

HEAVY = (
    "alembic", "confluent_kafka", "fastavro", "google.protobuf", "jsonschema", "pyarrow", "pyspark", "requests", "rich",
    "sqlalchemy",
)  # fmt: skip


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = tuple(commands())
STATUSES = {
    ("scan",): "3 some source",
    ("doctor",): "status 3",
    ("check",): "5 breaks",
    ("query",): "4 the broker",
    ("topics",): "status 4",
    ("schemas",): "status 4",
    ("changes",): "4 the scan",
    ("lineage",): "4 none has it",
    ("explain", "schema"): "2 no column",
    ("config", "validate"): "status 2",
}


@pytest.mark.parametrize("path", [path for path, _ in ALL], ids=" ".join)
def test_help_shows_an_example_that_begins_with_the_command(path, scanner) -> None:
    """People copy an example before they read a sentence."""
    result = scanner(*path, "--help")

    assert result.status == 0
    assert "Example" in result.out
    assert f"scanner {' '.join(path)}" in result.out.partition("Example")[2]


@pytest.mark.parametrize("path", STATUSES, ids=" ".join)
def test_help_lists_special_exit_statuses(path, scanner) -> None:
    """A script goes by them."""
    result = scanner(*path, "--help")

    assert STATUSES[path] in " ".join(result.out.split())


def test_every_option_has_a_help_text() -> None:
    """An option without a help text cannot be understood."""
    silent = [
        (path, parameter.name)
        for path, command in ALL
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]

    assert silent == []


def test_the_list_of_commands_names_every_command(scanner) -> None:
    """The list is written without importing them."""
    result = scanner("--help")
    shown = " ".join(result.out.split())

    assert all(name in result.out and " ".join(text.split()) in shown for name, (_, text) in COMMANDS.items())


@pytest.mark.parametrize("path", [("explain",), ("config",), ("openlineage",), ("dictionary",), ()], ids=" ".join)
def test_a_group_without_a_command_shows_its_help_and_fails(path, scanner) -> None:
    """A script that lost its argument must not look successful."""
    result = scanner(*path)

    assert result.status == 2
    assert result.out == ""
    assert "Commands:" in result.err or "Lineage:" in result.err


def test_help_imports_no_heavy_module() -> None:
    """The list of commands is written at once, whatever is installed; a command imports what it needs."""
    lines = [["--help"], ["--version"]]
    program = (
        "import sys\nfrom scanner_cli.main import run\n"
        f"for line in {lines!r}: run(line)\n"
        f"sys.exit(','.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


def test_version_is_printed(scanner) -> None:
    """A bug report begins with it."""
    assert scanner("--version").out.startswith("scanner ")

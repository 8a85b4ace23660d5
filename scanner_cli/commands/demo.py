"""`scanner demo`: what scanner answers, as a short story about the bundled example."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo
from scanner_cli.example import example_directory
from scanner_cli.output.tree import show_tree

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_COLUMN = "warehouse.public.order_facts.amount"
_DROPPED = "orders.total"
_PAGE = 1_000


@command()
@click.option(
    "--output",
    "-o",
    "directory",
    type=click.Path(path_type=Path),
    default=Path("scanner-demo"),
    show_default=True,
    metavar="DIR",
    help="Where the dictionary of the example is written.",
)
@click.option("--open", "opens", is_flag=True, help="Then serve the page and open it in the browser.")
def demo(directory: Path, opens: bool) -> None:
    """Show what scanner answers, on a bundled example.

    The example is a small shop: Kafka, Connect, ksqlDB, Flink and two databases. scanner reads recorded answers of real
    servers; it contacts none.

    \b
    Examples:
      scanner demo
      scanner demo --open
    """
    example = example_directory()
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "dictionary.db"
    file.unlink(missing_ok=True)
    dictionary = library.Dictionary(f"sqlite:///{file}")
    report = library.scan([str(example / "cluster.json")], dictionary, replay=example / "capture")
    library.generate(dictionary, store=True)
    echo(f"Scanned the cluster {report[0].cluster} from recorded answers: {_contents(dictionary)}.")
    for name, error in _failed(dictionary):
        echo(f"One connector failed: {name}: {error}")
    lines = _CommandLines(file)
    echo(f"\nWhere does {_COLUMN} come from?\n{lines.line('lineage', _COLUMN, '--upstream')}\n")
    show_tree(library.lineage(dictionary, _COLUMN, direction="upstream", columns=True))
    echo(f"\n{_personal(dictionary)}\n{lines.line('columns', '--tag', 'PII')}")
    echo(f"\nWhat breaks if {_DROPPED} is dropped?\n{lines.line('impact', _DROPPED)}\n")
    found = library.impact(dictionary, _DROPPED)
    echo(found.sentence)
    for each in [each for each in found.affected if each.kind in ("job", "consumer-group")]:
        echo(f"  {each.kind:<15} {each.name:<20} {each.use:<10} {each.owner or 'owner unknown'}")
    if opens:
        context = click.get_current_context()
        serve = context.find_root().command.get_command(context, "serve")  # type: ignore[attr-defined]
        context.invoke(serve, url=dictionary.url, opens=True)
    else:
        echo("\nOpen the page:\n" + lines.line("serve", "--open"))
        echo(f"\nScan your own, in the directory of a repository:\n  {_program(absolute=True)} scan .")


class _CommandLines:
    """Command lines about the dictionary in *file*, which run as printed in this directory."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def line(self, *words: str) -> str:
        """Return the line of a shell that runs the command *words* on the dictionary."""
        return f"  {_program()} {shlex.join([*words, '--dictionary', str(self._file)])}"


def _program(*, absolute: bool = False) -> str:
    """Return how a shell starts this program: by its name if that finds it, else by its path."""
    started = Path(sys.argv[0])
    found = shutil.which("scanner")
    if started.name != "scanner" or (found and started.exists() and Path(found).samefile(started)):
        return "scanner"
    return shlex.quote(str(started.absolute() if absolute else started))


def _contents(dictionary: Dictionary) -> str:
    listed = library.topics(dictionary, limit=_PAGE)
    jobs = library.connectors(dictionary, limit=_PAGE)
    failed = sum(bool(row.failed_tasks) for row in jobs)
    return f"{len(listed)} topics, {len(jobs)} connectors, {failed} of them failed"


def _failed(dictionary: Dictionary) -> Iterator[tuple[str, str]]:
    for row in library.connectors(dictionary, failed=True, limit=_PAGE):
        yield row.name, next(iter(row.error.splitlines()), "")


def _personal(dictionary: Dictionary) -> str:
    rows = library.personal_data(dictionary, limit=_PAGE)
    columns = {(row.dataset, row.column, row.found) for row in rows}
    declared = {(dataset, column) for dataset, column, found in columns if found == "declared"}
    inherited = {(dataset, column) for dataset, column, found in columns if found == "inherited"} - declared
    return (
        f"{len(declared | inherited)} columns hold personal data: {len(declared)} are tagged, "
        f"{len(inherited)} are untagged copies of tagged columns."
    )

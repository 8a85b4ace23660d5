"""Commands in pages: they are run here, or the page says why not; all have options that exist.

A block of commands is one of `sh` or `console`, or has lines that begin with `$ `. A comment before it may say
`not run: REASON`, `run by TEST`, or `exit status N`. The commands of a page start where the tutorial ends: with its
dictionary, its graph and the directory `retail`. What a block shows of the output is compared; `...` and `…` stand for
anything, on a line of their own for any lines.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from scanner_cli.main import cli, run

ROOT = Path(__file__).parents[2]
FILES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*/README.md")]
PAGES = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in sorted(FILES)}
TUTORIAL = "docs/tutorial.md"
BLOCK = re.compile(r"^( *)(?:<!-- ([^\n]*) -->\n *)?```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PAGE_NOT_RUN = "<!-- the commands of this page are not run: "
WORDS = re.compile(r"(?:^|[|&;] *|\w=\S* )scanner (?=[a-z-])")


@dataclass(frozen=True)
class Block:
    """A block of commands: what a comment says of it, and each command with what the page shows of its output."""

    note: str
    commands: tuple[tuple[str, str], ...]

    @property
    def is_run(self) -> bool:
        """Return whether this module runs it."""
        return not self.note.startswith(("not run: ", "run by "))

    @property
    def status(self) -> int:
        """Return the exit status of its commands."""
        return int(self.note.removeprefix("exit status ")) if self.note.startswith("exit status ") else 0


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of commands of a page."""
    for indent, note, language, body in BLOCK.findall(text):
        body = re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)
        if language == "console" or re.search(r"^\$ ", body, re.MULTILINE):
            shown = re.split(r"^\$ ", body.replace("\\\n", " "), flags=re.MULTILINE)[1:]
            yield Block(note, tuple((part.partition("\n")[0], part.partition("\n")[2].rstrip("\n")) for part in shown))
        elif language == "sh":
            lines = body.replace("\\\n", " ").splitlines()
            yield Block(note, tuple((line, "...") for line in lines if line and not line.startswith("#")))


RUN = {
    page: tuple(block for block in blocks(text) if block.is_run)
    for page, text in PAGES.items()
    if PAGE_NOT_RUN not in text
}


def scanner_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of every command of scanner in a page, whether it is run or not."""
    for block in blocks(text):
        for line, _ in block.commands:
            for start in WORDS.finditer(line):
                yield until_operator(shlex.split(line[start.end() :], comments=True))


def until_operator(words: list[str]) -> list[str]:
    """Return the words of the first command of a line of a shell."""
    end = next((at for at, word in enumerate(words) if word in {"|", "&&", "&", ">", ";"}), len(words))
    return words[:end]


def parse(words: list[str]) -> None:
    """Parse *words* as the command line does; raises click.UsageError for an unknown command or option."""
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group):
        name, child, words = command.resolve_command(context, words)
        assert child is not None
        context, command = click.Context(child, parent=context, info_name=name), child
    command.make_parser(context).parse_args(list(words))


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "scanner " in text])
def test_commands_have_the_options_that_pages_show(page: str) -> None:
    """A renamed option stays in a page that nobody runs."""
    refused = []
    for words in scanner_commands(PAGES[page]):
        if words[0].startswith("-") or words[0].isupper():
            continue
        try:
            parse(words)
        except click.UsageError as error:
            refused.append((words, error.format_message()))

    assert refused == []


def test_commands_are_found_in_many_pages() -> None:
    """A pattern that finds nothing would pass."""
    assert sum(len(list(scanner_commands(text))) for text in PAGES.values()) > 150
    assert sum(len(block.commands) for page in RUN.values() for block in page) > 30


@pytest.mark.parametrize("words", [["topics", "--no-such-option"], ["no-such-command"]])
def test_a_wrong_command_is_noticed(words: list[str]) -> None:
    """The check above must be able to fail."""
    with pytest.raises(click.UsageError):
        parse(words)


def test_a_test_that_a_page_names_reads_the_page() -> None:
    """`run by` is a promise."""
    for page, text in PAGES.items():
        for block in blocks(text):
            if block.note.startswith("run by "):
                test = (ROOT / block.note.removeprefix("run by ")).read_text("utf-8")
                assert Path(page).name in test, (page, block.note)


def execute(line: str, directory: Path) -> tuple[int, str]:
    """Run one command in *directory*; return its exit status and what it printed."""
    plain = re.fullmatch(r"scanner ([^|&;<>$`]*?)( +#.*)?", line)
    if plain:
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            status = run(shlex.split(plain[1]))
        return status, printed.getvalue()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bash = [shutil.which("bash") or "bash", "-c", line]
    done = subprocess.run(
        bash,
        cwd=directory,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def shown_in(expected: str, output: str) -> bool:
    """Return whether *output* is what a page shows; three dots are any text of a line, or any lines."""
    printed = [" ".join(line.split()) for line in output.splitlines()]
    ends = {0}
    for line in expected.splitlines():
        parts = [" ".join(part.split()) for part in re.split(r"\.\.\.|…", line)]
        if parts == ["", ""]:
            ends = set(range(min(ends, default=len(printed) + 1), len(printed) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(printed) and line_fits(parts, printed[end])}
    return len(printed) in ends


def line_fits(parts: list[str], line: str) -> bool:
    """Return whether *line* begins with the first of *parts*, ends with the last, and has the others between."""
    if len(parts) == 1:
        return line == parts[0]
    if not line.startswith(parts[0]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = line.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return line.endswith(parts[-1]) and len(line) - len(parts[-1]) >= at


@pytest.mark.parametrize(
    ("expected", "output", "is_shown"),
    [
        ("A  B\n1  2", "A  B\n1  2\n", True),
        ("A  B\n1  3", "A  B\n1  2\n", False),
        ("A\n...\nZ", "A\nb\nc\nZ\n", True),
        ("A\n...\nZ", "A\nb\nc\n", False),
        ("took ... s", "took 0.2 s\n", True),
        ("A", "A\nB\n", False),
    ],
)
def test_what_a_page_shows_is_compared(expected: str, output: str, is_shown: bool) -> None:
    """Only the three dots stand for something else."""
    assert shown_in(expected, output) is is_shown


def run_blocks(page: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    monkeypatch.delenv("SCANNER_DICTIONARY", raising=False)
    for block in RUN[page]:
        for line, expected in block.commands:
            status, output = execute(line, directory)
            assert status == block.status, f"{page}: {line}\n{output}"
            assert shown_in(expected, output), f"{page}: {line}\nprinted:\n{output}"


@pytest.fixture(scope="module")
def after_tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the tutorial in an empty directory, with the archive that the site offers beside it."""
    directory = tmp_path_factory.mktemp("tutorial")
    shutil.make_archive(str(directory / "retail-example"), "zip", ROOT / "examples", "retail")
    with pytest.MonkeyPatch.context() as monkeypatch:
        run_blocks(TUTORIAL, directory, monkeypatch)
    return directory


def test_the_tutorial_ends_with_a_drawn_lineage(after_tutorial: Path) -> None:
    """It takes at most 15 commands, the installation included."""
    pages = [after_tutorial / "flow.html", after_tutorial / "orders-enriched.html"]

    assert sum(len(block.commands) for block in blocks(PAGES[TUTORIAL])) <= 15
    assert all("orders-enriched" in page.read_text("utf-8") for page in pages)


@pytest.mark.parametrize("page", [page for page, found in RUN.items() if found and page != TUTORIAL])
def test_commands_of_a_page_run(page: str, after_tutorial: Path, tmp_path: Path, monkeypatch) -> None:
    """A command that does not run is worse than none."""
    shutil.copytree(after_tutorial, tmp_path, dirs_exist_ok=True)
    (tmp_path / "examples").symlink_to(ROOT / "examples")

    run_blocks(page, tmp_path, monkeypatch)


def test_the_cells_of_the_notebook_page_run(after_tutorial: Path, tmp_path: Path, monkeypatch) -> None:
    """pandas takes the rows of the library as they are."""
    pandas = pytest.importorskip("pandas")
    shutil.copy(after_tutorial / "dictionary.db", tmp_path)
    monkeypatch.chdir(tmp_path)
    cells = re.findall(r"```python\n(.*?)```", PAGES["docs/how-to/notebook.md"], re.DOTALL)
    names: dict[str, object] = {}

    exec(compile("\n".join(cells), "notebook.md", "exec"), names)

    assert isinstance(names["topics"], pandas.DataFrame)
    assert (tmp_path / "orders.html").stat().st_size > 0

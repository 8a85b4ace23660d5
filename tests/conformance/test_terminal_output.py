"""What commands write on a terminal, with control characters in names and texts all over the dictionary."""

from __future__ import annotations

import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

import scanner_api
from scanner_dictionary.schema.tables import metadata
from scanner_model.text import visible

pytestmark = pytest.mark.process

EXAMPLE = Path(__file__).parents[2] / "examples/retail"
HOSTILE = {
    "orders": "ord\x1b]0;title\x07ers\x9b2J",
    "total": "to\x1b[2J\u202etal",
    "team-shop": "team\r\x1b[1A-shop",
    "Fulfilment": "Ful\x1b[2J\nerror: filment",
}
"""Names of the example, and what each is replaced with: it sets the title, clears the screen, turns a line around."""
ORDERS = HOSTILE["orders"]
LINES: list[list[str]] = [
    *([command] for command in ("topics", "schemas", "columns", "versions", "clients", "jobs", "validate")),
    *([command, ORDERS] for command in ("query", "lineage", "impact", "columns", "search", "jobs", "clients", "check")),
    *(["lineage", ORDERS, option] for option in ("--evidence", "--columns", "--impact")),
    *(["search", name] for name in HOSTILE.values()),
    ["columns", "--tag", "PII"],
    ["clients", ORDERS, "--columns"],
    ["impact", f"{ORDERS}.{HOSTILE['total']}"],
    ["plan", f"rename {ORDERS}.{HOSTILE['total']} → {HOSTILE['total']}s"],
    ["topics", ORDERS, "--cluster", HOSTILE["team-shop"]],
]
END = "(end of a command)"
COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""What scanner itself writes to a terminal."""


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dictionary of the example with the names of HOSTILE replaced in every text, JSON or not."""
    file = tmp_path_factory.mktemp("hostile") / "retail.db"
    opened = scanner_api.open_dictionary(file, create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], opened, replay=EXAMPLE / "capture")
    scanner_api.generate(opened)
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.create_function("hostile", 1, _with_hostile_names)
        for table in metadata.sorted_tables:
            for column in table.columns:
                conn.execute(f'UPDATE OR IGNORE {table.name} SET "{column.name}" = hostile("{column.name}")')
    return file


def _with_hostile_names(value: object) -> object:
    if not isinstance(value, str):
        return value
    for name, hostile in HOSTILE.items():
        value = value.replace(name, json.dumps(hostile)[1:-1] if value.startswith(("{", "[")) else hostile)
    return value


def on_terminal(lines: list[list[str]], dictionary: Path) -> list[str]:
    """Run command lines, one after the other, on a terminal; return what it gets of each."""
    program = (
        "import json, sys\nfrom scanner_cli.main import run\n"
        f"for line in json.loads(sys.argv[1]): run(line); print({END!r}, flush=True)"
    )
    given = json.dumps([[*line, "--dictionary", str(dictionary)] for line in lines])
    master, terminal = pty.openpty()
    with os.fdopen(master, "rb", buffering=0) as reader:
        command = [sys.executable, "-c", program, given]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal):
            os.close(terminal)
            return b"".join(_pieces(reader.fileno())).decode("utf-8").split(END)[:-1]


def _pieces(descriptor: int) -> Iterator[bytes]:
    """Yield what the other end of a terminal writes, until it is closed, which Linux reports as an error."""
    with suppress(OSError):
        while piece := os.read(descriptor, 65536):
            yield piece


@pytest.mark.no_cover
def test_no_command_sends_control_characters_of_others_to_a_terminal(dictionary: Path) -> None:
    """Whoever names a topic, a team or a file must not move the cursor, set the title or forge a line of scanner."""
    outputs = on_terminal(LINES, dictionary)

    assert len(outputs) == len(LINES)
    for line, output in zip(LINES, outputs, strict=True):
        shown = COLOURS.sub("", output).replace("\r\n", "\n")
        assert shown == visible(shown, lines=True), line
        assert "\nerror: filment" not in shown, line
        assert any(escape in shown for escape in ("\\x1b", "\\x9b")), line

"""The commands of docs/operations/backup.md, run as the page shows them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from scanner_cli.main import run
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.engine.rows import tables

ROOT = Path(__file__).parents[2]
RETAIL = ROOT / "examples" / "retail"
REPLAY = ("--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture"), "--quiet")
BACKUP = (ROOT / "docs" / "operations" / "backup.md").read_text(encoding="utf-8")
MOVING = BACKUP.partition("\n## Move to PostgreSQL\n")[2]
QUESTIONS = (
    ("query", "--broker", "127.0.0.1:29092", "--topic", "orders"),
    ("lineage", "orders", "--downstream"),
    ("validate",),
)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scan the example, and generate its graph."""
    file = tmp_path_factory.mktemp("retail") / "dictionary.db"
    assert run(["extract", *REPLAY, "--dictionary", str(file)]) == 0
    assert run(["dataflow", "--dictionary", str(file)]) == 0
    return file


@pytest.fixture
def home(example: Path, tmp_path: Path) -> Path:
    """Return a directory with the dictionary."""
    shutil.copy(example, tmp_path / "dictionary.db")
    return tmp_path


@pytest.fixture
def server(postgres_url: str) -> dict[str, str]:
    """Return the variables with which PostgreSQL's programs find the server, and the URL of an empty database."""
    if not shutil.which("pg_dump") or not shutil.which("createdb"):
        pytest.skip("PostgreSQL's client programs are not installed")
    parts = urlsplit(postgres_url)
    place = {"PGHOST": str(parts.hostname), "PGPORT": str(parts.port), "PGUSER": str(parts.username)}
    return place | {"SCANNER_DICTIONARY": postgres_url, "BASE": postgres_url.rpartition("/")[0]}


def commands(page: str, section: str) -> list[str]:
    """Return the commands of a section."""
    text = page.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def shell(line: str, home: Path, variables: dict[str, str]) -> str:
    """Run a command in *home* with the Python and the `scanner` of this environment."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(["/bin/sh", "-ec", line], cwd=home, env={**os.environ, "PATH": path, **variables}, text=True,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done.stdout


def contents(url: str) -> dict[str, list[tuple[object, ...]]]:
    engine = open_dictionary(url, create=False)
    with engine.connect() as conn:
        rows = {
            table.name: [tuple(row) for row in conn.execute(select(table).order_by(*table.primary_key.columns))]
            for table in tables()
        }
    engine.dispose()
    return rows


def answers(url: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    for question in QUESTIONS:
        assert run([*question, "--format", "json", "--dictionary", url]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="the program sqlite3 is not installed")
def test_backups_of_a_file_are_the_dictionary(home, example, capsys) -> None:
    """Each way of the page; then the first is put in place of the dictionary."""
    output = [shell(line, home, {}) for line in commands(BACKUP, "SQLite")]
    for name in ("dictionary.db", "compact.db", "python.db"):
        assert contents(str(home / name)) == contents(str(example))
        assert answers(str(home / name), capsys) == answers(str(example), capsys)

    assert "ok\n" in output
    assert not (home / "backup.db").exists()


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="the program sqlite3 is not installed")
def test_a_backup_is_safe_while_a_scan_is_stored(home, example) -> None:
    """It is of the moment before."""
    engine = open_dictionary(str(home / "dictionary.db"))
    from scanner_dictionary.engine.open import writing

    with writing(engine) as conn:
        conn.exec_driver_sql("DELETE FROM change_log")
        for line in commands(BACKUP, "SQLite")[:3]:
            shell(line, home, {})
    for name in ("backup.db", "compact.db", "python.db"):
        assert contents(str(home / name)) == contents(str(example))
    assert contents(str(home / "dictionary.db"))["change_log"] == []


@pytest.mark.postgres
def test_a_dictionary_is_moved_backed_up_and_restored_on_a_server(home, example, server, capsys) -> None:
    """By the commands of both pages; every table and answer is the same at the end."""
    (copying,) = (line for line in commands(f"## x\n{MOVING}", "x") if " dictionary copy " in line)
    shell(copying.replace("postgresql://scanner@db/dictionary", server["SCANNER_DICTIONARY"]), home, server)
    for line in commands(BACKUP, "PostgreSQL"):
        shell(line, home, server)
    restored = f"{server['BASE']}/restored"

    for url in (server["SCANNER_DICTIONARY"], restored):
        assert contents(url) == contents(str(example))
        assert answers(url, capsys) == answers(str(example), capsys)
    engine = open_dictionary(restored)
    with engine.connect() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM v_topics").scalar() == 31
    engine.dispose()


@pytest.mark.postgres
def test_users_with_the_rights_of_the_page_can_do_what_it_describes(example, server, capsys) -> None:
    """One scans and owns the tables, the other reads only."""
    import psycopg

    url = server["SCANNER_DICTIONARY"]
    owner, readers = (block.replace("…", "x") for block in re.findall(r"```sql\n(.*?)```", MOVING, re.DOTALL))
    owner = owner.replace("ROLE scanner", "ROLE moved").replace("TO scanner", "TO moved")
    database = url.rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(owner.replace("DATABASE dictionary", f"DATABASE {database}"))
        moved, reading = (url.replace("scanner:hidden-word", name) for name in ("moved", "readers"))
        assert run(["dictionary", "copy", str(example), moved]) == 0
        conn.execute(readers)

    assert run(["extract", *REPLAY, "--dictionary", moved]) == 0
    assert answers(reading, capsys) == answers(moved, capsys)
    assert run(["dataflow", "--dictionary", reading]) == 1
    assert "permission denied" in capsys.readouterr().err

"""Dictionaries of other revisions: a later one is migrated to, an earlier one than the first is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text

import scanner_dictionary
from scanner_dictionary.engine.open import FIRST_REVISION, MIGRATIONS, REVISION, VERSION_TABLE, open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import DictionaryUnusable

MADE_UP = f'''
import os
from alembic import op

revision = "0999"
down_revision = "{REVISION}"


def upgrade():
    op.execute("DROP VIEW v_topics")
    op.execute("ALTER TABLE topic ADD COLUMN made_up TEXT")
    op.execute("UPDATE topic SET made_up = name")
    if "KILLED" in os.environ:
        os._exit(9)
'''
OPEN = """
import sys
from scanner_dictionary.engine.open import open_dictionary
with open_dictionary(sys.argv[1]).connect() as conn:
    print(conn.exec_driver_sql("SELECT name, made_up FROM topic").all())
"""
READ = """
import sys
from scanner_dictionary.engine.open import open_for_reading
with open_for_reading(sys.argv[1]) as engine, engine.connect() as conn:
    print(conn.exec_driver_sql("SELECT name, made_up FROM topic").all())
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request, tmp_path, sample, at) -> str:
    """Return the URL of a dictionary of each kind, with a scan in it."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else str(tmp_path / "d.db")
    engine = open_dictionary(url)
    write_scan(engine, sample.orders(), started=at, finished=at)
    engine.dispose()
    return url


@pytest.fixture
def open_with_later_program(tmp_path):
    """Return a function that opens a dictionary with a program that has one more revision."""
    package = tmp_path / "later" / "scanner_dictionary"
    shutil.copytree(Path(scanner_dictionary.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "migrations" / "versions" / "0999_made_up.py").write_text(MADE_UP, encoding="utf-8")

    def opened(url: str, program: str = OPEN, **environment: str) -> tuple[int, str]:
        command, variables = [sys.executable, "-c", program, url], os.environ | environment
        ended = subprocess.run(
            command, cwd=package.parent, env=variables, stdout=subprocess.PIPE, text=True, check=False
        )
        return ended.returncode, ended.stdout.strip()

    return opened


def selected(url: str, query: str) -> list[tuple]:
    """Return the rows of a query, whatever the revision is."""
    engine = open_dictionary(url)
    with engine.connect() as conn:
        rows = [tuple(row) for row in conn.execute(text(query))]
    engine.dispose()
    return rows


@pytest.mark.process
def test_later_revision_keeps_the_rows(url, open_with_later_program) -> None:
    """A program that knows one more revision applies it when it opens the dictionary."""
    first, again = open_with_later_program(url), open_with_later_program(url)

    assert first == again == (0, "[('orders', 'orders')]")
    with pytest.raises(DictionaryUnusable, match=f"a newer program wrote the dictionary .revision 0999; .*{REVISION}"):
        open_dictionary(url)


@pytest.mark.process
def test_a_later_program_reads_a_file_through_a_migrated_copy(tmp_path, sample, at, open_with_later_program) -> None:
    """The file may be another's: a question writes nothing."""
    file = tmp_path / "d.db"
    engine = open_dictionary(str(file))
    write_scan(engine, sample.orders(), started=at, finished=at)
    engine.dispose()
    before = file.read_bytes()

    assert open_with_later_program(str(file), READ) == (0, "[('orders', 'orders')]")
    assert file.read_bytes() == before


@pytest.mark.process
def test_migration_that_is_killed_leaves_the_dictionary_as_it_was(url, open_with_later_program) -> None:
    """It is one transaction: the program of before opens it, and the next attempt finishes."""
    before = selected(url, "SELECT name FROM topic")
    killed = open_with_later_program(url, KILLED="1")

    assert killed == (9, "")
    assert selected(url, f"SELECT version_num FROM {VERSION_TABLE}") == [(REVISION,)]
    assert selected(url, "SELECT topic FROM v_topics") == before == [("orders",)]
    assert open_with_later_program(url) == (0, "[('orders', 'orders')]")


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("revision", ["0001", "0015"])
def test_dictionary_of_an_earlier_revision_is_refused_and_left_alone(url, revision, create) -> None:
    """Only programs that were never released wrote such, and a scan writes a new one."""
    engine = open_dictionary(url)
    with engine.begin() as conn:
        conn.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '{revision}'"))
    engine.dispose()
    refusal = f"revision {revision}; this one reads {FIRST_REVISION} on"
    for _ in range(2):
        with pytest.raises(DictionaryUnusable, match=refusal) as caught:
            open_dictionary(url, create=create)

    assert "scanner scan" in caught.value.hint


def test_newest_file_is_the_head_of_the_revisions() -> None:
    """Opening does not import Alembic: it takes the newest revision from the names of the files."""
    script = ScriptDirectory(str(MIGRATIONS))
    files = sorted(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))

    assert (script.get_heads(), script.get_bases()) == ([REVISION], [FIRST_REVISION])
    assert sorted(known.revision for known in script.walk_revisions()) == files

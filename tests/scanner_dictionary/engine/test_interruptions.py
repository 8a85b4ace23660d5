"""A program that is killed while it creates or migrates a dictionary, and places that cannot be written."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from sqlalchemy import text
from waiting import PATIENCE

from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, open_dictionary

pytestmark = pytest.mark.process

KILLED = """
import os, signal, sys
from sqlalchemy import Engine, event
from scanner_dictionary.engine.open import open_dictionary
seen = []

@event.listens_for(Engine, "after_cursor_execute")
def _kill(conn, cursor, statement, *_):
    seen.extend(word for word in ("CREATE TABLE", "ALTER TABLE") if word in statement)
    if len(seen) == 5:
        os.kill(os.getpid(), signal.SIGKILL)

open_dictionary(sys.argv[1])
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request, tmp_path) -> str:
    """Return the URL of an empty database of each kind."""
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"sqlite:///{tmp_path}/d.db"


def kill_half_way(url: str) -> None:
    """Open the dictionary in a process that is killed after a few of the statements that create its tables."""
    done = subprocess.run([sys.executable, "-c", KILLED, url], check=False, capture_output=True, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL, done.stderr


def cell(url: str, query: str) -> object:
    """Open the dictionary, and return the only cell of an answer."""
    engine = open_dictionary(url)
    with engine.connect() as conn:
        value = conn.scalar(text(query))
    engine.dispose()
    return value


def test_killed_creation_begins_again(url) -> None:
    """All revisions are one transaction; what a killed program leaves is not taken for another's database."""
    kill_half_way(url)

    assert cell(url, f"SELECT version_num FROM {VERSION_TABLE}") == REVISION
    assert cell(url, "SELECT count(*) FROM topic") == 0

"""Dictionaries of released versions, and of every revision between them, are opened by this program.

`tests/scanner_dictionary/data/released` has the bundled example as each version stored it: `VERSION.sql.gz` is what its
`scanner dictionary export --format h2` wrote after `extract --replay` and `dataflow`, `VERSION.query.json` what its
`scanner query --broker 127.0.0.1:29092 --topic orders --format json` answered.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Boolean, Engine, MetaData, String, create_engine, inspect, text

from scanner_cli.main import run
from scanner_dictionary import migrations
from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, resolve_url
from scanner_dictionary.schema.views import VIEWS

ROOT = Path(__file__).parents[2]
RELEASED = ROOT / "tests" / "scanner_dictionary" / "data" / "released"
VERSIONS = sorted(file.name.removesuffix(".sql.gz") for file in RELEASED.glob("*.sql.gz"))
RETAIL = ROOT / "examples" / "retail"
REPLAY = ("--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture"), "--quiet")
REVISIONS = sorted(file.name[:4] for file in (Path(migrations.__file__).parent / "versions").glob("[0-9]*.py"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request, tmp_path) -> str:
    """Return the URL of an empty database of each kind."""
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else str(tmp_path / "d.db")


@pytest.fixture(params=VERSIONS)
def version(request, url) -> str:
    """Load the dictionary of a version into the database, and return the version."""
    script = gzip.decompress((RELEASED / f"{request.param}.sql.gz").read_bytes()).decode("utf-8")
    if "://" in url:
        import psycopg

        with psycopg.connect(url, autocommit=True) as server:
            server.execute(script)
    else:
        with closing(sqlite3.connect(url)) as conn:
            conn.executescript(script)
    return request.param


def counts(url: str) -> dict[str, int]:
    """Count the rows of each table, without opening the dictionary as the program does."""
    engine = create_engine(resolve_url(url).url)
    with engine.connect() as conn:
        names = [name for name in inspect(conn).get_table_names() if name != VERSION_TABLE]
        rows = {name: conn.scalar(text(f"SELECT count(*) FROM {name}")) for name in names}
    engine.dispose()
    return rows


def test_a_dictionary_of_a_released_version_answers_as_that_version_did(version, url, capsys) -> None:
    """Nothing is lost, and nothing reads differently."""
    before = counts(url)
    capsys.readouterr()
    status = run(["query", "--broker", "127.0.0.1:29092", "--topic", "orders", "--format", "json", "--dictionary", url])
    answer = json.loads(capsys.readouterr().out)
    after = counts(url)

    assert status == 0
    assert answer == json.loads((RELEASED / f"{version}.query.json").read_text(encoding="utf-8"))
    assert {name: after[name] for name in before if name in after} == {
        name: count for name, count in before.items() if name in after
    }
    assert set(before) - set(after) <= {"flow_part"}
    assert sum(before.values()) > 1_000


def test_a_dictionary_of_a_released_version_is_scanned_into(version, url, capsys) -> None:
    """The next scan finds what the last one of that version stored, and the graph is generated from both."""
    assert run(["extract", *REPLAY, "--dictionary", url]) == 0
    assert run(["dataflow", "--dictionary", url]) == 0
    capsys.readouterr()
    run(["scans", "--format", "json", "--dictionary", url])
    first, second = sorted(json.loads(capsys.readouterr().out), key=lambda scan: scan["id"])

    assert (first["added"] > 100, second["added"], second["gone"]) == (True, 0, 0)


def test_a_dictionary_of_a_released_version_is_copied(version, url, tmp_path, capsys) -> None:
    """It is migrated first; the copy has the newest revision."""
    assert run(["dictionary", "copy", url, str(tmp_path / "copy.db")]) == 0
    with closing(sqlite3.connect(tmp_path / "copy.db")) as conn:
        revision = conn.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()

    assert revision == (REVISION,)
    assert counts(str(tmp_path / "copy.db")) == counts(url)


def test_every_revision_keeps_the_rows_of_those_before_it(upgrade_to, tmp_path) -> None:
    """A row of each table from the revision that creates it; references still hold, and the views can be read."""
    url = str(tmp_path / "d.db")
    engine = create_engine(f"sqlite:///{url}")
    lost: dict[str, str] = {}
    for revision in REVISIONS:
        before = counts(url)
        upgrade_to(engine, revision)
        after = counts(url)
        lost |= {name: revision for name in before if not after.get(name)}
        _fill(engine, {name for name, count in after.items() if not count})
    with engine.connect() as conn:
        broken = conn.exec_driver_sql("PRAGMA foreign_key_check").all()
        views = [conn.scalar(text(f"SELECT count(*) FROM {view.name}")) for view in VIEWS]
    engine.dispose()

    assert lost == {"flow_part": "0008"}
    assert broken == []
    assert min(views) == 0


def _fill(engine: Engine, names: set[str]) -> None:
    """Insert a row into each of the tables *names*: 1 for numbers and references, a letter for texts."""
    found = MetaData()
    found.reflect(engine, only=names)
    with engine.begin() as conn:
        for table in found.sorted_tables:
            if table.name in names:
                conn.execute(table.insert().values({column.name: _cell(column.type) for column in table.columns}))


def _cell(type_: Any) -> Any:
    if isinstance(type_, Boolean):
        return False
    return "x" if isinstance(type_, String) else 1

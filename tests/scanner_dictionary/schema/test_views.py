"""The SQL views, and their page."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, text

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.export import copy_dictionary, export_h2
from scanner_dictionary.schema.views import VIEWS
from scanner_model.errors import DictionaryUnusable

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "sql-views.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sql\n(.*?)```", PAGE.partition("## Examples")[2], re.DOTALL)
COLUMNS = {view.name: list(view.columns) for view in VIEWS}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def scanned(request, dictionary, store, sample) -> Engine:
    """Return a dictionary with a scan, in each kind of database."""
    store(sample.orders())
    if request.param == "sqlite":
        return dictionary
    server = open_dictionary(request.getfixturevalue("postgres_url"))
    with dictionary.connect() as conn:
        copy_dictionary(conn, server, "")
    return server


def test_the_page_has_every_view_as_it_is() -> None:
    """`python tools/pages/generate_tables.py` brings it up to date."""
    generator = runpy.run_path(str(DOCS.parent / "tools/pages/generate_tables.py"))

    assert generator["views_page"](PAGE) == PAGE


def test_a_dictionary_has_the_views_with_the_columns_that_are_documented(scanned) -> None:
    """On each database."""
    inspector = inspect(scanned)
    views = {name: [column["name"] for column in inspector.get_columns(name)] for name in inspector.get_view_names()}

    assert views == COLUMNS


def test_a_dictionary_has_the_views_of_the_script_for_h2(dictionary) -> None:
    """The same texts on every way to a dictionary."""
    with dictionary.connect() as conn:
        rows = conn.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'view'").all()

    assert dict(rows) == {view.name: view.statement for view in VIEWS}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example, scanned) -> None:
    """On each database, unchanged."""
    with scanned.connect() as conn:
        assert conn.execute(text(example)).keys()


def test_views_show_what_exists(dictionary, store, sample) -> None:
    """A topic that is gone is in the tables only; a source that could not be read makes its facts stale."""
    scan = sample.orders()
    store(scan)
    store(sample.unavailable(sample.orders(topics=(sample.topic("other"),)), sample.registry))
    with dictionary.connect() as conn:
        topics = conn.exec_driver_sql("SELECT topic, is_stale FROM v_topics").all()
        versions = conn.exec_driver_sql("SELECT DISTINCT is_stale FROM v_subject_versions").all()
        columns = conn.exec_driver_sql("SELECT count(*) FROM v_topic_columns").scalar()
        stale = conn.exec_driver_sql("SELECT source FROM v_sources WHERE is_stale").all()

    assert topics == [("other", 0)]
    assert versions == [(1,)]
    assert columns == 0
    assert stale == [(sample.registry,)]


@pytest.mark.postgres
def test_a_reader_of_the_views_needs_no_right_on_the_tables(postgres_url) -> None:
    """The grant of the page is all that a report needs."""
    grant = re.search(r"GRANT SELECT ON (.*?) TO reader;", PAGE, re.DOTALL)
    assert grant
    server = open_dictionary(postgres_url)
    with server.connect() as conn:
        conn.exec_driver_sql("CREATE ROLE reader_of_views")
        conn.exec_driver_sql(f"GRANT SELECT ON {grant[1]} TO reader_of_views")
        conn.exec_driver_sql("SET ROLE reader_of_views")
        for name in COLUMNS:
            assert conn.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() == 0
        with pytest.raises(DictionaryUnusable, match="permission denied"):
            conn.exec_driver_sql("SELECT count(*) FROM topic")


@pytest.mark.postgres
def test_a_view_of_somebody_that_stops_a_migration_is_reported_with_what_to_do(postgres_url) -> None:
    """The scan that migrates says it, perhaps at night."""
    with open_dictionary(postgres_url).connect() as conn:
        conn.exec_driver_sql("CREATE VIEW mine AS SELECT topic FROM v_topics")
        with pytest.raises(DictionaryUnusable, match="depends on it") as error:
            conn.exec_driver_sql("DROP VIEW v_topics")

    assert "create it after the update" in error.value.hint


@pytest.mark.lab
def test_h2_has_the_views_and_runs_the_examples(dictionary, store, sample, tmp_path) -> None:
    """The real program, with the script that people load."""
    jar, java = os.environ.get("SCANNER_H2_JAR", ""), shutil.which("java")
    if not java or not Path(jar).is_file():
        pytest.skip("needs java, and SCANNER_H2_JAR to name H2's jar (docs/export.md)")
    store(sample.orders())
    with dictionary.connect() as conn:
        export_h2(conn, tmp_path / "d.sql")
    names = "".join(f"SELECT {', '.join(columns)} FROM {name};\n" for name, columns in COLUMNS.items())
    (tmp_path / "queries.sql").write_text(names + "".join(EXAMPLES), encoding="utf-8")
    url = ["-url", f"jdbc:h2:{tmp_path / 'h2'}", "-user", "sa"]
    for script in ("d.sql", "d.sql", "queries.sql"):
        line = [java, "-cp", jar, "org.h2.tools.RunScript", *url, "-showResults", "-script", str(tmp_path / script)]
        output = subprocess.run(line, capture_output=True, check=True, text=True).stdout

    assert "--> retail kafka-1:9092\n" in output
    assert output.count("SELECT") >= len(COLUMNS) + len(EXAMPLES)

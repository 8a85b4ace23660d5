"""A database in cluster.json, by the commands: scan, outage, capture, check, graph and lineage."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, email VARCHAR(200));
CREATE VIEW domains AS SELECT lower(email) AS domain FROM customers;
CREATE VIEW broken AS SELECT c.id AS a, j.* FROM customers c, json_each(c.email) j;
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Build a cluster.json beside a database."""
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.executescript(SHOP)
    connection.close()
    document = {"cluster": "retail", "brokers": ["k:9092"], "databases": [{"name": "shop", "url": "sqlite:///shop.db"}]}
    (tmp_path / "cluster.json").write_text(json.dumps(document))
    return tmp_path


@pytest.fixture
def extract(scanner, place):
    """Run `scanner scan` on it."""
    return lambda *more: scanner(
        "extract", "--config", place / "cluster.json", "--dictionary", place / "dictionary.db", *more
    )


@pytest.fixture
def tables(scanner, place):
    """List the tables of databases."""
    options = ("--provider", "database", "--format", "json", "--dictionary", place / "dictionary.db")
    return lambda: scanner("tables", *options).json


def test_tables_are_listed_with_keys_and_definitions(extract, tables) -> None:
    """The platform reads them from there."""
    assert extract().status == 0
    broken, customers, domains = tables()

    assert customers["keys"] == [{"kind": "PRIMARY KEY", "columns": ["id"], "references": "", "referenced": []}]
    assert domains["definition"] == "CREATE VIEW domains AS SELECT lower(email) AS domain FROM customers"
    assert (broken["kind"], customers["stale"]) == ("VIEW", False)


def test_outage_keeps_the_last_state_as_stale(place, extract, tables) -> None:
    """A dead database is not an empty one."""
    document = json.loads((place / "cluster.json").read_text())
    document["databases"].append({"name": "copy", "url": "sqlite:///copy.db"})
    (place / "cluster.json").write_text(json.dumps(document))
    shutil.copy(place / "shop.db", place / "copy.db")
    extract()
    (place / "shop.db").rename(place / "moved.db")
    outage = extract()
    stale = {table["source"]: table["stale"] for table in tables()}
    (place / "moved.db").rename(place / "shop.db")

    assert outage.status == 3
    assert stale == {"database:shop": True, "database:copy": False}
    assert len(tables()) == 6
    assert extract().status == 0
    assert not any(table["stale"] for table in tables())


def test_dropped_table_is_deleted(place, extract, tables) -> None:
    """The database answered, and does not have it."""
    extract()
    with sqlite3.connect(place / "shop.db") as connection:
        connection.executescript("DROP VIEW broken")
    connection.close()
    extract()

    assert [table["name"] for table in tables()] == ["customers", "domains"]


def test_replay_needs_no_database(place, extract, tables) -> None:
    """A capture of somebody else's scan is the same scan."""
    extract("--capture", place / "capture")
    live = tables()
    (place / "shop.db").unlink()
    (place / "dictionary.db").unlink()
    replay = extract("--replay", place / "capture")

    assert replay.status == 0
    assert tables() == live


def test_check_has_its_rows(place, scanner) -> None:
    """Before the first scan."""
    answer = scanner("check", "--config", place / "cluster.json", "--format", "json")

    assert [(row["tried"], row["answer"]) for row in answer.json] == [
        ("connect to the database", "ok"),
        ("list tables and views", "ok"),
    ]


def test_view_leads_to_its_table_and_one_that_cannot_be_read_is_listed(place, scanner, extract) -> None:
    """The place is the source and the name of the view."""
    extract()
    stored = ("--dictionary", place / "dictionary.db")
    graph = scanner("dataflow", *stored)
    lineage = scanner("lineage", "domains.domain", "--upstream", "--format", "json", *stored).json
    (edge,) = (edge for edge in lineage["edges"] if edge["kind"] == "column-flow")

    assert "statements: 1 read to columns, 1 to tables, 0 not read" in graph.err
    assert "database:shop broken: " in graph.err
    assert edge["source"].endswith("customers#email")
    assert (edge["evidence"], edge["certainty"]) == ("view domains of database:shop", "derived")


@pytest.mark.parametrize("node", ["job:file:{}/digits", "digits.column1", "digits2.digit", "dataset:file:{}/digits2"])
def test_lineage_through_a_view_that_cannot_be_read_says_so(node, place, scanner, extract) -> None:
    """No flow is listed behind it, which does not mean that there is none."""
    with sqlite3.connect(place / "shop.db") as connection:
        connection.executescript(
            "CREATE VIEW digits AS SELECT raise(ignore) AS column1;"
            "CREATE VIEW digits2 AS SELECT column1 AS digit FROM digits"
        )
    connection.close()
    extract()
    stored = ("--dictionary", place / "dictionary.db")
    scanner("dataflow", *stored)
    unread = scanner("lineage", node.format(place / "shop.db"), "--upstream", "--format", "json", *stored)
    read = scanner("lineage", "domains.domain", "--upstream", "--format", "json", *stored)

    assert unread.json["unread"] == ["job:file:{}/digits".format(place / "shop.db")]
    assert "note: not read, so flows through them are not known: digits\n" in unread.err
    assert (read.json["unread"], "not read" in read.err) == ([], False)


def test_lineage_through_a_view_that_is_read_in_part_says_so(place, scanner, extract) -> None:
    """A view is named as it is shown: its job has the same name."""
    extract()
    stored = ("--dictionary", place / "dictionary.db")
    scanner("dataflow", *stored)
    partly = scanner("lineage", "broken", "--upstream", "--format", "json", *stored)
    whole = scanner("lineage", "domains", "--upstream", "--format", "json", *stored)

    assert partly.json["root"].startswith("dataset:")
    assert [job.rpartition("/")[2] for job in partly.json["partly_read"]] == ["broken"]
    assert "note: read in part, so flows through them may be missing: broken\n" in partly.err
    assert (whole.json["partly_read"], whole.json["unread"]) == ([], [])
    assert whole.json["edges"]

"""`scanner topics`, `schemas`, `scans`: lists by name."""

import csv
import io
import json

import pytest

from scanner_api import open_dictionary


def names(result) -> list[str]:
    return [row["name"] for row in result.json]


def test_topics_are_listed_by_name(scanner, dictionary) -> None:
    """Whichever source reported them."""
    result = scanner("topics", "--format", "json", *dictionary)

    assert names(result) == ["clicks", "orders", "sensors"]
    assert result.json[1]["schemas"] == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["or"], ["orders", "sensors"]),
        (["or*"], ["orders"]),
        (["--without-schema"], ["clicks", "sensors"]),
        (["--cluster", "shop", "--all"], ["clicks", "orders", "sensors"]),
        (["nothing"], []),
    ],
)
def test_topics_are_filtered(arguments, expected, scanner, dictionary) -> None:
    """A part of the name, or a glob."""
    result = scanner("topics", *arguments, "--format", "json", *dictionary)

    assert result.status == 0
    assert names(result) == expected


def test_a_table_leaves_out_marks_that_nothing_has(scanner, dictionary) -> None:
    """Tables are narrow; programs get every column."""
    table = scanner("topics", "orders", *dictionary).out.splitlines()[0]
    columns = scanner("topics", "orders", "--format", "csv", *dictionary).out.splitlines()[0]

    assert "STALE" not in table
    assert "TAGS" not in table
    described = "cluster,name,partitions,replication,internal,schemas,source,tags,stale,gone,owner"
    assert columns == f"{described},readers,writers,findings"
    assert "TAGS" in scanner("topics", "sensors", *dictionary).out


def test_wide_characters_stay_in_line(scanner, dictionary) -> None:
    """A Japanese tag takes two places for each character."""
    rows = list(csv.DictReader(io.StringIO(scanner("topics", "sensors", "--format", "csv", *dictionary).out)))

    assert rows[0]["tags"] == "ご注意"


def test_schemas_list_versions_and_topics(scanner, dictionary) -> None:
    """Deleted subjects are marked."""
    rows = {row["name"]: row for row in scanner("schemas", "--format", "json", *dictionary).json}

    assert rows["orders-value"]["versions"] == [1, 2, 3]
    assert rows["orders-value"]["topics"] == ["orders"]
    assert rows["audit-value"]["deleted"] is True


def test_scans_are_listed_newest_first(scanner, dictionary) -> None:
    """The newest scan is requested most often."""
    result = scanner("changes", "--scans", "--format", "json", *dictionary)

    assert [row["id"] for row in result.json] == [2, 1]


def test_a_scan_shows_how_each_source_responded(scanner, dictionary) -> None:
    """Seconds are rounded for readability."""
    rows = scanner("changes", "--scans", "1", "--format", "json", *dictionary).json

    assert [row["kind"] for row in rows] == ["schema_registry", "manual"]
    assert all(row["seconds"] == round(row["seconds"], 2) for row in rows)


def test_problems_of_the_newest_scan_need_no_number(scanner, dictionary) -> None:
    """It is the one that was just made."""
    newest = scanner("changes", "--scans", "--problems", "--format", "json", *dictionary)

    assert newest.json == scanner("changes", "--scans", "2", "--problems", "--format", "json", *dictionary).json


def test_problems_of_a_scan_include_what_its_graph_could_not_resolve(scanner, tmp_path) -> None:
    """A scan counts them and names this command."""
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "topic.prefix": "shop"}
    config |= {"database.dbname": "shop", "database.hostname": "db", "table.include.list": "public.orders"}
    config |= {"transforms": "own", "transforms.own.type": "com.example.Own"}
    (tmp_path / "connector.json").write_text(json.dumps({"name": "orders", "config": config}))
    dictionary = ("--dictionary", str(tmp_path / "dictionary.db"))
    scanned = scanner("scan", str(tmp_path), *dictionary)

    rows = scanner("changes", "--problems", "--format", "json", *dictionary).json

    assert "2 problems: see `scanner changes --problems`" in scanned.err
    assert [row["what"] for row in rows] == [
        "the class com.example.Own is not a known transform",
        "the columns of 'shop.public.orders' are unknown: no schema or connector describes them",
    ]


@pytest.mark.parametrize("command", ["topics", "schemas", "scans"])
def test_an_unknown_cluster_is_reported_with_a_suggestion(command, scanner, dictionary) -> None:
    """A slip of the pen must not look like an empty cluster."""
    result = scanner(command, "--cluster", "shpo", *dictionary)

    assert result.status == 4
    assert result.err == "error: the dictionary knows no cluster 'shpo' (did you mean 'shop'?)\n"


def test_an_unknown_scan_is_reported(scanner, dictionary) -> None:
    """With the number of the newest."""
    result = scanner("changes", "--scans", "99", *dictionary)

    assert result.status == 4
    assert "the newest is 2" in result.err


def test_a_dictionary_without_a_scan_says_so(scanner, tmp_path) -> None:
    """No topics, and nothing scanned yet, are two answers."""
    open_dictionary(tmp_path / "new.db", create=True)

    result = scanner("topics", "--dictionary", tmp_path / "new.db")

    assert (result.status, "nothing was scanned" in result.err) == (0, True)

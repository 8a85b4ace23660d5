"""`scanner tables` over the responses of a fake Databricks, from the first request to the last column."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def home(unity, scanner, tmp_path) -> Path:
    """Return a directory where a metastore was scanned: cluster.json, dictionary.db, capture."""
    tables = (
        unity.table("main.sales.orders", unity.column("address", unity.ADDRESS), storage_location="s3://lake/orders"),
        unity.table("main.sales.audit", comment="who did what", properties={"x.password": "zqPASSzq"}),
    )
    downstream_table = {"catalog_name": "main", "schema_name": "sales", "name": "audit"}
    lineage = {
        ("main.sales.orders", ""): {"downstreams": [{"tableInfo": downstream_table, "jobInfos": [{"job_id": 7}]}]}
    }
    with unity.serving(unity.Unity(tables=tables, lineage=lineage)) as url:
        catalogs = [{"type": "unity", "url": url, "name": "lake", "auth": {"bearer": {"token": "zqTOKENzq"}}}]
        document = {"cluster": "shop", "brokers": ["k:1"], "catalogs": catalogs}
        (tmp_path / "cluster.json").write_text(json.dumps(document))
        result = scanner(
            "extract",
            *("--config", tmp_path / "cluster.json", "--dictionary", tmp_path / "dictionary.db"),
            *("--capture", tmp_path / "capture", "--report", tmp_path / "report.json"),
        )
    (tmp_path / "said.txt").write_text(result.out + result.err)
    assert result.status == 0, result.err
    return tmp_path


@pytest.fixture
def list_tables(scanner, home):
    """Run `scanner tables` on that dictionary."""
    return lambda *arguments: scanner("tables", *arguments, "--dictionary", home / "dictionary.db")


def test_table_shows_kind_and_location(list_tables) -> None:
    """Columns are counted with those inside of others; what no row bears is left out."""
    lines = [line.split() for line in list_tables().out.splitlines()]

    assert lines == [
        ["CLUSTER", "PROVIDER", "NAME", "KIND", "FORMAT", "COLUMNS", "LOCATION"],
        ["shop", "unity", "main.sales.audit", "MANAGED", "delta"],
        ["shop", "unity", "main.sales.orders", "MANAGED", "delta", "2", "s3://lake/orders"],
    ]


def test_tables_are_found_by_a_part_of_the_name_a_glob_or_their_catalog(list_tables) -> None:
    """People with ten thousand tables look for one."""
    assert [row["name"] for row in list_tables("ORD", "--format", "json").json] == ["main.sales.orders"]
    assert [row["name"] for row in list_tables("*.audit", "--format", "json").json] == ["main.sales.audit"]
    assert list_tables("--provider", "glue", "--format", "json").json == []
    assert list_tables("--cluster", "nope").status == 4


def test_programs_get_every_column_of_the_list(list_tables) -> None:
    """Also the marks that no row bears."""
    rows = list(csv.DictReader(io.StringIO(list_tables("--format", "csv").out)))

    assert [(row["name"], row["topic"], row["stale"]) for row in rows] == [
        ("main.sales.audit", "", "false"),
        ("main.sales.orders", "", "false"),
    ]


def test_json_has_columns_and_no_secret(list_tables, home) -> None:
    """Nor does anything else that a scan leaves behind."""
    rows = {row["name"]: row for row in list_tables("--format", "json").json}

    assert [column["name"] for column in rows["main.sales.orders"]["columns"]] == ["address", "address.city"]
    assert rows["main.sales.audit"]["parameters"] == {"x.password": "********"}
    left = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and file.name != "cluster.json")
    assert b"zqPASSzq" not in left
    assert b"zqTOKENzq" not in left


def test_catalog_that_is_down_leaves_its_earlier_facts(scanner, list_tables, home) -> None:
    """Its tables are stale, not gone."""
    for file in (home / "capture").glob("catalog-lake-*/*"):
        file.unlink()
    files = ("--config", home / "cluster.json", "--dictionary", home / "dictionary.db")
    result = scanner("extract", *files, "--replay", home / "capture")
    rows = list_tables("--format", "json").json

    assert result.status == 1
    assert [(row["name"], row["gone"]) for row in rows] == [("main.sales.audit", False), ("main.sales.orders", False)]


def test_lineage_of_the_catalog_is_in_the_graph(scanner, home) -> None:
    """The lineage of a table includes the job that fills it."""
    scanner("dataflow", "--dictionary", home / "dictionary.db")
    result = scanner("lineage", "main.sales.orders", "--dictionary", home / "dictionary.db", "--format", "json")

    assert [(edge["source"].rpartition("/")[2], edge["kind"]) for edge in result.json["edges"]] == [
        ("main.sales.orders", "reads"),
        ("job 7", "writes"),
    ]

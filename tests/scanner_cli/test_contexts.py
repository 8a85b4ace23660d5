"""Subjects of one name in several contexts of a registry: every answer shows the context."""

from __future__ import annotations

import json

import pytest

from scanner_cli.main import run

SCHEMA = '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}'


@pytest.fixture(scope="module")
def dictionary(fake, tmp_path_factory):
    """Scan a registry whose contexts hold the same subject; give the options that name the dictionary."""
    home = tmp_path_factory.mktemp("contexts")
    subjects = ("orders-value", ":.eu:orders-value", ":.eu:", ":.us:odd\tname", "x" * 246)
    texts = {":.eu:orders-value": SCHEMA.replace("Order", "EuOrder")}
    stored = [fake.Stored(subject=name, version=1, id=1, schema=texts.get(name, SCHEMA)) for name in subjects]
    stored += [fake.Stored(subject="many", version=number, id=1, schema=SCHEMA) for number in range(1, 61)]
    with fake.serving(fake.Registry(installation=tuple(stored))) as served:
        document = {
            "cluster": "shop",
            "brokers": "k:9092",
            "schema_registries": [{"type": "confluent", "url": served.url}],
        }
        (home / "cluster.json").write_text(json.dumps(document))
        run(["extract", "--config", str(home / "cluster.json"), "--dictionary", str(home / "d.db")])
    return ("--dictionary", str(home / "d.db"))


def test_query_shows_the_context(scanner, dictionary) -> None:
    """The same id and version in two contexts are two schemas."""
    command = ("query", "--broker", "k:9092", "--topic", "orders", "--schema-id", "1", *dictionary)

    heads = [line.partition(",")[0] for line in scanner(*command).out.splitlines() if line.startswith("orders value")]
    assert sorted(heads) == ["orders value: :.eu:orders-value version 1", "orders value: orders-value version 1"]
    assert sorted({row.split(",")[3] for row in scanner(*command, "--format", "csv").out.splitlines()}) == [
        ".",
        ".eu",
        "context",
    ]


def test_columns_show_the_context(scanner, dictionary) -> None:
    """A table where there is more than one, CSV always."""
    command = ("columns", "id", *dictionary)

    assert ".eu" in scanner(*command).out
    assert (
        scanner(*command, "--format", "csv")
        .out.splitlines()[0]
        .endswith("doc,context,subject,version,inherited_tags,origin,dataset,found_tags,unseen")
    )


def test_warnings_name_subjects_with_their_context_and_quoted(scanner, dictionary) -> None:
    """An empty name in a context is `:.eu:`, and a TAB moves no cursor."""
    problems = scanner("changes", "--scans", "--problems", *dictionary).out

    assert "':.eu:'" in problems
    assert "':.us:odd\\tname'" in problems


def test_table_of_schemas_stays_narrow(scanner, dictionary) -> None:
    """Sixty versions are one range, and of a name of 246 letters its ends are shown; programs get all."""
    table = scanner("schemas", *dictionary).out

    assert max(map(len, table.splitlines())) < 220
    assert "1-60" in table
    rows = {row["name"]: row for row in scanner("schemas", "--format", "json", *dictionary).json}
    assert rows["x" * 246]["versions"] == [1]
    assert rows["many"]["versions"] == list(range(1, 61))

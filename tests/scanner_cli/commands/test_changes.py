"""`scanner changes`: two scans compared, for people and programs."""

import csv
import io
import json


def test_diff_shows_which_readers_break(scanner, dictionary) -> None:
    """A new field without default: new readers cannot read old orders."""
    document = scanner("changes", 1, 2, "--format", "json", *dictionary).json
    (schema,) = document["schemas"]

    assert (schema["topic"], schema["before"]["version"], schema["after"]["version"]) == ("orders", 2, 3)
    assert {column["name"]: column["action"] for column in schema["columns"]} == {"note": "removed", "price": "added"}
    assert schema["backward"]["verdict"] == "breaks"


def test_table_and_csv_hold_the_same_rows(scanner, dictionary) -> None:
    """One line for each schema and column that differs."""
    table = scanner("changes", 1, 2, "--wide", *dictionary).out.splitlines()
    rows = list(csv.DictReader(io.StringIO(scanner("changes", 1, 2, "--format", "csv", *dictionary).out)))

    assert len(table) == len(rows) + 1
    assert [row["column"] for row in rows if row["kind"] == "column"] == ["note", "price"]


def test_the_table_has_one_row_for_a_changed_schema(scanner, dictionary) -> None:
    """Its columns, its subject and its version are no changes beside it."""
    (row,) = [line for line in scanner("changes", 1, 2, *dictionary).out.splitlines() if " orders " in line]

    assert "+ price, - note" in row
    assert "old data" in row


def test_a_row_names_the_readers_of_the_topic_and_whom_to_ask(scanner, tmp_path) -> None:
    """What changed is half of the answer."""
    home = tmp_path / "shop"
    home.mkdir()
    (home / "CODEOWNERS").write_text("*.avsc @acme/shop\nsink.json @acme/warehouse\n")
    config = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "topics": "orders"}
    config |= {"connection.url": "jdbc:postgresql://db/dwh", "table.name.format": "facts"}
    (home / "sink.json").write_text(json.dumps({"name": "warehouse", "config": config}))
    for kind in ("long", "string"):
        schema = {"type": "record", "name": "Order", "fields": [{"name": "total", "type": kind}]}
        (home / "orders-value.avsc").write_text(json.dumps(schema))
        assert scanner("scan", "--quiet", home, "--dictionary", tmp_path / "d.db").status == 0

    (_, row) = scanner("changes", 1, "--dictionary", tmp_path / "d.db").out.splitlines()

    assert all(text in row for text in ("total long → string", "warehouse", "@acme/shop, @acme/warehouse", "readers"))


def test_a_scan_compared_with_itself_differs_in_nothing(scanner, dictionary) -> None:
    """The result is empty, not an error."""
    result = scanner("changes", 2, 2, "--format", "csv", *dictionary)

    assert result.status == 0
    assert len(result.out.splitlines()) == 1


def test_an_unknown_scan_has_its_own_status(scanner, dictionary) -> None:
    """The hint lists the known ones."""
    result = scanner("changes", 1, 99, *dictionary)

    assert result.status == 4
    assert "knows no scan 99" in result.err


def test_changes_of_one_node_may_be_limited_to_scans(scanner, dictionary) -> None:
    """FROM is before the first change that is listed, TO the last."""
    every = scanner("changes", "orders-value", *dictionary, "--format", "json").json["history"]
    later = scanner("changes", 1, "orders-value", *dictionary, "--format", "json").json["history"]
    first = scanner("changes", 0, 1, "orders-value", *dictionary, "--format", "json")

    assert {row["scan"] for row in every} == {1, 2}
    assert {row["scan"] for row in later} == {2}
    assert (first.status, "0 is not a scan number" in first.err) == (2, True)


def test_changes_since_a_scan_are_those_up_to_the_newest(scanner, dictionary) -> None:
    """FROM and --since are the same."""
    since = scanner("changes", 1, *dictionary, "--format", "json").json

    assert since == scanner("changes", "--since", 1, *dictionary, "--format", "json").json
    assert [row["column"] for row in since if row["kind"] == "column"] == ["note", "price"]


def test_more_names_than_fit_are_reported(scanner, dictionary) -> None:
    """A third name would be ignored."""
    result = scanner("changes", 1, 2, "orders", "invoices", "clicks", *dictionary)

    assert (result.status, "too many names" in result.err) == (2, True)


def test_one_scan_only_is_said(scanner, scanned, new_dictionary) -> None:
    """Nothing changed is another answer."""
    scanner(*scanned.replay(new_dictionary))

    assert "scan again to see changes" in scanner("changes", "--dictionary", new_dictionary).err


def test_one_scan_does_not_say_that_nothing_changed(scanner, scanned, tmp_path) -> None:
    """It says the one thing to do; a moment without a scan stays an error."""
    scanner(*scanned.replay(tmp_path / "once.db"))
    once = scanner("changes", "--dictionary", tmp_path / "once.db")
    unknown = scanner("changes", 99, "--dictionary", tmp_path / "once.db")

    assert (once.status, once.out, len(once.err.splitlines())) == (0, "", 1)
    assert "one scan only" in once.err
    assert unknown.status == 4

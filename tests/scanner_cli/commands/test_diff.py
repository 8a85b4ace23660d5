"""`scanner diff`: two scans compared, for people and programs."""

import csv
import io


def test_diff_shows_which_readers_break(scanner, dictionary) -> None:
    """A new field without default: new readers cannot read old orders."""
    document = scanner("diff", 1, 2, "--format", "json", *dictionary).json
    (schema,) = document["schemas"]

    assert (schema["topic"], schema["before"]["version"], schema["after"]["version"]) == ("orders", 2, 3)
    assert {column["name"]: column["action"] for column in schema["columns"]} == {"note": "removed", "price": "added"}
    assert schema["backward"]["verdict"] == "breaks"


def test_table_and_csv_hold_the_same_rows(scanner, dictionary) -> None:
    """One line for each schema and column that differs."""
    table = scanner("diff", 1, 2, *dictionary).out.splitlines()
    rows = list(csv.DictReader(io.StringIO(scanner("diff", 1, 2, "--format", "csv", *dictionary).out)))

    assert len(table) == len(rows) + 1
    assert [row["column"] for row in rows if row["kind"] == "column"] == ["note", "price"]


def test_a_scan_compared_with_itself_differs_in_nothing(scanner, dictionary) -> None:
    """The result is empty, not an error."""
    result = scanner("diff", 2, 2, "--format", "csv", *dictionary)

    assert result.status == 0
    assert len(result.out.splitlines()) == 1


def test_an_unknown_scan_has_its_own_status(scanner, dictionary) -> None:
    """The hint lists the known ones."""
    result = scanner("diff", 1, 99, *dictionary)

    assert result.status == 4
    assert "knows no scan 99" in result.err

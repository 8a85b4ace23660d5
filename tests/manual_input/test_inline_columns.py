"""Columns listed in the document itself."""

import pytest


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"columns": ["id", {"name": "n", "type": "long"}]}, [("id", "unknown"), ("n", "long")]),
        ({"columns": [{"name": "a", "columns": ["b"]}]}, [("a", "record"), ("a.b", "unknown")]),
        ({"columns": [{"name": "a", "items": "int"}]}, [("a", "array"), ("a.[]", "int")]),
        ({"columns": [{"name": "a", "values": "int"}]}, [("a", "map"), ("a.{}", "int")]),
        (
            {"columns": [{"name": "a", "type": "lines", "items": {"columns": ["b"]}}]},
            [("a", "lines"), ("a.[]", "record"), ("a.[].b", "unknown")],
        ),
        ({"columns": [{"name": "a", "values": {"items": "x"}}]}, [("a", "map"), ("a.{}", "array"), ("a.{}.[]", "x")]),
        ({"columns": ["my.field", "[]"]}, [("`my.field`", "unknown"), ("`[]`", "unknown")]),
        ({"type": "string"}, [("", "string")]),
        ({"items": {"columns": ["a"]}}, [("", "array"), ("[]", "record"), ("[].a", "unknown")]),
    ],
)
def test_columns_are_listed_parents_first(columns, entry, expected) -> None:
    """Paths are those of every other format's reader, so that flows find the column."""
    assert columns(entry) == expected


def test_column_carries_all_that_is_reported_for_it(read) -> None:
    """A default of null is reported; no default is None."""
    members = {
        "name": "a",
        "type": "t",
        "logical_type": "l",
        "nullable": True,
        "doc": "d",
        "tags": ["x"],
        "default": None,
    }
    entry = {"format": "csv", "columns": [members, {"name": "b", "default": {"ü": 1}}]}

    (schema,) = read({"topics": [{"name": "t", "schemas": [entry]}]}).input.schemas

    first, second = schema.columns
    assert (first.logical_type, first.nullable, first.doc, first.tags) == ("l", True, "d", ("x",))
    assert (first.default, second.default, second.nullable) == ("null", '{"ü": 1}', False)
    assert schema.format == "CSV"


def test_thirty_levels_of_columns_are_read(columns) -> None:
    """XML that people do write is deeper than one would think."""
    entry = {"columns": ["leaf"]}
    for _ in range(30):
        entry = {"columns": [{"name": "a", **entry}]}

    assert columns(entry)[-1] == (".".join(["a"] * 30 + ["leaf"]), "unknown")

"""Members of JSON documents that need care."""

import json

import pytest

from scanner_api.questions.documents import document
from scanner_model.columns import Column


@pytest.mark.parametrize(
    ("default", "expected"),
    [("1.5", 1.5), ("null", None), ('""', ""), ("NaN", "NaN"), ("1e400", "1e400"), ('{"a": [1]}', {"a": [1]})],
)
def test_a_default_is_a_value_or_else_its_text(default, expected) -> None:
    """JSON has no NaN and no infinity."""
    written = document(Column(path=("a",), type="double", default=default))

    assert (written["default"], written["has_default"]) == (expected, True)
    json.dumps(written, allow_nan=False)


def test_a_default_nested_too_deeply_to_be_written_is_text() -> None:
    """An older dictionary may have one; Python 3.13 reads ten thousand levels, older versions a thousand."""
    default = "[" * 100_000 + "]" * 100_000

    assert document(Column(path=("a",), type="array", default=default))["default"] == default


def test_optional_members_are_present_only_where_they_are_set() -> None:
    """Most columns have none of them."""
    plain = document(Column(path=("a",), type="union"))
    written = document(Column(path=("a",), type="union", branches=("int",), recursive="A", number=3))

    assert written.keys() - plain.keys() == {"of", "recursive", "number"}

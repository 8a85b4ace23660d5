"""Tests for the text of a change."""

from __future__ import annotations

import pytest

from scanner_api.planning.change import EXAMPLES, Change, parse_change
from scanner_model.errors import InputInvalid


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_change_is_written_as_it_is_read(text) -> None:
    assert str(parse_change(text)) == text


@pytest.mark.parametrize("arrow", ["→", "->", "=>", " to ", " into "])
def test_every_arrow_means_the_same(arrow) -> None:
    assert parse_change(f"rename orders.total{arrow}gross") == Change("rename", "orders.total", ("gross",))


def test_a_type_may_be_json_and_a_key_may_have_several_columns() -> None:
    decimal = '{"type": "bytes", "logicalType": "decimal", "precision": 9}'

    assert parse_change(f"retype orders.total → {decimal} as exact") == Change(
        "retype", "orders.total", (decimal,), "exact"
    )
    assert parse_change("change key orders to id, customer.id as by-both").to == ("id", "customer.id")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not a change"),
        ("alter orders.total", "is not a change"),
        ("rename orders.total", "one new name"),
        ("rename orders.total → a b", "one new name"),
        ("rename orders total → a", "exactly one"),
        ("remove orders.total → a", "no target"),
        ("retype orders.total", "type is missing"),
        ("split orders → orders.eu", "at least two"),
        ("split orders → a, a", "at least two"),
        ("key orders → id", "topic with the new key"),
        ("key orders as by-id", "columns of the new key"),
    ],
)
def test_another_text_is_answered_with_an_example(text, what) -> None:
    with pytest.raises(InputInvalid, match=what) as raised:
        parse_change(text)

    assert any(example in raised.value.hint for example in EXAMPLES)

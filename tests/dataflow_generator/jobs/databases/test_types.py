"""Whether a type holds every value of another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.jobs.databases.misfits import Family, ValueType, cannot_hold, database_type, message_type
from scanner_model.columns import Column


def a_column(text: str) -> Column:
    """Build a column of a type as it is written: `varchar(20)`."""
    word = text.partition("(")[0]
    return Column(path=("x",), type=word, logical_type=text if "(" in text else None)


def reason(field: str, held: str) -> str:
    value, column = message_type(a_column(field)), database_type(a_column(held))
    return cannot_hold(value, column) if value and column else ""


@pytest.mark.parametrize(
    ("field", "held"),
    [
        ("long", "integer"),
        ("long", "smallint"),
        ("long", "numeric(10,0)"),
        ("string", "integer"),
        ("string", "boolean"),
        ("bytes", "bigint"),
        ("record", "bigint"),
        ("double", "bigint"),
        ("number", "integer"),
        ("int", "boolean"),
        ("int", "tinyint(1)"),
    ],
)
def test_value_that_does_not_fit_has_a_reason(field, held) -> None:
    """The sink fails, or the value is changed."""
    assert reason(field, held)


@pytest.mark.parametrize(
    ("field", "held"),
    [
        ("int", "integer"),
        ("int", "bigint"),
        ("uint32", "bigint"),
        ("integer", "smallint"),
        ("long", "numeric"),
        ("long", "double precision"),
        ("double", "numeric(10,2)"),
        ("string", "varchar(20)"),
        ("string", "uuid"),
        ("string", "timestamp"),
        ("string", "jsonb"),
        ("record", "jsonb"),
        ("record", "text"),
        ("int", "date"),
        ("long", "unknown"),
        ("enum", "integer"),
        ("boolean", "tinyint(1)"),
    ],
)
def test_value_that_fits_or_may_fit_has_none(field, held) -> None:
    """A finding must be worth looking at: connectors convert times, texts and JSON."""
    assert reason(field, held) == ""


def test_logical_type_of_a_field_is_not_guessed() -> None:
    """Connect's times are integers, and its decimals bytes."""
    time = Column(path=("at",), type="long", logical_type="timestamp-millis")
    money = Column(path=("total",), type="bytes", logical_type="decimal(12,2)")

    assert message_type(time) is None
    assert message_type(money) == ValueType(Family.DECIMAL, 12, 2)


@pytest.mark.parametrize(
    ("value", "held", "why"),
    [
        ((12, 2), (10, 2), "10 digits are more than its 8"),
        ((12, 4), (12, 2), ""),
        ((10, 4), (12, 2), "4 decimal places are more than its 2"),
        ((10, 2), (12, 2), ""),
    ],
)
def test_decimals_fit_by_digits_and_decimal_places(value, held, why) -> None:
    """numeric(12,4) has eight digits before the point, numeric(12,2) ten, but two places only."""
    expected = why or ("4 decimal places are more than its 2" if value == (12, 4) else "")

    assert cannot_hold(ValueType(Family.DECIMAL, *value), ValueType(Family.DECIMAL, *held)) == expected


_TYPES = st.builds(ValueType, st.sampled_from(Family), st.none() | st.integers(1, 70), st.integers(0, 10))


@given(_TYPES)
def test_every_type_holds_itself(value: ValueType) -> None:
    """A table that a connector created from the data is never a finding."""
    assert cannot_hold(value, value) == ""

"""Columns as properties of a data contract, and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.columns import Column, field_segment
from scanner_model.contracts import ASSUMED, columns_of, custom_values, properties_of

NAMES = st.sampled_from(["id", "a.b", "[]", "<x>", "{}", "`", "@key", "größe", "properties"]).map(field_segment)
MARKS = st.sampled_from(["[]", "{}", "[0]", "[1]", "<com.acme.Card>", "<a`>`>"])
TYPES = st.sampled_from(["long", "string", "record", "map", "array", "bytes", "xs:date", "decimal(10,2)", "union"])


@st.composite
def schemas(draw: st.DrawFn) -> list[Column]:
    """Draw the columns of a schema: parents before their children, each path once, in document order."""
    if draw(st.booleans()):
        return [Column(path=(), type=draw(TYPES))]
    listed: list[Column] = []

    def inside(path: tuple[str, ...], depth: int) -> None:
        for segment in draw(st.lists(NAMES | MARKS if path else NAMES, unique=True, max_size=3)):
            listed.append(
                Column(
                    path=(*path, segment),
                    type=draw(TYPES),
                    logical_type=draw(st.sampled_from([None, "timestamp-millis", "decimal(10,2)"])),
                    nullable=draw(st.booleans()),
                    default=draw(st.sampled_from([None, "null", '"EUR"', "1.0"])),
                    doc=draw(st.sampled_from([None, "in cents"])),
                    tags=tuple(draw(st.lists(st.sampled_from(["PII", "gdpr"]), unique=True))),
                    branches=draw(st.sampled_from([(), ("int", "string")])),
                    number=draw(st.sampled_from([None, 7])),
                )
            )
            if depth < 3:
                inside((*path, segment), depth + 1)

    inside((), 0)
    return listed


@given(schemas())
def test_columns_come_back_from_a_contract_as_they_were(columns: list[Column]) -> None:
    """Each detail has a member or a custom property, through YAML or JSON alike."""
    properties = json.loads(json.dumps(properties_of(columns)))

    assert list(columns_of(properties)) == columns


def test_type_that_is_not_known_is_marked_as_assumed() -> None:
    """The official schema wants a logical type of every property; that of bytes or of no type at all is not known."""
    unknown, known = properties_of([Column(path=("a",), type=""), Column(path=("b",), type="long")])

    assert (unknown["logicalType"], custom_values(unknown)) == ("string", {ASSUMED: True})
    assert (known["logicalType"], custom_values(known)) == ("integer", {})


@pytest.mark.parametrize("damaged", [None, "text", 7, [None, "x", 3], [{"properties": {"name": "a"}}], [{"map": 1}]])
def test_what_is_no_property_is_left_out(damaged: object) -> None:
    """People edit contracts: a wrong part must not stop the rest."""
    assert [column.type for column in columns_of(damaged)] in ([], [""])


def test_contract_that_people_wrote_has_columns() -> None:
    """Only `name` and `logicalType` are common; the physical name is that of the field where both are given."""
    properties = [{"name": "Order number", "physicalName": "id", "logicalType": "string", "required": True}]

    assert list(columns_of(properties)) == [Column(path=("id",), type="string")]

"""Facts that a dictionary can store."""

from __future__ import annotations

from typing import Any

import pytest

from scanner_model.catalogs import CatalogTable
from scanner_model.columns import Column
from scanner_model.fact_types import misfit
from scanner_model.kafka import Topic
from scanner_model.names import SourceId, TopicName


def topic(**members: Any) -> Topic:
    return Topic(**{"source": SourceId("s"), "name": TopicName("orders"), "partitions": 3, **members})


def test_a_sound_fact_has_no_misfit() -> None:
    columns = (Column(path=("a", "b"), type="string", nullable=True, number=4),)

    assert misfit(topic(config=(("cleanup.policy", "compact"),), tags=("pii",))) == ""
    assert misfit(CatalogTable(source=SourceId("s"), name="n", namespace="x", provider="p", columns=columns)) == ""


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", 7), ("name", None), ("name", "a\0b"), ("name", "\ud800"), ("partitions", 2**63),
        ("partitions", -(2**63) - 1),
        ("partitions", True), ("partitions", 1.5), ("partitions", "3"), ("internal", 1), ("config", (("a", 1),)),
        ("config", (("a",),)), ("config", [("a", "b")]), ("config", "ab"), ("tags", (None,)), ("tags", {"a": "b"}),
        ("description", b"x"), ("source", ()),
    ],
)  # fmt: skip
def test_another_type_or_size_is_a_misfit(member: str, value: object) -> None:
    assert misfit(topic(**{member: value})) == member


def test_what_is_inside_is_checked() -> None:
    column: Any = Column(path=("a", 1), type="string")  # type: ignore[arg-type]
    table = CatalogTable(source=SourceId("s"), name="n", namespace="x", provider="p", columns=(column,))

    assert misfit(table) == "columns"

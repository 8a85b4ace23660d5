"""Which fields that programs read are written by none."""

from __future__ import annotations

import pytest

from scanner_dictionary.queries.field_uses import unwritten_fields
from scanner_model.clients import Direction
from scanner_model.field_uses import FieldExtent, FieldUse
from scanner_model.names import SourceId, TopicName


def use(program: str, topic: str, field: str, *places: str, writes: bool = False) -> FieldUse:
    return FieldUse(
        source=SourceId("repository"),
        program=program,
        topic=TopicName(topic),
        direction=Direction.WRITES if writes else Direction.READS,
        extent=FieldExtent.FIELD if field else FieldExtent.UNRESOLVED,
        path=(field,) if field else (),
        places=places,
    )


def unwritten(*uses: FieldUse) -> list[tuple[str, str]]:
    return [(one.use.topic, one.use.path[0]) for one in unwritten_fields(uses, {}, uses)]


@pytest.mark.parametrize("sum_of", ["sum", ""])
def test_code_that_reads_several_topics_needs_a_field_of_one_of_them(sum_of: str) -> None:
    """One handler for the records of all topics reads a field of those that have it, or that may have it."""
    found = unwritten(
        use("shop", "orders", "id", writes=True),
        use("till", "payments", sum_of, writes=True),
        use("mail", "orders", "sum", "mail.ts:4"),
        use("mail", "payments", "sum", "mail.ts:4", "other.ts:1"),
    )

    assert found == []


def test_other_code_that_reads_another_topic_says_nothing_of_a_field() -> None:
    found = unwritten(
        use("shop", "orders", "id", writes=True),
        use("till", "payments", "sum", writes=True),
        use("mail", "orders", "sum", "mail.ts:4"),
        use("mail", "payments", "sum", "payments.ts:7"),
        use("audit", "payments", "sum", "mail.ts:4"),
    )

    assert found == [("orders", "sum")]


def test_a_field_that_none_of_several_topics_has_is_missing_in_all() -> None:
    found = unwritten(
        use("shop", "orders", "id", writes=True),
        use("till", "payments", "sum", writes=True),
        use("mail", "orders", "amount", "mail.ts:4"),
        use("mail", "payments", "amount", "mail.ts:4"),
    )

    assert found == [("orders", "amount"), ("payments", "amount")]

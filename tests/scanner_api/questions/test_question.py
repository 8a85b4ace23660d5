"""What a question says of itself, before it is answered."""

from __future__ import annotations

import pytest

from scanner_api.questions.table import BY_NAME, QUESTIONS


@pytest.mark.parametrize(
    ("name", "arguments", "heavy"),
    [
        ("columns", {"name": "id", "pattern": None, "limit": 100}, False),
        ("columns", {"pattern": "*.id"}, True),
        ("topics", {"sort": "name", "tag": None, "unused": False}, False),
        ("topics", {"sort": "readers"}, True),
        ("impact", {}, True),
    ],
)
def test_a_question_is_heavy_by_itself_or_by_what_is_asked(name, arguments, heavy) -> None:
    """A page of a list must not wait behind checks of changes, nor a look at everything hold up searches."""
    assert BY_NAME[name].is_heavy(arguments) is heavy


def test_what_makes_a_question_heavy_are_parameters_of_it() -> None:
    """A name that is none would never count."""
    for question in QUESTIONS:
        assert question.heavy_with <= question.answer.__annotations__.keys(), question.name

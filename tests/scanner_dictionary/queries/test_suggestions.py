"""Names that a mistyped one may mean."""

from __future__ import annotations

import pytest

from scanner_dictionary.queries.resolve import suggestions

COLUMNS = [
    f"orders.{name}" for name in ("reason", "lines", "lines.[]", "detail", "reserved", "redress", "dresser", "res")
]


@pytest.mark.parametrize("text", ["ordres", "order", "ORDERS", "oders"])
def test_a_short_name_is_not_crowded_out_by_longer_ones(text) -> None:
    """The columns of a topic share more letters with a mistyped topic than the topic itself, because they have more."""
    assert suggestions(text, [*COLUMNS * 3, "orders", "payments"])[0] == "orders"


def test_a_name_that_is_like_none_has_no_suggestion() -> None:
    """A wrong suggestion is worse than none."""
    assert suggestions("xyz", [*COLUMNS, "orders"]) == ()

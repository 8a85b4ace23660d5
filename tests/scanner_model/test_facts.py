"""Facts by type."""

from __future__ import annotations

from scanner_model.facts import Facts


def test_facts_of_a_type_keep_their_order() -> None:
    """Types may be mixed; a type without facts is empty, not an error."""
    facts = Facts(facts=("b", 1, "a"))

    assert (facts.of(str), facts.of(int), facts.of(float)) == (("b", "a"), (1,), ())


def test_other_facts_of_some_types_replace_all_of_these_types() -> None:
    """Those of other types stay, and what was read before does not come back."""
    facts = Facts(facts=("b", 1, 2))
    assert facts.of(int) == (1, 2)

    assert facts.with_facts({int: (3,), str: (), float: iter((0.5,))}).facts == (3, 0.5)

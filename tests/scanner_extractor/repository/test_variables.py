"""Placeholders are replaced by the values nearest to a file, and only so far as the texts do not multiply."""

from __future__ import annotations

from itertools import pairwise

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.variables import Variables


def variables(text: str, left: int = 1_000_000) -> Variables:
    """Return the variables of one environment file."""
    known = Variables(left=left)
    known.add(RepositoryFile(".env", text))
    return known


def test_a_value_may_name_another_variable() -> None:
    """As shells replace them."""
    assert variables("A=${B}-a\nB=b\n").resolved("x ${A}", "") == "x b-a"


def test_a_value_that_multiplies_has_no_value() -> None:
    """Its placeholder stays, as that of a variable that is not set."""
    names = "ABCDE"
    text = "".join(f"{name}={f'${{{other}}}' * 60}\n" for name, other in pairwise(names))

    assert variables(text + "E=" + "x" * 400).resolved("${A}", "") == "${A}"
    assert variables(text).resolved("${A}", "") == "${A}"


def test_placeholders_add_a_limited_number_of_characters_to_a_repository() -> None:
    """Those after that stay."""
    known = variables("A=" + "x" * 100, left=150)

    assert known.resolved("${A} ${A} ${A}", "") == f"{'x' * 100} {'x' * 100} ${{A}}"
    assert known.resolved("${A}", "") == "${A}"
    assert known.left <= 0


def test_examples_hold_below_their_directory() -> None:
    """Another program with a variable of the same name may have another value."""
    known = Variables()
    known.add(RepositoryFile("mailer/.env.example", "TOPIC=mails\n"))

    assert known.resolved("${TOPIC}", "mailer/src") == "mails"
    assert known.resolved("${TOPIC}", "orders") == "${TOPIC}"

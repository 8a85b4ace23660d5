"""How the serialisers of Cloudera's registry name subjects."""

from __future__ import annotations

import pytest

from scanner_extractor.naming import Subject, strategies_in_force


@pytest.mark.parametrize(
    ("subject", "expected"),
    [("orders", [("orders", "value")]), ("orders:k", [("orders", "key")]), ("a:b", []), (":k", [])],
)
@pytest.mark.parametrize("names", [["hortonworks"], []])
def test_colon_marks_keys(subject, expected, names) -> None:
    """A colon is illegal in topics, so nothing else can be meant. The type of registry brings the strategy."""
    (by_name,) = strategies_in_force(names, "cloudera")

    assert [(candidate.topic, candidate.role) for candidate in by_name(Subject(name=subject))] == expected

"""No pattern of the product backtracks without a bound: texts come from strangers."""

from __future__ import annotations

from pathlib import Path

import pytest
from linear_time import is_linear
from product_patterns import product_patterns

ALLOWED = Path(__file__).with_name("unproved_patterns.txt")
"""Patterns that the analysis does not prove to be linear, as of 2026-11-28: 97 lines, and never more.

It knows neither possessive repetition nor lookbehind, so a pattern that was made linear by these stays listed;
`test_hostile_texts.py` has the texts.
"""


@pytest.mark.slow
def test_every_pattern_is_linear_or_listed() -> None:
    """A pattern built at run time is one that a module of patterns for others must compile; see linear_patterns."""
    unproved = {
        pattern.key
        for pattern in product_patterns()
        if pattern.text is None
        or not is_linear(pattern.text, pattern.flags, anchored=pattern.anchored, whole=pattern.whole)
    }
    allowed = {line.encode().decode("unicode_escape") for line in ALLOWED.read_text("ascii").splitlines() if line}

    assert unproved - allowed == set()
    assert allowed - unproved == set(), "remove these lines"


@pytest.mark.parametrize(
    ("pattern", "options", "expected"),
    [
        (r"\s+$", {}, False),
        (r"\w+\s*=", {}, False),
        (r"(?m)^\s*x", {}, False),
        (r"(a*)*b", {}, False),
        (r"(a|aa)+$", {"anchored": True}, False),
        (r".*a.*b", {"anchored": True}, False),
        (r"\b\w+=", {}, True),
        (r"(?<![\w.-])[\w.-]++=", {}, True),
        (r"(?m)^[ \t]*x", {}, True),
        (r"[a-z]+", {}, True),
        (r"(?:[^/]+/)*x", {"anchored": True}, True),
        (r"\d{1,5}x", {}, True),
    ],
)
def test_the_analysis_tells_linear_patterns(pattern: str, options: dict[str, bool], expected: bool) -> None:
    assert is_linear(pattern, **options) is expected

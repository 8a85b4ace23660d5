"""Patterns from outside under limits: no pattern can stop a scan, alone or by the number of names."""

import pytest

from scanner_model.documents.pattern_limits import TimeLimit, TookTooLong, is_too_large, shown
from scanner_model.errors import InputInvalid


class Clock:
    """A clock that goes only where a match takes time."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def matching(clock: Clock, needs: float):
    """Build a match that needs so many seconds, and ends at its timeout as that of `regex` does."""

    def match(text: str, /, *, timeout: float) -> str:
        clock.now += min(needs, timeout)
        if needs > timeout:
            raise TimeoutError
        return text

    return match


def test_a_match_that_takes_too_long_is_an_error_that_names_pattern_and_text() -> None:
    """A silent "no match" would be an edge or a link that is lost without a word."""
    clock = Clock()

    with pytest.raises(TookTooLong) as error:
        TimeLimit(clock=clock).run(matching(clock, 99), "orders", "(o|oo)+")

    assert isinstance(error.value, InputInvalid)
    assert error.value.pattern == "(o|oo)+"
    assert "'orders'" in error.value.what


def test_ten_thousand_slow_names_take_seconds() -> None:
    """One second each would be three hours."""
    clock = Clock()
    limit = TimeLimit(each=1, total=5, least=0.001, clock=clock)
    slow = matching(clock, 99)
    for _ in range(10_000):
        with pytest.raises(TookTooLong):
            limit.run(slow, "a", "p")

    assert clock.now == pytest.approx(5 + 10_000 * 0.001, abs=1)


def test_names_that_just_end_in_time_count_as_well() -> None:
    """Ten thousand matches of nine tenths of a second each would be no better."""
    clock = Clock()
    limit = TimeLimit(each=1, total=5, least=0.001, clock=clock)
    nearly = matching(clock, 0.9)
    for _ in range(5):
        limit.run(nearly, "a", "p")

    with pytest.raises(TookTooLong):
        limit.run(nearly, "a", "p")


def test_ordinary_matches_go_on_when_the_time_for_slow_ones_is_spent() -> None:
    """One odd subject must not take the topics of all others away."""
    clock = Clock()
    limit = TimeLimit(each=1, total=1, least=0.001, clock=clock)
    for _ in range(3):
        with pytest.raises(TookTooLong):
            limit.run(matching(clock, 99), "a", "p")

    assert limit.run(matching(clock, 0.0001), "orders", "p") == "orders"


@pytest.mark.parametrize(
    ("pattern", "too_large"),
    [
        ("[a-z]{8}(-[0-9a-f]{4}){3}-.{12}", False),
        ("a{20000}", False),
        ("a{20001}", True),
        ("a{999999999999}", True),
        ("((a{60}){60}){60}", True),
        ("(?:a|b{9000}|c{9000}){2}", True),
        ("(a{0,99999}){0,99999}", False),
        (r"\(a{5000}\){5000}", False),
        (r"[(]a{5000}[)]{5000}", False),
        ("[]({]{9000})", False),
        (")(" * 9, False),
        ("(?:" * 40 + "a" + "){2}" * 40, True),
        ("{5}", False),
    ],
)
def test_counted_repetitions_are_limited(pattern, too_large) -> None:
    """The library writes them out when it compiles: a short pattern would take all memory."""
    assert is_too_large(pattern) is too_large


def test_long_texts_are_cut_where_they_are_shown() -> None:
    """A name may be four thousand characters long, a problem is one line."""
    assert len(shown("a" * 5000)) < 100
    assert shown("a") == "'a'"

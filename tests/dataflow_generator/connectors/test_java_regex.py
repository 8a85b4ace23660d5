"""Java's patterns as Java evaluates them, and never without end."""

import re
from contextlib import suppress

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.connectors.java_regex import java_regex, limited, pattern_problems
from scanner_model.documents.pattern_limits import TimeLimit
from scanner_model.errors import InputInvalid


@pytest.mark.parametrize(
    ("pattern", "text", "whole"),
    [
        ("shop", "shop.orders", False),
        (r"shop\..*", "shop.orders", True),
        ("[a-z&&[^bc]]+", "ad", True),
        ("[a-z&&[^bc]]+", "ab", False),
        ("[ab[xy]]+", "abx", True),
        ("[]a]+", "a]", True),
        ("(?i)ORDERS", "orders", True),
        ("(?i:A)b", "ab", True),
        ("(?-i)a", "A", False),
        ("(?!__).*", "__offsets", False),
        (r".*(?<!-dlq)", "orders-dlq", False),
        (r".*(?<=-dlq)", "orders-dlq", True),
        ("a*+a", "aaa", False),
        ("(?>a*)b", "aab", True),
        (r"\Qa.b\E+", "a.bbb", True),
        (r"\p{Alpha}+\P{L}", "ab1", True),
        (r"\p{Lu}", "a", False),
        (r"\w+", "é", False),
        (r"a{2}b{1,}c{0,2}", "aabcc", True),
        (r"\x41\u0042\x{43}\0104", "ABCD", True),
        (r"\bab\b\z", "ab", True),
        ("^a$", "a", True),
        ("a|ab", "ab", True),
        ("a.b", "a\nb", False),
        ("(?s)a.b", "a\nb", True),
        ("", "", True),
    ],
)
def test_a_pattern_matches_whole_names_as_in_java(pattern, text, whole) -> None:
    """Kafka asks `Matcher.matches()`: a part of a name is no match."""
    assert java_regex(pattern).matches(text) is whole


@pytest.mark.parametrize(
    ("pattern", "text", "replacement", "result"),
    [
        (r"(.*)\.(.*)\.(.*)", "a.b.c", "$2.$3", "b.c"),
        ("(?<env>[a-z]+)-(?<what>.*)", "prod-orders-v2", "${what}.${env}", "orders-v2.prod"),
        ("a|ab", "ab", "x", "xb"),
        ("(a)(b)?", "a", "$1$2$12", "aa2"),
        ("o", "foo", r"\$0", "f$0o"),
        ("x", "foo", "y", "foo"),
        ("(a+?)(a*)", "aaa", "$1-$2", "a-aa"),
    ],
)
def test_the_first_match_is_replaced_as_in_java(pattern, text, replacement, result) -> None:
    """The match that is replaced is the first that is found, not the whole name; groups are by number or name."""
    assert java_regex(pattern).replace_first(text, replacement) == result


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "[open",
            "(open",
            "close)",
            "*a",
            "a**",
            "a{x",
            "a{3,1}",
            "[z-a]",
            r"\q",
            "(?<n>a)(?<n>b)",
            "(?",
            "a\\",
            "(?i)*",
        ),
        *(r"(a)\1", r"\p{InGreek}", "(?x)a", r"\x{110000}", "((a{60}){60}){60}", "(" * 60 + ")" * 60, "a" * 3000),
    ],
)
def test_what_java_refuses_or_we_do_not_evaluate_is_an_error_of_ours(pattern) -> None:
    """A guess would be an edge that is not there."""
    with pytest.raises(InputInvalid):
        java_regex(pattern)


@pytest.mark.parametrize("replacement", ["$9", "$", "${nobody}", "\\"])
def test_a_replacement_without_its_group_is_refused(replacement) -> None:
    """Java throws at the first record."""
    with pytest.raises(InputInvalid):
        java_regex("a").replace_first("a", replacement)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(.*)*(.*)*(.*)*x", "(a|a)*b", "(?:(?:a?){15}){15}b", "(a*)*(?=b)"])
def test_catastrophic_patterns_end(pattern) -> None:
    """Backtracking would take longer than the universe has."""
    assert not java_regex(pattern).matches("a" * 240 + "!")


NO_TIME = TimeLimit(each=0, total=0, least=0)


def test_a_pattern_that_takes_too_long_is_an_error_and_no_mismatch() -> None:
    """That it matches nothing would be a guess; both texts are named, so that somebody can mend the pattern."""
    with pytest.raises(InputInvalid, match="too long") as error:
        limited("(a|aa)+$", NO_TIME).matches("aaa!")

    assert "(a|aa)+$" in error.value.what
    assert "aaa!" in error.value.what


def test_a_pattern_that_took_too_long_is_not_evaluated_again() -> None:
    """Ten thousand names may be matched with it, each of which would take as long."""
    regex = limited("(a|aa)+$", NO_TIME)
    for name in ("aaa!", "b"):
        with pytest.raises(InputInvalid, match="aaa!"):
            regex.matches(name)
    with pytest.raises(InputInvalid, match="aaa!"):
        regex.replace_first("b", "x")


def test_patterns_that_are_not_evaluated_are_collected_whoever_handles_the_error() -> None:
    """Many readers go on with "no match"; the connector's problems must still name the pattern, once."""
    with pattern_problems() as problems:
        for _ in range(2):
            with suppress(InputInvalid):
                java_regex(r"(a)\1")
    with suppress(InputInvalid):
        java_regex(r"(b)\1")

    assert [("(a)" in what, problem.where) for what, problem in problems.items()] == [(True, "patterns")]


@pytest.mark.parametrize(
    ("pattern", "text", "whole"),
    [
        (r"[a-c&&[^b]&&\w]+", "ac", True),
        ("[^a&&[ab]]", "a", False),
        ("[a~~b||c&-]+", "a~|&-", True),
        ("[[:alpha:]]+", "x", False),
        ("a{2}+a", "aaa", True),
        ("(?i)K", "\u212a", False),
        ("(?i)[b-d]+", "BcD", True),
        ("(?iu)é", "é", None),
        (r"(?i)\p{Lower}", "A", True),
        (r"\p{gc=Lu}\p{IsLu}", "ÉÉ", True),
        ("a(?i)b|c", "C", True),
        ("(?:a(?i)b)c", "aBC", False),
        ("a$", "a\r\n", False),
        ("a$.*", "a\n", False),
        ("(?s)a$.*", "a\n", True),
        (r"\h\v", "\u00a0\u2028", True),
        ("}]", "}]", True),
        (r"\Q[a\E]", "[a]", True),
    ],
)
def test_what_java_writes_or_means_otherwise_is_translated(pattern, text, whole) -> None:
    """Compared with java.util.regex of Java 17; None: it is refused, as the two languages fold such letters apart."""
    if whole is None:
        with pytest.raises(InputInvalid):
            java_regex(pattern)
    else:
        assert java_regex(pattern).matches(text) is whole


PIECES = st.sampled_from(["a", "b", ".", r"\.", "(a|b)", "[ab]", "(?:ab|a)", "a*", "(b+)", "b?", "(a*?)", "[^a]"])


@examples(80)
@given(pieces=st.lists(PIECES, max_size=5), text=st.text(alphabet="ab.", max_size=8))
def test_patterns_that_both_have_mean_the_same_as_in_python(pieces, text) -> None:
    """Python's engine is an independent witness for what the two languages share."""
    pattern = "".join(pieces)
    theirs = re.compile(pattern)

    assert java_regex(pattern).matches(text) is bool(theirs.fullmatch(text))
    assert java_regex(pattern).replace_first(text, "<$0>") == theirs.sub(r"<\g<0>>", text, count=1)


@examples(80)
@given(pattern=st.text(alphabet="ab.*+?()[]{}|^$\\&-,<>!=:iQEpP1", max_size=12), text=st.text(max_size=6))
def test_any_text_is_a_pattern_or_an_error_of_ours(pattern, text) -> None:
    """People write anything into a configuration."""
    with suppress(InputInvalid):
        assert limited(pattern, TimeLimit(each=0.01, total=0)).matches(text) in (True, False)


@pytest.mark.parametrize(
    ("pattern", "start"),
    [
        (r"orders\..*", "orders."),
        ("a-b_c.+", "a-b_c"),
        ("plain", "plain"),
        ("ab*", ""),
        ("a|b", ""),
        ("(?i)a.*", ""),
        (".*x", ""),
    ],
)
def test_what_a_pattern_plainly_begins_with_is_reported(pattern, start) -> None:
    """Names that begin otherwise need not be looked at; where that is not plain, nothing is reported."""
    assert java_regex(pattern).start == start

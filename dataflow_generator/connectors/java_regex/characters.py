"""Sets of characters of Java's patterns: predefined ones, POSIX names and Unicode's general categories."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from string import punctuation

from dataflow_generator.connectors.java_regex.nodes import CharTest

LINE_ENDS = frozenset("\n\r\x85\u2028\u2029")
_BLANKS = frozenset(" \t\xa0\u1680\u180e\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))
_VERTICAL = frozenset("\n\x0b\f\r\x85\u2028\u2029")
_SPACES = frozenset(" \t\n\x0b\f\r")
_CATEGORIES = re.compile(
    r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfosn]?",
)


def is_word(char: str) -> bool:
    r"""Say whether *char* belongs to `\w`, which is ASCII only in Java."""
    return char.isascii() and (char.isalnum() or char == "_")


def opposite(test: CharTest) -> CharTest:
    """Give the test that *char* passes where it fails *test*."""
    return lambda char: not test(char)


def any_case(test: CharTest) -> CharTest:
    """Give *test* for `(?i)`."""
    return lambda char: test(char) or test(char.lower()) or test(char.upper())


def one(wanted: str) -> CharTest:
    """Give the test for exactly the character *wanted*."""
    return wanted.__eq__


PREDEFINED: Mapping[str, CharTest] = {
    "d": lambda char: "0" <= char <= "9",
    "w": is_word,
    "s": _SPACES.__contains__,
    "h": _BLANKS.__contains__,
    "v": _VERTICAL.__contains__,
}
r"""`\d` and its kin; the upper-case letter is the opposite (java.util.regex.Pattern, predefined classes)."""

_POSIX: Mapping[str, CharTest] = {
    "Lower": lambda char: "a" <= char <= "z",
    "Upper": lambda char: "A" <= char <= "Z",
    "ASCII": str.isascii,
    "Alpha": lambda char: char.isascii() and char.isalpha(),
    "Digit": PREDEFINED["d"],
    "Alnum": lambda char: char.isascii() and char.isalnum(),
    "Punct": frozenset(punctuation).__contains__,
    "Graph": lambda char: "!" <= char <= "~",
    "Print": lambda char: " " <= char <= "~",
    "Blank": frozenset(" \t").__contains__,
    "Cntrl": lambda char: char < " " or char == "\x7f",
    "XDigit": frozenset("0123456789abcdefABCDEF").__contains__,
    "Space": PREDEFINED["s"],
    "IsAlphabetic": str.isalpha,
    "IsLetter": str.isalpha,
    "IsDigit": str.isdecimal,
    "IsUppercase": str.isupper,
    "IsLowercase": str.islower,
    "javaLowerCase": str.islower,
    "javaUpperCase": str.isupper,
}


def named(name: str) -> CharTest | None:
    r"""Give the characters of `\p{name}`; None for a name that we do not evaluate."""
    category = name.removeprefix("Is").removeprefix("general_category=").removeprefix("gc=")
    if _CATEGORIES.fullmatch(category):
        return lambda char: unicodedata.category(char).startswith(category)
    return _POSIX.get(name)

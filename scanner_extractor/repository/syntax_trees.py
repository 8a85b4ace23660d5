"""Parse source texts with tree-sitter: one grammar per language, errors in the text kept beside what can be read.

A parser of tree-sitter never fails: it turns what it cannot read into an error node and keeps the rest of the tree. The
time and memory that it takes may grow with the square of a text, so `bounded_parsing` tries each text in another
process first. A grammar is a package, installed by the extra `code` or `terraform`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load
from scanner_model.plugins import require

Node = Any
"""A node of tree-sitter, whose library may be missing."""

LARGEST = 2 * 1024 * 1024
"""Maximum characters of one source text; a longer one was generated."""


class Grammar(NamedTuple):
    """A grammar: its module, the function of it that returns the language, the extra that installs it."""

    module: str
    extra: str = "code"
    function: str = "language"


_OTHERS: Mapping[str, Grammar] = {
    **dict.fromkeys((".tf", ".tfvars"), Grammar("tree_sitter_hcl", extra="terraform")),
    ".rs": Grammar("tree_sitter_rust"),
}


_TESTS = re.compile(
    r"(?:^|/)(?:src/(?:i?test|it|[a-z\d]+(?:-t|T)ests?|testFixtures)|tests?|__tests__|testing|e2e-tests?|testdata)/"
    r"|(?:^|/)spec/(?:fixtures|support|factories)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.(?!tf$|ya?ml$|json$|properties$|conf$|avsc$|proto$|k?sql$)\w+$|(?:Test|Tests|IT|Spec|TestCase)\.(?:java|kt|scala|cs)$"
    r"|\.(?:spec|test)\.[cm]?[jt]sx?$|(?:^|/)[\w.-]+\.(?:[A-Z][a-z]+)*Tests?/"
)
_CODE_OF_SPECS = re.compile(r"\.(?:rb|php|lua|exs?|[cm]?[jt]sx?)$")
"""Code that is of tests if it is below `spec`."""

_MAIN = "src/main/"
_OF_TESTS = {
    ".go": re.compile(r'^[^\S\n]*(?:import\s+)?"testing"\s*$', re.MULTILINE),
    ".py": re.compile(r"^(?:import|from)[ \t]+pytest", re.MULTILINE),
}
"""Imports of the libraries that tests are written with, by the endings of files."""


@lru_cache(maxsize=1 << 15)
def is_test(path: str) -> bool:
    """Return whether a file is one of tests, by its path.

    In the layout of the JVM, code below `src/main` is a program's, whatever its packages are called.
    """
    before, main, after = path.rpartition(_MAIN)
    if main and (not before or before.endswith("/")):
        path = before + after.rpartition("/")[2]
    return _TESTS.search(path) is not None or ("/spec/" in f"/{path}" and _CODE_OF_SPECS.search(path) is not None)


def helps_tests(path: str, text: str) -> bool:
    """Return whether a file is for tests, by what it imports: programs themselves need no library for tests."""
    pattern = _OF_TESTS.get(suffix(path))
    return pattern is not None and pattern.search(text) is not None


def words(text: str) -> frozenset[str]:
    """Return the words of *text* as a set."""
    return frozenset(text.split())


def suffix(path: str) -> str:
    """Return the end of a file's name that names its language, in lower case."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return dot + ending.lower() if stem and ending else ""


def grammar_of(path: str) -> Grammar | None:
    """Return the grammar of a file by the ending of its name; None if no grammar is known."""
    ending = suffix(path)
    # Loaded here, since most modules need only `words` and `suffix`.
    language = load("scanner_extractor.repository.languages:BY_ENDING").get(ending)
    return language.grammars[ending] if language is not None else _OTHERS.get(ending)


def grammar_missing(path: str) -> str:
    """Return the extra that installs the grammar of *path*; empty if it is installed, or no grammar is known."""
    grammar = grammar_of(path)
    return "" if grammar is None or _is_installed(grammar) else grammar.extra


def parse_tree(path: str, text: str) -> Node:
    """Parse *text* by the language of *path*; raises InputInvalid if no grammar is known, or it is not installed.

    Each call has its own parser: threads that share one crash.
    """
    grammar = grammar_of(path)
    if grammar is None:
        raise InputInvalid(f"unknown language: {suffix(path) or path}", where=path)
    language, library = _language(grammar)
    source = _unescaped(text) if suffix(path) == ".java" and "\\u" in text else text
    source = _CALL_AFTER_PROPERTY.sub(r"\1;\2", source) if suffix(path) in (".kt", ".kts") else source
    return library.Parser(language).parse(source.encode("utf-8", "replace")).root_node


_CALL_AFTER_PROPERTY = re.compile(
    r"(^[^\S\n]*+(?:\w++[^\S\n]++){0,4}?va[lr][^\S\n][^\n]{0,300}?[\w)\]}>\"?!]\n[^\S\n]*)[^\S\n]((?:get|set)\((?!\s*+\w*+(?:\s*+:(?!:)[^)\n]*+)?\)))",
    re.MULTILINE,
)
"""A call of a function `get` or `set` on the line after a property: the grammar takes it for an accessor, which has no
arguments but the name of a new value. A semicolon in the place of a space ends the property."""
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u+00([0-7][0-9a-fA-F])")


def _unescaped(text: str) -> str:
    r"""Return Java with the characters that escapes such as `\u000a` stand for, also in comments, as compilers do."""
    return _ESCAPED.sub(lambda match: match[0] if match[2].lower() == "5c" else match[1] + chr(int(match[2], 16)), text)


@cache
def _is_installed(grammar: Grammar) -> bool:
    try:
        _language(grammar)
    except InputInvalid:
        return False
    return True


@cache
def _language(grammar: Grammar) -> tuple[Any, Any]:
    """Return the language of a grammar, which threads may share, and the library that parses it."""
    what = f"the grammar {grammar.module} is not installed"
    library = require("tree_sitter", what, extra=grammar.extra)
    module = require(grammar.module, what, extra=grammar.extra)
    return library.Language(getattr(module, grammar.function)()), library

"""Parse source texts with tree-sitter: one grammar per language, errors in the text kept beside what can be read.

A parser of tree-sitter never fails: what it cannot read becomes an error node, and the rest of the tree stands. Its
time grows with the text, and with the square of a text that its grammar cannot read: it is bounded. A grammar is a
package of its own, of the extra `code` or `terraform`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from scanner_model.errors import InputInvalid
from scanner_model.plugins import require

Node = Any
"""A node of tree-sitter, whose library may be missing."""

LARGEST = 2 * 1024 * 1024
"""Maximum characters of one source text; a longer one was generated."""
SLOWEST = 5
"""Seconds of processor time that one source text may take: hundreds of times what an ordinary one does."""
_SHORT = 8_000
"""Bytes of a text that takes a second at most, and is read half as fast again in one piece."""
_PIECE = 4_096


class Grammar(NamedTuple):
    """A grammar: its module, the function of it that returns the language, the extra that installs it."""

    module: str
    extra: str = "code"
    function: str = "language"


GRAMMARS: Mapping[str, Grammar] = {
    ".java": Grammar("tree_sitter_java"),
    ".kt": Grammar("tree_sitter_kotlin"),
    ".kts": Grammar("tree_sitter_kotlin"),
    ".scala": Grammar("tree_sitter_scala"),
    ".py": Grammar("tree_sitter_python"),
    ".go": Grammar("tree_sitter_go"),
    ".js": Grammar("tree_sitter_javascript"),
    ".mjs": Grammar("tree_sitter_javascript"),
    ".cjs": Grammar("tree_sitter_javascript"),
    ".jsx": Grammar("tree_sitter_javascript"),
    ".ts": Grammar("tree_sitter_typescript", function="language_typescript"),
    ".tsx": Grammar("tree_sitter_typescript", function="language_tsx"),
    ".cs": Grammar("tree_sitter_c_sharp"),
    ".tf": Grammar("tree_sitter_hcl", extra="terraform"),
    ".tfvars": Grammar("tree_sitter_hcl", extra="terraform"),
}
"""How a file is parsed, by the end of its name."""


def words(text: str) -> frozenset[str]:
    """Return the words of *text* as a set."""
    return frozenset(text.split())


def suffix(path: str) -> str:
    """Return the end of a file's name that names its language, in lower case."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return dot + ending.lower() if stem and ending else ""


def grammar_missing(path: str) -> str:
    """Return the extra that installs the grammar of *path*; empty where it is installed, or no grammar is known."""
    grammar = GRAMMARS.get(suffix(path))
    if grammar is None:
        return ""
    return "" if _is_installed(grammar) else grammar.extra


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time by *clock* at which reading one source text is given up."""

    at: float
    clock: Callable[[], float]

    def is_over(self) -> bool:
        """Return whether the time is over."""
        return self.clock() > self.at

    def check(self, path: str) -> None:
        """Raise InputInvalid where the time is over."""
        if self.is_over():
            raise InputInvalid(f"reading it takes more than {SLOWEST} seconds", where=path)


def deadline(clock: Callable[[], float] = time.thread_time) -> Deadline:
    """Return the deadline of a text that is read from now on."""
    return Deadline(clock() + SLOWEST, clock)


def parse_tree(path: str, text: str, until: Deadline | None = None) -> Node:
    """Parse *text* by the language of *path*, *until* some time, SLOWEST seconds from now where it is None.

    Raises InputInvalid where the grammar is not installed, or the time is over.
    """
    content, until, parsed = text.encode("utf-8", "replace"), until or deadline(), False

    def read(at: int, _: object) -> bytes:
        # The texts of nodes are read by it, too: nothing would be an answer that never ends.
        return b"" if not parsed and until.is_over() else content[at : at + _PIECE]

    root = _parser(GRAMMARS[suffix(path)]).parse(content if len(content) < _SHORT else read).root_node
    parsed = True
    until.check(path)
    return root


@cache
def _is_installed(grammar: Grammar) -> bool:
    try:
        _parser(grammar)
    except InputInvalid:
        return False
    return True


@cache
def _parser(grammar: Grammar) -> Any:  # noqa: ANN401 - a class of tree-sitter
    what = f"the grammar {grammar.module} is not installed"
    library = require("tree_sitter", what, extra=grammar.extra)
    module = require(grammar.module, what, extra=grammar.extra)
    return library.Parser(library.Language(getattr(module, grammar.function)()))

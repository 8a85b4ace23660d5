"""Files that use Kafka in a form that is not read: each is named, so that nobody takes its flows for absent.

The signs are the names of clients and settings as the documentation of each product has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.syntax_trees import is_test, words
from scanner_extractor.repository.undeclared import topics_in

OTHER_USE = "other use of Kafka"
"""What such a file is listed as."""
_MOST_NAMES = 5


class _Form(NamedTuple):
    """A form that is not read: the *endings* of its files, and the *sign* that one of them uses Kafka."""

    what: str
    endings: frozenset[str]
    sign: re.Pattern[str]


def _form(what: str, endings: str, sign: str) -> _Form:
    return _Form(what, words(endings), re.compile(sign, re.MULTILINE))


_SETTINGS = ".conf .cfg .toml"
_UNREAD = {
    "C or C++": ".c .cc .cpp .cxx .h .hpp",
    "Clojure": ".clj .cljs .cljc",
    "Crystal": ".cr",
    "D": ".d",
    "Dart": ".dart",
    "Elixir or Erlang": ".ex .exs .erl",
    "F# or Visual Basic": ".fs .fsx .vb",
    "Groovy": ".groovy",
    "Haskell": ".hs",
    "Julia": ".jl",
    "Lua": ".lua",
    "Nim": ".nim",
    "OCaml": ".ml",
    "Perl": ".pl .pm",
    "PHP": ".php",
    "R": ".r",
    "Ruby": ".rb",
    "Swift": ".swift",
    "Zig": ".zig",
}
"""Languages that are not read, and the endings of their files."""
_OF_KAFKA = (
    r"(?i)^(?![ \t]*(?:#(?![ \t]*include)|//|--|;|%|\*))[^\n]{0,500}"
    r"(?:kafka|\b(?:karafka|racecar|waterdrop|kaffe|brod|jackdaw|ketu)\b)"
)
"""A line of code that has Kafka in a name, or the name of a client which has another one."""
_FORMS = (
    *(_form(f"a program in {language}", endings, _OF_KAFKA) for language, endings in _UNREAD.items()),
    _form(
        "a configuration of Fluentd or Fluent Bit",
        _SETTINGS,
        r"^[ \t]*(?:@type[ \t]+r?d?kafka|[Nn]ame[ \t]+kafka[ \t]*$)",
    ),
    _form("an XML configuration of Spring", ".xml", r"<int-kafka:"),
)


def is_other_use(file: RepositoryFile) -> bool:
    """Check whether a file uses Kafka in a form that is not read; one of tests is left out."""
    return bool(_form_of(file)) and not is_test(file.path)


def leave_other_uses(files: Sequence[RepositoryFile], context: Context) -> None:
    """Name each file with its form."""
    for file in files:
        what = _form_of(file)
        if file.path not in context.collector.files:
            topics = ", ".join(topics_in(file.text)[:_MOST_NAMES])
            named = f" and names {topics}" if topics else ""
            context.leave(file, OTHER_USE, f"it is {what}{named}, which is not read")


def _form_of(file: RepositoryFile) -> str:
    return next((form.what for form in _FORMS if file.ending in form.endings and form.sign.search(file.text)), "")

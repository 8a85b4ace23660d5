"""Rules that suggest tags of columns by names, types and documentation; the rules themselves are data, in TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple
from unicodedata import combining, normalize

from scanner_model.columns import ColumnPath, field_name
from scanner_model.errors import InputInvalid

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d"})
_LONGEST = 4
"""The most words of a name that are taken together."""

_SENTENCE = 60
"""The most words of a documentation that are looked at."""

_WRAPPERS = frozenset({"payload", "after", "before", "value", "key", "data", "record"})
"""Fields that hold a whole message, as in events of change feeds: they say nothing of what is in it."""

_BOOLEAN = frozenset({"bool", "boolean", "bit", "tinyint(1)"})


class Suggestion(NamedTuple):
    """A tag that a rule suggests, and why: what the column is taken for, and the words that say so."""

    tag: str
    why: str


class _Kind(NamedTuple):
    """What a word means: a tag, what the column is, what a name with it must not have, and what it may have."""

    tag: str
    kind: str
    near: bool
    unless: frozenset[str]
    but: frozenset[str]


@dataclass(frozen=True, slots=True)
class TagRules:
    """Rules by their words, each written together; *other* are words of names that are of something else.

    *beginnings* are what words of *documentation* begin with, so that few of a text are looked up.
    """

    words: Mapping[str, _Kind]
    documentation: Mapping[str, str]
    beginnings: frozenset[str]
    persons: frozenset[str]
    other: frozenset[str]
    _known: dict[tuple[str, str, str], Suggestion | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def tags(self) -> frozenset[str]:
        """Return the tags that the rules suggest."""
        return frozenset((*(kind.tag for kind in self.words.values()), *self.documentation.values()))

    def suggest(self, dataset: str, path: ColumnPath, type_name: str, doc: str | None) -> Suggestion | None:
        """Return the tag that the name of a column suggests, or else its documentation; None if neither does.

        *dataset* is the name of its topic, record or table. A yes-or-no is about something, it is nothing personal.
        """
        name = next((name for name in map(field_name, reversed(path)) if name), "")
        if not name or type_name.lower() in _BOOLEAN:
            return None
        above = (field_name(segment) for segment in reversed(path[:-1]))
        holder = next((each for each in above if each and each != name and each.lower() not in _WRAPPERS), dataset)
        key = name, holder, doc or ""
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._of_name(words_of(name), holder) or self._of_documentation(doc or "")
        return self._known[key]

    def _of_name(self, name: tuple[str, ...], holder: str) -> Suggestion | None:
        for start, end in _spans(len(name)):
            kind = self.words.get("".join(name[start:end]))
            if kind is None:
                continue
            rest = frozenset((*name[:start], *name[end:]))
            if rest & kind.unless or (rest & self.other) - kind.but:
                continue
            if kind.near and not self._is_of_person(rest, holder):
                continue
            return Suggestion(kind.tag, f"{kind.kind}: its name has '{' '.join(name[start:end])}'")
        return None

    def _is_of_person(self, rest: Iterable[str], holder: str) -> bool:
        """Return whether a word of the name is a person's, or nothing else is in it and the holder is a person's."""
        others = [word for word in rest if word not in self.persons]
        return not others and (bool(frozenset(rest)) or any(word in self.persons for word in words_of(holder)))

    def _of_documentation(self, doc: str) -> Suggestion | None:
        words = words_of(doc)[:_SENTENCE]
        starts = {at for at, word in enumerate(words) if word in self.beginnings}
        for start, end in _spans(len(words)) if starts else ():
            tag = self.documentation.get("".join(words[start:end])) if start in starts else None
            if tag:
                return Suggestion(tag, f"its documentation has '{' '.join(words[start:end])}'")
        return None


_MOST_KNOWN = 200_000


def rule_document(text: str, where: str) -> str:
    """Return the rules of a TOML text as JSON, without comments; raises InputInvalid where it holds none.

    It has tables `rule` with `tag`, `kind` and `words`, and perhaps `documentation`, `persons` and `other`.
    """
    try:
        document = tomllib.loads(text)
        _rules((document,))
        return json.dumps({name: document[name] for name in _MEMBERS if name in document}, ensure_ascii=False)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        hint = "it has tables `rule` with `tag`, `kind` and `words`, and perhaps lists `persons` and `other`"
        raise InputInvalid(f"no rules can be read: {error!r}", where=where, hint=hint) from error


_MEMBERS = ("rule", "documentation", "persons", "other")


@lru_cache(maxsize=8)
def rules_of(documents: tuple[str, ...] = ()) -> TagRules:
    """Return the rules of *documents*, as `rule_document` returns them, before those that come with the program.

    A word has the meaning of the first document that has it.
    """
    bundled = files("scanner_model").joinpath("tag_rules.toml").read_text("utf-8")
    return _rules(tuple(map(json.loads, (*documents, rule_document(bundled, "tag_rules.toml")))))


@lru_cache(maxsize=1 << 16)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without accents and digits: `homeAddress_2` is home, address."""
    plain = "".join(sign for sign in normalize("NFKD", name.translate(_LETTERS)) if not combining(sign))
    return tuple(word.lower() for word in _WORD.findall(plain))


def _spans(count: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a name of *count* words, the longest first."""
    for length in range(min(_LONGEST, count), 0, -1):
        yield from ((start, start + length) for start in range(count - length + 1))


def _rules(documents: Sequence[Mapping[str, Any]]) -> TagRules:
    words: dict[str, _Kind] = {}
    documentation: dict[str, str] = {}
    for document in reversed(documents):
        for rule in document["rule"]:
            sets = (_set(rule.get(name, ())) for name in ("unless", "but"))
            kind = _Kind(_text(rule["tag"]), _text(rule["kind"]), bool(rule.get("near", False)), *sets)
            words |= dict.fromkeys(_set(rule["words"]), kind)
        for each in document.get("documentation", ()):
            documentation |= dict.fromkeys(_set(each["words"]), _text(each["tag"]))
    persons, other = (_set([word for one in documents for word in one.get(name, ())]) for name in ("persons", "other"))
    beginnings = frozenset(text[:end] for text in documentation for end in range(1, len(text) + 1))
    return TagRules(words, documentation, beginnings, persons, other)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"{value!r} is not a text")
    return value


def _set(words: Sequence[str]) -> frozenset[str]:
    if isinstance(words, str):
        raise TypeError(f"{words!r} is not a list")
    return frozenset(_together(_text(each)) for each in words)


def _together(words: str) -> str:
    return "".join(words.split())

"""Resolve a `oneOf` or `anyOf`: nothing, a merge, plain types, or branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from scanner_extractor.formats.json_schema.allof import Parts
from scanner_extractor.formats.json_schema.types import ANY, NULL, compatible

_OBJECTS = frozenset({"map", "object"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A branch: its schemas, its types (several where it is a plain union), and whether there is nothing inside it.

    *reference* is the text of the `$ref` that leads to it, empty without; *title* may be empty.
    """

    parts: Parts
    words: tuple[str, ...]
    plain: bool
    null: bool = False
    logical_type: str | None = None
    title: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """Types of the schema that holds the choice: *types* stated (empty: none), *word* also where implied."""

    types: tuple[str, ...]
    word: str
    has_inside: bool

    def covers(self, option: Option) -> bool:
        """Return whether *option* adds nothing: constraints such as `required`, or a type that is stated already."""
        if not option.plain:
            return False
        if self.types:
            return all(word == ANY or compatible((word,), self.types) for word in option.words)
        return self.has_inside and option.words in ((ANY,), (self.word,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a choice comes to. At most one of *solid*, *extra* and *branches* is there; all empty: it adds nothing.

    *solid*: there is no choice, these apply. *extra*: these apply to some values. *branches*: a union of these, of
    which no two are the same; *logical_type* is what refines all of them alike.
    """

    null: bool = False
    solid: Parts = ()
    extra: Parts = ()
    branches: tuple[Option, ...] = ()
    logical_type: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """List the types of a union that has only plain branches; empty for any other."""
        plain = all(option.plain for option in self.branches)
        return tuple(dict.fromkeys(word for option in self.branches for word in option.words)) if plain else ()


def decide(own: Own, options: Sequence[Option], *, same: bool = False) -> Outcome:
    """Decide what a choice among *options* comes to (*same*: if all are objects they are one object)."""
    null = any(option.null for option in options)
    real = [option for option in options if option.words != (NULL,)]
    if own.types:
        real = [option for option in real if compatible(option.words, own.types)]
    loud = [option for option in real if not own.covers(option)]
    parts = tuple(part for option in loud for part in option.parts)
    if _is_one(own, loud, same=same) or (len(loud) == 1 < len(real)):
        return Outcome(null=null, extra=parts)
    if len(loud) < 2:
        return Outcome(null=null, solid=parts)
    kinds = {option.logical_type for option in loud}
    return Outcome(null=null, branches=_distinct(loud), logical_type=kinds.pop() if len(kinds) == 1 else None)


def are_one_object(unions: Sequence[Outcome]) -> bool:
    """Return whether several unions that all apply are of objects only, so that together they describe one object."""
    options = (option for outcome in unions for option in outcome.branches)
    return len(unions) > 1 and all(set(option.words) <= _OBJECTS for option in options)


def as_extra(union: Outcome) -> Outcome:
    """Return the branches of a union as what applies to some values of one object."""
    return Outcome(extra=tuple(part for option in union.branches for part in option.parts))


def branch_names(options: Sequence[Option]) -> list[str]:
    """Name each branch by its title, else its type; those that collide by what their `$ref` names, else by number."""
    names = [option.title or (option.words[0] if len(option.words) == 1 else "union") for option in options]
    count = Counter(names)
    wanted = [
        (_last_name(option.reference) or name) if count[name] > 1 else name
        for name, option in zip(names, options, strict=True)
    ]
    taken: set[str] = set()
    last: Counter[str] = Counter()
    return [_free(name, taken, last) for name in wanted]


def _is_one(own: Own, options: Sequence[Option], *, same: bool) -> bool:
    words = {word for option in options for word in option.words}
    if own.has_inside and (words == {own.word} or (own.word in _OBJECTS and words <= _OBJECTS)):
        return bool(options)
    return same and len(options) > 1 and words <= _OBJECTS


def _distinct(options: Sequence[Option]) -> tuple[Option, ...]:
    """Keep one of branches that no name could distinguish: plain ones of the same type, and the same schema twice."""
    unique: dict[object, Option] = {}
    for option in options:
        same = (option.words, option.title) if option.plain else tuple(id(part.schema) for part in option.parts)
        unique.setdefault(same, option)
    return tuple(unique.values())


def _last_name(reference: str) -> str:
    address, _, fragment = reference.partition("#")
    last = (fragment or address).rpartition("/")[2]
    return unquote(last).replace("~1", "/").replace("~0", "~")


def _free(name: str, taken: set[str], last: Counter[str]) -> str:
    """Return *name*, with the next number after the *last* one of this name where it is taken."""
    free, number = name, max(last[name], 1)
    while free in taken:
        number += 1
        free = f"{name} {number}"
    taken.add(free)
    last[name] = number
    return free

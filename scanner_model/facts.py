"""How members of facts are declared, each once, with what the dictionary needs to store it; facts by their type.

A member of a stored fact is `Annotated` with a `Key` or a `Value`; from these derive the tables, the rows that are
written and compared, the facts that are read back, and docs/dictionary.md. Members without either are stored in tables
of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self, TypeVar

Pairs = tuple[tuple[str, str], ...]
"""Sorted (key, value) pairs, or (namespace, name) ones."""


@dataclass(frozen=True, slots=True)
class Value:
    """A member that is compared in every scan; *doc* says what it holds and what an empty value means.

    *long*: a text without a bound, which not every database can index. *column* is its name in the dictionary where
    that is another one. *mapping*: its (key, value) pairs are stored as a JSON object.
    """

    doc: str
    long: bool = False
    column: str = ""
    mapping: bool = False


class Key(Value):
    """A member that identifies the fact, with its other keys and its source, and so never changes."""

    __slots__ = ()


_Fact = TypeVar("_Fact")


@dataclass(frozen=True, kw_only=True)  # without slots: the facts by type are kept once they are read
class Facts:
    """Facts of any types, those of one type in a fixed order."""

    facts: tuple[Any, ...] = ()

    @cached_property
    def by_type(self) -> Mapping[type, tuple[Any, ...]]:
        """Return the facts of each type."""
        listed: dict[type, list[Any]] = {}
        for fact in self.facts:
            listed.setdefault(type(fact), []).append(fact)
        return {fact_type: tuple(facts) for fact_type, facts in listed.items()}

    def of(self, fact_type: type[_Fact]) -> tuple[_Fact, ...]:
        """Return the facts of a type; empty without any."""
        return self.by_type.get(fact_type, ())

    def with_facts(self, facts: Mapping[type, Iterable[Any]]) -> Self:
        """Return it with other facts of the types that *facts* has."""
        return replace(self, facts=tuple(chain.from_iterable({**self.by_type, **facts}.values())))

"""How members of facts are declared: each once, with what it holds and what the dictionary needs to store it.

A member of a stored fact is `Annotated` with a `Key` or a `Value`; from these derive the tables, the rows that are
written and compared, the facts that are read back, and docs/dictionary.md. Members without either are stored in tables
of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

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

"""What a Java pattern consists of, between its parser and its program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

CharTest = Callable[[str], bool]
PlaceTest = Callable[[str, int], bool]


class Greed(Enum):
    """Which of several lengths a repetition tries first."""

    GREEDY = ""
    LAZY = "?"
    POSSESSIVE = "+"


@dataclass(frozen=True, slots=True)
class Char:
    """One character that passes a test."""

    test: CharTest


@dataclass(frozen=True, slots=True)
class Place:
    """A place between characters that passes a test."""

    test: PlaceTest


@dataclass(frozen=True, slots=True)
class Sequence:
    """One node after the other; none at all is the empty pattern."""

    items: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of the options that leads to a match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A node *least* to *most* times; *most* None is without end."""

    node: Node
    least: int
    most: int | None
    greed: Greed


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group."""

    node: Node
    number: int


@dataclass(frozen=True, slots=True)
class Look:
    """A node that must (not) match from here on, or up to here, and takes nothing."""

    node: Node
    ahead: bool
    wanted: bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """A node whose first match is final."""

    node: Node


Node = Char | Place | Sequence | Choice | Repeat | Group | Look | Atomic

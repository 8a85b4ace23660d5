"""Nodes as a program, and the machine that runs it: it never visits a step at a place twice, so it cannot run away."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from dataflow_generator.connectors.java_regex.nodes import (
    Atomic,
    Char,
    CharTest,
    Choice,
    Greed,
    Group,
    Look,
    Node,
    Place,
    PlaceTest,
    Repeat,
    Sequence,
)

LARGEST = 3000
"""Steps of a program; only counted repetitions reach them."""

MOST_STEPS = 400_000
"""Steps of one run, which nested look-arounds could otherwise multiply."""


class TooLarge(Exception):
    """Say that a pattern is beyond what we evaluate; `java_regex` turns it into an error of ours."""


class _Op(Enum):
    CHAR = auto()
    PLACE = auto()
    SPLIT = auto()
    JUMP = auto()
    SAVE = auto()
    INNER = auto()
    MATCH = auto()


@dataclass(slots=True)
class _Step:
    op: _Op
    test: CharTest | None = None
    place: PlaceTest | None = None
    first: int = 0
    second: int = 0
    inner: Program | None = None
    look: Look | None = None


@dataclass(slots=True)
class Program:
    """Steps to match one node; a slot pair a group, start and end."""

    steps: list[_Step] = field(default_factory=list)
    left: int = LARGEST

    @classmethod
    def of(cls, node: Node, left: int = LARGEST) -> Program:
        """Make the program of *node*, at most *left* steps long; raises TooLarge."""
        program = cls(left=left)
        program._compile(node)
        program._add(_Op.MATCH)
        return program

    def _add(self, op: _Op) -> _Step:
        if len(self.steps) >= self.left:
            raise TooLarge
        self.steps.append(_Step(op))
        return self.steps[-1]

    def _compile(self, node: Node) -> None:
        match node:
            case Char(test):
                self._add(_Op.CHAR).test = test
            case Place(place):
                self._add(_Op.PLACE).place = place
            case Sequence(items):
                for item in items:
                    self._compile(item)
            case Choice(options):
                self._choice(options)
            case Group():
                self._group(node)
            case Repeat():
                self._repeat(node)
            case Atomic(inner) | Look(inner):
                self._inner(inner, node if isinstance(node, Look) else None)

    def _group(self, node: Group) -> None:
        self._add(_Op.SAVE).first = 2 * node.number
        self._compile(node.node)
        self._add(_Op.SAVE).first = 2 * node.number + 1

    def _inner(self, node: Node, look: Look | None) -> None:
        step = self._add(_Op.INNER)
        step.inner = Program.of(node, self.left - len(self.steps))
        step.look = look
        self.left -= len(step.inner.steps)

    def _choice(self, options: tuple[Node, ...]) -> None:
        jumps = []
        for option in options[:-1]:
            split = self._add(_Op.SPLIT)
            split.first = len(self.steps)
            self._compile(option)
            jumps.append(self._add(_Op.JUMP))
            split.second = len(self.steps)
        self._compile(options[-1])
        for jump in jumps:
            jump.first = len(self.steps)

    def _repeat(self, node: Repeat) -> None:
        if node.greed is Greed.POSSESSIVE:
            self._inner(Repeat(node.node, node.least, node.most, Greed.GREEDY), None)
            return
        for _ in range(node.least):
            before = len(self.steps)
            self._compile(node.node)
            if len(self.steps) == before:
                return  # nothing is the same however often it stands there
        if node.most is None:
            split = self._split()
            start = len(self.steps) - 1
            self._compile(node.node)
            self._add(_Op.JUMP).first = start
            self._enter(split, start + 1, len(self.steps), node.greed)
            return
        splits = []
        for _ in range(node.most - node.least):
            splits.append((self._split(), len(self.steps)))
            self._compile(node.node)
        for split, body in splits:
            self._enter(split, body, len(self.steps), node.greed)

    def _split(self) -> _Step:
        return self._add(_Op.SPLIT)

    @staticmethod
    def _enter(split: _Step, body: int, after: int, greed: Greed) -> None:
        split.first, split.second = (after, body) if greed is Greed.LAZY else (body, after)


Slots = tuple[int, ...]


@dataclass(slots=True)
class Machine:
    """Runs programs over one text, and counts the steps of all of them."""

    text: str
    spent: int = 0

    def run(
        self, program: Program, start: int, slots: Slots, seen: set[tuple[int, int]], end: int | None
    ) -> Slots | None:
        """Match from *start*, up to *end* (None: up to anywhere); slots 0 and 1 tell where.

        *seen* are the (step, place) that are known to lead nowhere; it may be shared between starts. Raises TooLarge.
        """
        waiting = [(0, start, slots)]
        while waiting:
            number, at, slots = waiting.pop()
            while (number, at) not in seen:
                seen.add((number, at))
                step = program.steps[number]
                if step.op is _Op.MATCH and end in (None, at):
                    return (start, at, *slots[2:])
                if step.op is _Op.SPLIT:
                    waiting.append((step.second, at, slots))
                after = self._after(step, number, at, slots)
                if after is None:
                    break
                number, at, slots = after
        return None

    def _after(self, step: _Step, number: int, at: int, slots: Slots) -> tuple[int, int, Slots] | None:
        """Give the next step with its place and slots; None where this way ends."""
        self.spent += 1
        if self.spent > MOST_STEPS:
            raise TooLarge
        match step.op:
            case _Op.CHAR:
                fits = at < len(self.text) and step.test is not None and step.test(self.text[at])
                return (number + 1, at + 1, slots) if fits else None
            case _Op.PLACE:
                return (number + 1, at, slots) if step.place is not None and step.place(self.text, at) else None
            case _Op.SPLIT | _Op.JUMP:
                return step.first, at, slots
            case _Op.SAVE:
                return number + 1, at, _saved(slots, step.first, at)
            case _Op.INNER:
                found = self._inside(step, at, slots)
                return None if found is None else (number + 1, *found)
            case _:
                return None

    def _inside(self, step: _Step, at: int, slots: Slots) -> tuple[int, Slots] | None:
        assert step.inner
        look = step.look
        if look and not look.ahead:
            known: set[tuple[int, int]] = set()
            starts = range(at, -1, -1)
            found = next((one for s in starts if (one := self.run(step.inner, s, slots, known, at))), None)
        else:
            found = self.run(step.inner, at, slots, set(), None)
        if look:
            kept = found if look.wanted else slots if found is None else None
            return None if kept is None else (at, (slots[0], slots[1], *kept[2:]))
        return None if found is None else (found[1], (slots[0], slots[1], *found[2:]))


def _saved(slots: Slots, slot: int, at: int) -> Slots:
    return (*slots[:slot], at, *slots[slot + 1 :])

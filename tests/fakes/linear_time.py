"""Whether Python's `re`, which backtracks, takes linear time for a pattern: by the ambiguity of its automaton.

A search takes more than linear time if some word leads from a state to itself, from there to another state, and from
that one to itself (Weber and Seidl 1991): then the places where a match may begin, or a loop may end, multiply.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_COMMON = "aZ_09 \t\n\r-.\"'/\\:=,;(){}[]<>#$@*|é"
_MOST_STEPS = 60_000


class _Automaton:
    def __init__(self, pattern: str, flags: int, *, anchored: bool, whole: bool) -> None:
        tree = _parser.parse(pattern, flags)
        self.flags = tree.state.flags
        sets = [set(_COMMON)]
        self._collect(tree, sets[0])
        signs: dict[tuple[bool, ...], str] = {}
        leaves: list[Any] = []
        self._leaves(tree, leaves)
        for char in sorted(sets[0]):
            sign = (*(self._is_in(op, av, char) for op, av in leaves), bool(re.match(r"\w", char)), char == "\n")
            signs.setdefault(sign, char)
        self.chars = list(signs.values())
        self.all = frozenset(self.chars)
        self.nodes: list[tuple[Any, ...]] = []
        self.accept = self._add("accept")
        start = self._sequence(list(tree), self.accept)
        if not anchored:
            loop = self._add("char", self.all, None)
            start = self._add("split", (loop, start))
            self.nodes[loop] = ("char", self.all, start)
        self.start, self.whole = start, whole

    def _add(self, *node: Any) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _collect(self, tree: Any, chars: set[str]) -> None:
        for op, av in tree:
            if op in (ops.LITERAL, ops.NOT_LITERAL):
                chars |= {chr(av), chr(av).swapcase()[:1]}
            elif op is ops.IN:
                for kind, value in av:
                    if kind is ops.LITERAL:
                        chars.add(chr(value))
                    elif kind is ops.RANGE:
                        chars |= {chr(value[0]), chr(value[1])}
            for part in _parts(op, av):
                self._collect(part, chars)

    def _leaves(self, tree: Any, leaves: list[Any]) -> None:
        for op, av in tree:
            if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY):
                leaves.append((op, av))
            for part in _parts(op, av):
                self._leaves(part, leaves)

    def _is_in(self, op: Any, av: Any, char: str) -> bool:
        same = {char, char.lower(), char.upper()} if self.flags & re.IGNORECASE else {char}
        if op is ops.ANY:
            return bool(self.flags & re.DOTALL) or char != "\n"
        if op is ops.LITERAL:
            return chr(av) in same
        if op is ops.NOT_LITERAL:
            return chr(av) not in same
        negated, found = False, False
        for kind, value in av:
            if kind is ops.NEGATE:
                negated = True
            elif kind is ops.LITERAL:
                found |= chr(value) in same
            elif kind is ops.RANGE:
                found |= any(value[0] <= ord(one) <= value[1] for one in same if len(one) == 1)
            elif kind is ops.CATEGORY:
                name = str(value).rpartition("_")[2]
                hit = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": lambda c: c.isalnum() or c == "_"}[name](
                    char
                )
                found |= hit != ("NOT" in str(value))
        return found != negated

    def _mask(self, op: Any, av: Any) -> frozenset[str]:
        return frozenset(char for char in self.chars if self._is_in(op, av, char))

    def _single(self, tree: Any) -> frozenset[str] | None:
        """Return the characters of a part that is exactly one character; None for any other part."""
        items = list(tree)
        if len(items) != 1:
            return None
        op, av = items[0]
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY):
            return self._mask(op, av)
        if op is ops.SUBPATTERN:
            return self._single(av[3])
        if op is ops.BRANCH:
            masks = [self._single(branch) for branch in av[1]]
            return None if None in masks else frozenset().union(*(mask for mask in masks if mask))
        return None

    def _sequence(self, items: list[Any], after: int) -> int:
        for op, av in reversed(items):
            after = self._item(op, av, after)
        return after

    def _item(self, op: Any, av: Any, after: int) -> int:
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY):
            return self._add("char", self._mask(op, av), after)
        if op is ops.SUBPATTERN:
            return self._sequence(list(av[3]), after)
        if op is ops.BRANCH:
            return self._add("split", tuple(self._sequence(list(branch), after) for branch in av[1]))
        if op is ops.ATOMIC_GROUP:
            return self._sequence(list(av), after)
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            return self._repeat(op, av, after)
        if op is ops.AT:
            return self._add("at", str(av), after)
        if op in (ops.ASSERT, ops.ASSERT_NOT):
            mask = self._single(av[1])
            if mask is None:
                return after
            allowed = mask if op is ops.ASSERT else self.all - mask
            return self._add("before" if av[0] < 0 else "next", allowed, after, op is ops.ASSERT_NOT)
        return after

    def _repeat(self, op: Any, av: Any, after: int) -> int:
        low, high, body = av
        items = list(body)
        if high is ops.MAXREPEAT:
            mask = self._single(body) if op is ops.POSSESSIVE_REPEAT else None
            out = after if mask is None else self._add("next", self.all - mask, after, True)
            loop = self._add("split", ())
            inside = self._sequence(items, loop)
            self.nodes[loop] = ("split", (inside, out))
            entry = loop
        else:
            entry = after
            for _ in range(min(high - low, 2)):
                entry = self._add("split", (self._sequence(items, entry), after))
        for _ in range(min(low, 2)):
            entry = self._sequence(items, entry)
        return entry

    def closure(self, node: int, prev: str | None) -> tuple[dict[tuple[int, frozenset[str]], int], bool]:
        """Return the states behind *node*, each with how many ways lead to it, and whether the match may end there."""
        found: dict[tuple[int, frozenset[str]], int] = {}
        ends = False
        waiting: list[tuple[int, frozenset[str], bool, frozenset[int]]] = [(node, self.all, True, frozenset())]
        steps = 0
        while waiting and steps < 5_000:
            steps += 1
            at, allowed, is_free, seen = waiting.pop()
            if at in seen:
                continue
            kind, *rest = self.nodes[at]
            if kind == "accept":
                ends |= is_free
            elif kind == "char":
                if mask := rest[0] & allowed:
                    found[at, mask] = found.get((at, mask), 0) + 1
            elif kind == "split":
                waiting += [(part, allowed, is_free, seen | {at}) for part in rest[0]]
            else:
                narrowed, free = self._narrowed(kind, rest, prev, allowed)
                if narrowed is not None:
                    waiting.append((rest[1], narrowed, is_free and free, seen | {at}))
        return found, ends and not self.whole

    def _narrowed(self, kind: str, rest: list[Any], prev: str | None, allowed: Any) -> tuple[Any, bool]:
        if kind == "next":
            return allowed & rest[0], False
        if kind == "before":
            return (allowed, True) if (rest[2] if prev is None else prev in rest[0]) else (None, False)
        name = rest[0]
        word = frozenset(char for char in self.chars if char.isalnum() or char == "_")
        if name.endswith("BEGINNING_STRING") or (name.endswith("AT_BEGINNING") and not self.flags & re.MULTILINE):
            return (allowed, True) if prev is None else (None, False)
        if "BEGINNING" in name:
            return (allowed, True) if prev in (None, "\n") else (None, False)
        if "BOUNDARY" in name:
            inside = prev is not None and prev in word
            outside = (self.all - word) if inside else word
            return allowed & (self.all - outside if "NON" in name else outside), False
        return allowed & {"\n"}, False


def _parts(op: Any, av: Any) -> Iterator[Any]:
    if op is ops.SUBPATTERN:
        yield av[3]
    elif op is ops.BRANCH:
        yield from av[1]
    elif op is ops.ATOMIC_GROUP:
        yield av
    elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        yield av[2]
    elif op in (ops.ASSERT, ops.ASSERT_NOT):
        yield av[1]


def is_linear(pattern: str, flags: int = 0, *, anchored: bool = False, whole: bool = False) -> bool:
    """Return whether every text takes linear time; *anchored*: it is only matched at one place, *whole*: to the end."""
    return next(witnesses(pattern, flags, anchored=anchored, whole=whole), None) is None


def witnesses(
    pattern: str, flags: int = 0, *, anchored: bool = False, whole: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield texts whose repetition may take more than linear time, each with what comes before it."""
    automaton = _Automaton(pattern, flags, anchored=anchored, whole=whole)
    graph: dict[Any, dict[str, set[Any]]] = {}
    doubled: set[tuple[Any, Any]] = set()
    initial, _ = automaton.closure(automaton.start, None)
    waiting = list(initial)
    ways = dict.fromkeys(initial, "")
    while waiting:
        state = waiting.pop()
        if state in graph:
            continue
        graph[state] = {}
        for char in state[1]:
            found, ends = automaton.closure(automaton.nodes[state[0]][2], char)
            if ends:  # behind this the match cannot fail
                found = {}
            graph[state][char] = set(found)
            doubled |= {(state, target) for target, count in found.items() if count > 1}
            for target in found:
                ways.setdefault(target, ways[state] + char)
            waiting += found
    parts = _components(graph)
    cyclic = {
        state for state in graph if any(parts.get(state) == parts.get(to) for t in graph[state].values() for to in t)
    }
    for a, b in doubled:
        if a in cyclic and parts[a] == parts[b]:
            yield ways[a], next(char for char, targets in graph[a].items() if b in targets)
    for p in cyclic:
        for q in cyclic:
            if p != q and (word := _multiplies(graph, parts, p, q)) is not None:
                yield ways[p], word


def _components(graph: dict[Any, dict[str, set[Any]]]) -> dict[Any, int]:
    edges = {state: {to for targets in by_char.values() for to in targets} for state, by_char in graph.items()}
    backward: dict[Any, set[Any]] = {state: set() for state in graph}
    for state, targets in edges.items():
        for target in targets:
            backward[target].add(state)
    order, seen = [], set()
    for root in graph:
        stack = [(root, iter(edges[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            state, rest = stack[-1]
            following = next((to for to in rest if to not in seen), None)
            if following is None:
                order.append(stack.pop()[0])
            else:
                seen.add(following)
                stack.append((following, iter(edges[following])))
    parts: dict[Any, int] = {}
    for root in reversed(order):
        waiting = [root]
        while waiting:
            state = waiting.pop()
            if state not in parts:
                parts[state] = len(set(parts.values())) if state is root else parts[root]
                waiting += [to for to in backward[state] if to not in parts]
    return parts


def _multiplies(graph: Any, parts: Any, p: Any, q: Any) -> str | None:
    """Return a word from *p* to itself, from *p* to *q*, and from *q* to itself; None without one."""
    waiting, seen = deque([((p, p, q), "")]), {(p, p, q)}
    while waiting and len(seen) < _MOST_STEPS:
        (a, b, c), word = waiting.popleft()
        for char in graph[a].keys() & graph[b].keys() & graph[c].keys():
            firsts = [to for to in graph[a][char] if parts[to] == parts[p]]
            lasts = [to for to in graph[c][char] if parts[to] == parts[q]]
            for triple in ((first, middle, last) for first in firsts for middle in graph[b][char] for last in lasts):
                if triple == (p, q, q):
                    return word + char
                if triple not in seen:
                    seen.add(triple)
                    waiting.append((triple, word + char))
    return None if len(seen) < _MOST_STEPS else ""

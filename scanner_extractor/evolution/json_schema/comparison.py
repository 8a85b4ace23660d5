"""Compares two JSON Schemas pair by pair, each pair once: branches of combinations, keywords that limit values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

from scanner_extractor.evolution.differences import Difference, Effort, undecided
from scanner_extractor.evolution.json_schema.contents import Contents
from scanner_extractor.evolution.json_schema.nodes import ANY, FALSE, UNKNOWN, Node

Pair = tuple[Node, Node]
Found = tuple[Difference, ...]

REPEATED = "REPEATED"
"""The rule of a difference that stands for those of a pair inside itself."""


class Comparison:
    """One pass over two schemas. Paths are relative to the pair.

    *accepted* are rules that may be broken. *differing* are the pairs that an earlier pass found to differ, and whether
    they certainly do. *found* has what each pair differs in; *assumed*: a pair inside itself was taken to agree.
    """

    def __init__(
        self, accepted: frozenset[str], effort: Effort, differing: Mapping[tuple[object, object], bool]
    ) -> None:
        self.found: dict[Pair, Found] = {}
        self.assumed = False
        self._accepted = accepted
        self._effort = effort
        self._differing = differing
        self._tested: dict[Pair, Found] = {}
        self._open: set[Pair] = set()
        self._contents = Contents(self.compare, effort)

    @property
    def differing(self) -> dict[tuple[object, object], bool]:
        """Return the pairs that differ, and whether they certainly do."""
        return {pair: _is_certain(found) for pair, found in (self._tested | self.found).items() if found}

    def compare(self, old: Node, new: Node) -> Found:
        """Return what *old* allows and *new* does not; of a pair that was compared before, one difference."""
        pair = (old, new)
        if pair in self.found:
            self._effort.spend(1)
            return _most_telling(self.found[pair])
        found = self._differences(pair, until_certain=False)
        if pair not in self._open:
            self.found[pair] = found
        return found

    def _test(self, old: Node, new: Node) -> Found:
        """Return one difference of a pair, a certain one if there is any; empty where *new* allows what *old* does."""
        pair = (old, new)
        if pair in self.found or pair in self._tested:
            self._effort.spend(1)
            return _most_telling(self.found.get(pair) or self._tested.get(pair, ()))
        found = self._differences(pair, until_certain=True)
        if pair not in self._open:
            self._tested[pair] = found
        return found

    def _differences(self, pair: Pair, *, until_certain: bool) -> Found:
        # A loop and few functions: each level of the schemas takes as many frames of Python's stack.
        old, new = pair
        if pair in self._open:
            return self._inside_itself(pair)
        self._effort.spend(1 + (old.size + new.size) // _PER_STEP)
        self._open.add(pair)
        found: list[Difference] = []
        for difference in self._pair(old, new):
            if difference.rule not in self._accepted:
                found.append(difference)
                if until_certain and difference.certain:
                    found = [difference]
                    break
        self._open.remove(pair)
        return tuple(found)

    def _inside_itself(self, pair: Pair) -> Found:
        if pair not in self._differing:
            self.assumed = True
            return ()
        return (Difference((), REPEATED, "it differs as the schema around it", certain=self._differing[pair]),)

    def _pair(self, old: Node, new: Node) -> Iterable[Difference]:
        for node in (old, new):
            if node.kind == UNKNOWN:
                references = {word: node.body[word] for word in node.body if word.endswith(("ref", "Ref"))}
                return (undecided(f"{references} is dynamic, or leads to no text that is known"),)
        decided = self._decided_by_one(old, new)
        if decided is not None:
            return decided
        if old.is_combined and new.is_combined:
            return self._combined(old, new)
        if old.kind != new.kind:
            reads = old.kind == FALSE or new.kind == ANY or (old.bytes and new.bytes)
            return () if reads else (Difference((), "TYPE_CHANGED", f"{old.kind} is not {new.kind}"),)
        match old.kind:
            case "object":
                return chain(compare_values(old, new), self._contents.objects(old, new))
            case "array":
                return chain(compare_values(old, new), self._contents.arrays(old, new))
            case "not":
                return self._not(old, new)
            case "reference":
                # The registry does not look behind a reference to a reference: it finds no difference.
                return _doubted(self._test(old.behind, new.behind))
        return compare_values(old, new)

    def _not(self, old: Node, new: Node) -> Found:
        found = self._test(new.inner(new.body["not"]), old.inner(old.body["not"]))
        return (Difference((), "NOT_TYPE_EXTENDED", "the reader refuses more values"),) if _is_certain(found) else found

    def _decided_by_one(self, old: Node, new: Node) -> Found | None:
        """Return what one branch decides: of a choice on the new side, of a conjunction on the old; None if none does.

        The differences are those of the first branch that may decide, empty where one does.
        """
        doubtful: Found | None = None
        for ours, theirs in _alternatives(old, new):
            found = self._test(ours, theirs)
            if not found:
                return ()
            if doubtful is None and not _is_certain(found):
                doubtful = found
        return doubtful

    def _combined(self, old: Node, new: Node) -> Iterator[Difference]:
        if not _criteria_allow(old, new):
            yield Difference((), "COMBINED_TYPE_CHANGED", f"{old.kind} is not {new.kind}")
            return
        theirs, ours = old.distinct, new.distinct
        if len(theirs) < len(ours) and new.kind == "allOf":
            yield Difference((), "PRODUCT_TYPE_EXTENDED", "more is demanded of each value")
        if len(theirs) > len(ours) and old.kind != "allOf":
            yield Difference((), "SUM_TYPE_NARROWED", "a branch was removed")
        answers = [[self._test(before, after) for after in ours] for before in theirs]
        needed = min(len(theirs), len(ours))
        if self._matched(answers, lambda found: not found) >= needed:
            return
        if self._matched(answers, lambda found: not _is_certain(found)) < needed:
            yield Difference((), "COMBINED_TYPE_SUBSCHEMAS_CHANGED", "the branches, or the values of an enum, differ")
        else:
            yield from _doubted(next(found for row in answers for found in row if found))

    def _matched(self, answers: Sequence[Sequence[Found]], agrees: Callable[[Found], bool]) -> int:
        """Count how many branches can be paired so that the new one of each pair allows the old one."""
        allowed = [[index for index, found in enumerate(row) if agrees(found)] for row in answers]
        partner: dict[int, int] = {}

        def find(index: int, tried: set[int]) -> bool:
            self._effort.spend(1)
            for candidate in allowed[index]:
                if candidate not in tried:
                    tried.add(candidate)
                    if candidate not in partner or find(partner[candidate], tried):
                        partner[candidate] = index
                        return True
            return False

        return sum(find(index, set()) for index in range(len(answers)))


_PER_STEP = 10
"""Members of a schema that are compared in the time of one pair."""


def _alternatives(old: Node, new: Node) -> Iterator[Pair]:
    """Yield the pairs to choose from if only one side combines schemas."""
    if new.is_combined and not old.is_combined and (len(new.parts) == 1 or new.kind != "allOf"):
        yield from ((old.behind, part) for part in new.parts)
    elif old.is_combined and not new.is_combined and (len(old.parts) == 1 or old.kind == "allOf"):
        yield from ((part, new.behind) for part in old.parts)


def _criteria_allow(old: Node, new: Node) -> bool:
    single, was_single = len(new.parts) == 1, len(old.parts) == 1
    if old.kind == new.kind or new.kind == "anyOf":
        return True
    return (single and was_single) or (was_single and new.kind == "oneOf") or (single and old.kind == "allOf")


def _is_certain(found: Found) -> bool:
    return any(difference.certain for difference in found)


def _doubted(found: Iterable[Difference]) -> Found:
    return tuple(replace(difference, certain=False) for difference in found)


def _most_telling(found: Found) -> Found:
    return tuple(sorted(found, key=lambda difference: (not difference.certain, difference.rule == REPEATED))[:1])


Json = Any

_BOUNDS = (
    *(("maxLength", "MAX_LENGTH", 1), ("minLength", "MIN_LENGTH", -1), ("maximum", "MAXIMUM", 1)),
    *(("minimum", "MINIMUM", -1), ("exclusiveMaximum", "EXCLUSIVE_MAXIMUM", 1)),
    *(("exclusiveMinimum", "EXCLUSIVE_MINIMUM", -1), ("maxProperties", "MAX_PROPERTIES", 1)),
    *(("minProperties", "MIN_PROPERTIES", -1), ("maxItems", "MAX_ITEMS", 1), ("minItems", "MIN_ITEMS", -1)),
    *(("maxContains", "MAX_CONTAINS", 1), ("minContains", "MIN_CONTAINS", -1)),
)
"""Keyword, the registry's word, and 1 where a larger value allows more."""


def compare_values(old: Node, new: Node) -> Iterator[Difference]:
    """Yield which values *old* allows and *new* does not; both are of one kind."""
    before, after = old.body, new.body
    if old.kind == "enum":
        yield from _enum(before.get("enum"), after.get("enum"))
    elif old.kind == "const" and _text(before["const"]) != _text(after["const"]):
        yield Difference((), "ENUM_ARRAY_CHANGED", "the constant differs")
    elif old.kind == "number" and after.get("type") == "integer" and before.get("type") != "integer":
        yield Difference((), "TYPE_NARROWED", "a number is not an integer")
    for keyword, word, direction in _BOUNDS:
        yield from _bound(before.get(keyword), after.get(keyword), word, direction)
    yield from _multiple(before.get("multipleOf"), after.get("multipleOf"))
    if "pattern" in after and before.get("pattern") != after["pattern"]:
        yield Difference((), f"PATTERN_{'CHANGED' if 'pattern' in before else 'ADDED'}", "the pattern differs")


def _enum(before: Json, after: Json) -> Iterator[Difference]:
    known = set(map(_text, after)) if isinstance(after, list) else set()
    missing = [value for value in before if _text(value) not in known] if isinstance(before, list) else []
    if missing:
        yield Difference((), "ENUM_ARRAY_NARROWED", f"the reader lacks the values {_shown(missing)}")


def _bound(old: Json, new: Json, word: str, direction: int) -> Iterator[Difference]:
    if not _is_number(new):
        return
    if not _is_number(old):
        yield Difference((), f"{word}_ADDED", "the reader has a limit that data do not keep")
    elif (new - old) * direction < 0:
        yield Difference((), f"{word}_{'DECREASED' if direction > 0 else 'INCREASED'}", f"it was {old} and is {new}")


def _multiple(old: Json, new: Json) -> Iterator[Difference]:
    if not _is_number(new) or not new:
        return
    if not _is_number(old):
        yield Difference((), "MULTIPLE_OF_ADDED", "the reader has a limit that data do not keep")
        return
    before, after = Fraction(str(old)), Fraction(str(new))
    if before % after:
        word = "MULTIPLE_OF_EXPANDED" if before and not after % before else "MULTIPLE_OF_CHANGED"
        yield Difference((), word, f"it was {old} and is {new}")


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _shown(values: Sequence[Json]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:5])

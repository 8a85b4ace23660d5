"""What a scan changes: the rows of one kind that are stored, against those that are wanted. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

Key = tuple[Any, ...]


class Stored(NamedTuple):
    """A row as the dictionary has it; *gone* is the scan number that found it gone, None while it is there."""

    id: int
    values: tuple[Any, ...]
    source_id: int
    gone: int | None


class Wanted(NamedTuple):
    """A row as a scan wants it; *parents* are the columns that are set once."""

    key: Key
    source_id: int
    parents: tuple[Any, ...]
    values: tuple[Any, ...]


class Change(NamedTuple):
    """A stored row that a scan wants otherwise, or again."""

    stored: Stored
    wanted: Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do: *added*, *changed* and *gone* in the order of their keys, *seen* and *kept* are as they were.

    *changed* holds also rows that only another source tells now, and rows that return. *kept* could not be looked at.
    """

    added: list[Wanted] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    gone: list[tuple[Key, Stored]] = field(default_factory=list)
    seen: list[Stored] = field(default_factory=list)
    kept: list[Stored] = field(default_factory=list)

    def unseen(self, is_silent: Callable[[int], bool]) -> Plan:
        """Give the plan where unchanged rows of a silent source were kept, not seen."""
        seen = [old for old in self.seen if not is_silent(old.source_id)]
        kept = [old for old in self.seen if is_silent(old.source_id)]
        return replace(self, seen=seen, kept=[*self.kept, *kept])


def merge(
    stored: Mapping[Key, Stored], wanted: Iterable[Wanted], may_go: Callable[[Key, Stored], bool]
) -> tuple[Plan, frozenset[Key]]:
    """Compare; *may_go* tells whether a row that nobody names any more is proven to be gone.

    Of two wanted rows with one key the first counts; gives the plan, and the keys that were wanted twice.
    """
    named: dict[Key, Wanted] = {}
    twice: set[Key] = set()
    for row in wanted:
        if named.setdefault(row.key, row) is not row:
            twice.add(row.key)
    plan = Plan()
    for key in sorted(named, key=in_order):
        _place(plan, stored.get(key), named[key])
    for key, old in sorted(stored.items(), key=lambda item: in_order(item[0])):
        if key not in named and old.gone is None:
            if may_go(key, old):
                plan.gone.append((key, old))
            else:
                plan.kept.append(old)
    return plan, frozenset(twice)


def in_order(key: Key) -> tuple[Any, ...]:
    """Give what to sort *key* by, where a part may be None."""
    return tuple((part is not None, part) for part in key)


def _place(plan: Plan, old: Stored | None, new: Wanted) -> None:
    if old is None:
        plan.added.append(new)
    elif old.gone is None and old.values == new.values and old.source_id == new.source_id:
        plan.seen.append(old)
    else:
        plan.changed.append(Change(old, new))

"""The current schemas of topics' sides at two scans: which came, which went, which took another's place. No I/O."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from scanner_dictionary.diff.replay import Replayed, State

Line = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A definition that a topic's side has, by its key, and where it was registered."""

    source: str
    context: str
    subject: str
    version: int | None
    schema_id: str | None
    definition: int

    @property
    def order(self) -> tuple[Any, ...]:
        """Give what to sort it by."""
        return self.source, self.context, self.subject, self.version or 0, self.definition


@dataclass(frozen=True, slots=True)
class Swap:
    """One schema of a side and the one that took its place; None where it came or went."""

    topic: str
    role: str
    before: Linked | None
    after: Linked | None


@dataclass(slots=True)
class _Leftover:
    """Schemas of a side that are at one scan only."""

    old: list[Linked]
    new: list[Linked]

    def take(self, same: Callable[[Linked], Hashable]) -> Iterator[tuple[Linked, Linked]]:
        """Take out pairs that are the *same*; only where just one of the old and one of the new ones is."""
        for key in sorted({same(one) for one in self.old} & {same(one) for one in self.new}, key=repr):
            olds, news = ([one for one in ones if same(one) == key] for ones in (self.old, self.new))
            if len(olds) == len(news) == 1:
                self.old.remove(olds[0])
                self.new.remove(news[0])
                yield olds[0], news[0]


def swaps(links: Iterable[Replayed], record_of: Callable[[int], str]) -> tuple[Swap, ...]:
    """Pair the current schemas before and after, by topic and role.

    A newer version of a subject takes the place of the older one; so does a schema of the same record (*record_of*
    names a definition's) under another subject. The same definition under another subject is no change.
    """
    sides: dict[tuple[str, str], _Leftover] = defaultdict(lambda: _Leftover([], []))
    for link in links:
        topic, role, *_ = link.name
        sides[topic, role].old.extend(_current(link, link.before))
        sides[topic, role].new.extend(_current(link, link.after))
    found: list[Swap] = []
    for (topic, role), left in sorted(sides.items()):
        _drop_same(left)
        pairs = [*left.take(lambda one: (one.source, one.context, one.subject))]
        pairs += left.take(lambda one: record_of(one.definition) or repr(one))
        changed = [(old, new) for old, new in pairs if old.definition != new.definition]
        found += (Swap(topic, role, old, new) for old, new in sorted(changed, key=lambda pair: pair[1].order))
        found += (Swap(topic, role, old, None) for old in sorted(left.old, key=lambda one: one.order))
        found += (Swap(topic, role, None, new) for new in sorted(left.new, key=lambda one: one.order))
    return tuple(found)


def _drop_same(left: _Leftover) -> None:
    """Leave out what both scans have, under whatever subject and version."""
    both = {one.definition for one in left.old} & {one.definition for one in left.new}
    left.old = [one for one in left.old if one.definition not in both]
    left.new = [one for one in left.new if one.definition not in both]


def _current(link: Replayed, state: State | None) -> Iterator[Linked]:
    """Give the definition that the link has while it is current."""
    if state is not None and state.get("is_current"):
        _, _, source, context, subject, version, _ = link.name
        yield Linked(
            source=source,
            context=context,
            subject=subject,
            version=version,
            schema_id=state.get("schema_id"),
            definition=state["definition_id"],
        )

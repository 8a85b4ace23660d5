"""What a push consists of: resources with the state that we want, calls, changes, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from dataflow_generator.openlineage.redaction import canonical
from scanner_api.push.contents import GraphContents
from scanner_extractor.settings.push import IdentityRow
from scanner_model.errors import ScannerError, ServerFailed, SourceUnreachable
from scanner_model.payload import Payload

T = TypeVar("T")
R = TypeVar("R")
Json = Any
State = Mapping[str, Json]
"""The members of a resource that a push may write, such as the aspects of an entity; None stands for no resource."""
Check = Callable[[Payload], object]
"""Raises PayloadUnexpected for an answer without the members that the catalog's own answers have."""

_MOST_FAILED = 8
"""So many resources side by side that a server fails to answer for: it is the server, not the resource."""


class Ref(NamedTuple):
    """A resource of a catalog: *kind* is the catalog's own word, *key* its name there."""

    kind: str
    key: str


class Item(NamedTuple):
    """A resource as the graph implies it."""

    ref: Ref
    state: State


def has(*names: str) -> Check:
    """Return the check that an answer has all of *names*."""
    return lambda answer: [answer.need(name) for name in names]


def proves_nothing(answer: Payload) -> None:
    """Raise PayloadUnexpected: the check of a write whose documented answer is empty, so that its result is read."""
    raise answer.error("does not show whether the catalog accepted the request")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request; *path* are its segments below the catalog's address, *content* is the type of the body.

    *check* judges the answer: a status of 200 alone may come from a proxy. *ends_later*: the catalog finishes the
    request after its answer.
    """

    method: str
    path: tuple[str, ...]
    params: tuple[tuple[str, str], ...] = ()
    body: Json = None
    content: str = "application/json"
    check: Check = field(default=proves_nothing, repr=False, compare=False)
    ends_later: bool = False

    @property
    def shown(self) -> str:
        """Return the method and the path for people."""
        query = "&".join(f"{name}={value}" for name, value in self.params)
        return f"{self.method} /{'/'.join(self.path)}" + (f"?{query}" if query else "")


class Change(NamedTuple):
    """A resource as it is in the catalog (*live*) and as it is to be (*wanted*); None: it is absent, or removed."""

    ref: Ref
    live: State | None
    wanted: State | None


class Batch(NamedTuple):
    """Calls, in their order, that make *changes*."""

    calls: tuple[Call, ...]
    changes: tuple[Change, ...]


class Action(StrEnum):
    """What a step does to a resource."""

    CREATE = "create"
    CHANGE = "change"
    REMOVE = "remove"


def action_of(change: Change) -> Action:
    """Return what a change does."""
    if change.live is None:
        return Action.CREATE
    return Action.REMOVE if change.wanted is None else Action.CHANGE


class Skipped(NamedTuple):
    """What the catalog does not get, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What a catalog refused, and why."""

    kind: str
    name: str
    reason: str


def refusal_of(ref: Ref, error: ScannerError) -> Refusal:
    """Return that a resource was refused with an error."""
    return Refusal(kind=ref.kind, name=ref.key, reason=str(error))


class Explained(NamedTuple):
    """How a dataset or job is named in the catalog, the row of identity that decided (None: defaults), and notes."""

    name: str
    row: IdentityRow | None
    notes: tuple[str, ...] = ()


class Reader(Protocol):
    """Sends calls that only read."""

    def read(self, calls: Sequence[Call]) -> Iterator[Json | None]:
        """Yield the answer of each call in order, None where nothing is there; raises ScannerError."""
        ...


class Target(Protocol):
    """A catalog: the resources that a graph implies, how their states are read, and the calls that change them.

    *shared* are members whose value is a list of elements by several writers: only our elements are changed. *fixed*
    are members without which a resource cannot exist, and *forced* those that we write over others' values.
    *receipt* is the member of an answer by which a catalog removes what it cannot read back; empty where it can.
    """

    shared: frozenset[str]
    fixed: frozenset[str]
    forced: frozenset[str]
    receipt: str

    def stages(self, contents: GraphContents, reader: Reader) -> Iterator[Iterator[Item | Skipped | Refusal]]:
        """Yield the resources of *contents* by kind, those that others refer to first.

        A refusal is a resource that the server fails to answer for. A stage is read after the one before it was
        written: it may read what that created.
        """
        ...

    def states(self, refs: Sequence[Ref], reader: Reader) -> Iterator[State | None]:
        """Yield the current state of each of *refs*, which are of one kind."""
        ...

    def relations(self, refs: Sequence[Ref], reader: Reader) -> Iterator[Sequence[Ref]]:
        """Yield the resources that would vanish with each of *refs*, ours and those of others; none of other kinds."""
        ...

    def batches(self, changes: Sequence[Change], run: int) -> Iterable[Batch]:
        """Yield the calls for *changes*, which are of one kind and independent of each other."""
        ...

    def explain(self, namespace: str, name: str) -> Explained:
        """Return how a dataset is named there."""
        ...


class Merge(NamedTuple):
    """The result of `merge`: the state to write, what of it is ours, and what `merge` gets to take it back."""

    wanted: State | None
    ours: State | None
    restore: State | None


def merge(
    base: State | None,
    live: State | None,
    mine: State | None,
    target: Target,
    *,
    created: bool,
    forced: frozenset[str] = frozenset(),
) -> Merge:
    """Merge what we want (*mine*) into what is there (*live*), where *base* is what we wrote before.

    A member that is there and not ours stays, and so does one of ours that was changed since; members
    of *forced* are written over. *created*: we created the resource, and remove it where nothing of others is left.
    """
    if live is None:
        return Merge(mine, mine, None)
    base, new = base or {}, mine or {}
    wanted: dict[str, Json] = dict(live)
    ours: dict[str, Json] = {}
    restore: dict[str, Json] = {}
    for name in dict.fromkeys((*base, *new)):
        if name in target.shared:
            before, now, stored = (list(state.get(name, ())) for state in (base, new, live))
            added = [entry for entry in now if entry not in stored]
            kept = [entry for entry in stored if entry not in before or entry in now]
            _put(wanted, name, kept + added)
            _put(ours, name, [entry for entry in now if entry in added or entry in before])
            _put(restore, name, [entry for entry in stored if entry in before])
        elif name not in live or name in forced & new.keys() or (name in base and contains(live[name], base[name])):
            _put(wanted, name, new.get(name))
            _put(ours, name, new.get(name))
            _put(restore, name, live.get(name))
    if mine is None and created and not wanted.keys() - target.fixed:
        return Merge(None, None, dict(live))
    if mine is None:
        kept_fixed = {name: live[name] for name in target.fixed & live.keys()}
        return Merge({**wanted, **kept_fixed}, None, restore)
    return Merge(wanted, ours, restore)


def probable_base(ours: State | None, before: State | None, live: State, target: Target) -> State:
    """Return what of *live* is ours after a write of *ours* over our *before* that may not have reached the catalog."""
    new, old = ours or {}, before or {}
    base: dict[str, Json] = {}
    for name in dict.fromkeys((*new, *old)):
        if name in target.shared:
            base[name] = [*new.get(name, ()), *(entry for entry in old.get(name, ()) if entry not in new.get(name, ()))]
        else:
            is_old = name in old and contains(live.get(name), old[name])
            base[name] = old[name] if is_old or name not in new else new[name]
    return base


def contains(stored: Json, written: Json) -> bool:
    """Return whether *stored* is what was *written*, with members that a server may have added."""
    match stored, written:
        case dict(), dict():
            return all(name in stored and contains(stored[name], value) for name, value in written.items())
        case list(), list():
            return len(stored) == len(written) and all(map(contains, stored, written))
        case _:
            return bool(stored == written)


def no_relations(refs: Sequence[Ref], reader: Reader) -> Iterator[Sequence[Ref]]:
    """Yield nothing for each of *refs*: the relations of a target whose resources are removed alone."""
    del reader
    yield from (() for _ in refs)


def readable(names: Sequence[T], read: Callable[[Sequence[T]], Iterable[R]]) -> list[tuple[T, R | ServerFailed]]:
    """Return what *read* returns for each of *names*, or the error for one that the server fails to answer each time.

    Raises SourceUnreachable where it fails for several in a row and for no other.
    """
    try:
        return list(zip(names, read(names), strict=True))
    except ServerFailed as error:
        if len(names) == 1:
            return [(names[0], error)]
        middle = len(names) // 2
        found = [*readable(names[:middle], read), *readable(names[middle:], read)]
        if len(found) >= _MOST_FAILED and all(isinstance(answer, ServerFailed) for _, answer in found):
            raise SourceUnreachable(error.what, where=error.where, hint=error.hint) from error
        return found


def _put(state: dict[str, Json], name: str, value: Json) -> None:
    """Set a member; an empty value removes it."""
    if value is None or value in ([], {}):
        state.pop(name, None)
    else:
        state[name] = value


def is_same(live: State | None, wanted: State | None) -> bool:
    """Return whether there is nothing to write."""
    if live is None or wanted is None:
        return live is wanted
    return live.keys() == wanted.keys() and contains(live, wanted)


def text_of(state: State | None) -> str | None:
    """Return a state as JSON, the same text for the same state; None for none."""
    return None if state is None else canonical(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a plan."""

    action: Action
    kind: str
    name: str


@dataclass(slots=True, kw_only=True)
class PushResult:
    """What became of a push, an undo or a plan.

    *run* is the number to undo it by, None where nothing was written. *counts* are resources by action, *unchanged*
    those that needed no request. *steps* and *requests* are those of a plan; a push does not keep them. *unsent*
    resources were not tried because of *stopped*. *note* is what the target was tried with, for a first push.
    """

    target: str
    note: str = ""
    run: int | None = None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Action, 0))
    unchanged: int = 0
    unsent: int = 0
    steps: list[Step] = field(default_factory=list)
    requests: list[Call] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    stopped: ScannerError | None = None

    @property
    def written(self) -> int:
        """Return the number of resources that were, or would be, created, changed or removed."""
        return sum(self.counts.values())

    @property
    def is_partial(self) -> bool:
        """Return whether something was refused or not sent."""
        return bool(self.refused or self.stopped)

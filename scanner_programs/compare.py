"""Compare what two versions of a program send: what a reader of a topic would see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scanner_programs.endpoints import Contract, Endpoints
from scanner_programs.residue import ORDER, WAY
from scanner_programs.shapes import Part
from scanner_programs.values import CUT, without_cuts

_ABSENT = "absent"
_LONGEST = 120
_BEFORE = 40


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs in what is sent: *aspect* of it, the field, and both texts.

    *topics* are the names that its topic had, as far as they are known. *certain* says that both sides were followed;
    without it something may differ, and nothing more is known. *view* is the function that sees it.
    """

    aspect: str
    topics: tuple[str, ...]
    place: tuple[str, int]
    certain: bool
    field: str = ""
    before: str = ""
    after: str = ""
    view: str = ""
    method: str = ""

    @property
    def what(self) -> tuple[str, str, str, str]:
        """Return what differs, without where."""
        return self.aspect, self.field, self.before, self.after


def compare(before: Endpoints, after: Endpoints) -> list[Difference]:
    """Return what differs in what two versions of a program send; further fields and topics are no difference."""
    found = list(_contracts(before.contracts, after.contracts, is_whole=not after.is_cut))
    found += (_of_stored(one) for one in _contracts(before.kept, after.kept, is_whole=False))
    found += _unstarted(before, after)
    code = list(_texts(before, after, "code", before.loose, after.loose))
    if before.is_opaque or after.is_opaque:
        near = {name for name in before.near | after.near if not _is_same(name, before.residue, after.residue)}
        old, new = ({name: one.residue[name] for name in near if name in one.residue} for one in (before, after))
        code = [one for one in code if not any(name.endswith(f": {one.field}") for name in near)]
        code += _texts(before, after, "code", old, new)
    # Of a function that sends to a topic which is not known, it is known better what differs.
    covered = {one.view for one in found if not one.topics}
    found += [one for one in code if _function(one.field) not in covered]
    found += _texts(before, after, "client", before.setup, after.setup)
    unique: dict[tuple[str, str, str, str], Difference] = {}
    for one in found:
        known = unique.get(one.what)
        if known is None or len(one.topics) > len(known.topics):
            unique[one.what] = one
    return list(unique.values())


def _contracts(before: Sequence[Contract], after: Sequence[Contract], *, is_whole: bool) -> Iterator[Difference]:
    """Yield what differs in the contracts; of code that was not evaluated as a whole, a missing one is not known."""
    topics = _by_place((*before, *after))
    old, new = _by_view(before), _by_view(after)
    covered = {one.content for one in before}
    changed: list[tuple[Contract, Contract | None]] = []
    for view, listed in old.items():
        others = new.get(view, [])
        left = [one for one in listed if one.content not in {other.content for other in others}]
        come = [one for one in others if one.content not in {other.content for other in listed}]
        if not others:
            left = [one for one in left if not _is_elsewhere(one, before, after, old)]
            come = [one for one in after if one.view not in old and one.content not in covered]
        changed += _pairs(left, come)
    for one, other in changed:
        # A function that is given other things now is seen from those that call it.
        if other is not None and _is_other_call(one, other) and _is_inner(one, before):
            continue
        if other is None and one.view not in new and _is_inner(one, before):
            continue
        yield from _differences(one, other, topics, is_whole=is_whole)


def _of_stored(one: Difference) -> Difference:
    """Return a difference in what a program stores or hands over: what is sent because of it is never certain."""
    member = one.field.removeprefix("[].")
    what = f"{member}, which is sent later" if member else f"what {one.view} hands over"
    return replace(one, certain=False, field=what)


def _unstarted(before: Endpoints, after: Endpoints) -> Iterator[Difference]:
    """Yield the functions that still send, and whose class no code names any more: nothing may start them."""
    kept = {one.view for one in after.contracts}
    for one in before.contracts:
        if one.view in before.started & kept and one.view not in after.started:
            yield Difference("gone", one.topics, one.place, False, "", one.topic, "", one.view, one.method)


def _is_elsewhere(
    one: Contract, before: Sequence[Contract], after: Sequence[Contract], old: dict[str, list[Contract]]
) -> bool:
    """Return whether another function sends the same now: one that is new, or that what is gone was only a part of."""
    same = [other for other in after if other.content == one.content]
    if any(other.view not in old for other in same):
        return True
    return bool(same) and (
        _is_inner(one, before) or any(_is_outermost(other, after) and other.view not in one.path[1:] for other in same)
    )


def _is_outermost(one: Contract, contracts: Iterable[Contract]) -> bool:
    return not any(one.view in other.path[1:] for other in contracts if other.view != one.view)


def _is_inner(one: Contract, before: Iterable[Contract]) -> bool:
    """Return whether another function reaches the same call through this one, and shows what it sends."""
    return any(other.view != one.view and other.place == one.place and one.view in other.path[1:] for other in before)


def _is_other_call(one: Contract, other: Contract) -> bool:
    return one.signature != other.signature


def _by_view(contracts: Iterable[Contract]) -> dict[str, list[Contract]]:
    found: dict[str, list[Contract]] = {}
    for one in contracts:
        found.setdefault(one.view, []).append(one)
    return found


def _by_place(contracts: Iterable[Contract]) -> dict[tuple[str, str], set[str]]:
    """Return the topics of each call, from all functions that reach it."""
    found: dict[tuple[str, str], set[str]] = {}
    for one in contracts:
        found.setdefault((one.place[0], one.method), set()).update(one.topics)
    return found


def _pairs(left: list[Contract], come: list[Contract]) -> Iterator[tuple[Contract, Contract | None]]:
    """Yield the contracts that are not there any more, each with the one that most likely replaces it."""
    free = list(come)
    for one in left:
        best = max(free, key=lambda other: _likeness(one, other), default=None)
        if best is not None and _likeness(one, best) > 0:
            free.remove(best)
            yield one, best
        else:
            yield one, None


def _likeness(one: Contract, other: Contract) -> float:
    fields, others = ({path for path, _ in each.shape.fields} for each in (one, other))
    shared = len(fields & others) / max(1, len(fields | others))
    points = 4 * (one.topic == other.topic) + 2 * (one.method == other.method) + (one.place[0] == other.place[0])
    points += one.guards == other.guards
    return points + 2 * shared if points or shared else 0


def _differences(
    one: Contract, other: Contract | None, topics: dict[tuple[str, str], set[str]], *, is_whole: bool
) -> Iterator[Difference]:
    named = tuple(sorted(set(one.topics) or topics.get((one.place[0], one.method), set())))

    def found(aspect: str, before: str, after: str, field: str = "", *, certain: bool | None = None) -> Difference:
        is_known = not (one.opaque or (other is not None and other.opaque) or _is_hidden(before, after))
        is_sure = is_known if certain is None else certain
        place = other.place if other is not None else one.place
        return Difference(aspect, named, place, is_sure, field, *_shown(before, after), one.view, one.method)

    if other is None:
        yield found("gone", one.topic, "", certain=is_whole)
        return
    if one.topic != other.topic:
        yield found("topic", one.topic, other.topic)
    before, after = dict(one.parts), dict(other.parts)
    for part in sorted(before.keys() | after.keys()):
        if before.get(part) != after.get(part):
            yield found(part, before.get(part, ""), after.get(part, ""))
    yield from _fields(one, other, found)
    if one.shape.format != other.shape.format:
        yield found("format", ", ".join(one.shape.format), ", ".join(other.shape.format))
    if one.shape.settings != other.shape.settings:
        yield found("settings", ", ".join(one.shape.settings), ", ".join(other.shape.settings), certain=False)
    if one.guards != other.guards:
        gone, come = sorted(one.guards - other.guards), sorted(other.guards - one.guards)
        is_whole_text = not any(CUT in text for text in (*gone, *come))  # of a longer one, it is not known what differs
        yield found("condition", " and ".join(gone), " and ".join(come), certain=None if is_whole_text else False)
    old, new = dict(one.client), dict(other.client)
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            yield found("setting" if key else "client", old.get(key, ""), new.get(key, ""), key)


def _is_hidden(before: str, after: str) -> bool:
    """Return whether two texts only differ in what is not written of them: how is not known."""
    return bool(before) and before != after and without_cuts(before) == without_cuts(after)


def _fields(one: Contract, other: Contract, found: object) -> Iterator[Difference]:
    make = found
    assert callable(make)
    before, after = dict(one.shape.fields), dict(other.shape.fields)
    added = {path: part for path, part in after.items() if path not in before}
    for path, old in before.items():
        new = after.get(path)
        if new is None:
            to = next(
                (name for name, part in added.items() if part.text == old.text and old.text not in ("", "unset")), ""
            )
            if to:
                yield make("renamed", path, to, path)
            else:
                yield make("removed", old.text, "", path)
        elif old != new:
            yield from _member(path, old, new, make)
    constants = dict(other.shape.constants)
    for (path, name), text in one.shape.constants:
        written = constants.get((path, name))
        if written is None and path in after:
            yield make("computed", f"{name} {text}".strip(), "", path, certain=False)
        elif written is not None and written != text:
            yield make("computed", f"{name} {text}".strip(), f"{name} {written}".strip(), path)


def _member(path: str, old: Part, new: Part, make: object) -> Iterator[Difference]:
    assert callable(make)
    if old.kind != new.kind and old.kind and new.kind:
        yield make("retyped", old.kind, new.kind, path)
    elif old.text != new.text:
        yield make("computed", old.text, new.text, path)
    elif old.notes != new.notes:
        yield make("notes", old.notes, new.notes, path, certain=False)


def _texts(
    before: Endpoints,
    after: Endpoints,
    aspect: str,
    old: dict[str, tuple[str, tuple[str, int]]],
    new: dict[str, tuple[str, tuple[str, int]]],
) -> Iterator[Difference]:
    """Yield the code that differs and that no contract says more of."""
    topics = tuple(sorted({topic for one in (*before.contracts, *after.contracts) for topic in one.topics}))
    texts = {text for text, _ in new.values()}
    renamed = {(_declarer(name), text) for name, (text, _) in new.items() if name not in old}
    former = {text for text, _ in old.values()}
    for name, (text, place) in old.items():
        # Of a method under another name, a serializer sees the name.
        is_moved = text in texts and before.loose is not old and (_declarer(name), text) not in renamed
        if name not in new and not is_moved:
            yield Difference(aspect, topics, place, False, _known_as(name), "there", "gone", _known_as(name))
        elif name in new and new[name][0] != text and not (name.endswith(ORDER) and _is_extended(text, new[name][0])):
            yield Difference(aspect, topics, new[name][1], False, _known_as(name), "", "changed", _known_as(name))
    for name, (text, place) in new.items():
        if name not in old and text not in former | before.uses and aspect == "client":
            yield Difference(aspect, topics, place, False, name, "", "added", name)


def _known_as(name: str) -> str:
    """Return what the function that a text is a part of is called."""
    return name.removesuffix(WAY)


def _is_same(
    name: str, old: dict[str, tuple[str, tuple[str, int]]], new: dict[str, tuple[str, tuple[str, int]]]
) -> bool:
    """Return whether the function that a text is a part of is the same in both versions."""
    whole = _known_as(name)
    return whole != name and whole in old and whole in new and old[whole][0] == new[whole][0]


def _function(name: str) -> str:
    """Return the function that a text is of, without its file and the number of its parameters."""
    function = name.rpartition("/")[0]
    return function.partition(": ")[2] or function


def _declarer(name: str) -> str:
    """Return the file and class of a function whose text has a name."""
    return name.rpartition("/")[0].rpartition(".")[0]


def _is_extended(before: str, after: str) -> bool:
    """Return whether the names of one list that the other has, too, have the same order there."""
    old, new = before.split(), after.split()
    return [name for name in old if name in new] == [name for name in new if name in old]


def _shown(before: str, after: str) -> tuple[str, str]:
    """Return two texts, of long ones what is around their first difference."""
    pairs = zip(before, after, strict=False)
    differs = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))
    start = max(0, differs - _BEFORE) if max(len(before), len(after)) > _LONGEST else 0
    first, second = (_short(f"…{text[start:]}" if start else text) for text in (before, after))
    return first, second


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

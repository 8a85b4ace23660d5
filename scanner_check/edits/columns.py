"""What a proposed schema does to columns, in words: added, removed, renamed (a guess), retyped, nullable, required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from scanner_dictionary.compatibility.changes import Action, ColumnChange
from scanner_model.columns import Column, ColumnPath, path_name
from scanner_model.documents.json_input import load_text

_ALIKE = 0.6
"""How near two names must be for a guess; `total` and `amount` are 0.18, `mail` and `email` 0.89."""

_ALIAS = "an alias says so"

_TYPE = ("type", "logical_type", "branches", "recursive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happens to one column; *path* is its path before, of an added one after. *now* is where it is afterwards.

    *is_proved*: the schema itself says that a rename is one.
    """

    rule: str
    path: ColumnPath
    what: str
    now: ColumnPath
    why: str = ""
    before: Column | None = None
    is_proved: bool = False

    @property
    def is_harmless(self) -> bool:
        """Return whether nothing that exists can depend on the change."""
        return self.rule == "column-added"


def changes(columns: Sequence[ColumnChange], aliases: Mapping[ColumnPath, frozenset[str]]) -> Iterator[Change]:
    """Yield a change for each of *columns* that is not implied by that of the column around it.

    *aliases* are the former names that the proposed text declares, by path. Documentation, tags and defaults do not
    count.
    """
    top = list(_outermost(columns))
    added = {change.column.path: change.column for change in top if change.action is Action.ADDED}
    removed = [change.column for change in top if change.action is Action.REMOVED]
    renamed = dict(_renames(removed, added, aliases))
    renumbered = {column.path for column in removed if column.path in added}
    replacements = {now.path for now, _ in renamed.values()} | renumbered
    for change in top:
        path, name = change.column.path, path_name(change.column.path)
        if change.action is Action.ADDED:
            if path not in replacements:
                yield Change(rule="column-added", path=path, now=path, what=f"{name} is added ({_type(change.column)})")
        elif change.action is Action.CHANGED:
            yield from _changed(change)
        elif path in renumbered:
            what = f"{name} has the number {added[path].number} in place of {change.column.number}"
            why = "readers find the value by its number"
            yield Change(rule="column-renumbered", path=path, now=path, what=what, why=why, before=change.column)
        elif path in renamed:
            now, why = renamed[path]
            what = f"{name} is removed, perhaps renamed to {path_name(now.path)}"
            proved = why == _ALIAS
            yield Change(
                rule="column-renamed",
                path=path,
                now=now.path,
                what=what,
                why=why,
                before=change.column,
                is_proved=proved,
            )
        else:
            what = f"{name} is removed"
            yield Change(rule="column-removed", path=path, now=path, what=what, before=change.column)


def _changed(change: ColumnChange) -> Iterator[Change]:
    before, after = change.before, change.after
    assert before is not None
    assert after is not None
    path, name = before.path, path_name(before.path)
    if "name" in change.differs:
        what = f"{name} is renamed to {path_name(after.path)}"
        why = f"the number {after.number} is the same"
        yield Change(
            rule="column-renamed", path=path, now=after.path, what=what, why=why, before=before, is_proved=True
        )
    if any(member in change.differs for member in _TYPE):
        what = f"{name} was {_type(before)} and is {_type(after)}"
        yield Change(rule="column-retyped", path=path, now=after.path, what=what, why=change.why, before=before)
    elif "nullable" in change.differs:
        word = "nullable" if after.nullable else "required"
        what = f"{name} is {word} now"
        yield Change(rule=f"made-{word}", path=path, now=after.path, what=what, why=change.why, before=before)


def _outermost(columns: Sequence[ColumnChange]) -> Iterator[ColumnChange]:
    """Leave out what came, went or changed with the column around it."""
    covered: set[ColumnPath] = set()
    for change in sorted(columns, key=lambda change: len(change.column.path)):
        paths = [column.path for column in (change.before, change.after) if column is not None]
        if any(path[:size] in covered for path in paths for size in range(len(path))):
            continue
        if change.action is not Action.CHANGED or "type" in change.differs:
            covered.update(paths)
        yield change


def _renames(
    removed: Sequence[Column], added: Mapping[ColumnPath, Column], aliases: Mapping[ColumnPath, frozenset[str]]
) -> Iterator[tuple[ColumnPath, tuple[Column, str]]]:
    """Yield the removed columns that an added one may replace, each with that one and the reason of the guess."""
    unmatched = dict(added)
    for column in removed:
        inside = [
            candidate
            for candidate in unmatched.values()
            if candidate.path[:-1] == column.path[:-1] and candidate.path != column.path
        ]
        if not inside or not column.path or column.path in added:
            continue
        alone = len(inside) == len(removed) == 1
        guesses = ((_reason(column, candidate, aliases, alone=alone), candidate) for candidate in inside)
        plausible = [(score, why, candidate) for (score, why), candidate in guesses if score]
        if plausible:
            _, why, now = max(plausible, key=lambda guess: guess[0])
            unmatched.pop(now.path)
            yield column.path, (now, why)


def _reason(
    old: Column, new: Column, aliases: Mapping[ColumnPath, frozenset[str]], *, alone: bool
) -> tuple[float, str]:
    """Return how likely *new* is *old* under another name, 0 where nothing says so, and why."""
    if old.path[-1] in aliases.get(new.path, ()):
        return 3, _ALIAS
    if _type(old) != _type(new):
        return 0, ""
    if old.doc and old.doc == new.doc:
        return 2, "same type, same documentation"
    similarity = SequenceMatcher(None, old.path[-1].lower(), new.path[-1].lower()).ratio()
    if similarity >= _ALIKE:
        return similarity, "same type, similar name"
    return (0.1, "the only one removed and the only one added, of the same type") if alone else (0, "")


def _type(column: Column) -> str:
    word = column.logical_type or column.type
    return f"{word} of {', '.join(column.branches)}" if column.branches else word


def declared_aliases(text: str) -> Mapping[ColumnPath, frozenset[str]]:
    """Return the former names that an Avro text declares for fields at the top, by path."""
    try:
        body = load_text(text)
    except ValueError:
        return {}
    listed = body.get("fields") if isinstance(body, dict) else None
    fields = [field for field in listed if isinstance(field, dict)] if isinstance(listed, list) else []
    return {
        (str(field.get("name")),): frozenset(map(str, field["aliases"]))
        for field in fields
        if isinstance(field.get("aliases"), list)
    }

"""What a proposed schema does to columns, in words: added, removed, renamed (a guess), retyped, nullable, required."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from scanner_check.model import Message, literal
from scanner_check.rows.rule import Rule
from scanner_check.rows.schemas import (
    COLUMN_ADDED,
    COLUMN_REMOVED,
    COLUMN_RENAMED,
    COLUMN_RENUMBERED,
    COLUMN_RETYPED,
    MADE_NULLABLE,
    MADE_REQUIRED,
)
from scanner_dictionary.compatibility.changes import Action, ColumnChange
from scanner_model.columns import Column, ColumnPath, path_name
from scanner_model.documents.json_input import load_shared

_ALIKE = 0.6
"""How near two names must be for a guess; `total` and `amount` are 0.18, `mail` and `email` 0.89."""

_ALIAS = "alias"

_TYPE = ("type", "logical_type", "branches", "recursive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happens to one column; *path* is its path before, of an added one after. *now* is where it is afterwards.

    *values* fill the template of *rule*, of *form* if it has several; *why* is the reason; None without one.

    *is_proved*: the schema itself says that a rename is one.
    """

    rule: Rule
    path: ColumnPath
    values: tuple[Hashable, ...]
    now: ColumnPath
    form: str = ""
    why: Message | None = None
    before: Column | None = None
    is_proved: bool = False

    @property
    def is_harmless(self) -> bool:
        """Return whether nothing that exists can depend on the change."""
        return self.rule is COLUMN_ADDED


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
                yield Change(rule=COLUMN_ADDED, path=path, now=path, values=(name, _type(change.column)))
        elif change.action is Action.CHANGED:
            yield from _changed(change)
        elif path in renumbered:
            values, by_number = (name, added[path].number, change.column.number), Message("found by number", ())
            yield Change(
                rule=COLUMN_RENUMBERED, path=path, now=path, values=values, why=by_number, before=change.column
            )
        elif path in renamed:
            now, why = renamed[path]
            yield Change(
                rule=COLUMN_RENAMED,
                path=path,
                now=now.path,
                values=(name, path_name(now.path)),
                form="perhaps",
                why=Message(why, ()),
                before=change.column,
                is_proved=why == _ALIAS,
            )
        else:
            yield Change(rule=COLUMN_REMOVED, path=path, now=path, values=(name,), before=change.column)


def _changed(change: ColumnChange) -> Iterator[Change]:
    before, after = change.before, change.after
    assert before is not None
    assert after is not None
    path, name = before.path, path_name(before.path)
    if "name" in change.differs:
        yield Change(
            rule=COLUMN_RENAMED,
            path=path,
            now=after.path,
            values=(name, path_name(after.path)),
            why=Message("same number", (after.number,)),
            before=before,
            is_proved=True,
        )
    why = literal(change.why) if change.why else None
    if any(member in change.differs for member in _TYPE):
        values = (name, _type(before), _type(after))
        yield Change(rule=COLUMN_RETYPED, path=path, now=after.path, values=values, why=why, before=before)
    elif "nullable" in change.differs:
        rule = MADE_NULLABLE if after.nullable else MADE_REQUIRED
        yield Change(rule=rule, path=path, now=after.path, values=(name,), why=why, before=before)


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
        return 2, "same documentation"
    similarity = SequenceMatcher(None, old.path[-1].lower(), new.path[-1].lower()).ratio()
    if similarity >= _ALIKE:
        return similarity, "similar name"
    return (0.1, "only ones") if alone else (0, "")


def _type(column: Column) -> str:
    word = column.logical_type or column.type
    return f"{word} of {', '.join(column.branches)}" if column.branches else word


def declared_aliases(text: str) -> Mapping[ColumnPath, frozenset[str]]:
    """Return the former names that an Avro text declares for fields at the top, by path."""
    try:
        body = load_shared(text)
    except ValueError:
        return {}
    listed = body.get("fields") if isinstance(body, dict) else None
    fields = [field for field in listed if isinstance(field, dict)] if isinstance(listed, list) else []
    return {
        (str(field.get("name")),): frozenset(map(str, field["aliases"]))
        for field in fields
        if isinstance(field.get("aliases"), list)
    }

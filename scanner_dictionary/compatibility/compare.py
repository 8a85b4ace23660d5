"""The table of formats' rules, and two definitions compared by them, column by column. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scanner_dictionary.compatibility import avro, json_schema, protobuf
from scanner_dictionary.compatibility.changes import ColumnChange, Judgement, SchemaChange, broken, fine, unclear, worst
from scanner_dictionary.compatibility.column_pairs import ColumnContext, Key, Reads, Side, keyed, pairs
from scanner_model.columns import Column
from scanner_model.schemas import Definition

_COMPARED = ("type", "logical_type", "nullable", "default", "doc", "tags", "recursive", "branches", "number")
_WORDS_ONLY = {"doc", "tags"}
_SHAPE = {"type", "recursive", "branches"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatRules:
    """The rules of one format.

    *root* is the type of a message that has fields. *reads* judges one column, *compare_definitions* what no column
    shows (the reader's definition first). *by_number*: a field is the same where its number is.
    """

    root: str
    reads: Reads
    compare_definitions: Callable[[Definition, Definition], tuple[Judgement, ...]]
    by_number: bool = False


def _not_known(_reader: ColumnContext, _writer: ColumnContext) -> Judgement:
    return unclear("the format has no rules that are known here")


FORMAT_RULES: Mapping[str, FormatRules] = {
    "AVRO": FormatRules(root="record", reads=avro.reads, compare_definitions=avro.compare_definitions),
    "JSON": FormatRules(root="object", reads=json_schema.reads, compare_definitions=json_schema.compare_definitions),
    "PROTOBUF": FormatRules(
        root="message", reads=protobuf.reads, compare_definitions=protobuf.compare_definitions, by_number=True
    ),
}
"""Format, as registries name it → rules; every other format is compared by names, and nothing is concluded."""

_OTHER = FormatRules(root="record", reads=_not_known, compare_definitions=lambda _reader, _writer: ())


def compare(before: Definition, after: Definition) -> SchemaChange:
    """Return the columns that differ, and whether new readers read old data (backward), and the reverse (forward).

    A column below one that was added, removed or became something else shares its finding.
    """
    rules = (
        FORMAT_RULES.get(before.format, _OTHER) if before.format == after.format and _read(before, after) else _OTHER
    )
    columns = tuple(_changes(before, after, rules))
    incomparable = _incomparable(before, after)
    return SchemaChange(
        columns=tuple(sorted(columns, key=lambda change: (change.column.path, change.action))),
        backward=worst(
            [*(column.backward for column in columns), *(incomparable or rules.compare_definitions(after, before))]
        ),
        forward=worst(
            [*(column.forward for column in columns), *(incomparable or rules.compare_definitions(before, after))]
        ),
    )


def _read(*definitions: Definition) -> bool:
    """Return whether the columns of all *definitions* could be read."""
    return all(definition.columns or not definition.problems for definition in definitions)


def _incomparable(before: Definition, after: Definition) -> tuple[Judgement, ...]:
    """Return what makes the two definitions incomparable; empty where nothing does."""
    if before.format != after.format:
        return (broken(f"the format was {before.format} and is {after.format}"),)
    if before.format in FORMAT_RULES and not _read(before, after):
        return (unclear("the columns of one of the two could not be read"),)
    return ()


def _changes(before: Definition, after: Definition, rules: FormatRules) -> Iterable[ColumnChange]:
    by_number = rules.by_number and _have_numbers(before) and _have_numbers(after)
    old, new = (keyed(definition, by_number=by_number) for definition in (before, after))
    _root(old, new, rules.root)
    judged = _Judged(rules=rules, before=Side(before), after=Side(after))
    changes: dict[Key, ColumnChange] = {}
    for key in pairs(old, new):
        above = key[:-1] if key else None
        change = judged.change(
            (old.get(key), new.get(key)),
            (None, None) if above is None else (old.get(above), new.get(above)),
            None if above is None else changes.get(above),
        )
        if change:
            changes[key] = change
    return changes.values()


def _have_numbers(definition: Definition) -> bool:
    """Return whether fields have numbers; columns that were only listed have no numbers."""
    return any(column.number is not None for column in definition.columns)


def _root(old: dict[Key, Column], new: dict[Key, Column], word: str) -> None:
    """Return a message that has fields a column of its own where the other one is a single value."""
    if ((() in old) != (() in new)) and old and new:
        (new if () in old else old)[()] = Column(path=(), type=word)


_Pair = tuple[Column | None, Column | None]
"""A column before and after; None where it does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    rules: FormatRules
    before: Side
    after: Side

    def change(self, pair: _Pair, above: _Pair, parent_change: ColumnChange | None) -> ColumnChange | None:
        """Compare one column; *above* is its parent, *parent_change* the change of the parent."""
        before, after = pair
        differs = _differs(pair)
        both = before is not None and after is not None
        if both and not differs:
            return None
        if not both and parent_change and _governs(parent_change):
            return _change(pair, (), parent_change.backward, parent_change.forward)
        if both and set(differs) <= _WORDS_ONLY:
            return _change(pair, differs, fine(), fine())
        old = ColumnContext(side=self.before, column=before, above=above[0])
        new = ColumnContext(side=self.after, column=after, above=above[1])
        return _change(pair, differs, self.rules.reads(new, old), self.rules.reads(old, new))


def _governs(change: ColumnChange) -> bool:
    """Return whether the columns below *change* were added or removed with it."""
    return change.before is None or change.after is None or not _SHAPE.isdisjoint(change.differs)


def _differs(pair: _Pair) -> tuple[str, ...]:
    old, new = pair
    if old is None or new is None:
        return ()
    renamed = ("name",) if old.path[-1:] != new.path[-1:] else ()
    return (*renamed, *(name for name in _COMPARED if getattr(old, name) != getattr(new, name)))


def _change(pair: _Pair, differs: tuple[str, ...], backward: Judgement, forward: Judgement) -> ColumnChange:
    return ColumnChange(before=pair[0], after=pair[1], differs=differs, backward=backward, forward=forward)

"""Frames: the columns of a relation, and what each operation of the relational algebra does to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from scanner_programs.frames.expressions import Expr, Kind, Out, Parts, Resolver, column, name_of
from scanner_programs.frames.values import (
    AGGREGATION,
    Dataset,
    Decider,
    Value,
    any_of,
    combined,
    decided,
    deciding,
    either,
    with_effect,
)

MOST_COLUMNS = 2_000
_MOST_OPEN = 50


@dataclass(frozen=True, slots=True)
class Open:
    """All members of a *value* that are not known by name, except the *hidden* ones."""

    value: Value
    qualifiers: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A relation: its columns, what it has without their names, the columns that decide its rows, and its sources.

    *problems* are names and operations that are not resolved. *lost* are columns that it does not have any more, which
    a filter or an order may still name, as in Spark.
    """

    columns: tuple[Out, ...] = ()
    open: tuple[Open, ...] = ()
    deciders: frozenset[Decider] = frozenset()
    sources: frozenset[Dataset] = frozenset()
    problems: frozenset[str] = frozenset()
    lost: tuple[Out, ...] = ()

    # --- names

    def find(self, parts: Parts) -> Value | None:
        """Return the value of a name; None if the frame certainly does not have it."""
        for length in range(len(parts) - 1, 0, -1):
            qualifier = ".".join(parts[:length]).casefold()
            scoped = Frame(
                tuple(each for each in self.columns if qualifier in each.qualifiers),
                tuple(each for each in self.open if qualifier in each.qualifiers),
            )
            if (scoped.columns or scoped.open) and (found := scoped._own(parts[length:])) is not None:
                return found
        return self._own(parts)

    def _own(self, parts: Parts) -> Value | None:
        column = self.named(parts[0]) if parts else None
        if column is not None:
            value = column.value
        else:
            maybe = [each for each in self.open if parts and parts[0].casefold() not in each.hidden]
            if len(maybe) != 1:
                return any_of(each.value for each in maybe) if maybe else None
            value = maybe[0].value.member(parts[0])
        for name in parts[1:]:
            value = value.member(name)
        return value

    def named(self, name: str) -> Out | None:
        """Return the column of a name, whose letter case may differ; None if it is not listed."""
        exact = next((each for each in self.columns if each.name == name), None)
        return exact or next((each for each in self.columns if each.name.casefold() == name.casefold()), None)

    def passed(self, column: Out) -> Value:
        """Return the value that a column of an earlier frame has in this one."""
        same = next((each for each in self.columns if each.identity is column.identity), None)
        return same.value if same is not None else column.value

    def star(self, parts: Parts) -> tuple[Sequence[Out], Sequence[Value]]:
        """Return the columns of a star, and values that contribute all of their members."""
        if not parts:
            return self.columns, [each.value for each in self.open]
        qualifier = ".".join(parts).casefold()
        listed = [each for each in self.columns if qualifier in each.qualifiers]
        open_ = [each.value for each in self.open if qualifier in each.qualifiers]
        if listed or open_:
            return listed, open_
        value = self.find(parts)
        if value is None:
            return (), (replace(self.whole(), unclear=True),)
        names = value.member_names
        return ([Out(name, value.member(name)) for name in names], ()) if names is not None else ((), (value,))

    def whole(self) -> Value:
        """Return a value that is computed from all columns."""
        return combined([*(each.value for each in self.columns), *(each.value for each in self.open)])

    def column(self, name: str) -> Expr:
        """Return a column of this frame, wherever it is used: `df.total`."""
        found = self.named(name)
        if found is None:
            parts = column(name).data
            value = self.find(parts)
            found = Out(parts[-1], value) if value is not None else None
        return Expr(Kind.KNOWN, data=found) if found is not None else column(name)

    def _resolver(self) -> tuple[Resolver, set[str]]:
        names: set[str] = set()
        return Resolver(self, names.add), names

    def _values(self, exprs: Iterable[Expr]) -> tuple[list[Value], frozenset[str]]:
        resolver, names = self._resolver()
        return [resolver.value(each) for each in exprs], _missing(names)

    # --- operations

    def select(self, exprs: Iterable[Expr]) -> Frame:
        """Return a frame of the columns of expressions."""
        resolver, names = self._resolver()
        columns: list[Out] = []
        open_: list[Open] = []
        for each in exprs:
            if each.kind is Kind.STAR and not each.data:
                rest = self.without(each.args)
                columns += rest.columns
                open_ += rest.open
                continue
            listed, whole = resolver.outputs(each)
            columns += listed
            open_ += map(Open, whole)
        kept, lost = tuple(columns[:MOST_COLUMNS]), (*self.columns, *self.lost)[:MOST_COLUMNS]
        return replace(self, columns=kept, open=tuple(open_), problems=self.problems | _missing(names), lost=lost)

    def with_columns(self, named: Iterable[tuple[str, Expr]]) -> Frame:
        """Return a frame with more columns, or other values of those that it has."""
        listed = list(named)
        resolver, names = self._resolver()
        added = [Out(name, _first(resolver.outputs(each)[0], resolver, each)) for name, each in listed]
        frame = self
        for out in added:
            known = frame.named(out.name)
            columns = [out if each is known else each for each in frame.columns] if known else [*frame.columns, out]
            frame = replace(frame, columns=tuple(columns[:MOST_COLUMNS]), open=_hiding(frame.open, out.name))
        return replace(frame, problems=frame.problems | _missing(names))

    def without(self, columns: Iterable[Expr]) -> Frame:
        """Return a frame without some columns."""
        frame = self
        for each in columns:
            name = name_of(each).casefold()
            rest = tuple(out for out in frame.columns if not _is_meant(each, out))
            frame = replace(frame, columns=rest, open=_hiding(frame.open, name))
        return replace(frame, lost=(*self.columns, *self.lost)[:MOST_COLUMNS])

    def renamed(self, names: Iterable[tuple[str, str]]) -> Frame:
        """Return a frame with other names of columns; a name that it does not have changes nothing."""
        frame = self
        for old, new in names:
            if (known := frame.named(old)) is not None:
                columns = [
                    replace(out, name=new, origin=out.identity) if out is known else out for out in frame.columns
                ]
                frame = replace(frame, columns=tuple(columns))
            elif (value := frame.find((old,))) is not None:
                columns = [*frame.columns, Out(new, value)]
                frame = replace(frame, columns=tuple(columns), open=_hiding(frame.open, old, new))
        return frame

    def listed_as(self, names: Sequence[str]) -> Frame:
        """Return a frame whose columns have *names*, in order."""
        if self.open or len(names) != len(self.columns):
            whole = self.whole()
            return replace(self, columns=tuple(Out(name, whole) for name in names), open=())
        return replace(self, columns=tuple(Out(name, out.value) for name, out in zip(names, self.columns, strict=True)))

    def called(self, name: str) -> Frame:
        """Return the frame under an alias."""
        names = frozenset({name.casefold(), name.rpartition(".")[2].casefold()})
        columns = tuple(replace(out, qualifiers=names, origin=out.identity) for out in self.columns)
        open_ = tuple(replace(each, qualifiers=names) for each in self.open)
        return replace(self, columns=columns, open=open_, lost=())

    def decided_by(self, exprs: Iterable[Expr], subtype: str) -> Frame:
        """Return a frame whose rows depend on expressions: filtered, sorted or grouped by them."""
        listed = list(exprs)
        values, problems = self._values(listed)
        if problems and self.lost and subtype in ("FILTER", "SORT"):
            values, problems = replace(self, columns=(*self.columns, *self.lost))._values(listed)
        return replace(self, deciders=self.deciders | deciding(values, subtype), problems=self.problems | problems)

    def distinct(self, names: Sequence[str]) -> Frame:
        """Return a frame without rows that are equal in the columns of *names*, in all without any."""
        keys = [Expr(Kind.COLUMN, data=(name,)) for name in names] or [Expr(Kind.STAR, data=())]
        return self.decided_by(keys, "GROUP_BY")

    def grouped(self, keys: Sequence[Expr], results: Sequence[Expr]) -> Frame:
        """Return the keys of groups, and what is aggregated of each."""
        resolver, names = self._resolver()
        outs = [out for each in keys for out in resolver.outputs(each)[0]]
        values = [out.value for out in outs]
        for each in results:
            aggregated = [replace(out, value=_aggregated(out.value), origin=None) for out in resolver.outputs(each)[0]]
            outs += aggregated
        deciders, problems = self.deciders | deciding(values, "GROUP_BY"), self.problems | _missing(names)
        return replace(self, columns=tuple(outs), open=(), deciders=deciders, problems=problems, lost=())

    def unpivoted(self, kept: Iterable[Expr], columns: Sequence[Expr], name: str, value: str) -> Frame:
        """Return a row for each of *columns*, with its name and value; without columns, for all that are not kept."""
        rest = self.select(kept)
        names = {out.name for out in rest.columns}
        listed, problems = self._values(columns)
        listed = listed or [out.value for out in self.columns if out.name not in names]
        added = (Out(name, Value()), Out(value, either(listed)))
        return replace(rest, columns=(*rest.columns, *added), problems=rest.problems | problems)

    def joined(self, other: Frame, on: Sequence[str] | Expr | None, how: str = "inner") -> Frame:
        """Return the join with another frame: by names of columns that both have, or by a condition."""
        kind = how.lower().replace("_", "")
        both = Frame(
            (*self.columns, *other.columns)[:MOST_COLUMNS],
            _unique(self.open, other.open),
            self.deciders | other.deciders,
            self.sources | other.sources,
            self.problems | other.problems,
        )
        if isinstance(on, Expr):
            both = both.decided_by([on], "JOIN")
        elif on:
            pairs = [(self.find((name,)), other.find((name,))) for name in on]
            values = [value for pair in pairs for value in pair if value is not None]
            shared = tuple(Out(name, _shared(pair, kind)) for name, pair in zip(on, pairs, strict=True))
            rest = Frame(both.columns, both.open).without(Expr(Kind.COLUMN, data=(name,)) for name in on)
            qualified = (
                replace(out, qualifiers=_qualifiers(both, out.name), origin=_same(self, out.name)) for out in shared
            )
            both = replace(
                both,
                columns=(*qualified, *rest.columns),
                open=rest.open,
                deciders=both.deciders | deciding(values, "JOIN"),
            )
        if kind in ("semi", "leftsemi", "anti", "leftanti"):
            return replace(self, deciders=both.deciders, sources=both.sources, problems=both.problems)
        return both

    def united(self, other: Frame, *, by_name: bool) -> Frame:
        """Return the rows of both frames; their columns are paired by name, or by position."""
        columns: list[Out] = []
        if by_name:
            paired = [(out, other.find((out.name,))) for out in self.columns]
            columns = [Out(out.name, either([out.value, value] if value else [out.value])) for out, value in paired]
            columns += [
                Out(out.name, either([out.value, *(each.value.member(out.name) for each in self.open)]))
                for out in other.columns
                if self.named(out.name) is None
            ]
        else:
            for mine, theirs in zip_longest(self.columns, other.columns):
                values = [each.value for each in (mine, theirs) if each is not None]
                columns.append(Out((mine or theirs).name, either(values)))
        return Frame(
            tuple(columns),
            _unique(self.open, other.open),
            self.deciders | other.deciders,
            self.sources | other.sources,
            self.problems | other.problems,
        )


@dataclass(frozen=True, slots=True)
class Pivot:
    """A column whose *values* become columns; None: they are not known."""

    by: Value
    values: tuple[str, ...] | None

    def of(self, frame: Frame, count: int) -> Frame:
        """Return groups whose last *count* columns are there once for each value."""
        keys, results = frame.columns[: len(frame.columns) - count], frame.columns[len(frame.columns) - count :]
        results = tuple(replace(out, value=decided(out.value, [self.by], "CONDITIONAL")) for out in results)
        if self.values is None:
            whole = replace(combined(out.value for out in results), unclear=True)
            problems = frame.problems | {"the columns of a pivot are not known"}
            return replace(frame, columns=keys, open=(Open(whole),), problems=problems)
        pairs = [(value, out) for value in self.values for out in results]
        named = (Out(value if count == 1 else f"{value}_{out.name}", out.value) for value, out in pairs)
        return replace(frame, columns=(*keys, *named)[:MOST_COLUMNS])


def opaque(frames: Iterable[Frame], names: Sequence[str] | None, why: str) -> Frame:
    """Return what an operation that is not known makes of *frames*: each column may be computed from all of theirs."""
    listed = list(frames)
    whole = combined(each.whole() for each in listed)
    return Frame(
        tuple(Out(name, whole) for name in names or ()),
        () if names is not None else (Open(replace(whole, unclear=True)),),
        frozenset().union(*(each.deciders for each in listed)),
        frozenset().union(*(each.sources for each in listed)),
        frozenset().union(*(each.problems for each in listed), {why} if why else ()),
    )


def of_dataset(dataset: Dataset, columns: Iterable[tuple[str, Value]] | None = None, name: str = "") -> Frame:
    """Return the frame of a dataset; without *columns*, these are not known."""
    qualifiers = frozenset({name.casefold(), name.rpartition(".")[2].casefold()}) if name else frozenset()
    whole = Value(frozenset({(dataset, ())}))
    listed = tuple(Out(each, value, qualifiers) for each, value in columns or ())
    return Frame(listed, () if columns is not None else (Open(whole, qualifiers),), sources=frozenset({dataset}))


Setting = tuple[str, Expr] | None
"""A column that a MERGE sets, and to what; None: all columns of its source."""


def assigned(source: Frame, on: Expr, settings: Sequence[Setting], target: frozenset[str]) -> Frame:
    """Return what a MERGE writes; *target* are the names of its table, whose own columns are no inputs."""
    frame = source.decided_by([_of_source(on, source, target)], "JOIN")
    values: dict[str, list[Value]] = {}
    resolver, names = source._resolver()
    for each in settings:
        if each is None:
            for out in source.columns:
                values.setdefault(out.name, []).append(out.value)
        else:
            values.setdefault(each[0], []).append(resolver.value(_of_source(each[1], source, target)))
    columns = tuple(Out(name, either(listed)) for name, listed in values.items())
    open_ = source.open if None in settings else ()
    return replace(frame, columns=columns, open=open_, problems=frame.problems | _missing(names))


def _of_source(expr: Expr, source: Frame, target: frozenset[str]) -> Expr:
    """Return an expression without the columns of the table that is written."""
    if expr.kind is Kind.COLUMN and (
        (len(expr.data) > 1 and expr.data[0].casefold() in target) or source.find(expr.data) is None
    ):
        return Expr(Kind.LITERAL)
    data = (
        tuple(_of_source(each, source, target) for each in expr.data)
        if expr.kind in (Kind.CASE, Kind.OVER)
        else expr.data
    )
    return replace(expr, args=tuple(_of_source(each, source, target) for each in expr.args), data=data)


def _is_meant(expr: Expr, out: Out) -> bool:
    if expr.kind is Kind.KNOWN:
        return out.identity is expr.data.identity
    qualifier = ".".join(expr.data[:-1]).casefold() if expr.kind is Kind.COLUMN else ""
    return out.name.casefold() == name_of(expr).casefold() and (not qualifier or qualifier in out.qualifiers)


def _unique(left: Sequence[Open], right: Sequence[Open]) -> tuple[Open, ...]:
    known = {(each.value, each.qualifiers, each.hidden): each for each in (*left, *right)}
    return tuple(known.values())[:_MOST_OPEN]


def _first(outs: Sequence[Out], resolver: Resolver, expr: Expr) -> Value:
    return outs[-1].value if outs else resolver.value(expr)


def _missing(names: Iterable[str]) -> frozenset[str]:
    return frozenset(f"column {name} is not resolved" for name in names)


def _hiding(open_: Iterable[Open], *names: str) -> tuple[Open, ...]:
    hidden = {name.casefold() for name in names}
    return tuple(replace(each, hidden=each.hidden | hidden) for each in open_)


def _aggregated(value: Value) -> Value:
    return with_effect(value, AGGREGATION) if value.origins else value


def _shared(pair: tuple[Value | None, Value | None], kind: str) -> Value:
    """Return the value of a column that a join merges: either side's only in a full join."""
    left, right = pair
    known = [value for value in pair if value is not None]
    if kind in ("full", "outer", "fullouter"):
        return either(known)
    first = (right or left) if kind in ("right", "rightouter") else (left or right)
    return first if first is not None else Value(unclear=True)


def _qualifiers(frame: Frame, name: str) -> frozenset[str]:
    return frozenset().union(*(out.qualifiers for out in frame.columns if out.name.casefold() == name.casefold()))


def _same(frame: Frame, name: str) -> Out | None:
    found = frame.named(name)
    return found.identity if found is not None else None

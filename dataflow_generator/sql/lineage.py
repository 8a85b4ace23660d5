"""The lineage of values: origins that a value is derived from, and origins that affect it indirectly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from scanner_model.columns import ColumnPath
from scanner_model.errors import Problem


class Effect(StrEnum):
    """How a source affects a target: OpenLineage's subtypes (ColumnLineageDatasetFacet 1-2-0), and MASKED.

    MASKED is what events call a TRANSFORMATION with `masking`: the value shows nothing of its source.
    """

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    MASKED = "MASKED"
    JOIN = "JOIN"
    FILTER = "FILTER"
    GROUP_BY = "GROUP_BY"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITIONAL = "CONDITIONAL"

    @property
    def type(self) -> str:
        """Return OpenLineage's type: DIRECT where the value is derived from the source, else INDIRECT."""
        return "DIRECT" if self in _DIRECT else "INDIRECT"


_DIRECT = frozenset((Effect.IDENTITY, Effect.TRANSFORMATION, Effect.AGGREGATION, Effect.MASKED))


@dataclass(frozen=True, slots=True, order=True)
class SqlColumn:
    """A column of a dataset, or the whole dataset where *path* is empty; *dataset* empty: a query's own result."""

    dataset: str
    path: ColumnPath = ()


@dataclass(frozen=True, slots=True, order=True)
class SqlFlow:
    """One column reference affects another; *expression* computes the target, empty if it is copied or not known."""

    target: SqlColumn
    source: SqlColumn
    effect: Effect
    expression: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlTable:
    """A table or stream that a statement reads or writes.

    *name* is as the statement writes it (in ksqlDB upper-cased as the engine does), *qualified* with the current
    catalog and database prepended where known. *topics* and *topic_pattern* are empty where no DDL names them.
    *options* are those of its DDL, unchanged: they may hold secrets. *metadata* are its columns that are not fields
    of its records.
    """

    name: str
    qualified: tuple[str, ...]
    topics: tuple[str, ...] = ()
    topic_pattern: str = ""
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    metadata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFlows:
    """One parsed statement; *sources* are base tables: views and WITH are resolved. Everything is sorted.

    *problems* name unsupported constructs: such a statement has sources and sinks, but no columns. *unresolved* names
    columns that neither the text nor the catalog defines: the statement was parsed, but definitions are missing. *at*
    is its position in the text, `line:column`.
    """

    text: str
    kind: str
    sources: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    flows: tuple[SqlFlow, ...] = ()
    datasets: tuple[SqlTable, ...] = ()
    problems: tuple[Problem, ...] = ()
    unresolved: tuple[Problem, ...] = ()
    at: str = ""


Origin = tuple[str, ColumnPath]
"""A base table's name and a path in it."""


class Strength(IntEnum):
    """How a value is derived from its origin; along a chain the highest wins.

    Of a value that contains an origin both masked and not, the latter counts: it shows the origin.
    """

    IDENTITY = 0
    TRANSFORMATION = 1
    AGGREGATION = 2
    MASKED = 3


EFFECTS = (Effect.IDENTITY, Effect.TRANSFORMATION, Effect.AGGREGATION, Effect.MASKED)
_NOTHING: frozenset[tuple[Origin, Effect]] = frozenset()


@dataclass(frozen=True, slots=True)
class ValueLineage:
    """The lineage of one value: *direct* origins with their strength, and *indirect* origins with their effect.

    *unknown*: it may have further origins, because a definition is missing or was not read.
    """

    direct: Mapping[Origin, Strength]
    indirect: frozenset[tuple[Origin, Effect]] = _NOTHING
    unknown: bool = False

    def origins(self) -> Iterator[Origin]:
        """Yield every origin, possibly more than once."""
        yield from self.direct
        for origin, _ in self.indirect:
            yield origin

    def field(self, fields: ColumnPath) -> ValueLineage:
        """Return the lineage of *fields* inside this value: those fields of copied origins, else the whole origin."""
        if not fields:
            return self
        identity = Strength.IDENTITY
        inside = {
            ((table, (*path, *fields)) if strength == identity else (table, path)): strength
            for (table, path), strength in self.direct.items()
        }
        return ValueLineage(inside, self.indirect, self.unknown)

    def at_least(self, strength: Strength) -> ValueLineage:
        """Return the same origins, none weaker than *strength*."""
        if not self.direct or min(self.direct.values()) >= strength:
            return self
        stronger = {origin: max(own, strength) for origin, own in self.direct.items()}
        return ValueLineage(stronger, self.indirect, self.unknown)

    def with_effects(self, values: Iterable[ValueLineage], effect: Effect) -> ValueLineage:
        """Return this value with the origins of *values* added as indirect ones."""
        deciding = list(values)
        added = frozenset((origin, effect) for value in deciding for origin in value.origins())
        unknown = any(value.unknown for value in deciding)
        if not added and not unknown:
            return self
        return ValueLineage(self.direct, self.indirect | added, self.unknown or unknown)


EMPTY = ValueLineage({})
UNKNOWN = ValueLineage({}, unknown=True)


def copied(origin: Origin) -> ValueLineage:
    """Return the lineage of a copy of *origin*."""
    return ValueLineage({origin: Strength.IDENTITY})


def merged(values: Iterable[ValueLineage], least: Strength = Strength.IDENTITY) -> ValueLineage:
    """Return the lineage of a value that may be any of *values*, no origin weaker than *least*."""
    nonempty = [value for value in values if value.direct or value.indirect or value.unknown]
    if len(nonempty) < 2:
        return nonempty[0].at_least(least) if nonempty else EMPTY
    direct: dict[Origin, Strength] = {}
    indirect, unknown = _NOTHING, False
    for value in nonempty:
        unknown = unknown or value.unknown
        for origin, strength in value.direct.items():
            known = direct.get(origin)
            if known is None or known is Strength.MASKED or known < strength < Strength.MASKED:
                direct[origin] = strength if strength > least else least
        if value.indirect:
            indirect |= value.indirect
    return ValueLineage(direct, indirect, unknown)


def computed(values: Iterable[ValueLineage]) -> ValueLineage:
    """Return the lineage of a value computed from *values*."""
    return merged(values, Strength.TRANSFORMATION)


def masked(values: Iterable[ValueLineage]) -> ValueLineage:
    """Return the lineage of a value that shows nothing of *values*, such as a hash of them."""
    return merged(values).at_least(Strength.MASKED)


def aggregated(values: Iterable[ValueLineage]) -> ValueLineage:
    """Return the lineage of a value aggregated from *values*."""
    return merged(values, Strength.AGGREGATION)

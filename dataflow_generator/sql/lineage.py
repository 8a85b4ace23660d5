"""The lineage of values: origins that a value is derived from, and origins that affect it indirectly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from dataflow_generator.sql.flows import Effect
from scanner_model.column_path import ColumnPath

Origin = tuple[str, ColumnPath]
"""A base table's name and a path in it."""


class Strength(IntEnum):
    """How strongly a value is derived from its origin; along a chain the strongest wins."""

    IDENTITY = 0
    TRANSFORMATION = 1
    AGGREGATION = 2


EFFECTS = (Effect.IDENTITY, Effect.TRANSFORMATION, Effect.AGGREGATION)
_NOTHING: frozenset[tuple[Origin, Effect]] = frozenset()


@dataclass(frozen=True, slots=True)
class Value:
    """The lineage of one value: *direct* origins with their strength, and *indirect* origins with their effect."""

    direct: Mapping[Origin, Strength]
    indirect: frozenset[tuple[Origin, Effect]] = _NOTHING

    def origins(self) -> Iterator[Origin]:
        """Yield every origin, possibly more than once."""
        yield from self.direct
        for origin, _ in self.indirect:
            yield origin

    def field(self, fields: ColumnPath) -> Value:
        """Return the lineage of *fields* inside this value: those fields of copied origins, else the whole origin."""
        if not fields:
            return self
        identity = Strength.IDENTITY
        inside = {
            ((table, (*path, *fields)) if strength == identity else (table, path)): strength
            for (table, path), strength in self.direct.items()
        }
        return Value(inside, self.indirect)

    def at_least(self, strength: Strength) -> Value:
        """Return the same origins, none weaker than *strength*."""
        if not self.direct or min(self.direct.values()) >= strength:
            return self
        return Value({origin: max(own, strength) for origin, own in self.direct.items()}, self.indirect)

    def with_effects(self, values: Iterable[Value], effect: Effect) -> Value:
        """Return this value with the origins of *values* added as indirect ones."""
        deciding = frozenset((origin, effect) for value in values for origin in value.origins())
        return Value(self.direct, self.indirect | deciding) if deciding else self


EMPTY = Value({})


def copied(origin: Origin) -> Value:
    """Return the lineage of a copy of *origin*."""
    return Value({origin: Strength.IDENTITY})


def merged(values: Iterable[Value], least: Strength = Strength.IDENTITY) -> Value:
    """Return the lineage of a value that may be any of *values*, no origin weaker than *least*."""
    nonempty = [value for value in values if value.direct or value.indirect]
    if len(nonempty) < 2:
        return nonempty[0].at_least(least) if nonempty else EMPTY
    direct: dict[Origin, Strength] = {}
    indirect = _NOTHING
    for value in nonempty:
        for origin, strength in value.direct.items():
            if direct.get(origin, -1) < strength:
                direct[origin] = strength if strength > least else least
        if value.indirect:
            indirect |= value.indirect
    return Value(direct, indirect)


def computed(values: Iterable[Value]) -> Value:
    """Return the lineage of a value computed from *values*."""
    return merged(values, Strength.TRANSFORMATION)


def aggregated(values: Iterable[Value]) -> Value:
    """Return the lineage of a value aggregated from *values*."""
    return merged(values, Strength.AGGREGATION)

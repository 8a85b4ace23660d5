"""A rule of schema evolution that two schema texts break, as a registry names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from scanner_model.columns import ColumnPath


@dataclass(frozen=True, slots=True)
class Difference:
    """One reason why a reader's schema does not read a writer's data.

    *path* is the column, as far as it is known. *rule* is the word of Confluent's registry for it, where it has one.
    *certain* False: the rules that are implemented do not decide it.
    """

    path: ColumnPath
    rule: str
    why: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class SchemaText:
    """The text of a schema with the texts behind its references, by reference name."""

    text: str
    references: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rules:
    """Which rules of a registry count.

    *lenient*: its compatibility policy is LENIENT, which accepts changes of a JSON Schema's content model.
    *before_8_4*: the program is older than 8.4, which compares oneofs of Protobuf otherwise.
    *logical*: its compatibility policy is LOGICAL, which adds the rules of Flink and Iceberg.
    """

    lenient: bool = False
    before_8_4: bool = False
    logical: bool = False

    @property
    def policy(self) -> str:
        """Return the policy in the registry's word; empty for the ordinary one."""
        return "LENIENT" if self.lenient else "LOGICAL" if self.logical else ""


class TooMuchEffort(Exception):
    """Raised where a comparison takes more steps than are allowed."""


MOST_STEPS = 100_000
"""Steps of one comparison: pairs of types, and some of their members; a step takes some 10 to 30 microseconds."""


@dataclass(slots=True)
class Effort:
    """The steps that a comparison may still take."""

    left: int = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Take *steps*; raises TooMuchEffort where there are not so many."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchEffort


def undecided(what: str, path: ColumnPath = ()) -> Difference:
    """Return the difference that the implemented rules do not decide *what*."""
    return Difference(path, "NOT_DECIDED", what, certain=False)


def within(step: str, differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Return *differences* with their paths inside *step*."""
    return tuple(replace(difference, path=(step, *difference.path)) for difference in differences)

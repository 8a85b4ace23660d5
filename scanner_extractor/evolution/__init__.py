"""Rules of schema evolution: what a registry answers for a proposed schema, level by level. No I/O.

`scanner_dictionary.compatibility` compares columns of stored schemas; here texts are compared, as a registry does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from scanner_extractor.evolution.differences import MOST_STEPS, Difference, Rules, SchemaText, TooMuchEffort, undecided
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import deferred, load

__all__ = ["COMPARISONS", "Difference", "Level", "Policy", "Rules", "SchemaText", "differences", "removed_symbols"]

COMPARISONS: Mapping[str, Callable[[SchemaText, SchemaText, Rules], tuple[Difference, ...]]] = {
    "AVRO": deferred(f"{__name__}.avro:differences"),
    "JSON": deferred(f"{__name__}.json_schema:differences"),
    "PROTOBUF": deferred(f"{__name__}.protobuf:differences"),
}
"""Format, as registries name it → comparison of a reader's text with a writer's, imported when it is used."""

_REMOVED_SYMBOLS = {
    "JSON": f"{__name__}.json_schema.nodes:removed_values",
    "PROTOBUF": f"{__name__}.protobuf:removed_symbols",
}


class Policy(StrEnum):
    """The compatibility policy of a subject, as Confluent's registry names it; it counts for JSON Schema."""

    STRICT = "STRICT"
    LENIENT = "LENIENT"


class Level(StrEnum):
    """The compatibility level of a subject, as Confluent's registry names it."""

    NONE = "NONE"
    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"

    @classmethod
    def parse(cls, word: str) -> Level | None:
        """Return the level that a registry means by *word*; None where it means none of them.

        AWS Glue writes `BACKWARD_ALL`, Cloudera `BOTH`.
        """
        name = word.upper().replace("-", "_").removesuffix("_ALL") + ("_TRANSITIVE" if word.endswith("_ALL") else "")
        name = {"BOTH": "FULL", "DISABLED": "NONE"}.get(name, name)
        return cls(name) if name in set(cls) else None

    @property
    def backward(self) -> bool:
        """Return whether new readers must read old data."""
        return self.startswith(("BACKWARD", "FULL"))

    @property
    def forward(self) -> bool:
        """Return whether old readers must read new data."""
        return self.startswith(("FORWARD", "FULL"))

    @property
    def transitive(self) -> bool:
        """Return whether every version counts, not only the newest."""
        return self.endswith("TRANSITIVE")


def differences(
    format: str, reader: SchemaText, writer: SchemaText, rules: Rules | None = None
) -> tuple[Difference, ...]:
    """Return why *reader* does not read all data of *writer*; empty where it does. Without *rules*: the newest, strict.

    A format without rules, invalid JSON, or a pair that nests too deeply or takes too long is undecided.
    """
    comparison = COMPARISONS.get(format)
    if comparison is None:
        return (undecided(f"there are no rules for the format {format}"),)
    try:
        return comparison(reader, writer, rules or Rules())
    except InputInvalid as error:
        return (undecided(f"a schema is {error.what}"),)
    except TooMuchEffort:
        return (undecided(f"to compare the schemas takes more than {MOST_STEPS} steps"),)
    except RecursionError:
        return (undecided("the schemas nest too deeply to be compared"),)


def removed_symbols(format: str, reader: SchemaText, writer: SchemaText) -> tuple[Difference, ...]:
    """Return the columns whose enum lost a symbol that the writer's has, whatever a registry says of it.

    Not those for which Avro readers have a default. Nothing for what `differences` cannot decide.
    """
    try:
        if format == "AVRO":
            found = COMPARISONS[format](reader, writer, Rules())
            return tuple(difference for difference in found if difference.rule == "MISSING_ENUM_SYMBOLS")
        name = _REMOVED_SYMBOLS.get(format)
        return tuple(load(name)(reader, writer)) if name else ()
    except (InputInvalid, TooMuchEffort, RecursionError):
        return ()

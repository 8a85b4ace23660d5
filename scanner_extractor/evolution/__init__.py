"""Rules of schema evolution: what a registry answers for a proposed schema, level by level. No I/O.

`scanner_dictionary.compatibility` compares columns of stored schemas; here texts are compared, as a registry does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from scanner_extractor.evolution.differences import MOST_STEPS, Difference, Rules, SchemaText, TooMuchEffort, undecided
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import deferred, load

if TYPE_CHECKING:
    from scanner_extractor.evolution.validity import Rejection

__all__ = [
    "COMPARISONS",
    "Difference",
    "Level",
    "Policy",
    "Rules",
    "SchemaText",
    "default_record",
    "differences",
    "invalidities",
    "is_judged",
    "rejection",
    "removed_symbols",
    "uncompared",
]

COMPARISONS: Mapping[str, Callable[[SchemaText, SchemaText, Rules], tuple[Difference, ...]]] = {
    "AVRO": deferred(f"{__name__}.avro:differences"),
    "JSON": deferred(f"{__name__}.json_schema:differences"),
    "PROTOBUF": deferred(f"{__name__}.protobuf:differences"),
}
"""Format, as registries name it → comparison of a reader's text with a writer's, imported when it is used."""

_REMOVED_SYMBOLS = {
    "AVRO": f"{__name__}.avro:removed_symbols",
    "JSON": f"{__name__}.json_schema.nodes:removed_values",
    "PROTOBUF": f"{__name__}.protobuf:removed_symbols",
}

_UNCOMPARED = {
    "JSON": f"{__name__}.json_schema.nodes:uncompared",
    "PROTOBUF": f"{__name__}.protobuf_declarations:uncompared",
}


class Policy(StrEnum):
    """The compatibility policy of a subject, as Confluent's registry names it.

    LENIENT counts for JSON Schema; LOGICAL adds the rules of Flink and Iceberg.
    """

    STRICT = "STRICT"
    LENIENT = "LENIENT"
    LOGICAL = "LOGICAL"


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

        Other registries write `BACKWARD_ALL` for `BACKWARD_TRANSITIVE`, `BOTH` for `FULL` and `DISABLED` for `NONE`.
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
    rules = rules or Rules()
    return _decided(lambda: _with_logical(comparison(reader, writer, rules), format, (reader, writer), rules))


def invalidities(format: str, proposed: SchemaText, rules: Rules) -> tuple[Difference, ...]:
    """Return why the registry rejects *proposed* at any level, whatever is registered; empty if it does not.

    Only the policy LOGICAL has such rules; a format without rules yields nothing.
    """
    if not rules.logical or format not in COMPARISONS:
        return ()
    return _decided(lambda: tuple(load(f"{__name__}.logical:invalidities")(format, proposed)))


def rejection(format: str, proposed: SchemaText) -> Rejection | None:
    """Return why the parser of *format* rejects a text, with the place; None if it does not, or is not known to."""
    found: Rejection | None = load(f"{__name__}.validity:rejection")(format, proposed)
    return found


def is_judged(policy: str, format: str) -> bool:
    """Return whether all rules of *policy*, in the registry's words, are known for schemas of *format*."""
    return policy in ("", Policy.STRICT, Policy.LENIENT) or (policy == Policy.LOGICAL and format in COMPARISONS)


def _with_logical(
    native: tuple[Difference, ...], format: str, texts: tuple[SchemaText, SchemaText], rules: Rules
) -> tuple[Difference, ...]:
    """Return the *native* differences and what LOGICAL adds, once for each column."""
    if not rules.logical:
        return native
    paths = {difference.path for difference in native if difference.certain}
    added = load(f"{__name__}.logical:differences")(format, *texts)
    return (*native, *(difference for difference in added if difference.path not in paths))


def _decided(compare: Callable[[], tuple[Difference, ...]]) -> tuple[Difference, ...]:
    try:
        return compare()
    except InputInvalid as error:
        return (undecided(f"a schema is {error.what}"),)
    except TooMuchEffort:
        return (undecided(f"to compare the schemas takes more than {MOST_STEPS} steps"),)
    except RecursionError:
        return (undecided("the schemas nest too deeply to be compared"),)


def removed_symbols(format: str, reader: SchemaText, writer: SchemaText) -> tuple[Difference, ...]:
    """Return the columns whose enum lost a symbol that the writer's has, whatever a registry says of it.

    Nothing for what `differences` cannot decide.
    """
    try:
        name = _REMOVED_SYMBOLS.get(format)
        return tuple(load(name)(reader, writer)) if name else ()
    except (InputInvalid, TooMuchEffort, RecursionError):
        return ()


def default_record(format: str, text: str) -> str:
    """Return the record that engines read of a text with several, by its place in it; empty if none is by its place.

    Flink, ksqlDB, Connect and Materialize read the first message of a Protobuf schema.
    """
    return str(load(f"{__name__}.protobuf_declarations:first_message")(text)) if format == "PROTOBUF" else ""


def uncompared(format: str, reader: SchemaText, writer: SchemaText) -> tuple[Difference, ...]:
    """Return the changes that no registry compares and that may break users all the same; none of them is certain.

    Services, reserved numbers and JSON names of Protobuf; conditions of JSON Schema such as `propertyNames`. Nothing
    for what `differences` cannot decide.
    """
    try:
        return tuple(load(_UNCOMPARED[format])(reader, writer)) if format in _UNCOMPARED else ()
    except (InputInvalid, TooMuchEffort, RecursionError):
        return ()

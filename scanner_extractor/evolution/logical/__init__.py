"""The rules that the policy LOGICAL of Confluent's registry adds: those of Flink, and of Iceberg's format version 2.

Source: the registry's code and tests of August 2026 (modules `core`, LogicalPolicyChecker, and `logical-types`). What
a schema holds that is not interpreted here is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scanner_extractor.evolution.differences import Difference, SchemaText, undecided
from scanner_extractor.evolution.logical.rules import compared, invalid, is_recursive
from scanner_extractor.evolution.logical.types import LogicalSchema, NotDecided, NotLogical
from scanner_model.lazy_names import deferred

FORMATS: Mapping[str, Callable[[SchemaText], LogicalSchema]] = {
    "AVRO": deferred(f"{__name__}.avro:logical_schema"),
    "JSON": deferred(f"{__name__}.json_schema:logical_schema"),
    "PROTOBUF": deferred(f"{__name__}.protobuf:logical_schema"),
}
"""Format → conversion of a schema, imported when it is used."""


def differences(format: str, reader: SchemaText, writer: SchemaText) -> tuple[Difference, ...]:
    """Return why Flink or Iceberg do not read the data of *writer* with *reader*; empty if both do.

    As in the registry, a schema without logical types is not compared: `invalidities` reports it. Raises
    InputInvalid for invalid JSON, TooMuchEffort.
    """
    try:
        ours, theirs = FORMATS[format](reader), FORMATS[format](writer)
    except NotLogical:
        return ()
    except NotDecided as error:
        return (undecided(_undecided(error)),)
    if is_recursive(ours) or is_recursive(theirs):
        return (undecided("the logical types of a schema that contains itself are not compared"),)
    return tuple(compared(ours, theirs))


def invalidities(format: str, proposed: SchemaText) -> tuple[Difference, ...]:
    """Return why the registry rejects *proposed*, whatever is registered and at any level.

    Raises InputInvalid for invalid JSON, TooMuchEffort.
    """
    try:
        return tuple(invalid(FORMATS[format](proposed)))
    except NotLogical as error:
        return (Difference((), "NOT_LOGICAL", f"the schema has no logical type: {error}"),)
    except NotDecided as error:
        return (undecided(_undecided(error)),)


def _undecided(error: NotDecided) -> str:
    return f"the rules of Flink and Iceberg, which the policy LOGICAL adds, are not judged: {error}"

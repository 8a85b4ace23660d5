"""The rules that the policy LOGICAL of Confluent's registry adds: those of Flink, and of Iceberg's format version 2.

Source: the registry's code and tests of August 2026 (modules `core`, LogicalPolicyChecker, and `logical-types`). Avro
only; what a schema holds that is not interpreted here is undecided.
"""

from __future__ import annotations

from scanner_extractor.evolution.differences import Difference, SchemaText, undecided
from scanner_extractor.evolution.logical.avro import logical_schema
from scanner_extractor.evolution.logical.rules import compared, invalid, is_recursive
from scanner_extractor.evolution.logical.types import NotDecided, NotLogical


def differences(reader: SchemaText, writer: SchemaText) -> tuple[Difference, ...]:
    """Return why Flink or Iceberg do not read the data of *writer* with *reader*; empty if both do.

    As in the registry, a schema without logical types is not compared: `invalidities` reports it. Raises what
    `differences` of Avro does.
    """
    try:
        ours, theirs = logical_schema(reader), logical_schema(writer)
    except NotLogical:
        return ()
    except NotDecided as error:
        return (undecided(_undecided(error)),)
    if is_recursive(ours) or is_recursive(theirs):
        return (undecided("the logical types of a record that contains itself are not compared"),)
    return tuple(compared(ours, theirs))


def invalidities(proposed: SchemaText) -> tuple[Difference, ...]:
    """Return why the registry rejects *proposed*, whatever is registered and at any level.

    Raises what `differences` of Avro does.
    """
    try:
        return tuple(invalid(logical_schema(proposed)))
    except NotLogical as error:
        return (Difference((), "NOT_LOGICAL", f"the schema has no logical type: {error}"),)
    except NotDecided as error:
        return (undecided(_undecided(error)),)


def _undecided(error: NotDecided) -> str:
    return f"the rules of Flink and Iceberg, which the policy LOGICAL adds, are not judged: {error}"

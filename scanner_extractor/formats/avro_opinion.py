"""A second opinion on an Avro schema: whether fastavro would take it. The only module that imports fastavro."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_model.problems import Problem

_LONGEST = 1_000_000
"""Characters beyond which nobody is asked: a megabyte costs fastavro some 15 ms."""

_MOST_SAID = 200


def refusal(root: object, size: int, foreign: Iterable[str]) -> Problem | None:
    """Ask fastavro about a schema of *size* characters whose references define the *foreign* names.

    Gives why it refuses, or None where it takes the schema or was not asked.
    """
    if size > _LONGEST or not isinstance(root, str | list | dict):
        return None
    from fastavro.schema import SchemaParseException, parse_schema

    known = {name: {"type": "record", "name": name, "fields": []} for name in foreign}
    try:
        parse_schema(root, named_schemas=known)
    except (
        SchemaParseException,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
        OverflowError,
    ) as error:
        # What fastavro did not foresee comes as the plain error of the line that met it; UnknownType is a ValueError.
        return _problem(f"{type(error).__name__} {error}")
    except RecursionError:
        return _problem("nested too deeply")
    return None


def _problem(why: str) -> Problem:
    why = why if len(why) <= _MOST_SAID else f"{why[:_MOST_SAID]}…"
    return Problem(
        "$", f"fastavro refuses the schema: {why}", "Apache Avro readers may refuse it; its columns are read"
    )

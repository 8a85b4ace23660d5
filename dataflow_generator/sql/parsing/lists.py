"""Lists of expressions, and the words that more than one part of the grammar knows."""

from __future__ import annotations

from dataflow_generator.sql.lexer import words
from dataflow_generator.sql.nodes import Expression
from dataflow_generator.sql.parsing.cursor import Cursor

_UNITS = words("YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND")
UNITS = (
    _UNITS | frozenset(f"{unit}S" for unit in _UNITS) | frozenset(("MICROSECOND", "NANOSECOND", "EPOCH", "DOW", "DOY"))
)


def starts_query(cursor: Cursor, steps: int = 0) -> bool:
    """Tell whether a query starts *steps* tokens ahead; in ksqlDB WITH and VALUES may be names."""
    key = cursor.ahead(steps)
    return key == "SELECT" or (cursor.flink and key in ("WITH", "VALUES"))


def expressions(cursor: Cursor) -> tuple[Expression, ...]:
    """Read expressions with commas between them."""
    found = [cursor.expression(cursor)]
    while cursor.accept(","):
        found.append(cursor.expression(cursor))
    return tuple(found)


def sort_keys(cursor: Cursor) -> tuple[Expression, ...]:
    """Read the expressions behind ORDER BY."""
    found = []
    while True:
        found.append(cursor.expression(cursor))
        cursor.accept_any("ASC", "DESC")
        if cursor.accept("NULLS"):
            cursor.next()
        if not cursor.accept(","):
            return tuple(found)

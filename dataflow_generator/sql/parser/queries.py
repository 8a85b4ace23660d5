"""Parse queries: WITH, set operations, SELECT with its clauses, VALUES."""

from __future__ import annotations

from dataflow_generator.sql.lexer import TokenKind, words
from dataflow_generator.sql.nodes import (
    CommonTableExpression,
    Expression,
    Query,
    Select,
    SelectItem,
    SetOperand,
    Star,
    Values,
    Window,
)
from dataflow_generator.sql.parser.calls import window
from dataflow_generator.sql.parser.cursor import Cursor, expressions, sort_keys
from dataflow_generator.sql.parser.relations import relation, table

_LEVELS = 3
"""Nesting levels that a query counts as: it uses more of Python's stack than a bracket."""

_OPERATIONS = ("UNION", "EXCEPT", "INTERSECT", "MINUS")
_AFTER_ITEM = words(
    "FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION EXCEPT INTERSECT MINUS WINDOW QUALIFY EMIT PARTITION INTO"
    " ON"
)
_GROUPING = (("GROUPING", "SETS"), ("ROLLUP",), ("CUBE",))


def query(cursor: Cursor) -> Query:
    """Parse a query with its WITH, set operations and order; raises UnparsedError where none starts."""
    for _ in range(_LEVELS):
        cursor.enter()
    common = _common(cursor) if cursor.accept("WITH") else ()
    branches = [SetOperand("", _body(cursor))]
    while operation := cursor.accept_any(*_OPERATIONS):
        cursor.accept_any("ALL", "DISTINCT")
        branches.append(SetOperand("EXCEPT" if operation == "MINUS" else operation, _body(cursor)))
    order = sort_keys(cursor) if cursor.accept("ORDER", "BY") else ()
    _limit(cursor)
    for _ in range(_LEVELS):
        cursor.leave()
    return Query(tuple(branches), common, order)


def _common(cursor: Cursor) -> tuple[CommonTableExpression, ...]:
    tables = []
    while True:
        name = cursor.name()
        columns = cursor.names() if cursor.key == "(" else ()
        cursor.expect("AS", "(")
        tables.append(CommonTableExpression(name, columns, query(cursor)))
        cursor.expect(")")
        if not cursor.accept(","):
            return tuple(tables)


def _body(cursor: Cursor) -> Select | Values | Query:
    if cursor.accept("("):
        inner = query(cursor)
        cursor.expect(")")
        return inner
    if cursor.accept("VALUES"):
        return _values(cursor)
    if cursor.flink and cursor.accept("TABLE"):
        at = cursor.token.at
        return Select((SelectItem(Star((), at), "", at, at),), table(cursor))
    cursor.expect("SELECT")
    return _select(cursor)


def _values(cursor: Cursor) -> Values:
    rows = []
    while True:
        cursor.accept("ROW")
        if cursor.accept("("):
            rows.append(expressions(cursor) if cursor.key != ")" else ())
            cursor.expect(")")
        else:
            rows.append((cursor.expression(cursor),))
        if not cursor.accept(","):
            return Values(tuple(rows))


def _select(cursor: Cursor) -> Select:
    distinct = cursor.accept_any("DISTINCT", "ALL") == "DISTINCT"
    items = [_item(cursor)]
    while cursor.accept(","):
        items.append(_item(cursor))
    source = relation(cursor) if cursor.accept("FROM") else None
    windowed = _ksql_window(cursor)
    where = _after(cursor, "WHERE")
    group = _group(cursor) if cursor.accept("GROUP", "BY") else ()
    partition = expressions(cursor) if cursor.accept("PARTITION", "BY") else ()
    having = _after(cursor, "HAVING")
    windows = _windows(cursor) if cursor.accept("WINDOW") else ()
    qualify = _after(cursor, "QUALIFY")
    if cursor.accept("EMIT"):
        cursor.next()
    conditions = tuple(condition for condition in (having, qualify) if condition is not None)
    return Select(tuple(items), source, distinct, where, group, partition, conditions, windows, windowed)


def _after(cursor: Cursor, word: str) -> Expression | None:
    return cursor.expression(cursor) if cursor.accept(word) else None


def _item(cursor: Cursor) -> SelectItem:
    at = cursor.token.at
    value = _star(cursor) or cursor.expression(cursor)
    if cursor.accept("->", "*"):
        value = Star((), at, value)
    token = cursor.token
    end = token.at
    if cursor.accept("AS"):
        return SelectItem(value, cursor.name(), at, end)
    if token.kind is TokenKind.QUOTED or (token.kind is TokenKind.WORD and token.key not in _AFTER_ITEM):
        cursor.next()
        return SelectItem(value, token.value, at, end)
    return SelectItem(value, "", at, end)


def _star(cursor: Cursor) -> Star | None:
    """Take `*` or `a.b.*`, if one of these follows."""
    at = cursor.token.at
    if cursor.accept("*"):
        return Star((), at)
    if cursor.ahead() != "." or not cursor.is_name():
        return None
    steps = 0
    while cursor.ahead(steps + 1) == "." and cursor.ahead(steps + 2) != "*":
        steps += 2
    if cursor.ahead(steps + 1) != ".":
        return None
    parts = cursor.dotted()
    cursor.expect(".", "*")
    return Star(parts, at)


def _ksql_window(cursor: Cursor) -> bool:
    """Skip ksqlDB's WINDOW, which precedes WHERE; return whether there is one."""
    if cursor.flink or cursor.key != "WINDOW":
        return False
    cursor.next()
    if cursor.ahead() != "(":
        cursor.name()
    cursor.name()
    cursor.skip_brackets()
    return True


def _group(cursor: Cursor) -> tuple[Expression, ...]:
    cursor.accept_any("ALL", "DISTINCT")
    keys: list[Expression] = []
    while True:
        if any(cursor.accept(*words) for words in _GROUPING):
            keys += _grouping_sets(cursor)
        else:
            keys.append(cursor.expression(cursor))
        if not cursor.accept(","):
            return tuple(keys)


def _grouping_sets(cursor: Cursor) -> list[Expression]:
    """Parse the keys of grouping sets; a key may occur more than once."""
    cursor.expect("(")
    keys: list[Expression] = []
    with cursor.deeper():
        while not cursor.accept(")"):
            if any(cursor.accept(*words) for words in _GROUPING):
                keys += _grouping_sets(cursor)
            else:
                keys.append(cursor.expression(cursor))
            if not cursor.accept(",") and cursor.key != ")":
                raise cursor.error("expected , or )")
    return keys


def _windows(cursor: Cursor) -> tuple[tuple[str, Window], ...]:
    named = []
    while True:
        name = cursor.name()
        cursor.expect("AS")
        named.append((name, window(cursor)))
        if not cursor.accept(","):
            return tuple(named)


def _limit(cursor: Cursor) -> None:
    while word := cursor.accept_any("LIMIT", "OFFSET", "FETCH", "EMIT"):
        cursor.next()
        if word == "FETCH":
            while cursor.accept_any("ROW", "ROWS", "ONLY") or cursor.token.kind is TokenKind.NUMBER:
                if cursor.token.kind is TokenKind.NUMBER:
                    cursor.next()
        elif word == "OFFSET":
            cursor.accept_any("ROW", "ROWS")
        elif word == "LIMIT" and cursor.accept(","):
            cursor.next()

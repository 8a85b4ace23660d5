"""Parse expressions: operands joined by operators.

Precedence does not matter for lineage and is ignored, with one exception: the two sides of a lone equality are kept
apart, because the key of a ksqlDB join depends on which of them is a plain column.
"""

from __future__ import annotations

from dataflow_generator.sql.lexer import TokenKind, words
from dataflow_generator.sql.nodes import (
    CONSTANT,
    Conditional,
    Expression,
    FieldAccess,
    Lambda,
    Name,
    Operation,
    Subquery,
    Subscript,
)
from dataflow_generator.sql.parser import calls
from dataflow_generator.sql.parser.cursor import UNITS, Cursor, expressions, starts_query
from dataflow_generator.sql.parser.tables import data_type

_OPERATORS = frozenset(("+", "-", "*", "/", "%", "||", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "&", "|", "^"))
_JOINING = words("AND OR LIKE RLIKE REGEXP BETWEEN ESCAPE OVERLAPS CONTAINS COLLATE SUBMULTISET PRECEDES SUCCEEDS")
_NEGATED = frozenset(("LIKE", "RLIKE", "REGEXP", "BETWEEN", "IN", "SIMILAR", "MEMBER", "SUBMULTISET"))
_ENDS = frozenset((",", ")", "]", "FROM", "AS", ""))
"""Tokens that end nearly every expression, checked first."""

_MULTISET = ("UNION", "INTERSECT", "EXCEPT")
_SIGNS = ("+", "-", "NOT", "~")
_STATES = ("NULL", "TRUE", "FALSE", "UNKNOWN", "EMPTY", "A", "NORMALIZED")
_LITERALS = words("NULL TRUE FALSE")
_CONSTANTS = _LITERALS | words(
    "UNKNOWN CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP CURRENT_USER"
    " SESSION_USER SYSTEM_USER CURRENT_CATALOG CURRENT_DATABASE"
)


def expression(cursor: Cursor) -> Expression:
    """Parse one expression; raises UnparsedError where none starts."""
    cursor.enter()
    operands = [_operand(cursor)]
    equals, joined = 0, False
    while True:
        key, before = cursor.key, len(operands)
        if key in _ENDS or not _operator(cursor, operands):
            break
        joined = joined or bool(equals and key == "=") or key in ("AND", "OR")
        equals = before if key == "=" else equals
    cursor.leave()
    if equals and not joined:
        return Operation((_computed(operands[:equals]), _computed(operands[equals:])))
    return _computed(operands)


def _computed(operands: list[Expression]) -> Expression:
    return operands[0] if len(operands) == 1 else Operation(tuple(operands))


def _operator(cursor: Cursor, operands: list[Expression]) -> bool:
    """Take an operator, its keywords and its further operand if it has one; return whether there was one."""
    token = cursor.token
    key = token.key
    if key in _OPERATORS or key in _JOINING:
        cursor.next()
        cursor.accept_any("SYMMETRIC", "ASYMMETRIC")
        if cursor.key in ("ANY", "SOME", "ALL") and cursor.ahead() == "(":
            cursor.next()
        operands.append(_operand(cursor))
        return True
    if token.kind is not TokenKind.WORD:
        return False
    if key == "IS":
        return _state(cursor, operands)
    if key == "NOT" and cursor.ahead() in _NEGATED:
        cursor.next()
        return True
    if key == "MULTISET" and cursor.ahead() in _MULTISET:
        cursor.next()
        cursor.next()
        cursor.accept_any("ALL", "DISTINCT")
        operands.append(_operand(cursor))
        return True
    return _phrase(cursor, operands)


def _phrase(cursor: Cursor, operands: list[Expression]) -> bool:
    """Take an operator of several words: IN (…), AT TIME ZONE …, SIMILAR TO …, MEMBER OF …."""
    if cursor.key == "IN" and cursor.ahead() == "(":
        cursor.next()
    elif not (cursor.accept("AT", "TIME", "ZONE") or cursor.accept("SIMILAR", "TO") or cursor.accept("MEMBER", "OF")):
        return cursor.accept("AT", "LOCAL")
    operands.append(_operand(cursor))
    return True


def _state(cursor: Cursor, operands: list[Expression]) -> bool:
    cursor.next()
    cursor.accept("NOT")
    if cursor.accept("DISTINCT", "FROM"):
        operands.append(_operand(cursor))
    elif cursor.accept("JSON"):
        cursor.accept_any("VALUE", "OBJECT", "ARRAY", "SCALAR")
    elif not cursor.accept_any(*_STATES):
        raise cursor.error("expected NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM")
    elif cursor.last_token.key == "A":
        cursor.accept("SET")
    operands.append(CONSTANT)
    return True


def _operand(cursor: Cursor) -> Expression:
    negated = cursor.key in _SIGNS
    while cursor.key in _SIGNS:
        cursor.next()
    operand = _primary(cursor)
    while cursor.key in ("[", "->", ".") and not (cursor.key == "->" and cursor.ahead() == "*"):
        operand = _inside(cursor, operand)
    return Operation((operand,)) if negated else operand


def _inside(cursor: Cursor, base: Expression) -> Expression:
    """Take a subscript, or a field of a value that is not a plain name."""
    if cursor.accept("["):
        index = expression(cursor)
        cursor.expect("]")
        return Subscript(base, index)
    if cursor.accept(".", "*"):  # COUNT(t.*)
        return CONSTANT
    fields = []
    while cursor.key in ("->", ".") and cursor.ahead() != "*":
        cursor.next()
        fields.append(cursor.name())
    if isinstance(base, Name):
        return Name(base.parts, base.at, (*base.fields, *fields))
    return FieldAccess(base, tuple(fields))


def _primary(cursor: Cursor) -> Expression:
    token = cursor.token
    if token.kind in (TokenKind.STRING, TokenKind.NUMBER):
        cursor.next()
        while cursor.token.kind is TokenKind.STRING:  # a long literal in several parts
            cursor.next()
        return CONSTANT
    if token.key == "(":
        return _bracketed(cursor)
    if token.kind is TokenKind.WORD:
        return _word(cursor)
    if token.kind is TokenKind.QUOTED:
        return _name(cursor)
    if token.key in ("*", "?"):
        cursor.next()
        return CONSTANT
    raise cursor.error("expected an expression")


def _word(cursor: Cursor) -> Expression:
    key, after = cursor.key, cursor.ahead()
    if after in _ENDS and key != "CASE" and key not in _CONSTANTS:
        token = cursor.next()  # a plain column, as most words are
        return Name((token.value,), token.at, (), bare=True)
    if key == "CASE":
        return _case(cursor)
    if key == "INTERVAL" and (after == "'" or (after in ("+", "-") and cursor.ahead(2) == "'")):
        return _interval(cursor)
    if after == "'":  # DATE '…', TIMESTAMP '…', X'…' in several parts
        cursor.next()
        return _primary(cursor)
    if after == "(" or (after == "[" and key in ("ARRAY", "MAP", "MULTISET")):
        return _called(cursor, key)
    if after == "=>" and not cursor.flink:
        return _lambda(cursor)
    if key in (_CONSTANTS if cursor.flink else _LITERALS) and after not in (".", "->"):
        cursor.next()
        return CONSTANT
    return _name(cursor)


def _called(cursor: Cursor, key: str) -> Expression:
    if key == "EXISTS" or (key == "UNIQUE" and cursor.ahead(2) == "SELECT"):
        cursor.next()
        return _bracketed(cursor)
    if cursor.ahead() == "[":
        cursor.next()
        return _list(cursor)
    if key in ("CAST", "TRY_CAST"):
        return _cast(cursor)
    return calls.call(cursor, (cursor.next().key,))


def _name(cursor: Cursor) -> Expression:
    first = cursor.token
    parts = cursor.dotted()
    if cursor.key == "(":
        return calls.call(cursor, parts)
    return Name(parts, first.at, (), bare=len(parts) == 1 and first.kind is TokenKind.WORD)


def _bracketed(cursor: Cursor) -> Expression:
    """Parse the content of round brackets: a query, a row, lambda parameters, or one expression."""
    if not cursor.flink and _is_lambda(cursor):
        return _lambda(cursor)
    cursor.next()
    if starts_query(cursor) or (cursor.key == "(" and _holds_query(cursor)):
        query = cursor.query(cursor)
        cursor.expect(")")
        return Subquery(query)
    if cursor.accept(")"):
        return CONSTANT
    items = expressions(cursor)
    cursor.expect(")")
    return items[0] if len(items) == 1 else Operation(items)


def _holds_query(cursor: Cursor) -> bool:
    steps = cursor.brackets_ahead()
    return starts_query(cursor, steps) and _closes_as_query(cursor, steps)


def _closes_as_query(cursor: Cursor, depth: int) -> bool:
    """Return whether a query in *depth* brackets is the whole operand, and not the start of a larger one."""
    position = cursor.position
    cursor.position += depth - 1
    cursor.skip_brackets()
    after = cursor.key
    cursor.position = position
    return after in (")", "UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "LIMIT")


def _is_lambda(cursor: Cursor) -> bool:
    steps = 1
    while cursor.ahead(steps + 1) == ",":
        steps += 2
    return cursor.ahead(steps + 1) == ")" and cursor.ahead(steps + 2) == "=>"


def _lambda(cursor: Cursor) -> Expression:
    names = cursor.names() if cursor.key == "(" else (cursor.name(),)
    cursor.expect("=>")
    return Lambda(frozenset(names), expression(cursor))


def _list(cursor: Cursor) -> Expression:
    cursor.expect("[")
    if cursor.accept("]"):
        return CONSTANT
    items = expressions(cursor)
    cursor.expect("]")
    return Operation(items)


def _cast(cursor: Cursor) -> Expression:
    cursor.next()
    cursor.expect("(")
    operand = expression(cursor)
    cursor.expect("AS")
    if not cursor.accept("INTERVAL"):
        data_type(cursor)
    elif not cursor.skip_until(")"):
        raise cursor.error("expected )")
    cursor.expect(")")
    return Operation((operand, CONSTANT))


def _interval(cursor: Cursor) -> Expression:
    cursor.next()
    cursor.accept_any("+", "-")
    cursor.next()
    while cursor.key in UNITS or (cursor.key == "TO" and cursor.ahead() in UNITS):
        cursor.next()
        if cursor.key == "(":
            cursor.skip_brackets()
    return CONSTANT


def _case(cursor: Cursor) -> Expression:
    cursor.next()
    conditions: list[Expression] = []
    results: list[Expression] = []
    if cursor.key != "WHEN":
        conditions.append(expression(cursor))
    while cursor.accept("WHEN"):
        conditions += expressions(cursor)
        cursor.expect("THEN")
        results.append(expression(cursor))
    if cursor.accept("ELSE"):
        results.append(expression(cursor))
    cursor.expect("END")
    return Conditional(tuple(conditions), tuple(results))

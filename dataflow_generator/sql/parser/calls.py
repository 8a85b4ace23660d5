"""Parse function calls, including the keywords that some functions take between their arguments."""

from __future__ import annotations

from dataclasses import replace

from dataflow_generator.sql.lexer import TokenKind, words
from dataflow_generator.sql.nodes import (
    CONSTANT,
    Call,
    Conditional,
    DerivedTable,
    Descriptor,
    Expression,
    ModelArgument,
    Name,
    Operation,
    Parts,
    Relation,
    StructConstructor,
    Subquery,
    TableArgument,
    Window,
)
from dataflow_generator.sql.parser import relations
from dataflow_generator.sql.parser.cursor import UNITS, Cursor, expressions, sort_keys, starts_query
from dataflow_generator.sql.parser.tables import data_type

_WORDS = {
    "TRIM": frozenset(("BOTH", "LEADING", "TRAILING", "FROM")),
    "OVERLAY": frozenset(("PLACING", "FROM", "FOR")),
    "SUBSTRING": frozenset(("FROM", "FOR")),
    "POSITION": frozenset(("IN", "FROM")),
    "CONVERT": frozenset(("USING",)),
    "TRANSLATE": frozenset(("USING",)),
}
_JSON = words(
    "NULL ON ERROR EMPTY DEFAULT WITH WITHOUT CONDITIONAL UNCONDITIONAL WRAPPER ARRAY ABSENT KEY VALUE FORMAT JSON"
    " TRUE FALSE UNKNOWN OBJECT STRICT LAX ENCODING"
)
_NONE: frozenset[str] = frozenset()
_UNIT_FIRST = words(
    "TIMESTAMPADD TIMESTAMPDIFF TIMESTAMPSUB DATEADD DATESUB DATEDIFF TIMEADD TIMESUB EXTRACT DATE_ADD DATE_SUB"
)
_UNIT_LAST = ("CEIL", "CEILING", "FLOOR")
_CONDITION_FIRST = ("IF", "IIF")
_TABLE_FIRST = ("KEY_SEARCH_AGG", "TEXT_SEARCH_AGG", "VECTOR_SEARCH_AGG")
"""Confluent's functions that search a table, which is passed by name."""


def call(cursor: Cursor, name: Parts) -> Expression:
    """Parse a call from its opening bracket; *name* is the function's name."""
    at = cursor.token.at
    cursor.expect("(")
    cursor.enter()
    known = name[-1].upper()
    if known == "DESCRIPTOR":
        result: Expression = _descriptor(cursor)
    elif known == "STRUCT" and cursor.ahead() == ":=":
        result = _structure(cursor)
    else:
        arguments, order, names = _arguments(cursor, known)
        cursor.expect(")")
        result = _after(cursor, ".".join((*name[:-1], known)), arguments, order, at)
        if any(names) and isinstance(result, Call):
            result = replace(result, names=names)
    cursor.leave()
    return result


def _descriptor(cursor: Cursor) -> Expression:
    cursor.position -= 1
    at = cursor.token.at
    cursor.next()
    columns = []
    while not cursor.accept(")"):
        columns.append(Name(cursor.dotted(), at))
        if cursor.is_name():
            data_type(cursor)
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.error("expected , or )")
    return Descriptor(tuple(columns))


def _structure(cursor: Cursor) -> Expression:
    fields = []
    while not cursor.accept(")"):
        name = cursor.next().value
        cursor.expect(":=")
        fields.append((name, cursor.expression(cursor)))
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.error("expected , or )")
    return StructConstructor(tuple(fields))


def _after(
    cursor: Cursor, name: str, arguments: tuple[Expression, ...], order: tuple[Expression, ...], at: int
) -> Expression:
    """Parse clauses after the closing bracket, and build the call."""
    if name in _CONDITION_FIRST and len(arguments) == 3:
        return Conditional(arguments[:1], arguments[1:])
    if name == "NULLIF" and len(arguments) == 2:
        return Conditional(arguments, arguments[:1])
    if cursor.accept("WITHIN", "GROUP"):
        cursor.expect("(", "ORDER", "BY")
        order = (*order, *sort_keys(cursor))
        cursor.expect(")")
    condition = None
    if cursor.accept("FILTER", "(", "WHERE"):
        condition = cursor.expression(cursor)
        cursor.expect(")")
    if cursor.key in ("IGNORE", "RESPECT") and cursor.ahead() == "NULLS":
        cursor.next()
        cursor.next()
    over = None
    if cursor.key == "OVER" and (cursor.ahead() == "(" or cursor.flink):
        cursor.next()
        over = window(cursor)
    return Call(name, arguments, at, over, condition, order)


def window(cursor: Cursor) -> Window:
    """Parse what follows OVER: a window's name, or a window definition."""
    if cursor.key != "(":
        return Window(cursor.name())
    cursor.next()
    base = ""
    if cursor.key not in ("PARTITION", "ORDER", "RANGE", "ROWS", ")"):
        base = cursor.name()
    partition: tuple[Expression, ...] = ()
    order: tuple[Expression, ...] = ()
    if cursor.accept("PARTITION", "BY"):
        partition = expressions(cursor)
    if cursor.accept("ORDER", "BY"):
        order = sort_keys(cursor)
    cursor.skip_until(")")
    cursor.expect(")")
    return Window(base, partition, order)


def _arguments(cursor: Cursor, name: str) -> tuple[tuple[Expression, ...], tuple[Expression, ...], Parts]:
    """Parse the arguments of a call, the sort keys inside its brackets, and the names of the arguments."""
    arguments: list[Expression] = []
    names: list[str] = []
    order: tuple[Expression, ...] = ()
    words = _JSON if name.startswith("JSON_") and cursor.flink else _WORDS.get(name, _NONE)
    if name == "EXTRACT":
        cursor.next()
        cursor.expect("FROM")
    while cursor.key != ")":
        if cursor.accept(",") or cursor.accept_any("DISTINCT", "ALL"):
            continue
        if cursor.key in words and cursor.ahead() not in (",", ".", "->") and not _is_last(cursor, words):
            cursor.next()
        elif cursor.accept("RETURNING"):
            data_type(cursor)
        elif arguments and cursor.accept("ORDER", "BY"):
            order = sort_keys(cursor)
        elif arguments and cursor.key in ("IGNORE", "RESPECT") and cursor.ahead() == "NULLS":
            cursor.next()
            cursor.next()
        elif name in _UNIT_LAST and cursor.accept("TO"):
            cursor.next()
        else:
            named = cursor.flink and cursor.is_name() and cursor.ahead() == "=>"
            names.append(cursor.next().value.upper() if named else "")
            if named:
                cursor.next()
            arguments.append(_argument(cursor, name, first=not arguments))
    return tuple(arguments), order, tuple(names)


def _is_last(cursor: Cursor, words: frozenset[str]) -> bool:
    """Return whether a possible keyword is a column: it is the last token before the bracket."""
    return words is not _JSON and cursor.ahead() == ")"


def _argument(cursor: Cursor, name: str, *, first: bool) -> Expression:
    """Parse one argument.

    Raises UnparsedError where the previous argument does not end with a comma or a keyword.
    """
    special = _special_argument(cursor, name, first=first)
    if special is not None:
        return special
    if first and name in _UNIT_FIRST and cursor.key in UNITS and cursor.ahead() == ",":
        cursor.next()
        return CONSTANT
    argument = cursor.expression(cursor)
    if isinstance(argument, Subquery) and (cursor.key, cursor.ahead()) in (("PARTITION", "BY"), ("ORDER", "BY")):
        return _partitioned(cursor, DerivedTable(argument.query))
    if cursor.accept(":="):
        argument = Operation((argument, cursor.expression(cursor)))
    elif cursor.accept("AS"):  # a row's field name
        cursor.next()
    elif cursor.token.kind is TokenKind.END:
        raise cursor.error("expected )")
    return argument


def _special_argument(cursor: Cursor, name: str, *, first: bool) -> Expression | None:
    """Parse an argument that is a model, a query or a table; None where it is a value."""
    if cursor.key == "MODEL" and cursor.ahead() not in (",", ")", ".", "->"):
        cursor.next()
        return ModelArgument(cursor.dotted())
    if starts_query(cursor):  # ARRAY(SELECT …)
        return Subquery(cursor.query(cursor))
    if first and cursor.flink and name in _TABLE_FIRST and cursor.is_name():
        return TableArgument(relations.table(cursor))
    if cursor.key == "TABLE" and cursor.ahead() not in (",", ")", ".", "->", "="):
        return _table(cursor)
    return None


def _table(cursor: Cursor) -> Expression:
    cursor.next()
    if cursor.accept("("):
        if starts_query(cursor):
            relation: Relation = relations.derived(cursor)
        else:
            cursor.accept("TABLE")
            relation = relations.table(cursor)
        cursor.expect(")")
    else:
        relation = relations.table(cursor)
    cursor.accept("AS")
    if cursor.is_name() and cursor.key not in ("PARTITION", "ORDER"):
        relation = relations.renamed(cursor, relation)
    return _partitioned(cursor, relation)


def _partitioned(cursor: Cursor, relation: Relation) -> TableArgument:
    keys = _keys(cursor) if cursor.accept("PARTITION", "BY") else ()
    order = _keys(cursor, sorted_by=True) if cursor.accept("ORDER", "BY") else ()
    return TableArgument(relation, keys, order)


def _keys(cursor: Cursor, *, sorted_by: bool = False) -> tuple[Expression, ...]:
    if cursor.accept("("):
        keys = sort_keys(cursor) if sorted_by else expressions(cursor)
        cursor.expect(")")
        return keys
    keys = (cursor.expression(cursor),)  # a comma after it separates arguments
    cursor.accept_any("ASC", "DESC")
    return keys

"""Parse the FROM clause: tables, queries, functions, joins, temporal tables, MATCH_RECOGNIZE."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator.sql.lexer import TokenKind, hint_options, words
from dataflow_generator.sql.nodes import (
    Aliased,
    Call,
    DerivedTable,
    Expression,
    Join,
    Joined,
    MatchRecognize,
    Name,
    Operation,
    Pivot,
    Relation,
    Table,
    TableFunction,
    TemporalTable,
    Unnest,
    Unpivot,
)
from dataflow_generator.sql.parser.cursor import Cursor, expressions, on_conflict, sort_keys, starts_query

_SIDES = ("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "OUTER", "SEMI", "ANTI", "ASOF")
_AFTER = words(
    "JOIN INNER LEFT RIGHT FULL OUTER CROSS NATURAL ON USING WITHIN GRACE FOR MATCH_RECOGNIZE TABLESAMPLE LATERAL WHERE"
    " GROUP HAVING ORDER LIMIT OFFSET FETCH UNION EXCEPT INTERSECT MINUS WINDOW QUALIFY EMIT PARTITION SET PIVOT"
    " UNPIVOT AS"
)


def relation(cursor: Cursor) -> Relation:
    """Parse a relation with its joins."""
    first = _aliased(cursor)
    joins: list[Join] = []
    while joined := _join(cursor):
        joins.append(joined)
    return Joined(first, tuple(joins)) if joins else first


def table(cursor: Cursor) -> Relation:
    """Parse a table's name."""
    at = cursor.token.at
    return Table(cursor.dotted(), at, hint_options(cursor.last_token))


def derived(cursor: Cursor) -> Relation:
    """Parse a query as a relation."""
    return DerivedTable(cursor.query(cursor))


def renamed(cursor: Cursor, relation_: Relation) -> Relation:
    """Parse the alias of *relation_*, and its column aliases if there are any."""
    name = cursor.name()
    return Aliased(relation_, name, cursor.names() if cursor.key == "(" else ())


def _join(cursor: Cursor) -> Join | None:
    if cursor.accept(","):
        return Join(_aliased(cursor))
    natural = cursor.accept("NATURAL")
    sides = set()
    while cursor.key in _SIDES:
        sides.add(cursor.next().key)
    if not cursor.accept("JOIN"):
        if natural or sides:
            raise cursor.error("expected JOIN")
        return None
    target = _aliased(cursor)
    _within(cursor)
    if cursor.accept("USING"):
        return Join(target, using=cursor.names(), full="FULL" in sides)
    condition = cursor.expression(cursor) if not on_conflict(cursor) and cursor.accept("ON") else None
    semi = bool(sides & {"SEMI", "ANTI"})
    return Join(target, condition, natural=natural, full="FULL" in sides, semi=semi)


def _within(cursor: Cursor) -> None:
    """Skip ksqlDB's WITHIN and GRACE PERIOD."""
    if cursor.accept("WITHIN"):
        if cursor.key == "(":
            cursor.skip_brackets()
        else:
            cursor.next()
            cursor.next()
    if cursor.accept("GRACE", "PERIOD"):
        cursor.next()
        cursor.next()


def _aliased(cursor: Cursor) -> Relation:
    result = _temporal(cursor, _primary(cursor))
    while True:
        if cursor.accept("MATCH_RECOGNIZE"):
            result = _matched(cursor, result)
        elif cursor.key in ("PIVOT", "UNPIVOT") and cursor.flink:
            result = _pivoted(cursor, result)
        elif cursor.accept("TABLESAMPLE"):
            cursor.next()
            cursor.skip_brackets()
        elif cursor.accept("AS") or (cursor.is_name() and not _ends(cursor)):
            result = _temporal(cursor, renamed(cursor, result))
        else:
            return result


def _ends(cursor: Cursor) -> bool:
    token = cursor.token
    return token.kind is TokenKind.WORD and token.key in _AFTER


def _temporal(cursor: Cursor, inner: Relation) -> Relation:
    if cursor.accept("FOR", "SYSTEM_TIME", "AS", "OF") or cursor.accept("FOR", "SYSTEM", "TIME", "AS", "OF"):
        return TemporalTable(inner, cursor.expression(cursor))
    return inner


def _primary(cursor: Cursor) -> Relation:
    cursor.accept("LATERAL")
    key, after = cursor.key, cursor.ahead()
    if key == "(":
        return _bracketed(cursor)
    if key == "TABLE" and after == "(":
        cursor.next()
        cursor.next()
        result = _function(cursor)
        cursor.expect(")")
        return result
    if key == "UNNEST" and after == "(":
        return _unnested(cursor)
    if (
        key in ("TABLE", "STREAM")
        and cursor.flink
        and cursor.token.kind is TokenKind.WORD
        and after not in (",", ")", ".")
    ):
        cursor.next()  # the explicit table of `TABLE t`
    start = cursor.position
    result = table(cursor)
    if cursor.key == "(":
        cursor.position = start
        return _function(cursor)
    return result


def _bracketed(cursor: Cursor) -> Relation:
    with cursor.deeper():
        cursor.expect("(")
        is_query = starts_query(cursor, cursor.brackets_ahead())
        result = derived(cursor) if is_query and not _is_join(cursor) else relation(cursor)
        cursor.expect(")")
        return result


def _is_join(cursor: Cursor) -> bool:
    """Return whether a bracketed query here is only the first of several joined relations."""
    if cursor.key != "(":
        return False
    start = cursor.position
    cursor.skip_brackets()
    after = cursor.key
    cursor.position = start
    return after not in (")", "UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "LIMIT", "")


def _function(cursor: Cursor) -> Relation:
    if starts_query(cursor):
        return derived(cursor)
    if cursor.key == "TABLE":
        cursor.next()
        return table(cursor)
    at = cursor.token
    value = cursor.expression(cursor)
    return TableFunction(value if isinstance(value, Call) else Call(at.key, (value,), at.at))


def _unnested(cursor: Cursor) -> Relation:
    cursor.next()
    cursor.expect("(")
    values = expressions(cursor)
    cursor.expect(")")
    numbered = cursor.accept("WITH", "ORDINALITY")
    return Unnest(values[0] if len(values) == 1 else Operation(values), numbered)


def _pivoted(cursor: Cursor, inner: Relation) -> Relation:
    if cursor.accept("PIVOT"):
        cursor.expect("(")
        aggregates = _aggregates(cursor)
        cursor.expect("FOR")
        at = cursor.token.at
        axes = tuple(Name((name,), at) for name in _one_or_more(cursor))
        values = tuple(alias or _text(cursor, start, end) for _, alias, start, end in _in_list(cursor))
        cursor.expect(")")
        return Pivot(inner, aggregates, axes, values)
    cursor.expect("UNPIVOT")
    if cursor.accept_any("INCLUDE", "EXCLUDE"):
        cursor.expect("NULLS")
    cursor.expect("(")
    measures = _one_or_more(cursor)
    cursor.expect("FOR")
    names = _one_or_more(cursor)
    columns = tuple(listed for listed, *_ in _in_list(cursor))
    cursor.expect(")")
    return Unpivot(inner, measures, names, columns)


def _aggregates(cursor: Cursor) -> tuple[tuple[str, Expression], ...]:
    """Parse what PIVOT computes, each with its alias or the empty string."""
    aggregates: list[tuple[str, Expression]] = []
    while not aggregates or cursor.accept(","):
        value = cursor.expression(cursor)
        is_named = cursor.accept("AS") or (cursor.is_name() and cursor.key != "FOR")
        aggregates.append((cursor.name() if is_named else "", value))
    return tuple(aggregates)


def _in_list(cursor: Cursor) -> Iterator[tuple[tuple[Expression, ...], str, int, int]]:
    """Yield the items of IN: their expressions, the alias or the empty string, and where their tokens start and end."""
    cursor.expect("IN", "(")
    while not cursor.accept(")"):
        start = cursor.position
        listed = _bracketed_expressions(cursor)
        end, alias = cursor.position, ""
        if cursor.accept("AS") or cursor.is_name():
            alias = cursor.next().value if cursor.key != "(" else ""
            if not alias:
                cursor.skip_brackets()
        yield listed, alias, start, end
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.error("expected , or )")


def _text(cursor: Cursor, start: int, end: int) -> str:
    """Return the name of a column for a value without an alias: the value as SQL, several joined by `_`."""
    tokens = cursor.between(start, end)
    listed = [token for token in tokens if token.key not in ("(", ")")]
    return "".join(
        "_" if token.key == "," else f"'{token.value}'" if token.kind is TokenKind.STRING else token.value
        for token in listed
    )


def _one_or_more(cursor: Cursor) -> tuple[str, ...]:
    return cursor.names() if cursor.key == "(" else (cursor.name(),)


def _bracketed_expressions(cursor: Cursor) -> tuple[Expression, ...]:
    """Parse one expression, or several in brackets."""
    if not cursor.accept("("):
        return (cursor.expression(cursor),)
    listed = expressions(cursor)
    cursor.expect(")")
    return listed


def _matched(cursor: Cursor, inner: Relation) -> Relation:
    cursor.expect("(")
    partition: tuple[Expression, ...] = ()
    order: tuple[Expression, ...] = ()
    if cursor.accept("PARTITION", "BY"):
        partition = expressions(cursor)
    if cursor.accept("ORDER", "BY"):
        order = sort_keys(cursor)
    measures = _named(cursor) if cursor.accept("MEASURES") else ()
    start = cursor.position
    if not cursor.skip_until("PATTERN"):
        raise cursor.error("expected PATTERN")
    all_rows = "ALL" in [cursor.ahead(start - cursor.position), cursor.ahead(start - cursor.position + 1)]
    cursor.next()
    variables = _pattern(cursor)
    definitions: tuple[Expression, ...] = ()
    if cursor.skip_until("DEFINE"):
        cursor.next()
        definitions = _definitions(cursor)
    cursor.expect(")")
    return MatchRecognize(inner, partition, order, measures, definitions, variables, all_rows)


def _pattern(cursor: Cursor) -> frozenset[str]:
    """Parse the names of a pattern's variables, and of SUBSET's."""
    start = cursor.position
    cursor.skip_brackets()
    end = cursor.position
    cursor.position = start
    variables = set()
    while cursor.position < end or cursor.key not in ("DEFINE", ")", ""):
        if cursor.key == "(" and cursor.position >= end:
            cursor.names()  # a subset's members, which the pattern names
            continue
        token = cursor.next()
        if token.kind <= TokenKind.QUOTED:
            variables.add(token.value)
    return frozenset(variables)


def _named(cursor: Cursor) -> tuple[tuple[str, Expression], ...]:
    items = []
    while True:
        if cursor.key in ("FINAL", "RUNNING") and cursor.ahead() not in (".", ",", "AS"):
            cursor.next()
        value = cursor.expression(cursor)
        cursor.accept("AS")
        items.append((cursor.name(), value))
        if not cursor.accept(","):
            return tuple(items)


def _definitions(cursor: Cursor) -> tuple[Expression, ...]:
    conditions = []
    while True:
        cursor.name()
        cursor.expect("AS")
        conditions.append(cursor.expression(cursor))
        if not cursor.accept(","):
            return tuple(conditions)

"""Parse statements: their kind, and the parts that move data or define columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from dataflow_generator.sql.lexer import Dialect, Token, TokenKind, hint_options, split_statements, tokenize
from dataflow_generator.sql.nodes import (
    CreateTypeStatement,
    DropStatement,
    InsertStatement,
    OtherStatement,
    SelectStatement,
    SessionStatement,
    Statement,
)
from dataflow_generator.sql.parser.cursor import Cursor, NotReadError, on_conflict, starts_query
from dataflow_generator.sql.parser.expressions import expression
from dataflow_generator.sql.parser.queries import query
from dataflow_generator.sql.parser.tables import alteration, data_type, definition, model
from scanner_model.sql_statements import NO_DATA, NO_DATA_OBJECTS, unread_reason

_CACHED_TEXTS, _LONGEST_CACHED = 1_024, 10_000
"""How many texts are kept parsed, and the number of characters from which a text is too long for it."""
_NO_COLLECTIONS = NO_DATA_OBJECTS | {"CONNECTOR", "SINK", "SOURCE"}
_MOST_WORDS = 8
"""How many words decide what a statement is."""
_MODIFIERS = ("TEMPORARY", "SYSTEM", "SOURCE", "MATERIALIZED")
_BEFORE: tuple[tuple[str, ...], ...] = (
    ("EXECUTE", "STATEMENT", "SET", "BEGIN"),
    ("STATEMENT", "SET", "BEGIN"),
    ("BEGIN", "STATEMENT", "SET"),
    ("EXECUTE",),
)


def cursor_of(tokens: Sequence[Token], dialect: Dialect) -> Cursor:
    """Return a cursor at the start of *tokens* that can parse expressions and queries."""
    return Cursor(tokens, dialect, expression, query)


class ParsedStatement(NamedTuple):
    """The tokens of a statement, and its tree: None where nothing follows the words around a statement set.

    *opening* is the key of the first token, *start* the number of tokens before those of the tree. *error* is why there
    is not a tree.
    """

    tokens: Sequence[Token]
    opening: str
    start: int = 0
    tree: Statement | None = None
    error: Exception | None = None


def parse_text(text: str, dialect: Dialect) -> tuple[ParsedStatement, ...]:
    """Parse every statement of *text*; trees of recent texts are kept, which are analyzed with several catalogs."""
    return (_parse_short if len(text) <= _LONGEST_CACHED else _parse_text)(text, dialect)


def parse_tokens(tokens: Sequence[Token], dialect: Dialect) -> ParsedStatement:
    """Parse the tokens of one statement; a statement that cannot be parsed has an error."""
    cursor = cursor_of(tokens, dialect)
    opening = cursor.key
    try:
        if not lead_in(cursor):
            return ParsedStatement(tokens, opening)
        return ParsedStatement(tokens, opening, cursor.position, statement(cursor))
    except Exception as error:  # noqa: BLE001 - statements are free input: a defect here must not end a scan
        return ParsedStatement(tokens, opening, error=error.with_traceback(None))


def _parse_text(text: str, dialect: Dialect) -> tuple[ParsedStatement, ...]:
    return tuple(parse_tokens(tokens, dialect) for tokens in split_statements(tokenize(text, dialect)))


_parse_short = lru_cache(maxsize=_CACHED_TEXTS)(_parse_text)


def statement(cursor: Cursor) -> Statement:
    """Parse one statement; raises UnparsedError where it is unknown."""
    parsed = _statement(cursor)
    if not isinstance(parsed, OtherStatement) and cursor.token.kind is not TokenKind.END and _must_end(parsed):
        raise cursor.error("expected the end of the statement")
    return parsed


def lead_in(cursor: Cursor) -> bool:
    """Take the words that open or close a statement set; return whether a statement follows."""
    if cursor.accept("COMPILE", "AND", "EXECUTE", "PLAN"):
        cursor.skip_until("FOR")
        cursor.accept("FOR")
    for opening in _BEFORE:
        if cursor.accept(*opening):
            break
    if cursor.key == "END" and cursor.ahead() == "":
        cursor.next()
    return cursor.token.kind is not TokenKind.END


def _must_end(parsed: Statement) -> bool:
    return isinstance(parsed, (InsertStatement, SelectStatement)) or getattr(parsed, "query", None) is not None


def _statement(cursor: Cursor) -> Statement:
    key = cursor.key
    opening = tuple(cursor.ahead(steps) for steps in range(_MOST_WORDS))
    if cursor.token.kind is TokenKind.WORD and (why := unread_reason(opening)):
        raise NotReadError(why, cursor.token)
    if starts_query(cursor) or key == "(" or (key == "TABLE" and cursor.flink):
        return SelectStatement("SELECT", query(cursor))
    if key in _READERS and cursor.token.kind is TokenKind.WORD:
        cursor.next()
        return _READERS[key](cursor)
    if key in NO_DATA:
        return OtherStatement(key)
    raise cursor.error("expected a statement")


def _create(cursor: Cursor) -> Statement:
    cursor.accept("OR", "REPLACE")
    cursor.accept("OR", "ALTER")
    words = ["CREATE"]
    while cursor.key in _MODIFIERS and cursor.ahead() != "CONNECTOR":
        words.append(cursor.next().key)
    what = cursor.next().key
    kind = " ".join([*words, what])
    if what in ("TABLE", "STREAM", "VIEW"):
        return definition(cursor, kind, view=what == "VIEW")
    if what == "TYPE":
        return _type(cursor, kind)
    if what == "MODEL":
        return model(cursor, kind)
    return _ignored_statement(cursor, kind, what)


def _ignored_statement(cursor: Cursor, kind: str, what: str) -> Statement:
    if what not in _NO_COLLECTIONS:
        raise cursor.error("expected TABLE, STREAM, VIEW or another object")
    return OtherStatement(kind)


def _type(cursor: Cursor, kind: str) -> Statement:
    cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name()
    cursor.expect("AS")
    return CreateTypeStatement(kind, name, data_type(cursor))


def _replace(cursor: Cursor) -> Statement:
    cursor.expect("TABLE")
    return definition(cursor, "REPLACE TABLE", view=False)


def _drop(cursor: Cursor) -> Statement:
    words = ["DROP"]
    while cursor.key in _MODIFIERS:
        words.append(cursor.next().key)
    what = cursor.next().key
    kind = " ".join([*words, what])
    if what not in ("TABLE", "STREAM", "VIEW"):
        return OtherStatement(kind) if what == "TYPE" else _ignored_statement(cursor, kind, what)
    cursor.accept("IF", "EXISTS")
    return DropStatement(kind, cursor.dotted())


def _alter(cursor: Cursor) -> Statement:
    words = ["ALTER"]
    while cursor.key in _MODIFIERS:
        words.append(cursor.next().key)
    what = cursor.next().key
    kind = " ".join([*words, what])
    if what in ("TABLE", "STREAM", "VIEW"):
        return alteration(cursor, kind)
    return _ignored_statement(cursor, kind, what)


def _insert(cursor: Cursor) -> Statement:
    kind = f"INSERT {cursor.accept_any('INTO', 'OVERWRITE') or 'INTO'}"
    cursor.accept("TABLE")
    at = cursor.token.at
    name = cursor.dotted()
    options = hint_options(cursor.last_token)
    fixed = _partition(cursor) if cursor.accept("PARTITION") else ()
    columns = None
    if cursor.key == "(" and not starts_query(cursor, 1) and cursor.ahead() != "(":
        columns = _columns(cursor)
    if cursor.accept("WITH", "("):  # ksqlDB's options of the sink
        cursor.position -= 1
        cursor.skip_brackets()
    inserted = query(cursor)
    if on_conflict(cursor):
        _conflict(cursor)
    return InsertStatement(kind, name, at, inserted, columns, fixed, options)


def _conflict(cursor: Cursor) -> None:
    """Skip how Flink resolves rows with the same key: the columns are the same in each case."""
    cursor.expect("ON", "CONFLICT", "DO")
    if not cursor.accept_any("NOTHING", "ERROR", "DEDUPLICATE"):
        raise cursor.error("expected NOTHING, ERROR or DEDUPLICATE")


def _columns(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    names = [cursor.dotted()[-1]]
    while cursor.accept(","):
        names.append(cursor.dotted()[-1])
    cursor.expect(")")
    return tuple(names)


def _partition(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    constants = []
    while not cursor.accept(")"):
        name = cursor.name()
        if cursor.accept("="):
            expression(cursor)
            constants.append(name)
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.error("expected , or )")
    return tuple(constants)


def _use(cursor: Cursor) -> Statement:
    if cursor.accept("CATALOG"):
        return SessionStatement("USE CATALOG", "catalog", (cursor.name(),))
    if cursor.accept("MODULES"):
        return OtherStatement("USE MODULES")
    return SessionStatement("USE", "database", cursor.dotted())


def _set(cursor: Cursor) -> Statement:
    """Parse Flink's `SET 'key' = 'value'`; any other form sets nothing that matters here."""
    name, sign, value = cursor.token, cursor.ahead(), cursor.ahead(2)
    if name.kind is not TokenKind.STRING or (sign, value) != ("=", "'"):
        return OtherStatement("SET")
    cursor.next()
    cursor.next()
    return SessionStatement("SET", "setting", (cursor.next().value,), name.value)


def _reset(cursor: Cursor) -> Statement:
    name = cursor.token.value if cursor.token.kind is TokenKind.STRING else ""
    return SessionStatement("RESET", "setting", (), name)


def _define(cursor: Cursor) -> Statement:
    name = cursor.name()
    cursor.expect("=")
    return SessionStatement("DEFINE", "variable", (cursor.next().value,), name)


def _undefine(cursor: Cursor) -> Statement:
    return SessionStatement("UNDEFINE", "variable", (), cursor.name())


_READERS: Mapping[str, Callable[[Cursor], Statement]] = {
    "CREATE": _create,
    "REPLACE": _replace,
    "DROP": _drop,
    "ALTER": _alter,
    "INSERT": _insert,
    "USE": _use,
    "SET": _set,
    "RESET": _reset,
    "DEFINE": _define,
    "UNDEFINE": _undefine,
}

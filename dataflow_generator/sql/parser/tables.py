"""Parse CREATE and ALTER of tables, streams and views: columns, options, LIKE, and the query after AS."""

from __future__ import annotations

from dataflow_generator.sql.lexer import TokenKind
from dataflow_generator.sql.nodes import (
    AlterStatement,
    ColumnDefinition,
    ColumnKind,
    CreateModelStatement,
    CreateStatement,
    Parts,
    SqlType,
    Statement,
)
from dataflow_generator.sql.parser.cursor import Cursor, starts_query

_STRUCTURES = ("ROW", "STRUCT")
_COLLECTIONS = ("ARRAY", "MULTISET")


def data_type(cursor: Cursor) -> SqlType:
    """Parse a data type with its nested fields; nullability and comments are skipped."""
    with cursor.deeper():
        name = ".".join(cursor.dotted())
        result = _of(cursor, name.upper() if cursor.last_token.kind is TokenKind.WORD else name)
        cursor.accept_any("PRECISION", "VARYING")
        if cursor.accept("CHARACTER", "SET"):  # as Flink's planner writes types of texts
            cursor.next()
        if cursor.accept("COLLATE"):
            cursor.next()
        _time_zone(cursor)
        while cursor.key in _COLLECTIONS:  # the legacy form `INT ARRAY`
            result = SqlType(cursor.next().key, element=result)
        if cursor.key == "NULL":
            cursor.next()
        cursor.accept("NOT", "NULL")
        return result


def _of(cursor: Cursor, name: str) -> SqlType:
    if name in _STRUCTURES and cursor.key in ("<", "("):
        return SqlType(name, _fields(cursor, ">" if cursor.next().key == "<" else ")"))
    if name in _STRUCTURES and cursor.accept("<>"):
        return SqlType(name)
    if name in _COLLECTIONS and cursor.accept("<"):
        element = data_type(cursor)
        cursor.expect(">")
        return SqlType(name, element=element)
    if name == "MAP" and cursor.accept("<"):
        data_type(cursor)
        cursor.expect(",")
        element = data_type(cursor)
        cursor.expect(">")
        return SqlType(name, element=element)
    if cursor.key == "(":
        cursor.skip_brackets()
    return SqlType(name)


def _fields(cursor: Cursor, closing: str) -> tuple[tuple[str, SqlType], ...]:
    fields = []
    while not cursor.accept(closing):
        name = cursor.name()
        fields.append((name, data_type(cursor)))
        if cursor.token.kind is TokenKind.STRING or cursor.accept("COMMENT"):
            cursor.next()
        if not cursor.accept(",") and cursor.key != closing:
            raise cursor.error(f"expected , or {closing}")
    return tuple(fields)


def _time_zone(cursor: Cursor) -> None:
    for words in (("WITH", "TIME", "ZONE"), ("WITH", "LOCAL", "TIME", "ZONE"), ("WITHOUT", "TIME", "ZONE")):
        if cursor.accept(*words):
            return


_UNTYPED = SqlType("")
_CLAUSES = ("WITH", "LIKE", "AS")
_CONSTRAINTS = ("PRIMARY", "CONSTRAINT", "UNIQUE", "CHECK")
_ALL = frozenset(("GENERATED", "METADATA", "OPTIONS", "WATERMARKS", "CONSTRAINTS", "PARTITIONS", "DISTRIBUTION"))


def definition(cursor: Cursor, kind: str, *, view: bool) -> CreateStatement:
    """Parse a definition from its name; clauses that define neither columns nor data are skipped."""
    cursor.accept("IF", "NOT", "EXISTS")
    at = cursor.token.at
    if cursor.key in _CLAUSES:  # reserved words in both dialects
        raise cursor.error("expected a name")
    name = cursor.dotted()
    columns: tuple[ColumnDefinition, ...] | None = None
    if cursor.key == "(":
        columns = _elements(cursor)
    given: tuple[tuple[str, str], ...] = ()
    like: Parts = ()
    excluded: frozenset[str] = frozenset()
    while cursor.skip_until(*_CLAUSES):
        word = cursor.next().key
        if word == "WITH" and cursor.key == "(":
            given = options(cursor)
        elif word == "LIKE":
            like = cursor.dotted()
            excluded = _excluded(cursor) if cursor.key == "(" else excluded
        elif word == "AS" and (starts_query(cursor) or cursor.key in ("(", "TABLE")):
            query = cursor.query(cursor)
            names = tuple(column.name for column in columns or () if column.type is _UNTYPED)
            kind += " AS SELECT" if not view else ""
            return CreateStatement(kind, name, at, columns, given, like, excluded, query, view, names)
        elif word == "AS":
            raise cursor.error("expected a query after AS")
    return CreateStatement(kind, name, at, columns, given, like, excluded, view=view)


def model(cursor: Cursor, kind: str) -> CreateModelStatement:
    """Parse a model from its name."""
    cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.dotted()
    columns: tuple[ColumnDefinition, ...] = ()
    if cursor.skip_until("OUTPUT") and cursor.ahead() == "(":
        cursor.next()
        columns = _elements(cursor)
    return CreateModelStatement(kind, name, tuple(column.name for column in columns))


def alteration(cursor: Cursor, kind: str) -> Statement:
    """Parse what ALTER changes in a table's columns, name and options; other changes are ignored."""
    cursor.accept("IF", "EXISTS")
    name = cursor.dotted()
    match cursor.next().key:
        case "ADD":
            return AlterStatement(kind, name, added=_added(cursor))
        case "DROP" if cursor.key not in ("CONSTRAINT", "PRIMARY", "WATERMARK", "PARTITION", "DISTRIBUTION"):
            cursor.accept("COLUMN")
            cursor.accept("IF", "EXISTS")
            return AlterStatement(kind, name, dropped=cursor.names() if cursor.key == "(" else cursor.dotted()[:1])
        case "RENAME":
            return _renaming(cursor, kind, name)
        case "SET" if cursor.key == "(":
            return AlterStatement(kind, name, options=options(cursor))
        case "AS" if starts_query(cursor):
            query = cursor.query(cursor)
            return CreateStatement(kind, name, 0, query=query, view="VIEW" in kind)
    return AlterStatement(kind, name)


def _renaming(cursor: Cursor, kind: str, name: Parts) -> AlterStatement:
    if cursor.accept("TO"):
        return AlterStatement(kind, name, new_name=cursor.dotted())
    old = cursor.dotted()
    cursor.expect("TO")
    new = cursor.dotted()
    # Renaming a nested field changes no top-level column.
    return AlterStatement(kind, name, renamed=((old[0], new[0]),) if len(old) == 1 else ())


def _added(cursor: Cursor) -> tuple[ColumnDefinition, ...]:
    if cursor.key == "(":
        return _elements(cursor)
    columns: list[ColumnDefinition] = []
    while True:
        cursor.accept("COLUMN")
        cursor.accept("IF", "NOT", "EXISTS")
        if not cursor.is_name() or (cursor.key in _CONSTRAINTS and cursor.ahead() != ","):
            return tuple(columns)
        columns.append(_column(cursor))
        cursor.skip_until(",", "ADD")
        if not cursor.accept_any(",", "ADD"):
            return tuple(columns)
        cursor.accept("ADD")


def _elements(cursor: Cursor) -> tuple[ColumnDefinition, ...]:
    cursor.expect("(")
    columns: list[ColumnDefinition] = []
    while not cursor.accept(")"):
        if not _is_constraint(cursor):
            columns.append(_column(cursor))
        cursor.skip_until(",")  # NOT NULL, COMMENT, FIRST, AFTER, a watermark's expression
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.error("expected , or )")
    return tuple(columns)


def _is_constraint(cursor: Cursor) -> bool:
    if cursor.token.kind is not TokenKind.WORD:
        return False
    if cursor.key == "WATERMARK":
        return cursor.ahead() == "FOR"
    after = cursor.ahead()
    return (cursor.key in _CONSTRAINTS and after in ("KEY", "(")) or (
        cursor.key == "CONSTRAINT" and cursor.ahead(2) in _CONSTRAINTS
    )


def _column(cursor: Cursor) -> ColumnDefinition:
    name = cursor.dotted()[-1]
    if cursor.key in (",", ")"):
        return ColumnDefinition(name, _UNTYPED)
    if cursor.accept("AS"):
        return ColumnDefinition(name, SqlType("COMPUTED"), ColumnKind.COMPUTED, cursor.expression(cursor))
    kind = data_type(cursor)
    part, is_keyed = _part(cursor)
    return ColumnDefinition(name, kind, part, is_keyed=is_keyed)


def _part(cursor: Cursor) -> tuple[ColumnKind, bool]:
    """Parse where a column's data are stored, and whether a metadata column has the metadata's key."""
    part, is_keyed = ColumnKind.PHYSICAL, False
    while cursor.key not in (",", ")", ""):
        key = cursor.key if cursor.token.kind is TokenKind.WORD else ""
        if key in ("KEY", "HEADERS", "HEADER") and not cursor.flink:
            part = ColumnKind.KEY if key == "KEY" else ColumnKind.HEADER
        elif key == "METADATA" and cursor.flink:
            part, is_keyed = ColumnKind.METADATA, cursor.ahead() == "FROM"
        elif key == "VIRTUAL" and part is ColumnKind.METADATA:
            part = ColumnKind.VIRTUAL
        if cursor.key in ("(", "["):
            cursor.skip_brackets()
        else:
            cursor.next()
    return part, is_keyed


def options(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    """Parse `(key = value, …)`; an unquoted key is upper-cased, a value is the text of its tokens."""
    cursor.expect("(")
    options = []
    while not cursor.accept(")"):
        key = cursor.next()
        name = key.value
        while cursor.accept("."):
            name += "." + cursor.next().value
        cursor.expect("=")
        value = ""
        while cursor.key not in (",", ")", ""):
            value += cursor.next().value
        options.append((name.upper() if key.kind is TokenKind.WORD else name, value))
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.error("expected , or )")
    return tuple(options)


def _excluded(cursor: Cursor) -> frozenset[str]:
    """Parse what LIKE excludes."""
    cursor.expect("(")
    excluded: set[str] = set()
    while not cursor.accept(")"):
        word, what = cursor.next().key, cursor.next().key
        names = _ALL if what == "ALL" else {what}
        excluded = excluded | names if word == "EXCLUDING" else excluded - names
        if cursor.key == "":
            raise cursor.error("expected )")
    return frozenset(excluded)

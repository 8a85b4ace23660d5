"""Parse CREATE and ALTER of tables, streams and views: columns, options, LIKE, and the query after AS."""

from __future__ import annotations

from dataflow_generator.sql.lexer import Kind
from dataflow_generator.sql.nodes import Alteration, ColumnDefinition, Definition, Part, Parts, SqlType, Statement
from dataflow_generator.sql.parser.cursor import Cursor, starts_query

_STRUCTURES = ("ROW", "STRUCT")
_COLLECTIONS = ("ARRAY", "MULTISET")


def data_type(cursor: Cursor) -> SqlType:
    """Parse a data type with its nested fields; nullability and comments are skipped."""
    with cursor.deeper():
        name = ".".join(cursor.dotted())
        found = _of(cursor, name.upper() if cursor.text_until.kind is Kind.WORD else name)
        cursor.accept_any("PRECISION", "VARYING")
        _time_zone(cursor)
        while cursor.key in _COLLECTIONS:  # the legacy form `INT ARRAY`
            found = SqlType(cursor.next().key, element=found)
        if cursor.key == "NULL":
            cursor.next()
        cursor.accept("NOT", "NULL")
        return found


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
    found = []
    while not cursor.accept(closing):
        name = cursor.name()
        found.append((name, data_type(cursor)))
        if cursor.token.kind is Kind.STRING or cursor.accept("COMMENT"):
            cursor.next()
        if not cursor.accept(",") and cursor.key != closing:
            raise cursor.unread(f"expected , or {closing}")
    return tuple(found)


def _time_zone(cursor: Cursor) -> None:
    for words in (("WITH", "TIME", "ZONE"), ("WITH", "LOCAL", "TIME", "ZONE"), ("WITHOUT", "TIME", "ZONE")):
        if cursor.accept(*words):
            return


_UNTYPED = SqlType("")
_CONSTRAINTS = ("PRIMARY", "CONSTRAINT", "UNIQUE", "CHECK")
_ALL = frozenset(("GENERATED", "METADATA", "OPTIONS", "WATERMARKS", "CONSTRAINTS", "PARTITIONS", "DISTRIBUTION"))


def definition(cursor: Cursor, kind: str, *, view: bool) -> Definition:
    """Parse a definition from its name; clauses that define neither columns nor data are skipped."""
    cursor.accept("IF", "NOT", "EXISTS")
    at = cursor.token.at
    name = cursor.dotted()
    columns: tuple[ColumnDefinition, ...] | None = None
    if cursor.key == "(":
        columns = _elements(cursor)
    options: tuple[tuple[str, str], ...] = ()
    like: Parts = ()
    excluded: frozenset[str] = frozenset()
    while cursor.skip_until("WITH", "LIKE", "AS"):
        word = cursor.next().key
        if word == "WITH" and cursor.key == "(":
            options = _options(cursor)
        elif word == "LIKE":
            like = cursor.dotted()
            excluded = _excluded(cursor) if cursor.key == "(" else excluded
        elif word == "AS" and (starts_query(cursor) or cursor.key in ("(", "TABLE")):
            query = cursor.query(cursor)
            names = tuple(one.name for one in columns or () if one.type is _UNTYPED)
            kind += " AS SELECT" if not view else ""
            return Definition(kind, name, at, columns, options, like, excluded, query, view, names)
    return Definition(kind, name, at, columns, options, like, excluded, view=view)


def alteration(cursor: Cursor, kind: str) -> Statement:
    """Parse what ALTER changes in a table's columns, name and options; other changes are ignored."""
    cursor.accept("IF", "EXISTS")
    name = cursor.dotted()
    match cursor.next().key:
        case "ADD":
            return Alteration(kind, name, added=_added(cursor))
        case "DROP" if cursor.key not in ("CONSTRAINT", "PRIMARY", "WATERMARK", "PARTITION", "DISTRIBUTION"):
            cursor.accept("COLUMN")
            cursor.accept("IF", "EXISTS")
            return Alteration(kind, name, dropped=cursor.names() if cursor.key == "(" else cursor.dotted()[:1])
        case "RENAME":
            return _renaming(cursor, kind, name)
        case "SET" if cursor.key == "(":
            return Alteration(kind, name, options=_options(cursor))
        case "AS" if starts_query(cursor):
            query = cursor.query(cursor)
            return Definition(kind, name, 0, query=query, view="VIEW" in kind)
    return Alteration(kind, name)


def _renaming(cursor: Cursor, kind: str, name: Parts) -> Alteration:
    if cursor.accept("TO"):
        return Alteration(kind, name, new_name=cursor.dotted())
    old = cursor.dotted()
    cursor.expect("TO")
    new = cursor.dotted()
    # Renaming a nested field changes no top-level column.
    return Alteration(kind, name, renamed=((old[0], new[0]),) if len(old) == 1 else ())


def _added(cursor: Cursor) -> tuple[ColumnDefinition, ...]:
    if cursor.key == "(":
        return _elements(cursor)
    found: list[ColumnDefinition] = []
    while True:
        cursor.accept("COLUMN")
        cursor.accept("IF", "NOT", "EXISTS")
        if not cursor.is_name() or (cursor.key in _CONSTRAINTS and cursor.ahead() != ","):
            return tuple(found)
        found.append(_column(cursor))
        cursor.skip_until(",", "ADD")
        if not cursor.accept_any(",", "ADD"):
            return tuple(found)
        cursor.accept("ADD")


def _elements(cursor: Cursor) -> tuple[ColumnDefinition, ...]:
    cursor.expect("(")
    found: list[ColumnDefinition] = []
    while not cursor.accept(")"):
        if not _is_constraint(cursor):
            found.append(_column(cursor))
        cursor.skip_until(",")  # NOT NULL, COMMENT, FIRST, AFTER, a watermark's expression
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.unread("expected , or )")
    return tuple(found)


def _is_constraint(cursor: Cursor) -> bool:
    if cursor.token.kind is not Kind.WORD:
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
        return ColumnDefinition(name, SqlType("COMPUTED"), Part.COMPUTED, cursor.expression(cursor))
    kind = data_type(cursor)
    return ColumnDefinition(name, kind, _part(cursor))


def _part(cursor: Cursor) -> Part:
    part = Part.PHYSICAL
    while cursor.key not in (",", ")", ""):
        key = cursor.key if cursor.token.kind is Kind.WORD else ""
        if key in ("KEY", "HEADERS", "HEADER") and not cursor.flink:
            part = Part.KEY if key == "KEY" else Part.HEADER
        elif key == "METADATA" and cursor.flink:
            part = Part.METADATA
        elif key == "VIRTUAL" and part is Part.METADATA:
            part = Part.VIRTUAL
        if cursor.key in ("(", "["):
            cursor.skip_brackets()
        else:
            cursor.next()
    return part


def _options(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    """Parse `(key = value, …)`; an unquoted key is upper-cased, a value is the text of its tokens."""
    cursor.expect("(")
    found = []
    while not cursor.accept(")"):
        key = cursor.next()
        name = key.value
        while cursor.accept("."):
            name += "." + cursor.next().value
        cursor.expect("=")
        value = ""
        while cursor.key not in (",", ")", ""):
            value += cursor.next().value
        found.append((name.upper() if key.kind is Kind.WORD else name, value))
        if not cursor.accept(",") and cursor.key != ")":
            raise cursor.unread("expected , or )")
    return tuple(found)


def _excluded(cursor: Cursor) -> frozenset[str]:
    """Parse what LIKE excludes."""
    cursor.expect("(")
    found: set[str] = set()
    while not cursor.accept(")"):
        word, what = cursor.next().key, cursor.next().key
        names = _ALL if what == "ALL" else {what}
        found = found | names if word == "EXCLUDING" else found - names
        if cursor.key == "":
            raise cursor.unread("expected )")
    return frozenset(found)

"""The syntax tree: expressions reduced to what matters for lineage (operands, names, roles), queries, statements.

Offsets in the text (*at*) are ignored when two trees are compared. One module, although it is long, because the
classes refer to each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

Parts = tuple[str, ...]
Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal, or any other expression that reads no column."""


@dataclass(frozen=True, slots=True)
class Name:
    """A reference: dotted *parts*, then *fields* after `->`; *bare*: one unquoted word alone."""

    parts: Parts
    at: int = field(compare=False)
    fields: Parts = ()
    bare: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Star:
    """`*`, `t.*`, or the fields of a struct *base*."""

    parts: Parts
    at: int = field(compare=False)
    base: Expression | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """Any value computed from its operands."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Subscript:
    """An element of an array or map."""

    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class FieldAccess:
    """Fields of a value that is not a plain name."""

    base: Expression
    fields: Parts


@dataclass(frozen=True, slots=True)
class Conditional:
    """One of *results*, selected by *conditions*: CASE, IF, NULLIF."""

    conditions: tuple[Expression, ...]
    results: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The window after OVER: *base* names another window, or is empty."""

    base: str = ""
    partition: tuple[Expression, ...] = ()
    order: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; the name is in upper case unless quoted.

    *names* are those of named arguments, in upper case and empty for the others; empty without any.
    """

    name: str
    arguments: tuple[Expression, ...]
    at: int = field(compare=False)
    over: Window | None = None
    condition: Expression | None = None
    order: tuple[Expression, ...] = ()
    names: Parts = ()


@dataclass(frozen=True, slots=True)
class StructConstructor:
    """A struct of named fields, ksqlDB's `STRUCT(a := x)`."""

    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    """A lambda: its parameters hide columns of the same name."""

    parameters: frozenset[str]
    body: Expression


@dataclass(frozen=True, slots=True)
class Subquery:
    """A query used as a value."""

    query: Query


@dataclass(frozen=True, slots=True)
class TableArgument:
    """`TABLE t PARTITION BY k ORDER BY o` or `TABLE (query)` as an argument of a table function."""

    relation: Relation
    keys: tuple[Expression, ...] = ()
    order: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelArgument:
    """`MODEL m` as an argument of a table function."""

    parts: Parts


@dataclass(frozen=True, slots=True)
class Descriptor:
    """`DESCRIPTOR(c, …)`."""

    names: tuple[Name, ...]


Expression = (
    Constant
    | Name
    | Star
    | Operation
    | Subscript
    | FieldAccess
    | Conditional
    | Call
    | StructConstructor
    | Lambda
    | Subquery
    | TableArgument
    | ModelArgument
    | Descriptor
)
CONSTANT = Constant()


@dataclass(frozen=True, slots=True)
class Table:
    """A table reference; *options* are those of Flink's hint behind it."""

    parts: Parts
    at: int
    options: Options = ()


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A query, or bare VALUES, as a table."""

    query: Query


@dataclass(frozen=True, slots=True)
class TableFunction:
    """The result of a table function: a window over a table, or generated rows."""

    call: Call


@dataclass(frozen=True, slots=True)
class Unnest:
    """The elements of an array, map or multiset as rows; *numbered*: WITH ORDINALITY."""

    expression: Expression
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Aliased:
    """A relation with an alias; *columns* rename the first of its columns."""

    relation: Relation
    name: str
    columns: Parts = ()


@dataclass(frozen=True, slots=True)
class Join:
    """A join with the relations before it.

    *full*: unmatched rows of both sides are included; *semi*: none of its columns are.
    """

    relation: Relation
    condition: Expression | None = None
    using: Parts = ()
    natural: bool = False
    full: bool = False
    semi: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """A relation and the joins after it, from left to right."""

    first: Relation
    joins: tuple[Join, ...]


@dataclass(frozen=True, slots=True)
class TemporalTable:
    """A relation as of a time."""

    relation: Relation
    time: Expression


@dataclass(frozen=True, slots=True)
class MatchRecognize:
    """MATCH_RECOGNIZE: the matches of a pattern in a relation's rows."""

    relation: Relation
    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]
    measures: tuple[tuple[str, Expression], ...]
    definitions: tuple[Expression, ...]
    variables: frozenset[str]
    all_rows: bool = False


@dataclass(frozen=True, slots=True)
class Pivot:
    """PIVOT: *aggregates* of a relation for each of *values*, all by name; *axes* are the columns of the values."""

    relation: Relation
    aggregates: tuple[tuple[str, Expression], ...]
    axes: tuple[Expression, ...]
    values: Parts


@dataclass(frozen=True, slots=True)
class Unpivot:
    """UNPIVOT: each of *columns* becomes a row, its values in *measures* and its name in *axes*."""

    relation: Relation
    measures: Parts
    axes: Parts
    columns: tuple[tuple[Expression, ...], ...]


Relation = (
    Table | DerivedTable | TableFunction | Unnest | Aliased | Joined | TemporalTable | MatchRecognize | Pivot | Unpivot
)


@dataclass(frozen=True, slots=True)
class SelectItem:
    """One item of a select list; *alias* is empty where it has none. Its expression ends before the offset *end*."""

    expression: Expression
    alias: str
    at: int
    end: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT; *partition* is ksqlDB's PARTITION BY, *windowed*: it has a ksqlDB WINDOW clause."""

    items: tuple[SelectItem, ...]
    relation: Relation | None = None
    distinct: bool = False
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    partition: tuple[Expression, ...] = ()
    having: tuple[Expression, ...] = ()
    windows: tuple[tuple[str, Window], ...] = ()
    windowed: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """Rows of expressions."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class SetOperand:
    """An operand of a set operation and the operation before it: UNION, EXCEPT, INTERSECT, or empty."""

    operation: str
    body: Select | Values | Query


@dataclass(frozen=True, slots=True)
class CommonTableExpression:
    """A common table expression (WITH)."""

    name: str
    columns: Parts
    query: Query


@dataclass(frozen=True, slots=True)
class Query:
    """A query: common table expressions, operands from left to right, sort keys of the result."""

    branches: tuple[SetOperand, ...]
    common: tuple[CommonTableExpression, ...] = ()
    order: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class SqlType:
    """A data type: its name in upper case, its fields if it is a struct; *element* of an array or map."""

    name: str
    fields: tuple[tuple[str, SqlType], ...] = ()
    element: SqlType | None = None


class ColumnKind(StrEnum):
    """Where a column's data are stored."""

    PHYSICAL = "physical"
    KEY = "key"
    HEADER = "header"
    METADATA = "metadata"
    VIRTUAL = "virtual"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column as DDL declares it; *expression* is set for a computed column.

    *is_keyed*: it is Flink's metadata column with the metadata's key, `METADATA FROM 'key'`.
    """

    name: str
    type: SqlType
    part: ColumnKind = ColumnKind.PHYSICAL
    expression: Expression | None = None
    is_keyed: bool = False


@dataclass(frozen=True, slots=True)
class CreateStatement:
    """CREATE of a table, stream or view, with or without a query; *like* is the table of its LIKE clause."""

    kind: str
    name: Parts
    at: int
    columns: tuple[ColumnDefinition, ...] | None = None
    options: tuple[tuple[str, str], ...] = ()
    like: Parts = ()
    excluded: frozenset[str] = frozenset()
    query: Query | None = None
    view: bool = False
    names: Parts = ()


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """INSERT INTO; *columns* is None without a column list, *fixed* are partition columns with a constant value.

    *options* are those of Flink's hint behind the name.
    """

    kind: str
    name: Parts
    at: int
    query: Query
    columns: Parts | None = None
    fixed: Parts = ()
    options: Options = ()


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """A query that is a statement of its own."""

    kind: str
    query: Query


@dataclass(frozen=True, slots=True)
class DropStatement:
    """DROP of a table, stream or view."""

    kind: str
    name: Parts


@dataclass(frozen=True, slots=True)
class AlterStatement:
    """ALTER of a table: columns added, dropped, renamed; the table renamed; options set."""

    kind: str
    name: Parts
    added: tuple[ColumnDefinition, ...] = ()
    dropped: Parts = ()
    renamed: tuple[tuple[str, str], ...] = ()
    new_name: Parts = ()
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CreateTypeStatement:
    """ksqlDB's CREATE TYPE."""

    kind: str
    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class CreateModelStatement:
    """Flink's CREATE MODEL; *columns* are those that it returns."""

    kind: str
    name: Parts
    columns: Parts


@dataclass(frozen=True, slots=True)
class SessionStatement:
    """A statement that affects how later ones are read: a variable, the current catalog or database.

    *what* is `variable`, `setting`, `catalog` or `database`; an empty *value* unsets it.
    """

    kind: str
    what: str
    value: Parts
    name: str = ""


@dataclass(frozen=True, slots=True)
class OtherStatement:
    """A statement that moves no data."""

    kind: str


Statement = (
    CreateStatement
    | InsertStatement
    | SelectStatement
    | DropStatement
    | AlterStatement
    | CreateTypeStatement
    | CreateModelStatement
    | SessionStatement
    | OtherStatement
)

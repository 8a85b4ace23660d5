"""The syntax tree: expressions by what matters for lineage (operands, names, roles), queries, statements.

Places in the text (*at*) do not count where two trees are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal, or anything else that reads no column."""


@dataclass(frozen=True, slots=True)
class Name:
    """A reference: dotted *parts*, then *fields* behind `->`; *bare* where one unquoted word stands alone."""

    parts: Parts
    at: int = field(compare=False)
    fields: Parts = ()
    bare: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Star:
    """`*`, `t.*`, or the fields of a structure *base*."""

    parts: Parts
    at: int = field(compare=False)
    base: Expression | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """A value computed of its operands, however."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array or map."""

    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Access:
    """Fields of a value that is not a plain name."""

    base: Expression
    fields: Parts


@dataclass(frozen=True, slots=True)
class Choice:
    """One of *results*, by *conditions*: CASE, IF, NULLIF."""

    conditions: tuple[Expression, ...]
    results: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """What stands behind OVER: *base* names another window, or is empty."""

    base: str = ""
    partition: tuple[Expression, ...] = ()
    order: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, its name in upper case as far as it is not quoted."""

    name: str
    arguments: tuple[Expression, ...]
    at: int = field(compare=False)
    over: Window | None = None
    condition: Expression | None = None
    order: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure made of named fields, ksqlDB's `STRUCT(a := x)`."""

    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    """An anonymous function: its parameters hide columns of the same name."""

    parameters: frozenset[str]
    body: Expression


@dataclass(frozen=True, slots=True)
class Subquery:
    """A query as a value."""

    query: Query


@dataclass(frozen=True, slots=True)
class TableArgument:
    """`TABLE t PARTITION BY k` or `TABLE (query)` as an argument of a table function."""

    relation: Relation
    keys: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Descriptor:
    """`DESCRIPTOR(c, …)`."""

    names: tuple[Name, ...]


Expression = (
    Constant
    | Name
    | Star
    | Operation
    | Element
    | Access
    | Choice
    | Call
    | Structure
    | Lambda
    | Subquery
    | TableArgument
    | Descriptor
)
CONSTANT = Constant()


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its name."""

    parts: Parts
    at: int


@dataclass(frozen=True, slots=True)
class Derived:
    """A query, or bare VALUES, as a table."""

    query: Query


@dataclass(frozen=True, slots=True)
class TableFunction:
    """The result of a table function: a window over a table, or rows of a function's own."""

    call: Call


@dataclass(frozen=True, slots=True)
class Unnest:
    """The elements of an array, map or multiset as rows; *numbered*: WITH ORDINALITY."""

    expression: Expression
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Aliased:
    """A relation under another name, its columns renamed as far as *columns* go."""

    relation: Relation
    name: str
    columns: Parts = ()


@dataclass(frozen=True, slots=True)
class Join:
    """What is joined to what stands before; *full*: rows of both sides are kept; *semi*: none of its columns."""

    relation: Relation
    condition: Expression | None = None
    using: Parts = ()
    natural: bool = False
    full: bool = False
    semi: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """A relation and what is joined to it, from left to right."""

    first: Relation
    joins: tuple[Join, ...]


@dataclass(frozen=True, slots=True)
class Temporal:
    """A relation as of a time."""

    relation: Relation
    time: Expression


@dataclass(frozen=True, slots=True)
class Matched:
    """The matches of a pattern in a relation's rows."""

    relation: Relation
    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]
    measures: tuple[tuple[str, Expression], ...]
    definitions: tuple[Expression, ...]
    variables: frozenset[str]
    all_rows: bool = False


Relation = Table | Derived | TableFunction | Unnest | Aliased | Joined | Temporal | Matched


@dataclass(frozen=True, slots=True)
class SelectItem:
    """One item of a select list; *alias* is empty where it has none."""

    expression: Expression
    alias: str
    at: int


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT; *partition* is ksqlDB's PARTITION BY, *windowed* says that ksqlDB's WINDOW stands there."""

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
class Branch:
    """An operand of set operations and how it is joined to those before: UNION, EXCEPT, INTERSECT, or empty."""

    operation: str
    body: Select | Values | Query


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query named by WITH."""

    name: str
    columns: Parts
    query: Query


@dataclass(frozen=True, slots=True)
class Query:
    """A query: named queries, operands from left to right, the order of the result."""

    branches: tuple[Branch, ...]
    common: tuple[CommonTable, ...] = ()
    order: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class SqlType:
    """A data type: its name in upper case, and its fields where it is a structure; *element* of an array or map."""

    name: str
    fields: tuple[tuple[str, SqlType], ...] = ()
    element: SqlType | None = None


class Part(StrEnum):
    """Where a column of a table lives."""

    PHYSICAL = "physical"
    KEY = "key"
    HEADER = "header"
    METADATA = "metadata"
    VIRTUAL = "virtual"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column as DDL declares it; *expression* is that of a computed one."""

    name: str
    type: SqlType
    part: Part = Part.PHYSICAL
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """CREATE of a table, stream or view, with or without a query; *like* names the table that it is made like."""

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
class Insertion:
    """INSERT INTO: *columns* None where none are named; *fixed* are partition columns with a value of their own."""

    kind: str
    name: Parts
    at: int
    query: Query
    columns: Parts | None = None
    fixed: Parts = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """A query that stands for itself."""

    kind: str
    query: Query


@dataclass(frozen=True, slots=True)
class Removal:
    """DROP of a table, stream or view."""

    kind: str
    name: Parts


@dataclass(frozen=True, slots=True)
class Alteration:
    """ALTER of a table: columns added, dropped, renamed; the table renamed; options set."""

    kind: str
    name: Parts
    added: tuple[ColumnDefinition, ...] = ()
    dropped: Parts = ()
    renamed: tuple[tuple[str, str], ...] = ()
    new_name: Parts = ()
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """ksqlDB's CREATE TYPE."""

    kind: str
    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class Setting:
    """A statement that changes how later ones are read: a variable, the current catalog or database.

    *what* is `variable`, `catalog` or `database`; *value* empty: no longer set.
    """

    kind: str
    what: str
    value: Parts
    name: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """A statement that moves no data."""

    kind: str


Statement = Definition | Insertion | Selection | Removal | Alteration | TypeDefinition | Setting | Other

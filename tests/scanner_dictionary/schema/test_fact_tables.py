"""The columns of a fact's table derive from its members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NewType

from sqlalchemy import BigInteger, Boolean, String, Text

from scanner_dictionary.schema.facts import fact_columns
from scanner_model.facts import Key, Pairs, Value
from scanner_model.names import SourceId

Name = NewType("Name", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A part of a fact."""

    name: Annotated[Name, Key("its name")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact with a member of every sort."""

    source: SourceId
    start: End
    text: Annotated[str, Value("a long one", long=True)]
    count: Annotated[int | None, Value("may be unknown")] = None
    hidden: Annotated[bool, Value("under another name", column="is_hidden")] = False
    settings: Annotated[Pairs, Value("JSON", mapping=True)] = ()
    parts: tuple[End, ...] = ()


def test_columns_are_the_declared_members_and_those_of_parts() -> None:
    """What has no declaration is stored elsewhere: the source by its key, parts of a list in a table of their own."""
    columns = fact_columns(Fact)

    assert [(column.name, column.member) for column in columns] == [
        ("start_name", "start.name"),
        ("text", "text"),
        ("count", "count"),
        ("is_hidden", "hidden"),
        ("settings", "settings"),
    ]
    assert [column.name for column in columns if column.is_key] == ["start_name"]
    assert [column.name for column in columns if column.nullable] == ["count"]


def test_column_has_the_type_of_its_member() -> None:
    """A text without a bound and JSON are of a type that needs no length, and that is not indexed."""
    columns = fact_columns(Fact)

    assert [column.sql_type for column in columns] == [String, Text, BigInteger, Boolean, Text]
    assert [column.is_indexable for column in columns] == [True, False, True, True, False]

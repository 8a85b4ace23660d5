"""Schemas in programs: DDL texts, Avro and JSON Schema texts, and samples, as types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from scanner_model.documents.json_input import load_text
from scanner_programs.frames.values import Type

PLAIN = Type("plain")
_LONGEST = 100_000
_DEEPEST = 12


@lru_cache(maxsize=1_000)
def ddl_type(text: str) -> Type | None:
    """Parse a DDL text of Spark, `id INT, at TIMESTAMP` or `ARRAY<INT>`; None if it cannot be parsed."""
    if len(text) > _LONGEST or text.count("<") > _LONGEST // 1000:
        return None
    for form in (f"STRUCT<{text}>", text):
        try:
            kind = exp.DataType.build(form, dialect="spark")
        except (SqlglotError, ValueError, AttributeError, TypeError, RecursionError):
            continue
        if form is text or all(isinstance(item, exp.ColumnDef) and item.args.get("kind") for item in kind.expressions):
            return sql_type(kind)
    return None


def sql_type(kind: exp.Expr | None, depth: int = 0) -> Type | None:
    """Return a type that sqlglot parsed; None if absent."""
    if not isinstance(kind, exp.DataType) or depth > _DEEPEST:
        return None
    inner = kind.expressions
    if kind.is_type("struct"):
        members = ((item.name, sql_type(item.args.get("kind"), depth + 1)) for item in inner)
        return Type("struct", tuple((name, member) for name, member in members if name))
    if kind.is_type("array"):
        return Type("array", element=sql_type(inner[0], depth + 1) if inner else None)
    if kind.is_type("map"):
        return Type("map", element=sql_type(inner[-1], depth + 1) if len(inner) > 1 else None)
    return plain_type(kind.this.value)


def plain_type(name: str) -> Type:
    """Return a type without members by its name in SQL or of its class."""
    lowered = name.lower().removesuffix("type")
    return Type("plain", name=_CLASSES.get(lowered, lowered))


_CLASSES = {
    "bigint": "long",
    "int": "integer",
    "smallint": "short",
    "tinyint": "byte",
    "varbinary": "binary",
    "unknown": "",
    **dict.fromkeys(("text", "varchar", "char"), "string"),
    **dict.fromkeys(("timestamptz", "timestampltz"), "timestamp"),
}


@lru_cache(maxsize=1_000)
def schema_type(text: str) -> Type | None:
    """Parse a schema of any form: Avro or JSON Schema, Spark's JSON of a StructType, or DDL."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return ddl_type(text)
    try:
        document = load_text(text)
    except ValueError:
        return None
    return _document_type(document, {}, 0)


def _document_type(document: object, named: dict[str, Type | None], depth: int) -> Type | None:
    if depth > _DEEPEST:
        return None
    if isinstance(document, str):
        return named.get(document, PLAIN)
    if isinstance(document, list):  # a union of Avro: with null, its only other type
        others = [branch for branch in document if branch != "null"]
        return _document_type(others[0], named, depth + 1) if len(others) == 1 else None
    if not isinstance(document, Mapping):
        return None
    kind = document.get("type")
    if isinstance(kind, Mapping | list) and "fields" not in document and "properties" not in document:
        return _document_type(kind, named, depth + 1)
    if isinstance(document.get("fields"), list):
        fields = [each for each in document["fields"] if isinstance(each, Mapping) and "name" in each]
        name = str(document.get("name", ""))
        named[name] = None
        members = tuple((str(each["name"]), _document_type(each.get("type"), named, depth + 1)) for each in fields)
        named[name] = Type("struct", members)
        return named[name]
    if isinstance(document.get("properties"), Mapping):
        listed = document["properties"].items()
        return Type("struct", tuple((str(name), _document_type(each, named, depth + 1)) for name, each in listed))
    if kind == "array":
        inner = document.get("items", document.get("elementType"))
        return Type("array", element=_document_type(inner, named, depth + 1))
    if kind == "map":
        return Type("map", element=_document_type(document.get("values", document.get("valueType")), named, depth + 1))
    return PLAIN if isinstance(kind, str) else None


def sample_type(text: str) -> Type | None:
    """Return the type of a JSON text that is an example of the messages; None if it is invalid."""
    try:
        return _type_of(load_text(text), 0)
    except ValueError:
        return None


def _type_of(value: object, depth: int) -> Type | None:
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return Type("struct", tuple((str(name), _type_of(each, depth + 1)) for name, each in value.items()))
    if isinstance(value, list):
        return Type("array", element=_type_of(value[0], depth + 1) if value else None)
    return PLAIN

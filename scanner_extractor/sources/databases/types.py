"""Columns and their types as a database writes them: `NUMERIC(10, 2)` is `numeric`, refined to `numeric(10,2)`."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from sqlalchemy.engine import Dialect
from sqlalchemy.exc import CompileError
from sqlalchemy.types import NullType, TypeEngine

from scanner_model.columns import Column, field_segment
from scanner_model.redaction import mask_statement, mask_text

UNKNOWN = "unknown"
"""The type of a column whose type SQLAlchemy does not know."""

_TYPE = re.compile(r"(?P<word>[^()]*?)\s*\((?P<arguments>.*?)\)(?P<rest>[^()]*)", re.DOTALL)
_NOISE = re.compile(r"\s+(?:COLLATE|CHARACTER SET|CHARSET)\s+\S+", re.IGNORECASE)
_LISTS = frozenset({"enum", "set"})
"""Types whose arguments are values, not a size."""


def column_type(column_type_: TypeEngine[object], dialect: Dialect) -> tuple[str, str | None]:
    """Return a type's word and what refines it (None where nothing does)."""
    if isinstance(column_type_, NullType):
        return UNKNOWN, None
    try:
        text = dialect.type_compiler_instance.process(column_type_)
    except CompileError:  # a type of a dialect that its compiler does not know
        text = type(column_type_).__name__
    return type_parts(text)


@lru_cache(maxsize=4_096)
def type_parts(text: str) -> tuple[str, str | None]:
    """Return the word of a type as it is written in SQL, and what refines it (None where nothing does)."""
    plain = _NOISE.sub("", text).strip()
    match = _TYPE.fullmatch(plain)
    if not match:
        return plain.lower() or UNKNOWN, None
    word = " ".join(f"{match['word']} {match['rest']}".lower().split()).replace(" []", "[]")
    if word in _LISTS:
        return word, None
    arguments = ",".join(part.strip() for part in match["arguments"].split(","))
    return word, f"{word}({arguments})"


@lru_cache(maxsize=1 << 16)
def shared_column(
    name: str, type_: tuple[str, str | None], nullable: bool, default: str | None, comment: str | None
) -> Column:
    """Return a column; cached, because many tables have the same columns."""
    return Column(
        path=(field_segment(name),),
        type=type_[0],
        logical_type=type_[1],
        nullable=nullable,
        default=None if default is None else json.dumps(mask_statement(default), ensure_ascii=False),
        doc=mask_text(comment) if comment else None,
    )

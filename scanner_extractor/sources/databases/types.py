"""The types of columns, as a database writes them: `NUMERIC(10, 2)` is `numeric`, refined to `numeric(10,2)`."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlalchemy.engine import Dialect
from sqlalchemy.exc import CompileError
from sqlalchemy.types import NullType, TypeEngine

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
    return _parts(text)


@lru_cache(maxsize=4_096)
def _parts(text: str) -> tuple[str, str | None]:
    plain = _NOISE.sub("", text).strip()
    match = _TYPE.fullmatch(plain)
    if not match:
        return plain.lower() or UNKNOWN, None
    word = " ".join(f"{match['word']} {match['rest']}".lower().split()).replace(" []", "[]")
    if word in _LISTS:
        return word, None
    arguments = ",".join(part.strip() for part in match["arguments"].split(","))
    return word, f"{word}({arguments})"

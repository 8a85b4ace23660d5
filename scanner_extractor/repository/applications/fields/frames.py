"""Columns of Spark's data frames and Flink's tables: `select("total")`, `col("total")`, `df["total"]`, `df.total`.

A frame of Spark's Kafka source has the columns of a record until its `value` is parsed. Names that the program gives
itself, by an alias or `withColumn`, are no fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanner_extractor.repository.applications.fields.parts import Kind, Part
from scanner_extractor.repository.applications.fields.values import UNKNOWN, FunctionScope, KnownValue, text_of_part
from scanner_extractor.repository.syntax_trees import words

if TYPE_CHECKING:
    from scanner_extractor.repository.applications.fields.following import Follower

RAW, FLAT, CHOSEN = "DataFrame", "@flat", "@chosen"
"""Frames with the columns of records, with all fields of messages, and with columns that the program lists."""
FRAMES = frozenset({RAW, FLAT, CHOSEN})
_OF_RECORD = words("key value topic partition offset timestamp timestampType headers")
_COLUMN = frozenset({"col", "column", "$"})
_ALIAS = frozenset({"alias", "as", "name", "as_"})
_LISTS = words(
    """select groupBy groupby orderBy sort dropDuplicates drop_duplicates partitionBy cube rollup avg sum min max mean
    withWatermark fillna dropna explode"""
)
"""Methods whose texts are names of columns."""
_EXPRESSIONS = frozenset({"selectExpr", "filter", "where", "expr"})
"""Methods whose texts are expressions of SQL."""
_METHODS = _LISTS | _EXPRESSIONS | words("withColumn withColumnRenamed agg join union unionByName select_expr window")
_ENDS = words(
    "writeStream write collect toPandas show foreachBatch foreach rdd createOrReplaceTempView toJSON take head"
)
"""Members that pass on all columns."""
_SQL = words("as cast string and or not is null in like between case when then else end true false int double desc asc")
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:\.\*)?(?!\w*\s*\()")
_MADE = re.compile(r"(?i)\bas\s+(\w+)")


def on_frame(follower: Follower, base: KnownValue, part: Part, scope: FunctionScope) -> KnownValue | None:
    """Return what a method of a frame or table returns, and note the columns that its arguments name; else None."""
    is_frame = base.type in FRAMES
    if not is_frame and not (part.text in _METHODS and base.args and _named(part.parts)):
        return None
    if part.text in _ENDS:
        return _end(follower, base, part, scope)
    numbers = {number for inner in base.held() for number, _ in inner.sources}
    for number in numbers:
        follower.aliases.setdefault(number, set()).update(_aliases(part))
    names = list(_columns(part)) if part.text in _METHODS | _COLUMN else []
    for name in names:
        note_column(follower, base, name, f"{scope.file.path}:{part.line}")
    if part.text != "select" or not is_frame:
        return base
    if any(name.endswith("*") for name in names):
        return KnownValue(FLAT, base.args)
    is_parsing = base.type == RAW and all(name in _OF_RECORD for name in names)
    return base if is_parsing else KnownValue(CHOSEN, base.args)


def note_column(follower: Follower, base: KnownValue, name: str, place: str) -> None:
    """Note that a column of a frame is read, unless it is one of a record, or one that the program makes.

    A JSONPath (`$.total`) is of the message.
    """
    path = tuple(name.split("."))
    for inner in base.held():
        for number, below in inner.sources:
            made = follower.aliases.get(number, ())
            own = path[1:] if path[0] in made or path[0] == "$" else path
            is_of_record = base.type == RAW and path[0] in _OF_RECORD
            if own and own[-1] != "*" and not is_of_record:
                follower.found.setdefault((number, (*below, *own)), set()).add(place)


def member(follower: Follower, base: KnownValue, label: str, part: Part, scope: FunctionScope) -> KnownValue:
    """Return a member of a frame: `df.total` is a column."""
    if label in _ENDS:
        return _end(follower, base, part, scope)
    if label not in ("columns", "schema", "isStreaming"):
        note_column(follower, base, label, follower.place(part, scope))
    return UNKNOWN


def _end(follower: Follower, base: KnownValue, part: Part, scope: FunctionScope) -> KnownValue:
    if base.type != CHOSEN:
        follower.use_whole(base, follower.place(part, scope), scope)
    return base


def _named(parts: list[Part]) -> bool:
    """Return whether arguments name a column: `col("total")`, `$("total")`."""
    return any(part.kind is Kind.CALL and part.text in _COLUMN for part in _inside(parts))


def _inside(parts: list[Part]) -> Iterator[Part]:
    """Yield parts and what is inside them."""
    queue = list(parts)
    while queue:
        part = queue.pop()
        yield part
        queue += part.children()


def _columns(part: Part) -> Iterator[str]:
    """Yield the names of columns in the arguments of a method."""
    for position, argument in enumerate(part.parts):
        text = text_of_part(argument)
        if text is not None and part.text in _LISTS:
            yield text
        elif text is not None and part.text in _EXPRESSIONS:
            yield from _in_sql(text)
        elif text is not None and part.text == "withColumnRenamed" and not position:
            yield text
    for inner in _inside(part.parts):
        key = text_of_part(inner.parts[0]) if inner.parts else None
        if inner.kind is Kind.CALL and inner.text in _COLUMN and key is not None:
            yield key
        elif inner.kind is Kind.CALL and inner.text == "expr" and key is not None:
            yield from _in_sql(key)
        elif inner.kind is Kind.CALL and inner.text == "get_json_object" and len(inner.parts) > 1:
            yield text_of_part(inner.parts[1]) or "$.*"
        elif inner.kind is Kind.CALL and inner.text in _LISTS | {"desc", "asc", "lower", "upper"} and key is not None:
            yield key


def _in_sql(text: str) -> Iterator[str]:
    plain = re.sub(r"'[^']*'", "", text)
    made = set(_MADE.findall(plain))
    yield from (name for name in _NAME.findall(plain) if name.lower() not in _SQL and name not in made)


def _aliases(part: Part) -> Iterator[str]:
    """Yield the names that a method gives columns."""
    texts = [text_of_part(argument) for argument in part.parts]
    if part.text in ("withColumn", "withColumnRenamed", *_ALIAS):
        at = 1 if part.text == "withColumnRenamed" else 0
        yield from filter(None, texts[at : at + 1])
    if part.text in _EXPRESSIONS:
        yield from (name for text in texts if text for name in _MADE.findall(text))
    for inner in _inside(part.parts):
        if inner.kind is Kind.CALL and inner.text in _ALIAS and inner.parts:
            yield from filter(None, [text_of_part(inner.parts[0])])

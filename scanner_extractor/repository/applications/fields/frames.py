"""Columns of Flink's tables, and of Spark's data frames in Java: `select("total")`, `col("total")`, `df.total`.

Jobs of Spark in Python and Scala are evaluated (`scanner_programs/frames`).

A frame of Spark's Kafka source has the columns of a record until its `value` is parsed. Names that the program gives
itself, by an alias or `withColumn`, are no fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    """select groupBy groupby orderBy sort sortWithinPartitions dropDuplicates drop_duplicates
    dropDuplicatesWithinWatermark partitionBy cube rollup repartition repartitionByRange avg sum min max mean join agg
    count describe pivot"""
)
"""Methods of frames whose texts are names of columns."""
_FIRST_OF_METHOD = frozenset({"withWatermark", "withColumnRenamed"})
"""Methods of frames whose first text only is the name of a column."""
_EXPRESSIONS = frozenset({"selectExpr", "filter", "where", "select_expr"})
"""Methods whose texts are expressions of SQL."""
_PASSING = words(
    """withColumn withColumns union unionAll unionByName limit cache persist unpersist checkpoint localCheckpoint hint
    coalesce drop alias as alias_ as_ toDF format option options trigger outputMode queryName printSchema load
    isStreaming over rowsBetween rangeBetween otherwise when start awaitTermination cast filterNot explain"""
)
"""Methods of frames whose own texts are no columns; those of calls inside their arguments may be."""
_METHODS = _LISTS | _FIRST_OF_METHOD | _EXPRESSIONS | _PASSING
_ALL_COLUMNS = words(
    """struct array coalesce concat greatest least hash xxhash64 create_map map sum avg mean min max count sum_distinct
    countDistinct count_distinct sumDistinct approx_count_distinct first last collect_list collect_set lower upper trim
    ltrim rtrim abs ceil floor sqrt exp log explode explode_outer posexplode posexplode_outer inline size length md5
    sha1 crc32 base64 unbase64 desc asc desc_nulls_last asc_nulls_last isnull isnan year month dayofmonth hour minute
    second unix_timestamp to_json stddev variance max_by min_by nvl ifnull mode median reverse initcap"""
)
"""Functions whose texts are all names of columns."""
_FIRST_COLUMN = words(
    """window session_window date_format to_timestamp to_date from_json from_avro from_csv sha2 substring split
    regexp_replace regexp_extract lpad rpad date_add date_sub date_trunc_ percentile_approx lag lead ntile nth_value
    array_contains element_at get_item from_unixtime translate round instr json_tuple_ slice"""
)
"""Functions whose first text is the name of a column, and the others are values."""
_NO_COLUMNS = words("lit current_timestamp current_date now rand uuid rank row_number dense_rank expr get_json_object")
_EXPLODING = frozenset({"explode", "explode_outer", "inline"})
_PARSING = frozenset({"from_json", "from_avro", "from_protobuf", *_COLUMN})
_STRUCTURES = {"window": "window", "session_window": "session_window", "count": "count", "explode": "col"}
"""Functions whose result has a name that the program does not give."""
_ENDS = words(
    "writeStream write collect toPandas show foreachBatch foreach rdd createOrReplaceTempView toJSON take head"
)
"""Members that pass on all columns."""
_SQL = words(
    """as cast try_cast string and or not is null in like rlike between case when then else end true false int integer
    bigint smallint tinyint float double decimal boolean binary date timestamp desc asc distinct interval year years
    month months week weeks day days hour hours minute minutes second seconds over partition by order rows range exists
    current_date current_timestamp nulls first last div escape"""
)
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:\.\*)?(?!\w*\s*\()")
_MADE = re.compile(r"(?i)\bas\s+(\w+)")

Alias = tuple[str, ...] | None
"""The path of what a name stands for: empty for a parsed message; None for a computed value."""


def on_frame(follower: Follower, base: KnownValue, part: Part, scope: FunctionScope) -> KnownValue | None:
    """Return what a method of a frame or table returns, and note the columns that its arguments name; else None."""
    is_frame = base.type in FRAMES
    if not is_frame and not (part.text in _METHODS and base.args and _named(part.parts)):
        return None
    if part.text in _ENDS:
        return _end(follower, base, part, scope)
    numbers = {number for inner in base.held() for number, _ in inner.sources}
    for number in numbers:
        follower.aliases.setdefault(number, {}).update(_aliases(part))
    place = f"{scope.file.path}:{part.line}"
    listed = base.type == CHOSEN and not any(_inside(part.parts))  # `distinct()` of columns that are listed already
    if is_frame and not listed and (len(numbers) > 1 or not _is_understood(part)):
        follower.use_whole(base, place, scope)
        names: list[str] = []
    else:
        names = list(_columns(part)) if part.text in _METHODS | _COLUMN else []
    for name in names:
        note_column(follower, base, name, place)
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
            made: Mapping[str, Alias] = follower.aliases.get(number, {})
            alias = made.get(path[0], ()) if path[0] in made else ()
            if alias is None:
                continue
            own = (*alias, *path[1:]) if path[0] in made or path[0] == "$" else path
            is_of_record = base.type == RAW and path[0] in _OF_RECORD
            if own and own[-1] != "*" and not is_of_record:
                follower.found.setdefault((number, (*below, *own)), set()).add(place)


def member(follower: Follower, base: KnownValue, label: str, part: Part, scope: FunctionScope) -> KnownValue:
    """Return a member of a frame: `df.total` is a column."""
    if label in _ENDS:
        return _end(follower, base, part, scope)
    if label in ("na", "stat"):
        follower.use_whole(base, follower.place(part, scope), scope)
    elif label not in ("columns", "schema", "isStreaming", "dtypes", "sparkSession", "storageLevel"):
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


def _texts(part: Part) -> Iterator[str]:
    """Yield the texts of arguments, also those in a list."""
    for argument in part.parts:
        text = text_of_part(argument)
        items = (
            [text_of_part(item) for item in argument.parts] if text is None and argument.kind is Kind.LIST else [text]
        )
        yield from filter(None, items)


def _is_function(part: Part) -> bool:
    """Return whether a call is one of a function, as `sum("a")` or `F.sum("a")`, and no method of a value."""
    return part.kind is Kind.CALL and (part.of is None or part.of.kind is Kind.NAME) and part.text not in _ALIAS


def _is_understood(part: Part) -> bool:
    """Return whether it is known which texts in a method's arguments are names of columns."""
    if part.text not in _METHODS:
        return False
    calls = (inner for inner in _inside(part.parts) if _is_function(inner) and any(_texts(inner)))
    known = _ALL_COLUMNS | _FIRST_COLUMN | _NO_COLUMNS | _COLUMN | _METHODS
    return all(call.text in known for call in calls)


def _columns(part: Part) -> Iterator[str]:
    """Yield the names of columns in the arguments of a method."""
    texts = list(_texts(part))
    if part.text in _LISTS:
        yield from texts
    elif part.text in _FIRST_OF_METHOD:
        yield from texts[:1]
    elif part.text in _EXPRESSIONS:
        for text in texts:
            yield from _in_sql(text)
    for inner in _inside(part.parts):
        if inner.kind is Kind.CALL and inner.parts:
            yield from _columns_of_call(inner)


def _columns_of_call(call: Part) -> Iterator[str]:
    """Yield the names of columns in the arguments of a function."""
    first = text_of_part(call.parts[0])
    if call.text == "get_json_object" and len(call.parts) > 1:
        yield text_of_part(call.parts[1]) or "$.*"
    elif call.text == "expr" and first:
        yield from _in_sql(first)
    elif call.text in _COLUMN | _FIRST_COLUMN and first:
        yield first
    elif call.text in _ALL_COLUMNS and _is_function(call):
        yield from _texts(call)


def _in_sql(text: str) -> Iterator[str]:
    plain = re.sub(r"'[^']*'", "", text)
    made = set(_MADE.findall(plain))
    yield from (name for name in _NAME.findall(plain) if name.lower() not in _SQL and name not in made)


def _aliases(part: Part) -> Iterator[tuple[str, Alias]]:
    """Yield the names that a method gives columns, each with what it stands for."""
    texts = [text_of_part(argument) for argument in part.parts]
    if part.text == "withColumns":
        yield from ((name, _stands_for([value])) for argument in part.parts for name, value, _ in argument.named)
    if part.text == "withColumn" and texts[:1] and texts[0]:
        yield texts[0], _stands_for(part.parts[1:])
    elif part.text == "withColumnRenamed" and len(texts) > 1 and texts[0] and texts[1]:
        yield texts[1], tuple(texts[0].split("."))
    elif part.text in _ALIAS and texts[:1] and texts[0]:
        yield texts[0], ()
    if part.text in _EXPRESSIONS:
        yield from ((name, ()) for text in texts if text for name in _MADE.findall(text))
    for inner in _inside(part.parts):
        if inner.kind is Kind.CALL and inner.text in _ALIAS and inner.parts and (name := text_of_part(inner.parts[0])):
            yield name, _stands_for([inner.of] if inner.of else [])
        elif inner.kind is Kind.CALL and inner.text in _STRUCTURES and _is_function(inner):
            yield _STRUCTURES[inner.text], None


def _stands_for(parts: list[Part]) -> Alias:
    """Return what the name of an expression stands for."""
    calls = [inner for inner in _inside(parts) if inner.kind is Kind.CALL]
    if exploded := next((inner for inner in calls if inner.text in _EXPLODING), None):
        names = [*_texts(exploded), *(text for inner in _inside(exploded.parts) for text in _texts(inner))]
        return tuple(names[0].split(".")) if names else None
    return () if any(inner.text in _PARSING for inner in calls) else None

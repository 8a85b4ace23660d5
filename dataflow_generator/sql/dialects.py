"""The two dialects of streaming SQL, and a guess which of them a text is written in."""

from __future__ import annotations

import re
from enum import StrEnum


class Dialect(StrEnum):
    """The engine whose SQL a text is."""

    KSQLDB = "ksqldb"
    FLINK = "flink"


_TELLING: tuple[tuple[Dialect, int, str], ...] = (
    (Dialect.KSQLDB, 3, r"\bEMIT\s+(?:CHANGES|FINAL)\b"),
    (Dialect.KSQLDB, 3, r"\b(?:CREATE|DROP|ALTER|ASSERT)\s+(?:OR\s+REPLACE\s+)?(?:SOURCE\s+)?STREAM\b"),
    (Dialect.KSQLDB, 3, r"\bCREATE\s+(?:SOURCE\s+TABLE|TYPE)\b"),
    (
        Dialect.KSQLDB,
        3,
        r"\b(?:KAFKA_TOPIC|VALUE_FORMAT|KEY_FORMAT)\s*=|->|:=|\b(?:DEFINE\s+\w+\s*=|(?:UNDEFINE|TERMINATE)\s)",
    ),
    (Dialect.KSQLDB, 2, r"\b(?:WITHIN|GRACE\s+PERIOD)\s+\(?\s*\d|\bWINDOW\s+(?:TUMBLING|HOPPING|SESSION)\b"),
    (Dialect.KSQLDB, 2, r"\b(?:LATEST|EARLIEST)_BY_OFFSET\s*\(|\bPARTITION\s+BY\s+[^()]*(?:;|$)"),
    (Dialect.KSQLDB, 2, r"\bCOUNT\s*\(\s*\)"),
    (Dialect.KSQLDB, 2, r"\b(?:AS_VALUE|COLLECT_(?:LIST|SET)|COUNT_DISTINCT|TOPK(?:DISTINCT)?|EXPLODE)\s*\("),
    (
        Dialect.KSQLDB,
        2,
        r"\b(?:[UL]CASE|EXTRACTJSONFIELD|TIMESTAMPTOSTRING|STRINGTOTIMESTAMP|(?:PARSE|FORMAT)_TIMESTAMP)\s*\(",
    ),
    (Dialect.KSQLDB, 2, r"\b(?:STDDEV_SAMPLE|SUM_LIST|CORRELATION|HISTOGRAM)\s*\("),
    (Dialect.KSQLDB, 2, r"\b(?:ROWKEY|ROWTIME|ROWPARTITION|WINDOWSTART|WINDOWEND)\b"),
    (Dialect.FLINK, 3, r"'connector'\s*=|\bDESCRIPTOR\s*\(|\bMATCH_RECOGNIZE\b|\bSTATEMENT\s+SET\b|\bNOT\s+ENFORCED\b"),
    (Dialect.FLINK, 3, r"\bWATERMARK\s+FOR\b|\bSYSTEM_TIME\s+AS\s+OF\b|\bINSERT\s+OVERWRITE\b|\bLATERAL\b|\bUNNEST\b"),
    (Dialect.FLINK, 3, r"\bCREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:TEMPORARY|VIEW|MATERIALIZED|CATALOG|DATABASE)\b"),
    (Dialect.FLINK, 2, r"^\s*WITH\b|\bUNION\b|\bOVER\s*\(|\(\s*SELECT\b|\bINTERVAL\s+'|\bUSE\s|\bDISTRIBUTED\b"),
    (Dialect.FLINK, 1, r"\bINSERT\s+INTO\b|\bORDER\s+BY\b|\bMETADATA\b"),
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_PATTERNS = tuple((dialect, weight, re.compile(text, re.IGNORECASE)) for dialect, weight, text in _TELLING)


def guess_dialect(text: str) -> Dialect:
    """Return the dialect of *text* by constructs that only one of them has; Flink's by default."""
    code = _COMMENT.sub(" ", text)
    score = dict.fromkeys(Dialect, 0)
    for dialect, weight, pattern in _PATTERNS:
        if pattern.search(code):
            score[dialect] += weight
    return Dialect.KSQLDB if score[Dialect.KSQLDB] > score[Dialect.FLINK] else Dialect.FLINK
